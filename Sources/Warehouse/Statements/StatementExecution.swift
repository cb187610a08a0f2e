import Binder
import Catalog
import Cluster
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
    /// Of everything before its plan runs.
    let budget: PlanningBudget
    let handler: any ResultHandler
    /// Values of `$1`, `$2` ... when a prepared statement runs.
    var parameters: [StatementParameter] = []
    /// Rows returned or changed, for the log.
    var rowCount = 0
    /// Bytes of the result's values, for the log.
    var resultBytes: Int64 = 0
    /// The plans that it ran over tables, for the log.
    var runs: [QueryRun] = []
    /// When the first plan began to run.
    var executionStart: Int64?
    /// See ``user``.
    var knownUser: UserDefinition?
    /// The transaction of a statement outside of a block.
    var ownTransaction: Transaction?
    /// Its number, also after its end.
    var lastTransaction: Int64 = 0
    /// Tables whose rows it has changed outside of a block.
    var committedTables: Set<ObjectID> = []
    let started = SystemTime().wallMicroseconds()

    init(
        session: Session, queryID: Int, text: String, budget: PlanningBudget, handler: any ResultHandler
    ) {
        self.session = session
        self.queryID = queryID
        self.text = text
        self.budget = budget
        self.handler = handler
    }

    private static let noTemporary = CatalogSnapshot(database: "pg_temp")

    var cancellation: CancellationToken { budget.cancellation }
    var warehouse: Warehouse { session.warehouse }
    var store: Store { session.warehouse.store }

    func binder(_ snapshot: StoreSnapshot, parameterTypes: [SQLType] = []) -> Binder {
        var temporary = StatementExecution.noTemporary
        if snapshot.catalog.schemas[session.temporarySchema] != nil {
            for relation in snapshot.catalog.relations(inSchema: session.temporarySchema) { temporary.put(relation) }
        }
        var settings = BinderSettings(
            user: user.name, userID: user.id, parameterTypes: parameterTypes, budget: budget)
        settings.datetime = datetime
        if !parameters.isEmpty {
            settings.parameterTypes = parameters.map(\.type)
            settings.parameterValues = parameters.map(\.value)
        }
        return Binder(
            catalog: snapshot.catalog, temporary: temporary, searchPath: session.settings.searchPath,
            settings: settings, systemRelations: SystemRelations(answers: CatalogAnswers(systemSnapshot(snapshot))))
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
        case .alterView(let view, let action): try alterView(view, action)
        case .insert(let insert): try self.insert(insert, snapshot, ids)
        case .truncate(let table): try truncate(table, snapshot)
        case .copy(let copy): try self.copy(copy, snapshot)
        case .copyOut(let copy): try copyOut(copy, snapshot, ids)
        case .createView(let view, let orReplace): try createView(view, orReplace: orReplace, snapshot)
        case .drop(let drop): try self.drop(drop, snapshot)
        case .createSchema(let schema, let ifNotExists):
            try createSchema(schema, ifNotExists: ifNotExists, snapshot)
        case .alterSchema(let schema, let action): try alterSchema(schema, action, snapshot)
        case .alterDatabase(let statement): try alterDatabase(statement, snapshot)
        case .comment(let comment): try self.comment(comment, snapshot)
        case .grant(let grant): try self.grant(grant)
        case .account(let statement): try changeAccounts(statement)
        case .analyze(let statement, let tables, let columns):
            try analyze(statement, tables, columns: columns, snapshot)
        case .set(let statement): try set(statement)
        case .reset(let statement): try reset(statement)
        case .show(let statement): try show(statement, snapshot)
        case .prepare(let statement): try prepare(statement)
        case .execute(let statement): try executePrepared(statement, snapshot)
        case .deallocate(let statement): try deallocate(statement)
        case .delete(let delete): try self.delete(delete, snapshot, ids)
        case .update(let update): try self.update(update, snapshot, ids)
        case .merge(let merge): try self.merge(merge, snapshot, ids)
        case .unload: throw StatementExecution.unsupported("UNLOAD")
        case .vacuum(let statement, let tables): try vacuum(statement, tables, snapshot)
        case .snapshot(let statement): try self.snapshot(statement, snapshot)
        case .resize(let statement): try resize(statement)
        case .lock: try lockTables()
        case .transaction: throw StatementExecution.unsupported("This place for a transaction command")
        case .declareCursor(let statement, let query): try declareCursor(statement, query, snapshot, ids)
        case .fetch(let statement): try fetch(statement)
        case .closeCursor(let statement): try closeCursor(statement)
        case .cancel(let statement): try cancel(statement)
        }
    }

    private static func unsupported(_ what: String) -> SQLError {
        SQLError(
            .featureNotSupported, "\(what) is not supported yet",
            hint: nil)
    }

    // MARK: Running plans

    func optimizer(_ snapshot: StoreSnapshot) -> Optimizer {
        Optimizer(
            shape: warehouse.shape, statistics: snapshot,
            settings: OptimizerSettings(disabledPasses: session.settings.disabledPasses), budget: budget)
    }

    /// The session's zone and date order, and the statement's time.
    var datetime: DatetimeContext {
        DatetimeContext(
            nowMicroseconds: started, zone: session.settings.zone, order: session.settings.dateOrder)
    }

    /// Runs a plan; what its pipelines count goes to the log.
    func run(
        _ plan: PhysicalQuery, _ snapshot: StoreSnapshot, _ target: QueryRun.Target, consumer: any BatchConsumer
    ) throws {
        if executionStart == nil { executionStart = SystemTime().wallMicroseconds() }
        let isKept = budget.byteCount <= QueryRun.largestPlanBytes
        budget.release()
        guard plan.plan.readsTables, isKept else {
            return try Leader(context: context(snapshot)).run(plan, consumer: consumer)
        }
        let profile = ExecutionProfile(slices: warehouse.shape.slices)
        runs.append(QueryRun(plan: plan, profile: profile, target: target))
        try Leader(context: context(snapshot, profile: profile)).run(plan, consumer: consumer)
    }

    var planningMicroseconds: Int64 { executionStart.map { max(0, $0 - started) } ?? 0 }

    func context(_ snapshot: StoreSnapshot, profile: ExecutionProfile? = nil) -> ExecutionContext {
        let settings = session.settings
        let answers = CatalogAnswers(systemSnapshot(snapshot))
        let facts = SessionFacts(
            user: user.name, database: warehouse.options.database,
            schema: settings.searchPath.first { $0 != "$user" } ?? "public", processID: session.number,
            settings: { try settings.value($0) },
            catalog: { function, arguments in
                guard let answer = try answers.answer(function, arguments) else {
                    throw SQLError(.internalError, "function \(function.rawValue) is no catalog function")
                }
                return answer
            })
        return ExecutionContext(
            pool: warehouse.pool, grant: MemoryGrant(warehouse.budget, limit: settings.memoryLimitBytes),
            cancellation: cancellation,
            relations: SnapshotRelations(snapshot: snapshot, system: answers.snapshot),
            shape: warehouse.shape, batchRows: settings.batchRows, profile: profile,
            datetime: datetime, facts: facts, temporary: warehouse.temporary, options: settings.execution)
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
        try table.prepare()
        return table
    }
    func systemRows(_ relation: String) throws -> ColumnBatch { try SystemRelations.rows(relation, system) }
    func systemRows(_ relation: String, columns: [Int]) throws -> ColumnBatch {
        try SystemRelations.rows(relation, system, columns: columns)
    }
}
