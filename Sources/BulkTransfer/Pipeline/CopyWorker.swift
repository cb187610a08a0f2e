import ColumnVectors
import Glibc
import SQLTypes

/// One thread of a load: takes pieces, splits and converts them, hands batches to its lane.
final class CopyWorker {
    private let job: CopyJob
    private let plans: [ColumnPlan]
    private let lane: (any RowLane)?
    private let progress: LoadProgress
    private let splitter: TextSplitter
    private let converter: ColumnConverter
    private let chunk: ChunkBuffer
    /// All columns of the table; the ones of fields are filled first, the others when the batch is handed on.
    private let batch: ColumnBatch
    private var badRows: [Int] = []
    private var pending: [LoadProgress.PendingError] = []
    private var loaded = 0
    private var errors = 0
    private(set) var totalLoaded = 0
    private static let batchRows = 32_768

    init(_ job: CopyJob, _ plans: [ColumnPlan], _ progress: LoadProgress) throws {
        self.job = job
        self.plans = plans
        self.progress = progress
        lane = job.options.noLoad ? nil : try job.sink?.makeLane()
        splitter = TextSplitter(
            fieldCount: plans.count, options: job.options, windowBytes: job.tuning.windowBytes)
        converter = ColumnConverter(job.options, job.context)
        chunk = try ChunkBuffer(capacity: job.tuning.pieceBytes + 8192)
        batch = ColumnBatch(types: job.table.columns.map(\.type))
    }

    func run(_ feeds: FeedList) throws {
        while !progress.shouldStop, try feeds.next(chunk) {
            try job.cancellation.check()
            try load(feeds.objects[chunk.file].name)
        }
    }

    /// Loads the piece in the chunk. Once the load is to be stopped, only errors are looked for: those before the one
    /// that stopped it have to be reported.
    private func load(_ fileName: String) throws {
        loaded = 0
        errors = 0
        let content = self.content()
        splitter.begin(chunk)
        batch.removeAll()
        badRows.removeAll(keepingCapacity: true)
        while splitter.next(chunk) {
            for failure in splitter.failures { addError(failure, fileName) }
            if splitter.table.rowCount > 0 { try convert(content, fileName) }
            if splitter.table.rowCount > 0 && convertedRows >= CopyWorker.batchRows { try flush() }
        }
        try flush()
        progress.add(pending)
        pending.removeAll(keepingCapacity: true)
        totalLoaded += loaded
        let piece = LoadProgress.Piece(
            file: chunk.file, ordinal: chunk.ordinal, lines: splitter.nextLines, records: splitter.records,
            errors: errors)
        progress.finish(piece, loaded: loaded, sourceBytes: chunk.sourceBytes)
    }

    private var convertedRows: Int { batch.columns[plans[0].tableIndex].count }

    private func content() -> TextContent {
        if isPlainASCII(chunk.text, chunk.count) { return .ascii }
        return UTF8Text.isValid(chunk.text, chunk.count) ? .validUTF8 : .dirty
    }

    private func convert(_ content: TextContent, _ fileName: String) throws {
        let first = convertedRows
        var failed: [BadField] = []
        for (field, plan) in plans.enumerated() {
            try converter.convert(
                splitter.table, field: field, plan, chunk, content, into: batch.columns[plan.tableIndex])
            failed += converter.failures
        }
        if failed.isEmpty { return }
        // The first bad field of a row stands for it.
        failed.sort { ($0.row, $0.column) < ($1.row, $1.column) }
        var last = -1
        for bad in failed where bad.row != last {
            last = bad.row
            badRows.append(first + bad.row)
            addError(bad, fileName)
        }
    }

    // MARK: Batches

    private func flush() throws {
        let rows = convertedRows
        defer {
            batch.removeAll()
            badRows.removeAll(keepingCapacity: true)
        }
        let good = rows - badRows.count
        loaded += good
        guard let lane, good > 0, !progress.shouldStop else { return }
        let complete = badRows.isEmpty ? batch : try withoutBadRows(rows)
        try fillColumns(complete, good)
        try lane.append(complete)
    }

    /// A copy of the good rows.
    private func withoutBadRows(_ rows: Int) throws -> ColumnBatch {
        var selection: [UInt16] = []
        selection.reserveCapacity(rows)
        var next = 0
        for row in 0..<rows {
            if next < badRows.count && badRows[next] == row {
                next += 1
            } else {
                selection.append(UInt16(truncatingIfNeeded: row))
            }
        }
        let copy = ColumnBatch(types: batch.types)
        for plan in plans {
            let source = batch.columns[plan.tableIndex]
            try selection.withUnsafeBufferPointer {
                try copy.columns[plan.tableIndex].append(
                    values: source.values, validity: source.validity.map { UnsafePointer($0) },
                    selection: $0.baseAddress, count: $0.count)
            }
        }
        return copy
    }

    /// Gives the columns without a field their values.
    private func fillColumns(_ target: ColumnBatch, _ rows: Int) throws {
        for (index, fill) in job.columns.fills {
            guard target.columns.indices.contains(index), !job.columns.fields.contains(index) else { continue }
            let column = target.columns[index]
            switch fill {
            case .constant(let value): try column.append(value, repeated: rows)
            case .identity(let generator):
                let (first, step) = try generator.reserve(rows)
                var value = Int128(first)
                for _ in 0..<rows {
                    try column.append(integer: value)
                    value += Int128(step)
                }
            }
        }
    }

    // MARK: Errors

    private func addError(_ failure: RecordFailure, _ fileName: String) {
        add(failure.start..<failure.end, failure.failure, nil, "", fileName)
    }

    private func addError(_ bad: BadField, _ fileName: String) {
        let field = text(bad.start..<bad.end)
        add(splitter.table.record(bad.row), bad.failure, plans[bad.column], field, fileName)
    }

    private func add(
        _ record: Range<Int>, _ failure: FieldFailure, _ plan: ColumnPlan?, _ field: String, _ fileName: String
    ) {
        errors += 1
        let lines = splitter.linesBefore + countNewlines(chunk.text, splitter.windowStart, record.lowerBound)
        var end = record.upperBound
        if end > record.lowerBound && chunk.text[end - 1] == 10 { end -= 1 }
        if end > record.lowerBound && chunk.text[end - 1] == 13 { end -= 1 }
        let error = LoadError(
            file: fileName, line: lines + 1, column: plan?.name ?? "", type: plan?.typeLabel ?? "",
            length: plan?.lengthLabel ?? "", position: failure.position, rawLine: text(record.lowerBound..<end),
            rawField: field, code: failure.code, reason: failure.reason)
        pending.append(LoadProgress.PendingError(file: chunk.file, ordinal: chunk.ordinal, error: error))
    }

    private func text(_ range: Range<Int>) -> String {
        let shown = UTF8Text.boundary(chunk.text + range.lowerBound, range.count, limit: LoadError.keptBytes)
        return String(
            decoding: UnsafeBufferPointer(start: chunk.text + range.lowerBound, count: shown), as: UTF8.self)
    }
}
