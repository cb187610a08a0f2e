import Binder
import Catalog
import Cluster
import ColumnStore
import ColumnVectors
import Platform
import QueryPlan
import SQLTypes
import VectorEngine

/// Where the rows of an INSERT come from.
enum RowSource: Sendable {
    /// Rows that need no plan.
    case constants([[BoundExpression]])
    case plan(PhysicalQuery)
}

struct InsertProgram: StatementProgram {
    let table: TableDefinition
    let source: RowSource
    /// Columns that get generated values where they have none.
    let identityColumns: [Int]

    var kind: StatementKind { StatementKind("INSERT") }
    var effects: StatementEffects {
        // Generated numbers depend on other rows.
        var effects = StatementEffects.addition(to: table, onlyAppends: identityColumns.isEmpty)
        effects.basis = .definition(table)
        return effects
    }
    func check(_ rights: StatementRights) throws { try rights.require(.insert, on: table) }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        let written = try execution.write(self, snapshot)
        var change = StoreChange()
        change.added = [written.parts]
        change.identity = written.identity
        try execution.apply(change, on: snapshot)
        execution.rowCount = written.parts.rowCount
        try execution.handler.end(tag: "INSERT 0 \(execution.rowCount)")
    }
}

extension StatementExecution {
    struct Written {
        var parts: WrittenParts
        var identity: [IdentityKey: Int64]
    }

    /// See ``SpecialWay/narrowLoads``.
    var narrowsLoads: Bool { !session.settings.execution.disabled.contains(.narrowLoads) }

    /// Runs the query into parts of the table, which nobody sees before they are committed.
    ///
    /// - Parameter replacing: the table has no rows beside them.
    func write(_ insert: InsertProgram, _ snapshot: StoreSnapshot, replacing: Bool = false) throws -> Written {
        let table = insert.table, start = warehouse.time.wallMicroseconds()
        let writer = try store.writer(
            for: table, replacing: replacing, view: snapshot, narrows: narrowsLoads)
        do {
            let identities = IdentityCounters(table, insert.identityColumns, [snapshot, store.pendingSnapshot()])
            let completion = RowCompletion(table, identities)
            let parts: WrittenParts
            switch insert.source {
            case .constants(let rows):
                parts = try store(rows, writer, completion)
                note(parts, of: table, since: start)
            case .plan(let plan):
                let consumer = TableConsumer(writer, completion, workers: warehouse.pool.workers)
                try run(plan, snapshot, .insert(table: table.id.raw, name: table.name), consumer: consumer)
                parts = try writer.finish(workers)
                if !plan.plan.readsTables { note(parts, of: table, since: start) }
            }
            return Written(parts: parts, identity: identities.next)
        } catch {
            writer.abort()
            throw error
        }
    }

    /// For the log: no pipeline over tables has counted these rows.
    private func note(_ parts: WrittenParts, of table: TableDefinition, since start: Int64) {
        inserted = ConstantInsert(
            table: table.id.raw, name: table.name, rows: parts.rowCount, startMicroseconds: start,
            endMicroseconds: warehouse.time.wallMicroseconds())
    }

    /// Rows that need no plan: as few at a time as a query would hand on.
    private func store(
        _ rows: [[BoundExpression]], _ writer: TableWriter, _ completion: RowCompletion
    ) throws -> WrittenParts {
        if executionStart == nil { executionStart = warehouse.time.wallMicroseconds() }
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
        return try writer.finish(workers)
    }
}

extension LogicalQuery {
    /// VALUES without anything to compute: what most INSERT statements are.
    var constantRows: LogicalValues? {
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
