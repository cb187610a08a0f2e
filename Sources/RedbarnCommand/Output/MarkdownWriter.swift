import SQLTypes
import Warehouse

/// A table in the form that Markdown readers know.
final class MarkdownWriter: ResultWriter {
    private let output: OutputSink
    private let display: DisplaySettings

    init(_ output: OutputSink, _ display: DisplaySettings) {
        self.output = output
        self.display = display
    }

    func begin(_ columns: [ResultColumn]) {
        output.write("|")
        for column in columns { output.write(" \(escaped(column.name)) |") }
        output.write("\n|")
        for column in columns { output.write(column.type.isRightAligned ? "---:|" : "---|") }
        output.write("\n")
    }

    func row(_ row: RowText) throws {
        output.write("|")
        for column in 0..<row.count {
            output.write(" \(row.isNull(column) ? display.nullText : escaped(row.string(column))) |")
        }
        output.write("\n")
        try output.flushIfFull()
    }

    func end(rowCount: Int) throws {}

    private func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 10 || $0 == UInt8(ascii: "|") || $0 == UInt8(ascii: "\\") }) else {
            return text
        }
        var result = ""
        for character in text {
            switch character {
            case "|": result += "\\|"
            case "\\": result += "\\\\"
            case "\n", "\r\n": result += "<br>"
            default: result.append(character)
            }
        }
        return result
    }
}
