import Catalog
import ColumnStore
import PGWire
import SQLTypes
import Warehouse

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
    /// From any thread.
    func cancel()
    func close()
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
    func cancel() { session.cancel() }
    func close() { try? session.close() }
}

/// A connection to a server.
final class RemoteConnection: ShellConnection {
    private let client: WireClient

    init(_ address: ServerAddress) throws { client = try WireClient(address) }

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
    func close() { client.close() }

    /// The rows of a question of the shell's own.
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

private final class TextRows: WireResultHandler {
    private(set) var columns: [ResultColumn] = []
    private(set) var rows: [[String?]] = []
    func begin(columns: [ResultColumn]) throws { self.columns = columns }
    func row(_ values: [String?]) throws { rows.append(values) }
    func end(tag: String) throws {}
    func notice(_ severity: String, _ message: String) {}
}
