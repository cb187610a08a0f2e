import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// CALL: the procedure of the name that takes the arguments, and their values in its types.
struct CallBinder {
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    func bind(_ node: CallStatement) throws -> BoundCall {
        let scope = Scope(parent: nil, commonTables: nil)
        let binder = ExpressionBinder(session, scope, clause: .values)
        let arguments = try node.arguments.map { try binder.bind($0) }
        guard let (procedure, places) = try best(try session.procedures(named: node.name), for: arguments, node) else {
            let types = arguments.map(\.type.nameWithoutModifiers).joined(separator: ", ")
            throw SQLError(
                .undefinedFunction, "procedure \(node.name)(\(types)) does not exist",
                hint: "No procedure matches the given name and argument types. "
                    + "You may need to add explicit type casts.", at: node.position)
        }
        var values: [BoundExpression] = []
        for (index, place) in places.enumerated() where procedure.parameters[place].takesValue {
            values.append(
                try value(arguments[index], as: procedure.parameters[place].type, at: node.arguments[index].position))
        }
        if values.contains(where: \.containsSubquery) {
            throw SQLError(
                .featureNotSupported, "subqueries cannot be arguments of a procedure",
                hint: "Select the value into a variable, or a table, first.", at: node.position)
        }
        return BoundCall(procedure: procedure, arguments: values, parameters: places)
    }

    /// Texts lose nothing by a parameter's length: it says nothing in a call, as in PostgreSQL.
    private func value(
        _ expression: BoundExpression, as type: SQLType, at position: SourcePosition
    ) throws -> BoundExpression {
        guard type.family == .varchar else {
            return try session.coercion.cast(expression, to: type, .assignment, at: position)
        }
        if expression.type.family == .varchar { return expression }
        let widest = SQLType.varchar(SQLType.maximumVarcharLength)
        return try session.coercion.cast(expression, to: widest, .assignment, at: position)
    }

    private typealias Choice = (procedure: ProcedureDefinition, places: [Int])

    /// The procedure that takes the most arguments as they are, of those that the others convert to. A list with a
    /// place for every parameter fits as well: procedures call each other so, with variables for what comes back.
    private func best(
        _ candidates: [ProcedureDefinition], for arguments: [BoundExpression], _ node: CallStatement
    ) throws -> Choice? {
        var best: [Choice] = []
        var bestCount = -1
        for candidate in candidates {
            guard let places = places(of: candidate, count: arguments.count) else { continue }
            let pairs = zip(places, arguments).filter { candidate.parameters[$0.0].takesValue }
                .map { (from: $0.1.type, to: candidate.parameters[$0.0].type) }
            guard pairs.allSatisfy({ $0.from == .unknown || CastPermission.allows($0.from, $0.to, .assignment) }) else {
                continue
            }
            let exact = pairs.reduce(0) { $0 + CallBinder.closeness($1.from, $1.to) }
            if exact > bestCount { (best, bestCount) = ([], exact) }
            if exact == bestCount { best.append((candidate, places)) }
        }
        guard best.count > 1 else { return best.first }
        let types = arguments.map(\.type.nameWithoutModifiers).joined(separator: ", ")
        throw SQLError(
            "42725", "procedure \(node.name)(\(types)) is not unique",
            hint: "Could not choose a best candidate procedure. You may need to add explicit type casts.",
            at: node.position)
    }

    /// Literals without a type are texts first.
    private static func closeness(_ from: SQLType, _ to: SQLType) -> Int {
        if from == .unknown { return to.isString ? 3 : 1 }
        if from.nameWithoutModifiers == to.nameWithoutModifiers { return 3 }
        return CastPermission.allows(from, to, .implicit) ? 1 : 0
    }

    private func places(of procedure: ProcedureDefinition, count: Int) -> [Int]? {
        let inputs = procedure.parameters.indices.filter { procedure.parameters[$0].takesValue }
        if inputs.count == count { return inputs }
        return procedure.parameters.count == count ? Array(procedure.parameters.indices) : nil
    }
}

extension StatementBinder {
    /// ALTER PROCEDURE: rename and change of the owner.
    func bindAlterProcedure(_ node: AlterProcedureStatement) throws -> BoundStatement {
        guard let object = try session.findObject(.procedure, node.name, arguments: node.argumentTypes) else {
            throw session.unknownObject(.procedure, node.name, arguments: node.argumentTypes)
        }
        let action: BoundAlterObject.Action =
            switch node.action {
            case .renameTo(let name): .rename(name.text)
            case .ownerTo(let name): .owner(name.text)
            }
        return .alterObject(BoundAlterObject(object: object, action: action))
    }
}
