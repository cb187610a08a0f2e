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
    }
    /// A transaction that gave up because of another one (STL_TR_CONFLICT).
    struct Conflict: Sendable {
        var number: Int64
        var session: Int
        var startMicroseconds: Int64
        var abortMicroseconds: Int64
        var table: ObjectID
    }
    private struct State {
        var open: [Int64: Open] = [:]
        var lastWriter: [ObjectID: Int64] = [:]
        var conflicts: [Conflict] = []
    }
    let locks = TableLocks()
    private let next = Atomic<Int64>(1_000)
    private let state = Mutex(State())
    private static let keptConflicts = 10_000

    /// An explicit transaction is listed until it ends.
    func begin(session: Int, isExplicit: Bool, isReadOnly: Bool) -> Transaction {
        let number = next.add(1, ordering: .relaxed).oldValue
        let now = SystemTime().wallMicroseconds()
        if isExplicit {
            state.withLock { $0.open[number] = Open(number: number, session: session, startMicroseconds: now) }
        }
        return Transaction(
            number: number, isExplicit: isExplicit, isReadOnly: isReadOnly, startMicroseconds: now)
    }

    func end(_ transaction: Transaction, session: Int) {
        locks.releaseAll(TableLocks.Owner(transaction: transaction.number, session: session))
        if transaction.isExplicit { state.withLock { $0.open[transaction.number] = nil } }
    }

    func noteWrites(_ tables: Set<ObjectID>, by transaction: Transaction) {
        if tables.isEmpty { return }
        state.withLock { for table in tables { $0.lastWriter[table] = transaction.number } }
    }

    /// The error that clients know by its number.
    func conflict(_ conflict: StoreConflict, _ transaction: Transaction, session: Int) -> SQLError {
        let other = state.withLock { state in
            state.conflicts.append(
                Conflict(
                    number: transaction.number, session: session, startMicroseconds: transaction.startMicroseconds,
                    abortMicroseconds: SystemTime().wallMicroseconds(), table: conflict.table))
            if state.conflicts.count > 2 * TransactionRegistry.keptConflicts {
                state.conflicts.removeFirst(state.conflicts.count - TransactionRegistry.keptConflicts)
            }
            return state.lastWriter[conflict.table]
        }
        let cycle = [other, transaction.number].compactMap { $0.map(String.init) }.joined(separator: ", ")
        return SQLError(
            "XX000", "1023",
            detail:
                "Serializable isolation violation on table - \(conflict.table), transactions forming the cycle are: "
                + "\(cycle) (pid:\(session))",
            hint: "Run the transaction again.")
    }

    var openTransactions: [Open] { state.withLock { Array($0.open.values) } }
    var conflicts: [Conflict] { state.withLock { $0.conflicts } }
}
