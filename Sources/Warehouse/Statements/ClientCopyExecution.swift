import Binder
import BulkTransfer
import Catalog
import Cluster
import ColumnStore
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes
import VectorEngine

/// COPY (SELECT ...) TO STDOUT.
struct CopyOutProgram: StatementProgram {
    let plan: PhysicalQuery
    let options: [StatementOption]

    var kind: StatementKind { StatementKind("COPY") }
    var effects: StatementEffects { .query }
    func check(_ rights: StatementRights) {}

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        let format = try ClientStreamFormat(parsing: options.map(execution.rawOption))
        try execution.begin(plan.outputs.map { ResultColumn($0) }) {
            try execution.handler.beginCopyOut(format, columns: $0)
        }
        let consumer = ResultForwarder(execution.handler, execution.ticket)
        try execution.run(plan, snapshot, .client, consumer: consumer)
        execution.rowCount = consumer.rowCount
        try execution.handler.end(tag: "COPY \(execution.rowCount)")
    }
}

/// COPY FROM STDIN: rows from the client itself.
extension StatementExecution {
    /// Loads on the session's own thread: while it waits for the client the pool's workers serve others.
    func loadFromClient(
        _ copy: BoundCopy, _ format: ClientStreamFormat, _ columns: CopyColumns, _ writer: TableWriter?
    ) throws -> CopyResult {
        let rows = try handler.copyIn(
            format,
            columns: copy.columns.map {
                ResultColumn(name: copy.table.columns[$0].name, type: copy.table.columns[$0].type)
            })
        let cancellation = self.cancellation
        let source = ClientStreamSource(
            format, check: { try cancellation.check() }, pull: { try rows.next() })
        do {
            let job = try CopyJob(
                table: copy.table, columns: columns, source: source,
                options: ClientStreamSource.loadOptions,
                sink: writer.map { TableSink($0) }, workers: StatementExecution.ownThread,
                cancellation: cancellation,
                context: datetime, memory: warehouse.budget)
            let result = try job.run()
            try source.drain()
            return result
        } catch let failure as LoadFailure {
            throw StatementExecution.clientError(failure, copy.table)
        }
    }

    /// A pool without workers of its own: everything runs on the caller's thread.
    private static let ownThread = StatementWorkers(WorkerPool(workers: 1))

    /// The first bad row, as PostgreSQL's clients know it: they have sent the rows and have no use for a system table.
    private static func clientError(_ failure: LoadFailure, _ table: TableDefinition) -> SQLError {
        guard let first = failure.loadErrors.first else { return failure.error }
        let isShort = first.column.isEmpty
        let place = isShort ? "" : ", column \(first.column): \"\(first.rawField)\""
        return SQLError(
            isShort ? "22P04" : "22P02", first.reason,
            detail: "COPY \(table.name), line \(first.line)\(place)")
    }
}
