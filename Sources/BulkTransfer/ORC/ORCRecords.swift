import Catalog
import ColumnVectors
import Platform
import SQLTypes

/// ORC files. Workers take stripes. Columns are matched by their order, as Redshift does it.
struct ORCRecords: RecordFormat {
    let options: CopyOptions
    let context: DatetimeContext

    init(_ options: CopyOptions, _ context: DatetimeContext) {
        var options = options
        options.nullAs = JSONRecords.nullMark
        self.options = options
        self.context = context
    }

    /// Small stripes; larger ones come with the streams that are read.
    var workerBytes: Int { 16 << 20 }
    var headerLines: Int { 0 }
    func check(_ target: RecordTarget) throws {}

    func open(
        _ objects: [LoadObject], of source: any LoadSource, for target: RecordTarget, workers: Int
    ) throws -> any RecordSupply {
        let plans = try target.fields.map {
            try ColumnPlan(target.table.columns[$0], tableIndex: $0, options: options)
        }
        return Supply(format: self, plans: plans, files: ORCFileList(objects, source))
    }

    private struct Supply: RecordSupply {
        let format: ORCRecords
        let plans: [ColumnPlan]
        let files: ORCFileList
        func makeReader() throws -> any RecordReader { ORCRecordReader(format, plans, files) }
    }
}

/// The files of a load and which stripe comes next. Safe from any thread.
final class ORCFileList: Sendable {
    private struct State {
        var next = 0
        var current: ORCFile?
        var stripe = 0
    }
    private let objects: [LoadObject]
    private let source: any LoadSource
    private let state = Lock(State())

    init(_ objects: [LoadObject], _ source: any LoadSource) {
        self.objects = objects
        self.source = source
    }

    func next() throws -> (ORCFile, Int)? {
        try state.withLock { state in
            while true {
                if let file = state.current, state.stripe < file.footer.stripes.count {
                    state.stripe += 1
                    return (file, state.stripe - 1)
                }
                state.current = nil
                guard state.next < objects.count else { return nil }
                let object = objects[state.next]
                state.next += 1
                if object.sizeBytes == 0 { continue }
                state.stripe = 0
                state.current = try ORCFile(
                    try source.open(object), index: state.next - 1, name: object.name, size: object.sizeBytes)
            }
        }
    }
}

/// Decodes stripes, some rows of each column at a time.
final class ORCRecordReader: RecordReader {
    private let files: ORCFileList
    private let loader: TypedValueLoader
    private let arena = StringArena()
    private enum Column {
        case flat(ORCColumn)
        case nested(ORCNestedColumn)
    }
    private var columns: [Column] = []
    /// SERIALIZETOJSON.
    private let takesNested: Bool
    private var file: ORCFile?
    private var rows = 0
    private(set) var pieceRecords = 0
    var pieceLines: Int { pieceRecords }
    private static let rowsAtOnce = 4096

    init(_ format: ORCRecords, _ plans: [ColumnPlan], _ files: ORCFileList) {
        self.files = files
        takesNested = format.options.serializeToJSON
        loader = TypedValueLoader(plans, format.options, format.context)
    }

    func nextPiece() throws -> RecordPiece? {
        guard let (file, number) = try files.next() else { return nil }
        let stripe = file.footer.stripes[number]
        self.file = file
        loader.beginPiece()
        arena.removeAll()
        pieceRecords = 0
        do { try open(file, stripe) } catch let damage as ORCDamage { throw ORCFile.damaged(file.name, damage) }
        return RecordPiece(file: file.index, ordinal: number, sourceBytes: stripe.dataLength)
    }

    private func open(_ file: ORCFile, _ stripe: ORCFooter.Stripe) throws {
        let numbers = file.footer.types[0].children
        guard numbers.count == loader.plans.count else {
            throw SQLError(
                .dataException,
                "Unmatched number of columns between table and file \"\(file.name)\"",
                detail: "Table columns: \(loader.plans.count), file columns: \(numbers.count)",
                hint: "Give a column list with as many columns as the file has, in its order.")
        }
        let footer = try file.stripeFooter(stripe)
        let types = file.footer.types
        let streams = try file.streams(stripe, footer, of: file.footer.columns(below: numbers))
        guard stripe.rows >= 0 else { throw ORCDamage.message }
        rows = stripe.rows
        var nested = ORCNestedColumn.Stripe(
            types: types, encodings: footer.encodings, streams: streams, arena: arena)
        columns = try zip(numbers, loader.plans).map { number, plan in
            guard let type = ORCType(rawValue: types[number].kind), footer.encodings.indices.contains(number) else {
                throw ORCDamage.message
            }
            for inner in file.footer.columns(below: [number]) {
                try check(types[inner].kind, footer.zone, plan, file.name)
            }
            if type.isNested { return .nested(try ORCNestedColumn(number, &nested)) }
            return .flat(try ORCColumn(type, footer.encodings[number], streams[number] ?? [:], arena))
        }
    }

    private func check(_ kind: Int, _ zone: String, _ plan: ColumnPlan, _ name: String) throws {
        switch ORCType(rawValue: kind) {
        case .list, .map, .structure, .union:
            if takesNested, plan.type.isText { return }
            throw SQLError(
                .featureNotSupported, "file \"\(name)\" has nested values for column \"\(plan.name)\"",
                hint: takesNested
                    ? "SERIALIZETOJSON makes JSON of them, for columns of type VARCHAR."
                    : "With SERIALIZETOJSON they become JSON in a VARCHAR column.")
        case .timestamp where !["", "UTC", "GMT", "Etc/UTC"].contains(zone):
            throw SQLError(
                .featureNotSupported,
                "timestamps of file \"\(name)\" were written in time zone \(zone), which is not supported",
                hint: "Write the file in UTC.")
        default: return
        }
    }

    func read(into batch: ColumnBatch, _ bad: inout BadRecords) throws -> Bool {
        guard let file, pieceRecords < rows else { return false }
        let count = min(ORCRecordReader.rowsAtOnce, rows - pieceRecords)
        let first = loader.plans.first.map { batch.columns[$0.tableIndex].count } ?? 0
        var failed: [Int: (FieldFailure, Int, String)] = [:]
        do {
            for (field, column) in columns.enumerated() {
                let buffer = batch.columns[loader.plans[field].tableIndex]
                for row in 0..<count {
                    let value =
                        switch column {
                        case .flat(let column): try column.next()
                        case .nested(let column): try column.next()
                        }
                    guard let failure = try loader.append(value, field: field, to: buffer) else { continue }
                    if failed[row] == nil { failed[row] = (failure, field, ORCRecordReader.shown(value)) }
                }
            }
        } catch let damage as ORCDamage { throw ORCFile.damaged(file.name, damage) }
        for (row, (failure, field, text)) in failed.sorted(by: { $0.key < $1.key }) {
            let plan = loader.plans[field]
            bad.rows.append(first + row)
            bad.errors.append(
                LoadError(
                    file: file.name, line: pieceRecords + row + 1, column: plan.name, type: plan.typeLabel,
                    length: plan.lengthLabel, position: failure.position, rawLine: "", rawField: text,
                    code: failure.code, reason: failure.reason))
        }
        pieceRecords += count
        return true
    }

    private static func shown(_ value: TypedValue) -> String {
        let text = TextBuffer()
        TypedValueLoader.append(value, to: text)
        let count = UTF8Text.boundary(text.base, text.count, limit: LoadError.keptBytes)
        return String(decoding: UnsafeBufferPointer(start: text.base, count: count), as: UTF8.self)
    }
}
