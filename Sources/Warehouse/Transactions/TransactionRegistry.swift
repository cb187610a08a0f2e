import Catalog
import ColumnStore
import Platform
import SQLTypes
import Synchronization

/// Numbers transactions and remembers what the system tables tell of them. Safe from any thread.
final class TransactionRegistry: Sendable {
    struct Open: Sendable {
        var number: Int64
        var session: Int
        var startMicroseconds: Int64
        /// BEGIN was said.
        var isExplicit: Bool
        /// Tables that its block has read.
        var reads: Set<ObjectID> = []
    }
    /// The newest change of a table.
    struct LastChange: Sendable {
        var transaction: Int64
        var microseconds: Int64
    }
    /// A transaction that gave up because of another one (STL_TR_CONFLICT).
    struct Conflict: Sendable {
        var number: Int64
        var session: Int
        var startMicroseconds: Int64
        var abortMicroseconds: Int64
        var table: ObjectID
    }
    /// A commit that has changed something (STL_COMMIT_STATS, SYS_TRANSACTION_HISTORY).
    struct Commit: Sendable {
        var number: Int64
        var isolation: IsolationLevel
        var startMicroseconds: Int64
        /// Of the commit itself.
        var beginMicroseconds: Int64
        var endMicroseconds: Int64
        var tables: Int
    }
    private struct State {
        var commits = RecentList<Commit>(keeping: TransactionRegistry.kept)
        var failures = RecentList<Int64>(keeping: TransactionRegistry.kept)
        var open: [Int64: Open] = [:]
        var lastChanges: [ObjectID: LastChange] = [:]
        var conflicts = RecentList<Conflict>(keeping: TransactionRegistry.kept)
        var quotaViolations = RecentList<QuotaViolation>(keeping: TransactionRegistry.kept)
    }
    let locks = TableLocks()
    private let time: any TimeSource
    private let graph = SerializationGraph()
    private let next = Atomic<Int64>(1_000)
    private let state = Lock(State())
    private static let kept = 10_000

    init(_ time: any TimeSource) { self.time = time }

    /// An explicit transaction is listed until it ends, another one once it takes a lock.
    func begin(session: Int, isExplicit: Bool, modes: TransactionModes) -> Transaction {
        let number = next.add(1, ordering: .relaxed).oldValue
        let now = time.wallMicroseconds()
        let transaction = Transaction(
            number: number, isExplicit: isExplicit, modes: modes, startMicroseconds: now)
        if isExplicit { list(transaction, session: session) }
        return transaction
    }

    func list(_ transaction: Transaction, session: Int) {
        let number = transaction.number
        state.withLock { state in
            if state.open[number] != nil { return }
            state.open[number] = Open(
                number: number, session: session, startMicroseconds: transaction.startMicroseconds,
                isExplicit: transaction.isExplicit)
        }
    }

    /// The transaction is over.
    func end(_ transaction: Transaction, session: Int, failed: Bool) {
        if transaction.isolation == .serializable { graph.end(transaction.number, failed: failed) }
        if failed { state.withLock { $0.failures.append(transaction.number) } }
        if transaction.hasLocks {
            locks.releaseAll(TableLocks.Owner(transaction: transaction.number, session: session))
        }
        if transaction.isExplicit || transaction.hasLocks { state.withLock { $0.open[transaction.number] = nil } }
    }

    /// The error that clients know by its number.
    func conflict(_ conflict: StoreConflict, _ transaction: Transaction, session: Int) -> SQLError {
        let other = state.withLock { $0.lastChanges[conflict.table]?.transaction }
        let cycle = [other, transaction.number].compactMap(\.self)
        return violation(conflict.table, cycle, transaction, session: session)
    }

    func violation(
        _ table: ObjectID, _ cycle: [Int64], _ transaction: Transaction, session: Int
    ) -> SQLError {
        state.withLock { state in
            state.conflicts.append(
                Conflict(
                    number: transaction.number, session: session, startMicroseconds: transaction.startMicroseconds,
                    abortMicroseconds: time.wallMicroseconds(), table: table))
        }
        let numbers = cycle.map(String.init).joined(separator: ", ")
        return SQLError(
            "XX000", "1023",
            detail:
                "Serializable isolation violation on table - \(table), transactions forming the cycle are: "
                + "\(numbers) (pid:\(session))",
            hint: "Run the transaction again.")
    }

    var openTransactions: [Open] {
        state.withLock { $0.open.values.sorted { $0.number < $1.number } }
    }
    var lastChanges: [ObjectID: LastChange] { state.withLock { $0.lastChanges } }
    /// Those that were rolled back.
    var failures: [Int64] { state.withLock { $0.failures.elements } }
    var commits: [Commit] { state.withLock { $0.commits.elements } }
    var conflicts: [Conflict] { state.withLock { $0.conflicts.elements } }
    var quotaViolations: [QuotaViolation] { state.withLock { $0.quotaViolations.elements } }
    func note(_ violation: QuotaViolation) { state.withLock { $0.quotaViolations.append(violation) } }

    // MARK: Serializable transactions

    /// A statement is about to take its snapshot.
    func willRead(_ transaction: Transaction, _ store: Store) {
        if transaction.isolation == .serializable {
            graph.begin(transaction.number) { store.snapshot().version }
        }
    }

    /// A statement reads tables in a state and is going to change others.
    func note(
        _ transaction: Transaction, _ snapshot: StoreSnapshot, reads: Set<ObjectID>, writes: Set<ObjectID>,
        session: Int
    ) throws {
        if transaction.isExplicit && !reads.isEmpty {
            state.withLock { $0.open[transaction.number]?.reads.formUnion(reads) }
        }
        guard transaction.isolation == .serializable else { return }
        do {
            try graph.note(transaction.number, base: snapshot.version, reads: reads, writes: writes)
        } catch let circle as SerializationGraph.Violation {
            throw violation(circle.table, circle.transactions, transaction, session: session)
        }
    }

    /// Runs `body`, which stores the transaction's changes and returns the version that has them.
    func commit(
        _ transaction: Transaction, changing tables: Set<ObjectID>, _ store: Store, session: Int,
        _ body: () throws -> UInt64
    ) throws {
        if transaction.isolation == .serializable {
            do {
                try graph.beginCommit(transaction.number) { store.snapshot().version }
            } catch let circle as SerializationGraph.Violation {
                throw violation(circle.table, circle.transactions, transaction, session: session)
            }
        }
        let version: UInt64
        let begin = time.wallMicroseconds()
        do {
            version = try body()
        } catch let conflict as StoreConflict {
            throw self.conflict(conflict, transaction, session: session)
        }
        if transaction.isolation == .serializable {
            graph.endCommit(transaction.number, version: version)
        }
        if transaction.hasChanges || !transaction.isExplicit {
            let commit = Commit(
                number: transaction.number, isolation: transaction.isolation,
                startMicroseconds: transaction.startMicroseconds, beginMicroseconds: begin,
                endMicroseconds: time.wallMicroseconds(), tables: tables.count)
            state.withLock { $0.commits.append(commit) }
        }
        if tables.isEmpty { return }
        let change = LastChange(transaction: transaction.number, microseconds: time.wallMicroseconds())
        state.withLock { for table in tables { $0.lastChanges[table] = change } }
    }
}
