/// Every column that a query computes with or returns. A scan or a view mentions all columns of its relation; only
/// those that something above it uses are read.
package struct ReferencedColumns {
    package private(set) var found = ColumnSet()

    package init() {}

    package static func of(_ query: LogicalQuery) -> ColumnSet {
        var columns = ReferencedColumns()
        columns.add(query)
        return columns.found
    }

    package mutating func add(_ query: LogicalQuery) {
        for output in query.outputs { found.insert(output.id) }
        add(query.plan)
    }

    package mutating func add(_ plan: LogicalPlan) {
        switch plan {
        case .scan, .systemScan: break
        case .values(let values): for row in values.rows { for value in row { add(value) } }
        case .filter(let condition, let input):
            add(condition)
            add(input)
        case .project(let columns, let input):
            // A column that is handed on under another id is read only when somebody wants that id; callers have gone
            // over everything above.
            for column in columns {
                if case .column = column.expression, !found.contains(column.id) { continue }
                add(column.expression)
            }
            add(input)
        case .join(let join):
            if let condition = join.condition { add(condition) }
            add(join.left)
            add(join.right)
        case .aggregate(let aggregate):
            for group in aggregate.groups { add(group.expression) }
            for entry in aggregate.aggregates { add(entry.call) }
            add(aggregate.input)
        case .window(let window):
            for expression in window.partitionBy { add(expression) }
            for item in window.orderBy { add(item.expression) }
            for function in window.functions { for argument in function.call.arguments { add(argument) } }
            add(window.input)
        case .unnest(let unnest):
            add(unnest.specification.source)
            add(unnest.input)
        case .sort(let items, let input):
            for item in items { add(item.expression) }
            add(input)
        case .limit(let limit): add(limit.input)
        case .setOperation(let operation):
            for column in operation.leftColumns { found.insert(column) }
            for column in operation.rightColumns { found.insert(column) }
            add(operation.left)
            add(operation.right)
        case .with(let with):
            add(with.body)
            for column in with.definitionColumns { found.insert(column.id) }
            add(with.definition)
            if let recursion = with.recursion {
                for column in recursion.stepColumns { found.insert(column) }
                add(recursion.step)
            }
        case .withReference(let reference): for column in reference.sources { found.insert(column) }
        }
    }

    package mutating func add(_ call: AggregateCall) {
        for argument in call.arguments { add(argument) }
        if let filter = call.filter { add(filter) }
        for item in call.orderBy { add(item.expression) }
    }

    package mutating func add(_ expression: BoundExpression) {
        expression.forEachColumn({ found.insert($0) }, subquery: { add($0) })
    }

    private mutating func add(_ subquery: BoundSubquery) {
        switch subquery.kind {
        case .scalar: for output in subquery.outputs { found.insert(output.id) }
        case .exists: break
        case .any(_, let operands), .all(_, let operands):
            for operand in operands { add(operand) }
            for output in subquery.outputs { found.insert(output.id) }
        }
        add(subquery.plan)
    }
}
