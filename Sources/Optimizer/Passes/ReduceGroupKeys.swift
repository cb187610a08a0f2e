import Catalog
import QueryPlan
import SQLTypes

/// Groups by fewer columns when declared keys determine the others (`GROUP BY o_orderkey, o_orderdate`): those become
/// ANY_VALUE aggregates, which cost a store per group and not a comparison per row. What is computed from other group
/// columns (`GROUP BY a, a - 1`) is computed from the groups.
struct ReduceGroupKeys: OptimizerPass {
    let name = "reduce_group_keys"

    func run(_ query: inout LogicalQuery, _ context: OptimizerContext) throws {
        query.plan = try reduce(query.plan, context)
    }

    private func reduce(_ plan: LogicalPlan, _ context: OptimizerContext) throws -> LogicalPlan {
        try context.budget.check()
        let mapped = try plan.mapChildren { try reduce($0, context) }
        guard case .aggregate(let aggregate) = mapped, aggregate.groups.count > 1, aggregate.groupingSets == nil
        else { return mapped }
        return try withoutComputedKeys(aggregate, context) ?? withoutDeterminedKeys(aggregate, context)
    }

    /// What is computed from other group columns is computed once a group, afterwards.
    private func withoutComputedKeys(
        _ aggregate: LogicalAggregate, _ context: OptimizerContext
    ) throws -> LogicalPlan? {
        var plain: [ColumnID: BoundExpression] = [:]
        for group in aggregate.groups {
            // 'x' and 'x ' are one group, but two with their lengths beside them.
            guard let id = group.expression.asColumn, group.expression.type.family.equalIsSame
            else { continue }
            plain[id] = .column(group.id, group.expression.type)
        }
        let isComputed = aggregate.groups.map { group in
            guard group.expression.asColumn == nil, !group.expression.isVolatile else { return false }
            return group.expression.columns.elements.allSatisfy { plain[$0] != nil }
        }
        guard !plain.isEmpty, isComputed.contains(true) else { return nil }
        var copy = aggregate
        copy.groups = zip(aggregate.groups, isComputed).filter { !$1 }.map(\.0)
        let groups = zip(aggregate.groups, isComputed).map { group, isComputed in
            ProjectedColumn(
                id: group.id,
                expression: isComputed
                    ? group.expression.replacingColumns(plain) : .column(group.id, group.expression.type))
        }
        let values = aggregate.aggregates.map {
            ProjectedColumn(id: $0.id, expression: .column($0.id, $0.call.type))
        }
        let below = copy.groups.count > 1 ? try withoutDeterminedKeys(copy, context) : .aggregate(copy)
        return .project(groups + values, below)
    }

    private func withoutDeterminedKeys(
        _ aggregate: LogicalAggregate, _ context: OptimizerContext
    ) throws -> LogicalPlan {
        let mapped = LogicalPlan.aggregate(aggregate)
        var dependencies = FunctionalDependencies()
        dependencies.collect(aggregate.input)
        guard !dependencies.isEmpty else { return mapped }
        var removable: [Int] = []
        var kept = ColumnSet(aggregate.groups.compactMap(\.expression.asColumn))
        for index in removalOrder(aggregate.groups) {
            try context.budget.check()
            guard let id = aggregate.groups[index].expression.asColumn, kept.contains(id) else { continue }
            var others = kept
            others.remove(id)
            if dependencies.closure(of: others).contains(id) {
                kept = others
                removable.append(index)
            }
        }
        guard !removable.isEmpty, removable.count < aggregate.groups.count else { return mapped }
        var copy = aggregate
        copy.groups = aggregate.groups.indices.filter { !removable.contains($0) }.map { aggregate.groups[$0] }
        for index in removable.sorted() {
            let group = aggregate.groups[index]
            let call = AggregateCall(function: .anyValue, arguments: [group.expression], type: group.expression.type)
            copy.aggregates.append(LogicalAggregate.Aggregate(id: group.id, call: call))
        }
        return .aggregate(copy)
    }

    /// Strings go first, so that a number remains where there is a choice.
    private func removalOrder(_ groups: [ProjectedColumn]) -> [Int] {
        let strings = groups.indices.filter { groups[$0].expression.type.isString }
        return strings + groups.indices.reversed().filter { !groups[$0].expression.type.isString }
    }
}

/// Which columns determine which: declared keys of scanned tables, and equalities of inner joins.
struct FunctionalDependencies {
    private var rules: [(determinant: ColumnSet, dependent: ColumnSet)] = []

    var isEmpty: Bool { rules.isEmpty }

    mutating func collect(_ plan: LogicalPlan) {
        switch plan {
        case .scan(let scan):
            for key in scan.table.declaredKeys {
                let ids = key.compactMap { index in scan.columns.first { $0.index == index }?.id }
                // Rows with a NULL in a UNIQUE key are not determined by it.
                guard ids.count == key.count, key.allSatisfy({ scan.table.columns[$0].notNull }) else { continue }
                rules.append((ColumnSet(ids), ColumnSet(scan.columns.map(\.id))))
            }
        case .filter(let condition, let input):
            addEqualities(condition)
            collect(input)
        case .join(let join):
            switch join.kind {
            case .full, .right: return
            case .inner:
                if let condition = join.condition { addEqualities(condition) }
                collect(join.right)
            case .left, .single: collect(join.right)
            case .semi, .anti, .mark, .antiNullAware: break
            }
            collect(join.left)
        case .project(let columns, let input):
            collect(input)
            for column in columns {
                guard let source = column.expression.asColumn, source != column.id else { continue }
                rules.append((ColumnSet(source), ColumnSet(column.id)))
                rules.append((ColumnSet(column.id), ColumnSet(source)))
            }
        case .aggregate(let aggregate) where aggregate.groupingSets == nil && !aggregate.groups.isEmpty:
            let outputs = plan.outputColumns
            rules.append((ColumnSet(aggregate.groups.map(\.id)), outputs))
        case .sort(_, let input): collect(input)
        case .limit(let limit): collect(limit.input)
        case .window(let window): collect(window.input)
        case .unnest(let unnest): collect(unnest.input)
        case .aggregate, .systemScan, .values, .setOperation, .with, .withReference: break
        }
    }

    private mutating func addEqualities(_ condition: BoundExpression) {
        for conjunct in condition.conjuncts {
            guard case .comparison(.equal, .column(let a, _), .column(let b, _)) = conjunct else { continue }
            rules.append((ColumnSet(a), ColumnSet(b)))
            rules.append((ColumnSet(b), ColumnSet(a)))
        }
    }

    func closure(of columns: ColumnSet) -> ColumnSet {
        var result = columns
        var changed = true
        while changed {
            changed = false
            for rule in rules where rule.determinant.isSubset(of: result) && !rule.dependent.isSubset(of: result) {
                result.formUnion(rule.dependent)
                changed = true
            }
        }
        return result
    }
}
