import Catalog
import ColumnStore
import Platform
import SQLSyntax
import SQLTypes

extension Session {
    /// Runs work on a statement's text in such a way that a death of the process can be put down to it, and refuses
    /// texts that have caused two. On the session's thread; inside of such work it is a part of that.
    package func attributed<Result>(to text: String, _ body: () throws -> Result) throws -> Result {
        if isAttributed { return try body() }
        guard let slot else {
            CrashTrial.run(text, warehouse.pool)
            return try body()
        }
        let hash = StatementHash.of(text)
        let isPardonable = try admit(hash)
        slot.begin(
            SecretRedaction.redacted(text.beginning(StatementSlot.textBytes)), hash: hash, user: effectiveUser,
            startMicroseconds: warehouse.time.wallMicroseconds())
        isAttributed = true
        defer {
            isAttributed = false
            slot.end()
        }
        CrashTrial.run(text, warehouse.pool)
        guard isPardonable else { return try body() }
        let result = Swift.Result { try body() }
        try warehouse.crashes.pardon(hash, now: warehouse.time.wallMicroseconds())
        return try result.get()
    }

    /// Whether it is a refused one that runs all the same.
    private func admit(_ hash: UInt64) throws -> Bool {
        guard let refusal = warehouse.crashes.refusal(of: hash) else { return false }
        if settings["redbarn_run_refused"] == "on",
            warehouse.store.snapshot().catalog.accounts.users[effectiveUser]?.isSuperuser == true
        {
            return true
        }
        failTransaction()
        throw refusal
    }
}

extension String {
    /// So many bytes at most.
    func beginning(_ count: Int) -> String {
        utf8.count <= count ? self : String(decoding: utf8.prefix(count), as: UTF8.self)
    }
}
