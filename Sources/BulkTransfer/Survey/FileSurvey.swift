import Catalog
import ColumnVectors
import Platform
import SQLTypes
import Synchronization

/// Looks at files as a crawler does: what format they have, which columns, of which types. It reads them with COPY's
/// own readers, so that what it says COPY can do.
package struct FileSurvey: Sendable {
    package struct Column: Sendable, Hashable {
        package var name: String
        package var type: SQLType
    }
    package struct Request: Sendable {
        /// Of the first row, for delimited text; nil: it is found out.
        package var hasHeader: Bool?
        /// nil: it is found out.
        package var delimiter: UInt8?
        /// After so many rows types are settled; 0: all are read.
        package var mostRows = 1_000_000
        package init() {}
    }

    package private(set) var columns: [Column] = []
    /// Of COPY, in order.
    package private(set) var options: [RawCopyOption] = []
    /// The format in words: `CSV`, `Parquet`.
    package private(set) var format: String
    package private(set) var rows = 0
    /// Every row was looked at.
    package private(set) var isWhole = true
    /// What the reader of the result should know.
    package private(set) var notes: [String] = []

    /// - Parameter locations: as COPY takes them; all of one format and shape.
    package init(
        _ locations: [String], _ request: Request, places: StoragePlaces = StoragePlaces(),
        pool: WorkerPool, cancellation: CancellationToken = CancellationToken()
    ) throws {
        var sources: [(source: any LoadSource, objects: [LoadObject])] = []
        for location in locations {
            let source = try places.source(location, cancellation: cancellation)
            sources.append((source, try source.list().filter { $0.sizeBytes > 0 }))
        }
        guard let (source, objects) = sources.first(where: { !$0.objects.isEmpty }), let first = objects.first else {
            throw SQLError(.dataException, "there is nothing in the files")
        }
        let head = try FileHead(source, first)
        let layout = try SurveyedLayout(head, source, first, request)
        format = layout.format
        options = layout.options
        notes = layout.notes
        let profiles = try measure(layout, sources, request, pool, cancellation)
        try settle(layout, profiles)
    }

    /// A text as the name of a table.
    package static func name(_ text: String) -> String {
        var naming = ColumnNaming()
        return text.isEmpty ? "" : naming.name(text, place: 0)
    }

    // MARK: Measuring

    private mutating func measure(
        _ layout: SurveyedLayout, _ sources: [(source: any LoadSource, objects: [LoadObject])], _ request: Request,
        _ pool: WorkerPool, _ cancellation: CancellationToken
    ) throws -> [ColumnProfile] {
        var definitions: [ColumnDefinition] = []
        for (index, column) in layout.columns.enumerated() {
            definitions.append(
                ColumnDefinition(
                    id: Int32(index), name: column.name, type: column.type ?? .varchar(SQLType.maximumVarcharLength)))
        }
        let table = TableDefinition(id: ObjectID(0), schema: "", name: "the files", columns: definitions)
        var options = try CopyOptions(parsing: layout.options)
        if !options.isColumnar { options.maxError = CopyOptions.maximumErrors }
        let sink = ProfilingSink(
            layout.columns.map { $0.type == nil }, mostRows: request.mostRows == 0 ? .max : request.mostRows)
        var bad: LoadError?
        for (source, objects) in sources where !objects.isEmpty && !sink.isFull {
            do {
                let job = try CopyJob(
                    table: table, columns: CopyColumns(fields: Array(definitions.indices)), source: source,
                    options: options, sink: sink, workers: StatementWorkers(pool), cancellation: cancellation)
                let result = try job.run()
                if bad == nil { bad = result.errors.first }
            } catch let failure as LoadFailure {
                throw failure.error
            } catch {
                // Who has seen enough stops the load by an error.
                if !sink.isFull { throw error }
            }
        }
        rows = sink.rows
        isWhole = !sink.isFull
        if let bad { notes.append("Some records cannot be read as the others: \(bad.summary)") }
        return sink.profiles
    }

    // MARK: Types

    private mutating func settle(_ layout: SurveyedLayout, _ profiles: [ColumnProfile]) throws {
        var marks: [String: Int] = [:]
        for profile in profiles { for mark in profile.nullMarks(isWhole) { marks[mark, default: 0] += 1 } }
        let mark = marks.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        var types = zip(layout.columns, profiles).map { column, profile in
            column.type ?? profile.type(named: column.name, isWhole: isWhole, nullMark: mark)
        }
        for (index, type) in types.enumerated() {
            // A schema's texts have no lengths, but for those of a kind of their own.
            guard type == .varchar(SQLType.maximumVarcharLength), layout.columns[index].type != nil else { continue }
            types[index] = profiles[index].textType(isWhole: isWhole)
        }
        settleDates(profiles, &types)
        if let mark, zip(types, profiles).contains(where: { !$0.isText && $1.nullMarks(isWhole).contains(mark) }) {
            options.append(RawCopyOption("NULL AS", [.string(mark)]))
        }
        columns = zip(layout.columns, types).map { Column(name: $0.name, type: $1) }
    }

    /// One format of dates for all columns; those of another one stay text.
    private mutating func settleDates(_ profiles: [ColumnProfile], _ types: inout [SQLType]) {
        var format: ColumnProfile.DateForm?
        for (index, profile) in profiles.enumerated() where types[index] == .date {
            guard let form = profile.dateForm else { continue }
            if format == nil { format = form }
            if form != format {
                types[index] = profile.textType(isWhole: isWhole)
                notes.append("Column \(index + 1) has dates of another form than the first; it stays text.")
            }
        }
        if let text = format?.option { options.append(RawCopyOption("DATEFORMAT", [.string(text)])) }
        let asks = zip(profiles, types).contains { profile, type in
            profile.needsAutomaticTimes && (type == .timestamp || type == .timestamptz)
        }
        if asks { options.append(RawCopyOption("TIMEFORMAT", [.string("auto")])) }
    }
}

extension CopyOptions {
    /// Formats that do not skip bad rows.
    var isColumnar: Bool {
        switch layout {
        case .parquet, .orc: true
        case .delimited, .csv, .fixedWidth, .json, .avro: false
        }
    }
}

extension SQLType {
    var isText: Bool {
        switch self {
        case .varchar, .char: true
        default: false
        }
    }
}

/// Takes rows to profiles, and says stop when it has seen enough.
final class ProfilingSink: RowSink {
    private struct Enough: Error {}
    private let infers: [Bool]
    private let mostRows: Int
    private let taken = Atomic<Int>(0)
    private let lanes = Lock<[Lane]>([])

    final class Lane: RowLane, @unchecked Sendable {  // of one worker, and read when they have ended
        fileprivate var profiles: [ColumnProfile]
        private let infers: [Bool]
        private let mostRows: Int
        private unowned let sink: ProfilingSink

        fileprivate init(_ infers: [Bool], _ mostRows: Int, _ sink: ProfilingSink) {
            self.infers = infers
            self.mostRows = mostRows
            self.sink = sink
            profiles = infers.map { _ in ColumnProfile() }
        }

        func append(_ batch: ColumnBatch) throws {
            for (index, column) in batch.columns.enumerated() where batch.types[index].isText {
                let views = column.values(as: StringView.self)
                for row in 0..<column.count {
                    if let validity = column.validity, validity[row] == 0 { continue }
                    profiles[index].add(views[row].bytes, infers: infers[index])
                }
            }
            if sink.note(batch.rowCount) { throw Enough() }
        }
    }

    init(_ infers: [Bool], mostRows: Int) {
        self.infers = infers
        self.mostRows = mostRows
    }

    func makeLane() throws -> any RowLane {
        let lane = Lane(infers, mostRows, self)
        lanes.withLock { $0.append(lane) }
        return lane
    }
    func abort() {}

    /// True when that is enough.
    fileprivate func note(_ count: Int) -> Bool { taken.add(count, ordering: .relaxed).newValue >= mostRows }
    var rows: Int { taken.load(ordering: .relaxed) }
    var isFull: Bool { rows >= mostRows }

    /// Of all workers. When they have ended.
    var profiles: [ColumnProfile] {
        lanes.withLock { lanes in
            var result = infers.map { _ in ColumnProfile() }
            for lane in lanes {
                for index in result.indices { result[index].merge(lane.profiles[index]) }
            }
            return result
        }
    }
}
