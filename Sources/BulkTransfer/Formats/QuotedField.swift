import Glibc

@inline(__always)
func memchrFound(_ text: UnsafePointer<UInt8>, _ byte: UInt8, _ count: Int) -> Bool {
    count > 0 && memchr(text, Int32(byte), count) != nil
}

extension TextSplitter {
    /// Takes the quotes off a CSV field; a field with doubled quotes is rewritten in the side area.
    func setQuotedField(
        _ chunk: ChunkBuffer, _ slot: UnsafeMutablePointer<UInt32>, _ start: Int, _ end: Int, _ quote: UInt8
    ) -> Bool {
        let text = chunk.text
        guard start < end && text[start] == quote else {
            if memchrFound(text + start, quote, end - start) { return false }
            slot[0] = UInt32(truncatingIfNeeded: start)
            slot[1] = UInt32(truncatingIfNeeded: end)
            return true
        }
        guard CSVRecord.closingQuote(text, start + 1, end, quote) == end - 1 else { return false }
        let first = start + 1
        let last = end - 1
        if !memchrFound(text + first, quote, last - first) {
            slot[0] = UInt32(truncatingIfNeeded: first)
            slot[1] = UInt32(truncatingIfNeeded: last)
            return true
        }
        let side = SideWriter(chunk)
        var index = first
        while index < last {
            side.append(text[index])
            index += text[index] == quote ? 2 : 1
        }
        side.finish(slot)
        return true
    }
}

/// Writes one field to a chunk's side area, which is as large as the text: fields only get shorter.
struct SideWriter {
    private let chunk: ChunkBuffer
    private let start: Int

    init(_ chunk: ChunkBuffer) {
        self.chunk = chunk
        start = chunk.sideStart + chunk.sideCount
    }

    @inline(__always)
    func append(_ byte: UInt8) {
        chunk.text[chunk.sideStart + chunk.sideCount] = byte
        chunk.sideCount += 1
    }

    func finish(_ slot: UnsafeMutablePointer<UInt32>) {
        slot[0] = UInt32(truncatingIfNeeded: start)
        slot[1] = UInt32(truncatingIfNeeded: chunk.sideStart + chunk.sideCount)
    }
}
