import Catalog
import QueryPlan

/// Removes columns that nobody reads, with the aggregates, window functions and joins that exist only for them.
struct PruneColumns: OptimizerPass {
    let name = "prune_columns"

    func run(_ query: inout LogicalQuery, _ context: OptimizerContext) throws {
        var pruning = ColumnPruning(context: context)
        query.plan = pruning.prune(query.plan, ColumnSet(query.outputs.map(\.id)))
    }
}

struct ColumnPruning {
    private let context: OptimizerContext
    /// Columns of each common table expression that its references read.
    private var definitionColumns: [Int: ColumnSet] = [:]

    init(context: OptimizerContext) { self.context = context }

    mutating func prune(_ plan: LogicalPlan, _ required: ColumnSet) -> LogicalPlan {
        if context.isStopped { return plan }
        switch plan {
        case .scan(var scan):
            scan.columns = scan.columns.filter { required.contains($0.id) }
            return .scan(scan)
        case .systemScan(var scan):
            let kept = scan.columns.indices.filter { required.contains(scan.columns[$0].id) }
            scan.indexes = kept.map { scan.indexes[$0] }
            scan.columns = kept.map { scan.columns[$0] }
            return .systemScan(scan)
        case .values(var values):
            let kept = values.columns.indices.filter { required.contains(values.columns[$0].id) }
            guard kept.count < values.columns.count else { return plan }
            values.columns = kept.map { values.columns[$0] }
            values.rows = values.rows.map { row in kept.map { row[$0] } }
            return .values(values)
        case .filter(let condition, let input):
            return .filter(condition, prune(input, required.union(condition.columns)))
        case .project(let columns, let input):
            let kept = columns.filter { required.contains($0.id) || $0.expression.isVolatile }
            return .project(kept, prune(input, Self.used(.project(kept, input))))
        case .join(let join): return self.join(join, required)
        case .aggregate(let aggregate): return self.aggregate(aggregate, required)
        case .window(let window): return self.window(window, required)
        case .unnest(var unnest):
            unnest.input = prune(unnest.input, required.union(Self.used(plan)))
            return .unnest(unnest)
        case .sort(let items, let input):
            return .sort(items, prune(input, required.union(Self.used(plan))))
        case .limit(var limit):
            limit.input = prune(limit.input, required)
            return .limit(limit)
        case .setOperation(let operation): return setOperation(operation, required)
        case .with(var with) where with.recursion != nil:
            with.body = prune(with.body, required)
            if var recursion = with.recursion {
                recursion.step = prune(recursion.step, ColumnSet(recursion.stepColumns))
                with.recursion = recursion
            }
            with.definition = prune(with.definition, ColumnSet(with.definitionColumns.map(\.id)))
            return .with(with)
        case .with(var with):
            definitionColumns[with.id] = ColumnSet()
            with.body = prune(with.body, required)
            let read = definitionColumns[with.id] ?? ColumnSet()
            with.definitionColumns = with.definitionColumns.filter { read.contains($0.id) }
            with.definition = prune(with.definition, read)
            return .with(with)
        case .withReference(var reference):
            let kept = reference.columns.indices.filter { required.contains(reference.columns[$0].id) }
            reference.columns = kept.map { reference.columns[$0] }
            reference.sources = kept.map { reference.sources[$0] }
            definitionColumns[reference.id, default: ColumnSet()].formUnion(ColumnSet(reference.sources))
            return .withReference(reference)
        }
    }

    /// Columns that the operator's own expressions read.
    private static func used(_ plan: LogicalPlan) -> ColumnSet {
        var result = ColumnSet()
        plan.forEachExpression { $0.forEachColumn { result.insert($0) } }
        return result
    }

    private mutating func join(_ join: LogicalJoin, _ required: ColumnSet) -> LogicalPlan {
        if case .mark(let id, _) = join.kind, !required.contains(id) { return prune(join.left, required) }
        if join.kind == .left, !join.right.outputColumns.intersects(required),
            PlanKeys.matchesAtMostOnce(join)
        {
            return prune(join.left, required)
        }
        var copy = join
        let needed = required.union(join.condition?.columns ?? ColumnSet())
        copy.left = prune(join.left, needed)
        copy.right = prune(join.right, needed)
        return .join(copy)
    }

    private mutating func aggregate(_ aggregate: LogicalAggregate, _ required: ColumnSet) -> LogicalPlan {
        var copy = aggregate
        copy.aggregates = aggregate.aggregates.filter { required.contains($0.id) }
        if let id = aggregate.groupingColumn, !required.contains(id) { copy.groupingColumn = nil }
        copy.input = prune(aggregate.input, Self.used(.aggregate(copy)))
        return .aggregate(copy)
    }

    private mutating func window(_ window: LogicalWindow, _ required: ColumnSet) -> LogicalPlan {
        var copy = window
        copy.functions = window.functions.filter { required.contains($0.id) }
        if copy.functions.isEmpty { return prune(window.input, required) }
        copy.input = prune(window.input, required.union(Self.used(.window(copy))))
        return .window(copy)
    }

    private mutating func setOperation(_ operation: LogicalSetOperation, _ required: ColumnSet) -> LogicalPlan {
        var copy = operation
        if operation.kind == .union, operation.all {
            let kept = operation.outputs.indices.filter { required.contains(operation.outputs[$0].id) }
            copy.outputs = kept.map { operation.outputs[$0] }
            copy.leftColumns = kept.map { operation.leftColumns[$0] }
            copy.rightColumns = kept.map { operation.rightColumns[$0] }
        }
        copy.left = prune(operation.left, ColumnSet(copy.leftColumns))
        copy.right = prune(operation.right, ColumnSet(copy.rightColumns))
        return .setOperation(copy)
    }
}

/// Sets of output columns whose values never repeat.
enum PlanKeys {
    static func keys(_ plan: LogicalPlan) -> [ColumnSet] {
        switch plan {
        case .scan(let scan):
            return scan.table.declaredKeys.compactMap { key in
                let ids = key.compactMap { index in scan.columns.first { $0.index == index }?.id }
                return ids.count == key.count ? ColumnSet(ids) : nil
            }
        case .filter(_, let input), .sort(_, let input): return keys(input)
        case .limit(let limit): return keys(limit.input)
        case .window(let window): return keys(window.input)
        case .project(let columns, let input):
            var names: [ColumnID: ColumnID] = [:]
            for column in columns { if let source = column.expression.asColumn { names[source] = column.id } }
            return keys(input).compactMap { key in
                let ids = key.elements.compactMap { names[$0] }
                return ids.count == key.count ? ColumnSet(ids) : nil
            }
        case .aggregate(let aggregate):
            guard aggregate.groupingSets == nil else { return [] }
            return [ColumnSet(aggregate.groups.map(\.id))]
        case .setOperation(let operation):
            return operation.all ? [] : [ColumnSet(operation.outputs.map(\.id))]
        case .join(let join):
            switch join.kind {
            case .semi, .anti, .mark, .antiNullAware, .single: return keys(join.left)
            case .inner, .left: return matchesAtMostOnce(join) ? keys(join.left) : []
            case .right, .full: return []
            }
        case .with(let with): return keys(with.body)
        case .systemScan, .values, .withReference, .unnest: return []
        }
    }

    /// Whether a left row has at most one partner: the right side has a key inside its equality columns.
    static func matchesAtMostOnce(_ join: LogicalJoin) -> Bool {
        if join.right.isSingleRow { return true }
        let right = join.right.outputColumns
        var equal = ColumnSet()
        for conjunct in join.condition?.conjuncts ?? [] {
            guard case .comparison(let op, let a, let b) = conjunct, op == .equal || op == .notDistinctFrom else {
                continue
            }
            if let id = a.asColumn, right.contains(id), !b.columns.intersects(right) { equal.insert(id) }
            if let id = b.asColumn, right.contains(id), !a.columns.intersects(right) { equal.insert(id) }
        }
        return keys(join.right).contains { $0.isSubset(of: equal) }
    }
}
