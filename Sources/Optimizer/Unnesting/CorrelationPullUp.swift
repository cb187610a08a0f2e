import QueryPlan
import SQLTypes

/// The short way out of a correlated subquery: its correlated predicates are lifted above its plan, where they become
/// part of the condition of an ordinary join. Works when they sit in filters below operators that let them pass.
struct CorrelationPullUp {
    /// Columns of the enclosing query.
    let outer: ColumnSet

    struct Result {
        /// Without columns of `outer`.
        var plan: LogicalPlan
        var predicates: [BoundExpression] = []
        /// Set behind an aggregate without groups, which now has groups: values of its columns for outer rows without a
        /// group ("no rows" still counts 0), and the group columns.
        var missing: MissingGroup?
    }
    struct MissingGroup {
        var values: [ColumnID: BoundExpression]
        var keys: [ColumnID]
    }

    /// nil when the general method is needed.
    func pull(_ plan: LogicalPlan) -> Result? {
        guard plan.freeColumns.intersects(outer) else { return Result(plan: plan) }
        switch plan {
        case .filter(let condition, let input): return filter(condition, input)
        case .project(let columns, let input): return project(columns, input)
        case .join(let join): return self.join(join)
        case .aggregate(let aggregate): return self.aggregate(aggregate)
        case .window(let window): return self.window(window)
        case .sort(let items, let input):
            guard !items.contains(where: { isCorrelated($0.expression) }) else { return nil }
            return pull(input)
        case .with(var with):
            guard !with.definition.freeColumns.intersects(outer), with.recursion == nil, var result = pull(with.body)
            else { return nil }
            with.body = result.plan
            result.plan = .with(with)
            return result
        case .scan, .systemScan, .values, .limit, .setOperation, .withReference, .unnest: return nil
        }
    }

    private func isCorrelated(_ expression: BoundExpression) -> Bool { expression.columns.intersects(outer) }

    private func filter(_ condition: BoundExpression, _ input: LogicalPlan) -> Result? {
        guard var result = pull(input), result.missing == nil else { return nil }
        var kept: [BoundExpression] = []
        for conjunct in condition.conjuncts {
            if isCorrelated(conjunct) { result.predicates.append(conjunct) } else { kept.append(conjunct) }
        }
        result.plan = result.plan.filtered(kept)
        return result
    }

    private func project(_ columns: [ProjectedColumn], _ input: LogicalPlan) -> Result? {
        guard !columns.contains(where: { isCorrelated($0.expression) }), var result = pull(input) else { return nil }
        var columns = columns
        var present = ColumnSet(columns.map(\.id))
        func pass(_ id: ColumnID, _ expression: BoundExpression) {
            guard !present.contains(id) else { return }
            present.insert(id)
            columns.append(ProjectedColumn(id: id, expression: expression))
        }
        for predicate in result.predicates {
            predicate.forEachColumnReference { id, type in if !outer.contains(id) { pass(id, .column(id, type)) } }
        }
        if let missing = result.missing {
            for column in columns where missing.values[column.id] == nil && !missing.keys.contains(column.id) {
                let value = column.expression.replacingColumns(missing.values)
                let isNull = value.isStrict(in: ColumnSet())
                result.missing?.values[column.id] =
                    isNull ? .constant(.null, value.type) : ExpressionSimplifier.simplify(value)
            }
        }
        result.plan = .project(columns, result.plan)
        return result
    }

    private func join(_ join: LogicalJoin) -> Result? {
        var join = join
        guard let left = pull(join.left), left.missing == nil else { return nil }
        var result = Result(plan: left.plan, predicates: left.predicates)
        if join.kind == .inner {
            guard let right = pull(join.right), right.missing == nil else { return nil }
            join.right = right.plan
            result.predicates += right.predicates
            var kept: [BoundExpression] = []
            for conjunct in join.condition?.conjuncts ?? [] {
                if isCorrelated(conjunct) { result.predicates.append(conjunct) } else { kept.append(conjunct) }
            }
            join.condition = .conjunction(kept)
        } else {
            switch join.kind {
            case .left, .semi, .anti, .mark, .single, .antiNullAware: break
            case .inner, .right, .full: return nil
            }
            let correlated = join.condition.map(isCorrelated) ?? false
            guard !correlated, !join.right.freeColumns.intersects(outer) else { return nil }
        }
        join.left = left.plan
        result.plan = .join(join)
        return result
    }

    /// Splits `inner = outer` predicates; nil when one is something else.
    private func equalityKeys(_ predicates: [BoundExpression]) -> [(inner: BoundExpression, outer: BoundExpression)]? {
        var keys: [(inner: BoundExpression, outer: BoundExpression)] = []
        for predicate in predicates {
            guard case .comparison(.equal, let left, let right) = predicate else { return nil }
            let leftColumns = left.columns
            let rightColumns = right.columns
            if !leftColumns.intersects(outer), rightColumns.isSubset(of: outer) {
                keys.append((left, right))
            } else if !rightColumns.intersects(outer), leftColumns.isSubset(of: outer) {
                keys.append((right, left))
            } else {
                return nil
            }
        }
        return keys
    }

    private func aggregate(_ aggregate: LogicalAggregate) -> Result? {
        var correlated = false
        LogicalPlan.aggregate(aggregate).forEachExpression { if isCorrelated($0) { correlated = true } }
        guard !correlated, aggregate.groupingSets == nil, let input = pull(aggregate.input), input.missing == nil,
            let keys = equalityKeys(input.predicates)
        else { return nil }
        var copy = aggregate
        copy.input = input.plan
        var result = Result(plan: input.plan)
        var keyColumns: [ColumnID] = []
        for key in keys {
            guard let id = key.inner.asColumn else { return nil }
            var groupID = id
            if let group = copy.groups.first(where: { $0.expression == key.inner }) {
                groupID = group.id
            } else {
                copy.groups.append(ProjectedColumn(id: id, expression: key.inner))
            }
            keyColumns.append(groupID)
            result.predicates.append(.comparison(.equal, .column(groupID, key.inner.type), key.outer))
        }
        if aggregate.groups.isEmpty {
            var values: [ColumnID: BoundExpression] = [:]
            for item in copy.aggregates {
                let value: Datum = item.call.function.isCount ? item.call.function.valueOfNoRows : .null
                values[item.id] = .constant(value, item.call.type)
            }
            result.missing = MissingGroup(values: values, keys: keyColumns)
        }
        result.plan = .aggregate(copy)
        return result
    }

    private func window(_ window: LogicalWindow) -> Result? {
        var correlated = false
        LogicalPlan.window(window).forEachExpression { if isCorrelated($0) { correlated = true } }
        guard !correlated, var result = pull(window.input), result.missing == nil,
            let keys = equalityKeys(result.predicates)
        else { return nil }
        var copy = window
        copy.input = result.plan
        for key in keys where !copy.partitionBy.contains(key.inner) { copy.partitionBy.append(key.inner) }
        result.plan = .window(copy)
        return result
    }
}

extension BoundExpression {
    /// Calls `body` for every column reference with its type; does not enter subquery plans.
    func forEachColumnReference(_ body: (ColumnID, SQLType) -> Void) {
        if case .column(let id, let type) = self {
            body(id, type)
        } else {
            _ = anyChild {
                $0.forEachColumnReference(body)
                return false
            }
        }
    }
}
