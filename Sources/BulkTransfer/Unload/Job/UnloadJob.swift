import ColumnVectors
import Platform
import SQLTypes

/// One UNLOAD: takes a query's batches, gives them to the files of the slices, and makes all files visible at the end.
/// Build it, ``consume(worker:_:)`` everything, then ``finish()``; after any error its owner abandons the place.
///
/// - Without an order each worker of the query writes files of its own slices.
/// - With an order, and PARALLEL, consecutive ranges of rows are dealt to the slices in turn, and written by the pool's
///   workers: each file is ordered, and the same rows always make the same files.
/// - With PARALLEL OFF everything goes to one file after the other; workers make the text, where it is text.
package final class UnloadJob: @unchecked Sendable {  // streams are used under their monitors, dealing by one thread
    package struct Request: Sendable {
        package var columns: [OutputColumn]
        package var options: UnloadOptions
        /// Columns of PARTITION BY; nil without it.
        package var partitionColumns: [Int]?
        package var includesPartitionColumns = false
        package var style = ValueStyle()
        /// Rows come in an order, from one worker.
        package var isOrdered = false
        package var slices = 1

        package init(columns: [OutputColumn], options: UnloadOptions) {
            self.columns = columns
            self.options = options
        }
    }
    private final class Lane: Sendable {
        let monitor = Monitor()
        nonisolated(unsafe) let stream: any UnloadStream  // under `monitor`
        init(_ stream: any UnloadStream) { self.stream = stream }
        func write(_ batch: ColumnBatch, _ rows: Range<Int>) throws {
            try monitor.withLock { try stream.write(batch, rows: rows) }
        }
    }

    private let request: Request
    private let settings: UnloadSettings
    private let place: any OutputFileSet
    private let workers: StatementWorkers
    private let memory: MemoryBudget?
    private let reserved: Int
    private let lanes: [Lane]
    /// One for each worker when many make the text of one stream.
    private let texts: [PieceText]
    /// Rows that each worker has written without an order, to change its slice now and then.
    private let turns: [Turn]
    private final class Turn: Sendable {
        nonisolated(unsafe) var rows = 0  // of one worker
    }
    /// With an order: ranges that are full, and the one that fills.
    private var dealt: [ColumnBatch] = []
    private var filling: ColumnBatch
    private static let rangeRows = 32_768
    private static let rangeBytes = 16 << 20

    /// - Parameter place: nothing is in it yet.
    package init(
        _ request: Request, place: any OutputFileSet, workers: StatementWorkers, time: any TimeSource,
        memory: MemoryBudget? = nil, cancellation: CancellationToken = CancellationToken()
    ) throws {
        self.request = request
        self.place = place
        self.workers = workers
        self.memory = memory
        try UnloadJob.checkSketches(request)
        let written = try UnloadJob.written(request)
        let settings = try UnloadSettings(
            written.map { request.columns[$0] }, request.options, request.style, place, time)
        self.settings = settings
        let shape = request.partitionColumns.map { PartitionedFiles.Shape(keys: $0, written: written) }
        if shape != nil { place.useFolder() }
        if !request.options.allowOverwrite && !request.options.cleanPath { try place.checkEmpty() }
        let count = request.options.parallel ? max(request.slices, 1) : 1
        let makesText = !request.options.parallel && shape == nil && !settings.format.compressesInside
        texts = try (0..<(makesText ? workers.count : 0)).map { _ in try PieceText(settings) }
        turns = (0..<workers.count).map { _ in Turn() }
        filling = ColumnBatch(types: request.columns.map(\.type))
        // With little memory and many slices what is reserved is no more than a part; groups of rows fill one by one.
        let bytes = min(
            count * UnloadJob.laneBytes(settings, request.options), max((memory?.limit ?? .max) / 4, count * (3 << 20)))
        try memory?.reserveWhenPossible(bytes, cancellation)
        reserved = bytes
        lanes = (0..<count).map { slice in
            guard let shape else { return Lane(SliceFiles(settings, slice: slice)) }
            return Lane(PartitionedFiles(settings, request.columns, shape, request.style, slice: slice))
        }
    }
    deinit { memory?.release(reserved) }

    /// About what a slice's files take: pieces of text, a compressor, the rows that a format holds back.
    private static func laneBytes(_ settings: UnloadSettings, _ options: UnloadOptions) -> Int {
        (3 << 20) + (settings.format.compressesInside ? options.rowGroupBytes : 0)
    }

    /// HLLSKETCH has a form in texts only.
    private static func checkSketches(_ request: Request) throws {
        guard let column = request.columns.first(where: { $0.type == .hllsketch }) else { return }
        switch request.options.format {
        case .text, .csv: return
        case .json, .parquet:
            throw SQLError(
                .featureNotSupported, "UNLOAD of HLLSKETCH to this format is not supported (column \"\(column.name)\")",
                hint: "Sketches are unloaded as delimited text and as CSV.")
        }
    }

    /// The columns of the files.
    private static func written(_ request: Request) throws -> [Int] {
        let keys = request.includesPartitionColumns ? [] : Set(request.partitionColumns ?? [])
        let written = request.columns.indices.filter { !keys.contains($0) }
        if written.isEmpty {
            throw SQLError(
                .invalidParameterValue, "UNLOAD has no column beside those of PARTITION BY",
                hint: "Add INCLUDE to have them in the files too.")
        }
        return written
    }

    // MARK: Rows

    /// Called from workers: at the same time for different ones unless the rows are ordered.
    package func consume(worker: Int, _ batch: ColumnBatch) throws {
        if request.isOrdered && (request.options.parallel || !texts.isEmpty) { return try deal(batch) }
        if !request.options.parallel {
            if texts.isEmpty { return try lanes[0].write(batch, 0..<batch.rowCount) }
            let text = texts[min(worker, texts.count - 1)]
            try text.make(batch)
            return try append(text, batch)
        }
        let turn = turns[min(worker, turns.count - 1)]
        let lane = (worker + turn.rows / UnloadJob.rangeRows * workers.count) % lanes.count
        turn.rows += batch.rowCount
        try lanes[lane].write(batch, 0..<batch.rowCount)
    }

    private func deal(_ batch: ColumnBatch) throws {
        try filling.append(batch, rows: 0..<batch.rowCount)
        guard filling.rowCount >= UnloadJob.rangeRows || filling.reservedBytes > UnloadJob.rangeBytes else { return }
        dealt.append(filling)
        if dealt.count == (texts.isEmpty ? lanes.count : texts.count) { try writeDealt() }
        filling = ColumnBatch(types: filling.types)
    }

    private func writeDealt() throws {
        let dealt = dealt
        self.dealt = []
        let lanes = lanes, texts = texts, count = workers.count
        guard texts.isEmpty else {
            try workers.runParts(callerPays: false) { worker in
                for index in stride(from: worker, to: dealt.count, by: count) { try texts[index].make(dealt[index]) }
            }
            for (text, batch) in zip(texts, dealt) { try append(text, batch) }
            return
        }
        try workers.runParts(callerPays: false) { worker in
            for index in stride(from: worker, to: dealt.count, by: count) {
                try lanes[index].write(dealt[index], 0..<dealt[index].rowCount)
            }
        }
    }

    /// Text that has been made goes into the file as it is, unless that would become too large.
    private func append(_ text: PieceText, _ batch: ColumnBatch) throws {
        let lane = lanes[0]
        try lane.monitor.withLock {
            if let files = lane.stream as? SliceFiles, try files.append(text, rows: batch.rowCount) { return }
            try lane.stream.write(batch, rows: 0..<batch.rowCount)
        }
    }

    // MARK: The end

    /// Completes and publishes the files.
    package func finish() throws -> UnloadResult {
        if request.isOrdered && (request.options.parallel || !texts.isEmpty) {
            if filling.rowCount > 0 { dealt.append(filling) }
            try writeDealt()
        }
        let lanes = lanes, count = workers.count
        try workers.runParts { worker in
            for index in stride(from: worker, to: lanes.count, by: count) {
                try lanes[index].monitor.withLock { try lanes[index].stream.close() }
            }
        }
        var files = lanes.flatMap(\.stream.files)
        if files.isEmpty, let stream = lanes.first?.stream as? SliceFiles {
            try stream.writeEmpty()
            files = stream.files
        }
        var result = UnloadResult(files: files.map(named))
        let manifest = "manifest"
        let options = request.options
        if options.manifest != .none {
            try write(
                manifest,
                UnloadManifest(
                    files: result.files.map { ($0.name, $0) }, columns: settings.columns,
                    isVerbose: options.manifest == .verbose
                ).text())
            result.manifest = place.shown(manifest)
        }
        let replacing: OutputReplacement =
            options.cleanPath
            ? .clean(isPartitioned: request.partitionColumns != nil) : options.allowOverwrite ? .overwrite : .none
        result.leftovers = try place.publish(last: options.manifest == .none ? nil : manifest, replacing: replacing)
        return result
    }

    private func named(_ file: UnloadedFile) -> UnloadedFile {
        var file = file
        file.name = place.shown(file.name)
        return file
    }

    private func write(_ name: String, _ bytes: [UInt8]) throws {
        let object = try place.create(name)
        try bytes.withUnsafeBytes { try object.append($0) }
        try object.close()
    }
}
