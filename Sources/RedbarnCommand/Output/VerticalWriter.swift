import SQLTypes
import Warehouse

/// One line a column, a heading for every row: for wide rows.
final class VerticalWriter: ResultWriter {
    private let output: OutputSink
    private let display: DisplaySettings
    private var names: [String] = []
    private var rowNumber = 0

    init(_ output: OutputSink, _ display: DisplaySettings) {
        self.output = output
        self.display = display
    }

    func begin(_ columns: [ResultColumn]) {
        let width = columns.map { Terminal.displayWidth($0.name) }.max() ?? 0
        names = columns.map { $0.name + String(repeating: " ", count: width - Terminal.displayWidth($0.name)) }
    }

    func row(_ row: RowText) throws {
        rowNumber += 1
        let bar = display.lineStyle == .unicode ? "─" : "-"
        let heading = "\(bar)[ RECORD \(rowNumber) ]"
        output.line(heading + String(repeating: bar, count: max(0, 40 - Terminal.displayWidth(heading))))
        let separator = display.lineStyle == .unicode ? "│" : "|"
        for column in 0..<row.count {
            output.write("\(names[column]) \(separator) ")
            if row.isNull(column) { output.write(display.nullText) } else { output.text.append(row.bytes(column)) }
            output.write("\n")
        }
        try output.flushIfFull()
    }

    func end(rowCount: Int) throws {
        if rowCount == 0 && !display.tuplesOnly { output.line("(0 rows)") }
    }
}
