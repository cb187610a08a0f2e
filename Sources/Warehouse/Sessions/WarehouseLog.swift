import BulkTransfer
import QueryPlan
import Synchronization

/// What the system tables tell of past statements. In memory, bounded, newest kept. Safe from any thread.
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
        /// Of SELECTs; kept for the newest ones only.
        var plan: PhysicalQuery?
    }
    struct BadRow: Sendable {
        var user: Int
        var query: Int
        var session: Int
        var table: Int64
        var startMicroseconds: Int64
        var error: LoadError
    }
    struct LoadedFile: Sendable {
        var user: Int
        var query: Int
        var name: String
        var rows: Int
        var bytes: Int64
        var endMicroseconds: Int64
    }
    private struct State {
        var queries: [Query] = []
        var badRows: [BadRow] = []
        var files: [LoadedFile] = []
    }
    private let state = Mutex(State())
    private let nextQuery = Atomic<Int>(1)
    private static let keptQueries = 10_000
    private static let keptRows = 100_000
    private static let keptPlans = 500

    func makeQueryID() -> Int { nextQuery.add(1, ordering: .relaxed).oldValue }
    func add(_ query: Query) {
        state.withLock {
            $0.queries.append(query)
            let old = $0.queries.count - 1 - WarehouseLog.keptPlans
            if old >= 0 { $0.queries[old].plan = nil }
            if $0.queries.count > 2 * WarehouseLog.keptQueries {
                $0.queries.removeFirst($0.queries.count - WarehouseLog.keptQueries)
            }
        }
    }
    func add(_ rows: [BadRow]) {
        state.withLock {
            $0.badRows += rows
            if $0.badRows.count > 2 * WarehouseLog.keptRows {
                $0.badRows.removeFirst($0.badRows.count - WarehouseLog.keptRows)
            }
        }
    }
    func add(_ files: [LoadedFile]) {
        state.withLock {
            $0.files += files
            if $0.files.count > 2 * WarehouseLog.keptRows {
                $0.files.removeFirst($0.files.count - WarehouseLog.keptRows)
            }
        }
    }
    var queries: [Query] { state.withLock { $0.queries } }
    var badRows: [BadRow] { state.withLock { $0.badRows } }
    var files: [LoadedFile] { state.withLock { $0.files } }
}
