import QueryPlan
import SQLTypes

/// Puts values in the place of parameters of a finished plan, so that a statement is planned once for all its values.
///
/// Only for plans over one relation, in which no value could lead to another choice: joins are ordered by estimates
/// that depend on values, and subqueries become joins.
package enum ParameterSubstitution {
    /// Whether the plan's shape allows it.
    package static func supports(_ query: PhysicalQuery) -> Bool { supports(query.plan) }

    /// Whether all parameters 0 ..< `count` are still in the plan: one that is not has taken part in planning.
    package static func isComplete(_ query: PhysicalQuery, count: Int) -> Bool {
        var found = Set<Int>()
        collect(query.plan, &found)
        return supports(query) && found.isSuperset(of: 0..<count)
    }

    /// nil when the values ask for a plan of their own: NULL, a condition that they make true or false, a type that is
    /// not the planned one.
    package static func substituted(_ query: PhysicalQuery, _ values: [(type: SQLType, value: Datum)])
        -> PhysicalQuery?
    {
        if values.contains(where: { $0.value.isNull }) { return nil }
        var substitution = Substitution(values: values)
        let plan = substitution.plan(query.plan)
        if substitution.isRefused { return nil }
        var result = query
        result.plan = plan
        return result
    }

    private static func supports(_ plan: PhysicalPlan) -> Bool {
        switch plan.operation {
        case .tableScan, .values, .filter, .project, .aggregate, .sort, .topN, .limit, .gather:
            plan.children.count <= 1 && plan.children.allSatisfy(supports)
        default: false
        }
    }

    private static func collect(_ plan: PhysicalPlan, _ found: inout Set<Int>) {
        for expression in expressions(plan.operation) { expression.collectParameters(&found) }
        for child in plan.children { collect(child, &found) }
    }

    private static func expressions(_ operation: PhysicalOperation) -> [BoundExpression] {
        switch operation {
        case .tableScan(let scan): scan.conjuncts
        case .values(let values): values.rows.flatMap { $0 }
        case .filter(let conjuncts): conjuncts
        case .project(let columns): columns.map(\.expression)
        case .aggregate(let aggregate):
            aggregate.groups.map(\.expression)
                + aggregate.aggregates.flatMap { item in
                    item.call.arguments + [item.call.filter].compactMap { $0 }
                        + item.call.orderBy.map(\.expression)
                }
        case .sort(let items), .topN(let items, _, _): items.map(\.expression)
        default: []
        }
    }
}

/// One substitution. Nodes without parameters stay the same objects.
private struct Substitution {
    let values: [(type: SQLType, value: Datum)]
    private(set) var isRefused = false

    mutating func plan(_ plan: PhysicalPlan) -> PhysicalPlan {
        let children = plan.children.map { self.plan($0) }
        let changed = operation(plan.operation)
        if changed == nil, zip(children, plan.children).allSatisfy({ $0 === $1 }) { return plan }
        return PhysicalPlan(
            step: plan.step, operation: changed ?? plan.operation, children: children,
            outputs: plan.outputs,
            estimate: plan.estimate, distribution: plan.distribution)
    }

    /// nil when nothing changes.
    private mutating func operation(_ operation: PhysicalOperation) -> PhysicalOperation? {
        switch operation {
        case .tableScan(var scan):
            guard scan.conjuncts.contains(where: \.hasParameters) else { return nil }
            scan.conjuncts = conjuncts(scan.conjuncts)
            return .tableScan(scan)
        case .filter(let list):
            return list.contains(where: \.hasParameters) ? .filter(conjuncts(list)) : nil
        case .values(var list):
            guard list.rows.contains(where: { $0.contains(where: \.hasParameters) }) else { return nil }
            list.rows = list.rows.map { row in row.map { expression($0) } }
            return .values(list)
        case .project(let columns):
            guard columns.contains(where: { $0.expression.hasParameters }) else { return nil }
            return .project(
                columns.map { ProjectedColumn(id: $0.id, expression: expression($0.expression)) })
        case .aggregate(let aggregate): return self.aggregate(aggregate).map { .aggregate($0) }
        case .sort(let items): return sortItems(items).map { .sort($0) }
        case .topN(let items, let count, let offset):
            return sortItems(items).map { .topN($0, count: count, offset: offset) }
        default: return nil
        }
    }

    private mutating func conjuncts(_ list: [BoundExpression]) -> [BoundExpression] {
        var result: [BoundExpression] = []
        for item in list {
            let simple = expression(item)
            // Without rows, or without a condition: another plan.
            if simple.asConstant != nil { isRefused = true }
            result.append(simple)
        }
        return result
    }

    private mutating func aggregate(_ aggregate: PhysicalAggregate) -> PhysicalAggregate? {
        var result = aggregate
        var isChanged = false
        for index in result.groups.indices where result.groups[index].expression.hasParameters {
            result.groups[index].expression = expression(result.groups[index].expression)
            isChanged = true
        }
        for index in result.aggregates.indices {
            var call = result.aggregates[index].call
            let parts = call.arguments + [call.filter].compactMap { $0 } + call.orderBy.map(\.expression)
            guard parts.contains(where: \.hasParameters) else { continue }
            call.arguments = call.arguments.map { expression($0) }
            if let filter = call.filter { call.filter = expression(filter) }
            call.orderBy = sortItems(call.orderBy) ?? call.orderBy
            result.aggregates[index].call = call
            isChanged = true
        }
        return isChanged ? result : nil
    }

    private mutating func sortItems(_ items: [SortItem]) -> [SortItem]? {
        guard items.contains(where: { $0.expression.hasParameters }) else { return nil }
        return items.map {
            SortItem(
                expression: expression($0.expression), descending: $0.descending, nullsFirst: $0.nullsFirst)
        }
    }

    private mutating func expression(_ expression: BoundExpression) -> BoundExpression {
        expression.hasParameters ? ExpressionSimplifier.simplify(replaced(expression)) : expression
    }

    private mutating func replaced(_ expression: BoundExpression) -> BoundExpression {
        if case .parameter(let number, let type) = expression {
            guard values.indices.contains(number), values[number].type.isSameUpToLength(type) else {
                isRefused = true
                return expression
            }
            return .constant(values[number].value, values[number].type)
        }
        return expression.mapChildren { replaced($0) }
    }
}

extension BoundExpression {
    fileprivate var hasParameters: Bool {
        if case .parameter = self { return true }
        return anyChild { $0.hasParameters }
    }

    fileprivate func collectParameters(_ found: inout Set<Int>) {
        if case .parameter(let number, _) = self { found.insert(number) }
        _ = anyChild { child in
            child.collectParameters(&found)
            return false
        }
    }
}

extension SQLType {
    /// Strings carry the length of their value.
    fileprivate func isSameUpToLength(_ planned: SQLType) -> Bool {
        switch (self, planned) {
        case (.varchar, .varchar): true
        default: self == planned
        }
    }
}
