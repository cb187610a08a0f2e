import Glibc

/// FIXEDWIDTH records: a line each, widths in characters.
extension TextSplitter {
    func splitFixedWidth(_ chunk: ChunkBuffer, _ fields: [CopyOptions.FixedField]) {
        table.beginList()
        var start = cursor
        while start < chunk.count && !table.isFull {
            var end = chunk.count
            if let found = memchr(chunk.text + start, 10, chunk.count - start) {
                end = UnsafeMutablePointer(found.assumingMemoryBound(to: UInt8.self)) - chunk.text + 1
            }
            splitFixedRecord(chunk, start, end, fields)
            start = end
        }
        moveCursor(chunk, to: start)
    }

    private func splitFixedRecord(
        _ chunk: ChunkBuffer, _ start: Int, _ end: Int, _ fields: [CopyOptions.FixedField]
    ) {
        let text = chunk.text
        var contentEnd = end - 1
        if contentEnd > start && text[contentEnd - 1] == 13 { contentEnd -= 1 }
        if skipsBlank(start, contentEnd, end) { return }
        let row = table.nextRow
        var from = start
        var count = 0
        for field in fields.prefix(table.fieldCount) {
            if from >= contentEnd && count > 0 { break }
            var to = from
            for _ in 0..<field.width where to < contentEnd {
                to += 1
                while to < contentEnd && text[to] & 0xC0 == 0x80 { to += 1 }
            }
            row[2 * count] = UInt32(truncatingIfNeeded: from)
            row[2 * count + 1] = UInt32(truncatingIfNeeded: to)
            count += 1
            from = to
        }
        if count == table.fieldCount && from < contentEnd && !isBlank(text, from, contentEnd) {
            return fail(start, end, .extraColumns)
        }
        if count < table.fieldCount && !options.fillRecord && start < contentEnd {
            return fail(start, end, .shortLine)
        }
        finishRecord(chunk, row, start, end, fields: start == contentEnd ? 0 : count)
    }

    private func isBlank(_ text: UnsafePointer<UInt8>, _ from: Int, _ to: Int) -> Bool {
        (from..<to).allSatisfy { text[$0] == 0x20 }
    }
}
