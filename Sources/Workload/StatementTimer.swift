import Platform

/// Cancels a statement that runs too long. Costs two looks at a clock's list, no thread of its own.
package final class StatementTimer: Sendable {
    private let clock: AlarmClock
    private let alarm: UInt64

    package init(_ milliseconds: Int, _ cancellation: CancellationToken, _ clock: AlarmClock) throws {
        self.clock = clock
        alarm = try clock.add(afterMilliseconds: milliseconds, cancellation)
    }

    package func stop() { clock.remove(alarm) }
}
