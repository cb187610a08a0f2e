import Glibc
import Synchronization

/// What one statement has used so far, for those who watch it: written by its threads as they go, read by others at any
/// time. Each worker has counters of its own, which it alone writes. A part of the statement's ``StatementShare``.
public struct StatementMeter: ~Copyable, @unchecked Sendable {  // atomics throughout; `counters` is fixed
    /// What workers count.
    public enum Count: Int, CaseIterable, Sendable {
        case scanRows
        case joinRows
        case nestedLoopRows
        case helperNanoseconds
    }
    /// A cache line.
    private static let stride = 8
    private let counters: UnsafeMutablePointer<Atomic<Int64>>
    private let workers: Int
    private let returned = Atomic<Int64>(0)
    private let blocks = Atomic<Int64>(0)
    private let temporary = Atomic<Int64>(0)
    private let peakBytes = Atomic<Int64>(0)
    /// When the pipeline that runs now began; 0: none does.
    private let segmentStart = Atomic<Int64>(0)
    private let longestSegment = Atomic<Int64>(0)
    /// The statement's own.
    let thread = ThreadIdentity()
    private let clock: clockid_t?
    /// By the thread's clock; ``unread`` for statements expected to be brief, until they are not.
    private let startNanoseconds: Atomic<Int64>
    private let beginNanoseconds: Int64
    private let usedNanoseconds = Atomic<Int64>(-1)
    private static let unread = Int64.min
    /// Reading a thread's clock takes 0.4 us, a few percent of the shortest statements: the time that passes stands for
    /// what those use.
    private static let briefNanoseconds: Int64 = 1_000_000

    /// Begins to count; on the statement's own thread.
    ///
    /// - Parameter expectedNanoseconds: of processor time; nil: nobody knows.
    public init(workers: Int, expectedNanoseconds: Int64? = nil) {
        self.workers = max(workers, 1)
        counters = .allocate(capacity: self.workers * StatementMeter.stride)
        for index in 0..<self.workers * StatementMeter.stride {
            (counters + index).initialize(to: Atomic(0))
        }
        var clock = clockid_t()
        self.clock = pthread_getcpuclockid(thread.thread, &clock) == 0 ? clock : nil
        beginNanoseconds = Stopwatch.nanoseconds
        let isBrief = expectedNanoseconds.map { $0 <= StatementMeter.briefNanoseconds } ?? false
        startNanoseconds = Atomic(isBrief ? StatementMeter.unread : StatementMeter.threadNanoseconds)
    }

    deinit { counters.deallocate() }

    /// Processor time of the calling thread.
    public static var threadNanoseconds: Int64 { nanoseconds(CLOCK_THREAD_CPUTIME_ID) }
    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        if clock_gettime(clock, &time) != 0 { return 0 }
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// On the statement's own thread: from here on its clock is not looked at any more.
    public func end() {
        let start = startNanoseconds.load(ordering: .relaxed)
        let used = start == StatementMeter.unread ? passedNanoseconds : StatementMeter.threadNanoseconds - start
        usedNanoseconds.store(max(used, 0), ordering: .relaxed)
    }
    private var passedNanoseconds: Int64 { Stopwatch.nanoseconds - beginNanoseconds }

    /// Of the statement's own thread, from any thread while that one is there. A statement that has turned out not to
    /// be brief is measured from here on.
    private var ownNanoseconds: Int64 {
        let passed = passedNanoseconds
        let start = startNanoseconds.load(ordering: .relaxed)
        guard let clock, start != StatementMeter.unread || passed > StatementMeter.briefNanoseconds else {
            return passed
        }
        let now = StatementMeter.nanoseconds(clock)
        if start != StatementMeter.unread { return now - start }
        _ = startNanoseconds.compareExchange(
            expected: StatementMeter.unread, desired: now - passed, ordering: .relaxed)
        return passed
    }

    // MARK: Writing

    /// The worker's own counters, by ``Count``.
    public func counters(of worker: Int) -> UnsafeMutablePointer<Atomic<Int64>> {
        counters + min(max(worker, 0), workers - 1) * StatementMeter.stride
    }
    @inline(__always)
    public static func add(_ amount: Int, _ count: Count, _ own: UnsafeMutablePointer<Atomic<Int64>>) {
        let counter = own + count.rawValue
        counter.pointee.store(
            counter.pointee.load(ordering: .relaxed) &+ Int64(truncatingIfNeeded: amount), ordering: .relaxed)
    }
    public func add(returnedRows rows: Int) { returned.add(Int64(rows), ordering: .relaxed) }
    public func add(blocks count: Int) { blocks.add(Int64(count), ordering: .relaxed) }
    public func add(temporaryBytes bytes: Int) { temporary.add(Int64(bytes), ordering: .relaxed) }
    public func note(peakBytes bytes: Int) { _ = peakBytes.max(Int64(bytes), ordering: .relaxed) }
    public func beginSegment() { segmentStart.store(Stopwatch.nanoseconds, ordering: .relaxed) }
    public func endSegment() {
        let start = segmentStart.exchange(0, ordering: .relaxed)
        if start > 0 { _ = longestSegment.max(Stopwatch.nanoseconds - start, ordering: .relaxed) }
    }

    // MARK: Reading

    public func sum(_ count: Count) -> Int64 {
        var sum: Int64 = 0
        for worker in 0..<workers {
            sum &+= counters[worker * StatementMeter.stride + count.rawValue].load(ordering: .relaxed)
        }
        return sum
    }
    public var returnedRows: Int64 { returned.load(ordering: .relaxed) }
    public var blocksRead: Int64 { blocks.load(ordering: .relaxed) }
    public var temporaryBytes: Int64 { temporary.load(ordering: .relaxed) }
    public var memoryPeakBytes: Int64 { peakBytes.load(ordering: .relaxed) }
    /// Of the pipeline that took longest, the present one included.
    public var segmentNanoseconds: Int64 {
        let start = segmentStart.load(ordering: .relaxed)
        let running = start > 0 ? Stopwatch.nanoseconds - start : 0
        return max(running, longestSegment.load(ordering: .relaxed))
    }
    /// Processor time of all threads that worked for it. Only while its own thread is there.
    public var cpuNanoseconds: Int64 {
        let used = usedNanoseconds.load(ordering: .relaxed)
        return max(used >= 0 ? used : ownNanoseconds, 0) + sum(.helperNanoseconds)
    }
}
