import Platform
import Synchronization

/// The open sessions of a warehouse and what each runs: for pg_stat_activity and its relatives, and to cancel from
/// another session. Safe from any thread.
final class SessionRegistry: Sendable {
    struct RunningStatement: Sendable {
        var query: Int
        var text: String
        var startMicroseconds: Int64
    }
    struct Entry: Sendable {
        var number: Int
        var startMicroseconds: Int64
        var statement: RunningStatement?
        var cancel: @Sendable () -> Void
    }
    private let entries = Mutex<[Int: Entry]>([:])

    /// - Parameter cancel: must not keep the session alive.
    func add(_ number: Int, cancel: @escaping @Sendable () -> Void) {
        let entry = Entry(
            number: number, startMicroseconds: SystemTime().wallMicroseconds(), statement: nil, cancel: cancel)
        entries.withLock { $0[number] = entry }
    }
    func remove(_ number: Int) { entries.withLock { $0[number] = nil } }
    func begin(_ number: Int, _ statement: RunningStatement) { entries.withLock { $0[number]?.statement = statement } }
    func end(_ number: Int) { entries.withLock { $0[number]?.statement = nil } }

    /// By number.
    var all: [Entry] { entries.withLock { $0.values.sorted { $0.number < $1.number } } }

    /// False when there is no such session.
    func cancel(_ number: Int) -> Bool {
        guard let entry = entries.withLock({ $0[number] }) else { return false }
        entry.cancel()
        return true
    }
}
