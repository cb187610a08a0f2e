import QueryPlan
import SQLSyntax
import SQLTypes

/// `(a, b) = (c, d)` and its relatives as plain comparisons.
struct RowComparison {
    let binder: ExpressionBinder

    init(_ binder: ExpressionBinder) { self.binder = binder }

    func bind(
        _ symbol: ComparisonOperator, _ left: ElementList, _ right: Expression, at position: SourcePosition
    ) throws -> BoundExpression {
        if case .subquery(let subquery) = right {
            return try SubqueryBinder(binder).quantified(
                .any(symbol), .row(left), subquery.query, at: position)
        }
        guard case .row(let other) = right, other.elements.count == left.elements.count else {
            throw SQLError(.syntaxError, "unequal number of entries in row expressions", at: position)
        }
        let first = try left.elements.map { try binder.bind($0) }
        let second = try other.elements.map { try binder.bind($0) }
        return try compare(symbol, first, second, at: position)
    }

    /// Rows that are bound already.
    func compare(
        _ symbol: ComparisonOperator, _ left: [BoundExpression], _ right: [BoundExpression],
        at position: SourcePosition
    ) throws -> BoundExpression {
        switch symbol {
        case .equal, .notDistinctFrom:
            return .and(try zip(left, right).map { try binder.comparison.compare(symbol, $0, $1, at: position) })
        case .notEqual, .distinctFrom:
            return .or(try zip(left, right).map { try binder.comparison.compare(symbol, $0, $1, at: position) })
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            return try lexicographic(symbol, left, right, at: position)
        }
    }

    /// The first pair that differs decides.
    private func lexicographic(
        _ symbol: ComparisonOperator, _ left: [BoundExpression], _ right: [BoundExpression],
        at position: SourcePosition
    ) throws -> BoundExpression {
        let strict: ComparisonOperator = symbol == .less || symbol == .lessOrEqual ? .less : .greater
        var alternatives: [BoundExpression] = []
        var prefix: [BoundExpression] = []
        for (index, pair) in zip(left, right).enumerated() {
            try binder.session.budget.take(bytes: index * BinderLimits.expressionBytes)
            let isLast = index == left.count - 1
            let step = try binder.comparison.compare(isLast ? symbol : strict, pair.0, pair.1, at: position)
            alternatives.append(prefix.isEmpty ? step : .and(prefix + [step]))
            prefix.append(try binder.comparison.compare(.equal, pair.0, pair.1, at: position))
        }
        return .or(alternatives)
    }
}
