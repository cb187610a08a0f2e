import Cluster
import ColumnStore
import ColumnVectors
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes
import VectorEngine

/// A cursor of a transaction block. As in Redshift the whole result is made when it is declared, and FETCH only moves
/// forward. Confined to the session's thread.
final class SessionCursor {
    let transaction: Int64
    let columns: [ResultColumn]
    /// Those that have not been fetched.
    let rows: WaitingRows
    var position = 0
    let startMicroseconds: Int64

    init(transaction: Int64, columns: [ResultColumn], rows: WaitingRows, startMicroseconds: Int64) {
        self.transaction = transaction
        self.columns = columns
        self.rows = rows
        self.startMicroseconds = startMicroseconds
    }

    /// Bytes of a result that a cursor may hold.
    static let limitBytes = 1 << 30
    /// Handed to the client at a time.
    static let batchRows = 8_192
}

extension Session {
    /// nil: no such cursor is open.
    package func columns(ofCursor name: String) -> [ResultColumn]? { cursors[name]?.columns }

    /// For STV_ACTIVE_CURSORS.
    func reportCursor() {
        warehouse.sessions.setCursor(
            number,
            cursors.first.map { name, cursor in
                SessionRegistry.OpenCursor(
                    name: name, transaction: cursor.transaction, startMicroseconds: cursor.startMicroseconds,
                    rows: cursor.rows.rowCount, bytes: cursor.rows.byteCount, fetchedRows: cursor.position)
            })
    }
}

struct DeclareCursorProgram: StatementProgram {
    let name: String
    let plan: PhysicalQuery

    var kind: StatementKind {
        StatementKind("DECLARE CURSOR", .inside("DECLARE CURSOR may only be used in transaction blocks"))
    }
    var effects: StatementEffects { .query }
    func check(_ rights: StatementRights) {}
    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        try execution.declareCursor(name, plan, snapshot)
    }
}

/// A FETCH reads what DECLARE was allowed to read.
extension FetchStatement: StatementProgram {
    var kind: StatementKind { StatementKind("FETCH") }
    var effects: StatementEffects { .lookup }
    func check(_ rights: StatementRights) {}
    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws { try execution.fetch(self) }
}

extension CloseCursorStatement: StatementProgram {
    var kind: StatementKind { StatementKind("CLOSE CURSOR") }
    var effects: StatementEffects { .lookup }
    func check(_ rights: StatementRights) {}
    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws { try execution.closeCursor(self) }
}

extension StatementExecution {
    fileprivate func declareCursor(_ name: String, _ plan: PhysicalQuery, _ snapshot: StoreSnapshot) throws {
        if openCursor(name) != nil { throw SQLError("42P03", "cursor \"\(name)\" already exists") }
        if !session.cursors.isEmpty {
            throw SQLError(
                "24000", "opening multiple cursors from within the same client connection is not allowed.",
                hint: "Close the open cursor first.")
        }
        let rows = CollectedRows(
            WaitingRows(types: plan.outputs.map(\.type), area: warehouse.temporary, budget: warehouse.budget),
            limitBytes: SessionCursor.limitBytes)
        try run(plan, snapshot, .client, consumer: rows)
        try rows.rows.finish()
        session.cursors[name] = SessionCursor(
            transaction: transaction.number,
            columns: plan.outputs.map { ResultColumn($0) }, rows: rows.rows,
            startMicroseconds: started)
        try handler.end(tag: "DECLARE CURSOR")
    }

    fileprivate func fetch(_ statement: FetchStatement) throws {
        let name = statement.cursor.text
        guard let cursor = openCursor(name) else {
            throw SQLError("34000", "cursor \"\(name)\" does not exist")
        }
        let left = cursor.rows.rowCount - cursor.position
        let count: Int
        switch (statement.direction, statement.amount) {
        case (.forward, .all): count = left
        case (.forward, .rows(let wanted)):
            count = Int(clamping: max(0, min(wanted, Int64(left))))
        default:
            throw SQLError("55000", "cursor can only scan forward")
        }
        try handler.begin(columns: cursor.columns)
        try send(cursor, count)
        rowCount = count
        try handler.end(tag: "FETCH \(count)")
    }

    private func send(_ cursor: SessionCursor, _ count: Int) throws {
        var left = count
        while left > 0, let batch = try cursor.rows.next(min(left, SessionCursor.batchRows)) {
            try handler.rows(batch)
            left -= batch.rowCount
        }
        cursor.position += count
        session.reportCursor()
    }

    fileprivate func closeCursor(_ statement: CloseCursorStatement) throws {
        if let name = statement.name?.text {
            guard openCursor(name) != nil else {
                throw SQLError("34000", "cursor \"\(name)\" does not exist")
            }
            session.cursors[name] = nil
        } else {
            session.cursors = [:]
        }
        try handler.end(tag: "CLOSE CURSOR")
    }

    /// Cursors end with their block; those of earlier ones are dropped when somebody looks.
    private func openCursor(_ name: String) -> SessionCursor? {
        let number = transaction.isExplicit ? transaction.number : -1
        session.cursors = session.cursors.filter { $0.value.transaction == number }
        return session.cursors[name]
    }
}

/// Takes all rows of a query, up to a limit.
private final class CollectedRows: BatchConsumer {
    let rows: WaitingRows
    private let limitBytes: Int
    private let lock = Monitor()

    init(_ rows: WaitingRows, limitBytes: Int) {
        self.rows = rows
        self.limitBytes = limitBytes
    }

    func consume(worker: Int, _ more: ColumnBatch) throws {
        try lock.withLock {
            try rows.append(more)
            guard rows.byteCount <= limitBytes else {
                throw SQLError(
                    .outOfMemory, "the result of the cursor is larger than \(limitBytes >> 20) MB",
                    hint: "Read the query without a cursor, or UNLOAD it.")
            }
        }
    }
}
