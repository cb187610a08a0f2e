import ColumnVectors

/// A record that could not be split.
struct RecordFailure {
    var start: Int
    var end: Int
    var failure: FieldFailure
}

/// Cuts a chunk into records and fields, some rows at a time. One per worker.
final class TextSplitter {
    let options: CopyOptions
    let table: FieldTable
    /// Bad records of the last ``next(_:)``.
    private(set) var failures: [RecordFailure] = []
    /// Line ends of the chunk before the rows of the last ``next(_:)``, and where those begin.
    private(set) var linesBefore = 0
    private(set) var windowStart = 0
    /// The first byte that is not split yet.
    private(set) var cursor = 0
    /// Good and bad records of the chunk so far.
    private(set) var records = 0
    private let windowBytes: Int
    private let quote: UInt8?
    /// The chunk has to be read byte by byte.
    private var scalar = false

    /// - Parameter windowBytes: text that is looked at in one go; small enough to stay in the cache with its positions.
    init(fieldCount: Int, options: CopyOptions, windowBytes: Int) {
        self.options = options
        self.windowBytes = max(windowBytes, 1)
        table = FieldTable(fieldCount: fieldCount)
        if case .csv(let quote) = options.layout { self.quote = quote } else { quote = nil }
    }

    /// Starts with another chunk.
    func begin(_ chunk: ChunkBuffer) {
        // Without a backslash ESCAPE changes nothing.
        scalar = options.removeQuotes || (options.escape && memchrFound(chunk.text, 0x5C, chunk.count))
        cursor = 0
        windowStart = 0
        linesBefore = 0
        records = 0
        nextLines = 0
    }

    /// Line ends of the chunk before ``cursor``.
    private(set) var nextLines = 0

    /// Splits more records; false at the end of the chunk. There may be failures and no rows.
    func next(_ chunk: ChunkBuffer) -> Bool {
        failures.removeAll(keepingCapacity: true)
        linesBefore = nextLines
        windowStart = cursor
        guard cursor < chunk.count else { return false }
        if case .fixedWidth(let fields) = options.layout {
            splitFixedWidth(chunk, fields)
        } else if scalar {
            splitByBytes(chunk)
        } else {
            splitBySeparators(chunk)
        }
        return true
    }

    // MARK: Separators found by SIMD

    private func splitBySeparators(_ chunk: ChunkBuffer) {
        var bytes = windowBytes
        while true {
            let end = min(cursor + bytes, chunk.count)
            table.reservePositions(end - cursor)
            let found =
                quote.map {
                    indexQuotedSeparators(chunk.text, cursor, end, options.delimiter, $0, table.positions)
                } ?? indexSeparators(chunk.text, cursor, end, options.delimiter, table.positions)
            if found.isIrregular || (found.records == 0 && end == chunk.count) { return splitByBytes(chunk) }
            if found.records > 0 { return useSeparators(chunk, found) }
            bytes *= 2
        }
    }

    private func useSeparators(_ chunk: ChunkBuffer, _ found: SeparatorCount) {
        let positions = table.positions
        (positions - 1).pointee = UInt32(truncatingIfNeeded: cursor &- 1)
        var used = found.separators
        while used > 0 && chunk.text[Int(positions[used - 1])] != 10 { used -= 1 }
        let width = table.fieldCount
        for perRow in [width, width + 1] where used == found.records * perRow && !hasQuotes(chunk, used) {
            guard
                isRegular(
                    chunk.text, positions, rows: found.records, perRow: perRow, trailing: perRow > width)
            else { continue }
            if perRow == 1 && options.ignoreBlankLines { continue }
            let rows = min(found.records, FieldTable.maximumRows)
            table.setRegular(rows: rows, separatorsPerRow: perRow)
            records += rows
            nextLines += rows
            cursor = Int(positions[rows * perRow - 1]) + 1
            return
        }
        listSeparators(chunk, used)
    }

    /// Whether quotes have to be taken off.
    private func hasQuotes(_ chunk: ChunkBuffer, _ used: Int) -> Bool {
        guard let quote else { return false }
        let start = cursor
        return memchrFound(chunk.text + start, quote, Int(table.positions[used - 1]) - start)
    }

    private func advance(_ chunk: ChunkBuffer, to end: Int) {
        nextLines += countNewlines(chunk.text, cursor, end)
        cursor = end
    }

    /// Goes through the records one by one: wrong numbers of fields, carriage returns, quotes, blank lines.
    private func listSeparators(_ chunk: ChunkBuffer, _ used: Int) {
        table.beginList()
        let positions = table.positions
        var index = 0
        var start = cursor
        while index < used && !table.isFull {
            let first = index
            while chunk.text[Int(positions[index])] != 10 { index += 1 }
            index += 1
            let end = Int(positions[index - 1]) + 1
            listRecord(chunk, start, end, first, index)
            start = end
        }
        advance(chunk, to: start)
    }

    private func listRecord(_ chunk: ChunkBuffer, _ start: Int, _ end: Int, _ first: Int, _ last: Int) {
        let text = chunk.text
        var contentEnd = end - 1
        if contentEnd > start && text[contentEnd - 1] == 13 { contentEnd -= 1 }
        if skipsBlank(start, contentEnd, end) { return }
        let width = table.fieldCount
        let row = table.nextRow
        var from = start
        let count = last - first
        for field in 0..<min(count, width) {
            let to = field == count - 1 ? contentEnd : Int(table.positions[first + field])
            guard setField(chunk, row + 2 * field, from, to) else { return fail(start, end, .quoteFormat) }
            from = Int(table.positions[first + field]) + 1
        }
        let extra = count == width + 1 && from == contentEnd
        finishRecord(chunk, row, start, end, fields: extra ? width : count)
    }

    /// Checks the number of fields and keeps the row.
    func finishRecord(
        _ chunk: ChunkBuffer, _ row: UnsafeMutablePointer<UInt32>, _ start: Int, _ end: Int, fields: Int
    ) {
        let width = table.fieldCount
        if fields > width { return fail(start, end, .extraColumns) }
        if fields < width {
            let isEmpty = fields <= 1 && (end - start <= 1 || (end - start == 2 && chunk.text[start] == 13))
            if !options.fillRecord { return fail(start, end, isEmpty ? .emptyLine : .delimiterNotFound) }
            for slot in 2 * fields..<2 * width { row[slot] = UInt32(truncatingIfNeeded: end - 1) }
        }
        table.commitRow(start, end)
        records += 1
    }

    func fail(_ start: Int, _ end: Int, _ failure: FieldFailure) {
        failures.append(RecordFailure(start: start, end: end, failure: failure))
        records += 1
    }

    /// IGNOREBLANKLINES leaves out lines without anything.
    func skipsBlank(_ start: Int, _ contentEnd: Int, _ end: Int) -> Bool {
        options.ignoreBlankLines && start == contentEnd
    }

    /// Sets the bounds of a field, for CSV without its quotes. False when the quotes make no sense.
    private func setField(
        _ chunk: ChunkBuffer, _ slot: UnsafeMutablePointer<UInt32>, _ start: Int, _ end: Int
    ) -> Bool {
        guard let quote else {
            slot[0] = UInt32(truncatingIfNeeded: start)
            slot[1] = UInt32(truncatingIfNeeded: end)
            return true
        }
        return setQuotedField(chunk, slot, start, end, quote)
    }

    func moveCursor(_ chunk: ChunkBuffer, to end: Int) { advance(chunk, to: end) }
}
