import SQLTypes
import Warehouse

/// Writes one result in one format. Rows come one by one; a writer may hold them back until it knows the widths.
protocol ResultWriter: AnyObject {
    func begin(_ columns: [ResultColumn])
    func row(_ row: RowText) throws
    func end(rowCount: Int) throws
}

extension ResultFormat {
    func makeWriter(_ display: DisplaySettings, _ output: OutputSink) -> any ResultWriter {
        switch self {
        case .csv: DelimitedWriter(output, display, delimiter: UInt8(ascii: ","), style: .csv)
        case .tsv: DelimitedWriter(output, display, delimiter: 9, style: .tsv)
        case .json: JSONWriter(output)
        case .markdown: MarkdownWriter(output, display)
        case .vertical: VerticalWriter(output, display)
        case .aligned: display.expanded == .on ? VerticalWriter(output, display) : AlignedWriter(output, display)
        }
    }
}

extension SQLType {
    /// Shown at the right edge of a column.
    var isRightAligned: Bool { isNumeric }
}
