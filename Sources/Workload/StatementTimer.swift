import Platform

/// Cancels a statement that runs too long. Costs two looks at a clock's list, no thread of its own.
package final class StatementTimer: Sendable {
    private let clock: AlarmClock
    private let alarm: UInt64

    /// nil without a limit.
    package init?(milliseconds: Int, _ cancellation: CancellationToken, _ clock: AlarmClock) throws {
        guard milliseconds > 0 else { return nil }
        self.clock = clock
        alarm = try clock.add(afterMilliseconds: milliseconds, cancellation)
    }

    package func stop() { clock.remove(alarm) }
}
