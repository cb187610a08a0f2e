import Platform
import Synchronization

/// A statement's right to run, from its admission to ``release()``. Belongs to the statement's thread, which
/// must release it; the manager's monitor reads what is marked so.
package final class AdmissionTicket: @unchecked Sendable {  // all that changes is guarded by the manager's monitor
    /// Changes under the monitor until ``release(isComplete:)``; then nobody else knows it.
    let entry: Scheduler.Entry
    /// All of its waiting for slots, also behind locks. Under the monitor.
    var queueNanoseconds: Int64
    /// Under the monitor.
    var watch = RuleWatch()
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

    /// Says why the monitor ends the statement; false: it sends rows to its client, and that is left alone.
    func willEnd(_ reason: Verdict, sparesReturning: Bool) -> Bool {
        verdict.withLock { verdict in
            if sparesReturning && returning.load(ordering: .relaxed) { return false }
            if verdict == nil { verdict = reason }
            return true
        }
    }

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
        _ manager: WorkloadManager, _ entry: Scheduler.Entry, _ meter: StatementMeter, _ share: StatementShare,
        _ cancellation: CancellationToken
    ) {
        self.manager = manager
        self.entry = entry
        number = entry.sequence
        memoryBytes = entry.memoryBytes
        queueNanoseconds = (entry.startedNanoseconds ?? entry.arrivedNanoseconds) - entry.arrivedNanoseconds
        self.meter = meter
        self.share = share
        self.cancellation = cancellation
    }

    /// Gives everything back; the first call counts. What the log is to tell of the admission.
    ///
    /// - Parameter isComplete: it has done what it was to do; what others took tells nothing of the next ones.
    @discardableResult
    package func release(isComplete: Bool) -> AdmissionRecord? {
        if isReleased.exchange(true, ordering: .relaxed) { return nil }
        meter.end()
        return manager.finish(self, isComplete: isComplete)
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

/// One admission as the history keeps it: an object, because the records of statements are handed on many times.
@dynamicMemberLookup
package final class AdmissionRecord: Sendable {
    package let figures: Figures

    package init(_ figures: Figures) { self.figures = figures }

    package subscript<Value>(dynamicMember member: KeyPath<Figures, Value>) -> Value { figures[keyPath: member] }

    /// Times of the warehouse's wall clock.
    package struct Figures: Sendable, Hashable {
        package var serviceClass: Int
        package var serviceClassName: String
        package var slots = 1
        package var arrivedMicroseconds: Int64 = 0
        package var startedMicroseconds: Int64 = 0
        package var endedMicroseconds: Int64 = 0
        /// All waiting for slots, also after locks.
        package var queueMicroseconds: Int64 = 0
        package var priority = QueryPriority.normal
        package var isShort = false
        package var isScaledOut = false
        package var wasEvicted = false
        package var memoryPeakBytes: Int64 = 0
        /// Without waiting for slots and locks.
        package var runMicroseconds: Int64 = 0
        package var metrics = QueryMetrics()

        package init(_ serviceClass: Int, _ name: String) {
            self.serviceClass = serviceClass
            serviceClassName = name
        }
    }
}
