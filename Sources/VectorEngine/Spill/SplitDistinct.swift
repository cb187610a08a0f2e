import QueryPlan
import SQLTypes

/// DISTINCT aggregates whose values do not fit even for a part of the groups: the pairs of group and value are made
/// distinct by a grouping of their own, which partitions by both, and are aggregated afterwards. Aggregates over
/// different values are computed one after the other over the kept input and put together by group.
extension QueryExecutor {
    func openSplitDistinct(
        _ plan: PhysicalPlan, _ aggregate: PhysicalAggregate, filters: [RuntimeFilter]
    ) throws -> Pipeline {
        let child = plan.children[0]
        let columns = aggregate.columns(of: child)
        let input = try spill(child, columns: columns, filters: aggregate.passable(filters))
        let groups = aggregate.groups.map { OutputColumn(id: $0.id, name: "", type: $0.expression.type) }
        let values = aggregate.aggregates.map { OutputColumn(id: $0.id, name: "", type: $0.call.type) }
        let writer = try resultWriter(groups + values)
        for part in aggregate.distinctParts {
            let executor = partitionExecutor()
            let leaf = executor.leaf(input, columns, replacing: child, depth: 0)
            let pipeline = try executor.open(part.plan(like: plan, aggregate, over: leaf), filters: [])
            let made = Set(part.aggregates.map(\.id))
            for value in values where !made.contains(value.id) {
                pipeline.bind(value.id, .expression(.constant(.null, value.type)))
            }
            try executor.add(pipeline, groups + values, to: writer)
        }
        let rows = try writer.finish()[0]
        let executor = partitionExecutor()
        let leaf = executor.leaf(rows, groups + values, replacing: child, depth: 0)
        let result = try executor.open(aggregate.putTogether(like: plan, over: leaf), filters: [])
        let last = try resultWriter(plan.outputs)
        try executor.add(result, plan.outputs, to: last)
        return pipeline(over: try last.finish()[0], columns: plan.outputs)
    }
}

/// Aggregates that are computed together: all without DISTINCT, or those of one value.
private struct SplitPart {
    /// nil: no DISTINCT.
    var value: BoundExpression?
    var aggregates: [LogicalAggregate.Aggregate]

    /// No column of a query has a number below zero.
    private static let valueID = ColumnID(-1)

    func plan(like plan: PhysicalPlan, _ aggregate: PhysicalAggregate, over input: PhysicalPlan) -> PhysicalPlan {
        var single = aggregate
        single.aggregates = aggregates
        let groups = aggregate.groups.map { OutputColumn(id: $0.id, name: "", type: $0.expression.type) }
        let outputs = groups + aggregates.map { OutputColumn(id: $0.id, name: "", type: $0.call.type) }
        guard let value else { return plan.aggregating(input, single, outputs) }
        var pairs = aggregate
        pairs.aggregates = []
        pairs.groups.append(ProjectedColumn(id: SplitPart.valueID, expression: value))
        let made = OutputColumn(id: SplitPart.valueID, name: "", type: value.type)
        single.groups = aggregate.groups.map {
            ProjectedColumn(id: $0.id, expression: .column($0.id, $0.expression.type))
        }
        single.aggregates = aggregates.map { aggregate in
            var call = aggregate.call
            call.distinct = false
            call.arguments = [.column(SplitPart.valueID, value.type)]
            return LogicalAggregate.Aggregate(id: aggregate.id, call: call)
        }
        // A number that no step has: the two must not be taken for each other.
        let distinct = plan.aggregating(input, pairs, groups + [made], step: ~plan.step)
        return plan.aggregating(distinct, single, outputs)
    }
}

extension PhysicalAggregate {
    /// Some aggregate is DISTINCT, and all those that are have one value and nothing else.
    var canSplitDistinct: Bool {
        groupingSets == nil && aggregates.contains(where: \.call.distinct)
            && groups.allSatisfy(\.expression.canPartition)
            && aggregates.allSatisfy { aggregate in
                let call = aggregate.call
                if call.type == .interval { return false }
                if !call.distinct { return true }
                return call.arguments.count == 1 && call.arguments[0].canPartition && call.filter == nil
                    && call.orderBy.isEmpty
            }
    }

    fileprivate var distinctParts: [SplitPart] {
        let plain = aggregates.filter { !$0.call.distinct }
        var parts = plain.isEmpty ? [] : [SplitPart(value: nil, aggregates: plain)]
        for aggregate in aggregates where aggregate.call.distinct {
            let value = aggregate.call.arguments[0]
            if let index = parts.firstIndex(where: { $0.value == value }) {
                parts[index].aggregates.append(aggregate)
            } else {
                parts.append(SplitPart(value: value, aggregates: [aggregate]))
            }
        }
        return parts
    }

    /// One row a group of rows in which every aggregate has its value once and is NULL elsewhere.
    fileprivate func putTogether(like plan: PhysicalPlan, over input: PhysicalPlan) -> PhysicalPlan {
        var result = self
        result.groups = groups.map {
            ProjectedColumn(id: $0.id, expression: .column($0.id, $0.expression.type))
        }
        result.aggregates = aggregates.map { aggregate in
            let type = aggregate.call.type
            let call = AggregateCall(
                function: type == .boolean ? .boolOr : .maximum, arguments: [.column(aggregate.id, type)], type: type)
            return LogicalAggregate.Aggregate(id: aggregate.id, call: call)
        }
        return plan.aggregating(input, result, plan.outputs)
    }
}

extension PhysicalPlan {
    /// An aggregation in the place of this one.
    fileprivate func aggregating(
        _ input: PhysicalPlan, _ aggregate: PhysicalAggregate, _ outputs: [OutputColumn], step number: Int? = nil
    ) -> PhysicalPlan {
        PhysicalPlan(
            step: number ?? step, operation: .aggregate(aggregate), children: [input], outputs: outputs,
            estimate: estimate, distribution: distribution)
    }
}
