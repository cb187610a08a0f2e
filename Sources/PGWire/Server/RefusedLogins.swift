import Platform
import SQLTypes
import Synchronization
import Warehouse

/// Tells log and history of clients that got no session. Who knocks all the time is counted, not listed: neither fills
/// up. Safe from any thread.
final class RefusedLogins: Sendable {
    private struct Window {
        var startNanoseconds: Int64 = .min
        var told = 0
        var untold = 0
    }
    private let window = Lock(Window())
    let failedPasswords = Atomic<Int>(0)
    private static let windowNanoseconds: Int64 = 60_000_000_000
    private static let toldInWindow = 100

    /// - Returns: how many were not told before this one; nil: neither is this.
    func admit(now: Int64) -> Int? {
        window.withLock { window in
            if window.startNanoseconds == .min || now - window.startNanoseconds >= RefusedLogins.windowNanoseconds {
                window.startNanoseconds = now
                window.told = 0
            }
            if window.told >= RefusedLogins.toldInWindow {
                window.untold += 1
                return nil
            }
            window.told += 1
            defer { window.untold = 0 }
            return window.untold
        }
    }

    func note(_ error: SQLError, _ client: ClientFacts, _ server: ServerContext, peer: String) {
        let isPassword = error.state == "28P01"
        if isPassword { failedPasswords.add(1, ordering: .relaxed) }
        guard let untold = admit(now: server.warehouse.time.monotonicNanoseconds()) else { return }
        var fields = [
            ("user", client.user), ("database", client.database), ("peer", peer), ("sqlstate", error.state.code),
            ("message", error.message), ("tls", client.encryption.isEmpty ? "off" : client.encryption),
            ("application", client.application),
        ]
        if untold > 0 { fields.append(("untold", String(untold))) }
        server.log.warning("login_refused", fields)
        server.warehouse.noteRefusal(client, reason: isPassword ? "" : error.message)
    }
}
