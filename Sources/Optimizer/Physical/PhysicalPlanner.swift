import Catalog
import QueryPlan
import SQLTypes

/// Chooses an operator for every node of the logical plan, where its rows are, and what moves. Works bottom-up once;
/// column requirements come from above.
final class PhysicalPlanner {
    let context: OptimizerContext
    let estimator: CardinalityEstimator
    private var nextStep = 1
    private var definitions: [Int: Planned] = [:]

    /// A planned subtree with what is estimated of it.
    struct Planned {
        var node: PhysicalPlan
        var profile: PlanProfile
        var distribution: Distribution { node.distribution }
    }

    init(context: OptimizerContext) {
        self.context = context
        estimator = CardinalityEstimator(context: context)
    }

    static func plan(_ query: LogicalQuery, _ context: OptimizerContext) throws -> PhysicalQuery {
        let planner = PhysicalPlanner(context: context)
        let planned = try planner.plan(query.plan, ColumnSet(query.outputs.map(\.id)))
        return PhysicalQuery(plan: planner.gathered(planned, merge: []).node, outputs: query.outputs)
    }

    // MARK: Nodes

    func makeNode(
        _ operation: PhysicalOperation, _ children: [Planned], _ outputs: [ColumnID], _ profile: PlanProfile,
        _ distribution: Distribution, storedRows: Double = 0
    ) -> Planned {
        let columns = outputs.map(context.output)
        var width = 0.0
        for id in outputs { width += context.facts(id).width }
        let cost = PlanCost.cost(
            operation, children.map(\.node), rows: profile.rows, storedRows: storedRows, shape: context.shape)
        let estimate = Estimate(
            rows: profile.rows.rounded(), width: width, startupCost: cost.startup, totalCost: cost.total)
        let node = PhysicalPlan(
            step: nextStep, operation: operation, children: children.map(\.node), outputs: columns,
            estimate: estimate, distribution: distribution)
        nextStep += 1
        return Planned(node: node, profile: profile)
    }

    func outputIDs(_ planned: Planned, _ required: ColumnSet) -> [ColumnID] {
        planned.node.outputs.lazy.map(\.id).filter { required.contains($0) }
    }

    func gathered(_ planned: Planned, merge: [SortItem]) -> Planned {
        if planned.distribution == .leader { return planned }
        let ids = planned.node.outputs.map(\.id)
        return makeNode(.gather(merge: merge), [planned], ids, planned.profile, .leader)
    }

    func plan(_ plan: LogicalPlan, _ required: ColumnSet) throws -> Planned {
        try context.budget.check()
        switch plan {
        case .scan(let scan): return self.scan(scan, [], required)
        case .systemScan(let scan):
            let ids = scan.columns.map(\.id)
            return makeNode(.systemScan(scan), [], ids, estimator.profile(plan), .leader)
        case .values(let values):
            return makeNode(.values(values), [], values.columns.map(\.id), estimator.profile(plan), .leader)
        case .filter(let condition, let input): return try filter(condition, input, required)
        case .project(let columns, let input): return try project(columns, input, required)
        case .join(let join): return try self.join(join, required)
        case .aggregate(let aggregate): return try self.aggregate(aggregate, required)
        case .window(let window): return try self.window(window, required)
        case .unnest(let unnest): return try self.unnest(unnest, required)
        case .sort(let items, let input): return try sort(items, input, required)
        case .limit(let limit): return try self.limit(limit, required)
        case .setOperation(let operation): return try setOperation(operation, required)
        case .with(let with): return try self.with(with, required)
        case .withReference(let reference): return self.reference(reference)
        }
    }

    // MARK: Leaves and row-wise operators

    private func scan(_ scan: LogicalScan, _ conjuncts: [BoundExpression], _ required: ColumnSet) -> Planned {
        var read = required
        for conjunct in conjuncts { read.formUnion(conjunct.columns) }
        let columns = scan.columns.filter { read.contains($0.id) }
        var profile = estimator.scan(scan)
        let storedRows = profile.rows
        if !conjuncts.isEmpty { profile = estimator.filter(conjuncts, profile) }
        let operation = PhysicalTableScan(
            table: scan.table, alias: scan.alias, columns: columns, conjuncts: conjuncts)
        let outputs = columns.map(\.id).filter { required.contains($0) }
        return makeNode(
            .tableScan(operation), [], outputs, profile, placement(scan, outputs), storedRows: storedRows)
    }

    private func placement(_ scan: LogicalScan, _ outputs: [ColumnID]) -> Distribution {
        if context.isReplicated(scan.table) { return .replicated }
        switch scan.table.distribution {
        case .all, .even, .auto: return .arbitrary
        case .key(let index):
            guard let column = scan.columns.first(where: { $0.index == index }), outputs.contains(column.id) else {
                return .arbitrary
            }
            return .hash([[column.id]])
        }
    }

    private func filter(_ condition: BoundExpression, _ input: LogicalPlan, _ required: ColumnSet) throws -> Planned {
        let conjuncts = condition.conjuncts
        if case .scan(let table) = input, !condition.isVolatile { return scan(table, conjuncts, required) }
        let child = try plan(input, required.union(condition.columns))
        let profile = estimator.filter(conjuncts, child.profile)
        return makeNode(.filter(conjuncts), [child], outputIDs(child, required), profile, child.distribution)
    }

    private func project(
        _ columns: [ProjectedColumn], _ input: LogicalPlan, _ required: ColumnSet
    ) throws -> Planned {
        let kept = columns.filter { required.contains($0.id) }
        var needed = ColumnSet()
        for column in kept { column.expression.forEachColumn { needed.insert($0) } }
        let child = try plan(input, needed)
        if kept.allSatisfy({ $0.expression.asColumn == $0.id }), kept.count == child.node.outputs.count { return child }
        return projected(kept, child)
    }

    private func projected(_ columns: [ProjectedColumn], _ child: Planned) -> Planned {
        let profile = estimator.project(columns, child.profile)
        return makeNode(
            .project(columns), [child], columns.map(\.id), profile, child.distribution.renamed(columns))
    }

    /// The child with a column for every sort key, and the keys as those columns.
    private func withKeyColumns(_ items: [SortItem], _ child: Planned) -> (Planned, [SortItem]) {
        guard items.contains(where: { $0.expression.asColumn == nil }) else { return (child, items) }
        var columns = child.node.outputs.map { ProjectedColumn(id: $0.id, expression: .column($0.id, $0.type)) }
        let keys = items.map { item in
            guard item.expression.asColumn == nil else { return item }
            let id = context.makeColumn("sort key", item.expression.type)
            columns.append(ProjectedColumn(id: id, expression: item.expression))
            var copy = item
            copy.expression = .column(id, item.expression.type)
            return copy
        }
        return (projected(columns, child), keys)
    }

    // MARK: Order and limits

    private func keyColumns(_ items: [SortItem]) -> ColumnSet {
        var result = ColumnSet()
        for item in items { item.expression.forEachColumn { result.insert($0) } }
        return result
    }

    private func sort(_ items: [SortItem], _ input: LogicalPlan, _ required: ColumnSet) throws -> Planned {
        let child = try plan(input, required.union(keyColumns(items)))
        let (source, keys) = withKeyColumns(items, child)
        let ids = source.node.outputs.map(\.id)
        let sorted = makeNode(.sort(keys), [source], ids, source.profile, source.distribution)
        return gathered(sorted, merge: keys)
    }

    private func limit(_ limit: LogicalLimit, _ required: ColumnSet) throws -> Planned {
        if case .project(let columns, let input) = limit.input,
            !columns.contains(where: { $0.expression.isVolatile })
        {
            var below = limit
            below.input = input
            return try project(columns, .limit(below), required)
        }
        if case .sort(let items, let input) = limit.input, let count = limit.count {
            return try topRows(items, input, count: count, limit, required)
        }
        var child = try plan(limit.input, required)
        let profile = estimator.limit(limit, child.profile)
        let ids = child.node.outputs.map(\.id)
        if child.distribution != .leader {
            if let count = limit.count {
                let local = PhysicalOperation.limit(count: limit.offset.addingClamped(count), offset: 0)
                child = makeNode(local, [child], ids, profile, child.distribution)
            }
            child = gathered(child, merge: [])
        }
        return makeNode(.limit(count: limit.count, offset: limit.offset), [child], ids, profile, .leader)
    }

    private func topRows(
        _ items: [SortItem], _ input: LogicalPlan, count: Int64, _ limit: LogicalLimit, _ required: ColumnSet
    ) throws -> Planned {
        let child = try plan(input, required.union(keyColumns(items)))
        let (source, keys) = withKeyColumns(items, child)
        let ids = source.node.outputs.map(\.id)
        let profile = estimator.limit(limit, source.profile)
        if source.distribution == .leader {
            let operation = PhysicalOperation.topN(keys, count: count, offset: limit.offset)
            return makeNode(operation, [source], ids, profile, .leader)
        }
        let total = limit.offset.addingClamped(count)
        var kept = source.profile
        kept.rows = min(kept.rows, Double(total))
        let top = makeNode(.topN(keys, count: total, offset: 0), [source], ids, kept, source.distribution)
        let merged = gathered(top, merge: keys)
        return makeNode(.limit(count: count, offset: limit.offset), [merged], ids, profile, .leader)
    }

    // MARK: Grouping and windows

    private func aggregate(_ aggregate: LogicalAggregate, _ required: ColumnSet) throws -> Planned {
        var copy = aggregate
        copy.aggregates = aggregate.aggregates.filter { required.contains($0.id) }
        var needed = ColumnSet()
        LogicalPlan.aggregate(copy).forEachExpression { $0.forEachColumn { needed.insert($0) } }
        let child = try plan(aggregate.input, needed)
        let profile = estimator.aggregate(copy, child.profile)
        var outputs = copy.groups.map(\.id).filter { required.contains($0) } + copy.aggregates.map(\.id)
        if let id = copy.groupingColumn { outputs.append(id) }
        let isPlain = copy.groups.isEmpty && copy.groupingSets == nil
        let (colocated, distribution) = groupDistribution(copy, child.distribution)
        let operation = PhysicalAggregate(
            method: isPlain ? .plain : .hash, groups: copy.groups, aggregates: copy.aggregates,
            groupingSets: copy.groupingSets, groupingColumn: copy.groupingColumn, colocated: colocated)
        return makeNode(.aggregate(operation), [child], outputs, profile, distribution)
    }

    private func groupDistribution(_ aggregate: LogicalAggregate, _ input: Distribution) -> (Bool, Distribution) {
        if input == .leader { return (true, .leader) }
        if aggregate.groupingSets != nil { return (false, .arbitrary) }
        if aggregate.groups.isEmpty { return (false, .leader) }
        if case .hash = input {
            let renamed = input.renamed(aggregate.groups)
            if renamed != .arbitrary { return (true, renamed) }
        }
        return (false, .hash(aggregate.groups.map { [$0.id] }))
    }

    private func window(_ window: LogicalWindow, _ required: ColumnSet) throws -> Planned {
        var needed = required
        LogicalPlan.window(window).forEachExpression { $0.forEachColumn { needed.insert($0) } }
        let ids = ColumnSet(window.functions.map(\.id))
        let child = try plan(window.input, needed.subtracting(ids))
        let outputs = child.node.outputs.map(\.id) + window.functions.map(\.id)
        let specification = LogicalWindowSpecification(
            partitionBy: window.partitionBy, orderBy: window.orderBy, functions: window.functions)
        let distribution = windowDistribution(window.partitionBy, child.distribution)
        return makeNode(
            .window(specification), [child], outputs.filter { required.contains($0) }, child.profile, distribution)
    }

    private func unnest(_ unnest: LogicalUnnest, _ required: ColumnSet) throws -> Planned {
        let own = unnest.specification.columns.map(\.id)
        let needed = required.union(unnest.specification.source.columns).subtracting(ColumnSet(own))
        let child = try plan(unnest.input, needed)
        let outputs = child.node.outputs.map(\.id) + own
        return makeNode(
            .unnest(unnest.specification), [child], outputs.filter { required.contains($0) },
            estimator.elements(child.profile), child.distribution)
    }

    private func windowDistribution(_ partitionBy: [BoundExpression], _ input: Distribution) -> Distribution {
        if input == .leader || partitionBy.isEmpty { return .leader }
        let keys = Set(partitionBy.compactMap(\.asColumn))
        if case .hash(let sets) = input, sets.allSatisfy({ !$0.isDisjoint(with: keys) }) { return input }
        return keys.count == partitionBy.count ? .hash(keys.sorted().map { [$0] }) : .arbitrary
    }

    // MARK: Sets and common table expressions

    private func setOperation(_ operation: LogicalSetOperation, _ required: ColumnSet) throws -> Planned {
        guard operation.kind == .union else {
            let left = try plan(operation.left, ColumnSet(operation.leftColumns))
            let right = try plan(operation.right, ColumnSet(operation.rightColumns))
            let ids = operation.outputs.map(\.id)
            let isLeader = left.distribution == .leader && right.distribution == .leader
            return makeNode(
                .setOperation(
                    operation.kind, all: operation.all, left: operation.leftColumns, right: operation.rightColumns),
                [left, right], ids, estimator.setOperation(operation, left.profile, right.profile),
                isLeader ? .leader : .hash(ids.map { [$0] }))
        }
        let appended = try append(operation)
        guard !operation.all else { return appended }
        let groups = operation.outputs.map { ProjectedColumn(id: $0.id, expression: .column($0.id, $0.type)) }
        let grouping = LogicalAggregate(groups: groups, aggregates: [], input: .setOperation(operation))
        let profile = estimator.setOperation(operation, appended.profile, PlanProfile(rows: 0))
        let (colocated, distribution) = groupDistribution(grouping, appended.distribution)
        let aggregate = PhysicalAggregate(method: .hash, groups: groups, aggregates: [], colocated: colocated)
        return makeNode(.aggregate(aggregate), [appended], operation.outputs.map(\.id), profile, distribution)
    }

    /// Nested unions become one step with many inputs.
    private func append(_ operation: LogicalSetOperation) throws -> Planned {
        var inputs: [(plan: LogicalPlan, columns: [ColumnID])] = []
        func collect(_ plan: LogicalPlan, _ columns: [ColumnID], _ allRowsCount: Bool) {
            if case .setOperation(let inner) = plan, inner.kind == .union, inner.all || !allRowsCount {
                let positions = columns.compactMap { id in inner.outputs.firstIndex { $0.id == id } }
                if positions.count == columns.count {
                    collect(inner.left, positions.map { inner.leftColumns[$0] }, allRowsCount)
                    collect(inner.right, positions.map { inner.rightColumns[$0] }, allRowsCount)
                    return
                }
            }
            inputs.append((plan, columns))
        }
        collect(operation.left, operation.leftColumns, operation.all)
        collect(operation.right, operation.rightColumns, operation.all)
        let children = try inputs.map { try plan($0.plan, ColumnSet($0.columns)) }
        let rows = children.reduce(0) { $0 + $1.profile.rows }
        let isLeader = children.allSatisfy { $0.distribution == .leader }
        return makeNode(
            .append(inputs: inputs.map(\.columns)), children, operation.outputs.map(\.id), PlanProfile(rows: rows),
            isLeader ? .leader : .arbitrary)
    }

    private func recursive(
        _ with: LogicalWith, _ recursion: LogicalRecursion, _ required: ColumnSet
    ) throws -> Planned {
        let first = try plan(with.definition, ColumnSet(with.definitionColumns.map(\.id)))
        estimator.setRecursion(with, recursion)
        let step = try plan(recursion.step, ColumnSet(recursion.stepColumns))
        let body = try plan(with.body, required)
        let operation = PhysicalRecursion(
            id: with.id, workingID: recursion.workingID, name: with.name, columns: with.definitionColumns,
            stepColumns: recursion.stepColumns)
        return makeNode(
            .recursiveWith(operation), [first, step, body], body.node.outputs.map(\.id), body.profile,
            body.distribution)
    }

    private func with(_ with: LogicalWith, _ required: ColumnSet) throws -> Planned {
        if let recursion = with.recursion { return try recursive(with, recursion, required) }
        let definition = try plan(with.definition, ColumnSet(with.definitionColumns.map(\.id)))
        definitions[with.id] = definition
        estimator.setDefinition(with.id, definition.profile)
        let body = try plan(with.body, required)
        let ids = body.node.outputs.map(\.id)
        return makeNode(.with(id: with.id, name: with.name), [definition, body], ids, body.profile, body.distribution)
    }

    private func reference(_ reference: LogicalWithReference) -> Planned {
        let columns = zip(reference.columns, reference.sources).map {
            ProjectedColumn(id: $0.id, expression: .column($1, $0.type))
        }
        let distribution = definitions[reference.id]?.distribution.renamed(columns) ?? .arbitrary
        return makeNode(
            .withReference(id: reference.id, alias: reference.alias, sources: reference.sources), [],
            reference.columns.map(\.id), estimator.reference(reference), distribution)
    }
}

extension Distribution {
    /// The same placement in terms of projected columns; arbitrary when a hash column is projected away.
    func renamed(_ columns: [ProjectedColumn]) -> Distribution {
        guard case .hash(let sets) = self else { return self }
        var result: [Set<ColumnID>] = []
        for set in sets {
            var names: Set<ColumnID> = []
            for column in columns {
                if let source = column.expression.asColumn, set.contains(source) { names.insert(column.id) }
            }
            if names.isEmpty { return .arbitrary }
            result.append(names)
        }
        return .hash(result)
    }
}
