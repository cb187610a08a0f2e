import Platform

/// Connections whose client has not proved who it is, and those to the status page: whoever can reach the port can make
/// them, so they have a limit of their own. When it is reached, the one that has waited longest makes way, unless it
/// had hardly time to log in: then the new one is turned away. Safe from any thread.
final class PendingLogins: Sendable {
    private struct Entry {
        var startNanoseconds: Int64
        var close: @Sendable () -> Void
    }
    private struct State {
        var entries: [Int: Entry] = [:]
        var next = 0
    }
    private let state = Lock(State())
    private let limit: Int
    /// What a client needs to log in, generously.
    private static let graceNanoseconds: Int64 = 1_000_000_000

    init(limit: Int) { self.limit = limit }

    var count: Int { state.withLock { $0.entries.count } }

    /// - Parameter close: called from any thread when the connection has to make way.
    /// - Returns: what ``remove(_:)`` wants; nil when there is no room.
    func add(nowNanoseconds now: Int64, close: @escaping @Sendable () -> Void) -> Int? {
        var evicted: Entry?
        let number: Int? = state.withLock { state in
            if state.entries.count >= limit {
                guard let first = state.entries.keys.min(), let entry = state.entries[first],
                    now - entry.startNanoseconds >= PendingLogins.graceNanoseconds
                else { return nil }
                state.entries[first] = nil
                evicted = entry
            }
            state.next += 1
            state.entries[state.next] = Entry(startNanoseconds: now, close: close)
            return state.next
        }
        evicted?.close()
        return number
    }

    /// The server ends: nobody waits to log in any more.
    func closeAll() {
        for entry in state.withLock({ Array($0.entries.values) }) { entry.close() }
    }

    func remove(_ number: Int) { state.withLock { _ = $0.entries.removeValue(forKey: number) } }
}
