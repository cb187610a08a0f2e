extension BoundExpression {
    /// The number of nodes, parts that stand at several places counted at each; counting ends at `limit`. Plans of
    /// subqueries do not count.
    package func size(upTo limit: Int) -> Int {
        var count = 0
        addSize(to: &count, limit)
        return count
    }

    private func addSize(to count: inout Int, _ limit: Int) {
        count += 1
        if count >= limit { return }
        switch self {
        case .column, .constant, .parameter: break
        case .call(_, let items, _), .and(let items), .or(let items): BoundExpression.add(items, to: &count, limit)
        case .cast(let value, _, _), .not(let value), .isNull(let value): value.addSize(to: &count, limit)
        case .comparison(_, let left, let right):
            left.addSize(to: &count, limit)
            if count < limit { right.addSize(to: &count, limit) }
        case .caseWhen(let branches, let otherwise, _):
            for branch in branches where count < limit {
                branch.condition.addSize(to: &count, limit)
                if count < limit { branch.result.addSize(to: &count, limit) }
            }
            if count < limit { otherwise.addSize(to: &count, limit) }
        case .inList(let value, let items):
            value.addSize(to: &count, limit)
            BoundExpression.add(items, to: &count, limit)
        case .subquery(let subquery):
            switch subquery.kind {
            case .scalar, .exists: break
            case .any(_, let items), .all(_, let items): BoundExpression.add(items, to: &count, limit)
            }
        }
    }

    private static func add(_ items: [BoundExpression], to count: inout Int, _ limit: Int) {
        for item in items {
            if count >= limit { return }
            item.addSize(to: &count, limit)
        }
    }
}
