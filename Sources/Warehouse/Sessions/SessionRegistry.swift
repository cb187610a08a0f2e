import Catalog
import Platform
import SQLSyntax
import SQLTypes
import Synchronization

/// The open sessions of a warehouse and what each runs: for pg_stat_activity and its relatives, and to cancel from
/// another session. Safe from any thread.
final class SessionRegistry: Sendable {
    struct RunningStatement: Sendable {
        var query: Int
        var text: String
        var startMicroseconds: Int64
        /// Without passwords and keys.
        var shownText: String { SecretRedaction.redacted(text) }
    }
    /// That somebody asked a session, or its statement, to end (SVL_TERMINATE).
    struct Termination: Sendable {
        enum Kind: String, Sendable { case cancel = "CANCEL", terminate = "TERMINATE" }
        var session: Int
        /// Who asked.
        var user: Int
        var kind: Kind
        var microseconds: Int64
    }
    /// The open cursor of a session.
    struct OpenCursor: Sendable {
        var name: String
        var transaction: Int64
        var startMicroseconds: Int64
        var rows: Int
        var bytes: Int
        var fetchedRows = 0
    }
    struct Entry: Sendable {
        var number: Int
        /// Who has logged in.
        var user: Int
        var database: ObjectID
        /// By USE.
        fileprivate(set) var usedDatabase: ObjectID?
        fileprivate var isLimited = true
        var startMicroseconds: Int64
        fileprivate var activity: SessionActivity
        /// Of sessions that a server has opened.
        var client: ClientFacts?
        var cancel: @Sendable () -> Void
        /// Ends the session itself; nil where nothing but its statement can be ended.
        fileprivate var terminate: (@Sendable () -> Void)?
        var statement: RunningStatement? { activity.statement }
        /// Plans over tables that the statement runs, or has run.
        var runs: [QueryRun] { activity.runs }
        fileprivate(set) var cursor: OpenCursor?
        /// Does the warehouse's own work: gives way to all others.
        var isAutomatic: Bool { activity.isAutomatic }
    }
    private let time: any TimeSource
    private let entries = Lock<[Int: Entry]>([:])
    /// When a statement of a client last began or ended.
    private let lastActivity = Atomic<Int64>(0)
    private let automatic = Atomic<Int>(0)
    private let departures = Monitor()
    private let asked = Lock(RecentList<Termination>(keeping: SessionRegistry.keptTerminations))
    private static let keptTerminations = 10_000

    init(_ time: any TimeSource) { self.time = time }

    /// - Parameter cancel: must not keep the session alive.
    func add(
        _ number: Int, user: UserDefinition, _ database: DatabaseDefinition, _ activity: SessionActivity,
        cancel: @escaping @Sendable () -> Void
    ) throws {
        let entry = Entry(
            number: number, user: user.id, database: database.id, isLimited: !user.isSuperuser,
            startMicroseconds: time.wallMicroseconds(), activity: activity, cancel: cancel)
        try entries.withLock { entries in
            if let limit = user.connectionLimit, !user.isSuperuser,
                entries.values.count(where: { $0.user == user.id }) >= limit
            {
                throw SQLError("53300", "too many connections for user \"\(user.name)\"")
            }
            if let limit = database.connectionLimit, !user.isSuperuser,
                entries.values.count(where: { $0.database == database.id && $0.isLimited }) >= limit
            {
                throw SQLError("53300", "too many connections for database \"\(database.name)\"")
            }
            entries[number] = entry
        }
    }

    /// False when clients' sessions stay in the database. Those whose clients have just left get the time to end; as
    /// long as PostgreSQL gives them.
    func becomesUnused(_ database: ObjectID, _ cancellation: CancellationToken) throws -> Bool {
        for _ in 0..<SessionRegistry.departureLooks {
            if !isInUse(database) { return true }
            try cancellation.check()
            departures.withLock { _ = departures.wait(atMostNanoseconds: SessionRegistry.departureNanoseconds) }
        }
        return !isInUse(database)
    }
    private static let departureLooks = 250
    private static let departureNanoseconds: Int64 = 20_000_000

    func use(_ number: Int, _ database: ObjectID?) { entries.withLock { $0[number]?.usedDatabase = database } }
    /// Whether a client's session is connected to the database or uses it.
    private func isInUse(_ database: ObjectID) -> Bool {
        entries.withLock { entries in
            entries.values.contains {
                ($0.database == database || $0.usedDatabase == database) && !$0.isAutomatic
            }
        }
    }
    func describe(_ number: Int, _ client: ClientFacts) { entries.withLock { $0[number]?.client = client } }
    /// nil when it has gone already.
    @discardableResult
    func remove(_ number: Int) -> Entry? {
        _ = automatic.compareExchange(expected: number, desired: 0, ordering: .relaxed)
        defer { departures.withLock { departures.wakeAll() } }
        return entries.withLock { $0.removeValue(forKey: number) }
    }
    func begin(_ activity: SessionActivity, _ statement: RunningStatement) {
        activity.begin(statement)
        if activity.isAutomatic { return }
        lastActivity.store(statement.startMicroseconds, ordering: .relaxed)
        if automatic.load(ordering: .relaxed) != 0 { cancelAutomatic() }
    }
    func end(_ activity: SessionActivity) {
        activity.end()
        if !activity.isAutomatic { lastActivity.store(time.wallMicroseconds(), ordering: .relaxed) }
    }

    func setCursor(_ number: Int, _ cursor: OpenCursor?) { entries.withLock { $0[number]?.cursor = cursor } }

    func setTermination(_ number: Int, _ terminate: @escaping @Sendable () -> Void) {
        entries.withLock { $0[number]?.terminate = terminate }
    }

    // MARK: The warehouse's own work

    func markAutomatic(_ number: Int) {
        entries.withLock { $0[number]?.activity.markAutomatic() }
        automatic.store(number, ordering: .relaxed)
    }
    func cancelAutomatic() {
        let number = automatic.load(ordering: .relaxed)
        if number != 0 { _ = cancel(number) }
    }
    /// No client's statement runs, or ran after that time.
    func isQuiet(since microseconds: Int64) -> Bool {
        if lastActivity.load(ordering: .relaxed) > microseconds { return false }
        return entries.withLock { $0.values.allSatisfy { $0.isAutomatic || $0.statement == nil } }
    }

    func user(of number: Int) -> Int? { entries.withLock { $0[number]?.user } }

    /// By number.
    var all: [Entry] { entries.withLock { $0.values.sorted { $0.number < $1.number } } }

    var terminations: [Termination] { asked.withLock { $0.elements } }
    private func note(_ number: Int, by user: Int, _ kind: Termination.Kind) {
        let termination = Termination(
            session: number, user: user, kind: kind, microseconds: time.wallMicroseconds())
        asked.withLock { $0.append(termination) }
    }

    /// The session ends, its statement first. False when there is no such session.
    func terminate(_ number: Int, by user: Int) -> Bool {
        guard let entry = entries.withLock({ $0[number] }) else { return false }
        note(number, by: user, .terminate)
        if let terminate = entry.terminate { terminate() } else { entry.cancel() }
        return true
    }

    /// A client asks for it.
    func cancel(_ number: Int, by user: Int) -> Bool {
        guard cancel(number) else { return false }
        note(number, by: user, .cancel)
        return true
    }

    /// False when there is no such session.
    func cancel(_ number: Int) -> Bool {
        guard let entry = entries.withLock({ $0[number] }) else { return false }
        entry.cancel()
        return true
    }
}

/// What one session runs: written at every statement by its own thread, read now and then by others.
final class SessionActivity: Sendable {
    private let running = Lock<SessionRegistry.RunningStatement?>(nil)
    private let plans = Lock<[QueryRun]>([])
    /// Room for so many is kept from one statement to the next.
    private static let usualPlans = 16
    private let automatic = Atomic<Bool>(false)
    var runs: [QueryRun] { plans.withLock { $0 } }
    func add(_ run: QueryRun) { plans.withLock { $0.append(run) } }
    var isAutomatic: Bool { automatic.load(ordering: .relaxed) }
    func markAutomatic() { automatic.store(true, ordering: .relaxed) }
    var statement: SessionRegistry.RunningStatement? { running.withLock { $0 } }
    func begin(_ statement: SessionRegistry.RunningStatement) { running.withLock { $0 = statement } }
    func end() {
        running.withLock { $0 = nil }
        plans.withLock { $0.removeAll(keepingCapacity: $0.count <= SessionActivity.usualPlans) }
    }
}
