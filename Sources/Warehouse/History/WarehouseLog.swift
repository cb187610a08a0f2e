import BulkTransfer
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes
import Synchronization
import Workload

/// What the system tables tell of past statements, loads and connections. The newest are in memory; with a directory
/// they are written to its ``HistoryFiles`` too and come back, when a query asks for them, after a restart. Statements
/// only queue what they did: their plans are worked through, redacted and written by the log's own thread or by the
/// first reader. Safe from any thread.
final class WarehouseLog: Sendable {
    struct Query: Sendable {
        var id: Int
        var session: Int
        /// A user's id.
        var user: Int
        var text: String
        var startMicroseconds: Int64
        var endMicroseconds: Int64
        var rows: Int
        var errorMessage: String?
        var errorState: String?
        var transaction: Int64 = 0
        /// The query_group setting.
        var label = ""
        /// Until execution began: parsed, bound, planned, locks taken.
        var planningMicroseconds: Int64 = 0
        var resultBytes: Int64 = 0
        /// That the session was connected to; empty in what was kept from before there were several.
        var database = ""
        /// nil for what the leader did alone.
        var admission: AdmissionRecord?
        /// The statement whose kept result answered; nil: it ran.
        var sourceQuery: Int?
        /// A query of catalogs and constants, which no slice has seen.
        var isOfLeader = false
        /// The CALL that it is a statement of; not kept over restarts.
        var caller: Int?
        /// Worked out when it comes into the log.
        private(set) var family = QueryText.Family.utility

        mutating func classify() {
            family = QueryText.kind(text).family
            if isOfLeader && family == .query { family = .utility }
        }
    }
    struct BadRow: Sendable {
        var user: Int
        var query: Int
        var session: Int
        var table: Int64
        var startMicroseconds: Int64
        var error: LoadError
        /// 0: of none.
        var copyJob: Int64 = 0
    }
    struct LoadedFile: Sendable {
        var user: Int
        var query: Int
        var name: String
        var rows: Int
        var bytes: Int64
        var endMicroseconds: Int64
        var format = "Text"
        var errors = 0
        /// 0: of none.
        var copyJob: Int64 = 0
    }
    /// What an UNLOAD has written; nothing when it failed.
    struct Unload: Sendable {
        var user: Int
        var query: Int
        var session: Int
        /// As the statement names it.
        var location: String
        var format: String
        var compression: String
        var files: [UnloadedFile]
    }
    /// The beginning or the end of a session.
    struct Connection: Sendable {
        enum Event: Int, Sendable { case authenticated, began, ended, refused }
        var event: Event
        var microseconds: Int64
        var session: Int
        /// A user's id; 0 in what older versions wrote, which only superusers see.
        var user: Int
        /// Of the session, at its end.
        var durationMicroseconds: Int64 = 0
        var client: ClientFacts
        /// Why it was refused; empty for a wrong password.
        var reason = ""
    }
    /// Working a plan through costs more than a short statement, so that it waits for a reader when there are many.
    enum Detail: Sendable {
        case made(QueryDetail)
        case waiting(query: Int, [QueryRun])

        var value: QueryDetail? {
            switch self {
            case .made(let detail): detail
            case .waiting(let query, let runs): QueryDetail(query: query, runs)
            }
        }
    }
    struct State {
        var queries: [Query] = []
        var textBytes = 0
        /// Of statements that ran a plan over tables.
        var details: [Detail] = []
        /// Of INSERTs of constants, apart: they come in floods.
        var inserts: [QueryDetail] = []
        var badRows: [BadRow] = []
        var files: [LoadedFile] = []
        var unloads: [Unload] = []
        var connections: [Connection] = []
        /// What earlier processes have written has been read, or there is nothing.
        var isLoaded = true
    }
    /// What a statement leaves for later.
    private enum Item: Sendable {
        case query(Query, [QueryRun], ConstantInsert?)
        case badRows([BadRow])
        case files([LoadedFile])
        case unload(Unload)
        case connection(Connection)
        case refusal(Connection)
    }
    /// Of all COPYs of this process.
    struct Loads: ~Copyable, Sendable {
        let rows = Atomic<Int>(0)
        let bytes = Atomic<Int>(0)
        let errors = Atomic<Int>(0)
    }
    let loads = Loads()

    private let state = Lock(State())
    private let nextQuery: Atomic<Int>
    private let queue: HistoryQueue<Item>
    private let files: HistoryFiles?
    private let kept: Kept
    /// Of statements that came in one go (20 times a second), those whose steps are written to the files.
    private static let workedThrough = 64

    /// How much stays in memory at least; twice as much before some of it goes.
    struct Kept {
        var queries = 10_000
        var textBytes = 64 << 20
        var details = 1_000
        var rows = 100_000

        /// All of it takes a few hundredths of the memory.
        init(memoryBytes: Int) {
            let share = memoryBytes / 64
            textBytes = min(textBytes, max(share, 1 << 20))
            details = min(details, max(share / Kept.detailBytes, 16))
            rows = min(rows, max(share / Kept.rowBytes, 1_000))
        }
        private static let detailBytes = 32 << 10
        private static let rowBytes = 1 << 10
    }

    /// - Parameter files: nil keeps everything in memory.
    init(files: HistoryFiles? = nil, memoryBytes: Int) {
        self.files = files
        kept = Kept(memoryBytes: memoryBytes)
        queue = HistoryQueue()
        nextQuery = Atomic(1 + (files?.lastQuery ?? 0))
        if files != nil { state.withLock { $0.isLoaded = false } }
    }

    deinit { close() }

    /// Writes what is queued; nothing may be added afterwards.
    func close() {
        queue.stop()
        settle()
        files?.close()
    }

    func makeQueryID() -> Int { nextQuery.add(1, ordering: .relaxed).oldValue }

    // MARK: Writing

    func add(_ query: Query, runs: [QueryRun] = [], inserted: ConstantInsert? = nil) {
        put(.query(query, runs, inserted))
    }
    func add(_ rows: [BadRow]) {
        loads.errors.add(rows.count, ordering: .relaxed)
        if !rows.isEmpty { put(.badRows(rows)) }
    }
    func add(_ files: [LoadedFile]) {
        for file in files {
            loads.rows.wrappingAdd(file.rows, ordering: .relaxed)
            loads.bytes.wrappingAdd(Int(clamping: file.bytes), ordering: .relaxed)
        }
        if !files.isEmpty { put(.files(files)) }
    }
    func add(refusal: Connection) { put(.refusal(refusal)) }
    func add(_ unload: Unload) { put(.unload(unload)) }
    func add(_ connection: Connection) { put(.connection(connection)) }

    private func put(_ item: Item) {
        queue.put(item) { [weak self] in self?.settle() }
    }

    /// Works through the queue; readers call it so that they see every finished statement.
    private func settle() {
        queue.drain { items in
            var records: [HistoryRecord] = []
            var waiting: [Detail] = []
            var left = WarehouseLog.workedThrough
            let last = Self.lastInserts(items)
            for (index, item) in items.enumerated() {
                guard case .query(let query, let runs, let inserted) = item else {
                    records.append(Self.finished(item))
                    continue
                }
                if runs.isEmpty && inserted == nil {
                    records.append(Self.finished(item))
                } else if left == 0 {
                    if !runs.isEmpty { waiting.append(.waiting(query: query.id, runs)) }
                    // In a flood the last of each table says when it was written.
                    let kept = inserted.flatMap { last[$0.table] == index ? $0 : nil }
                    records.append(Self.finished(.query(query, [], kept)))
                } else {
                    left -= 1
                    records.append(Self.finished(item))
                }
            }
            state.withLock { state in
                for record in records { state.add(record) }
                state.details += waiting
                state.trim(to: kept)
            }
            files?.append(records)
        }
    }

    /// By table: where the last INSERT of constants stands.
    private static func lastInserts(_ items: [Item]) -> [Int64: Int] {
        guard items.count > workedThrough else { return [:] }
        var result: [Int64: Int] = [:]
        for (index, item) in items.enumerated() {
            if case .query(_, _, let inserted?) = item { result[inserted.table] = index }
        }
        return result
    }

    private static func finished(_ item: Item) -> HistoryRecord {
        switch item {
        case .query(var query, let runs, let inserted):
            query.text = SecretRedaction.redacted(query.text)
            query.classify()
            let made = QueryDetail(query: query.id, runs)
            return .query(query, made ?? inserted.map { QueryDetail(query: query.id, $0) })
        case .badRows(let rows): return .badRows(rows)
        case .files(let files): return .files(files)
        case .unload(let unload): return .unload(unload)
        case .connection(let connection): return .connection(connection)
        case .refusal(let connection): return .refusal(connection)
        }
    }

    // MARK: Reading

    private func read<Value>(_ part: (State) -> Value) -> Value {
        settle()
        load()
        return state.withLock { part($0) }
    }
    var queries: [Query] { read(\.queries) }
    var details: [QueryDetail] {
        let (details, inserts) = read { ($0.details, $0.inserts) }
        return details.compactMap(\.value) + inserts
    }
    var badRows: [BadRow] { read(\.badRows) }
    var loadedFiles: [LoadedFile] { read(\.files) }
    var unloads: [Unload] { read(\.unloads) }
    var connections: [Connection] { read(\.connections) }
    var failure: (error: SQLError, microseconds: Int64)? { files?.failure }

    /// Reads what earlier processes have written, once.
    private func load() {
        guard let files, !state.withLock({ $0.isLoaded }) else { return }
        var old = State()
        for record in files.earlierRecords() { old.add(record) }
        old.trim(to: kept)
        state.withLock { state in
            if state.isLoaded { return }
            old.queries += state.queries
            old.textBytes += state.textBytes
            old.details += state.details
            old.inserts += state.inserts
            old.badRows += state.badRows
            old.files += state.files
            old.unloads += state.unloads
            old.connections += state.connections
            old.isLoaded = true
            state = old
        }
    }
}

extension WarehouseLog.State {
    fileprivate mutating func add(_ record: HistoryRecord) {
        switch record {
        case .query(let query, let detail):
            queries.append(query)
            textBytes += query.text.utf8.count
            // Without a plan there are no nodes.
            if let detail, detail.nodes.isEmpty {
                inserts.append(detail)
            } else if let detail {
                details.append(.made(detail))
            }
        case .badRows(let rows): badRows += rows
        case .files(let more): files += more
        case .unload(let unload): unloads.append(unload)
        case .connection(let connection), .refusal(let connection): connections.append(connection)
        }
    }

    /// Cut when there is twice as much as is kept, so that the cost is small for each.
    fileprivate mutating func trim(to kept: WarehouseLog.Kept) {
        func cut<Element>(_ list: inout [Element], _ kept: Int) {
            if list.count > 2 * kept { list.removeFirst(list.count - kept) }
        }
        if queries.count > 2 * kept.queries || textBytes > 2 * kept.textBytes {
            var surplus = max(queries.count - kept.queries, 0)
            for query in queries[..<surplus] { textBytes -= query.text.utf8.count }
            while textBytes > kept.textBytes && surplus < queries.count - 1 {
                textBytes -= queries[surplus].text.utf8.count
                surplus += 1
            }
            queries.removeFirst(surplus)
        }
        cut(&badRows, kept.rows)
        cut(&files, kept.rows)
        cut(&unloads, kept.details)
        cut(&connections, kept.queries)
        cut(&details, kept.details)
        cut(&inserts, kept.details)
    }
}
