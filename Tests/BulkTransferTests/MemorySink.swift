import Catalog
import ColumnVectors
import Glibc
import Platform
import SQLTypes
import Synchronization
import Testing

@testable import BulkTransfer

/// Keeps the loaded rows.
final class MemorySink: RowSink {
    let rows = Mutex<[[Datum]]>([])
    private let aborts = Atomic<Int>(0)
    var wasAborted: Bool { aborts.load(ordering: .relaxed) > 0 }

    func makeLane() throws -> any RowLane { Lane(self) }
    func abort() { aborts.add(1, ordering: .relaxed) }

    final class Lane: RowLane {
        let sink: MemorySink
        init(_ sink: MemorySink) { self.sink = sink }
        func append(_ batch: ColumnBatch) throws {
            let rows = (0..<batch.rowCount).map { batch.row($0) }
            for column in batch.columns { #expect(column.count == batch.rowCount) }
            sink.rows.withLock { $0 += rows }
        }
    }

    /// Rows as text with `|` between the values, sorted: workers finish in any order.
    var sorted: [String] { rows.withLock { $0.map(show) }.sorted() }
    /// In the order in which they came.
    var inOrder: [String] { rows.withLock { $0.map(show) } }
}

func show(_ row: [Datum]) -> String {
    row.map { datum in
        switch datum {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let bytes): String(decoding: bytes, as: UTF8.self)
        case .interval(let value): "\(value)"
        }
    }.joined(separator: "|")
}

/// A folder that goes away with the object.
final class TemporaryFolder {
    let path: String
    init() {
        var template = Array("/tmp/bulk-transfer-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer {
            mkdtemp($0.baseAddress.unsafelyUnwrapped).map { String(cString: $0) } ?? "/tmp"
        }
    }
    deinit { if path != "/tmp" { try? LocalFileSystem().removeTree(path) } }

    @discardableResult
    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = path + "/" + name
        let system = LocalFileSystem()
        try system.makeDirectories(FilePath.parent(file))
        try bytes.withUnsafeBytes { try system.open(file, .replace).append($0) }
        return file
    }
    @discardableResult
    func write(_ name: String, _ text: String) throws -> String { try write(name, Array(text.utf8)) }
}

func makeTable(_ types: [SQLType], notNull: Set<Int> = []) -> TableDefinition {
    TableDefinition(
        id: ObjectID(1), schema: "public", name: "t",
        columns: types.enumerated().map {
            ColumnDefinition(id: Int32($0), name: "c\($0 + 1)", type: $1, notNull: notNull.contains($0))
        })
}

/// Loads one text into a table with the given columns.
@discardableResult
func load(
    _ bytes: [UInt8], _ table: TableDefinition, _ options: [RawCopyOption] = [], sink: MemorySink,
    pieceBytes: Int = 1 << 20, windowBytes: Int = 64 << 10, workers: Int = 1
) throws -> CopyResult {
    let folder = TemporaryFolder()
    let file = try folder.write("data", bytes)
    let parsed = try CopyOptions(parsing: options)
    let job = try CopyJob(
        table: table, columns: CopyColumns(fields: Array(table.columns.indices)),
        source: LocalLoadSource(location: file), options: parsed, sink: sink,
        workers: StatementWorkers(WorkerPool(workers: workers)),
        cancellation: CancellationToken(), context: DatetimeContext(), progress: nil,
        tuning: CopyJob.Tuning(pieceBytes: pieceBytes, windowBytes: windowBytes))
    return try withExtendedLifetime(folder) { try job.run() }
}

/// The rows of a load that must succeed.
func rows(_ text: String, _ types: [SQLType], _ options: [RawCopyOption] = []) throws -> [String] {
    let sink = MemorySink()
    try load(Array(text.utf8), makeTable(types), options, sink: sink)
    return sink.inOrder
}

/// The bad rows of a load that must fail.
func failures(
    _ text: [UInt8], _ table: TableDefinition, _ options: [RawCopyOption] = []
) throws -> [LoadError] {
    let sink = MemorySink()
    do {
        try load(text, table, options, sink: sink)
    } catch let failure as LoadFailure {
        #expect(sink.wasAborted)
        #expect(
            failure.error.message
                == "Load into table 't' failed.  Check 'stl_load_errors' system table for details.")
        #expect(failure.error.state == .internalError)
        return failure.loadErrors
    }
    return []
}

func failure(_ text: String, _ type: SQLType, _ options: [RawCopyOption] = []) throws -> String {
    let errors = try failures(Array(text.utf8), makeTable([type], notNull: []), options)
    return errors.first.map { "\($0.code) \($0.reason)" } ?? "none"
}
