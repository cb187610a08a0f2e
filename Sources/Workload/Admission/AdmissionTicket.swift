import Platform
import Synchronization

/// A statement's right to run, from its admission to ``release()``. Belongs to the statement's thread, which
/// must release it; the manager's monitor reads what is marked so.
package final class AdmissionTicket: Sendable {
    package let number: Int
    /// Read by the monitor.
    package let meter: StatementMeter
    /// Read by the monitor.
    package let share: StatementShare
    /// Set by the monitor.
    let cancellation: CancellationToken
    /// What its operators may use; nil: its share of what is free.
    package let memoryBytes: Int?
    private let manager: WorkloadManager
    private let isReleased = Atomic<Bool>(false)
    /// Before its first row is sent; throws when it is to begin again.
    package func beginReturning() throws {
        if returning.load(ordering: .relaxed) { return }
        try verdict.withLock { verdict in
            if case .restart? = verdict { throw StatementCancelled(reason: .queueHop) }
            returning.store(true, ordering: .relaxed)
        }
    }
    package var isReturning: Bool { returning.load(ordering: .relaxed) }

    /// False: it cannot begin again any more.
    func willRestart(after queue: Int) -> Bool {
        verdict.withLock { verdict in
            if verdict != nil || returning.load(ordering: .relaxed) { return false }
            verdict = .restart(after: queue)
            return true
        }
    }

    /// Read by the monitor: what only the statement knows.
    package let skews = Lock(Skews())
    /// Why the monitor has cancelled it.
    let verdict = Lock<Verdict?>(nil)
    /// It sends rows to its client: it cannot begin again any more. Written under the verdict's lock.
    private let returning = Atomic<Bool>(false)

    package struct Skews: Sendable {
        package var cpu = 1.0
        package var io = 1.0
        package init(cpu: Double = 1, io: Double = 1) { (self.cpu, self.io) = (cpu, io) }
    }
    package enum Verdict: Sendable, Hashable {
        case rule(String)
        case timeLimit
        /// It begins again, in a queue behind this one.
        case restart(after: Int)
    }

    init(
        _ manager: WorkloadManager, _ number: Int, memoryBytes: Int?, _ meter: StatementMeter, _ share: StatementShare,
        _ cancellation: CancellationToken
    ) {
        self.manager = manager
        self.number = number
        self.memoryBytes = memoryBytes
        self.meter = meter
        self.share = share
        self.cancellation = cancellation
    }

    /// Gives everything back; the first call counts. What the log is to tell of the admission.
    @discardableResult
    package func release() -> AdmissionRecord? {
        if isReleased.exchange(true, ordering: .relaxed) { return nil }
        meter.end()
        share.end()
        return manager.finish(self)
    }

    /// Others may have its slots while `body` waits for a lock.
    package func suspended<Result>(_ body: () throws -> Result) throws -> Result {
        manager.suspend(self)
        // Who fails ends without slots.
        let result = try body()
        try manager.resume(self)
        return result
    }

    package var decision: Verdict? { verdict.withLock { $0 } }
}

/// One admission as the history keeps it. Times of the warehouse's wall clock.
package struct AdmissionRecord: Sendable, Hashable {
    package var serviceClass: Int
    package var serviceClassName: String
    package var slots: Int
    package var arrivedMicroseconds: Int64
    package var startedMicroseconds: Int64
    package var endedMicroseconds: Int64
    /// All waiting for slots, also after locks.
    package var queueMicroseconds: Int64
    package var priority: QueryPriority
    package var isShort: Bool
    package var isScaledOut: Bool
    package var wasEvicted: Bool
    package var memoryPeakBytes: Int64
    package var metrics: QueryMetrics
    package var runMicroseconds: Int64 { max(endedMicroseconds - startedMicroseconds, 0) }

    package init(_ serviceClass: Int, _ name: String) {
        self.serviceClass = serviceClass
        serviceClassName = name
        slots = 1
        (arrivedMicroseconds, startedMicroseconds, endedMicroseconds, queueMicroseconds) = (0, 0, 0, 0)
        priority = .normal
        (isShort, isScaledOut, wasEvicted) = (false, false, false)
        memoryPeakBytes = 0
        metrics = QueryMetrics()
    }
}
