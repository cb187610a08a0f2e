import Catalog
import ColumnStore
import SQLTypes

/// Open transactions, their locks and conflicts, and what VACUUM did.
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
            try sink.add([
                .text("relation"), .number(SystemSnapshot.databaseID), .integer(Int128(lock.table.raw)),
                .integer(Int128(lock.owner.transaction)), .number(lock.owner.session), .text(lock.mode.rawValue),
                .boolean(lock.isGranted),
            ])
        }
    }

    static func transactions(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let open = started(snapshot)
        let name = Datum.text(snapshot.user), database = Datum.text(snapshot.database)
        for transaction in snapshot.transactions.openTransactions {
            try sink.add([
                name, database, .integer(Int128(transaction.number)), .number(transaction.session),
                .integer(Int128(transaction.startMicroseconds)), .text("ExclusiveLock"), .text("transactionid"), .null,
                .boolean(true),
            ])
            for table in transaction.reads.sorted() {
                try sink.add([
                    name, database, .integer(Int128(transaction.number)), .number(transaction.session),
                    .integer(Int128(transaction.startMicroseconds)), .text("AccessShareLock"), .text("relation"),
                    .integer(Int128(table.raw)), .boolean(true),
                ])
            }
        }
        for lock in snapshot.transactions.locks.entries {
            let start = open[lock.owner.transaction]
            try sink.add([
                name, database, .integer(Int128(lock.owner.transaction)), .number(lock.owner.session),
                start.map { .integer(Int128($0)) } ?? .null, .text(lock.mode.rawValue), .text("relation"),
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

    /// Two rows for a VACUUM, one for a skipped one.
    static func vacuums(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let blockBytes = 1 << 20
        let user = Datum.number(snapshot.userID(snapshot.user))
        for entry in snapshot.vacuums.entries {
            let isRecluster = Datum.number(entry.kind == "RECLUSTER" ? 1 : 0)
            func row(_ status: String, _ rows: Int, _ sorted: Int, _ bytes: Int, _ time: Int64, _ gone: Int) -> [Datum]
            {
                [
                    user, .integer(Int128(entry.transaction)), .integer(Int128(entry.table.raw)), .text(status),
                    .number(rows), .number(sorted), .number((bytes + blockBytes - 1) / blockBytes), .number(1),
                    .integer(Int128(time)), .number(gone), .number(0), .integer(Int128(entry.transaction)), isRecluster,
                ]
            }
            let label = entry.kind == "FULL" ? "" : " " + entry.kind
            let before = entry.rowsBefore + entry.deletedRows
            try sink.add(
                row(
                    entry.isSkipped ? "Skipped" : "Started" + label, before, entry.sortedRowsBefore,
                    entry.bytesBefore, entry.startMicroseconds, entry.deletedRows))
            if entry.isSkipped { continue }
            try sink.add(
                row("Finished", entry.rowsAfter, entry.sortedRowsAfter, entry.bytesAfter, entry.endMicroseconds, 0))
        }
    }

    private static func started(_ snapshot: SystemSnapshot) -> [Int64: Int64] {
        var result: [Int64: Int64] = [:]
        for open in snapshot.transactions.openTransactions { result[open.number] = open.startMicroseconds }
        return result
    }
}
