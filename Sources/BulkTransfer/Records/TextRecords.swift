import Catalog
import ColumnVectors
import Glibc
import SQLTypes

/// Delimited, CSV and fixed-width text.
struct TextRecords: RecordFormat {
    let options: CopyOptions
    let context: DatetimeContext
    let tuning: CopyJob.Tuning

    var workerBytes: Int { tuning.workerBytes }
    var headerLines: Int { options.ignoreHeader }

    func check(_ target: RecordTarget) throws {
        guard case .fixedWidth(let fields) = options.layout, fields.count != target.fields.count else { return }
        throw SQLError(
            .invalidParameterValue,
            "FIXEDWIDTH describes \(fields.count) fields, but COPY loads \(target.fields.count) columns")
    }

    func open(
        _ objects: [LoadObject], of source: any LoadSource, for target: RecordTarget, workers: Int
    ) throws -> any RecordSupply {
        let plans = try target.fields.map {
            try ColumnPlan(target.table.columns[$0], tableIndex: $0, options: options)
        }
        let feeds = FeedList(
            objects, source: source, options: options, pieceBytes: tuning.pieceBytes, openLimit: workers)
        return Supply(format: self, plans: plans, feeds: feeds)
    }

    private struct Supply: RecordSupply {
        let format: TextRecords
        let plans: [ColumnPlan]
        let feeds: FeedList
        func makeReader() throws -> any RecordReader { try TextRecordReader(format, plans, feeds) }
    }
}

/// Splits pieces of text into fields and converts them, column by column.
final class TextRecordReader: RecordReader {
    private let plans: [ColumnPlan]
    private let feeds: FeedList
    private let splitter: TextSplitter
    private let converter: ColumnConverter
    private let chunk: ChunkBuffer
    private var content = TextContent.ascii

    init(_ format: TextRecords, _ plans: [ColumnPlan], _ feeds: FeedList) throws {
        self.plans = plans
        self.feeds = feeds
        splitter = TextSplitter(
            fieldCount: plans.count, options: format.options, windowBytes: format.tuning.windowBytes)
        converter = ColumnConverter(format.options, format.context)
        chunk = try ChunkBuffer(capacity: format.tuning.pieceBytes + 8192)
    }

    var pieceRecords: Int { splitter.records }
    var pieceLines: Int { splitter.nextLines }

    func nextPiece() throws -> RecordPiece? {
        guard try feeds.next(chunk) else { return nil }
        if isPlainASCII(chunk.text, chunk.count) {
            content = .ascii
        } else {
            content = UTF8Text.isValid(chunk.text, chunk.count) ? .validUTF8 : .dirty
        }
        splitter.begin(chunk)
        return RecordPiece(file: chunk.file, ordinal: chunk.ordinal, sourceBytes: chunk.sourceBytes)
    }

    func read(into batch: ColumnBatch, _ bad: inout BadRecords) throws -> Bool {
        guard splitter.next(chunk) else { return false }
        for failure in splitter.failures {
            bad.errors.append(error(failure.start..<failure.end, failure.failure, nil, ""))
        }
        if splitter.table.rowCount > 0 { try convert(into: batch, &bad) }
        return true
    }

    private func convert(into batch: ColumnBatch, _ bad: inout BadRecords) throws {
        let first = batch.columns[plans[0].tableIndex].count
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
        for field in failed where field.row != last {
            last = field.row
            bad.rows.append(first + field.row)
            bad.errors.append(
                error(
                    splitter.table.record(field.row), field.failure, plans[field.column],
                    text(field.start..<field.end)))
        }
    }

    // MARK: Errors

    private func error(
        _ record: Range<Int>, _ failure: FieldFailure, _ plan: ColumnPlan?, _ field: String
    ) -> LoadError {
        let lines = splitter.linesBefore + countNewlines(chunk.text, splitter.windowStart, record.lowerBound)
        var end = record.upperBound
        if end > record.lowerBound && chunk.text[end - 1] == 10 { end -= 1 }
        if end > record.lowerBound && chunk.text[end - 1] == 13 { end -= 1 }
        return LoadError(
            file: feeds.objects[chunk.file].name, line: lines + 1, column: plan?.name ?? "",
            type: plan?.typeLabel ?? "", length: plan?.lengthLabel ?? "", position: failure.position,
            rawLine: text(record.lowerBound..<end), rawField: field, code: failure.code, reason: failure.reason)
    }

    private func text(_ range: Range<Int>) -> String {
        let shown = UTF8Text.boundary(chunk.text + range.lowerBound, range.count, limit: LoadError.keptBytes)
        return String(
            decoding: UnsafeBufferPointer(start: chunk.text + range.lowerBound, count: shown), as: UTF8.self)
    }
}
