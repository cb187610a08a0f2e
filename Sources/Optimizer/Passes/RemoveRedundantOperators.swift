import QueryPlan
import SQLTypes

/// Drops sorts whose order nobody sees, merges equal aggregate calls, and projections that only repeat their input.
struct RemoveRedundantOperators: OptimizerPass {
    let name = "remove_redundant_operators"

    func run(_ query: inout LogicalQuery, _ context: OptimizerContext) throws {
        query.plan = RedundantOperators(context: context).reduce(query.plan, orderMatters: true)
    }
}

private struct RedundantOperators {
    let context: OptimizerContext

    func reduce(_ plan: LogicalPlan, orderMatters: Bool) -> LogicalPlan {
        if context.isStopped { return plan }
        switch plan {
        case .sort(let items, let input):
            let reduced = reduce(input, orderMatters: false)
            guard orderMatters else { return reduced }
            let keys = withoutRepeats(items)
            return keys.isEmpty ? reduced : .sort(keys, reduced)
        case .limit(var limit):
            if limit.count == nil, limit.offset == 0 { return reduce(limit.input, orderMatters: orderMatters) }
            limit.input = reduce(limit.input, orderMatters: true)
            return .limit(limit)
        case .project(let columns, let input):
            let reduced = reduce(input, orderMatters: orderMatters)
            if case .project(let inner, let source) = reduced, let merged = merge(columns, inner) {
                return .project(merged, source)
            }
            return .project(columns, reduced)
        case .filter(let condition, let input): return .filter(condition, reduce(input, orderMatters: orderMatters))
        case .aggregate(let aggregate): return reduce(aggregate)
        case .with(var with):
            with.definition = reduce(with.definition, orderMatters: false)
            if let step = with.recursion?.step { with.recursion?.step = reduce(step, orderMatters: false) }
            with.body = reduce(with.body, orderMatters: orderMatters)
            return .with(with)
        default: return plan.mapChildren { reduce($0, orderMatters: false) }
        }
    }

    /// A key that came before, or a constant, orders nothing.
    private func withoutRepeats(_ items: [SortItem]) -> [SortItem] {
        var known: Set<BoundExpression> = []
        return items.filter { $0.expression.asConstant == nil && known.insert($0.expression).inserted }
    }

    /// Two projections in one when nothing would be computed twice.
    private func merge(_ outer: [ProjectedColumn], _ inner: [ProjectedColumn]) -> [ProjectedColumn]? {
        var definitions: [ColumnID: BoundExpression] = [:]
        for column in inner { definitions[column.id] = column.expression }
        var uses: [ColumnID: Int] = [:]
        for column in outer { column.expression.forEachColumn { uses[$0, default: 0] += 1 } }
        for column in inner where column.expression.asColumn == nil && column.expression.asConstant == nil {
            if uses[column.id, default: 0] > 1 || column.expression.isVolatile { return nil }
        }
        return outer.mapExpressions { $0.replacingColumns(definitions) }
    }

    private func reduce(_ aggregate: LogicalAggregate) -> LogicalPlan {
        var copy = aggregate
        copy.input = reduce(aggregate.input, orderMatters: false)
        var kept: [LogicalAggregate.Aggregate] = []
        var known: [AggregateCall: ColumnID] = [:]
        var repeats: [ProjectedColumn] = []
        for item in aggregate.aggregates {
            let isVolatile = item.call.arguments.contains(where: \.isVolatile)
            if !isVolatile, let first = known[item.call] {
                repeats.append(ProjectedColumn(id: item.id, expression: .column(first, item.call.type)))
            } else {
                kept.append(item)
                if !isVolatile { known[item.call] = item.id }
            }
        }
        guard !repeats.isEmpty else { return .aggregate(copy) }
        copy.aggregates = kept
        var columns = copy.groups.map { ProjectedColumn(id: $0.id, expression: .column($0.id, $0.expression.type)) }
        columns += kept.map { ProjectedColumn(id: $0.id, expression: .column($0.id, $0.call.type)) }
        if let id = copy.groupingColumn { columns.append(ProjectedColumn(id: id, expression: .column(id, .integer))) }
        return .project(columns + repeats, .aggregate(copy))
    }
}
