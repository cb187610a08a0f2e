/// Unpacks values of `width` bits, least significant bit first, that begin at bit `firstBit` of the source. Reads up to
/// 9 bytes beyond the last value's first byte.
@inline(__always)
func unpackBits<Value: FixedWidthInteger & UnsignedInteger>(
    _ source: UnsafeRawPointer, firstBit: Int, width: Int, _ count: Int, _ out: UnsafeMutablePointer<Value>
) {
    if width == 0 {
        out.update(repeating: 0, count: count)
        return
    }
    if width == 8 && firstBit & 7 == 0 {
        let bytes = source.advanced(by: firstBit &>> 3).assumingMemoryBound(to: UInt8.self)
        for index in 0..<count { out[index] = Value(truncatingIfNeeded: bytes[index]) }
        return
    }
    let mask: UInt64 = width >= 64 ? ~0 : (1 &<< UInt64(truncatingIfNeeded: width)) &- 1
    var bit = firstBit
    if width <= 57 {
        for index in 0..<count {
            let word = source.loadUnaligned(fromByteOffset: bit &>> 3, as: UInt64.self)
            out[index] = Value(
                truncatingIfNeeded: (UInt64(littleEndian: word) &>> UInt64(truncatingIfNeeded: bit & 7)) & mask)
            bit = bit &+ width
        }
        return
    }
    for index in 0..<count {
        let word = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: bit &>> 3, as: UInt64.self))
        let next = UInt64(source.load(fromByteOffset: bit &>> 3 &+ 8, as: UInt8.self))
        let shift = UInt64(truncatingIfNeeded: bit & 7)
        let high = shift == 0 ? 0 : next &<< (64 &- shift)
        out[index] = Value(truncatingIfNeeded: (word &>> shift | high) & mask)
        bit = bit &+ width
    }
}

/// The largest of some values, 0 for none.
func largest(_ values: UnsafePointer<UInt32>, _ count: Int) -> UInt32 {
    var result: UInt32 = 0
    for index in 0..<count { result = max(result, values[index]) }
    return result
}
