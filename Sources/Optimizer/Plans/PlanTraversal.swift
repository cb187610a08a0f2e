import QueryPlan
import SQLTypes

extension LogicalPlan {
    var children: [LogicalPlan] {
        switch self {
        case .scan, .systemScan, .values, .withReference: []
        case .filter(_, let input), .project(_, let input), .sort(_, let input): [input]
        case .join(let join): [join.left, join.right]
        case .aggregate(let aggregate): [aggregate.input]
        case .window(let window): [window.input]
        case .unnest(let unnest): [unnest.input]
        case .limit(let limit): [limit.input]
        case .setOperation(let operation): [operation.left, operation.right]
        case .with(let with): [with.definition] + (with.recursion.map { [$0.step] } ?? []) + [with.body]
        }
    }

    func mapChildren(_ transform: (LogicalPlan) throws -> LogicalPlan) rethrows -> LogicalPlan {
        switch self {
        case .scan, .systemScan, .values, .withReference: return self
        case .filter(let condition, let input): return .filter(condition, try transform(input))
        case .project(let columns, let input): return .project(columns, try transform(input))
        case .sort(let items, let input): return .sort(items, try transform(input))
        case .join(var join):
            join.left = try transform(join.left)
            join.right = try transform(join.right)
            return .join(join)
        case .aggregate(var aggregate):
            aggregate.input = try transform(aggregate.input)
            return .aggregate(aggregate)
        case .window(var window):
            window.input = try transform(window.input)
            return .window(window)
        case .unnest(var unnest):
            unnest.input = try transform(unnest.input)
            return .unnest(unnest)
        case .limit(var limit):
            limit.input = try transform(limit.input)
            return .limit(limit)
        case .setOperation(var operation):
            operation.left = try transform(operation.left)
            operation.right = try transform(operation.right)
            return .setOperation(operation)
        case .with(var with):
            with.definition = try transform(with.definition)
            if let step = with.recursion?.step { with.recursion?.step = try transform(step) }
            with.body = try transform(with.body)
            return .with(with)
        }
    }

    /// Calls `body` for the expressions of this operator only.
    func forEachExpression(_ body: (BoundExpression) -> Void) {
        switch self {
        case .scan, .systemScan, .limit, .setOperation, .with, .withReference: break
        case .values(let values): for row in values.rows { row.forEach(body) }
        case .filter(let condition, _): body(condition)
        case .project(let columns, _): for column in columns { body(column.expression) }
        case .join(let join): if let condition = join.condition { body(condition) }
        case .aggregate(let aggregate):
            for group in aggregate.groups { body(group.expression) }
            for item in aggregate.aggregates { item.call.forEachExpression(body) }
        case .window(let window):
            window.partitionBy.forEach(body)
            for item in window.orderBy { body(item.expression) }
            for function in window.functions { function.call.arguments.forEach(body) }
        case .unnest(let unnest): body(unnest.specification.source)
        case .sort(let items, _): for item in items { body(item.expression) }
        }
    }

    /// The same operator with transformed expressions, children untouched.
    func mapExpressions(_ transform: (BoundExpression) throws -> BoundExpression) rethrows -> LogicalPlan {
        switch self {
        case .scan, .systemScan, .limit, .setOperation, .with, .withReference: return self
        case .values(var values):
            values.rows = try values.rows.map { try $0.map(transform) }
            return .values(values)
        case .filter(let condition, let input): return .filter(try transform(condition), input)
        case .project(let columns, let input): return .project(try columns.mapExpressions(transform), input)
        case .join(var join):
            join.condition = try join.condition.map(transform)
            return .join(join)
        case .aggregate(var aggregate):
            aggregate.groups = try aggregate.groups.mapExpressions(transform)
            aggregate.aggregates = try aggregate.aggregates.map {
                LogicalAggregate.Aggregate(id: $0.id, call: try $0.call.mapExpressions(transform))
            }
            return .aggregate(aggregate)
        case .window(var window):
            window.partitionBy = try window.partitionBy.map(transform)
            window.orderBy = try window.orderBy.mapExpressions(transform)
            for index in window.functions.indices {
                let arguments = window.functions[index].call.arguments
                window.functions[index].call.arguments = try arguments.map(transform)
            }
            return .window(window)
        case .unnest(var unnest):
            unnest.specification.source = try transform(unnest.specification.source)
            return .unnest(unnest)
        case .sort(let items, let input): return .sort(try items.mapExpressions(transform), input)
        }
    }

    func mapExpressionsDeep(_ transform: (BoundExpression) -> BoundExpression) -> LogicalPlan {
        mapExpressions(transform).mapChildren { $0.mapExpressionsDeep(transform) }
    }

    /// Columns that leave the operator.
    var outputColumns: ColumnSet {
        var result = ColumnSet()
        addOutputs(to: &result)
        return result
    }

    func addOutputs(to set: inout ColumnSet) {
        switch self {
        case .scan(let scan): for column in scan.columns { set.insert(column.id) }
        case .systemScan(let scan): for column in scan.columns { set.insert(column.id) }
        case .values(let values): for column in values.columns { set.insert(column.id) }
        case .filter(_, let input), .sort(_, let input): input.addOutputs(to: &set)
        case .limit(let limit): limit.input.addOutputs(to: &set)
        case .project(let columns, _): for column in columns { set.insert(column.id) }
        case .join(let join):
            join.left.addOutputs(to: &set)
            if join.kind.emitsRight { join.right.addOutputs(to: &set) }
            if case .mark(let id, _) = join.kind { set.insert(id) }
        case .aggregate(let aggregate):
            for group in aggregate.groups { set.insert(group.id) }
            for item in aggregate.aggregates { set.insert(item.id) }
            if let id = aggregate.groupingColumn { set.insert(id) }
        case .window(let window):
            window.input.addOutputs(to: &set)
            for function in window.functions { set.insert(function.id) }
        case .unnest(let unnest):
            unnest.input.addOutputs(to: &set)
            for column in unnest.specification.columns { set.insert(column.id) }
        case .setOperation(let operation): for column in operation.outputs { set.insert(column.id) }
        case .with(let with): with.body.addOutputs(to: &set)
        case .withReference(let reference): for column in reference.columns { set.insert(column.id) }
        }
    }

    /// Columns that the plan reads but does not produce: those of enclosing queries.
    var freeColumns: ColumnSet {
        var used = ColumnSet()
        var produced = ColumnSet()
        collect(used: &used, produced: &produced)
        return used.subtracting(produced)
    }

    private func collect(used: inout ColumnSet, produced: inout ColumnSet) {
        forEachExpression { $0.forEachColumn { used.insert($0) } }
        switch self {
        case .filter(_, let input), .sort(_, let input): input.collect(used: &used, produced: &produced)
        case .limit(let limit): limit.input.collect(used: &used, produced: &produced)
        default:
            addOwnOutputs(to: &produced)
            for child in children { child.collect(used: &used, produced: &produced) }
        }
    }

    /// Columns that this operator makes itself.
    func addOwnOutputs(to set: inout ColumnSet) {
        switch self {
        case .filter, .sort, .limit, .with: break
        case .join(let join): if case .mark(let id, _) = join.kind { set.insert(id) }
        case .window(let window): for function in window.functions { set.insert(function.id) }
        case .unnest(let unnest): for column in unnest.specification.columns { set.insert(column.id) }
        default: addOutputs(to: &set)
        }
    }

    var hasSubquery: Bool {
        var found = false
        forEachExpression { if !found && $0.hasSubquery { found = true } }
        return found || children.contains { $0.hasSubquery }
    }

    /// Adds a filter unless there is nothing to test.
    func filtered(_ conjuncts: [BoundExpression]) -> LogicalPlan {
        guard let condition = BoundExpression.conjunction(conjuncts) else { return self }
        return .filter(condition, self)
    }
}

extension JoinKind {
    /// Whether the right input's columns leave the join.
    var emitsRight: Bool {
        switch self {
        case .inner, .left, .right, .full, .single: true
        case .semi, .anti, .mark, .antiNullAware: false
        }
    }
}

extension AggregateCall {
    func forEachExpression(_ body: (BoundExpression) -> Void) {
        arguments.forEach(body)
        if let filter { body(filter) }
        for item in orderBy { body(item.expression) }
    }
    func mapExpressions(_ transform: (BoundExpression) throws -> BoundExpression) rethrows -> AggregateCall {
        var copy = self
        copy.arguments = try arguments.map(transform)
        copy.filter = try filter.map(transform)
        copy.orderBy = try orderBy.mapExpressions(transform)
        return copy
    }
}

extension Array where Element == ProjectedColumn {
    func mapExpressions(_ transform: (BoundExpression) throws -> BoundExpression) rethrows -> [ProjectedColumn] {
        try map { ProjectedColumn(id: $0.id, expression: try transform($0.expression)) }
    }
}

extension Array where Element == SortItem {
    func mapExpressions(_ transform: (BoundExpression) throws -> BoundExpression) rethrows -> [SortItem] {
        try map {
            SortItem(expression: try transform($0.expression), descending: $0.descending, nullsFirst: $0.nullsFirst)
        }
    }
}
