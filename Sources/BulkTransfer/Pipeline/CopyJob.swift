import Catalog
import Platform
import SQLTypes
import Synchronization

/// One COPY. Build it, then ``run()`` it once on the statement's thread.
///
/// Workers of the pool take pieces of files, parse them and append batches to lanes of the sink. A failed load leaves
/// nothing behind: the sink is told to abort. A successful one leaves the rows in the sink; its owner finishes and
/// commits them.
package final class CopyJob: Sendable {
    /// Bytes read, bytes in all, rows loaded. Called from any worker, about ten times a second.
    package typealias ProgressCallback = @Sendable (Int64, Int64, Int) -> Void

    /// Sizes of pieces. Small ones are for tests, and for little memory.
    struct Tuning: Sendable {
        var pieceBytes: Int
        var windowBytes: Int
        /// Reads JSON byte by byte, without its index.
        var readsBytes = false

        init(pieceBytes: Int = 1 << 20, windowBytes: Int = 64 << 10) {
            self.pieceBytes = pieceBytes
            self.windowBytes = windowBytes
        }
        init(memoryBytes: Int) { self.init(pieceBytes: min(max(memoryBytes / 512, 128 << 10), 1 << 20)) }

        /// About what a worker takes: the text, as much for fields whose bytes differ from it, and their values.
        var workerBytes: Int { 4 * pieceBytes + (256 << 10) }
    }

    let table: TableDefinition
    let columns: CopyColumns
    let source: any LoadSource
    let options: CopyOptions
    let sink: (any RowSink)?
    let workers: StatementWorkers
    let cancellation: CancellationToken
    let progress: ProgressCallback?
    let format: any RecordFormat
    let target: RecordTarget
    let memory: MemoryBudget?

    /// - Parameters:
    ///   - sink: may be nil with NOLOAD.
    ///   - memory: what the workers' pieces count against; with little of it fewer workers take part.
    ///   - context: the session's time zone, for TIMESTAMPTZ.
    package convenience init(
        table: TableDefinition, columns: CopyColumns, source: any LoadSource, options: CopyOptions,
        sink: (any RowSink)?, workers: StatementWorkers, cancellation: CancellationToken = CancellationToken(),
        context: DatetimeContext = DatetimeContext(), memory: MemoryBudget? = nil,
        progress: ProgressCallback? = nil
    ) throws {
        try self.init(
            table: table, columns: columns, source: source, options: options, sink: sink, workers: workers,
            cancellation: cancellation, context: context, memory: memory, progress: progress,
            tuning: memory.map { Tuning(memoryBytes: $0.limit) } ?? Tuning())
    }

    init(
        table: TableDefinition, columns: CopyColumns, source: any LoadSource, options: CopyOptions,
        sink: (any RowSink)?, workers: StatementWorkers, cancellation: CancellationToken, context: DatetimeContext,
        memory: MemoryBudget? = nil, progress: ProgressCallback?, tuning: Tuning, format: (any RecordFormat)? = nil
    ) throws {
        try columns.check(table)
        self.format =
            try format ?? CopyJob.format(options, context, tuning, source, fields: columns.fields.count)
        target = RecordTarget(table: table, fields: columns.fields)
        try self.format.check(target)
        self.table = table
        self.columns = columns
        self.source = source
        self.options = options
        self.sink = sink
        self.workers = workers
        self.cancellation = cancellation
        self.memory = memory
        self.progress = progress
    }

    private static func format(
        _ options: CopyOptions, _ context: DatetimeContext, _ tuning: Tuning, _ source: any LoadSource,
        fields: Int
    ) throws -> any RecordFormat {
        switch options.layout {
        case .delimited, .csv, .fixedWidth: TextRecords(options: options, context: context, tuning: tuning)
        case .orc: ORCRecords(options, context)
        case .avro(let mapping): AvroRecords(options, try mapping.resolved(source), context)
        case .json(let mapping): JSONRecords(options, try mapping.resolved(source), context, tuning)
        case .parquet: ParquetRecords(options: options, context: context, fields: fields)
        }
    }

    /// Loads everything, or throws a ``LoadFailure`` for bad rows and an `SQLError` for everything else.
    package func run() throws -> CopyResult {
        do {
            return try load()
        } catch {
            sink?.abort()
            if error is LoadFailure { throw error }
            throw SQLError(error)
        }
    }

    private func load() throws -> CopyResult {
        let start = Stopwatch.nanoseconds
        let objects = try source.list()
        let shared = LoadProgress(
            tolerated: options.toleratedErrors, totalBytes: objects.reduce(0) { $0 + $1.sizeBytes }, report: progress)
        let records = try format.open(objects, of: source, for: target, workers: workers.count)
        let loaded = Atomic<Int>(0)
        let seats = (0..<workers.count).map { _ in Seat() }
        try workers.run { number, turn in
            let seat = seats[number]
            do {
                if seat.worker == nil {
                    guard try reserve(number) else { return true }
                    seat.reservation = memory.map { Reservation($0, format.workerBytes) }
                    seat.worker = try CopyWorker(self, try records.makeReader(), shared)
                }
                guard let worker = seat.worker else { return true }
                if try !worker.run(turn) { return false }
                loaded.add(worker.totalLoaded, ordering: .relaxed)
                seat.clear()
                return true
            } catch {
                seat.clear()
                shared.stop()
                throw error
            }
        }
        shared.sendReport()
        let (errors, files) = shared.summary(objects, headerLines: format.headerLines)
        if shared.hasTooManyErrors { throw failure(errors) }
        var result = CopyResult()
        result.rowsLoaded = loaded.load(ordering: .relaxed)
        result.rowsScanned = files.reduce(0) { $0 + $1.rowsScanned }
        result.errorCount = shared.errorCount
        result.errors = Array(errors.prefix(CopyOptions.maximumErrors))
        result.files = files
        result.bytesRead = shared.bytesRead
        result.seconds = Double(Stopwatch.nanoseconds - start) / 1e9
        return result
    }

    /// A number's worker, which stays when its thread leaves for something more urgent. Belongs to whoever has
    /// the number.
    private final class Seat: @unchecked Sendable {  // see above
        var worker: CopyWorker?
        var reservation: Reservation?
        func clear() { (worker, reservation) = (nil, nil) }
    }
    private final class Reservation {
        private let memory: MemoryBudget
        private let bytes: Int
        init(_ memory: MemoryBudget, _ bytes: Int) { (self.memory, self.bytes) = (memory, bytes) }
        deinit { memory.release(bytes) }
    }

    /// The first worker waits until there is room for its piece; others come only where there is plenty.
    private func reserve(_ worker: Int) throws -> Bool {
        guard let memory else { return true }
        if worker == 0 {
            try memory.reserveWhenPossible(format.workerBytes, cancellation)
            return true
        }
        return memory.free > memory.limit / 4 && memory.tryReserve(format.workerBytes)
    }

    private func failure(_ errors: [LoadError]) -> LoadFailure {
        let kept = Array(errors.prefix(min(options.maxError, CopyOptions.maximumErrors) + 1))
        let error = SQLError(
            .internalError,
            "Load into table '\(table.name)' failed.  Check 'stl_load_errors' system table for details.",
            detail: kept.first?.summary)
        return LoadFailure(error: error, loadErrors: kept)
    }
}
