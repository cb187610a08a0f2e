import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// CREATE FUNCTION: scalar functions in SQL.
struct CreateFunctionBinder {
    private static let maximumParameters = 32
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    func bind(_ node: CreateRoutineStatement) throws -> BoundCreateFunction {
        guard node.language == "sql" else {
            throw SQLError(
                .featureNotSupported, "functions in language \"\(node.language)\" are not supported", at: node.position)
        }
        guard let returns = node.returns else {
            throw SQLError("42P13", "function result type must be specified", at: node.position)
        }
        guard node.parameters.count <= Self.maximumParameters else {
            throw SQLError(
                "54023", "functions cannot have more than \(Self.maximumParameters) arguments", at: node.position)
        }
        if let output = node.parameters.first(where: { $0.mode != .input }) {
            throw SQLError("42P13", "functions cannot have \(output.mode.rawValue) arguments", at: node.position)
        }
        var definition = FunctionDefinition(
            id: ObjectID(0), schema: try session.creationSchema(for: node.name), name: node.name.name,
            parameters: try node.parameters.map { try $0.type.resolve() }, result: try returns.resolve(),
            volatility: volatility(node), body: node.body, references: [], owner: session.settings.user.id)
        let existing = session.catalog.functions[definition.schema]?[definition.signature]
        if let existing { try checkReplacement(existing, definition, node) }
        definition.references = try references(of: definition, at: node.bodyPosition)
        return BoundCreateFunction(definition: definition, orReplace: node.orReplace)
    }

    private func volatility(_ node: CreateRoutineStatement) -> FunctionDefinition.Volatility {
        if node.options.contains(where: { $0.name == "IMMUTABLE" }) { return .immutable }
        return node.options.contains { $0.name == "STABLE" } ? .stable : .volatile
    }

    private func checkReplacement(
        _ existing: FunctionDefinition, _ new: FunctionDefinition, _ node: CreateRoutineStatement
    ) throws {
        if !node.orReplace { throw existing.alreadyExists.at(node.name.position) }
        if existing.result.nameWithoutModifiers != new.result.nameWithoutModifiers {
            throw SQLError(
                "42P13", "cannot change return type of existing function", hint: "Use DROP FUNCTION first.",
                at: node.position)
        }
    }

    /// Binds the body once with arguments that nobody knows, for its errors and for what it names.
    private func references(
        of function: FunctionDefinition, at position: SourcePosition
    ) throws -> [ObjectReference] {
        session.namedObjects = []
        let body = try FunctionBody.expression(of: function.body, budget: session.budget)
        let arguments = function.parameters.map { BoundExpression.column(session.makeColumn(), $0) }
        session.routineArguments = RoutineArguments(function.signature, arguments)
        defer { session.routineArguments = nil }
        let binder = ExpressionBinder(session, Scope(parent: nil, commonTables: nil), clause: .values)
        let bound: BoundExpression
        do {
            bound = try Coercion(session).resolved(try binder.bind(body))
        } catch var error as SQLError {
            error.position = position.offset
            throw error
        }
        guard CastPermission.allows(bound.type, function.result, .assignment) else {
            throw SQLError(
                "42P13",
                "return type mismatch in function declared to return \(function.result.nameWithoutModifiers)",
                detail: "Actual return type is \(bound.type.nameWithoutModifiers).", at: position)
        }
        if bound.containsSubquery { throw FunctionBody.notScalar.at(position) }
        return session.references(used: ColumnSet())
    }
}

/// The text of a function in SQL: SELECT and one expression.
enum FunctionBody {
    static let notScalar = SQLError(
        .featureNotSupported, "the body of a SQL function must be SELECT with one expression",
        detail: "FROM, INTO, WHERE, GROUP BY, ORDER BY, LIMIT and subqueries are not possible.")

    static func expression(of text: String, budget: PlanningBudget) throws -> SQLSyntax.Expression {
        let query = try Parser.parseQuery(text, options: .stored, budget: budget)
        guard query.with == nil, query.orderBy.isEmpty, query.limit == nil, query.offset == nil,
            case .select(let select) = query.body, select.items.count == 1,
            case .expression(let expression, _) = select.items[0], select.isPlain
        else { throw notScalar }
        return expression
    }
}

extension SelectBody {
    /// Nothing but the select list.
    fileprivate var isPlain: Bool {
        !isDistinct && distinctOn.isEmpty && top == nil && exclude.isEmpty && into == nil && from.isEmpty
            && filter == nil && connectBy == nil && groupBy == nil && having == nil && qualify == nil
            && windows.isEmpty
    }
}
