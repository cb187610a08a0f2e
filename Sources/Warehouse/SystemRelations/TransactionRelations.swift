import Catalog
import ColumnStore
import SQLTypes

/// Open transactions, their locks and conflicts.
enum TransactionRelations {
    static func locks(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let open = started(snapshot)
        let changes = snapshot.transactions.lastChanges
        for lock in snapshot.transactions.locks.entries {
            let start = open[lock.owner.transaction]
            let changed = changes[lock.table].map { Datum.integer(Int128($0.microseconds)) } ?? .null
            try sink.add([
                .integer(Int128(lock.table.raw)), changed, changed, .integer(Int128(lock.owner.transaction)),
                .number(lock.owner.session), start.map { .integer(Int128($0)) } ?? .null, .null,
                .text(lock.isGranted ? "Holding write lock" : "Waiting for write lock"),
            ])
        }
    }

    static func postgresLocks(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for lock in snapshot.transactions.locks.entries {
            let catalog = snapshot.store.catalog
            let database = catalog.database(of: lock.table) ?? catalog.databaseID
            try sink.add([
                .text("relation"), .wide(database.raw), .integer(Int128(lock.table.raw)),
                .integer(Int128(lock.owner.transaction)), .number(lock.owner.session), .text(lock.mode.name),
                .boolean(lock.isGranted),
            ])
        }
    }

    static func transactions(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let open = started(snapshot)
        let database = Datum.text(snapshot.database)
        func name(_ session: Int) -> Datum { .optional(snapshot.sessions.user(of: session).map(snapshot.userName)) }
        for transaction in snapshot.transactions.openTransactions {
            try sink.add([
                name(transaction.session), database, .integer(Int128(transaction.number)), .number(transaction.session),
                .integer(Int128(transaction.startMicroseconds)), .text("ExclusiveLock"), .text("transactionid"), .null,
                .boolean(true),
            ])
            for table in transaction.reads.sorted() {
                try sink.add([
                    name(transaction.session), database, .integer(Int128(transaction.number)),
                    .number(transaction.session),
                    .integer(Int128(transaction.startMicroseconds)), .text("AccessShareLock"), .text("relation"),
                    .integer(Int128(table.raw)), .boolean(true),
                ])
            }
        }
        for lock in snapshot.transactions.locks.entries {
            let start = open[lock.owner.transaction]
            try sink.add([
                name(lock.owner.session), database, .integer(Int128(lock.owner.transaction)),
                .number(lock.owner.session),
                start.map { .integer(Int128($0)) } ?? .null, .text(lock.mode.name), .text("relation"),
                .integer(Int128(lock.table.raw)), .boolean(lock.isGranted),
            ])
        }
    }

    static func conflicts(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for conflict in snapshot.transactions.conflicts {
            try sink.add([
                .integer(Int128(conflict.number)), .number(conflict.session),
                .integer(Int128(conflict.startMicroseconds)), .integer(Int128(conflict.abortMicroseconds)),
                .integer(Int128(conflict.table.raw)),
            ])
        }
    }

    private static func started(_ snapshot: SystemSnapshot) -> [Int64: Int64] {
        var result: [Int64: Int64] = [:]
        for open in snapshot.transactions.openTransactions { result[open.number] = open.startMicroseconds }
        return result
    }
}
