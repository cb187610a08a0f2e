import Binder
import Catalog
import Cluster
import ColumnStore
import ColumnVectors
import Platform
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
        let writer = try store.writer(for: table, replacing: replacing, view: snapshot)
        do {
            let identities = IdentityCounters(table, identityColumns, [snapshot, store.pendingSnapshot()])
            let completion = RowCompletion(table, identities)
            let parts: WrittenParts
            if let constants = query.constantRows {
                parts = try store(constants.rows, writer, completion)
            } else {
                let plan = try optimizer(snapshot).optimize(query, ids: ids)
                notePredicates(plan, snapshot)
                let consumer = TableConsumer(writer, completion, workers: warehouse.pool.workers)
                try run(plan, snapshot, .insert(table: table.id.raw, name: table.name), consumer: consumer)
                parts = try writer.finish(pool: warehouse.pool)
            }
            return Written(parts: parts, identity: identities.next)
        } catch {
            writer.abort()
            throw error
        }
    }

    /// Rows that need no plan: as few at a time as a query would hand on.
    private func store(
        _ rows: [[BoundExpression]], _ writer: TableWriter, _ completion: RowCompletion
    ) throws -> WrittenParts {
        if executionStart == nil { executionStart = SystemTime().wallMicroseconds() }
        let step = session.settings.batchRows
        let consumer = rows.count > step ? TableConsumer(writer, completion, workers: 1) : nil
        for start in stride(from: 0, to: rows.count, by: step) {
            try cancellation.check()
            let batch = ColumnBatch(types: completion.types)
            for row in rows[start..<min(start + step, rows.count)] {
                try batch.append(row.compactMap(\.constantValue))
            }
            if let consumer {
                try consumer.consume(worker: 0, batch)
            } else if writer.canFinish(with: batch) {
                return try writer.finish(with: try completion.completed(batch))
            } else {
                try TableConsumer(writer, completion, workers: 1).consume(worker: 0, batch)
            }
        }
        return try writer.finish(pool: warehouse.pool)
    }
}

extension LogicalQuery {
    /// VALUES without anything to compute: what most INSERT statements are.
    fileprivate var constantRows: LogicalValues? {
        guard case .values(let values) = plan, !values.columns.isEmpty,
            values.rows.allSatisfy({ $0.allSatisfy { if case .constant = $0 { true } else { false } } })
        else { return nil }
        return values
    }
}

extension BoundExpression {
    fileprivate var constantValue: Datum? {
        if case .constant(let value, _) = self { value } else { nil }
    }
}

/// Completes rows on their way into a table: identity values are filled in, NOT NULL is checked.
struct RowCompletion: Sendable {
    let types: [SQLType]
    private let table: TableDefinition
    private let identities: IdentityCounters

    init(_ table: TableDefinition, _ identities: IdentityCounters) {
        self.table = table
        self.identities = identities
        types = table.columns.map(\.type)
    }

    func completed(_ batch: ColumnBatch) throws -> ColumnBatch {
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
        return ColumnBatch(types: types, columns: columns, rowCount: batch.rowCount)
    }
}

/// Takes the rows of a query to a table's writer.
final class TableConsumer: BatchConsumer, @unchecked Sendable {  // a lane belongs to one worker
    private let lanes: [WriterLane]
    private let completion: RowCompletion

    init(_ writer: TableWriter, _ completion: RowCompletion, workers: Int) {
        lanes = (0..<workers).map { _ in writer.makeLane() }
        self.completion = completion
    }

    func consume(worker: Int, _ batch: ColumnBatch) throws { try lanes[worker].append(completion.completed(batch)) }
}
