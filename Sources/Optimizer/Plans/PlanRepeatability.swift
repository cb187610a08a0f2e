import QueryPlan

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
    fileprivate var isRepeatable: Bool {
        switch self {
        case .call(let function, _, _) where FunctionTable.volatility(of: function) != .immutable: return false
        case .subquery(let subquery) where !subquery.plan.isRepeatable: return false
        default: return !anyChild { !$0.isRepeatable }
        }
    }
}
