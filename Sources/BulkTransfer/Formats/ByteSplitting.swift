/// Records read byte by byte: ESCAPE, REMOVEQUOTES, and CSV whose quotes are not where they should be.
extension TextSplitter {
    private static let rowsAtOnce = 1024

    func splitByBytes(_ chunk: ChunkBuffer) {
        table.beginList()
        var start = cursor
        var count = 0
        while start < chunk.count && !table.isFull && count < TextSplitter.rowsAtOnce {
            if case .csv(let quote) = options.layout {
                start = splitCSVRecord(chunk, start, quote)
            } else {
                start = splitEscapedRecord(chunk, start)
            }
            count += 1
        }
        moveCursor(chunk, to: start)
    }

    private func splitCSVRecord(_ chunk: ChunkBuffer, _ start: Int, _ quote: UInt8) -> Int {
        let text = chunk.text
        guard let end = CSVRecord.end(text, start, chunk.count, quote, options.delimiter) else {
            fail(start, chunk.count, .quoteFormat)
            return chunk.count
        }
        var contentEnd = end - 1
        if contentEnd > start && text[contentEnd - 1] == 13 { contentEnd -= 1 }
        if skipsBlank(start, contentEnd, end) { return end }
        let row = table.nextRow
        var from = start
        var fields = 0
        while true {
            var to = from
            if to < contentEnd && text[to] == quote {
                to = (CSVRecord.closingQuote(text, from + 1, contentEnd, quote) ?? contentEnd - 1) + 1
            }
            while to < contentEnd && text[to] != options.delimiter { to += 1 }
            if fields < table.fieldCount {
                guard setQuotedField(chunk, row + 2 * fields, from, to, quote) else {
                    fail(start, end, .quoteFormat)
                    return end
                }
            }
            // A delimiter at the line's end opens no further field.
            if !(fields == table.fieldCount && from == contentEnd) { fields += 1 }
            if to >= contentEnd { break }
            from = to + 1
        }
        finishRecord(chunk, row, start, end, fields: fields)
        return end
    }

    /// A delimited record with ESCAPE, REMOVEQUOTES or both.
    private func splitEscapedRecord(_ chunk: ChunkBuffer, _ start: Int) -> Int {
        let text = chunk.text
        let end = recordEnd(chunk, start)
        var contentEnd = end - 1
        if contentEnd > start && text[contentEnd - 1] == 13 && !isEscaped(text, start, contentEnd - 1) {
            contentEnd -= 1
        }
        if skipsBlank(start, contentEnd, end) { return end }
        let row = table.nextRow
        var from = start
        var fields = 0
        while true {
            guard let field = escapedField(text, from, contentEnd) else {
                fail(start, end, .missingQuote)
                return end
            }
            if fields < table.fieldCount { setEscapedField(chunk, row + 2 * fields, field) }
            if !(fields == table.fieldCount && from == contentEnd) { fields += 1 }
            if field.next > contentEnd { break }
            from = field.next
        }
        finishRecord(chunk, row, start, end, fields: fields)
        return end
    }

    /// A backslash that is not itself escaped stands before the byte.
    private func isEscaped(_ text: UnsafePointer<UInt8>, _ start: Int, _ index: Int) -> Bool {
        guard options.escape else { return false }
        var first = index
        while first > start && text[first - 1] == 0x5C { first -= 1 }
        return (index - first) % 2 == 1
    }

    private func recordEnd(_ chunk: ChunkBuffer, _ start: Int) -> Int {
        var index = start
        while index < chunk.count {
            let byte = chunk.text[index]
            if byte == 10 { return index + 1 }
            index += byte == 0x5C && options.escape ? 2 : 1
        }
        return chunk.count
    }

    private struct EscapedField {
        var start: Int
        var end: Int
        /// Where the next field starts; beyond the content's end after the last one.
        var next: Int
        var hasEscapes: Bool
    }

    /// nil when a quoted field has no closing quote.
    private func escapedField(_ text: UnsafePointer<UInt8>, _ from: Int, _ limit: Int) -> EscapedField? {
        var field = EscapedField(start: from, end: from, next: 0, hasEscapes: false)
        var index = from
        var quote: UInt8 = 0
        if options.removeQuotes && from < limit && (text[from] == 0x22 || text[from] == 0x27) {
            quote = text[from]
            index += 1
            field.start = index
        }
        while index < limit {
            let byte = text[index]
            if byte == 0x5C && options.escape && index + 1 < limit {
                field.hasEscapes = true
                index += 2
                continue
            }
            if quote == 0 && byte == options.delimiter { break }
            if quote != 0 && byte == quote && (index + 1 == limit || text[index + 1] == options.delimiter) {
                field.end = index
                field.next = index + 2
                return field
            }
            index += 1
        }
        if quote != 0 { return nil }
        field.end = index
        field.next = index + 1
        return field
    }

    private func setEscapedField(
        _ chunk: ChunkBuffer, _ slot: UnsafeMutablePointer<UInt32>, _ field: EscapedField
    ) {
        let text = chunk.text
        slot[0] = UInt32(truncatingIfNeeded: field.start)
        slot[1] = UInt32(truncatingIfNeeded: field.end)
        // The NULL marker is compared before its backslash is taken away.
        if !field.hasEscapes || isNullMarker(text + field.start, field.end - field.start) { return }
        let side = SideWriter(chunk)
        var index = field.start
        while index < field.end {
            if text[index] == 0x5C && index + 1 < field.end { index += 1 }
            side.append(text[index])
            index += 1
        }
        side.finish(slot)
    }

    private func isNullMarker(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        count == options.nullAs.count && (0..<count).allSatisfy { bytes[$0] == options.nullAs[$0] }
    }
}
