import QueryPlan
import SQLTypes

/// Checks the types of all operands of a physical plan, see ``OperandVerifier``: expressions, columns against what the
/// step below delivers, aggregates, window functions, join keys, inputs of set operations.
struct PhysicalOperandVerifier {
    private let budget: PlanningBudget
    private let operands = OperandVerifier()
    /// What was delivered under each id, the last time that something was: ids are unique but for columns that pass
    /// through, and children come before what reads them.
    private var delivered = ColumnTable<SQLType>()
    private var definitions: [Int: [OutputColumn]] = [:]

    init(budget: PlanningBudget = PlanningBudget()) { self.budget = budget }

    mutating func verify(_ query: PhysicalQuery) throws {
        if let problem = try problem(query.plan) {
            throw SQLError(.internalError, "physical plan is invalid: \(problem)")
        }
    }

    private mutating func problem(_ plan: PhysicalPlan) throws -> String? {
        try budget.check()
        for (index, child) in plan.children.enumerated() {
            if let found = try problem(child) { return found }
            if case .with(let id, _) = plan.operation, index == 0 { definitions[id] = child.outputs }
            if case .recursiveWith(let recursion) = plan.operation, index == 0 {
                definitions[recursion.id] = recursion.columns
                definitions[recursion.workingID] = recursion.columns
            }
        }
        for child in plan.children { for output in child.outputs { delivered[output.id] = output.type } }
        if case .tableScan(let scan) = plan.operation {
            for column in scan.columns { delivered[column.id] = column.type }
        }
        return check(plan)
    }

    private func check(_ plan: PhysicalPlan) -> String? {
        switch plan.operation {
        case .tableScan(let scan):
            return conditions(scan.conjuncts)
        case .filter(let conjuncts): return conditions(conjuncts)
        case .values(let values):
            for row in values.rows {
                for (value, column) in zip(row, values.columns) {
                    if let found = self.value(value) ?? copy(value.type, column.type, value) { return found }
                }
            }
            return nil
        case .project(let columns): return first(columns.map(\.expression))
        case .join(let join): return check(join)
        case .aggregate(let aggregate): return check(aggregate)
        case .window(let window): return check(window)
        case .unnest(let unnest): return first([unnest.source])
        case .sort(let items), .topN(let items, _, _), .gather(let items): return first(items.map(\.expression))
        case .append(let inputs):
            for (child, columns) in zip(plan.children, inputs) {
                if let found = copies(columns, child.outputs, plan.outputs) { return found }
            }
            return nil
        case .setOperation(_, _, let left, let right):
            return copies(left, plan.children[0].outputs, plan.outputs)
                ?? copies(right, plan.children[1].outputs, plan.outputs)
        case .withReference(let id, _, let sources): return copies(sources, definitions[id] ?? [], plan.outputs)
        case .recursiveWith(let recursion):
            return copies(recursion.columns.map(\.id), plan.children[0].outputs, recursion.columns)
                ?? copies(recursion.stepColumns, plan.children[1].outputs, recursion.columns)
        case .systemScan, .limit, .with: return nil
        }
    }

    // MARK: Expressions

    private func value(_ expression: BoundExpression) -> String? {
        if case .column(let id, let type) = expression { return column(id, type) }
        var found = operands.problem(expression)
        expression.forEachColumnReference { id, type in
            if found == nil { found = column(id, type) }
        }
        return found
    }

    private func column(_ id: ColumnID, _ type: SQLType) -> String? {
        guard let delivered = delivered[id] else { return nil }
        return copy(delivered, type, nil).map { "\(id): \($0)" }
    }

    private func first(_ expressions: [BoundExpression]) -> String? {
        expressions.lazy.compactMap { value($0) }.first
    }

    private func conditions(_ expressions: [BoundExpression]) -> String? {
        first(expressions) ?? expressions.lazy.compactMap(operands.condition).first
    }

    /// Values of the first type are taken for values of the second.
    private func copy(_ from: SQLType, _ to: SQLType, _ source: BoundExpression?) -> String? {
        ValueClass(from) == ValueClass(to) || source?.asConstant == .null ? nil : "\(from) is read as \(to)"
    }

    private func copies(_ sources: [ColumnID], _ from: [OutputColumn], _ to: [OutputColumn]) -> String? {
        var types: [ColumnID: SQLType] = [:]
        for column in from { types[column.id] = column.type }
        for (source, target) in zip(sources, to) {
            guard let type = types[source] else { continue }
            if let found = copy(type, target.type, nil) { return found }
        }
        return nil
    }

    // MARK: Operators

    private func check(_ join: PhysicalJoin) -> String? {
        for key in join.keys {
            if let found = value(key.outer) ?? value(key.inner) { return found }
            if ValueClass(key.outer.type) != ValueClass(key.inner.type) {
                return "a join of \(key.outer.type) with \(key.inner.type)"
            }
        }
        return conditions(join.residual)
    }

    private func check(_ aggregate: PhysicalAggregate) -> String? {
        if let found = first(aggregate.groups.map(\.expression)) { return found }
        for item in aggregate.aggregates {
            let call = item.call
            let filter = call.filter.map { [$0] } ?? []
            if let found = first(call.arguments) ?? conditions(filter)
                ?? first(call.orderBy.map(\.expression))
                ?? AggregateTypes(call.function).problem(call.arguments.map(\.type), call.type)
            {
                return found
            }
        }
        return nil
    }

    private func check(_ window: LogicalWindowSpecification) -> String? {
        if let found = first(window.partitionBy + window.orderBy.map(\.expression)) { return found }
        for function in window.functions {
            let call = function.call, types = call.arguments.map(\.type)
            if let found = first(call.arguments) ?? windowProblem(call, types) { return found }
        }
        return nil
    }

    private func windowProblem(_ call: WindowCall, _ types: [SQLType]) -> String? {
        if case .aggregate(let function) = call.function {
            return AggregateTypes(function).problem(types, call.type)
        }
        let matches = WindowSignature.all(of: call.function).contains { signature in
            let parameters = signature.parameters
            guard types.count <= parameters.count,
                types.count >= parameters.count(where: { !$0.isOptional || $0.defaultValue != nil })
            else { return false }
            guard zip(parameters, types).allSatisfy({ $0.accepts.reads($1) }) else { return false }
            // The values of LAG and LEAD and their defaults are copied as they are.
            if types.count == 3, ValueClass(types[0]) != ValueClass(types[2]) || types[0].physical != types[2].physical
            {
                return false
            }
            let result = signature.result.type(for: types)
            return ValueClass(result) == ValueClass(call.type) && result.physical == call.type.physical
        }
        return matches ? nil : "\(call.function) of \(types) as \(call.type)"
    }
}

/// What an aggregate's signatures say of a call.
private struct AggregateTypes {
    private let function: AggregateFunction
    init(_ function: AggregateFunction) { self.function = function }

    func problem(_ arguments: [SQLType], _ result: SQLType) -> String? {
        if function == .countRows { return arguments.isEmpty && result == .bigint ? nil : "count(*) as \(result)" }
        let matches = AggregateSignature.all.contains { signature in
            guard signature.function == function, arguments.count == signature.parameters.count,
                zip(signature.parameters, arguments).allSatisfy({ $0.accepts.reads($1) })
            else { return false }
            switch function {
            // Partial sums and counts are added up; the rest is checked by the engine's own choice of states.
            case .sum, .average: return isSummable(arguments[0]) && result.physical != .string
            default: return ValueClass(signature.result.type(for: arguments)) == ValueClass(result)
            }
        }
        return matches ? nil : "\(function.rawValue) of \(arguments) as \(result)"
    }

    private func isSummable(_ type: SQLType) -> Bool { type.isNumeric || type == .interval }
}
