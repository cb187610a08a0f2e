import Catalog
import ColumnVectors
import Platform
import SQLTypes

/// Avro object container files. Workers take blocks.
struct AvroRecords: RecordFormat {
    let options: CopyOptions
    let context: DatetimeContext
    let mapping: FieldMapping

    init(_ options: CopyOptions, _ mapping: FieldMapping, _ context: DatetimeContext) {
        var options = options
        options.nullAs = JSONRecords.nullMark
        self.options = options
        self.mapping = mapping
        self.context = context
    }

    /// Blocks are mostly far below a megabyte, packed and unpacked.
    var workerBytes: Int { 8 << 20 }
    var headerLines: Int { 0 }

    func check(_ target: RecordTarget) throws { try mapping.check(target) }

    func open(
        _ objects: [LoadObject], of source: any LoadSource, for target: RecordTarget, workers: Int
    ) throws -> any RecordSupply {
        let plans = try target.fields.map {
            try ColumnPlan(target.table.columns[$0], tableIndex: $0, options: options)
        }
        let files = AvroFileList(objects, source)
        return Supply(format: self, plans: plans, paths: mapping.paths(target), files: files)
    }

    private struct Supply: RecordSupply {
        let format: AvroRecords
        let plans: [ColumnPlan]
        let paths: [JSONPath]
        let files: AvroFileList
        func makeReader() throws -> any RecordReader { AvroRecordReader(format, plans, paths, files) }
    }
}

/// The files of a load, opened one after the other: all workers take blocks of the same one. Safe from any thread.
final class AvroFileList: Sendable {
    private struct State {
        var next = 0
        var current: AvroFile?
    }
    let objects: [LoadObject]
    private let source: any LoadSource
    private let state = Lock(State())

    init(_ objects: [LoadObject], _ source: any LoadSource) {
        self.objects = objects
        self.source = source
    }

    /// The file that the block is of; nil when all files are used up.
    func next(_ block: inout AvroFile.Block) throws -> AvroFile? {
        while true {
            guard let file = try state.withLock({ try current(&$0) }) else { return nil }
            if try file.next(&block) { return file }
            state.withLock { if $0.current === file { $0.current = nil } }
        }
    }

    private func current(_ state: inout State) throws -> AvroFile? {
        while state.current == nil {
            guard state.next < objects.count else { return nil }
            let index = state.next
            state.next += 1
            if objects[index].sizeBytes == 0 { continue }
            state.current = try AvroFile(try source.open(objects[index]), index: index, name: objects[index].name)
        }
        return state.current
    }
}

/// Decodes blocks, record by record.
final class AvroRecordReader: RecordReader {
    private let files: AvroFileList
    private let loader: TypedValueLoader
    private let wanted: AvroWanted
    private let ignoresCase: Bool
    private let texts = AvroTexts()
    private var block = AvroFile.Block()
    private var content: [UInt8] = []
    private var file: AvroFile?
    private var place = 0
    private(set) var pieceRecords = 0
    var pieceLines: Int { pieceRecords }
    private static let rowsAtOnce = 1024
    /// Bytes after the content that readers of strings may look at.
    private static let slack = 64

    init(_ format: AvroRecords, _ plans: [ColumnPlan], _ paths: [JSONPath], _ files: AvroFileList) {
        self.files = files
        loader = TypedValueLoader(plans, format.options, format.context)
        wanted = AvroWanted(paths)
        ignoresCase = format.mapping == .autoIgnoringCase
    }

    func nextPiece() throws -> RecordPiece? {
        guard let file = try files.next(&block) else { return nil }
        self.file = file
        loader.beginPiece()
        texts.removeAll()
        place = 0
        pieceRecords = 0
        if file.codec == .snappy {
            // Four bytes of checksum follow.
            guard block.packed.count >= 4 else { throw AvroFile.damaged(file.name, "a block is too short") }
            block.packed.removeLast(4)
        }
        let isGood = block.packed.withUnsafeBufferPointer { file.codec.decode($0, into: &content) }
        guard isGood else { throw AvroFile.damaged(file.name, "a block cannot be decompressed") }
        content.append(contentsOf: repeatElement(0, count: AvroRecordReader.slack))
        return RecordPiece(file: file.index, ordinal: block.ordinal, sourceBytes: block.sourceBytes)
    }

    func read(into batch: ColumnBatch, _ bad: inout BadRecords) throws -> Bool {
        guard let file, pieceRecords < block.records else { return false }
        let count = content.count - AvroRecordReader.slack
        try content.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            var input = AvroInput(base, count)
            input.index = place
            var decoder = AvroDecoder(
                file.schema, input, fields: loader.plans.count, ignoresCase: ignoresCase, texts: texts)
            let stop = min(pieceRecords + AvroRecordReader.rowsAtOnce, block.records)
            while pieceRecords < stop {
                do { try decoder.record(wanted) } catch let damage as AvroDamage {
                    throw AvroFile.damaged(file.name, damage.reason)
                }
                try texts.check()
                pieceRecords += 1
                try append(decoder, batch, &bad, file)
                // Records without bytes could be claimed without end.
                if decoder.input.index == count && pieceRecords + (1 << 20) < block.records {
                    throw AvroFile.damaged(file.name, "a count is impossible")
                }
            }
            place = decoder.input.index
        }
        return true
    }

    private func append(
        _ decoder: AvroDecoder, _ batch: ColumnBatch, _ bad: inout BadRecords, _ file: AvroFile
    ) throws {
        var failed: (FieldFailure, Int?)? = decoder.failure.map { ($0, nil) }
        let row = loader.plans.first.map { batch.columns[$0.tableIndex].count } ?? 0
        for (field, plan) in loader.plans.enumerated() {
            let failure = try loader.append(decoder.values[field], field: field, to: batch.columns[plan.tableIndex])
            if let failure, failed == nil { failed = (failure, field) }
        }
        guard let (failure, field) = failed else { return }
        let plan = field.map { loader.plans[$0] }
        let text = TextBuffer()
        if let field { TypedValueLoader.append(decoder.values[field], to: text) }
        bad.rows.append(row)
        bad.errors.append(
            LoadError(
                file: file.name, line: pieceRecords, column: plan?.name ?? "", type: plan?.typeLabel ?? "",
                length: plan?.lengthLabel ?? "", position: failure.position, rawLine: "",
                rawField: String(
                    decoding: UnsafeBufferPointer(
                        start: text.base, count: UTF8Text.boundary(text.base, text.count, limit: LoadError.keptBytes)),
                    as: UTF8.self), code: failure.code, reason: failure.reason))
    }
}
