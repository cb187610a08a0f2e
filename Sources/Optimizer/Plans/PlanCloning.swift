import QueryPlan
import SQLTypes

extension LogicalPlan {
    /// A copy whose produced columns are all new, for plans that a rewrite uses twice. `map` gains old -> new ids; free
    /// columns stay.
    func cloned(_ context: OptimizerContext, _ map: inout [ColumnID: ColumnID]) -> LogicalPlan {
        var produced = ColumnSet()
        collectProduced(&produced)
        produced.forEach { map[$0] = context.makeCopy(of: $0) }
        let renames = map
        let copy = renamed { renames[$0] ?? $0 }
        guard copy.containsWith else { return copy }
        var withIDs: [Int: Int] = [:]
        return copy.renumberingWiths(context, &withIDs)
    }

    /// Common table expressions of a copy get numbers of their own, and so do the references to them.
    private func renumberingWiths(_ context: OptimizerContext, _ numbers: inout [Int: Int]) -> LogicalPlan {
        switch self {
        case .with(var with):
            let id = context.makeWithID()
            with.definition = with.definition.renumberingWiths(context, &numbers)
            numbers[with.id] = id
            with.id = id
            if var recursion = with.recursion {
                numbers[recursion.workingID] = context.makeWithID()
                recursion.workingID = numbers[recursion.workingID] ?? recursion.workingID
                recursion.step = recursion.step.renumberingWiths(context, &numbers)
                with.recursion = recursion
            }
            with.body = with.body.renumberingWiths(context, &numbers)
            return .with(with)
        case .withReference(var reference):
            reference.id = numbers[reference.id] ?? reference.id
            return .withReference(reference)
        default: return mapChildren { $0.renumberingWiths(context, &numbers) }
        }
    }

    private func collectProduced(_ set: inout ColumnSet) {
        addOwnOutputs(to: &set)
        forEachExpression { $0.forEachSubquery { $0.plan.collectProduced(&set) } }
        for child in children { child.collectProduced(&set) }
    }

    /// Renames columns everywhere, in definitions and uses.
    func renamed(_ name: (ColumnID) -> ColumnID) -> LogicalPlan {
        let expression: (BoundExpression) -> BoundExpression = { $0.renamed(name) }
        let plan = mapExpressions(expression).mapChildren { $0.renamed(name) }
        switch plan {
        case .scan(var scan):
            for index in scan.columns.indices { scan.columns[index].id = name(scan.columns[index].id) }
            return .scan(scan)
        case .systemScan(var scan):
            scan.columns.rename(name)
            return .systemScan(scan)
        case .values(var values):
            values.columns.rename(name)
            return .values(values)
        case .project(let columns, let input):
            return .project(columns.map { ProjectedColumn(id: name($0.id), expression: $0.expression) }, input)
        case .join(var join):
            if case .mark(let id, let nullAware) = join.kind { join.kind = .mark(name(id), nullAware: nullAware) }
            return .join(join)
        case .aggregate(var aggregate):
            for index in aggregate.groups.indices { aggregate.groups[index].id = name(aggregate.groups[index].id) }
            for index in aggregate.aggregates.indices {
                aggregate.aggregates[index].id = name(aggregate.aggregates[index].id)
            }
            aggregate.groupingColumn = aggregate.groupingColumn.map(name)
            return .aggregate(aggregate)
        case .window(var window):
            for index in window.functions.indices { window.functions[index].id = name(window.functions[index].id) }
            return .window(window)
        case .unnest(var unnest):
            unnest.specification.value.id = name(unnest.specification.value.id)
            unnest.specification.place.id = name(unnest.specification.place.id)
            return .unnest(unnest)
        case .setOperation(var operation):
            operation.outputs.rename(name)
            operation.leftColumns = operation.leftColumns.map(name)
            operation.rightColumns = operation.rightColumns.map(name)
            return .setOperation(operation)
        case .with(var with):
            with.definitionColumns.rename(name)
            if let columns = with.recursion?.stepColumns { with.recursion?.stepColumns = columns.map(name) }
            return .with(with)
        case .withReference(var reference):
            reference.columns.rename(name)
            reference.sources = reference.sources.map(name)
            return .withReference(reference)
        case .filter, .sort, .limit: return plan
        }
    }
}

extension BoundExpression {
    func renamed(_ name: (ColumnID) -> ColumnID) -> BoundExpression {
        switch self {
        case .column(let id, let type): return .column(name(id), type)
        case .constant, .parameter: return self
        case .subquery:
            guard case .subquery(var subquery) = mapChildren({ $0.renamed(name) }) else { return self }
            subquery.plan = subquery.plan.renamed(name)
            subquery.outputs.rename(name)
            subquery.outerColumns.rename(name)
            return .subquery(subquery)
        default: return mapChildren { $0.renamed(name) }
        }
    }

    func forEachSubquery(_ body: (BoundSubquery) -> Void) {
        if case .subquery(let subquery) = self { body(subquery) }
        _ = anyChild {
            $0.forEachSubquery(body)
            return false
        }
    }
}

extension Array where Element == OutputColumn {
    mutating func rename(_ name: (ColumnID) -> ColumnID) {
        for index in indices { self[index].id = name(self[index].id) }
    }
}
