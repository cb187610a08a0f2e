import SQLTypes

/// Writes levels, indexes and truth values as Parquet's RLE: runs of one value, groups of eight bit-packed ones
/// between.
enum RunEncoder {
    /// Bits of indexes below a count, at least one.
    static func width(below count: Int) -> Int { Int.bitWidth - max(count - 1, 1).leadingZeroBitCount }

    /// Runs begin where a group of eight does; groups of eight different ones stay together until the next run.
    static func append(_ values: UnsafeBufferPointer<UInt32>, width: Int, to out: TextBuffer) {
        guard let base = values.baseAddress else { return }
        let count = values.count
        var literals = 0
        var index = 0
        while index &+ 8 <= count {
            let value = base[index]
            let group = UnsafeRawPointer(base + index).loadUnaligned(as: SIMD8<UInt32>.self)
            if group != SIMD8(repeating: value) {
                index &+= 8
                continue
            }
            var end = index &+ 8
            while end < count && base[end] == value { end &+= 1 }
            appendPacked(base + literals, index - literals, width, out)
            appendRun(value, end - index, width, out)
            literals = end
            index = end
        }
        appendPacked(base + literals, count - literals, width, out)
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
        // Whole words are written, the last one over the end.
        let target = UnsafeMutableRawPointer(out.room(bytes + 16))
        var word: UInt64 = 0
        var bits = 0
        var place = 0
        for index in 0..<count {
            let value = UInt64(values[index])
            word |= value &<< UInt64(truncatingIfNeeded: bits)
            bits = bits &+ width
            if bits >= 64 {
                target.storeBytes(of: word.littleEndian, toByteOffset: place, as: UInt64.self)
                place = place &+ 8
                bits = bits &- 64
                word = value &>> UInt64(truncatingIfNeeded: width &- bits)
            }
        }
        while place < bytes {
            target.storeBytes(of: word.littleEndian, toByteOffset: place, as: UInt64.self)
            place = place &+ 8
            word = 0
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
