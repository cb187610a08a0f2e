import Binder
import Catalog
import Cluster
import ColumnStore
import ColumnVectors
import QueryPlan
import SQLTypes
import VectorEngine

extension StatementExecution {
    func insert(_ insert: BoundInsert, _ snapshot: StoreSnapshot, _ ids: ColumnIDSource) throws {
        let written = try write(
            insert.source, to: insert.table, identityColumns: insert.identityColumns, snapshot, ids, replacing: false)
        var change = StoreChange()
        change.added = [written.parts]
        change.identity = written.identity
        try apply(change, on: snapshot)
        rowCount = written.parts.rowCount
        try handler.end(tag: "INSERT 0 \(rowCount)")
    }

    func createTableAs(
        _ definition: TableDefinition, _ query: LogicalQuery, ifNotExists: Bool, _ snapshot: StoreSnapshot,
        _ ids: ColumnIDSource
    ) throws {
        if try skipExisting(definition.schema, definition.name, ifNotExists, definition.isTemporary, snapshot) {
            return
        }
        var catalog = snapshot.catalog
        catalog.nextObjectID = store.reserveObjectIDs(4)
        let table = place(definition, in: &catalog)
        let written = try write(query, to: table, identityColumns: [], snapshot, ids, replacing: true)
        catalog.put(.table(table))
        catalog.grantDefaults(on: .table(table))
        var change = StoreChange()
        change.catalog = catalog
        change.added = [written.parts]
        try apply(change, on: snapshot)
        rowCount = written.parts.rowCount
        try handler.end(tag: "SELECT \(rowCount)")
    }

    struct Written {
        var parts: WrittenParts
        var identity: [IdentityKey: Int64]
    }

    /// Runs the query into parts of the table, which nobody sees before they are committed.
    func write(
        _ query: LogicalQuery, to table: TableDefinition, identityColumns: [Int], _ snapshot: StoreSnapshot,
        _ ids: ColumnIDSource, replacing: Bool
    ) throws -> Written {
        let plan = try optimizer(snapshot).optimize(query, ids: ids)
        notePredicates(plan, snapshot)
        let writer = try store.writer(for: table, replacing: replacing, view: snapshot)
        do {
            let identities = IdentityCounters(table, identityColumns, [snapshot, store.pendingSnapshot()])
            let consumer = TableConsumer(writer, table, identities, workers: warehouse.pool.workers)
            try run(plan, snapshot, .insert(table: table.id.raw, name: table.name), consumer: consumer)
            let parts = try writer.finish(pool: warehouse.pool)
            return Written(parts: parts, identity: identities.next)
        } catch {
            writer.abort()
            throw error
        }
    }
}

/// Rows of a query on their way into a table: identity values are filled in, NOT NULL is checked.
final class TableConsumer: BatchConsumer, @unchecked Sendable {  // a lane belongs to one worker
    private let lanes: [WriterLane]
    private let table: TableDefinition
    private let identities: IdentityCounters
    private let types: [SQLType]

    init(_ writer: TableWriter, _ table: TableDefinition, _ identities: IdentityCounters, workers: Int) {
        lanes = (0..<workers).map { _ in writer.makeLane() }
        self.table = table
        self.identities = identities
        types = table.columns.map(\.type)
    }

    func consume(worker: Int, _ batch: ColumnBatch) throws {
        var columns = batch.columns
        for index in identities.columns { columns[index] = try identities.filled(columns[index], index) }
        for (index, column) in table.columns.enumerated() where column.notNull {
            let buffer = columns[index]
            guard let validity = buffer.validity else { continue }
            for row in 0..<buffer.count where validity[row] == 0 {
                throw SQLError(
                    .notNullViolation, "Cannot insert a NULL value into column \(column.name)",
                    detail: "Column \"\(column.name)\" of table \"\(table.name)\" is NOT NULL.")
            }
        }
        try lanes[worker].append(ColumnBatch(types: types, columns: columns, rowCount: batch.rowCount))
    }
}
