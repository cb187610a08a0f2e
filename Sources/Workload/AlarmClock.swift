import Platform

/// One thread for the time limits of all statements of a warehouse, started with the first of them; it ends with the
/// object. Safe from any thread.
package final class AlarmClock: Sendable {
    private let desk: Desk

    package init(_ time: any TimeSource) { desk = Desk(time) }
    deinit { desk.stop() }

    func add(afterMilliseconds milliseconds: Int, _ cancellation: CancellationToken) throws -> UInt64 {
        try desk.add(Int64(milliseconds) * 1_000_000, cancellation)
    }
    func remove(_ number: UInt64) { desk.remove(number) }

    /// What the thread holds, which must not hold the clock.
    private final class Desk: @unchecked Sendable {  // guarded by `monitor`
        private let time: any TimeSource
        private let monitor = Monitor()
        private var alarms: [UInt64: (deadline: Int64, cancellation: CancellationToken)] = [:]
        private var nextNumber: UInt64 = 1
        private var isRunning = false
        private var isStopping = false
        /// When the thread will look next.
        private var nextLook = Int64.max

        init(_ time: any TimeSource) { self.time = time }

        func add(_ nanoseconds: Int64, _ cancellation: CancellationToken) throws -> UInt64 {
            let deadline = time.monotonicNanoseconds() + nanoseconds
            return try monitor.withLock {
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

        func stop() {
            monitor.withLock {
                isStopping = true
                monitor.wakeAll()
            }
        }

        private func run() {
            monitor.withLock {
                while !isStopping {
                    let now = time.monotonicNanoseconds()
                    for (number, alarm) in alarms where alarm.deadline <= now {
                        alarm.cancellation.cancel(.statementTimeout)
                        alarms[number] = nil
                    }
                    nextLook = alarms.values.map(\.deadline).min() ?? .max
                    if nextLook == .max { monitor.wait() } else { _ = time.wait(monitor, untilNanoseconds: nextLook) }
                }
            }
        }
    }
}
