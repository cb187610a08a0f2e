import QueryPlan
import SQLTypes

extension LogicalPlan {
    /// Whether the same tables always give the same rows: nothing but stored rows, and functions of their arguments
    /// alone. What the session, the catalog or chance answers is not repeatable.
    var isRepeatable: Bool {
        if case .systemScan = self { return false }
        var result = true
        forEachExpression { if result && !$0.isRepeatable { result = false } }
        return result && children.allSatisfy(\.isRepeatable)
    }
}

extension BoundExpression {
    /// Texts may say `now` and `today`; a time's offset is that of the day.
    private static func asksClock(_ from: SQLType, _ to: SQLType) -> Bool {
        switch to {
        case .date, .timestamp, .timestamptz, .time, .timetz:
            from.isString || from == .unknown || (from == .time && to != .time)
        default: false
        }
    }

    /// Whether it always has the same value for the same columns and parameters.
    package var isRepeatable: Bool {
        switch self {
        case .call(let function, _, _) where FunctionTable.volatility(of: function) != .immutable: return false
        case .cast(let value, let type, _) where BoundExpression.asksClock(value.type, type): return false
        case .subquery(let subquery) where !subquery.plan.isRepeatable: return false
        default: return !anyChild { !$0.isRepeatable }
        }
    }
}
