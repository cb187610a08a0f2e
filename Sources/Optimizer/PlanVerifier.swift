import QueryPlan
import SQLTypes

/// Checks what every pass must keep: each column that is read is produced below, with the type it is read as, and
/// nothing produces two columns of one id side by side.
struct PlanVerifier {
    /// Set after unnesting: no subquery may be left.
    var forbidsSubqueries: Bool
    private var definitions: [Int: [ColumnID: SQLType]] = [:]

    private let budget: PlanningBudget

    init(forbidsSubqueries: Bool, budget: PlanningBudget = PlanningBudget()) {
        self.forbidsSubqueries = forbidsSubqueries
        self.budget = budget
    }

    mutating func verify(_ query: LogicalQuery, after pass: String) throws {
        let outputs = try columns(query.plan, pass)
        for output in query.outputs where outputs[output.id] == nil {
            throw Self.error("result column \(output.name) \(output.id) is not produced", pass)
        }
    }

    private static func error(_ message: String, _ pass: String) -> SQLError {
        SQLError(.internalError, "plan is invalid after \(pass): \(message)")
    }

    private mutating func verify(_ recursion: LogicalRecursion, of with: LogicalWith, _ pass: String) throws {
        definitions[recursion.workingID] = definitions[with.id]
        let made = try columns(recursion.step, pass)
        for (id, column) in zip(recursion.stepColumns, with.definitionColumns) {
            guard let type = made[id], ValueClass(type) == ValueClass(column.type),
                type.physical == column.type.physical
            else { throw Self.error("step column \(id) of \(with.name) is not what it should be", pass) }
        }
        if recursion.stepColumns.count != with.definitionColumns.count {
            throw Self.error("the step of \(with.name) has other columns than its first rows", pass)
        }
    }

    private mutating func columns(_ plan: LogicalPlan, _ pass: String) throws -> [ColumnID: SQLType] {
        try budget.check()
        if case .with(let with) = plan {
            definitions[with.id] = try columns(with.definition, pass)
            if let recursion = with.recursion { try verify(recursion, of: with, pass) }
            return try columns(with.body, pass)
        }
        var available: [ColumnID: SQLType] = [:]
        for child in plan.children {
            for (id, type) in try columns(child, pass) where available.updateValue(type, forKey: id) != nil {
                if case .setOperation = plan { continue }
                throw Self.error("\(id) comes from both sides", pass)
            }
        }
        var problem: String?
        plan.forEachExpression { if problem == nil { problem = self.problem($0, available) } }
        if let problem { throw Self.error(problem, pass) }
        return try outputs(plan, available, pass)
    }

    private func problem(_ expression: BoundExpression, _ available: [ColumnID: SQLType]) -> String? {
        var found: String?
        if forbidsSubqueries, expression.hasSubquery { return "a subquery is left" }
        if expression.hasSubquery { return nil }
        if let wrong = OperandVerifier().problem(expression) { return wrong }
        expression.forEachColumnReference { id, type in
            guard let known = available[id] else {
                found = "\(id) is read but not produced"
                return
            }
            if known.physical != type.physical { found = "\(id) is \(known) but read as \(type)" }
        }
        return found
    }

    private func outputs(
        _ plan: LogicalPlan, _ available: [ColumnID: SQLType], _ pass: String
    ) throws -> [ColumnID: SQLType] {
        var result: [ColumnID: SQLType] = [:]
        switch plan {
        case .scan(let scan): for column in scan.columns { result[column.id] = column.type }
        case .systemScan(let scan): for column in scan.columns { result[column.id] = column.type }
        case .values(let values): for column in values.columns { result[column.id] = column.type }
        case .filter, .sort, .limit, .with: return available
        case .project(let columns, _): for column in columns { result[column.id] = column.expression.type }
        case .join(let join):
            guard !join.kind.emitsRight else { return available }
            join.left.outputColumns.forEach { result[$0] = available[$0] }
            if case .mark(let id, _) = join.kind { result[id] = .boolean }
        case .aggregate(let aggregate):
            for group in aggregate.groups { result[group.id] = group.expression.type }
            for item in aggregate.aggregates { result[item.id] = item.call.type }
            if let id = aggregate.groupingColumn { result[id] = .integer }
        case .window(let window):
            result = available
            for function in window.functions { result[function.id] = function.call.type }
        case .unnest(let unnest):
            result = available
            for column in unnest.specification.columns { result[column.id] = column.type }
        case .setOperation(let operation):
            for id in operation.leftColumns + operation.rightColumns where available[id] == nil {
                throw Self.error("\(id) is read but not produced", pass)
            }
            for column in operation.outputs { result[column.id] = column.type }
        case .withReference(let reference):
            let definition = definitions[reference.id] ?? [:]
            for (column, source) in zip(reference.columns, reference.sources) {
                guard definition[source] != nil else {
                    throw Self.error("\(source) is not in common table expression \(reference.alias)", pass)
                }
                result[column.id] = column.type
            }
        }
        return result
    }
}
