import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// Resolves names and types of parsed statements against one catalog snapshot. A value that may be kept for a session's
/// transaction; every bind has its own state, so one binder serves any number of statements, one at a time or at once.
package struct Binder: Sendable {
    package var catalog: CatalogSnapshot
    /// Temporary tables of the session; they hide permanent ones.
    package var temporary: CatalogSnapshot
    /// Schemas in which bare names are looked up; `$user` is the session's user.
    package var searchPath: [String]
    package var settings: BinderSettings
    package var systemRelations: any SystemRelationSchema

    package init(
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
    package func bind(_ statement: Statement, ids: ColumnIDSource = ColumnIDSource()) throws -> Binding {
        let session = makeSession(ids)
        let bound = try StatementBinder(session).bind(statement)
        return Binding(
            statement: bound, access: session.access.access, scanned: session.scannedTables,
            isReusable: session.isReusable, parameterArrays: session.parameterArrays,
            parameterTypes: session.parameterTypes)
    }

    package func bindQuery(_ query: Query) throws -> LogicalQuery {
        try QueryBinder(session: makeSession()).bind(query, parent: nil, commonTables: nil).logical
    }

    /// A constant expression, such as a column default, as a value of `type`.
    package func bindConstant(_ expression: SQLSyntax.Expression, as type: SQLType) throws -> BoundExpression {
        let session = makeSession()
        let binder = ExpressionBinder(session, Scope(parent: nil, commonTables: nil), clause: .defaultValue)
        return try Coercion(session).cast(
            try binder.bind(expression), to: type, .assignment, at: expression.position)
    }

    /// An expression of parameters and constants, for whoever computes it without a query: nil where it depends on
    /// more than that (tables, functions that users have made, the time), or is no plain expression.
    package func bindScalar(_ expression: SQLSyntax.Expression) throws -> BoundExpression? {
        let session = makeSession()
        let binder = ExpressionBinder(session, Scope(parent: nil, commonTables: nil), clause: .values)
        let bound = try Coercion(session).resolved(try binder.bind(expression))
        let access = session.access.access
        guard session.isReusable, access.uses.isEmpty, access.systemUses.isEmpty, access.functionUses.isEmpty,
            access.schemaUses.isEmpty, !bound.containsSubquery
        else { return nil }
        return bound
    }

    /// The same expression as a value of another type, as an assignment converts it: where no implicit way leads
    /// there, as a cast would.
    package func assigned(_ expression: BoundExpression, to type: SQLType) throws -> BoundExpression {
        let behavior: BoundExpression.CastBehavior =
            CastPermission.allows(expression.type, type, .assignment) ? .assignment : .explicit
        return try Coercion(makeSession()).cast(expression, to: type, behavior, at: .unknown)
    }

    /// The columns of a relation, for `%ROWTYPE` and `%TYPE`.
    package func columns(of name: ObjectName) throws -> [OutputColumn] {
        let text = name.parts.map { SQLPrinter.quoted($0.text) }.joined(separator: ".")
        return try bindQuery(try Parser.parseQuery("SELECT * FROM \(text)")).outputs
    }

    private func makeSession(_ ids: ColumnIDSource = ColumnIDSource()) -> BindingSession {
        BindingSession(
            catalog: catalog, temporary: temporary, searchPath: searchPath, settings: settings,
            systemRelations: systemRelations, ids: ids)
    }
}

/// A bound statement, and what binding it has shown.
package struct Binding: Sendable {
    package var statement: BoundStatement
    package var access: StatementAccess
    /// Tables that it scans, inside of views and subqueries as well; the target of an UPDATE, DELETE or MERGE is one of
    /// them, that of an INSERT is not.
    package var scanned: Set<ObjectID>
    /// It holds for as long as catalog, settings and types of parameters stay.
    package var isReusable: Bool
    /// Parameters that are arrays, by zero-based number: `pg_type`'s oids. Their values are texts.
    package var parameterArrays: [Int: Int32]
    /// By zero-based number, as given or as the context tells.
    private var parameterTypes: [Int: SQLType]

    init(
        statement: BoundStatement, access: StatementAccess, scanned: Set<ObjectID>, isReusable: Bool,
        parameterArrays: [Int: Int32], parameterTypes: [Int: SQLType]
    ) {
        self.parameterArrays = parameterArrays
        self.statement = statement
        self.access = access
        self.scanned = scanned
        self.isReusable = isReusable
        self.parameterTypes = parameterTypes
    }

    /// A parameter that nothing types is VARCHAR.
    package func parameterTypes(count: Int) -> [SQLType] {
        let standard = SQLType.varchar(SQLType.maximumVarcharLength)
        return (0..<max(0, count)).map { parameterTypes[$0] ?? standard }
    }
}
