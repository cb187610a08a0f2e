import QueryPlan
import SQLTypes

extension QueryExecutor {
    /// A grouping by partitions of its input: all rows of a group are in one of them. Grouping sets are computed one by
    /// one over the kept input.
    func openSpilledAggregate(
        _ plan: PhysicalPlan, _ aggregate: PhysicalAggregate, filters: [RuntimeFilter]
    ) throws -> Pipeline {
        let child = plan.children[0]
        let columns = aggregate.columns(of: child)
        let depth = spillDepth(plan)
        if aggregate.canSplitDistinct && (depth > 0 || !aggregate.hasPartitions) {
            return try openSplitDistinct(plan, aggregate, filters: filters)
        }
        let writer = try resultWriter(plan.outputs)
        if let sets = aggregate.groupingSets {
            let input = try spill(child, columns: columns)
            for set in sets {
                let executor = partitionExecutor()
                let leaf = executor.leaf(input, columns, replacing: child, depth: depth)
                let pipeline = try executor.openGroupingSet(plan, aggregate, set, leaf)
                try executor.add(pipeline, plan.outputs, to: writer)
            }
        } else {
            let keys = aggregate.groups.map(\.expression).filter(\.canPartition)
            let parts = try partition(
                child, columns: columns, keys: keys, seed: spillSeed(plan), filters: aggregate.passable(filters))
            for part in parts where part.count > 0 {
                let executor = partitionExecutor()
                let leaf = executor.leaf(part, columns, replacing: child, depth: depth + 1)
                try executor.add(executor.open(plan.over([leaf]), filters: []), plan.outputs, to: writer)
            }
        }
        return pipeline(over: try writer.finish()[0], columns: plan.outputs)
    }

    /// One set as a grouping of its own, with NULL for the other groups.
    private func openGroupingSet(
        _ plan: PhysicalPlan, _ aggregate: PhysicalAggregate, _ set: [Int], _ leaf: PhysicalPlan
    ) throws -> Pipeline {
        var single = aggregate
        single.groups = set.map { aggregate.groups[$0] }
        single.groupingSets = nil
        single.groupingColumn = nil
        let made = Set(single.groups.map(\.id) + single.aggregates.map(\.id))
        let outputs = plan.outputs.filter { made.contains($0.id) }
        let pipeline = try open(
            PhysicalPlan(
                step: plan.step, operation: .aggregate(single), children: [leaf], outputs: outputs,
                estimate: plan.estimate, distribution: plan.distribution), filters: [])
        for (index, group) in aggregate.groups.enumerated() where !set.contains(index) {
            pipeline.bind(group.id, .expression(.constant(.null, group.expression.type)))
        }
        if let column = aggregate.groupingColumn {
            var bits: Int128 = 0
            for index in aggregate.groups.indices.prefix(31) where !set.contains(index) { bits |= 1 << index }
            pipeline.bind(column, .expression(.constant(.integer(bits), .integer)))
        }
        return pipeline
    }
}

extension PhysicalAggregate {
    /// Whether there is a form for groups that do not fit, after so many cuts of the input.
    func canSpill(_ depth: Int) -> Bool {
        groupingSets != nil || hasPartitions && depth < QueryExecutor.deepestSpill || canSplitDistinct
    }
    var hasPartitions: Bool { groups.contains { $0.expression.canPartition } }

    /// The input's columns that are read.
    func columns(of child: PhysicalPlan) -> [OutputColumn] {
        var wanted = Set<ColumnID>()
        for group in groups { group.expression.collectColumns(into: &wanted) }
        for aggregate in aggregates {
            for argument in aggregate.call.arguments { argument.collectColumns(into: &wanted) }
            aggregate.call.filter?.collectColumns(into: &wanted)
            for item in aggregate.call.orderBy { item.expression.collectColumns(into: &wanted) }
        }
        return child.outputs.filter { wanted.contains($0.id) }
    }
}
