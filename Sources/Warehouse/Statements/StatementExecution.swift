import Binder
import Catalog
import ColumnStore
import ColumnVectors
import Optimizer
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes
import VectorEngine

/// One statement on its way: bound against the newest snapshot, then executed. Confined to the session's thread.
final class StatementExecution {
    let session: Session
    let queryID: Int
    let text: String
    let cancellation: CancellationToken
    let handler: any ResultHandler
    /// Rows returned or changed, for the log.
    var rowCount = 0
    let started = SystemTime().wallMicroseconds()

    init(
        session: Session, queryID: Int, text: String, cancellation: CancellationToken, handler: any ResultHandler
    ) {
        self.session = session
        self.queryID = queryID
        self.text = text
        self.cancellation = cancellation
        self.handler = handler
    }

    var warehouse: Warehouse { session.warehouse }
    var store: Store { session.warehouse.store }

    func run(_ statement: Statement) throws {
        // Readers take a snapshot and go; everything that changes the warehouse takes its turn.
        if statement.isReadOnly { return try runBound(statement) }
        try warehouse.writeLock.withLock { try runBound(statement) }
    }

    private func runBound(_ statement: Statement) throws {
        let ids = ColumnIDSource()
        let snapshot = store.snapshot()
        let bound = try binder(snapshot).bind(statement, ids: ids)
        try execute(bound, snapshot, ids)
    }

    func binder(_ snapshot: StoreSnapshot, parameterTypes: [SQLType] = []) -> Binder {
        var temporary = CatalogSnapshot(database: "pg_temp")
        for relation in snapshot.catalog.relations(inSchema: session.temporarySchema) { temporary.put(relation) }
        return Binder(
            catalog: snapshot.catalog, temporary: temporary, searchPath: session.settings.searchPath,
            settings: BinderSettings(user: warehouse.options.user, parameterTypes: parameterTypes),
            systemRelations: SystemRelations())
    }

    func execute(_ statement: BoundStatement, _ snapshot: StoreSnapshot, _ ids: ColumnIDSource) throws {
        switch statement {
        case .query(let query): try select(query, snapshot, ids)
        case .explain(let options, let inner): try explain(options, inner, snapshot, ids)
        case .createTable(let definition, let ifNotExists):
            try createTable(definition, ifNotExists: ifNotExists, snapshot)
        case .createTableAs(let definition, let query, let ifNotExists):
            try createTableAs(definition, query, ifNotExists: ifNotExists, snapshot, ids)
        case .alterTable(let change): try alterTable(change, snapshot, ids)
        case .insert(let insert): try self.insert(insert, snapshot, ids)
        case .truncate(let table): try truncate(table)
        case .copy(let copy): try self.copy(copy, snapshot)
        case .createView(let view, let orReplace): try createView(view, orReplace: orReplace, snapshot)
        case .drop(let drop): try self.drop(drop, snapshot)
        case .createSchema(let schema, let ifNotExists):
            try createSchema(schema, ifNotExists: ifNotExists, snapshot)
        case .alterSchema(let schema, let action): try alterSchema(schema, action, snapshot)
        case .comment(let comment): try self.comment(comment, snapshot)
        case .analyze(let statement, let tables, _): try analyze(statement, tables)
        case .set(let statement): try set(statement)
        case .reset(let statement): try reset(statement)
        case .show(let statement): try show(statement, snapshot)
        case .prepare(let statement): try prepare(statement)
        case .execute(let statement): try executePrepared(statement, snapshot)
        case .deallocate(let statement): try deallocate(statement)
        case .delete: throw StatementExecution.unsupported("DELETE")
        case .update: throw StatementExecution.unsupported("UPDATE")
        case .unload: throw StatementExecution.unsupported("UNLOAD")
        case .vacuum: throw StatementExecution.unsupported("VACUUM")
        case .lock: throw StatementExecution.unsupported("LOCK")
        case .transaction: throw StatementExecution.unsupported("A transaction block")
        case .declareCursor, .fetch, .closeCursor: throw StatementExecution.unsupported("A cursor")
        case .cancel: throw StatementExecution.unsupported("CANCEL")
        }
    }

    private static func unsupported(_ what: String) -> SQLError {
        SQLError(
            .featureNotSupported, "\(what) is not supported yet",
            hint: "Every statement commits by itself in this version.")
    }

    // MARK: Running plans

    func optimizer(_ snapshot: StoreSnapshot) -> Optimizer {
        Optimizer(
            shape: warehouse.shape, statistics: snapshot,
            settings: OptimizerSettings(disabledPasses: session.settings.disabledPasses))
    }

    func context(_ snapshot: StoreSnapshot, profile: ExecutionProfile? = nil) -> ExecutionContext {
        let settings = session.settings
        let facts = SessionFacts(
            user: warehouse.options.user, database: warehouse.options.database,
            schema: settings.searchPath.first { $0 != "$user" } ?? "public", processID: session.number,
            settings: { try settings.value($0) })
        return ExecutionContext(
            pool: warehouse.pool, grant: MemoryGrant(warehouse.budget), cancellation: cancellation,
            relations: SnapshotRelations(snapshot: snapshot, system: systemSnapshot(snapshot)),
            shape: warehouse.shape, batchRows: settings.batchRows, profile: profile,
            datetime: DatetimeContext(
                nowMicroseconds: started, zone: ZoneRules.named(settings["timezone"]) ?? .utc,
                order: settings["datestyle"].uppercased().contains("DMY") ? .dayMonthYear : .monthDayYear),
            facts: facts)
    }

    func systemSnapshot(_ snapshot: StoreSnapshot) -> SystemSnapshot {
        SystemSnapshot(
            store: snapshot, shape: warehouse.shape, log: warehouse.log, user: warehouse.options.user,
            searchPath: session.settings.searchPath, temporarySchema: session.temporarySchema)
    }

    /// Commits, with the session's temporary schema in place when the new catalog needs it.
    func commit(_ body: (inout CatalogSnapshot) throws -> Void) throws {
        var change = StoreChange()
        var catalog = store.snapshot().catalog
        try body(&catalog)
        change.catalog = catalog
        try store.commit(change)
    }
}

extension Statement {
    /// Neither data nor definitions change.
    fileprivate var isReadOnly: Bool {
        switch self {
        case .query(let query):
            if case .select(let select) = query.body { select.into == nil } else { true }
        case .explain(let explain): !explain.analyze || explain.statement.isReadOnly
        case .set, .reset, .show, .prepare, .deallocate, .transaction, .fetch, .closeCursor, .declareCursor, .cancel:
            true
        default: false
        }
    }
}

/// The tables of one snapshot, and system relations made when they are read.
struct SnapshotRelations: RelationProvider {
    let snapshot: StoreSnapshot
    let system: SystemSnapshot

    func table(_ id: ObjectID) throws -> TableSnapshot {
        guard let table = snapshot.table(id) else {
            throw SQLError(.undefinedTable, "relation with OID \(id) does not exist")
        }
        return table
    }
    func systemRows(_ relation: String) throws -> ColumnBatch { try SystemRelations.rows(relation, system) }
}
