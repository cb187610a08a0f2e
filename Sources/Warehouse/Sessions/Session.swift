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
    public internal(set) var settings = SessionSettings()
    var prepared: [String: PreparedStatement] = [:]
    var cursors: [String: SessionCursor] = [:]
    /// The id of the user that has logged in.
    let authenticatedUser: Int
    /// Its name at that time.
    let authenticatedName: String
    /// In whose name statements run: another one after SET SESSION AUTHORIZATION.
    var effectiveUser: Int
    let temporarySchema: String
    /// It does the warehouse's own work in the background.
    var isAutomatic = false
    /// Where it says what it runs, in a process with a parent that looks after it.
    let slot: StatementSlot?
    /// See ``attributed(to:_:)``.
    var isAttributed = false
    /// It counts as running, see ``counted(_:_:)``.
    private var isCounted = false
    /// The block that BEGIN has opened.
    var transaction: Transaction?
    let thread: StatementThread
    private let activity = SessionActivity()
    private let running = Lock<CancellationToken?>(nil)
    /// Of what runs now, see ``limited(_:)``.
    private var budget: PlanningBudget?

    /// Of a statement's text in the log and in system tables; ten thousand statements are kept.
    private static let loggedBytes = 65_535
    static let temporarySchemaPrefix = "pg_temp_"

    init(warehouse: Warehouse, number: Int, user: UserDefinition) throws {
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
        try warehouse.sessions.add(number, user: user, activity) { [weak self] in self?.cancel() }
        // What the user cannot have any more, such as a value that is not allowed now, is no reason to refuse it.
        for (name, value) in user.settings { try? settings.set(name, value) }
        settings.report(user)
    }

    deinit { leave() }

    /// What a server knows of the client; the log tells of the connection from then on.
    public func describeClient(_ client: ClientFacts) {
        warehouse.sessions.describe(number, client)
        for event in [WarehouseLog.Connection.Event.authenticated, .began] {
            warehouse.log.add(
                WarehouseLog.Connection(
                    event: event, microseconds: SystemTime().wallMicroseconds(), session: number,
                    user: authenticatedUser, client: client))
        }
    }

    private func leave() {
        guard let entry = warehouse.sessions.remove(number), let client = entry.client else { return }
        let now = SystemTime().wallMicroseconds()
        warehouse.log.add(
            WarehouseLog.Connection(
                event: .ended, microseconds: now, session: number, user: authenticatedUser,
                durationMicroseconds: max(0, now - entry.startMicroseconds), client: client))
    }

    /// Runs all statements of a text; the first error ends it. Errors carry positions in the whole text.
    public func execute(_ sql: String, _ handler: any ResultHandler) throws {
        do {
            try thread.run {
                try self.attributed(to: sql) {
                    // One statement's limits begin with the reading of its text.
                    let several = try self.limited { budget in
                        // Plans and states are looked up that must not outlive a resize.
                        if try self.counted({ try self.runFromCache(sql, handler) }) { return [ParsedStatement]() }
                        let statements = try self.parse(sql, budget, handler)
                        if statements.count > 1 { return statements }
                        for statement in statements { try self.run(statement, text: sql, handler) }
                        return []
                    }
                    for statement in several { try self.run(statement, text: sql, handler) }
                }
            }
        } catch let error as SQLError {
            throw error
        } catch {
            throw SQLError(error)
        }
    }

    /// A text that cannot be read fails the block as any other statement does.
    func parse(
        _ sql: String, _ budget: PlanningBudget, _ handler: any ResultHandler = QueryResult()
    ) throws -> [ParsedStatement] {
        budget.restore(.start)
        do {
            return try Parser.parse(sql, budget: budget)
        } catch {
            failTransaction()
            // The log tells of what a limit has ended, not of what is no SQL.
            if !budget.isSpent { throw error }
            try perform(source: SecretRedaction.redacted(sql), handler) { _ in throw error }
            return []
        }
    }

    /// The result of the last statement, in memory.
    @discardableResult
    public func query(_ sql: String) throws -> QueryResult {
        let result = QueryResult()
        try execute(sql, result)
        return result
    }

    /// Memory for results that wait for their client.
    public func makeResultAllowance() -> MemoryAllowance { MemoryAllowance(warehouse.budget) }

    /// Asks the running statement to end with error 57014.
    public func cancel() { running.withLock { $0?.cancel(.userRequest) } }

    /// Throws when the running statement is to end. From any thread.
    public func checkCancelled() throws {
        do {
            try running.withLock { $0 }?.check()
        } catch {
            throw SQLError(error)
        }
    }

    /// What ends the session from outside, for pg_terminate_backend; must not keep the session alive.
    public func whenTerminated(_ body: @escaping @Sendable () -> Void) {
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

    func run(
        _ statement: ParsedStatement, text: String, parameters: [StatementParameter] = [], _ handler: any ResultHandler
    ) throws {
        let isWhole = statement.byteRange == 0..<text.utf8.count
        var source = isWhole ? text : String(decoding: Array(text.utf8)[statement.byteRange], as: UTF8.self)
        if statement.statement.mayHoldSecrets { source = SecretRedaction.redacted(source) }
        try perform(source: source, handler) { execution in
            execution.parameters = parameters
            try execution.run(statement.statement)
        }
    }

    /// One statement's way through time limit, cancellation and log.
    func perform(
        source: String, _ handler: any ResultHandler, _ body: (StatementExecution) throws -> Void
    ) throws {
        try limited { budget in
            try counted { try perform(source: source, budget, handler, body) }
        }
    }

    /// Runs something that a cancel and the session's time limit end; inside of one such it is a part of that.
    func limited<Result>(_ body: (PlanningBudget) throws -> Result) throws -> Result {
        if let budget { return try body(budget) }
        let cancellation = CancellationToken()
        let made = PlanningBudget(cancellation, memory: warehouse.budget, limit: settings.memoryLimitBytes)
        running.withLock { $0 = cancellation }
        budget = made
        defer {
            budget = nil
            running.withLock { $0 = nil }
        }
        let timer = try StatementTimer(milliseconds: settings.statementTimeoutMilliseconds, cancellation)
        defer { timer?.stop() }
        return try body(made)
    }

    /// Runs something as one of the statements that RESIZE CLUSTER waits for; inside of one it is a part of that.
    func counted<Result>(_ body: () throws -> Result) throws -> Result {
        if isCounted { return try body() }
        try limited { try warehouse.gate.enter($0.cancellation) }
        isCounted = true
        defer {
            isCounted = false
            warehouse.gate.leave()
        }
        return try body()
    }

    private func perform(
        source: String, _ budget: PlanningBudget, _ handler: any ResultHandler,
        _ body: (StatementExecution) throws -> Void
    ) throws {
        let text = source.utf8.count > Session.loggedBytes ? source.cut(toBytes: Session.loggedBytes) : source
        var log = WarehouseLog.Query(
            id: warehouse.log.makeQueryID(), session: number, user: effectiveUser, text: text,
            startMicroseconds: SystemTime().wallMicroseconds(), endMicroseconds: 0, rows: 0, errorMessage: nil)
        slot?.setQuery(log.id)
        warehouse.sessions.begin(
            activity, .init(query: log.id, text: text, startMicroseconds: log.startMicroseconds))
        defer { warehouse.sessions.end(activity) }
        let execution = StatementExecution(
            session: self, queryID: log.id, text: source, budget: budget, handler: handler)
        log.label = settings["query_group"]
        defer {
            log.rows = execution.rowCount
            log.resultBytes = execution.resultBytes
            log.transaction = execution.transactionNumber
            log.planningMicroseconds = execution.planningMicroseconds
            log.endMicroseconds = SystemTime().wallMicroseconds()
            warehouse.log.add(log, runs: execution.runs)
        }
        do {
            try body(execution)
        } catch {
            let failure = SQLError(error)
            log.errorMessage = failure.message
            log.errorState = failure.state.code
            throw failure
        }
    }

    private func dropTemporaryTables() throws {
        let snapshot = warehouse.store.snapshot()
        var catalog = snapshot.catalog
        guard catalog.schemas[temporarySchema] != nil else { return }
        catalog.removeSchema(temporarySchema)
        var change = StoreChange()
        change.catalog = catalog
        change.base = snapshot
        try warehouse.store.commit(change)
    }
}

extension String {
    /// The longest beginning of whole characters that fits.
    fileprivate func cut(toBytes limit: Int) -> String {
        var end = utf8.index(utf8.startIndex, offsetBy: limit, limitedBy: utf8.endIndex) ?? utf8.endIndex
        while end > startIndex, end < utf8.endIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
