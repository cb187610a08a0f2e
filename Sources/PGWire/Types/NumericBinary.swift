import SQLTypes

/// NUMERIC in the protocol's binary form: groups of four decimal digits around the point.
enum NumericBinary {
    private static let negativeSign: UInt16 = 0x4000

    /// Writes the value without the length in front.
    static func append(_ value: Int128, scale: Int, to buffer: TextBuffer) {
        let start = buffer.count
        buffer.append(int64: 0)
        let magnitude = value.magnitude
        let unit = UInt128(PowersOfTen.power(scale) ?? 1)
        var weight = appendWhole(magnitude / unit, to: buffer)
        appendFraction(magnitude % unit, digits: scale, to: buffer)
        var groups = (buffer.count - start - 8) / 2
        while groups > 0 && group(buffer, start, groups - 1) == 0 { groups -= 1 }
        var leading = 0
        while leading < groups && group(buffer, start, leading) == 0 { leading += 1 }
        if leading > 0 {
            for index in leading..<groups {
                let value = group(buffer, start, index)
                UnsafeMutableRawPointer(buffer.base + start + 8 + 2 * (index - leading)).storeBytes(
                    of: value.bigEndian, as: Int16.self)
            }
            groups -= leading
            weight -= leading
        }
        buffer.truncate(to: start + 8 + 2 * groups)
        let header = UnsafeMutableRawPointer(buffer.base + start)
        header.storeBytes(of: Int16(groups).bigEndian, as: Int16.self)
        header.storeBytes(of: Int16(groups == 0 ? 0 : weight).bigEndian, toByteOffset: 2, as: Int16.self)
        header.storeBytes(of: (value < 0 ? negativeSign : 0).bigEndian, toByteOffset: 4, as: UInt16.self)
        header.storeBytes(of: Int16(scale).bigEndian, toByteOffset: 6, as: Int16.self)
    }

    private static func group(_ buffer: TextBuffer, _ start: Int, _ index: Int) -> Int16 {
        Int16(bigEndian: UnsafeRawPointer(buffer.base + start + 8 + 2 * index).loadUnaligned(as: Int16.self))
    }

    /// The groups before the point, at least one; the result is the first one's weight.
    private static func appendWhole(_ value: UInt128, to buffer: TextBuffer) -> Int {
        var groups: (Int, Int) = (0, 0)
        var rest = value
        var power: UInt128 = 1
        while rest >= 10_000 {
            rest /= 10_000
            power *= 10_000
            groups.0 += 1
        }
        groups.1 = groups.0
        rest = value
        while true {
            buffer.append(int16: Int16(truncatingIfNeeded: rest / power))
            rest %= power
            if groups.1 == 0 { return groups.0 }
            power /= 10_000
            groups.1 -= 1
        }
    }

    private static func appendFraction(_ value: UInt128, digits: Int, to buffer: TextBuffer) {
        var rest = value
        var left = digits
        while left > 0 {
            if left >= 4 {
                let unit = UInt128(PowersOfTen.power(left - 4) ?? 1)
                buffer.append(int16: Int16(truncatingIfNeeded: rest / unit))
                rest %= unit
                left -= 4
            } else {
                let factor = UInt128(PowersOfTen.power(4 - left) ?? 1)
                buffer.append(int16: Int16(truncatingIfNeeded: rest * factor))
                left = 0
            }
        }
    }

    /// A parameter of its own precision and scale.
    static func parse(_ bytes: [UInt8]) throws -> (value: Int128, scale: Int) {
        var reader = MessageReader(bytes)
        let groups = Int(try reader.int16())
        let weight = Int(try reader.int16())
        let sign = UInt16(bitPattern: try reader.int16())
        let scale = Int(try reader.int16())
        guard groups >= 0, reader.remaining == groups * 2 else { throw invalid }
        guard sign == 0 || sign == negativeSign else {
            throw SQLError(.numericOutOfRange, "NaN and infinity are no decimals")
        }
        guard scale >= 0, scale <= SQLType.maximumPrecision else { throw overflow }
        var value: Int128 = 0
        // The unscaled value counts units of 10^-scale; each group says how many of them one of its units is worth.
        for index in 0..<groups {
            let digit = Int128(try reader.int16())
            guard digit >= 0, digit < 10_000 else { throw invalid }
            if digit == 0 { continue }
            let exponent = (weight - index) * 4 + scale
            guard exponent >= 0 else {
                // Digits beyond the declared scale: only the first group can still reach into it.
                guard exponent > -4, let unit = PowersOfTen.power(-exponent) else { continue }
                let (sum, carry) = value.addingReportingOverflow(digit / unit)
                guard !carry else { throw overflow }
                value = sum
                continue
            }
            guard let unit = PowersOfTen.power(exponent) else { throw overflow }
            let (product, tooLarge) = digit.multipliedReportingOverflow(by: unit)
            let (sum, carry) = value.addingReportingOverflow(product)
            guard !tooLarge, !carry else { throw overflow }
            value = sum
        }
        guard DecimalArithmetic.fits(value, precision: SQLType.maximumPrecision) else { throw overflow }
        return (sign == negativeSign ? -value : value, scale)
    }

    private static var invalid: SQLError { SQLError("22P03", "invalid binary numeric value") }
    private static var overflow: SQLError {
        SQLError(.numericOutOfRange, "numeric value does not fit in 38 digits")
    }
}
