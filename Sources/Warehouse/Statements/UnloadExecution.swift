import Binder
import BulkTransfer
import Cluster
import ColumnStore
import ColumnVectors
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes
import VectorEngine
import Workload

/// UNLOAD: a query whose rows go to files.
struct UnloadProgram: StatementProgram {
    let unload: BoundUnload
    let plan: PhysicalQuery

    var kind: StatementKind { StatementKind("UNLOAD") }
    var effects: StatementEffects {
        var effects = StatementEffects.query
        effects.admission = .unload
        return effects
    }
    func check(_ rights: StatementRights) {}

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        let options = try UnloadOptions(parsing: unload.options.map(execution.rawOption))
        var request = UnloadJob.Request(
            columns: plan.outputs.map { BulkTransfer.OutputColumn(name: $0.name, type: $0.type) }, options: options)
        request.partitionColumns = unload.partitionColumns
        request.includesPartitionColumns = unload.includesPartitionColumns
        try execution.unload(self, request, snapshot)
    }
}

extension StatementExecution {
    fileprivate func unload(
        _ program: UnloadProgram, _ request: UnloadJob.Request, _ snapshot: StoreSnapshot
    ) throws {
        var request = request
        request.isOrdered = program.plan.plan.isOrdered
        request.slices = warehouse.shape.slices
        request.style = ValueStyle(
            zone: session.settings.zone, intervals: session.settings.intervalStyle,
            extraDigits: session.settings.extraFloatDigits)
        do {
            let result = try write(program, request, snapshot)
            rowCount = result.rows
            log(program, request.options, result.files)
            report(result)
        } catch {
            log(program, request.options, [])
            throw error
        }
        try handler.end(tag: "UNLOAD")
    }

    private func write(
        _ program: UnloadProgram, _ request: UnloadJob.Request, _ snapshot: StoreSnapshot
    ) throws -> UnloadResult {
        let place = try located(program) {
            try warehouse.places.destination(
                program.unload.target, access: request.options.access, cancellation: cancellation)
        }
        do {
            let job = try located(program) {
                try UnloadJob(
                    request, place: place, workers: workers, time: warehouse.time, memory: warehouse.budget,
                    cancellation: cancellation)
            }
            try run(program.plan, snapshot, .client, consumer: UnloadConsumer(job, handler))
            try cancellation.check()
            return try job.finish()
        } catch {
            place.abandon()
            throw SQLError(error)
        }
    }

    /// Errors about the destination are where it is named.
    private func located<Result>(_ program: UnloadProgram, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SQLError { throw error.at(program.unload.targetPosition) }
    }

    private func report(_ result: UnloadResult) {
        for path in result.leftovers {
            handler.notice("WARNING:  could not remove \"\(path)\", which the new files have replaced")
        }
        handler.notice("INFO:  UNLOAD completed, \(result.rows) record(s) unloaded successfully.")
    }

    private func log(_ program: UnloadProgram, _ options: UnloadOptions, _ files: [UnloadedFile]) {
        warehouse.log.add(
            WarehouseLog.Unload(
                user: session.effectiveUser, query: queryID, session: session.number,
                location: program.unload.target, format: options.format.rawValue,
                compression: options.compression.rawValue, files: files))
    }
}

/// Hands batches to the job, and tells the client now and then how many rows that makes. Called from several workers.
private final class UnloadConsumer: BatchConsumer {
    private let job: UnloadJob
    private let handler: any ResultHandler
    private let lock = Monitor()
    private var rows = 0
    private var reported: Int64
    private static let pauseNanoseconds: Int64 = 100_000_000

    init(_ job: UnloadJob, _ handler: any ResultHandler) {
        self.job = job
        self.handler = handler
        reported = Stopwatch.nanoseconds
    }

    func consume(worker: Int, _ batch: ColumnBatch) throws {
        try job.consume(worker: worker, batch)
        lock.withLock {
            rows += batch.rowCount
            let now = Stopwatch.nanoseconds
            guard now - reported > UnloadConsumer.pauseNanoseconds else { return }
            reported = now
            handler.progress(nil, "\(rows) rows unloaded")
        }
    }
}
