import QueryPlan
import SQLTypes

/// Values of SUPER in comparisons: equality, groups and sorts are those of their keys, so that they hash, join and sort
/// as bytes do. Which of two is less is known only of two numbers, two strings and two booleans; otherwise it is NULL.
enum SuperComparison {
    static let keyType = SQLType.varbyte(SQLType.maximumVarbyteLength)

    static func compare(
        _ symbol: ComparisonOperator, _ left: BoundExpression, _ right: BoundExpression
    ) -> BoundExpression {
        switch symbol {
        case .equal, .notEqual, .distinctFrom, .notDistinctFrom: .comparison(symbol, key(left), key(right))
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            .comparison(symbol, .call(.superOrder, [left, right], .integer), .constant(.integer(0), .integer))
        }
    }

    static func key(_ value: BoundExpression) -> BoundExpression { call(.superKey, value) }
    /// Bytes that are ordered as the values, and hold them.
    static func ordered(_ value: BoundExpression) -> BoundExpression { call(.superOrdered, value) }

    private static func call(_ function: ScalarFunction, _ value: BoundExpression) -> BoundExpression {
        value.asConstant == .null ? .constant(.null, keyType) : .call(function, [value], keyType)
    }
}
