import Cluster
import ColumnStore
import ColumnVectors
import Platform
import QueryPlan
import SQLTypes
import Synchronization
import VectorEngine
import Workload

/// A query whose rows go to the client.
struct QueryProgram: StatementProgram {
    let plan: PhysicalQuery

    var kind: StatementKind { StatementKind("SELECT") }
    var effects: StatementEffects { .query }
    func check(_ rights: StatementRights) {}
    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws { try execution.run(plan, snapshot) }
}

extension StatementExecution {
    func run(_ plan: PhysicalQuery, _ snapshot: StoreSnapshot) throws {
        try begin(plan.outputs.map { ResultColumn($0) }) { try handler.begin(columns: $0) }
        let kept = resultPlace.map { _ in KeptResult.Builder(types: plan.outputs.map(\.type), warehouse.results) }
        let consumer = ResultForwarder(handler, ticket, kept)
        try run(plan, snapshot, .client, consumer: consumer)
        rowCount = consumer.rowCount
        resultBytes = consumer.byteCount
        if let resultPlace, let kept { keep(kept, at: resultPlace, plan) }
        try handler.end(tag: "SELECT \(rowCount)")
    }
}

/// Passes result batches on to the client's handler, one at a time.
final class ResultForwarder: BatchConsumer {
    private let handler: any ResultHandler
    private let lock = Monitor()
    private(set) var rowCount = 0
    private(set) var byteCount: Int64 = 0
    private let ticket: AdmissionTicket?
    private let kept: KeptResult.Builder?

    init(_ handler: any ResultHandler, _ ticket: AdmissionTicket? = nil, _ kept: KeptResult.Builder? = nil) {
        self.handler = handler
        self.ticket = ticket
        self.kept = kept
    }

    func consume(worker: Int, _ batch: ColumnBatch) throws {
        // A statement that is to begin again in another queue has sent nothing.
        try ticket?.beginReturning()
        ticket?.share.meter.add(returnedRows: batch.rowCount)
        try lock.withLock {
            rowCount += batch.rowCount
            for column in batch.columns { byteCount += Int64(column.count * column.physical.byteWidth) }
            try kept?.add(batch)
            try handler.rows(batch)
        }
    }
}
