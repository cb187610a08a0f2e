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
import Workload

/// One statement on its way (`Way/` has its stages). Confined to the session's thread.
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
    /// What it wrote without a plan, for the log.
    var inserted: ConstantInsert?
    /// When the first plan began to run.
    var executionStart: Int64?
    /// See ``user``.
    var knownUser: UserDefinition?
    /// The transaction of a statement outside of a block.
    var ownTransaction: Transaction?
    /// Its number, also after its end.
    var lastTransaction: Int64 = 0
    /// It is SQL: what is none does not come into the log.
    var hasBeenParsed = false
    let started: Int64
    /// That the client has been told of; nil: none yet.
    private var begun: [ResultColumn]?
    /// From its admission to its end.
    var ticket: AdmissionTicket?
    /// What its last admission came to, for the log.
    var admission: AdmissionRecord?
    /// Under what its result may be kept.
    var resultPlace: ResultCache.Place?
    /// A query that the slices have no part in, for the log.
    var isOfLeader = false
    /// The statement whose kept result was sent, for the log.
    var sourceQuery: Int?

    init(
        session: Session, queryID: Int, text: String, budget: PlanningBudget, handler: any ResultHandler
    ) {
        self.session = session
        self.queryID = queryID
        self.text = text
        self.budget = budget
        self.handler = handler
        started = session.warehouse.time.wallMicroseconds()
    }

    private static let noTemporary = CatalogSnapshot(database: "pg_temp")

    var cancellation: CancellationToken { budget.cancellation }
    /// The pool's workers, in its share.
    var workers: StatementWorkers { StatementWorkers(warehouse.pool, ticket?.share) }
    var warehouse: Warehouse { session.warehouse }
    var store: Store { session.warehouse.store }

    func binder(_ snapshot: StoreSnapshot, parameterTypes: [SQLType] = []) -> Binder {
        var temporary = StatementExecution.noTemporary
        if snapshot.catalog.schema(named: session.temporarySchema) != nil {
            for relation in snapshot.catalog.relations(inSchema: session.temporarySchema) { temporary.put(relation) }
        }
        var settings = BinderSettings(user: user, parameterTypes: parameterTypes, budget: budget)
        settings.accounts = accounts
        settings.datetime = datetime
        settings.capitalizesNames = session.settings.derived.capitalizesNames
        settings.cutsNumerics = session.settings.derived.cutsNumerics
        settings.semistructured = session.settings.derived.semistructured
        settings.forbidsCompositeIntervals = session.settings.derived.forbidsCompositeIntervals
        if !parameters.isEmpty {
            settings.parameterTypes = parameters.map(\.type)
            settings.parameterValues = parameters.map(\.value)
        }
        return Binder(
            catalog: snapshot.catalog, temporary: temporary, searchPath: session.settings.searchPath,
            settings: settings,
            systemRelations: SystemRelations(answers: CatalogFunctionAnswers(systemSnapshot(snapshot))))
    }

    // MARK: Running plans

    func optimizer(_ snapshot: StoreSnapshot) -> Optimizer {
        Optimizer(
            shape: warehouse.shape, statistics: snapshot,
            settings: OptimizerSettings(disabledPasses: session.settings.disabledPasses), budget: budget)
    }

    /// The session's zone and date order, and the statement's time.
    var datetime: DatetimeContext {
        var context = DatetimeContext(
            nowMicroseconds: started, zone: session.settings.zone, order: session.settings.dateOrder)
        context.intervalStyle = session.settings.intervalStyle
        return context
    }

    /// Runs a plan; what its pipelines count goes to the log.
    func run(
        _ plan: PhysicalQuery, _ snapshot: StoreSnapshot, _ target: QueryRun.Target, consumer: any BatchConsumer
    ) throws {
        if executionStart == nil { executionStart = warehouse.time.wallMicroseconds() }
        let isKept = budget.byteCount <= QueryRun.largestPlanBytes
        budget.release()
        var profile: ExecutionProfile?
        if plan.plan.readsTables, isKept {
            let made = ExecutionProfile(slices: warehouse.shape.slices, time: warehouse.time)
            let run = QueryRun(plan: plan, profile: made, target: target)
            runs.append(run)
            session.activity.add(run)
            profile = made
        }
        let context = context(
            snapshot, profile: profile, overTables: plan.plan.readsTables, asksLeader: !plan.isRepeatable)
        defer { ticket?.share.meter.note(peakBytes: context.grant.peak) }
        do {
            try Leader(context: context).run(plan, consumer: consumer)
        } catch let error as SQLError where plan.plan.readsTables {
            throw ComputeNodeError(error, query: queryID, session: session.number).worded
        }
        if let profile, warehouse.workload.hasRules { ticket?.note(profile) }
    }

    var planningMicroseconds: Int64 { executionStart.map { max(0, $0 - started) } ?? 0 }

    /// - Parameter asksLeader: the plan may read system relations or ask about the catalog and the session.
    func context(
        _ snapshot: StoreSnapshot, profile: ExecutionProfile? = nil, overTables: Bool = false, asksLeader: Bool = true
    ) -> ExecutionContext {
        let settings = session.settings
        // What most short queries do not need takes a hundredth of their time.
        let answers = asksLeader ? CatalogFunctionAnswers(systemSnapshot(snapshot, overTables: overTables)) : nil
        let facts = SessionFacts(
            user: user.name, database: snapshot.catalog.databases[session.database]?.name ?? "",
            schema: settings.searchPath.first { $0 != "$user" } ?? "public", processID: session.number,
            settings: { try settings.value($0) },
            catalog: { function, arguments in
                guard let answer = try answers?.answer(function, arguments) else {
                    throw SQLError(.internalError, "function \(function.rawValue) is no catalog function")
                }
                return answer
            })
        return ExecutionContext(
            pool: warehouse.pool, grant: MemoryGrant(warehouse.budget, limit: memoryLimitBytes),
            cancellation: cancellation,
            relations: SnapshotRelations(snapshot: snapshot, system: answers?.snapshot),
            shape: warehouse.shape, batchRows: settings.batchRows, profile: profile,
            datetime: datetime, facts: facts, temporary: warehouse.temporary, options: settings.execution,
            random: session.seededRandom ?? warehouse.random, time: warehouse.time, share: ticket?.share)
    }

    /// Tells the client of the result's columns: once, also where the statement begins again in another queue. What it
    /// has been told holds, whatever has become of the tables meanwhile.
    func begin(_ columns: [ResultColumn], _ tell: ([ResultColumn]) throws -> Void) throws {
        if let begun {
            if begun == columns { return }
            throw SQLError(
                .featureNotSupported, "the columns of the result have changed while the statement waited",
                hint: "Run it again.")
        }
        try tell(columns)
        begun = columns
    }

    /// The session's own limit, or its slots' part of the memory.
    private var memoryLimitBytes: Int {
        min(session.settings.memoryLimitBytes, ticket?.memoryBytes ?? .max)
    }
}

/// The tables of one snapshot, and system relations made when they are read.
struct SnapshotRelations: RelationProvider {
    let snapshot: StoreSnapshot
    /// nil for plans that do not ask for it.
    let system: SystemSnapshot?

    func table(_ id: ObjectID) throws -> TableSnapshot {
        guard let table = snapshot.table(id) else {
            throw SQLError(.undefinedTable, "relation with OID \(id) does not exist")
        }
        try table.prepare()
        return table
    }
    func functionRows(_ name: String, _ arguments: [Datum]) throws -> ColumnBatch {
        try TableFunctions.rows(name, arguments, asked(name))
    }
    func systemRows(_ relation: String, columns: [Int]) throws -> ColumnBatch {
        try SystemRelations.rows(relation, asked(relation), columns: columns)
    }
    private func asked(_ name: String) throws -> SystemSnapshot {
        if let system { return system }
        throw SQLError(.internalError, "\(name) is asked for by a plan that was not known to")
    }
}
