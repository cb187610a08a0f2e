import Binder
import Catalog
import ColumnStore
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes
import Workload

/// One client's conversation with a warehouse: its parameters, temporary tables and prepared statements. Statements run
/// one after the other, on a thread of the session's own with a deep stack; ``cancel()`` may come from any thread.
public final class Session: @unchecked Sendable {  // state is only touched on `thread`; `running` has its own lock
    public let warehouse: Warehouse
    public let number: Int
    package internal(set) var settings = SessionSettings()
    /// What RANDOM draws from after SET SEED.
    var seededRandom: SharedRandom?
    /// As they were before SET LOCAL in the open block.
    var outerSettings: OuterSettings?
    var prepared: [String: PreparedStatement] = [:]
    var cursors: [String: SessionCursor] = [:] {
        didSet { if !cursors.isEmpty || !oldValue.isEmpty { reportCursor() } }
    }
    /// The id of the user that has logged in.
    let authenticatedUser: Int
    /// Its name at that time.
    let authenticatedName: String
    /// In whose name statements run: another one after SET SESSION AUTHORIZATION.
    var effectiveUser: Int
    let temporarySchema: String
    /// The database that it is connected to.
    let database: ObjectID
    /// Its name at that time.
    package let databaseName: String
    /// Where names are looked up after USE; nil: in ``database``.
    private(set) var usedDatabase: ObjectID?
    package var nameDatabase: ObjectID { usedDatabase ?? database }
    /// It does the warehouse's own work in the background.
    var isAutomatic = false
    /// Where it says what it runs, in a process with a parent that looks after it.
    let slot: StatementSlot?
    /// See ``attributed(to:_:)``.
    var isAttributed = false
    /// It counts as running, see ``counted(_:)``.
    var isCounted = false
    /// The CALL that runs, with all that are inside of it.
    var procedure: ProcedureContext?
    /// The block that BEGIN has opened.
    var transaction: Transaction?
    let thread: StatementThread
    let activity = SessionActivity()
    let running = Lock<CancellationToken?>(nil)
    /// Of what runs now, see ``limited(_:)``.
    var budget: PlanningBudget?
    /// How long the last statement waited in its queue, and then ran; nil for what the leader did alone.
    package let lastAdmission = Lock<AdmissionTimes?>(nil)
    package struct AdmissionTimes: Sendable, Hashable {
        package var queueMicroseconds: Int64
        package var runMicroseconds: Int64

        package init(queueMicroseconds: Int64, runMicroseconds: Int64) {
            self.queueMicroseconds = queueMicroseconds
            self.runMicroseconds = runMicroseconds
        }
    }

    static let temporarySchemaPrefix = "pg_temp_"

    init(warehouse: Warehouse, number: Int, user: UserDefinition, database: DatabaseDefinition) throws {
        self.database = database.id
        databaseName = database.name
        self.warehouse = warehouse
        self.number = number
        authenticatedUser = user.id
        authenticatedName = user.name
        effectiveUser = user.id
        temporarySchema = Session.temporarySchemaPrefix + String(number)
        slot = warehouse.options.crashTable?.takeSlot(session: number, userName: user.name)
        do {
            thread = try StatementThread()
        } catch {
            throw SQLError(error)
        }
        try warehouse.sessions.add(number, user: user, database, activity) { [weak self] in self?.cancel() }
        // What the user cannot have any more, such as a value that is not allowed now, is no reason to refuse it.
        for (name, value) in user.settings { try? settings.set(name, value) }
        settings.report(user)
    }

    deinit { leave() }

    /// What a server knows of the client; the log tells of the connection from then on.
    package func describeClient(_ client: ClientFacts) {
        warehouse.sessions.describe(number, client)
        for event in [WarehouseLog.Connection.Event.authenticated, .began] {
            warehouse.log.add(
                WarehouseLog.Connection(
                    event: event, microseconds: warehouse.time.wallMicroseconds(), session: number,
                    user: authenticatedUser, client: client))
        }
    }

    private func leave() {
        warehouse.workload.forget(session: number)
        guard let entry = warehouse.sessions.remove(number), let client = entry.client else { return }
        let now = warehouse.time.wallMicroseconds()
        warehouse.log.add(
            WarehouseLog.Connection(
                event: .ended, microseconds: now, session: number, user: authenticatedUser,
                durationMicroseconds: max(0, now - entry.startMicroseconds), client: client))
    }

    /// A state as the session's statements see it: from the database that it uses.
    func located(_ snapshot: StoreSnapshot) throws -> StoreSnapshot {
        if let seen = snapshot.within(nameDatabase) { return seen }
        throw DatabaseDefinition.isUnknown(databaseName)
    }

    /// - Parameter database: nil: the one that it is connected to.
    func use(_ database: ObjectID?) {
        usedDatabase = database
        warehouse.sessions.use(number, database)
    }

    /// Runs all statements of a text; the first error ends it. Errors carry positions in the whole text.
    public func execute(_ sql: String, _ handler: any ResultHandler) throws {
        do {
            try thread.run { try self.attributed(to: sql) { try self.receive(text: sql, handler) } }
        } catch let error as SQLError {
            throw error
        } catch {
            throw SQLError(error)
        }
    }

    /// The warehouse's own work, on the way of every statement.
    func run(_ program: MergePartsProgram) throws { try run(program, program.text) }
    func run(_ program: CopyJobLoad) throws { try run(program, program.text) }
    func run(_ program: CopyJobFailure) throws { try run(program, program.text) }
    private func run(_ program: some StatementProgram, _ text: String) throws {
        try thread.run { try self.receive(.program(program, text), QueryResult()) }
    }

    /// The result of the last statement, in memory.
    @discardableResult
    public func query(_ sql: String) throws -> QueryResult {
        let result = QueryResult()
        try execute(sql, result)
        return result
    }

    /// Its zone and the present moment, for values that a client sends beside a statement.
    package var datetime: DatetimeContext {
        DatetimeContext(nowMicroseconds: warehouse.time.wallMicroseconds(), zone: settings.zone)
    }

    /// Memory for results that wait for their client.
    package func makeResultAllowance() -> MemoryAllowance { MemoryAllowance(warehouse.budget) }

    /// Asks the running statement to end with error 57014.
    public func cancel() { running.withLock { $0?.cancel(.userRequest) } }

    /// Throws when the running statement is to end. From any thread.
    package func checkCancelled() throws {
        do {
            try running.withLock { $0 }?.check()
        } catch {
            throw SQLError(error)
        }
    }

    /// What ends the session from outside, for pg_terminate_backend; must not keep the session alive.
    package func whenTerminated(_ body: @escaping @Sendable () -> Void) {
        warehouse.sessions.setTermination(number, body)
    }

    /// Drops the session's temporary tables.
    public func close() throws {
        leave()
        try thread.run {
            self.rollBackTransaction()
            try self.dropTemporaryTables()
        }
    }

    private func dropTemporaryTables() throws {
        let snapshot = warehouse.store.snapshot()
        var catalog = snapshot.catalog
        guard catalog.schema(named: temporarySchema) != nil else { return }
        catalog.removeSchema(temporarySchema)
        var change = StoreChange()
        change.catalog = catalog
        change.base = snapshot
        try warehouse.store.commit(change)
    }
}
