import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// The state of binding one statement: where names are looked up, the ids handed out, and the limits. Confined to one
/// thread.
final class BindingSession {
    /// Seen from the database in which names are looked up.
    var catalog: CatalogSnapshot
    let temporary: CatalogSnapshot
    let searchPath: [String]
    let settings: BinderSettings
    let systemRelations: any SystemRelationSchema
    let columnIDs: ColumnIDSource
    /// By zero-based number; filled in from the context where the client has not said.
    var parameterTypes: [Int: SQLType] = [:]
    /// What the statement's own text names; nil: nobody wants to know.
    var namedObjects: [NamedObject]?
    /// Tables that the statement scans, inside of views as well.
    var scannedTables: Set<ObjectID> = []
    /// Definitions whose texts are being bound, innermost last.
    var openTexts: [OpenText] = []
    /// The zone and date order of whoever wrote the definition whose text is being bound; nil outside of such texts.
    private(set) var writer: DatetimeContext?
    /// Of the function whose body is being bound.
    var routineArguments: RoutineArguments?
    /// Takes what the statement uses.
    let access: AccessRecord
    /// For what clients are told of the result.
    var origins = ColumnOrigins()
    /// By zero-based number: arrays, by `pg_type`'s oid. Their values are text.
    var parameterArrays: [Int: Int32] = [:]
    /// Columns whose texts ignore the case, see ``Collations``.
    var insensitiveColumns: Set<ColumnID> = []
    /// COLLATE(...) was called.
    var usesCollate = false
    /// Where `$user` stands in the search path.
    let userSchemaPlace: Int?
    /// False once the result depends on more than the catalog's definitions, the settings and the parameters' types: on
    /// the time, on a parameter's value, on what the catalog answers.
    private(set) var isReusable = true
    /// Views that were read before in this statement.
    private var viewQueries: [ObjectID: Query] = [:]
    private var functionBodies: [ObjectID: SQLSyntax.Expression] = [:]
    private var nextCommonTableID = 0
    private var depth = 0
    private var openAliases = 0
    private var aliasNodes = 0

    init(
        catalog: CatalogSnapshot, temporary: CatalogSnapshot, searchPath: [String], settings: BinderSettings,
        systemRelations: any SystemRelationSchema, ids: ColumnIDSource = ColumnIDSource()
    ) {
        columnIDs = ids
        access = AccessRecord(settings.user, settings.accounts ?? catalog.accounts)
        userSchemaPlace = searchPath.firstIndex(of: "$user")
        self.catalog = catalog
        self.temporary = temporary
        self.searchPath = searchPath.map { $0 == "$user" ? settings.user.name : $0 }
        self.settings = settings
        self.systemRelations = systemRelations
        for (index, type) in settings.parameterTypes.enumerated() where type != .unknown {
            parameterTypes[index] = type
        }
    }

    func noteDependence() { isReusable = false }

    func makeColumn() -> ColumnID { columnIDs.make() }
    func makeCommonTableID() throws -> Int {
        guard nextCommonTableID < BinderLimits.commonTables else {
            throw SQLError(
                .statementTooComplex, "statement is too complex",
                detail: "It has more than \(BinderLimits.commonTables) common table expressions.",
                hint: "Keep the results of parts of it in temporary tables.")
        }
        defer { nextCommonTableID += 1 }
        return nextCommonTableID
    }

    /// A view's query; its text is read once a statement.
    func query(of view: ViewDefinition) throws -> Query {
        if let known = viewQueries[view.id] { return known }
        let query = try Parser.parseQuery(view.query, options: StoredText.options(of: view.query), budget: budget)
        viewQueries[view.id] = query
        return query
    }

    /// A function's expression; its text is read once a statement.
    func body(of function: FunctionDefinition) throws -> SQLSyntax.Expression {
        if let known = functionBodies[function.id] { return known }
        let body = try FunctionBody.expression(of: function.body, budget: budget)
        functionBodies[function.id] = body
        return body
    }

    /// For literals that are folded to dates and times.
    var datetime: DatetimeContext { writer ?? settings.datetime }

    /// What is bound stands in the text of a view, a function or a column's default.
    var isInDefinition: Bool { writer != nil || !openTexts.isEmpty }

    /// Binds the text of a definition: its literals mean what they meant when it was written.
    func inStoredText<Result>(_ text: String, _ body: () throws -> Result) rethrows -> Result {
        let outer = writer
        defer { writer = outer }
        var context = settings.datetime
        (context.order, context.zone) = StoredText.dates(of: text)
        writer = context
        return try body()
    }

    var budget: PlanningBudget { settings.budget }

    /// Counts a relation or a query.
    func countOperator() throws {
        try budget.take(operators: 1)
        try budget.take(bytes: BinderLimits.operatorBytes)
    }

    /// Runs `body` some levels deeper; refuses what could exhaust the stack.
    func deeper<Result>(by levels: Int = 1, _ body: () throws -> Result) throws -> Result {
        depth += levels
        defer { depth -= levels }
        guard depth <= BinderLimits.depth else {
            throw SQLError(
                .statementTooComplex, "stack depth limit exceeded",
                hint: "The statement nests expressions or subqueries too deeply.")
        }
        return try body()
    }

    /// Counts one expression. The number of those inside of expanded aliases has a limit of its own.
    func countNode() throws {
        try budget.take(bytes: BinderLimits.expressionBytes)
        guard openAliases > 0 else { return }
        aliasNodes += 1
        guard aliasNodes <= BinderLimits.aliasNodes else {
            throw SQLError(.statementTooComplex, "column aliases of the select list expand to too many expressions")
        }
    }

    /// Counts an expression that comes to stand at further places of the plan. Nested forms that name an operand twice
    /// double it on each level.
    func countCopies(of expression: BoundExpression, _ copies: Int = 1) throws {
        let nodes = expression.size(upTo: BinderLimits.copiedNodes)
        guard nodes < BinderLimits.copiedNodes, copies < BinderLimits.copiedNodes else {
            throw SQLError(
                .statementTooComplex, "statement is too complex",
                detail: "An operand that is used several times is too large.",
                hint: "Compute it in a subquery, or keep it in a table.")
        }
        try budget.take(bytes: nodes * copies * BinderLimits.expressionBytes)
    }

    func insideAlias<Result>(_ body: () throws -> Result) rethrows -> Result {
        openAliases += 1
        defer { openAliases -= 1 }
        return try body()
    }
}
