import SQLTypes

/// Form integer: value = base + code, codes of 0, 1, 2, 4 or 8 bytes. Also used for dictionary codes.
enum IntegerEncoding {
    /// Encodes in place of NULL rows' undefined values: they get the least value, so that they decode inside the
    /// bounds.
    ///
    /// - Returns: the raw form at `raw`, which has room for `count * 8` bytes and the bitmap.
    static func encode<Value: FixedWidthInteger>(
        _ values: UnsafeMutablePointer<Value>, validity: UnsafePointer<UInt8>?, count: Int, nullCount: Int,
        into raw: UnsafeMutableRawPointer
    ) -> BlockDescriptor {
        var block = BlockDescriptor()
        block.rowCount = count
        block.nullCount = nullCount
        if nullCount == count { return block }
        let (low, high) = bounds(values, nullCount > 0 ? validity : nil, count)
        if nullCount > 0, let validity { fillNulls(values, validity, count, Value(truncatingIfNeeded: low)) }
        block.minimum = low
        block.maximum = high
        (block.base, block.width) = choose(low, high)
        let base = Value(truncatingIfNeeded: block.base)
        switch block.width {
        case 1: narrow(values, count, base, raw.assumingMemoryBound(to: UInt8.self))
        case 2: narrow(values, count, base, raw.assumingMemoryBound(to: UInt16.self))
        case 4: narrow(values, count, base, raw.assumingMemoryBound(to: UInt32.self))
        case 8: narrow(values, count, base, raw.assumingMemoryBound(to: Int64.self))
        default: break
        }
        if nullCount > 0, let validity {
            packBits(validity, count, (raw + count * block.width).assumingMemoryBound(to: UInt8.self))
        }
        return block
    }

    /// Base 0 wherever that does not widen the code: it spares the engine an addition.
    static func choose(_ low: Int64, _ high: Int64) -> (base: Int64, width: Int) {
        if low == high { return (low, 0) }
        let (range, overflow) = high.subtractingReportingOverflow(low)
        if overflow || range > 0xFFFF_FFFF { return (0, 8) }
        let width = bytes(range)
        return low >= 0 && bytes(high) == width ? (0, width) : (low, width)
    }

    private static func bytes(_ range: Int64) -> Int {
        range <= 0xFF ? 1 : range <= 0xFFFF ? 2 : range <= 0xFFFF_FFFF ? 4 : 8
    }

    @inline(__always)
    private static func bounds<Value: FixedWidthInteger>(
        _ values: UnsafeMutablePointer<Value>, _ validity: UnsafePointer<UInt8>?, _ count: Int
    ) -> (Int64, Int64) {
        var low = Value.max
        var high = Value.min
        if let validity {
            for row in 0..<count where validity[row] != 0 {
                low = min(low, values[row])
                high = max(high, values[row])
            }
        } else {
            for row in 0..<count {
                low = min(low, values[row])
                high = max(high, values[row])
            }
        }
        return (Int64(truncatingIfNeeded: low), Int64(truncatingIfNeeded: high))
    }

    @inline(__always)
    private static func fillNulls<Value>(
        _ values: UnsafeMutablePointer<Value>, _ validity: UnsafePointer<UInt8>, _ count: Int, _ value: Value
    ) {
        for row in 0..<count where validity[row] == 0 { values[row] = value }
    }

    @inline(__always)
    private static func narrow<Value: FixedWidthInteger, Code: FixedWidthInteger>(
        _ values: UnsafeMutablePointer<Value>, _ count: Int, _ base: Value, _ codes: UnsafeMutablePointer<Code>
    ) {
        for row in 0..<count { codes[row] = Code(truncatingIfNeeded: values[row] &- base) }
    }
}
