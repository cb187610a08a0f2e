import Binder
import Catalog
import Cluster
import ColumnStore
import ColumnVectors
import QueryPlan
import SQLTypes
import VectorEngine

/// DELETE, UPDATE and MERGE: a query finds the rows, by their places in the snapshot; the commit marks them as deleted
/// and adds the new ones.
extension StatementExecution {
    func delete(_ delete: BoundDelete, _ snapshot: StoreSnapshot, _ ids: ColumnIDSource) throws {
        var change = StoreChange()
        rowCount = try self.delete(delete, snapshot, ids, &change, isStrict: false)
        if rowCount > 0 { try apply(change, on: snapshot) }
        try handler.end(tag: "DELETE \(rowCount)")
    }

    func update(_ update: BoundUpdate, _ snapshot: StoreSnapshot, _ ids: ColumnIDSource) throws {
        var change = StoreChange()
        let isStrict = session.settings["error_on_nondeterministic_update"] == "on"
        rowCount = try self.update(update, snapshot, ids, &change, isStrict: isStrict)
        if rowCount > 0 { try apply(change, on: snapshot) }
        try handler.end(tag: "UPDATE \(rowCount)")
    }

    func merge(_ merge: BoundMerge, _ snapshot: StoreSnapshot, _ ids: ColumnIDSource) throws {
        var change = StoreChange()
        switch merge.matched {
        case .update(let update):
            rowCount += try self.update(update, snapshot, ids, &change, isStrict: merge.isStrict)
        case .delete(let delete):
            rowCount += try self.delete(delete, snapshot, ids, &change, isStrict: merge.isStrict)
        case nil: break
        }
        if let insertion = merge.insertion {
            let written = try write(
                insertion.source, to: insertion.table, identityColumns: insertion.identityColumns, snapshot, ids,
                replacing: false)
            change.added.append(written.parts)
            change.identity = written.identity
            rowCount += written.parts.rowCount
        }
        if rowCount > 0 { try apply(change, on: snapshot) }
        try handler.end(tag: "MERGE \(rowCount)")
    }

    /// The query whose rows are those that a DELETE takes.
    static func query(of delete: BoundDelete) throws -> LogicalQuery {
        let id = try rowID(of: delete.target)
        return LogicalQuery(
            plan: .project([ProjectedColumn(id: id, expression: .column(id, .bigint))], delete.source),
            outputs: [OutputColumn(id: id, name: "rowid", type: .bigint)])
    }

    /// The row id, then the whole new row.
    static func query(of update: BoundUpdate, _ ids: ColumnIDSource) throws -> LogicalQuery {
        let id = try rowID(of: update.target)
        var columns = [ProjectedColumn(id: id, expression: .column(id, .bigint))]
        var outputs = [OutputColumn(id: id, name: "rowid", type: .bigint)]
        for (index, column) in update.table.columns.enumerated() {
            let made = ids.make()
            let assigned = update.assignments.first { $0.column == index }?.value
            guard let old = update.target.columns.first(where: { $0.index == index }) else {
                throw SQLError(.internalError, "a column of the updated table is not read")
            }
            columns.append(ProjectedColumn(id: made, expression: assigned ?? .column(old.id, old.type)))
            outputs.append(OutputColumn(id: made, name: column.name, type: column.type))
        }
        return LogicalQuery(plan: .project(columns, update.source), outputs: outputs)
    }

    private static func rowID(of scan: LogicalScan) throws -> ColumnID {
        guard let id = scan.rowID else { throw SQLError(.internalError, "a changed table is scanned without row ids") }
        return id
    }

    private func delete(
        _ delete: BoundDelete, _ snapshot: StoreSnapshot, _ ids: ColumnIDSource, _ change: inout StoreChange,
        isStrict: Bool
    ) throws -> Int {
        guard let table = snapshot.table(delete.table.id), table.rowCount > 0 else { return 0 }
        if case .scan = delete.source {
            // Without conditions nothing has to be looked at.
            change.emptied.insert(delete.table.id)
            return table.rowCount
        }
        let claims = try RowClaims(table)
        let consumer = ClaimingConsumer(claims, isStrict: isStrict, rows: nil)
        let plan = try optimizer(snapshot).optimize(try StatementExecution.query(of: delete), ids: ids)
        notePredicates(plan, snapshot)
        try run(
            plan, snapshot, .delete(table: delete.table.id.raw, name: delete.table.name), consumer: consumer)
        let count = claims.count
        change.delete(claims)
        return count
    }

    private func update(
        _ update: BoundUpdate, _ snapshot: StoreSnapshot, _ ids: ColumnIDSource, _ change: inout StoreChange,
        isStrict: Bool
    ) throws -> Int {
        guard let table = snapshot.table(update.table.id), table.rowCount > 0 else { return 0 }
        let claims = try RowClaims(table)
        let plan = try optimizer(snapshot).optimize(try StatementExecution.query(of: update, ids), ids: ids)
        notePredicates(plan, snapshot)
        let writer = try store.writer(for: update.table, view: snapshot)
        do {
            let rows = TableConsumer(
                writer, RowCompletion(update.table, IdentityCounters(update.table, [], [])),
                workers: warehouse.pool.workers)
            let consumer = ClaimingConsumer(claims, isStrict: isStrict, rows: rows)
            try run(
                plan, snapshot, .insert(table: update.table.id.raw, name: update.table.name), consumer: consumer)
            let count = claims.count
            change.delete(claims)
            change.added.append(try writer.finish(pool: warehouse.pool))
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
