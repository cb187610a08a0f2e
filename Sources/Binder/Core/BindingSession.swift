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
    /// Tables that the statement scans, inside of views as well.
    var scannedTables: Set<ObjectID> = []
    /// Views being expanded, innermost last.
    var expandingViews: [ViewDefinition] = []
    /// Takes what the statement uses; nil for superusers.
    var access: AccessRecord?
    /// False once the result depends on more than the catalog's definitions, the settings and the parameters' types: on
    /// the time, on a parameter's value, on what the catalog answers.
    private(set) var isReusable = true
    private var nextCommonTableID = 0
    private var depth = 0
    private var openAliases = 0
    private var aliasNodes = 0

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

    func noteDependence() { isReusable = false }

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

    /// Counts one expression; only those inside of expanded aliases are limited.
    func countNode() throws {
        guard openAliases > 0 else { return }
        aliasNodes += 1
        guard aliasNodes <= BinderLimits.aliasNodes else {
            throw SQLError(.statementTooComplex, "column aliases of the select list expand to too many expressions")
        }
    }

    func insideAlias<Result>(_ body: () throws -> Result) rethrows -> Result {
        openAliases += 1
        defer { openAliases -= 1 }
        return try body()
    }

    func addDependency(_ id: ObjectID) {
        if expandingViews.isEmpty && !dependencies.contains(id) { dependencies.append(id) }
    }
}
