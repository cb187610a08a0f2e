/// What is done to an integer on its way to a table's column.
enum IntegerScaling: Hashable {
    case none
    case multiply(Int64)
    /// Towards the smaller number.
    case divideDown(Int64)
    /// Towards zero.
    case truncate(Int64)

    /// In 128 bits; nil where even those do not hold the result.
    func apply(_ value: Int128) -> Int128? {
        switch self {
        case .none: return value
        case .multiply(let factor):
            let (product, overflow) = value.multipliedReportingOverflow(by: Int128(factor))
            return overflow ? nil : product
        case .divideDown(let divisor):
            let (quotient, remainder) = value.quotientAndRemainder(dividingBy: Int128(divisor))
            return remainder < 0 ? quotient - 1 : quotient
        case .truncate(let divisor): return value / Int128(divisor)
        }
    }
}

/// Converts integers of one form to another; true when some value leaves the bounds, and the target is undefined.
@inline(__always)
private func convert<Source: FixedWidthInteger, Target: FixedWidthInteger>(
    _ source: UnsafeRawPointer, _ form: Source.Type, _ count: Int, _ scaling: IntegerScaling,
    _ bounds: ClosedRange<Int64>, _ out: UnsafeMutablePointer<Target>
) -> Bool {
    let lower = bounds.lowerBound
    let upper = bounds.upperBound
    let stride = MemoryLayout<Source>.size
    var isBad = false
    @inline(__always)
    func load(_ index: Int) -> Int64 {
        Int64(truncatingIfNeeded: source.loadUnaligned(fromByteOffset: index &* stride, as: form))
    }
    switch scaling {
    case .none:
        for index in 0..<count {
            let value = load(index)
            isBad = isBad || value < lower || value > upper
            out[index] = Target(truncatingIfNeeded: value)
        }
    case .multiply(let factor):
        for index in 0..<count {
            let (value, overflow) = load(index).multipliedReportingOverflow(by: factor)
            isBad = isBad || overflow || value < lower || value > upper
            out[index] = Target(truncatingIfNeeded: value)
        }
    case .divideDown(let divisor):
        for index in 0..<count {
            let raw = load(index)
            let quotient = raw / divisor
            let value = quotient &- (raw &- quotient &* divisor < 0 ? 1 : 0)
            isBad = isBad || value < lower || value > upper
            out[index] = Target(truncatingIfNeeded: value)
        }
    case .truncate(let divisor):
        for index in 0..<count {
            let value = load(index) / divisor
            isBad = isBad || value < lower || value > upper
            out[index] = Target(truncatingIfNeeded: value)
        }
    }
    return isBad
}

/// The integer forms that files have. Unsigned ones of 64 bits take the slow way.
enum IntegerSource: Hashable { case int32, uint32, int64, uint64 }

/// See above; also true where no loop is made for the forms.
func convertIntegers<Target: FixedWidthInteger>(
    _ source: UnsafeRawPointer, _ form: IntegerSource, _ count: Int, _ scaling: IntegerScaling,
    _ bounds: ClosedRange<Int64>, _ out: UnsafeMutablePointer<Target>
) -> Bool {
    switch form {
    case .int32: convert(source, Int32.self, count, scaling, bounds, out)
    case .uint32: convert(source, UInt32.self, count, scaling, bounds, out)
    case .int64: convert(source, Int64.self, count, scaling, bounds, out)
    case .uint64: true
    }
}

/// One value of a form.
func loadInteger(_ source: UnsafeRawPointer, _ form: IntegerSource, _ index: Int) -> Int128 {
    switch form {
    case .int32: Int128(source.loadUnaligned(fromByteOffset: 4 * index, as: Int32.self))
    case .uint32: Int128(source.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
    case .int64: Int128(source.loadUnaligned(fromByteOffset: 8 * index, as: Int64.self))
    case .uint64: Int128(source.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
    }
}

/// A signed number of any length, the highest byte first; nil when it does not fit 128 bits.
func bigEndianInteger(_ bytes: UnsafeBufferPointer<UInt8>) -> Int128? {
    guard let first = bytes.first else { return 0 }
    var value: Int128 = Int8(bitPattern: first) < 0 ? -1 : 0
    for (index, byte) in bytes.enumerated() {
        // Bytes beyond the 16 last ones may only repeat the sign.
        if bytes.count - index > 16 && byte != UInt8(truncatingIfNeeded: value) { return nil }
        let isNegative = Int8(bitPattern: byte) < 0
        if bytes.count - index == 16 && isNegative != (value < 0) { return nil }
        value = value << 8 | Int128(byte)
    }
    return value
}
