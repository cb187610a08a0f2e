import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// The state of binding one statement: where names are looked up, the ids handed out, and the limits. Confined to one
/// thread.
final class BindingSession {
    let catalog: CatalogSnapshot
    let temporary: CatalogSnapshot
    let searchPath: [String]
    let settings: BinderSettings
    let systemRelations: any SystemRelationSchema
    let columnIDs: ColumnIDSource
    /// By zero-based number; filled in from the context where the client has not said.
    var parameterTypes: [Int: SQLType] = [:]
    /// Stored relations that the statement reads, for view dependencies.
    var dependencies: [ObjectID] = []
    /// Views being expanded, innermost last.
    var expandingViews: [ObjectID] = []
    private var nextCommonTableID = 0
    private var depth = 0
    private var nodes = 0

    init(
        catalog: CatalogSnapshot, temporary: CatalogSnapshot, searchPath: [String], settings: BinderSettings,
        systemRelations: any SystemRelationSchema, ids: ColumnIDSource = ColumnIDSource()
    ) {
        columnIDs = ids
        self.catalog = catalog
        self.temporary = temporary
        self.searchPath = searchPath.map { $0 == "$user" ? settings.user : $0 }
        self.settings = settings
        self.systemRelations = systemRelations
        for (index, type) in settings.parameterTypes.enumerated() where type != .unknown {
            parameterTypes[index] = type
        }
    }

    func makeColumn() -> ColumnID { columnIDs.make() }
    func makeCommonTableID() -> Int {
        defer { nextCommonTableID += 1 }
        return nextCommonTableID
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

    func countNode() throws {
        nodes += 1
        guard nodes <= BinderLimits.nodes else {
            throw SQLError(.statementTooComplex, "statement is too complex")
        }
    }

    func addDependency(_ id: ObjectID) {
        if expandingViews.isEmpty && !dependencies.contains(id) { dependencies.append(id) }
    }
}
