import Platform
import SQLTypes

/// One death of a serving process: what killed it, what it was doing.
package struct CrashRecord: Sendable, Hashable {
    package struct Statement: Sendable, Hashable {
        package var session: Int
        package var user: Int
        package var userName: String
        package var query: Int
        /// Of the whole text, see ``StatementHash``.
        package var hash: UInt64
        package var startMicroseconds: Int64
        /// The thread that died worked for it.
        package var isBlamed: Bool
        /// The beginning, without secrets.
        package var text: String
    }
    package var microseconds: Int64
    /// The operating system's number of the process.
    package var process: Int
    package var signal: Int
    package var address: UInt64 = 0
    /// The program's file, so that deaths of another version do not count.
    package var program: String
    package var statements: [Statement] = []
    /// Functions, innermost first.
    package var stack: [String] = []

    package init(microseconds: Int64, process: Int, signal: Int, program: String) {
        self.microseconds = microseconds
        self.process = process
        self.signal = signal
        self.program = program
    }

    /// What the table of a process that is gone tells.
    package init(_ table: CrashTable, process: Int, signal: Int, microseconds: Int64) {
        self.init(
            microseconds: microseconds, process: process, signal: signal,
            program: CrashRecord.thisProgram)
        let death = table.death
        // A handler that took too long was ended by another signal.
        if let death { self.signal = Int(death.signal) }
        address = death?.address ?? 0
        stack = table.stack
        statements = table.running.map { running in
            Statement(
                session: running.session, user: running.user, userName: running.userName, query: running.query,
                hash: running.hash, startMicroseconds: running.startMicroseconds,
                isBlamed: running.slot == death?.slot, text: running.text)
        }
    }

    /// Size and time of the running program's file.
    static let thisProgram: String = {
        guard let status = try? LocalFileSystem().status("/proc/self/exe") else { return "unknown" }
        return "\(status.size)-\(status.modifiedMicroseconds)"
    }()

    package static func signalName(_ signal: Int) -> String { names[signal] ?? "signal \(signal)" }
    private static let names = [
        1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
        9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE", 15: "SIGTERM", 24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
    ]
    package static func hashText(_ hash: UInt64) -> String {
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
    }
}

/// The stored form: lines of fields with tabs between them, to be read by people too.
extension CrashRecord {
    package var encoded: [UInt8] {
        var lines = [
            ["time", String(microseconds)], ["process", String(process)], ["signal", String(signal)],
            ["address", String(address, radix: 16)], ["program", program],
        ]
        for statement in statements {
            lines.append([
                "statement", String(statement.session), String(statement.user), statement.userName,
                String(statement.query), CrashRecord.hashText(statement.hash), String(statement.startMicroseconds),
                statement.isBlamed ? "blamed" : "running", statement.text,
            ])
        }
        lines += stack.map { ["frame", $0] }
        let text = lines.map { $0.map(CrashRecord.escaped).joined(separator: "\t") + "\n" }.joined()
        return Array(text.utf8)
    }

    /// nil for what is no such file. Lines of later versions are skipped.
    package init?(_ bytes: [UInt8]) {
        self.init(microseconds: 0, process: 0, signal: 0, program: "")
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(CrashRecord.unescaped)
            read(fields[0], Array(fields.dropFirst()))
        }
        if microseconds == 0 { return nil }
    }

    private mutating func read(_ name: String, _ values: [String]) {
        guard let first = values.first else { return }
        switch name {
        case "time": microseconds = Int64(first) ?? 0
        case "process": process = Int(first) ?? 0
        case "signal": signal = Int(first) ?? 0
        case "address": address = UInt64(first, radix: 16) ?? 0
        case "program": program = first
        case "frame": stack.append(first)
        case "statement":
            guard values.count >= 8, let hash = UInt64(values[4], radix: 16) else { return }
            statements.append(
                Statement(
                    session: Int(first) ?? 0, user: Int(values[1]) ?? 0, userName: values[2],
                    query: Int(values[3]) ?? 0, hash: hash, startMicroseconds: Int64(values[5]) ?? 0,
                    isBlamed: values[6] == "blamed", text: values[7]))
        default: break
        }
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func unescaped(_ text: Substring) -> String {
        var result = ""
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if !isEscaped, scalar == "\\" {
                isEscaped = true
                continue
            }
            switch (isEscaped, scalar) {
            case (true, "n"): result += "\n"
            case (true, "r"): result += "\r"
            case (true, "t"): result += "\t"
            default: result.unicodeScalars.append(scalar)
            }
            isEscaped = false
        }
        return result
    }
}
