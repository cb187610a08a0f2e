import ColumnVectors
import SQLTypes

/// Where DISTSTYLE KEY puts a row: slice = high 32 bits of the hash, scaled to the number of slices. NULL goes to
/// slice 0.
///
/// Equal SQL values hash equally whatever their type's width: integers of all widths and decimals of all scales
/// (trailing zeros of the fraction are dropped first), dates and times by their stored integer, floats with -0.0 as
/// 0.0 and one NaN, strings without trailing blanks. Stored data depends on these functions: they never change.
package enum DistributionHash {
    @inlinable @inline(__always)
    package static func integer(_ value: Int64) -> UInt64 {
        var hash = UInt64(bitPattern: value) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash &>> 32
        hash = hash &* 0xD6E8_FEB8_6659_FD93
        hash ^= hash &>> 29
        return hash &* 0x9E37_79B9_7F4A_7C15
    }

    @inlinable
    package static func integer(_ value: Int128) -> UInt64 {
        if let narrow = Int64(exactly: value) { return integer(narrow) }
        let high = integer(Int64(truncatingIfNeeded: value &>> 64))
        return integer(Int64(truncatingIfNeeded: value) ^ Int64(bitPattern: high))
    }

    /// - Parameter value: unscaled.
    @inlinable
    package static func decimal(_ value: Int128, scale: Int) -> UInt64 {
        if scale == 0 { return integer(value) }
        if let narrow = Int64(exactly: value) { return decimal(narrow, scale: scale) }
        var number = value
        var digits = scale
        while digits > 0 {
            let (quotient, remainder) = number.quotientAndRemainder(dividingBy: 10)
            if remainder != 0 { break }
            number = quotient
            digits &-= 1
        }
        return digits == 0 ? integer(number) : integer(number) ^ integer(Int64(digits))
    }

    @inlinable
    package static func decimal(_ value: Int64, scale: Int) -> UInt64 {
        var number = value
        var digits = scale
        while digits > 0 {
            let quotient = number / 10
            if quotient &* 10 != number { break }
            number = quotient
            digits &-= 1
        }
        return digits == 0 ? integer(number) : integer(number) ^ integer(Int64(digits))
    }

    @inlinable
    package static func double(_ value: Double) -> UInt64 {
        let canonical = value.isNaN ? Double.nan : value == 0 ? 0.0 : value
        return integer(Int64(bitPattern: canonical.bitPattern))
    }

    @inlinable
    package static func string(_ view: StringView) -> UInt64 { view.hashTrimmed }

    @inlinable @inline(__always)
    package static func slice(_ hash: UInt64, slices: Int) -> Int {
        Int(truncatingIfNeeded: ((hash &>> 32) &* UInt64(truncatingIfNeeded: slices)) &>> 32)
    }
}

extension DistributionHash {
    /// The slice of each of the column's rows.
    static func assign(
        _ column: ColumnBuffer, type: SQLType, slices: Int, into target: UnsafeMutablePointer<UInt16>
    ) {
        let count = column.count
        let scale = type.scale
        switch column.physical {
        case .uint8: integers(column.values(as: UInt8.self), count, scale, slices, target)
        case .uint16: integers(column.values(as: UInt16.self), count, scale, slices, target)
        case .int32: integers(column.values(as: Int32.self), count, scale, slices, target)
        case .int64: integers(column.values(as: Int64.self), count, scale, slices, target)
        case .int128:
            let values = column.values(as: Int128.self)
            for row in 0..<count {
                target[row] = UInt16(truncatingIfNeeded: slice(decimal(values[row], scale: scale), slices: slices))
            }
        case .float64:
            let values = column.values(as: Double.self)
            for row in 0..<count {
                target[row] = UInt16(truncatingIfNeeded: slice(double(values[row]), slices: slices))
            }
        case .string: strings(column, count, slices, target)
        }
        guard let validity = column.validity else { return }
        for row in 0..<count { target[row] = target[row] & (0 &- UInt16(validity[row])) }
    }

    @inline(__always)
    private static func integers<Value: FixedWidthInteger>(
        _ values: UnsafeMutablePointer<Value>, _ count: Int, _ scale: Int, _ slices: Int,
        _ target: UnsafeMutablePointer<UInt16>
    ) {
        if scale == 0 {
            for row in 0..<count {
                let hash = integer(Int64(truncatingIfNeeded: values[row]))
                target[row] = UInt16(truncatingIfNeeded: slice(hash, slices: slices))
            }
        } else {
            for row in 0..<count {
                let hash = decimal(Int64(truncatingIfNeeded: values[row]), scale: scale)
                target[row] = UInt16(truncatingIfNeeded: slice(hash, slices: slices))
            }
        }
    }

    private static func strings(
        _ column: ColumnBuffer, _ count: Int, _ slices: Int, _ target: UnsafeMutablePointer<UInt16>
    ) {
        let views = column.values(as: StringView.self)
        let validity = column.validity
        for row in 0..<count {
            // Views of NULL rows must not be followed.
            let view = validity.map { $0[row] == 0 } ?? false ? .empty : views[row]
            target[row] = UInt16(truncatingIfNeeded: slice(string(view), slices: slices))
        }
    }
}
