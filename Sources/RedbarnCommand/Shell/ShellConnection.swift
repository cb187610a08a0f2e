import Catalog
import ColumnStore
import PGWire
import Platform
import SQLTypes
import Warehouse
import Workload

/// What a shell speaks to: a warehouse in this process, or a server.
protocol ShellConnection: AnyObject, Sendable {
    var database: String { get }
    var user: String { get }
    /// The first line of a conversation.
    var greeting: String { get }
    /// What `\conninfo` says.
    var information: String { get }
    var zone: ZoneRules { get }
    var intervals: IntervalStyle { get }
    func execute(_ text: String, _ printer: ResultPrinter) throws
    /// The rows of a question of the shell's own, as text.
    func rows(_ sql: String) throws -> [[String?]]
    /// Where the statement that runs waits, or has waited; nil when nobody can tell. From any thread, one at a time.
    func queueWait() -> QueueWait?
    /// Of the last statement, which took so long; nil when it had no queue, or nobody can tell.
    func lastTimes(_ nanoseconds: Int64) -> Session.AdmissionTimes?
    /// From any thread.
    func cancel()
    func close()
}

/// A statement in its queue, while it runs.
struct QueueWait: Sendable {
    var queue: String
    /// From 1; 0: it does not wait any more.
    var position: Int
    var seconds: Double
}

/// A session of a warehouse that this process has opened.
final class LocalConnection: ShellConnection {
    let warehouse: Warehouse
    let session: Session
    private let directory: String
    private let isScratch: Bool

    init(warehouse: Warehouse, directory: String, isScratch: Bool) throws {
        self.warehouse = warehouse
        self.directory = directory
        self.isScratch = isScratch
        session = try warehouse.connect()
    }

    var database: String { session.databaseName }
    /// The newest state, from the database in which the session looks names up.
    var snapshot: StoreSnapshot {
        let state = warehouse.store.snapshot()
        return state.within(session.nameDatabase) ?? state
    }
    var user: String { warehouse.options.user }
    var zone: ZoneRules { (try? session.settings.value("timezone")).flatMap { ZoneRules.named($0) } ?? .utc }
    var intervals: IntervalStyle { session.settings.intervalStyle }
    var greeting: String {
        let shape = warehouse.shape
        return "\(count(shape.nodes, "node")) with \(count(shape.slicesPerNode, "slice")) each, "
            + (isScratch ? "scratch warehouse" : directory)
    }
    var information: String {
        "You are connected to database \"\(database)\" as user \"\(user)\" in \(directory) (\(warehouse.shape.nodes) x "
            + "\(warehouse.shape.slicesPerNode) slices, \(warehouse.workers) workers)."
    }
    private func count(_ number: Int, _ what: String) -> String { "\(number) \(what)\(number == 1 ? "" : "s")" }

    func execute(_ text: String, _ printer: ResultPrinter) throws { try session.execute(text, printer) }
    func rows(_ sql: String) throws -> [[String?]] {
        let result = try session.query(sql)
        return result.rows.indices.map { row in
            result.columns.indices.map { result.text(row: row, column: $0) }
        }
    }
    func queueWait() -> QueueWait? {
        guard let own = warehouse.workload.statements.first(where: { $0.request.session == session.number })
        else { return nil }
        return QueueWait(
            queue: own.record.figures.serviceClassName, position: own.position,
            seconds: Double(own.record.figures.queueMicroseconds) / 1e6)
    }
    func lastTimes(_ nanoseconds: Int64) -> Session.AdmissionTimes? { session.lastAdmission.withLock { $0 } }
    func cancel() { session.cancel() }
    func close() { try? session.close() }
}

/// A connection to a server.
final class RemoteConnection: ShellConnection {
    private let client: WireClient
    /// Asks about what the other one waits for.
    private let watcher: QueueWatcher

    init(_ address: ServerAddress) throws {
        client = try WireClient(address)
        watcher = QueueWatcher(address, processID: client.processID)
    }

    var database: String { client.address.database }
    var user: String { client.address.user }
    /// Values come as text, in the session's zone already.
    var zone: ZoneRules { .utc }
    var intervals: IntervalStyle { .postgres }
    var greeting: String {
        "connected to \(client.address.host):\(client.address.port), server "
            + (client.parameters["server_version"] ?? "of an unknown version")
    }
    var information: String {
        "You are connected to database \"\(database)\" as user \"\(user)\" on host \"\(client.address.host)\" at port "
            + "\"\(client.address.port)\"."
    }

    func execute(_ text: String, _ printer: ResultPrinter) throws { try client.execute(text, TextPrinter(printer)) }
    func cancel() { client.cancel() }
    func close() {
        watcher.close()
        client.close()
    }

    func queueWait() -> QueueWait? { watcher.look() }

    /// Asks the server after long statements only.
    func lastTimes(_ nanoseconds: Int64) -> Session.AdmissionTimes? {
        nanoseconds > RemoteConnection.longNanoseconds ? watcher.lastTimes(nanoseconds) : nil
    }
    private static let longNanoseconds: Int64 = 500_000_000

    func rows(_ sql: String) throws -> [[String?]] {
        let list = TextRows()
        try client.execute(sql, list)
        return list.rows
    }
    /// The columns of a statement's result.
    func columns(_ sql: String) throws -> [ResultColumn] {
        let list = TextRows()
        try client.execute(sql, list)
        return list.columns
    }
}

/// Prints what a server sends.
private final class TextPrinter: WireResultHandler {
    private let printer: ResultPrinter
    init(_ printer: ResultPrinter) { self.printer = printer }
    func begin(columns: [ResultColumn]) throws { try printer.begin(columns: columns) }
    func row(_ values: [String?]) throws { try printer.row(values) }
    func end(tag: String) throws { try printer.end(tag: tag) }
    func notice(_ severity: String, _ message: String) { printer.notice("\(severity):  \(message)") }
}

/// Keeps a result.
final class TextRows: WireResultHandler {
    private(set) var columns: [ResultColumn] = []
    private(set) var rows: [[String?]] = []
    func begin(columns: [ResultColumn]) throws { self.columns = columns }
    func row(_ values: [String?]) throws { rows.append(values) }
    func end(tag: String) throws {}
    func notice(_ severity: String, _ message: String) {}
}
