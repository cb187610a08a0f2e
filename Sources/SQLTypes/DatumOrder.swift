extension Datum {
    /// Negative, zero or positive as the first value sorts before, with or after the second, by SQL's rules for the
    /// type: trailing blanks of strings do not count, NaN is the largest float, a month of an interval is 30 days.
    /// NULLs are the caller's business; here they are equal to each other and larger than all values.
    public static func compare(_ left: Datum, _ right: Datum, type: SQLType) -> Int {
        switch (left, right) {
        case (.null, .null): return 0
        case (.null, _): return 1
        case (_, .null): return -1
        case (.integer(let first), .integer(let second)):
            // TIMETZ too: the packed form has the moment in front of the zone.
            return order(first, second)
        case (.string(let first), .string(let second)) where type.family.isBinaryString:
            return compareBytes(first[...], second[...])
        case (.string(let first), .string(let second)): return compareTrimmed(first, second)
        case (.interval(let first), .interval(let second)): return order(first.comparable, second.comparable)
        default: return compareDoubles(left.asDouble(type), right.asDouble(type))
        }
    }

    /// Equality by the same rules.
    public static func equal(_ left: Datum, _ right: Datum, type: SQLType) -> Bool {
        compare(left, right, type: type) == 0
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left < right ? -1 : left == right ? 0 : 1
    }

    private static func compareDoubles(_ left: Double, _ right: Double) -> Int {
        if left.isNaN || right.isNaN { return order(left.isNaN ? 1 : 0, right.isNaN ? 1 : 0) }
        return order(left, right)
    }

    private static func compareTrimmed(_ left: [UInt8], _ right: [UInt8]) -> Int {
        compareBytes(left[..<StringLength.trimmedCount(left)], right[..<StringLength.trimmedCount(right)])
    }

    private static func compareBytes(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Int {
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return left[index] < right[index] ? -1 : 1
        }
        return left.count - right.count
    }

    /// The value as a float: decimals with their scale applied, NaN for what is no number.
    public func asDouble(_ type: SQLType) -> Double {
        switch self {
        case .integer(let value): Datum.decimalToDouble(value, scale: type.scale)
        case .double(let value): value
        default: .nan
        }
    }
}

extension Interval {
    /// One number that orders intervals: a month counts 30 days.
    public var comparable: Int128 { Int128(months) * 30 * Int128(Calendar.microsecondsPerDay) + Int128(microseconds) }
}
