import QueryPlan
import SQLTypes

/// The general way out of a correlated subquery (Neumann and Kemper, "Unnesting Arbitrary Queries", BTW 2015): the
/// subquery is evaluated for the set of all distinct outer values at once. That set, the domain, is a common table
/// expression which moves down the plan to the places that use it; every operator on the way learns to keep the
/// values apart.
final class DependentJoin {
    private let context: OptimizerContext
    private let withID: Int
    private let outerColumns: [ColumnID]
    private let domainColumns: [ColumnID]
    private let domain: LogicalPlan

    /// A subplan with the domain's values beside its rows.
    struct Pushed {
        var plan: LogicalPlan
        /// Outer column -> column of the plan with its value.
        var values: [ColumnID: ColumnID]
    }

    init(outerPlan: LogicalPlan, columns: ColumnSet, context: OptimizerContext) {
        self.context = context
        withID = context.makeWithID()
        outerColumns = columns.elements
        var names: [ColumnID: ColumnID] = [:]
        let source = Self.smallestSource(outerPlan, columns).cloned(context, &names)
        domainColumns = outerColumns.map { names[$0] ?? $0 }
        let groups = domainColumns.map { ProjectedColumn(id: $0, expression: context.column($0)) }
        domain = .aggregate(LogicalAggregate(groups: groups, aggregates: [], input: source))
    }

    /// A part of the plan that has at least the needed values: more values only cost time.
    private static func smallestSource(_ plan: LogicalPlan, _ columns: ColumnSet) -> LogicalPlan {
        switch plan {
        case .join(let join):
            switch join.kind {
            case .inner, .left, .semi, .anti, .mark, .single, .antiNullAware:
                if columns.isSubset(of: join.left.outputColumns) { return smallestSource(join.left, columns) }
            case .right, .full: return plan
            }
            if join.kind == .inner, columns.isSubset(of: join.right.outputColumns) {
                return smallestSource(join.right, columns)
            }
            return plan
        case .filter(let condition, let input):
            let source = smallestSource(input, columns)
            let available = source.outputColumns
            return source.filtered(condition.conjuncts.filter { $0.columns.isSubset(of: available) })
        case .sort(_, let input): return smallestSource(input, columns)
        default: return plan
        }
    }

    /// Puts the domain's definition around a plan that reads it.
    func defining(_ body: LogicalPlan) -> LogicalPlan {
        .with(
            LogicalWith(
                id: withID, name: "domain", definition: domain, definitionColumns: domainColumns.map(context.output),
                body: body))
    }

    private func reference() -> Pushed {
        let copies = domainColumns.map(context.makeCopy)
        let plan = LogicalPlan.withReference(
            LogicalWithReference(
                id: withID, alias: "domain", columns: copies.map(context.output), sources: domainColumns))
        return Pushed(plan: plan, values: Dictionary(uniqueKeysWithValues: zip(outerColumns, copies)))
    }

    private func isCorrelated(_ plan: LogicalPlan) -> Bool {
        let free = plan.freeColumns
        return outerColumns.contains { free.contains($0) }
    }

    private func replaced(_ expression: BoundExpression, _ values: [ColumnID: ColumnID]) -> BoundExpression {
        expression.renamed { values[$0] ?? $0 }
    }

    private func orderedValues(_ values: [ColumnID: ColumnID]) -> [ColumnID] {
        outerColumns.map { values[$0] ?? $0 }
    }

    private func equalValues(_ left: [ColumnID: ColumnID], _ right: [ColumnID: ColumnID]) -> [BoundExpression] {
        zip(orderedValues(left), orderedValues(right)).map {
            .comparison(.notDistinctFrom, context.column($0), context.column($1))
        }
    }

    /// `outer columns IS NOT DISTINCT FROM domain columns`: joins the result back to the outer plan.
    func backJoin(_ pushed: Pushed) -> [BoundExpression] {
        zip(outerColumns, orderedValues(pushed.values)).map {
            .comparison(.notDistinctFrom, context.column($0), context.column($1))
        }
    }

    func push(_ plan: LogicalPlan) throws -> Pushed {
        try context.budget.check()
        guard isCorrelated(plan) else {
            let domain = reference()
            let join = LogicalJoin(kind: .inner, condition: nil, left: domain.plan, right: plan)
            return Pushed(plan: .join(join), values: domain.values)
        }
        switch plan {
        case .filter(let condition, let input):
            var result = try push(input)
            result.plan = .filter(replaced(condition, result.values), result.plan)
            return result
        case .project(let columns, let input): return try project(columns, input)
        case .join(let join): return try self.join(join)
        case .aggregate(let aggregate): return try self.aggregate(aggregate)
        case .window(let window): return try self.window(window)
        case .unnest(var unnest):
            var result = try push(unnest.input)
            unnest.specification.source = replaced(unnest.specification.source, result.values)
            unnest.input = result.plan
            result.plan = .unnest(unnest)
            return result
        case .sort(_, let input): return try push(input)
        case .limit(let limit): return try self.limit(limit)
        case .setOperation(let operation): return try setOperation(operation)
        case .values(let values): return try self.values(values)
        case .with(var with):
            if let step = with.recursion?.step, isCorrelated(with.definition) || isCorrelated(step) {
                throw SQLError(
                    .featureNotSupported, "recursive common table expressions cannot use columns of an outer query")
            }
            if isCorrelated(with.definition) { return try push(WithInlining.inlined(with, context)) }
            var result = try push(with.body)
            with.body = result.plan
            result.plan = .with(with)
            return result
        case .scan, .systemScan, .withReference:
            throw SQLError(.internalError, "a table scan cannot be correlated")
        }
    }

    private func project(_ columns: [ProjectedColumn], _ input: LogicalPlan) throws -> Pushed {
        let result = try push(input)
        let mapped = columns.mapExpressions { replaced($0, result.values) }
        let passed = orderedValues(result.values).map { ProjectedColumn(id: $0, expression: context.column($0)) }
        return Pushed(plan: .project(mapped + passed, result.plan), values: result.values)
    }

    private func join(_ join: LogicalJoin) throws -> Pushed {
        var join = join
        if join.kind == .right {
            join = LogicalJoin(kind: .left, condition: join.condition, left: join.right, right: join.left)
        }
        let rightIsCorrelated = isCorrelated(join.right)
        if join.kind == .inner, !isCorrelated(join.left), rightIsCorrelated {
            join = LogicalJoin(kind: .inner, condition: join.condition, left: join.right, right: join.left)
            return try self.join(join)
        }
        let left = try push(join.left)
        join.left = left.plan
        var condition = (join.condition?.conjuncts ?? []).map { replaced($0, left.values) }
        var values = left.values
        if rightIsCorrelated || join.kind == .full {
            let right = try push(join.right)
            join.right = right.plan
            condition += equalValues(left.values, right.values)
            if join.kind == .full {
                join.condition = .conjunction(condition)
                return merged(join, left.values, right.values)
            }
        }
        if case .mark(_, true) = join.kind, rightIsCorrelated {
            throw SQLError(.featureNotSupported, "This type of correlated subquery pattern is not supported yet")
        }
        if join.kind == .antiNullAware, rightIsCorrelated {
            throw SQLError(.featureNotSupported, "This type of correlated subquery pattern is not supported yet")
        }
        join.condition = .conjunction(condition)
        values = left.values
        return Pushed(plan: .join(join), values: values)
    }

    /// A full join's domain values come from whichever side has the row.
    private func merged(_ join: LogicalJoin, _ left: [ColumnID: ColumnID], _ right: [ColumnID: ColumnID]) -> Pushed {
        let plan = LogicalPlan.join(join)
        var columns = plan.outputColumns.elements.map { ProjectedColumn(id: $0, expression: context.column($0)) }
        var values: [ColumnID: ColumnID] = [:]
        for outer in outerColumns {
            let id = context.makeCopy(of: outer)
            let sides = [context.column(left[outer] ?? outer), context.column(right[outer] ?? outer)]
            columns.append(ProjectedColumn(id: id, expression: .call(.coalesce, sides, context.facts(outer).type)))
            values[outer] = id
        }
        return Pushed(plan: .project(columns, plan), values: values)
    }

    private func aggregate(_ aggregate: LogicalAggregate) throws -> Pushed {
        let input = try push(aggregate.input)
        guard
            case .aggregate(var copy) = LogicalPlan.aggregate(aggregate)
                .mapExpressions({ replaced($0, input.values) })
        else { return input }
        copy.input = input.plan
        let values = orderedValues(input.values)
        let firstKey = copy.groups.count
        copy.groups += values.map { ProjectedColumn(id: $0, expression: context.column($0)) }
        if let sets = copy.groupingSets {
            guard !sets.contains([]) else {
                throw SQLError(.featureNotSupported, "This type of correlated subquery pattern is not supported yet")
            }
            copy.groupingSets = sets.map { $0 + Array(firstKey..<copy.groups.count) }
        }
        guard aggregate.groups.isEmpty, aggregate.groupingSets == nil else {
            return Pushed(plan: .aggregate(copy), values: input.values)
        }
        return withEmptyGroups(copy, input.values)
    }

    /// An aggregate without groups has one row for every domain value, also for those without input rows.
    private func withEmptyGroups(_ aggregate: LogicalAggregate, _ values: [ColumnID: ColumnID]) -> Pushed {
        let domain = reference()
        var aggregate = aggregate
        var columns: [ProjectedColumn] = []
        for index in aggregate.aggregates.indices {
            let item = aggregate.aggregates[index]
            guard item.call.function.isCount else {
                columns.append(ProjectedColumn(id: item.id, expression: context.column(item.id)))
                continue
            }
            let inner = context.makeCopy(of: item.id)
            aggregate.aggregates[index].id = inner
            let zero = BoundExpression.constant(item.call.function.valueOfNoRows, item.call.type)
            let value = BoundExpression.call(.coalesce, [context.column(inner), zero], item.call.type)
            columns.append(ProjectedColumn(id: item.id, expression: value))
        }
        let join = LogicalJoin(
            kind: .left, condition: .conjunction(equalValues(domain.values, values)), left: domain.plan,
            right: .aggregate(aggregate))
        columns += orderedValues(domain.values).map { ProjectedColumn(id: $0, expression: context.column($0)) }
        return Pushed(plan: .project(columns, .join(join)), values: domain.values)
    }

    private func window(_ window: LogicalWindow) throws -> Pushed {
        let input = try push(window.input)
        guard case .window(var copy) = LogicalPlan.window(window).mapExpressions({ replaced($0, input.values) })
        else { return input }
        copy.input = input.plan
        copy.partitionBy += orderedValues(input.values).map(context.column)
        return Pushed(plan: .window(copy), values: input.values)
    }

    /// LIMIT for each domain value: numbered rows.
    private func limit(_ limit: LogicalLimit) throws -> Pushed {
        if case .project(let columns, let inner) = limit.input, case .sort = inner {
            return try project(columns, .limit(LogicalLimit(count: limit.count, offset: limit.offset, input: inner)))
        }
        var items: [SortItem] = []
        var source = limit.input
        if case .sort(let keys, let inner) = source {
            items = keys
            source = inner
        }
        let input = try push(source)
        let number = context.makeColumn("row_number", .bigint)
        let function = LogicalWindow.Function(
            id: number, call: WindowCall(function: .rowNumber, arguments: [], type: .bigint))
        let window = LogicalWindow(
            partitionBy: orderedValues(input.values).map(context.column),
            orderBy: items.mapExpressions { replaced($0, input.values) }, functions: [function], input: input.plan)
        var conjuncts: [BoundExpression] = []
        if limit.offset > 0 {
            let first = BoundExpression.constant(.integer(Int128(limit.offset)), .bigint)
            conjuncts.append(.comparison(.greater, .column(number, .bigint), first))
        }
        if let count = limit.count {
            let last = BoundExpression.constant(.integer(Int128(limit.offset.addingClamped(count))), .bigint)
            conjuncts.append(.comparison(.lessOrEqual, .column(number, .bigint), last))
        }
        return Pushed(plan: LogicalPlan.window(window).filtered(conjuncts), values: input.values)
    }

    private func setOperation(_ operation: LogicalSetOperation) throws -> Pushed {
        let left = try push(operation.left)
        let right = try push(operation.right)
        var copy = operation
        copy.left = left.plan
        copy.right = right.plan
        copy.leftColumns += orderedValues(left.values)
        copy.rightColumns += orderedValues(right.values)
        var values: [ColumnID: ColumnID] = [:]
        for outer in outerColumns {
            let id = context.makeCopy(of: outer)
            copy.outputs.append(context.output(id))
            values[outer] = id
        }
        return Pushed(plan: .setOperation(copy), values: values)
    }

    private func values(_ values: LogicalValues) throws -> Pushed {
        guard values.rows.count == 1 else {
            throw SQLError(.featureNotSupported, "VALUES with several rows cannot use columns of an enclosing query")
        }
        let domain = reference()
        var columns = zip(values.columns, values.rows[0]).map {
            ProjectedColumn(id: $0.id, expression: replaced($1, domain.values))
        }
        columns += orderedValues(domain.values).map { ProjectedColumn(id: $0, expression: context.column($0)) }
        return Pushed(plan: .project(columns, domain.plan), values: domain.values)
    }
}

extension Int64 {
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
