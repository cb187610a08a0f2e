import SQLTypes

/// Writes levels, indexes and truth values as Parquet's RLE: runs of one value, groups of eight bit-packed ones
/// between.
enum RunEncoder {
    /// Bits of indexes below a count, at least one.
    static func width(below count: Int) -> Int { Int.bitWidth - max(count - 1, 1).leadingZeroBitCount }

    static func append(_ values: UnsafeBufferPointer<UInt32>, width: Int, to out: TextBuffer) {
        guard let base = values.baseAddress else { return }
        var literals = 0
        var index = 0
        while index < values.count {
            let value = base[index]
            var end = index + 1
            while end < values.count && base[end] == value { end += 1 }
            // Groups before a run are whole.
            let filling = (8 - (index - literals) & 7) & 7
            if end - index - filling >= 8 {
                appendPacked(base + literals, index + filling - literals, width, out)
                appendRun(value, end - index - filling, width, out)
                literals = end
            }
            index = end
        }
        appendPacked(base + literals, values.count - literals, width, out)
    }

    static func appendRun(_ value: UInt32, _ count: Int, _ width: Int, _ out: TextBuffer) {
        varint(UInt64(count) << 1, out)
        for index in 0..<(width + 7) / 8 { out.append(UInt8(truncatingIfNeeded: value >> UInt32(8 * index))) }
    }

    private static func appendPacked(_ values: UnsafePointer<UInt32>, _ count: Int, _ width: Int, _ out: TextBuffer) {
        if count == 0 { return }
        varint(UInt64((count + 7) / 8) << 1 | 1, out)
        packBits(values, count, width, padTo: (count + 7) / 8 * width, out)
    }

    /// Values of `width` bits, least significant bit first, in so many bytes.
    static func packBits(
        _ values: UnsafePointer<UInt32>, _ count: Int, _ width: Int, padTo bytes: Int, _ out: TextBuffer
    ) {
        let target = out.room(bytes + 8)
        var word: UInt64 = 0
        var bits = 0
        var place = 0
        for index in 0..<count {
            word |= UInt64(values[index]) &<< UInt64(truncatingIfNeeded: bits)
            bits = bits &+ width
            while bits >= 8 {
                target[place] = UInt8(truncatingIfNeeded: word)
                place = place &+ 1
                word = word &>> 8
                bits = bits &- 8
            }
        }
        while place < bytes {
            target[place] = UInt8(truncatingIfNeeded: word)
            place += 1
            word = word &>> 8
        }
        out.advance(bytes)
    }

    private static func varint(_ value: UInt64, _ out: TextBuffer) {
        var rest = value
        while rest >= 0x80 {
            out.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        out.append(UInt8(truncatingIfNeeded: rest))
    }
}
