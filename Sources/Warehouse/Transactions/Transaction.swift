import Catalog
import ColumnStore
import SQLTypes

/// Where a session stands between two statements.
package enum TransactionStatus: Sendable, Hashable {
    case idle
    case inTransaction
    /// A statement of the block failed; only its end is accepted.
    case failed
}

/// One transaction: the snapshot that it reads, and its own changes, which nobody else sees before they are committed
/// as a whole. Confined to its session's thread.
final class Transaction {
    let number: Int64
    /// BEGIN was said; otherwise it ends with its statement.
    let isExplicit: Bool
    private(set) var isReadOnly: Bool
    private(set) var isolation: IsolationLevel
    let startMicroseconds: Int64
    private(set) var hasFailed = false
    /// It has asked for a table's lock.
    var hasLocks = false
    /// What it reads apart from its own changes; taken at the first statement.
    private(set) var base: StoreSnapshot?
    /// `base` with its own changes.
    private var view: StoreSnapshot?
    private var change = StoreChange()
    private(set) var hasChanges = false

    init(number: Int64, isExplicit: Bool, modes: TransactionModes, startMicroseconds: Int64) {
        self.number = number
        self.isExplicit = isExplicit
        isReadOnly = modes.isReadOnly
        isolation = modes.isolation
        self.startMicroseconds = startMicroseconds
    }

    var status: TransactionStatus { !isExplicit ? .idle : hasFailed ? .failed : .inTransaction }
    /// Tables whose data it has changed.
    var changedTables: Set<ObjectID> {
        Set(change.added.map(\.table)).union(change.emptied).union(change.tablesWithDeletedRows)
    }

    /// The catalog is another one than that of its snapshot.
    var changesDefinitions: Bool { change.catalog != nil }

    /// What a statement would see now.
    func snapshot(_ store: Store) -> StoreSnapshot { view ?? base ?? store.snapshot() }

    /// SET TRANSACTION: a level only before the first statement that reads or writes.
    func change(_ modes: TransactionModes) throws {
        if modes.isolation != isolation && base != nil {
            throw SQLError(.activeTransaction, "SET TRANSACTION ISOLATION LEVEL must be called before any query")
        }
        isolation = modes.isolation
        isReadOnly = modes.isReadOnly
    }

    /// The snapshot is settled: every later statement reads the same state.
    func settle(_ snapshot: StoreSnapshot) { if base == nil { base = snapshot } }

    func fail() {
        hasFailed = true
        forget()
    }

    /// Adds a statement's change; later statements see it.
    func add(_ more: StoreChange, _ store: Store) throws {
        let now = snapshot(store)
        settle(now)
        view = try store.overlay(more, on: now)
        change.merge(more, base: base)
        hasChanges = true
    }

    /// Calls `body` with all that it is going to commit, and what that goes on top of.
    func withChange(_ body: (StoreChange, StoreSnapshot) throws -> Void) rethrows {
        if hasChanges, let base { try body(change, base) }
    }

    /// Nothing of it remains when this throws.
    ///
    /// - Parameter whenOrdered: called when other writers may go on.
    /// - Returns: the version that has its changes, or that it has read when there are none.
    func commit(_ store: Store, whenOrdered: () -> Void) throws -> UInt64 {
        defer { forget() }
        guard hasChanges else { return base?.version ?? 0 }
        change.base = base
        return try store.commit(change, whenOrdered: whenOrdered)
    }

    /// Parts that nobody has committed go with the last reference.
    private func forget() {
        change = StoreChange()
        view = nil
        hasChanges = false
    }
}
