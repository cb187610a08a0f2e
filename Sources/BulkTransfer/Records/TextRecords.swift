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
    private let feeds: FeedList
    private let splitter: TextSplitter
    private let conversion: FieldConversion
    private let chunk: ChunkBuffer
    private var content = TextContent.ascii

    init(_ format: TextRecords, _ plans: [ColumnPlan], _ feeds: FeedList) throws {
        self.feeds = feeds
        splitter = TextSplitter(
            fieldCount: plans.count, options: format.options, windowBytes: format.tuning.windowBytes)
        conversion = FieldConversion(plans, format.options, format.context)
        chunk = try ChunkBuffer(capacity: format.tuning.pieceBytes + 8192)
    }

    var pieceRecords: Int { splitter.records }
    var pieceLines: Int { splitter.nextLines }

    func nextPiece() throws -> RecordPiece? {
        guard try feeds.next(chunk) else { return nil }
        content = TextContent(chunk.text, chunk.count)
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
        let first = conversion.rows(of: batch)
        for field in try conversion.convert(splitter.table, chunk, content, into: batch) {
            bad.rows.append(first + field.row)
            bad.errors.append(
                error(
                    splitter.table.record(field.row), field.failure, conversion.plans[field.column],
                    chunk.shown(field.start..<field.end)))
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
            rawLine: chunk.shown(record.lowerBound..<end), rawField: field, code: failure.code, reason: failure.reason)
    }
}
