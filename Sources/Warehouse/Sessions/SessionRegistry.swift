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
        /// Does the warehouse's own work: gives way to all others.
        var isAutomatic = false
        var cancel: @Sendable () -> Void
    }
    private let entries = Mutex<[Int: Entry]>([:])
    /// When a statement of a client last began or ended.
    private let lastActivity = Atomic<Int64>(0)
    private let automatic = Atomic<Int>(0)

    /// - Parameter cancel: must not keep the session alive.
    func add(_ number: Int, cancel: @escaping @Sendable () -> Void) {
        let entry = Entry(
            number: number, startMicroseconds: SystemTime().wallMicroseconds(), statement: nil,
            cancel: cancel)
        entries.withLock { $0[number] = entry }
    }
    func remove(_ number: Int) {
        _ = automatic.compareExchange(expected: number, desired: 0, ordering: .relaxed)
        entries.withLock { $0[number] = nil }
    }
    func begin(_ number: Int, _ statement: RunningStatement) {
        let isAutomatic = entries.withLock { entries in
            entries[number]?.statement = statement
            return entries[number]?.isAutomatic ?? false
        }
        if isAutomatic { return }
        lastActivity.store(statement.startMicroseconds, ordering: .relaxed)
        if automatic.load(ordering: .relaxed) != 0 { cancelAutomatic() }
    }
    func end(_ number: Int) {
        let isAutomatic = entries.withLock { entries in
            entries[number]?.statement = nil
            return entries[number]?.isAutomatic ?? false
        }
        if !isAutomatic { lastActivity.store(SystemTime().wallMicroseconds(), ordering: .relaxed) }
    }

    // MARK: The warehouse's own work

    func markAutomatic(_ number: Int) {
        entries.withLock { $0[number]?.isAutomatic = true }
        automatic.store(number, ordering: .relaxed)
    }
    func cancelAutomatic() {
        let number = automatic.load(ordering: .relaxed)
        if number != 0 { _ = cancel(number) }
    }
    /// No client's statement runs, or ran after that time.
    func isQuiet(since microseconds: Int64) -> Bool {
        if lastActivity.load(ordering: .relaxed) > microseconds { return false }
        return entries.withLock { $0.values.allSatisfy { $0.isAutomatic || $0.statement == nil } }
    }

    /// By number.
    var all: [Entry] { entries.withLock { $0.values.sorted { $0.number < $1.number } } }

    /// False when there is no such session.
    func cancel(_ number: Int) -> Bool {
        guard let entry = entries.withLock({ $0[number] }) else { return false }
        entry.cancel()
        return true
    }
}
