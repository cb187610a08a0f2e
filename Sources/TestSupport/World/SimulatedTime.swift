import Platform

/// Time that stands still until a test moves it on; whoever waits for a moment wakes when it has come. Safe from any
/// thread.
package final class SimulatedTime: TimeSource {
    private struct State {
        var nanoseconds: Int64
        var wallMicroseconds: Int64
        /// How many wait on each.
        var waiting: [ObjectIdentifier: (monitor: Monitor, count: Int)] = [:]
    }
    private let state: Lock<State>

    /// 2026-03-01 00:00:00 UTC, unless something else is said.
    package init(wallMicroseconds: Int64 = 1_772_323_200_000_000) {
        state = Lock(State(nanoseconds: 1_000_000_000, wallMicroseconds: wallMicroseconds))
    }

    package func monotonicNanoseconds() -> Int64 { state.withLock { $0.nanoseconds } }
    package func wallMicroseconds() -> Int64 { state.withLock { $0.wallMicroseconds } }

    package func wait(_ monitor: Monitor, untilNanoseconds deadline: Int64) -> Bool {
        let key = ObjectIdentifier(monitor)
        let isOver = state.withLock { state in
            if state.nanoseconds >= deadline { return true }
            state.waiting[key, default: (monitor, 0)].count += 1
            return false
        }
        if isOver { return false }
        // Whoever moves the time on needs the monitor to wake this thread, so it cannot come too early.
        monitor.wait()
        return state.withLock { state in
            state.waiting[key]?.count -= 1
            if state.waiting[key]?.count == 0 { state.waiting[key] = nil }
            return state.nanoseconds < deadline
        }
    }

    package func advance(seconds: Double) {
        let monitors = state.withLock { state in
            state.nanoseconds += Int64(seconds * 1e9)
            state.wallMicroseconds += Int64(seconds * 1e6)
            return state.waiting.values.map(\.monitor)
        }
        for monitor in monitors { monitor.withLock { monitor.wakeAll() } }
    }

    /// Those who wait for a moment, so that a test can tell that somebody does.
    package var waitingCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }
}
