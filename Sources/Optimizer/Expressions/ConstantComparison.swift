import QueryPlan
import SQLTypes

/// Comparing constants, and whether they fit a type.
enum ConstantComparison {
    static func fits(_ value: Int128, _ type: SQLType) -> Bool {
        switch type {
        case .smallint: return Int16(exactly: value) != nil
        case .integer: return Int32(exactly: value) != nil
        case .date: return value >= Int128(Calendar.minimumDay) && value <= Int128(Calendar.maximumDay)
        case .bigint, .time: return Int64(exactly: value) != nil
        case .timestamp, .timestamptz:
            return value >= Int128(Calendar.minimumTimestamp) && value <= Int128(Calendar.maximumTimestamp)
        case .decimal(let precision, _): return DecimalArithmetic.fits(value, precision: precision)
        default: return false
        }
    }

    /// Three-valued result of comparing constants of one type; nil when they cannot be ordered here.
    static func compare(_ op: ComparisonOperator, _ left: Datum, _ right: Datum, trims: Bool = true) -> Datum? {
        switch op {
        case .distinctFrom, .notDistinctFrom:
            if left.isNull || right.isNull {
                return .boolean((left.isNull && right.isNull) == (op == .notDistinctFrom))
            }
        default: if left.isNull || right.isNull { return .null }
        }
        guard let order = order(left, right, trims: trims) else { return nil }
        switch op {
        case .equal, .notDistinctFrom: return .boolean(order == 0)
        case .notEqual, .distinctFrom: return .boolean(order != 0)
        case .less: return .boolean(order < 0)
        case .lessOrEqual: return .boolean(order <= 0)
        case .greater: return .boolean(order > 0)
        case .greaterOrEqual: return .boolean(order >= 0)
        }
    }

    /// Negative, zero or positive; texts (`trims`) without their trailing blanks.
    static func order(_ left: Datum, _ right: Datum, trims: Bool = true) -> Int? {
        switch (left, right) {
        case (.integer(let a), .integer(let b)): return a < b ? -1 : a > b ? 1 : 0
        case (.double(let a), .double(let b)):
            guard !a.isNaN, !b.isNaN else { return nil }
            return a < b ? -1 : a > b ? 1 : 0
        case (.string(let a), .string(let b)):
            let x = trims ? trimmed(a) : a[...]
            let y = trims ? trimmed(b) : b[...]
            return x.lexicographicallyPrecedes(y) ? -1 : y.lexicographicallyPrecedes(x) ? 1 : 0
        default: return nil
        }
    }

    private static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        var end = bytes.count
        while end > 0, bytes[end - 1] == 0x20 { end -= 1 }
        return bytes[..<end]
    }
}

extension Int128 {
    func scaledUp(_ digits: Int) -> Int128? {
        var result = self
        for _ in 0..<digits {
            let (next, overflow) = result.multipliedReportingOverflow(by: 10)
            if overflow { return nil }
            result = next
        }
        return result
    }
    func flooredQuotient(_ divisor: Int128) -> Int128 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
