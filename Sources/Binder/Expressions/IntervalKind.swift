import QueryPlan
import SQLSyntax
import SQLTypes

/// INTERVAL YEAR TO MONTH and INTERVAL DAY TO SECOND in expressions: they compute as INTERVAL, which has both, and are
/// of their own kind again where the result can only be of that kind.
struct IntervalKind {
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    /// The kind of an expression that is one kind of interval cast to INTERVAL.
    private static func kind(of expression: BoundExpression) -> SQLType? {
        guard case .cast(let value, .interval, _) = expression, let fields = value.type.intervalFields else {
            return nil
        }
        return fields.isMonths ? .yearMonthInterval(.yearToMonth) : .dayTimeInterval(.dayToSecond)
    }

    /// A sum, or a mean of days and times. The mean of months may have days.
    static func shown(_ column: BoundExpression, of call: AggregateCall) -> BoundExpression {
        guard call.function == .sum || call.function == .average, column.type == .interval,
            let argument = call.arguments.first, let kind = kind(of: argument)
        else { return column }
        if call.function == .average, case .yearMonthInterval = kind { return column }
        return .cast(column, kind, .assignment)
    }

    func widened(_ side: BoundExpression, at position: SourcePosition) throws -> BoundExpression {
        guard side.type.intervalFields != nil else { return side }
        return try Coercion(session).cast(side, to: .interval, .implicit, at: position)
    }

    /// What became of two operands that were widened: sums and differences of one kind are of that kind, and so are
    /// days and times multiplied.
    static func narrowed(
        _ result: BoundExpression, _ symbol: BinaryOperator, _ left: BoundExpression, _ right: BoundExpression
    ) -> BoundExpression {
        guard result.type == .interval, let fields = left.type.intervalFields ?? right.type.intervalFields else {
            return result
        }
        let kind = fields.isMonths ? IntervalFields.yearToMonth : .dayToSecond
        switch symbol {
        case .add, .subtract:
            let isKept = [left, right].allSatisfy { side in
                if let other = side.type.intervalFields { return other.isMonths == fields.isMonths }
                if case .some(.some) = constant(side, kind) { return true }
                return false
            }
            return isKept ? .cast(result, kind.type, .assignment) : result
        case .multiply, .divide: return fields.isMonths ? result : .cast(result, kind.type, .assignment)
        default: return result
        }
    }

    /// Both sides of a comparison: a constant that is of the other side's kind takes its type. nil: there is no such
    /// comparison, because a month has no number of days.
    func compared(
        _ left: BoundExpression, _ right: BoundExpression, at position: SourcePosition
    ) throws -> (BoundExpression, BoundExpression)? {
        let (first, second) = (left.type.intervalFields, right.type.intervalFields)
        if let first, let second { return first.isMonths == second.isMonths ? (left, right) : nil }
        if let first, let constant = Self.constant(right, first) { return constant.map { (left, $0) } }
        if let second, let constant = Self.constant(left, second) { return constant.map { ($0, right) } }
        return (try widened(left, at: position), try widened(right, at: position))
    }

    /// The constant as a value of the kind; nil inside: it is of the other kind, nil: no constant.
    private static func constant(_ side: BoundExpression, _ fields: IntervalFields) -> BoundExpression?? {
        guard case .constant(.interval(let interval), _) = side else { return nil }
        if fields.isMonths ? interval.microseconds != 0 : interval.months != 0 { return .some(nil) }
        let whole = fields.isMonths ? IntervalFields.yearToMonth : .dayToSecond
        // Months of literals and of arithmetic have 32 bits.
        let value = fields.isMonths ? interval.months : interval.microseconds
        return .some(.constant(.integer(Int128(value)), whole.type))
    }
}
