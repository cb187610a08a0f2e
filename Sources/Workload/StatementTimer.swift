import Platform
import Synchronization

/// Cancels a statement that runs too long. Its thread ends with the statement.
public final class StatementTimer: Sendable {
    private let monitor = Monitor()
    private let done = Atomic<Bool>(false)

    /// nil without a limit.
    public init?(milliseconds: Int, _ cancellation: CancellationToken) throws {
        guard milliseconds > 0 else { return nil }
        let deadline = SystemTime().monotonicNanoseconds() + Int64(milliseconds) * 1_000_000
        let monitor = self.monitor
        try NativeThread.start(name: "timeout") { [self] in
            monitor.withLock {
                while !done.load(ordering: .relaxed) {
                    if !monitor.wait(untilNanoseconds: deadline) {
                        if !done.load(ordering: .relaxed) { cancellation.cancel(.statementTimeout) }
                        return
                    }
                }
            }
        }
    }
    public func stop() {
        monitor.withLock {
            done.store(true, ordering: .relaxed)
            monitor.wakeAll()
        }
    }
}
