import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// Resolves names and types of parsed statements against one catalog snapshot. A value that may be kept for a session's
/// transaction; every bind has its own state, so one binder serves any number of statements, one at a time or at once.
public struct Binder: Sendable {
    public var catalog: CatalogSnapshot
    /// Temporary tables of the session; they hide permanent ones.
    public var temporary: CatalogSnapshot
    /// Schemas in which bare names are looked up; `$user` is the session's user.
    public var searchPath: [String]
    public var settings: BinderSettings
    public var systemRelations: any SystemRelationSchema

    public init(
        catalog: CatalogSnapshot, temporary: CatalogSnapshot = CatalogSnapshot(database: "pg_temp"),
        searchPath: [String] = ["$user", "public"], settings: BinderSettings = BinderSettings(),
        systemRelations: any SystemRelationSchema = NoSystemRelations()
    ) {
        self.catalog = catalog
        self.temporary = temporary
        self.searchPath = searchPath
        self.settings = settings
        self.systemRelations = systemRelations
    }

    /// - Parameter ids: where column ids come from; the optimizer goes on with the same source.
    public func bind(_ statement: Statement, ids: ColumnIDSource = ColumnIDSource()) throws -> BoundStatement {
        try bindForReuse(statement, ids: ids).statement
    }

    /// The same, and whether the result holds for as long as catalog, settings and types of parameters stay.
    public func bindForReuse(
        _ statement: Statement, ids: ColumnIDSource = ColumnIDSource()
    ) throws -> (statement: BoundStatement, scanned: Set<ObjectID>, isReusable: Bool) {
        let session = makeSession(ids)
        let bound = try StatementBinder(session).bind(statement)
        return (bound, session.scannedTables, session.isReusable)
    }

    /// Also tells which tables the statement scans, inside of views and subqueries as well; the target of an UPDATE,
    /// DELETE or MERGE is one of them, that of an INSERT is not.
    ///
    /// - Parameter access: takes what the statement uses; nil where nobody asks. Schemas that its user may not use are
    ///   refused.
    public func bindWithScans(
        _ statement: Statement, ids: ColumnIDSource, access: AccessRecord? = nil
    ) throws -> (statement: BoundStatement, scanned: Set<ObjectID>) {
        let session = makeSession(ids)
        session.access = access
        let bound = try StatementBinder(session).bind(statement)
        return (bound, session.scannedTables)
    }

    public func bindQuery(_ query: Query) throws -> LogicalQuery {
        try QueryBinder(session: makeSession()).bind(query, parent: nil, commonTables: nil).logical
    }

    /// For prepared statements: the statement, and the types of its parameters as given or as the context tells.
    /// A parameter that nothing types is VARCHAR.
    public func describe(
        _ statement: Statement, parameterCount: Int
    ) throws -> (statement: BoundStatement, parameterTypes: [SQLType], isReusable: Bool) {
        let session = makeSession()
        let bound = try StatementBinder(session).bind(statement)
        let standard = SQLType.varchar(SQLType.maximumVarcharLength)
        let types = (0..<max(0, parameterCount)).map { session.parameterTypes[$0] ?? standard }
        return (bound, types, session.isReusable)
    }

    /// A constant expression, such as a column default, as a value of `type`.
    public func bindConstant(_ expression: SQLSyntax.Expression, as type: SQLType) throws -> BoundExpression {
        let session = makeSession()
        let binder = ExpressionBinder(session, Scope(parent: nil, commonTables: nil), clause: .defaultValue)
        return try Coercion(session).cast(
            try binder.bind(expression), to: type, .assignment, at: expression.position)
    }

    private func makeSession(_ ids: ColumnIDSource = ColumnIDSource()) -> BindingSession {
        BindingSession(
            catalog: catalog, temporary: temporary, searchPath: searchPath, settings: settings,
            systemRelations: systemRelations, ids: ids)
    }
}
