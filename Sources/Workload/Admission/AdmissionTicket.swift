import Platform
import Synchronization

/// A statement's right to run, from its admission to ``release(isComplete:)``: its scheduler's entry, and what its
/// thread and the manager's monitor know of each other. Belongs to the statement's thread, which must release it.
package final class AdmissionTicket: Scheduler.Entry, @unchecked Sendable {  // guarded by the manager's monitor
    private let manager: WorkloadManager
    /// Read by the monitor; it also has the statement's meter.
    package let share: StatementShare
    /// Set by the monitor.
    let cancellation: CancellationToken
    /// It runs, or waits for slots again that it had: not before its first start, and not after its end.
    var isAdmitted = false
    /// All of its waiting for slots, also behind locks.
    var queueNanoseconds: Int64 = 0
    var watch = RuleWatch()
    private let isReleased = Atomic<Bool>(false)
    private let course = Atomic<UInt8>(0)
    /// Written by the monitor before ``course`` says that it is there, and never again.
    private var verdict: Verdict?
    /// Written by the statement's thread for the monitor, as the bits of fractions.
    private let cpuSkewBits = Atomic<UInt64>(AdmissionTicket.even)
    private let ioSkewBits = Atomic<UInt64>(AdmissionTicket.even)
    private static let even = 1.0.bitPattern

    package enum Verdict: Sendable, Hashable {
        case rule(String)
        case timeLimit
        /// It begins again, in a queue behind this one.
        case restart(after: Int)
    }
    /// Bits of ``course``.
    private enum Course {
        /// It sends rows to its client: it cannot begin again any more.
        static let returning: UInt8 = 1
        /// There is a verdict.
        static let decided: UInt8 = 2
    }

    init(
        _ manager: WorkloadManager, _ share: StatementShare, _ cancellation: CancellationToken,
        _ arrival: Scheduler.Arrival
    ) {
        self.manager = manager
        self.share = share
        self.cancellation = cancellation
        super.init(arrival)
    }

    override var ticket: AdmissionTicket? { isAdmitted ? self : nil }

    /// It has its slots for the first time.
    func begin() {
        isAdmitted = true
        queueNanoseconds = (startedNanoseconds ?? arrivedNanoseconds) - arrivedNanoseconds
    }

    // MARK: The statement's thread

    /// Before its first row is sent; throws when it is to begin again.
    package func beginReturning() throws {
        var seen = course.load(ordering: .acquiring)
        while seen & Course.returning == 0 {
            if seen & Course.decided != 0, case .restart? = verdict { throw StatementCancelled(reason: .queueHop) }
            let (exchanged, original) = course.compareExchange(
                expected: seen, desired: seen | Course.returning, ordering: .acquiringAndReleasing)
            if exchanged { return }
            seen = original
        }
    }

    /// For rules about skew.
    package func note(cpuSkew: Double, ioSkew: Double) {
        cpuSkewBits.store(cpuSkew.bitPattern, ordering: .relaxed)
        ioSkewBits.store(ioSkew.bitPattern, ordering: .relaxed)
    }

    /// Gives everything back; the first call counts. What the log is to tell of the admission.
    ///
    /// - Parameter isComplete: it has done what it was to do; what others took tells nothing of the next ones.
    @discardableResult
    package func release(isComplete: Bool) -> AdmissionRecord? {
        if isReleased.exchange(true, ordering: .relaxed) { return nil }
        share.meter.end()
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

    // MARK: The monitor

    /// Says why the monitor ends the statement; false: it sends rows to its client, and that is left alone.
    func willEnd(_ reason: Verdict, sparesReturning: Bool) -> Bool {
        decide(reason) { !sparesReturning || $0 & Course.returning == 0 }
    }

    /// False: it cannot begin again any more.
    func willRestart(after queue: Int) -> Bool { decide(.restart(after: queue)) { $0 == 0 } }

    /// The first reason stays.
    private func decide(_ reason: Verdict, where mayDecide: (UInt8) -> Bool) -> Bool {
        var seen = course.load(ordering: .relaxed)
        while mayDecide(seen) {
            if seen & Course.decided != 0 { return true }
            verdict = reason
            let (exchanged, original) = course.compareExchange(
                expected: seen, desired: seen | Course.decided, ordering: .releasing)
            if exchanged { return true }
            seen = original
        }
        return false
    }

    var cpuSkew: Double { Double(bitPattern: cpuSkewBits.load(ordering: .relaxed)) }
    var ioSkew: Double { Double(bitPattern: ioSkewBits.load(ordering: .relaxed)) }

    // MARK: Both

    package var isReturning: Bool { course.load(ordering: .relaxed) & Course.returning != 0 }
    /// Why the monitor has cancelled it.
    package var decision: Verdict? { course.load(ordering: .acquiring) & Course.decided != 0 ? verdict : nil }
}
