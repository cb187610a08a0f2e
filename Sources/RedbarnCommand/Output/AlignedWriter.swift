import SQLTypes
import Warehouse

/// A box with columns of fitting widths. Rows are held back until there are enough to know the widths; the rest of a
/// long result is written as it comes. On a terminal the widest columns are cut so that the box fits; when there are
/// too many columns for that, rows are written one below the other.
final class AlignedWriter: ResultWriter {
    private let output: OutputSink
    private let display: DisplaySettings
    private var columns: [ResultColumn] = []
    private var widths: [Int] = []
    private var held = TextBuffer()
    private var heldEnds: [Int] = []
    private var heldNulls: [Bool] = []
    private var heldRows = 0
    private var hasStarted = false
    private var fallback: VerticalWriter?

    private static let heldRowLimit = 20_000
    private static let smallestWidth = 5

    init(_ output: OutputSink, _ display: DisplaySettings) {
        self.output = output
        self.display = display
    }

    func begin(_ columns: [ResultColumn]) {
        self.columns = columns
        widths = columns.map { Terminal.displayWidth($0.name) }
    }

    func row(_ row: RowText) throws {
        if hasStarted { return try write(row) }
        for column in 0..<row.count {
            let isNull = row.isNull(column)
            if !isNull { held.append(row.bytes(column)) }
            heldEnds.append(held.count)
            heldNulls.append(isNull)
            let width = isNull ? Terminal.displayWidth(display.nullText) : cellWidth(row.bytes(column))
            widths[column] = max(widths[column], width)
        }
        heldRows += 1
        if heldRows >= AlignedWriter.heldRowLimit { try start() }
    }

    func end(rowCount: Int) throws {
        if !hasStarted { try start() }
        if let fallback { return try fallback.end(rowCount: rowCount) }
        if columns.isEmpty { return output.line("(\(rowCount) row\(rowCount == 1 ? "" : "s"))") }
        output.line(rule(.bottom))
        if display.showFooter && !display.tuplesOnly { output.line("(\(rowCount) row\(rowCount == 1 ? "" : "s"))") }
    }

    // MARK: Widths

    private func start() throws {
        hasStarted = true
        if !fit() {
            let vertical = VerticalWriter(output, display)
            vertical.begin(columns)
            fallback = vertical
        } else if !columns.isEmpty {
            output.line(rule(.top))
            if !display.tuplesOnly {
                writeHeader()
                output.line(rule(.middle))
            }
        }
        try writeHeld()
    }

    /// Makes the box as narrow as the terminal. False when that is impossible.
    private func fit() -> Bool {
        guard let room = display.columns ?? output.terminalWidth, !columns.isEmpty else { return true }
        var excess = widths.reduce(0) { $0 + $1 + 3 } + 1 - room
        if excess <= 0 { return true }
        if display.expanded == .auto { return false }
        let smallest = widths.map { min($0, AlignedWriter.smallestWidth) }
        if zip(widths, smallest).reduce(0, { $0 + $1.0 - $1.1 }) < excess { return false }
        while excess > 0 {
            guard let widest = widths.max(), let index = widths.lastIndex(of: widest) else { return false }
            // Down to the next narrower column at once, as long as that is wanted.
            let next = widths.filter { $0 < widest }.max() ?? 0
            let floor = max(next, smallest[index])
            let cut = max(1, min(excess, widest - floor))
            widths[index] -= cut
            excess -= cut
        }
        return true
    }

    // MARK: Lines

    private enum Rule { case top, middle, bottom }

    private func rule(_ rule: Rule) -> String {
        let unicode = display.lineStyle == .unicode
        let bar = unicode ? "─" : "-"
        let corners: (String, String, String)
        switch rule {
        case .top: corners = ("┌", "┬", "┐")
        case .middle: corners = ("├", "┼", "┤")
        case .bottom: corners = ("└", "┴", "┘")
        }
        let inner = widths.map { String(repeating: bar, count: $0 + 2) }
        if !unicode { return "+" + inner.joined(separator: "+") + "+" }
        return corners.0 + inner.joined(separator: corners.1) + corners.2
    }

    private var separator: String { display.lineStyle == .unicode ? "│" : "|" }

    private func writeHeader() {
        for (column, width) in zip(columns, widths) {
            output.write("\(separator) ")
            var name = column.name
            name.withUTF8 { appendCell($0, width, right: column.type.isRightAligned) }
            output.write(" ")
        }
        output.line(separator)
    }

    private func writeHeld() throws {
        for index in 0..<heldRows {
            if let fallback {
                try fallback.row(heldText(index))
                continue
            }
            for column in columns.indices {
                let cell = index * columns.count + column
                let start = cell == 0 ? 0 : heldEnds[cell - 1]
                let bytes = UnsafeBufferPointer(start: held.base + start, count: heldEnds[cell] - start)
                writeCell(bytes, isNull: heldNulls[cell], column)
            }
            if !columns.isEmpty { output.line(separator) }
            try output.flushIfFull()
        }
        held.removeAll()
        heldEnds = []
        heldNulls = []
    }

    private func heldText(_ index: Int) -> RowText {
        let text = RowText(columns: columns, zone: .utc)
        text.fill(
            columns.indices.map { column in
                let cell = index * columns.count + column
                let start = cell == 0 ? 0 : heldEnds[cell - 1]
                if heldNulls[cell] { return nil }
                return String(
                    decoding: UnsafeBufferPointer(start: held.base + start, count: heldEnds[cell] - start),
                    as: UTF8.self)
            })
        return text
    }

    private func write(_ row: RowText) throws {
        if let fallback { return try fallback.row(row) }
        for column in 0..<row.count { writeCell(row.bytes(column), isNull: row.isNull(column), column) }
        if row.count > 0 { output.line(separator) }
        try output.flushIfFull()
    }

    private func writeCell(_ bytes: UnsafeBufferPointer<UInt8>, isNull: Bool, _ column: Int) {
        output.write("\(separator) ")
        let right = columns[column].type.isRightAligned
        if isNull {
            var null = display.nullText
            null.withUTF8 { appendCell($0, widths[column], right: right) }
        } else {
            appendCell(bytes, widths[column], right: right)
        }
        output.write(" ")
    }

    /// Control characters would break the box: they are shown as escapes.
    private func cellWidth(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        hasControl(bytes) ? Terminal.displayWidth(visible(bytes)) : Terminal.displayWidth(bytes)
    }
    private func hasControl(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool { bytes.contains { $0 < 0x20 || $0 == 0x7F } }
    private func visible(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: text += "\\x" + String(scalar.value, radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private func appendCell(_ bytes: UnsafeBufferPointer<UInt8>, _ width: Int, right: Bool) {
        let used = cellWidth(bytes)
        if used > width { return output.write(shortened(bytes, to: width)) }
        if right { output.text.append(repeating: 0x20, width - used) }
        if hasControl(bytes) { output.write(visible(bytes)) } else { output.text.append(bytes) }
        if !right { output.text.append(repeating: 0x20, width - used) }
    }

    private func shortened(_ bytes: UnsafeBufferPointer<UInt8>, to width: Int) -> String {
        let text = hasControl(bytes) ? visible(bytes) : String(decoding: bytes, as: UTF8.self)
        // Rows that came after the widths were fixed are never cut in a file.
        guard display.columns != nil || output.terminalWidth != nil else { return text }
        var result = ""
        var used = 0
        for scalar in text.unicodeScalars {
            let next = Terminal.displayWidth(scalar)
            if used + next > width - 1 { break }
            result.unicodeScalars.append(scalar)
            used += next
        }
        return result + (display.lineStyle == .unicode ? "…" : "~")
            + String(repeating: " ", count: max(0, width - 1 - used))
    }
}
