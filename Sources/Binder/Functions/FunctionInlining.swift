import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// Calls of functions that users have made: the body takes the call's place, with the arguments in it, so that it is
/// optimized and run as if it were written there.
struct FunctionInlining {
    let binder: ExpressionBinder

    private var session: BindingSession { binder.session }

    /// - Returns: nil when no function has the name, or none takes such arguments.
    func call(_ call: FunctionCall, _ arguments: [BoundExpression]) throws -> BoundExpression? {
        let candidates = try session.recordedFunctions(named: call.name) ?? session.functions(named: call.name)
        guard let function = try best(candidates, for: arguments, call) else { return nil }
        if binder.clause == .defaultValue {
            throw SQLError(
                .featureNotSupported, "functions made by CREATE FUNCTION are not supported in DEFAULT",
                at: call.position)
        }
        session.note(function, as: call.name)
        session.access.add(function)
        let values = try zip(arguments, function.parameters).map { argument, type in
            try value(argument, as: type, at: call.position)
        }
        return try inlined(function, values, at: call.position)
    }

    func inlined(
        _ function: FunctionDefinition, _ arguments: [BoundExpression], at position: SourcePosition
    ) throws -> BoundExpression {
        guard session.openTexts.count < BinderLimits.viewDepth,
            !session.openTexts.contains(where: { $0.id == function.id })
        else {
            throw SQLError(
                .statementTooComplex, "functions are nested too deeply or call each other: \(function.signature)",
                at: position)
        }
        let text = OpenText(id: function.id, isLateBinding: false, references: function.references)
        let outer = session.routineArguments
        session.routineArguments = RoutineArguments(function.signature, arguments)
        defer { session.routineArguments = outer }
        do {
            let body = try session.body(of: function)
            let inner = ExpressionBinder(session, Scope(parent: nil, commonTables: nil), clause: .values)
            let bound = try session.coercion.resolved(try session.inText(of: text) { try inner.bind(body) })
            return try value(bound, as: function.result, at: position)
        } catch let error as SQLError {
            // Positions inside the body mean nothing in the statement.
            var placed = error
            placed.position = position.offset
            throw placed
        }
    }

    /// As in PostgreSQL, lengths and precisions of parameters and results say nothing.
    private func value(
        _ expression: BoundExpression, as type: SQLType, at position: SourcePosition
    ) throws -> BoundExpression {
        if expression.type.nameWithoutModifiers == type.nameWithoutModifiers { return expression }
        if expression.type == .unknown, type.isString { return try session.coercion.resolved(expression) }
        return try session.coercion.cast(expression, to: type, .assignment, at: position)
    }

    /// The function that takes the most arguments as they are, of those that the others convert to without being asked.
    private func best(
        _ candidates: [FunctionDefinition], for arguments: [BoundExpression], _ call: FunctionCall
    ) throws -> FunctionDefinition? {
        var best: [FunctionDefinition] = []
        var bestCount = -1
        for candidate in candidates where candidate.parameters.count == arguments.count {
            let pairs = zip(arguments.map(\.type), candidate.parameters)
            guard pairs.allSatisfy({ $0 == .unknown || CastPermission.allows($0, $1, .implicit) }) else { continue }
            let exact = pairs.count { $0.nameWithoutModifiers == $1.nameWithoutModifiers }
            if exact > bestCount { (best, bestCount) = ([], exact) }
            if exact == bestCount { best.append(candidate) }
        }
        guard best.count > 1 else { return best.first }
        let types = arguments.map(\.type.nameWithoutModifiers).joined(separator: ", ")
        throw SQLError(
            "42725", "function \(call.name)(\(types)) is not unique",
            hint: "Could not choose a best candidate function. You may need to add explicit type casts.",
            at: call.position)
    }
}

/// What `$1`, `$2`, ... are in the body of a function that is being inlined.
struct RoutineArguments {
    private let signature: String
    private let values: [BoundExpression]
    private var uses: [Int]

    init(_ signature: String, _ values: [BoundExpression]) {
        self.signature = signature
        self.values = values
        uses = Array(repeating: 0, count: values.count)
    }

    mutating func use(_ reference: ParameterReference, _ session: BindingSession) throws -> BoundExpression {
        let index = reference.number - 1
        guard values.indices.contains(index) else {
            throw SQLError(
                "42P02", "there is no parameter $\(reference.number)", detail: "The function is \(signature).",
                at: reference.position)
        }
        uses[index] += 1
        if uses[index] > 1 {
            try session.countCopies(of: values[index])
            if values[index].isVolatile {
                throw SQLError(
                    .featureNotSupported, "a volatile argument of \(signature) is used more than once",
                    hint: "Compute it in a subquery.")
            }
        }
        return values[index]
    }
}

extension BoundExpression {
    /// Its value may differ from one use to the next.
    var isVolatile: Bool {
        if case .call(let function, _, _) = self, FunctionTable.volatility(of: function) == .volatile { return true }
        return containsChild { $0.isVolatile }
    }
}

extension BindingSession {
    var coercion: Coercion { Coercion(self) }

    func note(_ function: FunctionDefinition, as name: ObjectName) {
        guard namedObjects != nil, openTexts.isEmpty else { return }
        namedObjects?.append(NamedObject(object: .function(function), name: name, columns: []))
    }

    /// In the text of a definition that was written with the name: the functions that it meant; nil elsewhere.
    func recordedFunctions(named name: ObjectName) -> [FunctionDefinition]? {
        guard let text = openTexts.last, !text.isLateBinding else { return nil }
        let found = text.references.filter { $0.matches(name) }.compactMap { reference -> FunctionDefinition? in
            if case .function(let function)? = catalog.object(id: reference.object) { function } else { nil }
        }
        return found.isEmpty ? nil : found
    }
}
