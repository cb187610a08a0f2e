import Catalog
import ColumnVectors
import SQLTypes

/// JSON objects and arrays, one after the other.
struct JSONRecords: RecordFormat {
    let options: CopyOptions
    let context: DatetimeContext
    let tuning: CopyJob.Tuning
    let mapping: FieldMapping

    /// Bytes that stand for NULL where fields are converted: no valid UTF-8.
    static let nullMark = [UInt8](repeating: 0xFF, count: 8)

    init(_ options: CopyOptions, _ mapping: FieldMapping, _ context: DatetimeContext, _ tuning: CopyJob.Tuning) {
        var options = options
        options.nullAs = JSONRecords.nullMark
        self.options = options
        self.mapping = mapping
        self.context = context
        self.tuning = tuning
    }

    var workerBytes: Int { tuning.workerBytes }
    var headerLines: Int { options.ignoreHeader }

    func check(_ target: RecordTarget) throws { try mapping.check(target) }

    func open(
        _ objects: [LoadObject], of source: any LoadSource, for target: RecordTarget, workers: Int
    ) throws -> any RecordSupply {
        let plans = try target.fields.map {
            try ColumnPlan(target.table.columns[$0], tableIndex: $0, options: options)
        }
        try checkPaths(plans, mapping.paths(target))
        let feeds = FeedList(
            objects, source: source, options: options, pieceBytes: tuning.pieceBytes, openLimit: workers)
        return Supply(format: self, plans: plans, paths: mapping.paths(target), feeds: feeds)
    }

    /// A value is read as JSON or as a plain text, not as both.
    private func checkPaths(_ plans: [ColumnPlan], _ paths: [JSONPath]) throws {
        for (plan, path) in zip(plans, paths) where plan.type == .semistructured {
            guard paths.count(where: { $0 == path }) == 1 else {
                throw SQLError(
                    .featureNotSupported, "the JSONPath of SUPER column \"\(plan.name)\" is that of another column, too"
                )
            }
        }
    }

    private struct Supply: RecordSupply {
        let format: JSONRecords
        let plans: [ColumnPlan]
        let paths: [JSONPath]
        let feeds: FeedList
        func makeReader() throws -> any RecordReader {
            let tree = JSONFieldTree(paths, ignoresCase: format.mapping == .autoIgnoringCase)
            return try JSONRecordReader(format, plans, tree, feeds)
        }
    }
}

/// Finds the wanted values of records and converts them, column by column.
final class JSONRecordReader: RecordReader {
    private let feeds: FeedList
    private let splitter: JSONSplitter
    private let conversion: FieldConversion
    private let chunk: ChunkBuffer
    private var content = TextContent.ascii

    init(_ format: JSONRecords, _ plans: [ColumnPlan], _ tree: JSONFieldTree, _ feeds: FeedList) throws {
        self.feeds = feeds
        splitter = JSONSplitter(
            tree: tree, takesText: plans.map { $0.type.isString },
            takesDocument: plans.map { $0.type == .semistructured }, windowBytes: format.tuning.windowBytes,
            readsBytes: format.tuning.readsBytes)
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
        if splitter.table.rowCount == 0 { return true }
        let first = conversion.rows(of: batch)
        for field in try conversion.convert(splitter.table, chunk, rowContent, into: batch) {
            bad.rows.append(first + field.row)
            let isNull = field.start == chunk.sideStart
            bad.errors.append(
                error(
                    splitter.table.record(field.row), field.failure, conversion.plans[field.column],
                    isNull ? "" : chunk.shown(field.start..<field.end)))
        }
        return true
    }

    /// Escapes may stand for bytes that the text itself does not have.
    private var rowContent: TextContent {
        if splitter.decoded.isDirty { return .dirty }
        return content == .ascii && splitter.decoded.hasHighBytes ? .validUTF8 : content
    }

    private func error(
        _ record: Range<Int>, _ failure: FieldFailure, _ plan: ColumnPlan?, _ field: String
    ) -> LoadError {
        let lines = splitter.linesBefore + countNewlines(chunk.text, splitter.windowStart, record.lowerBound)
        var end = record.upperBound
        while end > record.lowerBound && JSONToken.isBlank(chunk.text[end - 1]) { end -= 1 }
        return LoadError(
            file: feeds.objects[chunk.file].name, line: lines + 1, column: plan?.name ?? "",
            type: plan?.typeLabel ?? "", length: plan?.lengthLabel ?? "", position: failure.position,
            rawLine: chunk.shown(record.lowerBound..<end), rawField: field, code: failure.code,
            reason: failure.reason)
    }
}
