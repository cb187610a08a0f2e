import Cluster
import ColumnStore
import ColumnVectors
import Platform
import QueryPlan
import SQLTypes
import Synchronization
import VectorEngine

extension StatementExecution {
    func select(_ query: LogicalQuery, _ snapshot: StoreSnapshot, _ ids: ColumnIDSource) throws {
        let plan = try optimizer(snapshot).optimize(query, ids: ids)
        notePredicates(plan, snapshot)
        try run(plan, snapshot)
    }

    func run(_ plan: PhysicalQuery, _ snapshot: StoreSnapshot) throws {
        self.plan = plan
        try handler.begin(columns: plan.outputs.map { ResultColumn(name: $0.name, type: $0.type) })
        let consumer = ResultForwarder(handler)
        try Leader(context: context(snapshot)).run(plan, consumer: consumer)
        rowCount = consumer.rowCount
        try handler.end(tag: "SELECT \(rowCount)")
    }
}

/// Passes result batches on to the client's handler, one at a time.
final class ResultForwarder: BatchConsumer {
    private let handler: any ResultHandler
    private let lock = Monitor()
    private(set) var rowCount = 0

    init(_ handler: any ResultHandler) { self.handler = handler }

    func consume(worker: Int, _ batch: ColumnBatch) throws {
        try lock.withLock {
            rowCount += batch.rowCount
            try handler.rows(batch)
        }
    }
}
