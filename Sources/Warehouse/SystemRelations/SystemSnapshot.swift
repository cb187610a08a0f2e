import Binder
import Catalog
import ColumnStore
import Platform
import SQLTypes
import Workload

import enum SQLSyntax.StoredText

/// What system relations are made from: the state of the warehouse as one session sees it.
struct SystemSnapshot: Sendable {
    var store: StoreSnapshot
    var time: any TimeSource
    var shape: ClusterShape
    var log: WarehouseLog
    var sessions: SessionRegistry
    var transactions: TransactionRegistry
    var vacuums: VacuumLog
    var analyzes: AnalyzeLog
    var compressions: CompressionLog
    var procedures: ProcedureLog
    var refreshes: RefreshLog
    var crashes: CrashHistory
    var workload: WorkloadManager
    var usage: ScalingUsage
    var analyses: AnalysisRegistry
    var lists: CatalogLists
    /// In whose name the statement runs.
    var account: UserDefinition
    var accounts: AccountCatalog
    var temporarySchema: String
    var sessionNumber: Int
    var settings: SessionSettings
    /// Of the cluster: what CURRENT_NAMESPACE shows.
    var namespace: @Sendable () -> String
    /// SET of a parameter, for its transaction only or for the session; gives back the new value.
    var setParameter: @Sendable (_ name: String, _ value: String, _ isLocal: Bool) throws -> String
    /// Types of a view's columns, found by binding its text; nil when it cannot be bound (any more).
    var viewColumns: @Sendable (ViewDefinition) -> [SystemColumn]?
    /// Of the statement that asks.
    var cancellation: CancellationToken
    /// Read from the disk.
    var savedSnapshots: @Sendable () throws -> [SavedSnapshot]
    var memory: @Sendable () -> [MemoryAccount]
    /// What the maintenance has found when it looked for new files.
    var copyJobLook: @Sendable (ObjectID) -> CopyJobWatch.Look?

    struct Namespace: Sendable {
        var id: Int
        var name: String
        /// A user's id.
        var owner: Int
    }

    var database: String { store.catalog.database.name }
    var searchPath: [String] { settings.searchPath }
    var databaseID: Int { Int(store.catalog.databaseID.raw) }
    static let systemNamespaces: [Namespace] = [
        (11, "pg_catalog"), (99, "pg_toast"), (10_000, "information_schema"), (10_001, "pg_internal"),
    ].map { Namespace(id: $0.0, name: $0.1, owner: UserDefinition.bootstrapID) }

    var user: String { account.name }
    var rights: AccessRights { AccessRights(account, accounts) }
    var users: [UserDefinition] { accounts.sortedUsers }
    /// What ran before there were several databases ran in the first.
    func loggedDatabase(_ name: String) -> Datum {
        .text(name.isEmpty ? databaseName(DatabaseDefinition.firstID) : name)
    }
    /// Of a table that may be gone; then the session's.
    func databaseName(ofTable id: ObjectID) -> Datum {
        if store.catalog.databases.count == 1 { return .text(database) }
        return .text(databaseName(store.catalog.database(of: id) ?? store.catalog.databaseID))
    }
    /// Empty for one that is gone.
    func databaseName(_ id: ObjectID) -> String { store.catalog.databases[id]?.name ?? "" }
    func userName(_ id: Int) -> String { accounts.users[id]?.name ?? "unknown (OID=\(id))" }
    /// Whose rows of the system tables are shown; nil: everybody's.
    var shownUser: Int? { rights.seesAllActivity ? nil : account.id }

    /// The same from the point of view of another database.
    func within(_ database: ObjectID) -> SystemSnapshot? {
        guard let seen = store.within(database) else { return nil }
        var result = self
        result.store = seen
        return result
    }
    /// From each database's point of view.
    var withinEach: [SystemSnapshot] { store.catalog.databases.keys.sorted().compactMap { within($0) } }

    var namespaces: [Namespace] {
        SystemSnapshot.systemNamespaces
            + store.catalog.schemas.values.sorted { $0.id < $1.id }.map {
                Namespace(id: Int($0.id.raw), name: $0.name, owner: $0.owner)
            }
    }
    /// Ids of all schemas by name.
    var namespaceIDs: [String: Int] {
        Dictionary(namespaces.map { ($0.name, $0.id) }, uniquingKeysWith: { first, _ in first })
    }

    /// Schemas in the order of name lookup, as `current_schemas` shows them.
    func visibleSchemas(withImplicit: Bool) -> [String] {
        let schemas = store.catalog.schemas
        var path = searchPath.map { $0 == "$user" ? user : $0 }.filter { schemas[$0] != nil }
        guard withImplicit else { return path.filter { $0 != "pg_catalog" } }
        if !path.contains("pg_catalog") { path.insert("pg_catalog", at: 0) }
        if store.catalog.schema(named: temporarySchema) != nil { path.insert(temporarySchema, at: 0) }
        return path
    }

    /// Tables that the session may see, its own temporary ones included.
    var tables: [TableDefinition] {
        relations.compactMap { if case .table(let table) = $0 { table } else { nil } }
    }
    var views: [ViewDefinition] {
        relations.compactMap { if case .view(let view) = $0 { view } else { nil } }
    }
    var relations: [Relation] {
        let list = lists.list(store)
        if !list.hasTemporary { return list.relations }
        return list.relations.filter {
            !$0.schema.hasPrefix(Session.temporarySchemaPrefix) || $0.schema == temporarySchema
        }
    }
    func relation(id: Int) -> Relation? { lists.list(store).byID[id] }
}

extension TableDefinition {
    /// Oids of things that belong to a table: apart from those of tables, the same in every session.
    func constraintID(_ index: Int) -> Int { 0x4000_0000 + Int(id.raw & 0x7F_FFFF) * 64 + index }
    func defaultID(_ column: Int) -> Int { 0x6000_0000 + Int(id.raw & 0x3_FFFF) * 1_600 + column }
    var hasPrimaryKey: Bool { constraints.contains { $0.kind == .primaryKey } }
    /// PRIMARY KEY and UNIQUE show as indexes.
    var keys: [(index: Int, constraint: TableConstraint)] {
        constraints.enumerated().filter {
            switch $0.element.kind {
            case .primaryKey, .unique: true
            case .foreignKey: false
            }
        }.map { (index: $0.offset, constraint: $0.element) }
    }
}

extension ViewDefinition {
    /// As catalogs show it: late-binding views with their whole statement.
    var shownText: String {
        let text = StoredText.statementText(query)
        guard isLateBinding else { return text + ";" }
        let place = schema == "public" ? "" : CatalogArray.quoted(schema) + "."
        return "CREATE VIEW \(place)\(CatalogArray.quoted(name)) AS \(text) WITH NO SCHEMA BINDING;"
    }
}
