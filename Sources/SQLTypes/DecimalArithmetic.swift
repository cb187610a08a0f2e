/// Checked arithmetic on unscaled integers. Everything that does not fit throws 22003; nothing wraps and nothing traps.
public enum DecimalArithmetic {
    public static func overflow(_ detail: String? = nil) -> SQLError {
        SQLError(.numericOutOfRange, "Numeric data overflow (result precision)", detail: detail)
    }
    public static var multiplicationOverflow: SQLError {
        SQLError(.numericOutOfRange, "128 bit numeric data overflow (multiplication)")
    }
    public static var divisionByZero: SQLError { SQLError(.divisionByZero, "division by zero") }

    /// The least and the largest unscaled value of a precision. 19 digits are those of 64 bits and no more, as in
    /// Redshift: every BIGINT is one.
    public static func range(precision: Int) -> (lower: Int128, upper: Int128) {
        if precision == 19 { return (Int128(Int64.min), Int128(Int64.max)) }
        let bound = PowersOfTen.int128[min(max(precision, 0), PowersOfTen.maximumExponent)]
        return (1 - bound, bound - 1)
    }

    /// True when the value has at most so many digits.
    public static func fits(_ value: Int128, precision: Int) -> Bool {
        let (lower, upper) = range(precision: precision)
        return value >= lower && value <= upper
    }

    public static func check(_ value: Int128, precision: Int) throws -> Int128 {
        guard fits(value, precision: precision) else { throw overflow() }
        return value
    }

    /// `value` / 10^digits, rounded half away from zero; 0 when so many digits leave nothing.
    public static func divideRounding(_ value: Int128, byPowerOfTen digits: Int) -> Int128 {
        if digits <= 0 { return value }
        guard let power = PowersOfTen.power(digits) else { return 0 }
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: power)
        // |remainder| < 10^38, so twice of it may leave Int128: compare with the rest instead.
        let magnitude = remainder.magnitude
        if magnitude >= power.magnitude - magnitude && magnitude > 0 { return quotient + (value < 0 ? -1 : 1) }
        return quotient
    }

    /// The value at another scale, nil when it leaves Int128. More digits multiply, fewer round half away from zero
    /// or cut.
    public static func rescaled(_ value: Int128, from: Int, to: Int, rounding: Bool = true) -> Int128? {
        if from == to { return value }
        if to < from {
            if rounding { return divideRounding(value, byPowerOfTen: from - to) }
            guard let power = PowersOfTen.power(from - to) else { return 0 }
            return value / power
        }
        if value == 0 { return 0 }
        guard let power = PowersOfTen.power(to - from) else { return nil }
        let (product, overflow) = value.multipliedReportingOverflow(by: power)
        return overflow ? nil : product
    }

    /// The value as `DECIMAL(precision, to)`.
    public static func rescale(
        _ value: Int128, from: Int, to: Int, precision: Int, rounding: Bool = true
    ) throws -> Int128 {
        guard let result = rescaled(value, from: from, to: to, rounding: rounding), fits(result, precision: precision)
        else { throw overflow() }
        return result
    }

    /// Operands at their own scales; the result at the rule's shape.
    public static func add(
        _ left: Int128, _ leftScale: Int, _ right: Int128, _ rightScale: Int, result: DecimalRules.Shape
    ) throws -> Int128 {
        guard let first = rescaled(left, from: leftScale, to: result.scale),
            let second = rescaled(right, from: rightScale, to: result.scale)
        else { throw overflow() }
        let (sum, overflowed) = first.addingReportingOverflow(second)
        if overflowed { throw overflow() }
        return try check(sum, precision: result.precision)
    }

    public static func subtract(
        _ left: Int128, _ leftScale: Int, _ right: Int128, _ rightScale: Int, result: DecimalRules.Shape
    ) throws -> Int128 {
        // Decimals stay below 10^38, far from the one value that cannot be negated; other values are refused.
        guard right != .min else { throw overflow() }
        return try add(left, leftScale, -right, rightScale, result: result)
    }

    public static func multiply(
        _ left: Int128, _ leftScale: Int, _ right: Int128, _ rightScale: Int, result: DecimalRules.Shape
    ) throws -> Int128 {
        let surplus = leftScale + rightScale - result.scale
        let (product, overflowed) = left.multipliedReportingOverflow(by: right)
        if !overflowed {
            guard let value = rescaled(product, from: surplus, to: 0) else { throw multiplicationOverflow }
            return try check(value, precision: result.precision)
        }
        guard surplus > 0, let power = PowersOfTen.power(surplus) else { throw multiplicationOverflow }
        let wide = left.magnitude.multipliedFullWidth(by: right.magnitude)
        guard let magnitude = divide(wide, by: power.magnitude) else { throw multiplicationOverflow }
        return try check((left < 0) == (right < 0) ? magnitude : -magnitude, precision: result.precision)
    }

    /// Quotient to the result's scale, rounded half away from zero.
    public static func divide(
        _ left: Int128, _ leftScale: Int, _ right: Int128, _ rightScale: Int, result: DecimalRules.Shape
    ) throws -> Int128 {
        if right == 0 { throw divisionByZero }
        if left == 0 { return 0 }
        let shift = result.scale + rightScale - leftScale
        let negative = (left < 0) != (right < 0)
        var dividend: (high: UInt128, low: UInt128) = (0, left.magnitude)
        var divisor = right.magnitude
        if shift >= 0 {
            guard let power = PowersOfTen.power(shift) else { throw overflow() }
            dividend = left.magnitude.multipliedFullWidth(by: power.magnitude)
        } else {
            guard let power = PowersOfTen.power(-shift) else { return 0 }
            let (product, overflowed) = divisor.multipliedReportingOverflow(by: power.magnitude)
            if overflowed { return 0 }
            divisor = product
        }
        if dividend.high == 0, let narrow = UInt64(exactly: dividend.low), let by = UInt64(exactly: divisor) {
            // A division of 128 bits costs ten times as much.
            let (quotient, remainder) = narrow.quotientAndRemainder(dividingBy: by)
            let magnitude = Int128(quotient) + (remainder >= by - remainder && remainder > 0 ? 1 : 0)
            return try check(negative ? -magnitude : magnitude, precision: result.precision)
        }
        guard let magnitude = divide(dividend, by: divisor) else { throw overflow() }
        return try check(negative ? -magnitude : magnitude, precision: result.precision)
    }

    /// Sign of the dividend.
    public static func remainder(
        _ left: Int128, _ leftScale: Int, _ right: Int128, _ rightScale: Int, result: DecimalRules.Shape
    ) throws -> Int128 {
        if right == 0 { throw divisionByZero }
        guard let first = rescaled(left, from: leftScale, to: result.scale),
            let second = rescaled(right, from: rightScale, to: result.scale), second != 0
        else { throw overflow() }
        return second == -1 ? 0 : first % second
    }

    /// 256 by 128 bits, rounded half away from zero; nil when the quotient leaves Int128.
    private static func divide(_ dividend: (high: UInt128, low: UInt128), by divisor: UInt128) -> Int128? {
        if dividend.high >= divisor { return nil }
        var (quotient, remainder) =
            dividend.high == 0
            ? dividend.low.quotientAndRemainder(dividingBy: divisor)
            : divisor.dividingFullWidth((dividend.high, dividend.low))
        if remainder >= divisor - remainder && remainder > 0 {
            if quotient == .max { return nil }
            quotient += 1
        }
        return Int128(exactly: quotient)
    }
}
