import QueryPlan
import SQLTypes

/// Moves every conjunct to the lowest operator that has its columns, turns outer joins that a filter makes pointless
/// into inner ones, and adds the filters that follow from equalities and from ORs of conjunctions.
struct PushDownFilters: OptimizerPass {
    let name = "push_down_filters"

    func run(_ query: inout LogicalQuery, _ context: OptimizerContext) throws {
        query.plan = FilterPushDown(context: context).push(query.plan, [])
    }
}

struct FilterPushDown {
    let context: OptimizerContext
    private static let largestGrowth = 4_096

    /// The plan with `filters` applied to its output.
    func push(_ plan: LogicalPlan, _ filters: [BoundExpression]) -> LogicalPlan {
        if context.isStopped { return plan }
        switch plan {
        case .filter(let condition, let input):
            let conjuncts = condition.conjuncts
            if conjuncts.contains(where: \.isVolatile) { return push(input, []).filtered(conjuncts + filters) }
            return push(input, conjuncts + filters)
        case .project(let columns, let input): return project(columns, input, filters)
        case .join(let join): return self.join(join, filters)
        case .aggregate(let aggregate): return self.aggregate(aggregate, filters)
        case .window(let window): return self.window(window, filters)
        case .unnest(let unnest): return self.unnest(unnest, filters)
        case .sort(let items, let input): return .sort(items, push(input, filters))
        case .setOperation(let operation): return setOperation(operation, filters)
        case .with(var with):
            with.definition = push(with.definition, [])
            if let step = with.recursion?.step { with.recursion?.step = push(step, []) }
            with.body = push(with.body, filters)
            return .with(with)
        case .limit(var limit):
            limit.input = push(limit.input, [])
            return LogicalPlan.limit(limit).filtered(filters)
        case .scan, .systemScan, .values, .withReference: return plan.filtered(filters)
        }
    }

    private func project(
        _ columns: [ProjectedColumn], _ input: LogicalPlan, _ filters: [BoundExpression]
    ) -> LogicalPlan {
        guard !filters.isEmpty else { return .project(columns, push(input, [])) }
        var definitions: [ColumnID: BoundExpression] = [:]
        var fixed = ColumnSet()
        for column in columns {
            definitions[column.id] = column.expression
            if column.expression.isVolatile { fixed.insert(column.id) }
        }
        var below: [BoundExpression] = []
        var above: [BoundExpression] = []
        for filter in filters {
            if filter.columns.intersects(fixed) || filter.isVolatile {
                above.append(filter)
            } else {
                let moved = filter.replacingColumns(definitions)
                if outgrows(moved, filter) {
                    above.append(filter)
                    continue
                }
                ExpressionSimplifier.simplify(moved).appendConjuncts(to: &below)
            }
        }
        return LogicalPlan.project(columns, push(input, below)).filtered(above)
    }

    /// Columns that are named several times on each of many levels make an endless filter.
    private func outgrows(_ moved: BoundExpression, _ filter: BoundExpression) -> Bool {
        let limit = filter.size(upTo: .max) + Self.largestGrowth
        return moved.size(upTo: limit) >= limit
    }

    private func aggregate(_ aggregate: LogicalAggregate, _ filters: [BoundExpression]) -> LogicalPlan {
        var copy = aggregate
        var movable = ColumnSet()
        var definitions: [ColumnID: BoundExpression] = [:]
        for (index, group) in aggregate.groups.enumerated() where !group.expression.isVolatile {
            if let sets = aggregate.groupingSets, !sets.allSatisfy({ $0.contains(index) }) { continue }
            movable.insert(group.id)
            definitions[group.id] = group.expression
        }
        var below: [BoundExpression] = []
        var above: [BoundExpression] = []
        for filter in filters {
            let columns = filter.columns
            if !columns.isEmpty, columns.isSubset(of: movable), !filter.isVolatile {
                let moved = filter.replacingColumns(definitions)
                if outgrows(moved, filter) { above.append(filter) } else { below.append(moved) }
            } else {
                above.append(filter)
                for part in filter.implied(of: movable) {
                    let moved = part.replacingColumns(definitions)
                    if !outgrows(moved, part) { below.append(moved) }
                }
            }
        }
        copy.input = push(aggregate.input, below)
        return LogicalPlan.aggregate(copy).filtered(above)
    }

    /// What does not look at the elements is asked before there are any.
    private func unnest(_ unnest: LogicalUnnest, _ filters: [BoundExpression]) -> LogicalPlan {
        var copy = unnest
        let own = ColumnSet(unnest.specification.columns.map(\.id))
        func staysAbove(_ filter: BoundExpression) -> Bool { filter.isVolatile || filter.columns.intersects(own) }
        copy.input = push(unnest.input, filters.filter { !staysAbove($0) })
        return LogicalPlan.unnest(copy).filtered(filters.filter(staysAbove))
    }

    private func window(_ window: LogicalWindow, _ filters: [BoundExpression]) -> LogicalPlan {
        var copy = window
        let keys = ColumnSet(window.partitionBy.compactMap(\.asColumn))
        var below: [BoundExpression] = []
        var above: [BoundExpression] = []
        for filter in filters {
            let columns = filter.columns
            let moves = !columns.isEmpty && columns.isSubset(of: keys) && !filter.isVolatile
            if moves { below.append(filter) } else { above.append(filter) }
        }
        copy.input = push(window.input, below)
        return LogicalPlan.window(copy).filtered(above)
    }

    private func setOperation(_ operation: LogicalSetOperation, _ filters: [BoundExpression]) -> LogicalPlan {
        var copy = operation
        let movable = filters.filter { !$0.isVolatile }
        func translated(_ columns: [ColumnID]) -> [BoundExpression] {
            var map: [ColumnID: BoundExpression] = [:]
            for (output, source) in zip(operation.outputs, columns) { map[output.id] = context.column(source) }
            return movable.map { $0.replacingColumns(map) }
        }
        copy.left = push(operation.left, translated(operation.leftColumns))
        copy.right = push(operation.right, translated(operation.rightColumns))
        return LogicalPlan.setOperation(copy).filtered(filters.filter(\.isVolatile))
    }

    // MARK: Joins

    private func join(_ join: LogicalJoin, _ filters: [BoundExpression]) -> LogicalPlan {
        switch join.kind {
        case .inner: return InnerJoinRegion(context: context).pushed(join, filters, self)
        case .right:
            let flipped = LogicalJoin(kind: .left, condition: join.condition, left: join.right, right: join.left)
            return self.join(flipped, filters)
        case .full: return full(join, filters)
        case .left, .single: return left(join, filters)
        case .semi, .anti, .antiNullAware: return semi(join, filters)
        case .mark(let id, let nullAware): return mark(join, id, nullAware, filters)
        }
    }

    private func full(_ join: LogicalJoin, _ filters: [BoundExpression]) -> LogicalPlan {
        let rejectsLeft = filters.contains { $0.rejectsNulls(of: join.left.outputColumns) }
        let rejectsRight = filters.contains { $0.rejectsNulls(of: join.right.outputColumns) }
        var copy = join
        if rejectsLeft || rejectsRight {
            copy.kind = rejectsLeft && rejectsRight ? .inner : rejectsLeft ? .left : .right
            return self.join(copy, filters)
        }
        copy.left = push(join.left, [])
        copy.right = push(join.right, [])
        return LogicalPlan.join(copy).filtered(filters)
    }

    private func left(_ join: LogicalJoin, _ filters: [BoundExpression]) -> LogicalPlan {
        let rightColumns = join.right.outputColumns
        if join.kind == .left, filters.contains(where: { $0.rejectsNulls(of: rightColumns) }) {
            var copy = join
            copy.kind = .inner
            return self.join(copy, filters)
        }
        var leftFilters: [BoundExpression] = []
        var above: [BoundExpression] = []
        for filter in filters {
            if filter.columns.intersects(rightColumns) || filter.isVolatile {
                above.append(filter)
            } else {
                leftFilters.append(filter)
            }
        }
        return preserving(join, leftFilters, movesLeftConjuncts: false).filtered(above)
    }

    private func semi(_ join: LogicalJoin, _ filters: [BoundExpression]) -> LogicalPlan {
        let movable = filters.filter { !$0.isVolatile }
        let fixed = filters.filter(\.isVolatile)
        if join.kind == .antiNullAware {
            var copy = join
            copy.left = push(join.left, movable)
            copy.right = push(join.right, [])
            return LogicalPlan.join(copy).filtered(fixed)
        }
        return preserving(join, movable, movesLeftConjuncts: join.kind == .semi).filtered(fixed)
    }

    /// A join that keeps left rows: filters go left; conjuncts over the right side alone go right.
    private func preserving(
        _ join: LogicalJoin, _ filters: [BoundExpression], movesLeftConjuncts: Bool
    ) -> LogicalPlan {
        var copy = join
        let leftColumns = join.left.outputColumns
        let rightColumns = join.right.outputColumns
        var leftFilters = filters
        var rightFilters: [BoundExpression] = []
        var kept: [BoundExpression] = []
        for conjunct in join.condition?.conjuncts ?? [] {
            let columns = conjunct.columns
            if !columns.isEmpty, columns.isSubset(of: rightColumns), !conjunct.isVolatile {
                rightFilters.append(conjunct)
            } else if movesLeftConjuncts, columns.isSubset(of: leftColumns), !conjunct.isVolatile {
                leftFilters.append(conjunct)
            } else {
                kept.append(conjunct)
            }
        }
        rightFilters += implied(leftFilters, kept, rightColumns)
        copy.condition = .conjunction(kept)
        copy.left = push(join.left, leftFilters)
        copy.right = push(join.right, rightFilters)
        return .join(copy)
    }

    /// Filters on the right side that follow from filters on the left side and `left = right`.
    private func implied(
        _ filters: [BoundExpression], _ condition: [BoundExpression], _ rightColumns: ColumnSet
    ) -> [BoundExpression] {
        var result: [BoundExpression] = []
        for conjunct in condition {
            guard case .comparison(.equal, .column(let a, let aType), .column(let b, let bType)) = conjunct,
                rightColumns.contains(a) != rightColumns.contains(b)
            else { continue }
            let (left, right) = rightColumns.contains(b) ? ((a, aType), (b, bType)) : ((b, bType), (a, aType))
            for filter in filters where filter.columns == ColumnSet(left.0) {
                let derived = EqualitySubstitution.replaced(filter, left.0, left.1, by: (id: right.0, type: right.1))
                if let derived { result.append(derived) }
            }
        }
        return result
    }

    private func mark(
        _ join: LogicalJoin, _ id: ColumnID, _ nullAware: Bool, _ filters: [BoundExpression]
    ) -> LogicalPlan {
        let column = BoundExpression.column(id, .boolean)
        let onlyUse = filters.filter { $0.columns.contains(id) }
        var copy = join
        if onlyUse.count == 1, onlyUse[0] == column || (onlyUse[0] == .not(column) && !nullAware) {
            copy.kind = onlyUse[0] == column ? .semi : .anti
            let rest = filters.filter { !$0.columns.contains(id) }
            // The mark itself is known behind the filter; a projection keeps it for whoever reads it.
            let value = BoundExpression.constant(.boolean(copy.kind == .semi), .boolean)
            let plan = self.join(copy, rest)
            var columns = plan.outputColumns.elements.map { ProjectedColumn(id: $0, expression: context.column($0)) }
            columns.append(ProjectedColumn(id: id, expression: value))
            return .project(columns, plan)
        }
        let movable = filters.filter { !$0.columns.contains(id) && !$0.isVolatile }
        let above = filters.filter { $0.columns.contains(id) || $0.isVolatile }
        guard nullAware else { return preserving(join, movable, movesLeftConjuncts: false).filtered(above) }
        copy.left = push(join.left, movable)
        copy.right = push(join.right, [])
        return LogicalPlan.join(copy).filtered(above)
    }
}
