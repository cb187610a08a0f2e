import Platform

/// Counts running statements, so that one that exchanges the whole store can wait until it is alone. Safe from any
/// thread.
final class StatementGate: Sendable {
    private final class State: @unchecked Sendable {  // guarded by `monitor`
        var running = 0
        var isClosed = false
    }
    private let monitor = Monitor()
    private let state = State()
    /// How often a waiter looks whether its statement was cancelled.
    private static let lookNanoseconds: Int64 = 20_000_000

    /// A statement begins; waits while another one has the warehouse for itself.
    func enter(_ cancellation: CancellationToken) throws {
        try monitor.withLock {
            while state.isClosed {
                waitALittle()
                try cancellation.check()
            }
            state.running += 1
        }
    }

    func leave() {
        monitor.withLock {
            state.running -= 1
            if state.isClosed { monitor.wakeAll() }
        }
    }

    /// Runs `body` while no other statement runs.
    ///
    /// - Parameter check: throws when waiting makes no sense; called again and again.
    /// - Returns: nil when another statement is about to be alone.
    func alone<Result>(
        _ cancellation: CancellationToken, _ check: () throws -> Void, _ body: () throws -> Result
    ) throws -> Result? {
        let isMine = monitor.withLock {
            if state.isClosed { return false }
            state.isClosed = true
            return true
        }
        if !isMine { return nil }
        defer {
            monitor.withLock {
                state.isClosed = false
                monitor.wakeAll()
            }
        }
        try monitor.withLock {
            while true {
                try check()
                if state.running <= 1 { return }
                waitALittle()
                try cancellation.check()
            }
        }
        return try body()
    }

    private func waitALittle() {
        _ = monitor.wait(atMostNanoseconds: StatementGate.lookNanoseconds)
    }
}
