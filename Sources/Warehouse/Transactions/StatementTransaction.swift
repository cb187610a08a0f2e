import Binder
import Catalog
import ColumnStore
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes

/// How statements and transactions meet.
extension StatementExecution {
    /// Of the transaction that the statement ran in; 0 when it needed none.
    var transactionNumber: Int64 { session.transaction?.number ?? lastTransaction }

    static func failedBlock() -> SQLError {
        SQLError(
            .failedTransaction,
            "current transaction is aborted, commands ignored until end of transaction block")
    }

    /// Of an execution that only looked, or leaves the work to another.
    func endOwnTransaction() {
        if let own = ownTransaction { session.end(own, failed: true) }
        ownTransaction = nil
    }

    /// The session's block, or a transaction for this statement alone.
    var transaction: Transaction {
        if let block = session.transaction { return block }
        if let own = ownTransaction { return own }
        let made = warehouse.transactions.begin(
            session: session.number, isExplicit: false, modes: session.defaultTransactionModes)
        ownTransaction = made
        lastTransaction = made.number
        return made
    }

    /// Makes a statement's change: at once, or as a part of the session's block.
    ///
    /// - Parameter snapshot: the state that the change was worked out on.
    func apply(_ change: StoreChange, on snapshot: StoreSnapshot) throws {
        var change = change
        change.mark(over: snapshot, store)
        if transaction.isExplicit { return try transaction.add(change, store) }
        change.base = snapshot
        try session.checkQuotas(change, on: snapshot, transaction)
        let tables = Set(change.added.map(\.table)).union(change.emptied).union(change.tablesWithDeletedRows)
        let transaction = self.transaction
        try warehouse.transactions.commit(transaction, changing: tables, store, session: session.number) {
            try store.commit(change) { session.letWritersGoOn(transaction) }
        }
    }

    /// A change of definitions alone.
    func commit(_ body: (inout CatalogSnapshot) throws -> Void) throws {
        let snapshot = try session.located(transaction.snapshot(store))
        var catalog = snapshot.catalog
        catalog.nextObjectID = store.reserveObjectIDs(4)
        try body(&catalog)
        var change = StoreChange()
        change.catalog = catalog
        try apply(change, on: snapshot)
    }
}

extension Session {
    /// For the protocol's ReadyForQuery.
    package var transactionStatus: TransactionStatus { transaction?.status ?? .idle }

    /// What the session's next statement would see.
    var currentSnapshot: StoreSnapshot {
        get throws { try located(transaction?.snapshot(warehouse.store) ?? warehouse.store.snapshot()) }
    }

    /// Ends the block; its changes are durable when this returns, and gone when it throws.
    func commitTransaction() throws {
        guard let transaction else { return }
        self.transaction = nil
        endLocalSettings()
        cursors = [:]
        var isDone = false
        defer { warehouse.transactions.end(transaction, session: number, failed: !isDone) }
        if transaction.hasFailed { return }
        let store = warehouse.store
        try transaction.withChange { try checkQuotas($0, on: $1, transaction) }
        try warehouse.transactions.commit(
            transaction, changing: transaction.changedTables, store, session: number
        ) { try transaction.commit(store) { letWritersGoOn(transaction) } }
        isDone = true
    }

    /// What a transaction has that says nothing else.
    var defaultTransactionModes: TransactionModes {
        TransactionModes(
            isolation: settings.derived.isolation ?? databaseIsolation,
            isReadOnly: settings.derived.isReadOnly)
    }

    private var databaseIsolation: IsolationLevel {
        warehouse.store.snapshot().catalog.databases[nameDatabase]?.isolation ?? .snapshot
    }

    /// A commit has its place in the order: the next writer may go on while the disk works, for it builds on this one.
    /// Serializable transactions keep their locks to the end.
    func letWritersGoOn(_ transaction: Transaction) {
        if transaction.isolation == .serializable { return }
        warehouse.transactions.locks.releaseAll(TableLocks.Owner(transaction: transaction.number, session: number))
    }

    func rollBackTransaction() {
        guard let transaction else { return }
        self.transaction = nil
        endLocalSettings()
        cursors = [:]
        transaction.fail()
        warehouse.transactions.end(transaction, session: number, failed: true)
    }

    /// A statement is over. In a block a failure leaves nothing but waiting for the block's end.
    func end(_ transaction: Transaction, failed: Bool) {
        if !transaction.isExplicit {
            return warehouse.transactions.end(transaction, session: number, failed: failed)
        }
        if !failed { return }
        transaction.fail()
        warehouse.transactions.locks.releaseAll(TableLocks.Owner(transaction: transaction.number, session: number))
    }
}
