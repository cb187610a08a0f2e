import Platform
import Synchronization

/// Cancels a statement that runs too long. Costs two looks at a clock's list, no thread of its own.
package final class StatementTimer: Sendable {
    private let alarm: UInt64

    /// nil without a limit.
    package init?(milliseconds: Int, _ cancellation: CancellationToken) throws {
        guard milliseconds > 0 else { return nil }
        let deadline = SystemTime().monotonicNanoseconds() + Int64(milliseconds) * 1_000_000
        alarm = try AlarmClock.shared.add(deadlineNanoseconds: deadline, cancellation)
    }

    package func stop() { AlarmClock.shared.remove(alarm) }
}

/// One thread for the time limits of all statements, started with the first of them.
private final class AlarmClock: @unchecked Sendable {  // guarded by `monitor`
    static let shared = AlarmClock()

    private let monitor = Monitor()
    private var alarms: [UInt64: (deadline: Int64, cancellation: CancellationToken)] = [:]
    private var nextNumber: UInt64 = 1
    private var isRunning = false
    /// When the thread will look next.
    private var nextLook = Int64.max

    func add(deadlineNanoseconds deadline: Int64, _ cancellation: CancellationToken) throws -> UInt64 {
        try monitor.withLock {
            if !isRunning {
                try NativeThread.start(name: "timeouts") { self.run() }
                isRunning = true
            }
            let number = nextNumber
            nextNumber += 1
            alarms[number] = (deadline, cancellation)
            if deadline < nextLook { monitor.wakeAll() }
            return number
        }
    }

    func remove(_ number: UInt64) { monitor.withLock { alarms[number] = nil } }

    private func run() {
        monitor.withLock {
            while true {
                let now = SystemTime().monotonicNanoseconds()
                for (number, alarm) in alarms where alarm.deadline <= now {
                    alarm.cancellation.cancel(.statementTimeout)
                    alarms[number] = nil
                }
                nextLook = alarms.values.map(\.deadline).min() ?? .max
                if nextLook == .max { monitor.wait() } else { _ = monitor.wait(untilNanoseconds: nextLook) }
            }
        }
    }
}
