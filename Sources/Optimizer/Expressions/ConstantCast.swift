import QueryPlan
import SQLTypes

/// Casts of constants, and comparisons of a widened column with a constant turned into comparisons of the plain column,
/// which zone maps and estimates understand.
enum ConstantCast {
    static func fold(_ value: BoundExpression, to type: SQLType) -> BoundExpression? {
        guard case .constant(let datum, let from) = value else { return nil }
        if datum.isNull { return .constant(.null, type) }
        if from == type { return value }
        guard case .integer(let number) = datum else { return nil }
        switch (from, type) {
        case (_, _) where isExactNumber(from) && isExactNumber(type):
            guard type.scale >= from.scale, let scaled = number.scaledUp(type.scale - from.scale),
                ConstantComparison.fits(scaled, type)
            else { return nil }
            return .constant(.integer(scaled), type)
        case (.smallint, .double), (.integer, .double): return .constant(.double(Double(number)), type)
        case (.date, .timestamp):
            let moment = number * Int128(Calendar.microsecondsPerDay)
            return ConstantComparison.fits(moment, type) ? .constant(.integer(moment), type) : nil
        default: return nil
        }
    }

    private static func isExactNumber(_ type: SQLType) -> Bool { type.isInteger || type.isDecimal }

    /// `CAST(column) op constant` as `column op' constant'`, or nil when there is no equivalent.
    static func unwrapped(_ op: ComparisonOperator, _ left: BoundExpression, _ right: BoundExpression)
        -> BoundExpression?
    {
        guard case .cast(let inner, let type, let behavior) = left, behavior != .orNull,
            case .constant(.integer(let number), _) = right, op != .distinctFrom, op != .notDistinctFrom
        else { return nil }
        switch (inner.type, type) {
        case (.date, .timestamp):
            return divided(op, inner, number, by: Int128(Calendar.microsecondsPerDay))
        case (let from, _) where isExactNumber(from) && isExactNumber(type) && type.scale >= from.scale:
            guard widens(from, type), let factor = Int128(1).scaledUp(type.scale - from.scale) else { return nil }
            return divided(op, inner, number, by: factor)
        default: return nil
        }
    }

    /// Whether every value of `from` is a value of `type`, so that the cast cannot fail.
    private static func widens(_ from: SQLType, _ type: SQLType) -> Bool {
        digits(from) - from.scale <= wholeDigits(type)
    }

    private static func digits(_ type: SQLType) -> Int {
        switch type {
        case .smallint: 5
        case .integer: 10
        case .bigint: 19
        case .decimal(let precision, _): precision
        default: 0
        }
    }

    private static func wholeDigits(_ type: SQLType) -> Int {
        switch type {
        case .decimal(let precision, let scale): precision - scale
        default: digits(type)
        }
    }

    private static func divided(
        _ op: ComparisonOperator, _ inner: BoundExpression, _ number: Int128, by factor: Int128
    ) -> BoundExpression? {
        let quotient = number.flooredQuotient(factor)
        let isExact = quotient * factor == number
        guard ConstantComparison.fits(quotient, inner.type) else { return nil }
        let constant = BoundExpression.constant(.integer(quotient), inner.type)
        if isExact { return .comparison(op, inner, constant) }
        switch op {
        case .less, .lessOrEqual: return .comparison(.lessOrEqual, inner, constant)
        case .greater, .greaterOrEqual: return .comparison(.greater, inner, constant)
        default: return nil
        }
    }
}
