import QueryPlan
import SQLTypes

/// Checks a physical plan: every step reads only what its children deliver, and join keys belong to their sides.
struct PhysicalVerifier {
    var budget = PlanningBudget()

    func verify(_ query: PhysicalQuery) throws {
        var definitions: [Int: ColumnSet] = [:]
        try verify(query.plan, &definitions)
        let available = ColumnSet(query.plan.outputs.map(\.id))
        for output in query.outputs where !available.contains(output.id) {
            throw error(query.plan, "result column \(output.name) \(output.id) is not delivered")
        }
        if query.plan.distribution != .leader { throw error(query.plan, "the result is not on the leader") }
    }

    private func error(_ plan: PhysicalPlan, _ message: String) -> SQLError {
        SQLError(.internalError, "physical plan is invalid at step \(plan.step): \(message)")
    }

    private func verify(_ plan: PhysicalPlan, _ definitions: inout [Int: ColumnSet]) throws {
        try budget.check()
        for (index, child) in plan.children.enumerated() {
            try verify(child, &definitions)
            if case .with(let id, _) = plan.operation, index == 0 {
                definitions[id] = ColumnSet(child.outputs.map(\.id))
            }
            if case .recursiveWith(let recursion) = plan.operation, index == 0 {
                definitions[recursion.id] = ColumnSet(recursion.columns.map(\.id))
                definitions[recursion.workingID] = ColumnSet(recursion.columns.map(\.id))
            }
        }
        var input = ColumnSet()
        for child in plan.children { for output in child.outputs { input.insert(output.id) } }
        let produced = try check(plan, input, definitions)
        for output in plan.outputs where !produced.contains(output.id) {
            throw error(plan, "output \(output.id) is not produced")
        }
    }

    private func require(_ expression: BoundExpression, _ available: ColumnSet, _ plan: PhysicalPlan) throws {
        guard !expression.columns.isSubset(of: available) else { return }
        let missing = expression.columns.subtracting(available).elements
        throw error(plan, "\(missing) is read but not delivered")
    }

    /// Checks what the step reads and gives back what it can deliver.
    private func check(
        _ plan: PhysicalPlan, _ input: ColumnSet, _ definitions: [Int: ColumnSet]
    ) throws -> ColumnSet {
        switch plan.operation {
        case .tableScan(let scan):
            let columns = ColumnSet(scan.columns.map(\.id))
            for conjunct in scan.conjuncts { try require(conjunct, columns, plan) }
            return columns
        case .systemScan(let scan): return ColumnSet(scan.columns.map(\.id))
        case .values(let values): return ColumnSet(values.columns.map(\.id))
        case .filter(let conjuncts): for conjunct in conjuncts { try require(conjunct, input, plan) }
        case .project(let columns):
            for column in columns { try require(column.expression, input, plan) }
            return ColumnSet(columns.map(\.id))
        case .join(let join): return try check(join, plan, input)
        case .aggregate(let aggregate):
            for group in aggregate.groups { try require(group.expression, input, plan) }
            for item in aggregate.aggregates { for value in item.call.arguments { try require(value, input, plan) } }
            var result = ColumnSet(aggregate.groups.map(\.id) + aggregate.aggregates.map(\.id))
            if let id = aggregate.groupingColumn { result.insert(id) }
            return result
        case .window(let window):
            for key in window.partitionBy { try require(key, input, plan) }
            for item in window.orderBy { try require(item.expression, input, plan) }
            for value in window.functions.flatMap(\.call.arguments) { try require(value, input, plan) }
            return input.union(ColumnSet(window.functions.map(\.id)))
        case .unnest(let unnest):
            try require(unnest.source, input, plan)
            return input.union(ColumnSet(unnest.columns.map(\.id)))
        case .sort(let items), .topN(let items, _, _), .gather(let items):
            for item in items { try require(item.expression, input, plan) }
        case .append(let inputs):
            for (columns, child) in zip(inputs, plan.children) { try require(columns, child, plan) }
            return ColumnSet(plan.outputs.map(\.id))
        case .setOperation(_, _, let left, let right):
            try require(left, plan.children[0], plan)
            try require(right, plan.children[1], plan)
            return ColumnSet(plan.outputs.map(\.id))
        case .withReference(let id, _, let sources):
            guard ColumnSet(sources).isSubset(of: definitions[id] ?? ColumnSet()) else {
                throw error(plan, "common table expression \(id) lacks a column")
            }
            return ColumnSet(plan.outputs.map(\.id))
        case .recursiveWith(let recursion):
            try require(recursion.columns.map(\.id), plan.children[0], plan)
            try require(recursion.stepColumns, plan.children[1], plan)
        case .limit, .with: break
        }
        return input
    }

    private func require(_ columns: [ColumnID], _ child: PhysicalPlan, _ plan: PhysicalPlan) throws {
        guard ColumnSet(columns).isSubset(of: ColumnSet(child.outputs.map(\.id))) else {
            throw error(plan, "an input lacks a column")
        }
    }

    private func check(_ join: PhysicalJoin, _ plan: PhysicalPlan, _ input: ColumnSet) throws -> ColumnSet {
        let outer = ColumnSet(plan.children[0].outputs.map(\.id))
        let inner = ColumnSet(plan.children[1].outputs.map(\.id))
        for key in join.keys {
            try require(key.outer, outer, plan)
            try require(key.inner, inner, plan)
        }
        for conjunct in join.residual { try require(conjunct, input, plan) }
        switch join.kind {
        case .inner, .left, .right, .full, .single: return input
        case .semi, .anti, .antiNullAware: return outer
        case .rightSemi, .rightAnti: return inner
        case .mark(let id, _):
            var result = outer
            result.insert(id)
            return result
        }
    }
}
