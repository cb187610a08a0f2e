import QueryPlan

/// When every reader of a kept common table expression filters what it reads, rows that no reader wants need not be
/// computed: the OR of the filters goes into the definition.
struct PushFiltersIntoWith: OptimizerPass {
    let name = "push_filters_into_with"

    func run(_ query: inout LogicalQuery, _ context: OptimizerContext) throws {
        guard query.plan.containsWith else { return }
        query.plan = push(query.plan, context)
    }

    private func push(_ plan: LogicalPlan, _ context: OptimizerContext) -> LogicalPlan {
        if context.isStopped { return plan }
        let mapped = plan.mapChildren { push($0, context) }
        guard case .with(var with) = mapped, with.recursion == nil else { return mapped }
        var filters: [[BoundExpression]] = []
        collect(with.body, with.id, [], &filters)
        guard !filters.isEmpty, filters.allSatisfy({ !$0.isEmpty }) else { return mapped }
        let parts = filters.map { ExpressionSimplifier.conjunction($0) }
        let condition = ExpressionSimplifier.disjunction(parts)
        guard !condition.isTrue else { return mapped }
        with.definition = FilterPushDown(context: context).push(with.definition, condition.conjuncts)
        return .with(with)
    }

    /// The filters directly above each reference, in terms of the definition's columns.
    private func collect(
        _ plan: LogicalPlan, _ id: Int, _ above: [BoundExpression], _ filters: inout [[BoundExpression]]
    ) {
        switch plan {
        case .filter(let condition, let input):
            collect(input, id, above + condition.conjuncts.filter { !$0.isVolatile }, &filters)
        case .withReference(let reference) where reference.id == id:
            let available = ColumnSet(reference.columns.map(\.id))
            var map: [ColumnID: BoundExpression] = [:]
            for (column, source) in zip(reference.columns, reference.sources) {
                map[column.id] = .column(source, column.type)
            }
            let usable = above.filter { $0.columns.isSubset(of: available) && !$0.columns.isEmpty }
            filters.append(usable.map { $0.replacingColumns(map) })
        default: for child in plan.children { collect(child, id, [], &filters) }
        }
    }
}
