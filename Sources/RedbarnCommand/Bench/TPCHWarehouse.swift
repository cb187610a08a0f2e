import Catalog
import ColumnStore
import ColumnVectors
import Platform
import SQLTypes
import Warehouse

/// A warehouse with the eight tables: made, loaded, opened again.
final class TPCHWarehouse {
    let directory: String
    private let options: WarehouseOptions
    private(set) var warehouse: Warehouse
    private(set) var session: Session

    init(directory: String, options: WarehouseOptions) throws {
        self.directory = directory
        self.options = options
        warehouse = try Warehouse(directory: directory, options: options)
        session = try TPCHWarehouse.connect(warehouse)
    }

    /// Repeats of a query are to run, not to be looked up.
    private static func connect(_ warehouse: Warehouse) throws -> Session {
        let session = try warehouse.connect()
        try session.query("set enable_result_cache_for_session to off")
        return session
    }

    /// Opens the directory anew, so that nothing is cached in this process.
    func reopen() throws {
        try close()
        warehouse = try Warehouse(directory: directory, options: options)
        session = try TPCHWarehouse.connect(warehouse)
    }

    func close() throws {
        try session.close()
        warehouse.close()
    }

    /// True when all tables hold rows, false when there are none; anything between is an error.
    func isLoaded() throws -> Bool {
        let snapshot = warehouse.store.snapshot()
        let present = TPCH.tables.filter { name in
            guard case .table(let table)? = snapshot.catalog.relation(schema: "public", name: name) else {
                return false
            }
            return snapshot.table(table.id).map { $0.rowCount > 0 } ?? false
        }
        if present.isEmpty { return false }
        if present.count == TPCH.tables.count { return true }
        throw SQLError(
            .objectNotInState, "the warehouse \(directory) holds only some of the TPC-H tables",
            hint: "Name an empty directory, or remove this one.")
    }

    /// Creates and fills the tables. Returns the seconds each took.
    func load(definitions: String, data: String) throws -> [(String, Double)] {
        for table in TPCH.tables { try session.query("drop table if exists \(table)") }
        try session.query(definitions)
        var seconds: [(String, Double)] = []
        for table in TPCH.tables {
            let path = LiteralText.quoted("\(data)/\(table).tbl")
            let progress = Terminal.isTerminal(2) ? ProgressLine() : nil
            progress?.start()
            defer { progress?.clear() }
            let handler = LoadProgress(progress)
            let statement = "copy \(table) from \(path) delimiter '|'"
            let time = try Stopwatch.seconds { try self.cancellable { try self.session.execute(statement, handler) } }
            seconds.append((table, time))
        }
        return seconds
    }

    /// Runs a query and keeps its rows. Ctrl-C cancels it.
    func run(_ sql: String) throws -> (result: QueryResult, milliseconds: Double) {
        let result = QueryResult()
        let seconds = try Stopwatch.seconds { try cancellable { try session.execute(sql, result) } }
        return (result, seconds * 1000)
    }

    private func cancellable(_ body: () throws -> Void) throws {
        let session = self.session
        try SignalWatcher.shared.cancelling(with: { session.cancel() }, body)
    }
}

private final class LoadProgress: ResultHandler {
    private let line: ProgressLine?
    init(_ line: ProgressLine?) { self.line = line }
    func begin(columns: [ResultColumn]) throws {}
    func rows(_ batch: ColumnBatch) throws {}
    func end(tag: String) throws {}
    func progress(_ fraction: Double?, _ activity: String) { line?.show(fraction, activity) }
}

extension Stopwatch {
    static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = Stopwatch.nanoseconds
        try body()
        return Double(Stopwatch.nanoseconds - start) / 1e9
    }
}
