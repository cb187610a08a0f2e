import SQLTypes

/// Errors as psql prints them: severity, the line with a caret, detail and hint.
enum ErrorReport {
    /// - Parameter place: where in a script the statement ends.
    static func text(_ error: SQLError, statement: String?, place: String? = nil, verbose: Bool = false) -> String {
        var lines = [(place.map { "redbarn:\($0): " } ?? "") + "ERROR:  "]
        if verbose { lines[0] += error.state.code + ": " }
        lines[0] += error.message
        if let statement, let position = error.position { lines += excerpt(statement, position) }
        if let detail = error.detail { lines.append("DETAIL:  \(detail)") }
        if let hint = error.hint { lines.append("HINT:  \(hint)") }
        if let context = error.context { lines.append("CONTEXT:  \(context)") }
        return lines.joined(separator: "\n")
    }

    private static let widest = 120

    /// The line of the position and a caret below it; a long line is cut around the place.
    static func excerpt(_ statement: String, _ position: Int) -> [String] {
        let scalars = Array(statement.unicodeScalars)
        let offset = min(max(position - 1, 0), scalars.count)
        let lineNumber = scalars[..<offset].reduce(1) { $0 + ($1 == "\n" ? 1 : 0) }
        let start = scalars[..<offset].lastIndex(of: "\n").map { $0 + 1 } ?? 0
        let end = scalars[offset...].firstIndex(of: "\n") ?? scalars.count
        var from = start, to = end
        if end - start > widest {
            from = max(start, offset - widest / 2)
            to = min(end, from + widest)
        }
        func string(_ range: Range<Int>) -> String {
            var text = String.UnicodeScalarView()
            for scalar in scalars[range] { text.append(scalar == "\t" ? " " : scalar) }
            return String(text)
        }
        let label = "LINE \(lineNumber): " + (from > start ? "..." : "")
        let indent = Terminal.displayWidth(label) + Terminal.displayWidth(string(from..<offset))
        return [
            label + string(from..<to) + (to < end ? "..." : ""),
            String(repeating: " ", count: indent) + "^",
        ]
    }
}
