import Workload

/// A fault as compilers print it: its place, the line, and a mark below.
struct FaultReport {
    private let fault: ConfigurationFault
    private let bytes: [UInt8]
    private let file: String
    /// Bytes of a long line before and behind the place.
    private static let context = 60

    init(_ fault: ConfigurationFault, of bytes: [UInt8], in file: String) {
        self.fault = fault
        self.bytes = bytes
        self.file = file
    }

    var text: String {
        var lines = ["\(file):\(fault.line):\(fault.column): \(fault.message)"]
        let (before, after) = line
        if !(before.isEmpty && after.isEmpty) {
            lines.append("  " + before + after)
            lines.append("  " + String(repeating: " ", count: before.count) + "^")
        }
        if let hint = fault.hint { lines.append("hint: \(hint)") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The line up to the place, and from there on; parts of a long one.
    private var line: (String, String) {
        let place = min(fault.offset, bytes.count)
        let start = bytes[..<place].lastIndex(of: 10).map { $0 + 1 } ?? 0
        let end = bytes[place...].firstIndex(of: 10) ?? bytes.count
        var from = max(start, place - FaultReport.context)
        var to = min(end, place + FaultReport.context)
        // Not within a character.
        while from > start, bytes[from] & 0xC0 == 0x80 { from -= 1 }
        while to < end, bytes[to] & 0xC0 == 0x80 { to += 1 }
        return (
            (from > start ? "..." : "") + shown(bytes[from..<place]),
            shown(bytes[place..<to]) + (to < end ? "..." : "")
        )
    }

    private func shown(_ part: ArraySlice<UInt8>) -> String {
        String(
            String.UnicodeScalarView(
                String(decoding: part, as: UTF8.self).unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : $0 }
            ))
    }
}
