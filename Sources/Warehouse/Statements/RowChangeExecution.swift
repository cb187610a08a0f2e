import Binder
import Catalog
import Cluster
import ColumnStore
import ColumnVectors
import Platform
import QueryPlan
import SQLTypes
import VectorEngine

// DELETE, UPDATE and MERGE: a query finds the rows, by their places in the snapshot; the commit marks them as deleted
// and adds the new ones.

struct DeleteProgram: StatementProgram {
    let table: TableDefinition
    /// Returns the ids of the rows that go; nil: all go.
    let plan: PhysicalQuery?

    var kind: StatementKind { StatementKind("DELETE") }
    var effects: StatementEffects { .change(of: table) }
    func check(_ rights: StatementRights) throws { try rights.require(.delete, on: table) }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        var change = StoreChange()
        execution.rowCount = try execution.delete(self, snapshot, &change, isStrict: false)
        if execution.rowCount > 0 { try execution.apply(change, on: snapshot) }
        try execution.handler.end(tag: "DELETE \(execution.rowCount)")
    }
}

struct UpdateProgram: StatementProgram {
    let table: TableDefinition
    /// Returns the ids of the rows and then the rows as they become.
    let plan: PhysicalQuery
    let assignedColumns: [Int]

    var kind: StatementKind { StatementKind("UPDATE") }
    var effects: StatementEffects { .change(of: table) }

    func check(_ rights: StatementRights) throws {
        let relation = Relation.table(table)
        if rights.session.privileges(on: relation, in: rights.catalog).contains(.update) { return }
        let isAllowed = assignedColumns.allSatisfy {
            rights.session.privileges(onColumn: $0, of: relation).contains(.update)
        }
        if !isAllowed { throw rights.denied("relation \(table.name)") }
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        var change = StoreChange()
        let isStrict = execution.session.settings["error_on_nondeterministic_update"] == "on"
        execution.rowCount = try execution.update(self, snapshot, &change, isStrict: isStrict)
        if execution.rowCount > 0 { try execution.apply(change, on: snapshot) }
        try execution.handler.end(tag: "UPDATE \(execution.rowCount)")
    }
}

struct MergeProgram: StatementProgram {
    enum Matched: Sendable {
        case update(UpdateProgram)
        case delete(DeleteProgram)
    }
    let table: TableDefinition
    let matched: Matched?
    let insertion: InsertProgram?
    /// Two source rows for one target row are an error.
    let isStrict: Bool

    var kind: StatementKind { StatementKind("MERGE") }
    var effects: StatementEffects { .change(of: table) }

    func check(_ rights: StatementRights) throws {
        switch matched {
        case .update(let update): try update.check(rights)
        case .delete(let delete): try delete.check(rights)
        case nil: break
        }
        try insertion?.check(rights)
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        var change = StoreChange()
        switch matched {
        case .update(let update):
            execution.rowCount += try execution.update(update, snapshot, &change, isStrict: isStrict)
        case .delete(let delete):
            execution.rowCount += try execution.delete(delete, snapshot, &change, isStrict: isStrict)
        case nil: break
        }
        if let insertion {
            let written = try execution.write(insertion, snapshot)
            change.added.append(written.parts)
            change.identity = written.identity
            execution.rowCount += written.parts.rowCount
        }
        if execution.rowCount > 0 { try execution.apply(change, on: snapshot) }
        try execution.handler.end(tag: "MERGE \(execution.rowCount)")
    }
}

extension StatementExecution {
    fileprivate func delete(
        _ delete: DeleteProgram, _ snapshot: StoreSnapshot, _ change: inout StoreChange, isStrict: Bool
    ) throws -> Int {
        guard let table = snapshot.table(delete.table.id), table.rowCount > 0 else { return 0 }
        guard let plan = delete.plan else {
            change.emptied.insert(delete.table.id)
            return table.rowCount
        }
        let claims = try RowClaims(table)
        let consumer = ClaimingConsumer(claims, isStrict: isStrict, rows: nil)
        try run(
            plan, snapshot, .delete(table: delete.table.id.raw, name: delete.table.name), consumer: consumer)
        let count = claims.count
        change.delete(claims)
        return count
    }

    fileprivate func update(
        _ update: UpdateProgram, _ snapshot: StoreSnapshot, _ change: inout StoreChange, isStrict: Bool
    ) throws -> Int {
        guard let table = snapshot.table(update.table.id), table.rowCount > 0 else { return 0 }
        let claims = try RowClaims(table)
        let writer = try store.writer(for: update.table, view: snapshot, narrows: narrowsLoads)
        do {
            let rows = TableConsumer(
                writer, RowCompletion(update.table, IdentityCounters(update.table, [], [])),
                workers: warehouse.pool.workers)
            let consumer = ClaimingConsumer(claims, isStrict: isStrict, rows: rows)
            try run(
                update.plan, snapshot, .insert(table: update.table.id.raw, name: update.table.name),
                consumer: consumer)
            let count = claims.count
            change.delete(claims)
            change.added.append(try writer.finish(workers))
            return count
        } catch {
            writer.abort()
            throw error
        }
    }
}

/// Claims the rows of each batch by their ids and passes the rest of the columns on, once for each row.
final class ClaimingConsumer: BatchConsumer {
    private let claims: RowClaims
    private let isStrict: Bool
    private let rows: TableConsumer?

    init(_ claims: RowClaims, isStrict: Bool, rows: TableConsumer?) {
        self.claims = claims
        self.isStrict = isStrict
        self.rows = rows
    }

    func consume(worker: Int, _ batch: ColumnBatch) throws {
        let wide = ColumnBuffer(.bigint)
        let column = batch.columns[0]
        if column.physical != .int64 { try wide.append(column) }
        let ids = UnsafePointer((column.physical == .int64 ? column : wide).values(as: Int64.self))
        var accepted: [UInt16] = []
        accepted.reserveCapacity(min(batch.rowCount, StorageLimits.rowGroupRows))
        var done = 0
        while done < batch.rowCount {
            let count = min(batch.rowCount - done, StorageLimits.rowGroupRows)
            accepted.removeAll(keepingCapacity: true)
            try claims.claim(ids + done, count, accepted: &accepted)
            if isStrict && accepted.count < count {
                throw SQLError(.internalError, "Found multiple matches to update the same tuple.")
            }
            if let rows { try pass(batch, from: done, count, accepted, to: rows, worker) }
            done += count
        }
    }

    private func pass(
        _ batch: ColumnBatch, from start: Int, _ count: Int, _ accepted: [UInt16], to rows: TableConsumer,
        _ worker: Int
    ) throws {
        if accepted.isEmpty { return }
        let types = Array(batch.types.dropFirst())
        if accepted.count == batch.rowCount {
            return try rows.consume(
                worker: worker,
                ColumnBatch(types: types, columns: Array(batch.columns.dropFirst()), rowCount: batch.rowCount))
        }
        let kept = ColumnBatch(types: types)
        for (target, source) in zip(kept.columns, batch.columns.dropFirst()) {
            try accepted.withUnsafeBufferPointer { positions in
                try target.append(
                    values: source.values + start * source.physical.byteWidth, as: source.physical,
                    validity: source.validity.map { UnsafePointer($0 + start) }, selection: positions.baseAddress,
                    count: positions.count)
            }
        }
        try rows.consume(worker: worker, kept)
    }
}
