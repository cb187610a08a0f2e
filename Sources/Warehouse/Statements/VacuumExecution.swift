import Binder
import Catalog
import ColumnStore
import ColumnVectors
import Platform
import SQLSyntax
import SQLTypes
import Synchronization

/// VACUUM: parts are read, written again in the table's order without deleted rows, and replaced in one commit. Readers
/// go on with the old parts; a crash leaves either the old or the new ones.
extension StatementExecution {
    func vacuum(_ statement: VacuumStatement, _ tables: [TableDefinition], _ snapshot: StoreSnapshot) throws {
        if let definition = tables.first, statement.table != nil, statement.kind == .recluster {
            if case .interleaved = definition.sortKey {
                throw SQLError(.featureNotSupported, "VACUUM RECLUSTER is not supported for interleaved sort keys")
            }
        }
        for definition in tables {
            try vacuum(definition.id, statement)
            // One table at a time: others may be written while this one is done.
            warehouse.transactions.locks.releaseAll(
                TableLocks.Owner(transaction: transaction.number, session: session.number))
        }
        try handler.end(tag: "VACUUM")
    }

    private func vacuum(_ id: ObjectID, _ statement: VacuumStatement) throws {
        _ = try lock([id], .exclusive)
        let snapshot = store.snapshot()
        guard let table = snapshot.table(id) else { return }
        var entry = VacuumLog.Entry(
            transaction: transaction.number, query: queryID, table: id, kind: statement.kind.rawValue,
            rowsBefore: table.rowCount, sortedRowsBefore: table.sortedRowCount, bytesBefore: table.byteCount,
            deletedRows: table.deletedRowCount, startMicroseconds: SystemTime().wallMicroseconds())
        let parts = table.partsToVacuum(statement.kind, threshold: statement.thresholdPercent ?? 95)
        if parts.isEmpty {
            entry.isSkipped = true
            if statement.table != nil && statement.kind != .deleteOnly && table.rowCount > 0 {
                handler.notice(
                    "INFO:  table \"\(table.definition.name)\" is sorted to the threshold already, nothing to do")
            }
        } else {
            var change = StoreChange()
            change.removed = [id: Set(parts.map(\.id))]
            change.added = [try rewrite(parts, of: table, as: table.definition)]
            try apply(change, on: snapshot)
        }
        entry.endMicroseconds = SystemTime().wallMicroseconds()
        if let after = store.snapshot().table(id) {
            entry.rowsAfter = after.rowCount
            entry.sortedRowsAfter = after.sortedRowCount
            entry.bytesAfter = after.byteCount
        }
        warehouse.vacuumLog.add(entry)
    }

    /// Reads the rows that are left and writes them under a definition, all workers at once.
    func rewrite(_ parts: [Part], of table: TableSnapshot, as definition: TableDefinition) throws -> WrittenParts {
        // A part of the rows keeps the placement that the table has by now.
        let writer = try store.writer(for: definition, replacing: parts.count == table.parts.count)
        do {
            let groups = parts.flatMap { part in (0..<part.rowGroupCount).map { (part, $0) } }
            let next = Atomic<Int>(0)
            let types = table.definition.columns.map(\.type)
            let cancellation = self.cancellation
            let isOrdered = groups.count <= 4
            try warehouse.pool.runThrowing { worker in
                if isOrdered && worker > 0 { return }
                let lane = writer.makeLane()
                while true {
                    let index = next.add(1, ordering: .relaxed).oldValue
                    if index >= groups.count { return }
                    try cancellation.check()
                    let batch = ColumnBatch(types: types)
                    try groups[index].0.decodeLive(group: groups[index].1, into: batch)
                    try lane.append(batch)
                }
            }
            return try writer.finish(pool: warehouse.pool)
        } catch {
            writer.abort()
            throw error
        }
    }
}

extension TableSnapshot {
    /// Rows in the largest sorted part of each slice: what needs no sorting.
    var sortedRowCount: Int {
        slices.reduce(0) { total, parts in
            total + (parts.filter(\.isSorted).map(\.liveRowCount).max() ?? 0)
        }
    }

    /// What a VACUUM has to write again; nothing when the table is good enough.
    fileprivate func partsToVacuum(_ kind: VacuumStatement.Kind, threshold: Int) -> [Part] {
        if rowCount == 0 && deletedRowCount == 0 { return [] }
        let stored = rowCount + deletedRowCount
        let hasManyDeleted =
            deletedRowCount > 0
            && (threshold >= 100 || rowCount * 100 <= stored * max(threshold, 1)
                || threshold == 95)
        switch kind {
        case .reindex: return parts
        case .deleteOnly: return hasManyDeleted ? parts.filter { $0.deletedRowCount > 0 } : []
        case .full, .sortOnly, .recluster:
            let hasKey: Bool =
                switch definition.sortKey {
                case .none, .auto: false
                case .compound, .interleaved: true
                }
            let isSorted =
                !hasKey
                || sortedRowCount * 100 >= rowCount * threshold
                    && (threshold < 100 || sortedRowCount == rowCount)
            let isScattered = slices.contains { $0.count > 8 }
            if isSorted && !isScattered && (kind != .full || !hasManyDeleted) { return [] }
            return isSorted && !isScattered ? parts.filter { $0.deletedRowCount > 0 } : parts
        }
    }
}

/// What STL_VACUUM tells. In memory, bounded, newest kept.
final class VacuumLog: Sendable {
    struct Entry: Sendable {
        var transaction: Int64
        var query: Int
        var table: ObjectID
        var kind: String
        var rowsBefore: Int
        var sortedRowsBefore: Int
        var bytesBefore: Int
        var deletedRows: Int
        var startMicroseconds: Int64
        var isSkipped = false
        var rowsAfter = 0
        var sortedRowsAfter = 0
        var bytesAfter = 0
        var endMicroseconds: Int64 = 0
    }
    private let state = Mutex<[Entry]>([])
    private static let kept = 10_000

    func add(_ entry: Entry) {
        state.withLock {
            $0.append(entry)
            if $0.count > 2 * VacuumLog.kept { $0.removeFirst($0.count - VacuumLog.kept) }
        }
    }
    var entries: [Entry] { state.withLock { $0 } }
}
