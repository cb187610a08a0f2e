import Glibc

/// REAL and DOUBLE PRECISION as text.
public enum FloatText {
    /// The nearest double, nil for bad syntax. Overflow gives infinity.
    public static func parse(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Double? {
        let (start, end) = TextInput.trimmed(bytes, count)
        guard let number = DecimalText.scan(bytes, start, end) else { return special(bytes + start, end - start) }
        var mantissa: UInt64 = 0
        let digits = number.integerDigits + number.fractionDigits
        if digits <= 19 {
            for index in number.first..<number.end where bytes[index] != 0x2E {
                mantissa = mantissa &* 10 &+ UInt64(bytes[index] &- 48)
            }
            // Both factors are exact, so one operation rounds once and the result is the nearest double.
            let exponent = number.exponent - number.fractionDigits
            if mantissa <= 1 << 53 && exponent >= -22 && exponent <= 22 {
                let exact = Double(mantissa)
                let value = exponent < 0 ? exact / PowersOfTen.double[-exponent] : exact * PowersOfTen.double[exponent]
                return number.negative ? -value : value
            }
        }
        return slow(bytes + start, end - start)
    }

    /// The library's conversion, for texts of any length whose syntax is known to be good.
    private static func slow(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Double? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: count + 1) { text in
            for index in 0..<count { text[index] = CChar(bitPattern: bytes[index]) }
            text[count] = 0
            return text.baseAddress.map { strtod($0, nil) }
        }
    }

    private static func special(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Double? {
        if TextInput.matches(bytes, count, "nan") { return .nan }
        var start = 0
        if count > 0 && (bytes[0] == 0x2D || bytes[0] == 0x2B) { start = 1 }
        let rest = bytes + start
        guard TextInput.matches(rest, count - start, "infinity") || TextInput.matches(rest, count - start, "inf")
        else { return nil }
        return bytes[0] == 0x2D ? -.infinity : .infinity
    }

    /// The value of a `real` or `double` column; a real is rounded to 24 bits.
    public static func parse(_ bytes: UnsafePointer<UInt8>, _ count: Int, as type: SQLType) throws -> Double {
        guard let value = parse(bytes, count) else {
            throw SQLError(.invalidText, "invalid input syntax for type \(type): \(TextInput.quoted(bytes, count))")
        }
        let result = type == .real ? Double(Float(value)) : value
        let digit = (0..<count).contains { TextInput.isDigit(bytes[$0]) }
        if digit && (result.isInfinite || (result == 0 && hasNonzeroDigit(bytes, count))) {
            throw SQLError(.numericOutOfRange, "\(TextInput.quoted(bytes, count)) is out of range for type \(type)")
        }
        return result
    }

    private static func hasNonzeroDigit(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        for index in 0..<count {
            if bytes[index] | 32 == 0x65 { return false }
            if bytes[index] > 48 && bytes[index] <= 57 { return true }
        }
        return false
    }

    /// PostgreSQL 8's form: 15 significant digits for doubles, 6 for reals, plus `extra_float_digits`.
    public static func append(_ value: Double, real: Bool = false, extraDigits: Int = 0, to buffer: TextBuffer) {
        if value.isNaN { return buffer.append("NaN") }
        if value.isInfinite { return buffer.append(value < 0 ? "-Infinity" : "Infinity") }
        if value == 0 { return buffer.append(value.sign == .minus ? "-0" : "0") }
        let digits = min(max((real ? 6 : 15) + extraDigits, 1), 17)
        let magnitude = value.magnitude
        if magnitude >= 1e-5 && magnitude < PowersOfTen.double[min(digits, 15)] {
            if value < 0 { buffer.append(0x2D) }
            if appendExact(magnitude, digits, buffer) { return }
            if value < 0 { buffer.truncate(to: buffer.count - 1) }
        }
        appendSlow(value, digits, buffer)
    }

    /// `%.*g` for 0.00001 <= value < 10^15 in exact 128-bit arithmetic; false when the result has an exponent.
    private static func appendExact(_ value: Double, _ digits: Int, _ buffer: TextBuffer) -> Bool {
        var exponent = 0
        if value >= 1 {
            while exponent < 22 && value >= PowersOfTen.double[exponent + 1] { exponent += 1 }
        } else {
            exponent = -1
            while value * PowersOfTen.double[-exponent] < 1 { exponent -= 1 }
        }
        let mantissa = UInt128(value.significandBitPattern | 1 << 52)
        let shift = 52 - Int(value.exponent)
        guard shift >= 0, shift < 120 else { return false }
        var decimals = digits - 1 - exponent
        guard decimals >= 0, decimals <= 22, let power = PowersOfTen.power(decimals) else { return false }
        let scaled = mantissa * power.magnitude
        var rounded = scaled >> UInt128(shift)
        let rest = scaled & ((1 << UInt128(shift)) - 1)
        let half: UInt128 = shift == 0 ? 0 : 1 << UInt128(shift - 1)
        if shift > 0 && (rest > half || (rest == half && rounded & 1 == 1)) { rounded += 1 }
        guard var significant = UInt64(exactly: rounded), let bound = PowersOfTen.power(digits) else { return false }
        if Int128(significant) >= bound {
            significant /= 10
            decimals -= 1
            exponent += 1
        }
        if exponent >= digits || exponent < -4 || decimals < 0 { return false }
        while decimals > 0 && significant % 10 == 0 {
            significant /= 10
            decimals -= 1
        }
        DecimalText.append(Int128(significant), scale: decimals, to: buffer)
        return true
    }

    private static func appendSlow(_ value: Double, _ digits: Int, _ buffer: TextBuffer) {
        let capacity = 64
        let target = buffer.room(capacity)
        let length = target.withMemoryRebound(to: CChar.self, capacity: capacity) { text in
            withVaList([Int32(digits), value]) { vsnprintf(text, capacity, "%.*g", $0) }
        }
        buffer.advance(min(max(Int(length), 0), capacity - 1))
    }
}
