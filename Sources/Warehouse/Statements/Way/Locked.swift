import Catalog
import ColumnStore
import SQLTypes
import Workload

/// A statement's way: a writer takes its tables' locks before it runs, so that the state cannot get old behind its back
/// unless its transaction had settled on it before.
extension StatementExecution {
    /// - Returns: false when somebody has committed before the locks were there: the statement is planned again.
    func lock(_ planned: PlannedStatement, _ snapshot: StoreSnapshot) throws -> Bool {
        let effects = planned.effects
        if effects.isReadOnly { return true }
        if transaction.isReadOnly && !effects.changesOnlyTemporaryTables(snapshot.catalog) {
            throw SQLError("25006", "transaction is read-only")
        }
        // Alone in its transaction it is over when others could notice that it did not keep them out.
        let sharesTable = effects.onlyAppends && !transaction.isExplicit && transaction.isolation != .serializable
        let isNew = try lock(effects.tables, sharesTable ? .append : effects.lock)
        return !isNew || transaction.base != nil || isUpToDate(effects.basis, snapshot)
    }

    /// What looks for rows to change must see all of them.
    private func isUpToDate(_ basis: StatementEffects.Basis, _ snapshot: StoreSnapshot) -> Bool {
        switch basis {
        case .wholeState: return store.settledSnapshot() === snapshot.state
        case .definition(let table):
            if store.pendingSnapshot().table(table.id)?.definition == table { return true }
            // The new definition is not visible before it is durable.
            _ = store.settledSnapshot()
            return false
        }
    }

    /// True when a lock was taken that the transaction did not have.
    func lock(_ tables: [ObjectID], _ mode: TableLocks.Mode) throws -> Bool {
        if tables.isEmpty { return false }
        let locks = warehouse.transactions.locks
        let owner = TableLocks.Owner(transaction: transaction.number, session: session.number)
        warehouse.transactions.list(transaction, session: session.number)
        var isNew = false
        transaction.hasLocks = true
        // In the order of ids: statements over several tables do not wait for each other in a circle.
        for table in tables.sorted() {
            if let known = locks.tryLock(table, mode, owner) {
                if known { isNew = true }
                continue
            }
            // Whoever has slots never waits for a lock: so who has locks and waits for slots gets them.
            let wait = { try locks.lock(table, mode, owner, self.cancellation) }
            if try ticket?.suspended(wait) ?? wait() { isNew = true }
        }
        return isNew
    }
}
