import ColumnVectors
import SQLTypes
import Warehouse

/// Takes a statement's result and prints it in the chosen format.
final class ResultPrinter: ResultHandler {
    private let output: OutputSink
    private let display: DisplaySettings
    private let zone: ZoneRules
    private let intervals: IntervalStyle
    private let progressLine: ProgressLine?
    /// Command tags of statements without rows are news on a terminal and noise in a pipe of data.
    private let showsTags: Bool
    private var writer: (any ResultWriter)?
    private var row: RowText?
    private(set) var rowCount = 0

    init(
        output: OutputSink, display: DisplaySettings, zone: ZoneRules, intervals: IntervalStyle = .postgres,
        showsTags: Bool, progressLine: ProgressLine?
    ) {
        self.output = output
        self.display = display
        self.zone = zone
        self.intervals = intervals
        self.showsTags = showsTags
        self.progressLine = progressLine
    }

    func begin(columns: [ResultColumn]) throws {
        progressLine?.clear()
        rowCount = 0
        let writer = display.format.makeWriter(display, output)
        writer.begin(columns)
        self.writer = writer
        row = RowText(columns: columns, zone: zone, intervals: intervals)
    }

    func rows(_ batch: ColumnBatch) throws {
        progressLine?.clear()
        guard let writer, let row else { return }
        for index in 0..<batch.rowCount {
            row.fill(batch, row: index)
            try writer.row(row)
        }
        rowCount += batch.rowCount
    }

    /// A row whose values are text already.
    func row(_ values: [String?]) throws {
        progressLine?.clear()
        guard let writer, let row else { return }
        row.fill(values)
        try writer.row(row)
        rowCount += 1
    }

    func end(tag: String) throws {
        progressLine?.clear()
        if let writer {
            try writer.end(rowCount: rowCount)
        } else if showsTags {
            output.line(tag)
        }
        writer = nil
        try output.flush()
    }

    func notice(_ message: String) {
        progressLine?.clear()
        StandardError.line(
            message.contains(":") && message.first?.isUppercase == true ? message : "NOTICE:  \(message)")
    }

    func progress(_ fraction: Double?, _ activity: String) { progressLine?.show(fraction, activity) }
}

extension OutputSink {
    /// Prints a table that the shell made itself.
    func table(_ names: [String], _ rows: [[String?]], _ display: DisplaySettings, numbers: Set<Int> = []) throws {
        let columns = names.enumerated().map {
            ResultColumn(name: $0.element, type: numbers.contains($0.offset) ? .bigint : .varchar(256))
        }
        let writer = display.format.makeWriter(display, self)
        writer.begin(columns)
        let text = RowText(columns: columns, zone: .utc)
        for row in rows {
            text.fill(row)
            try writer.row(text)
        }
        try writer.end(rowCount: rows.count)
        try flush()
    }
}
