import Glibc
import Platform
import SQLTypes

/// Log lines of `key=value` pairs. Texts of statements and passwords never come here.
package struct ServerLog: Sendable {
    private let write: @Sendable (String) -> Void
    private var time: any TimeSource

    /// - Parameter write: takes one line without its end, from any thread.
    package init(_ time: any TimeSource = SystemTime(), _ write: @escaping @Sendable (String) -> Void) {
        self.time = time
        self.write = write
    }

    /// The same with another time.
    func telling(_ time: any TimeSource) -> ServerLog { ServerLog(time, write) }

    package static let standardError = ServerLog { line in
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
    }

    package func info(_ event: String, _ fields: [(String, String)] = []) {
        log("info", event, fields)
    }
    package func warning(_ event: String, _ fields: [(String, String)] = []) {
        log("warning", event, fields)
    }

    private func log(_ level: String, _ event: String, _ fields: [(String, String)]) {
        let buffer = TextBuffer()
        TimestampText.append(time.wallMicroseconds(), to: buffer)
        var line = "time=\"\(buffer.string)\" level=\(level) event=\(event)"
        for (key, value) in fields { line += " \(key)=\(ServerLog.quoted(value))" }
        write(line)
    }

    /// Values from clients cannot break out of their line.
    private static func quoted(_ value: String) -> String {
        let plain = value.utf8.allSatisfy {
            $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        if plain && !value.isEmpty { return value }
        var result = "\""
        for scalar in value.unicodeScalars.prefix(200) {
            switch scalar {
            case "\"", "\\": result += "\\" + String(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: result += "?"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
