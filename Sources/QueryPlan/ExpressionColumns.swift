extension BoundExpression {
    /// Calls `body` for every column that the expression itself reads, and `subquery` for every subquery in it: who
    /// asks knows which of its columns count.
    package func forEachColumn(_ body: (ColumnID) -> Void, subquery: (BoundSubquery) -> Void) {
        switch self {
        case .column(let id, _): body(id)
        case .constant, .parameter: break
        case .call(_, let arguments, _): for argument in arguments { argument.forEachColumn(body, subquery: subquery) }
        case .cast(let value, _, _), .not(let value), .isNull(let value):
            value.forEachColumn(body, subquery: subquery)
        case .comparison(_, let left, let right):
            left.forEachColumn(body, subquery: subquery)
            right.forEachColumn(body, subquery: subquery)
        case .and(let items), .or(let items): for item in items { item.forEachColumn(body, subquery: subquery) }
        case .caseWhen(let branches, let otherwise, _):
            for branch in branches {
                branch.condition.forEachColumn(body, subquery: subquery)
                branch.result.forEachColumn(body, subquery: subquery)
            }
            otherwise.forEachColumn(body, subquery: subquery)
        case .inList(let value, let items):
            value.forEachColumn(body, subquery: subquery)
            for item in items { item.forEachColumn(body, subquery: subquery) }
        case .subquery(let found): subquery(found)
        }
    }
}
