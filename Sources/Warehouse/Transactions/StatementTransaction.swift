import Binder
import Catalog
import ColumnStore
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes

/// How statements and transactions meet.
extension StatementExecution {
    /// Runs a statement in the session's transaction, or in one of its own that ends with it.
    func run(_ statement: Statement) throws {
        do {
            try checkUser(statement)
        } catch {
            if let block = session.transaction { session.end(block, failed: true) }
            throw error
        }
        if case .transaction(let node) = statement { return try control(node) }
        // EXECUTE runs another statement, which takes what it needs.
        if case .execute = statement { return try runBound(statement) }
        if transaction.hasFailed { throw StatementExecution.failedBlock() }
        if statement.endsTransaction && transaction.isExplicit { try session.commitTransaction() }
        let transaction = self.transaction
        do {
            try runBound(statement)
        } catch {
            session.end(transaction, failed: true)
            throw error
        }
        mergeSmallParts()
        session.end(transaction, failed: false)
    }

    /// Checkpoints leave small parts. Once in a while a statement pays for merging them: it has succeeded already.
    private func mergeSmallParts() {
        if transaction.isExplicit || committedTables.isEmpty { return }
        let before = store.snapshot()
        for id in committedTables where before.table(id).map({ $0.smallFileCount > 64 }) ?? false {
            guard (try? lock([id], .write)) != nil else { return }
            let snapshot = store.settledSnapshot()
            guard let table = snapshot.table(id) else { continue }
            // Files alone: rows in the log wait for a checkpoint.
            guard let small = try? table.parts.filter({ $0.isOnDisk && $0.rowCount < 16_384 }), small.count > 64,
                let merged = try? rewrite(small, of: table, as: table.definition)
            else { continue }
            var change = StoreChange()
            change.base = snapshot
            change.removed = [id: Set(small.map(\.id))]
            change.added = [merged]
            // Nothing is lost when this fails: the small parts stay.
            _ = try? store.commit(change)
        }
    }

    /// Of the transaction that the statement ran in; 0 when it needed none.
    var transactionNumber: Int64 { session.transaction?.number ?? lastTransaction }

    static func failedBlock() -> SQLError {
        SQLError(
            .failedTransaction,
            "current transaction is aborted, commands ignored until end of transaction block")
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

    /// Binds against the state that the statement will see. A writer takes its tables' locks first, so that the state
    /// cannot get old behind its back unless its transaction had settled on it before.
    private func runBound(_ statement: Statement) throws {
        warehouse.transactions.willRead(transaction, store)
        let read = budget.mark
        while true {
            budget.restore(read)
            let ids = ColumnIDSource()
            let snapshot = transaction.snapshot(store)
            let (bound, scanned) = try bindAuthorized(statement, snapshot, ids)
            if !bound.isReadOnly {
                try checkWritable(statement, bound, snapshot)
                // Alone in its transaction it is over when others could notice that it did not keep them out.
                let sharesTable =
                    bound.onlyAppends && !transaction.isExplicit && transaction.isolation != .serializable
                let isNew = try lock(bound.changedTables, sharesTable ? .append : bound.lockMode)
                if isNew && transaction.base == nil && isOutdated(bound, snapshot) { continue }
            }
            if transaction.isExplicit && bound.readsData { transaction.settle(snapshot) }
            if bound.readsTables || !bound.isReadOnly {
                try warehouse.transactions.note(
                    transaction, snapshot, reads: bound.tablesRead(scanned), writes: bound.tablesWritten,
                    session: session.number)
            }
            return try execute(bound, snapshot, ids)
        }
    }

    /// Somebody committed before the lock was there. New rows need the table's definition alone; what looks for rows
    /// to change must see all of them.
    private func isOutdated(_ bound: BoundStatement, _ snapshot: StoreSnapshot) -> Bool {
        guard case .insert(let insert) = bound else { return store.settledSnapshot() !== snapshot }
        if store.pendingSnapshot().table(insert.table.id)?.definition == insert.table { return false }
        // The new definition is not visible before it is durable.
        _ = store.settledSnapshot()
        return true
    }

    /// A bound statement that the user may run. Superusers may run all.
    private func bindAuthorized(
        _ statement: Statement, _ snapshot: StoreSnapshot, _ ids: ColumnIDSource
    ) throws -> (statement: BoundStatement, scanned: Set<ObjectID>) {
        if user.isSuperuser { return try bind(statement, snapshot, ids, nil) }
        let access = AccessRecord(rights)
        var result = try bind(statement, snapshot, ids, access)
        let authorization = StatementAuthorization(
            rights: access.sessionRights, catalog: snapshot.catalog, temporarySchema: session.temporarySchema)
        result.statement = try authorization.authorize(result.statement, access) { handler.notice($0) }
        return result
    }

    /// A name that is only known to states newer than the block's own has an error of its own.
    private func bind(
        _ statement: Statement, _ snapshot: StoreSnapshot, _ ids: ColumnIDSource, _ access: AccessRecord?
    ) throws -> (statement: BoundStatement, scanned: Set<ObjectID>) {
        do {
            return try binder(snapshot).bindWithScans(statement, ids: ids, access: access)
        } catch let error as SQLError where error.state == .undefinedTable && transaction.base != nil {
            let newest = store.snapshot()
            guard newest.version > snapshot.version,
                (try? binder(newest).bindWithScans(statement, ids: ColumnIDSource())) != nil
            else { throw error }
            throw SQLError("XX000", "1018", detail: "Relation does not exist.")
        }
    }

    private func checkWritable(_ statement: Statement, _ bound: BoundStatement, _ snapshot: StoreSnapshot) throws {
        if transaction.isReadOnly && !bound.changesOnlyTemporaryTables(snapshot.catalog) {
            throw SQLError("25006", "transaction is read-only")
        }
        if transaction.isExplicit, case .vacuum = statement {
            throw SQLError(.activeTransaction, "VACUUM cannot run inside a transaction block")
        }
    }

    /// True when a lock was taken that the transaction did not have.
    func lock(_ tables: [ObjectID], _ mode: TableLocks.Mode) throws -> Bool {
        let locks = warehouse.transactions.locks
        let owner = TableLocks.Owner(transaction: transaction.number, session: session.number)
        if !tables.isEmpty { warehouse.transactions.list(transaction, session: session.number) }
        var isNew = false
        if !tables.isEmpty { transaction.hasLocks = true }
        // In the order of ids: statements over several tables do not wait for each other in a circle.
        for table in tables.sorted() {
            if try locks.lock(table, mode, owner, cancellation) { isNew = true }
        }
        return isNew
    }

    /// Makes a statement's change: at once, or as a part of the session's block.
    ///
    /// - Parameter snapshot: the state that the change was worked out on.
    func apply(_ change: StoreChange, on snapshot: StoreSnapshot) throws {
        if transaction.isExplicit { return try transaction.add(change, store) }
        var change = change
        change.base = snapshot
        let tables = Set(change.added.map(\.table)).union(change.emptied).union(change.tablesWithDeletedRows)
        let transaction = self.transaction
        try warehouse.transactions.commit(transaction, changing: tables, store, session: session.number) {
            try store.commit(change) { session.letWritersGoOn(transaction) }
        }
        committedTables.formUnion(tables)
    }

    /// A change of definitions alone.
    func commit(_ body: (inout CatalogSnapshot) throws -> Void) throws {
        let snapshot = transaction.snapshot(store)
        var catalog = snapshot.catalog
        catalog.nextObjectID = store.reserveObjectIDs(4)
        try body(&catalog)
        var change = StoreChange()
        change.catalog = catalog
        try apply(change, on: snapshot)
    }

    // MARK: BEGIN, COMMIT, ROLLBACK, LOCK

    private func control(_ node: TransactionStatement) throws {
        switch node.kind {
        case .begin:
            if session.transaction != nil {
                handler.notice("WARNING:  there is already a transaction in progress")
            } else {
                var modes = session.defaultTransactionModes
                if let words = node.isolationLevel, let level = IsolationLevel(words: words) {
                    modes.isolation = level
                }
                if let isReadOnly = node.readOnly { modes.isReadOnly = isReadOnly }
                session.transaction = warehouse.transactions.begin(
                    session: session.number, isExplicit: true, modes: modes)
            }
            try handler.end(tag: "BEGIN")
        case .commit:
            if session.transaction == nil {
                handler.notice("WARNING:  there is no transaction in progress")
            }
            let failed = session.transaction?.hasFailed ?? false
            try session.commitTransaction()
            try handler.end(tag: failed ? "ROLLBACK" : "COMMIT")
        case .rollback:
            if session.transaction == nil {
                handler.notice("WARNING:  there is no transaction in progress")
            }
            session.rollBackTransaction()
            try handler.end(tag: "ROLLBACK")
        }
    }

    /// LOCK has locked its tables when it gets here; outside of a block they are free again at once.
    func lockTables() throws {
        if !transaction.isExplicit {
            throw SQLError(.noActiveTransaction, "LOCK TABLE can only be used in transaction blocks")
        }
        try handler.end(tag: "LOCK TABLE")
    }
}

extension Session {
    /// For the protocol's ReadyForQuery.
    public var transactionStatus: TransactionStatus { transaction?.status ?? .idle }

    /// What the session's next statement would see.
    var currentSnapshot: StoreSnapshot { transaction?.snapshot(warehouse.store) ?? warehouse.store.snapshot() }

    /// Ends the block; its changes are durable when this returns, and gone when it throws.
    func commitTransaction() throws {
        guard let transaction else { return }
        self.transaction = nil
        cursors = [:]
        var isDone = false
        defer { warehouse.transactions.end(transaction, session: number, failed: !isDone) }
        if transaction.hasFailed { return }
        let store = warehouse.store
        try warehouse.transactions.commit(
            transaction, changing: transaction.changedTables, store, session: number
        ) { try transaction.commit(store) { letWritersGoOn(transaction) } }
        isDone = true
    }

    /// What a transaction has that says nothing else.
    var defaultTransactionModes: TransactionModes {
        TransactionModes(
            isolation: settings.derived.isolation ?? warehouse.store.snapshot().catalog.isolation,
            isReadOnly: settings.derived.isReadOnly)
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

extension Statement {
    /// Redshift commits what was done before.
    fileprivate var endsTransaction: Bool {
        if case .truncate = self { true } else { false }
    }
}

extension BoundStatement {
    /// Neither data nor definitions change.
    var isReadOnly: Bool {
        switch self {
        case .query, .copyOut, .unload, .analyze, .transaction, .set, .reset, .show, .prepare, .execute, .deallocate,
            .declareCursor, .fetch, .closeCursor, .cancel:
            true
        case .explain(let options, let inner): !options.analyze || inner.isReadOnly
        default: false
        }
    }

    /// The session's own statements leave a block's snapshot open.
    var readsData: Bool {
        switch self {
        case .transaction, .set, .reset, .show, .prepare, .deallocate, .cancel, .lock: false
        default: true
        }
    }

    /// What it scans goes into its result or into tables.
    var readsTables: Bool {
        switch self {
        case .query, .copyOut, .unload, .insert, .delete, .update, .merge, .createTableAs, .declareCursor: true
        case .explain(let options, let inner): options.analyze && inner.readsTables
        default: false
        }
    }

    /// For the check of serializable transactions. Whatever is not a blind insert depends on what the table was.
    func tablesRead(_ scanned: Set<ObjectID>) -> Set<ObjectID> {
        var tables = readsTables ? scanned : []
        if case .copy = self { return tables }
        if case .insert = self { return tables }
        tables.formUnion(tablesWritten)
        return tables
    }

    /// Tables whose contents or shape become another.
    var tablesWritten: Set<ObjectID> {
        switch self {
        case .lock, .vacuum: []
        default: Set(changedTables)
        }
    }

    func changesOnlyTemporaryTables(_ catalog: CatalogSnapshot) -> Bool {
        guard lockMode == .write, !changedTables.isEmpty else { return false }
        return changedTables.allSatisfy { id in
            if case .table(let table)? = catalog.relation(id: id) { table.isTemporary } else { false }
        }
    }

    /// Tables whose rows or definitions change.
    var changedTables: [ObjectID] {
        switch self {
        case .insert(let insert): [insert.table.id]
        case .delete(let delete): [delete.table.id]
        case .update(let update): [update.table.id]
        case .merge(let merge): [merge.table.id]
        case .copy(let copy): [copy.table.id]
        case .truncate(let table): [table.id]
        case .alterTable(let change): [change.table.id] + change.appendedTables
        case .lock(let tables): tables.map(\.id)
        case .drop(let drop):
            drop.targets.compactMap { if case .relation(.table(let table)) = $0 { table.id } else { nil } }
        default: []
        }
    }

    /// INSERT without numbers that depend on other rows.
    var onlyAppends: Bool {
        if case .insert(let insert) = self { insert.identityColumns.isEmpty } else { false }
    }

    var lockMode: TableLocks.Mode {
        switch self {
        case .insert, .delete, .update, .merge, .copy: .write
        default: .exclusive
        }
    }
}

extension BoundAlterTable {
    fileprivate var appendedTables: [ObjectID] {
        actions.compactMap { if case .append(let append) = $0 { append.source.id } else { nil } }
    }
}
