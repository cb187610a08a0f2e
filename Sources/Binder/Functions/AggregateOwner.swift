import QueryPlan
import SQLSyntax
import SQLTypes

/// Whose an aggregate is: that of the nearest query whose columns its arguments name. Inside of a subquery that may be
/// an enclosing query, which computes it; the subquery then sees a column.
struct AggregateOwner {
    private let scope: Scope
    /// What each query, from the inside out, had taken from outside before the arguments were bound.
    private let outerColumns: [[OutputColumn]]

    init(_ scope: Scope) {
        self.scope = scope
        var columns: [[OutputColumn]] = []
        var here: Scope? = scope
        while let current = here {
            columns.append(current.outerColumns)
            here = current.parent
        }
        outerColumns = columns
    }

    /// There is no enclosing query.
    var isOutermost: Bool { outerColumns.count == 1 }

    /// nil: the aggregate is the query's own.
    func column(
        for call: AggregateCall, _ session: BindingSession, at position: SourcePosition
    ) throws -> BoundExpression? {
        guard let level = level(of: call), level > 0 else { return nil }
        var inside: [Scope] = []
        var owner = scope
        for _ in 0..<level {
            inside.append(owner)
            guard let parent = owner.parent else { return nil }
            owner = parent
        }
        guard let binder = owner.openBinder else {
            throw SQLError(
                .featureNotSupported, "aggregates over columns of this enclosing query are not supported", at: position)
        }
        guard binder.clause.allowsAggregates, let computed = binder.computed else {
            throw binder.clause.aggregateError().at(position)
        }
        let column = computed.column(for: call, session)
        guard case .column(let id, let type) = column else { return column }
        // The arguments are read by the owner: the queries inside of it see the result alone.
        for (query, columns) in zip(inside, outerColumns) {
            query.setOuterColumns(columns)
            query.addOuterColumn(OutputColumn(id: id, name: "aggregate", type: type))
        }
        return column
    }

    /// How many queries further out the nearest column of the arguments is; nil without columns.
    private func level(of call: AggregateCall) -> Int? {
        var result: Int?
        for expression in call.arguments + call.orderBy.map(\.expression) {
            expression.forEachOuterColumn { id, _ in
                var level = 0
                var here: Scope? = scope
                while let current = here, current.isOuter(id) {
                    level += 1
                    here = current.parent
                }
                result = min(result ?? level, level)
            }
        }
        return result
    }
}
