import CIntrinsics
import Glibc
import Synchronization

/// A fixed pool of worker threads for parallel sections. The caller takes part as worker 0; the others are pinned to
/// a CPU each, spin briefly between sections, then park. Sections of several sessions take turns in the order they
/// came.
public final class WorkerPool: Sendable {
    /// One worker per CPU that this process may use.
    public static let shared = WorkerPool()

    public let workers: Int
    private let section: ParallelSection

    /// - Parameter workers: threads that work at a time, the caller included; by default one per allowed CPU. When
    ///   threads
    ///   cannot be started the pool has fewer.
    public init(workers: Int? = nil) {
        let cpus = HostEnvironment.allowedCPUs()
        let wanted = min(max(workers ?? cpus.count, 1), Limits.maximumWorkers)
        let section = ParallelSection(cpus: wanted <= cpus.count ? cpus : [])
        var started = 1
        while started < wanted, section.start(worker: started) { started += 1 }
        section.helpers = started - 1
        self.section = section
        self.workers = started
    }

    deinit { section.stop() }

    /// Calls `body` once per worker, with 0 ..< ``workers``, and returns when all calls are done. A section inside a
    /// section runs on its own thread, one worker after the other: bodies must not wait for each other.
    public func run(_ body: (Int) -> Void) {
        if workers == 1 { return body(0) }
        let role = NativeThread.role
        if role == .section {
            for worker in 0..<workers { body(worker) }
            return
        }
        section.turn.enter()
        section.pinCaller(role)
        let outer = NativeThread.role
        NativeThread.role = .section
        withoutActuallyEscaping(body) { section.run($0) }
        NativeThread.role = outer
        section.turn.leave()
    }

    /// The same for bodies that throw: all workers finish, then the first error is thrown.
    public func runThrowing(_ body: (Int) throws -> Void) throws {
        let first = Mutex<(any Error)?>(nil)
        run { worker in
            do {
                try body(worker)
            } catch {
                first.withLock { if $0 == nil { $0 = error } }
            }
        }
        if let error = first.withLock({ $0 }) { throw error }
    }
}

/// First come, first served: a plain mutex would let one busy session starve the others.
final class TurnLock: @unchecked Sendable {
    private let monitor = Monitor()
    private var nextTicket = 0
    private var serving = 0

    func enter() {
        monitor.withLock {
            let ticket = nextTicket
            nextTicket &+= 1
            while serving != ticket { monitor.wait() }
        }
    }
    func leave() {
        monitor.withLock {
            serving &+= 1
            if serving != nextTicket { monitor.wakeAll() }
        }
    }
}

/// What the threads of a pool share. `job` is written by the caller before `generation` grows and read by helpers after
/// they saw it grow; the caller waits for all helpers before it leaves, so the body never outlives its section.
final class ParallelSection: @unchecked Sendable {
    let turn = TurnLock()
    var helpers = 0
    private let cpus: [Int]
    private let spins: Int
    private var job: ((Int) -> Void)?
    private let generation = Atomic<Int>(0)
    private let remaining = Atomic<Int>(0)
    private let parkedHelpers = Atomic<Int>(0)
    private let callerParked = Atomic<Bool>(false)
    private let stopped = Atomic<Bool>(false)
    private let wakeUp = Monitor()
    private let allDone = Monitor()

    init(cpus: [Int]) {
        self.cpus = cpus
        spins = ParallelSection.measureSpins()
    }

    /// How often `pause` runs in the spinning time: its cost differs tenfold between CPUs.
    private static func measureSpins() -> Int {
        let time = SystemTime()
        let start = time.monotonicNanoseconds()
        for _ in 0..<256 { rb_pause() }
        let elapsed = max(time.monotonicNanoseconds() - start, 1)
        return min(max(256 * Limits.spinNanoseconds / Int(elapsed), 50), 20_000)
    }

    func start(worker: Int) -> Bool {
        do {
            try NativeThread.start(name: "worker") { self.loop(worker) }
            return true
        } catch {
            return false
        }
    }

    func stop() {
        stopped.store(true, ordering: .releasing)
        advance()
    }

    /// Statement threads stay on the first CPU from their first section on; other threads are left alone.
    func pinCaller(_ role: NativeThread.Role) {
        guard role == .statement, let first = cpus.first else { return }
        _ = rb_pin_thread(Int32(first))
        NativeThread.role = .pinnedStatement
    }

    func run(_ body: @escaping (Int) -> Void) {
        job = body
        remaining.store(helpers, ordering: .relaxed)
        advance()
        body(0)
        awaitHelpers()
        job = nil
    }

    private func advance() {
        generation.add(1, ordering: .sequentiallyConsistent)
        if parkedHelpers.load(ordering: .sequentiallyConsistent) > 0 {
            wakeUp.withLock { wakeUp.wakeAll() }
        }
    }

    private func awaitHelpers() {
        for _ in 0..<spins {
            if remaining.load(ordering: .acquiring) == 0 { return }
            rb_pause()
        }
        allDone.lock()
        callerParked.store(true, ordering: .sequentiallyConsistent)
        while remaining.load(ordering: .sequentiallyConsistent) != 0 { allDone.wait() }
        callerParked.store(false, ordering: .sequentiallyConsistent)
        allDone.unlock()
    }

    private func loop(_ worker: Int) {
        if worker < cpus.count { _ = rb_pin_thread(Int32(cpus[worker])) }
        NativeThread.role = .section
        var seen = 0
        while true {
            awaitGeneration(after: seen)
            seen &+= 1
            if stopped.load(ordering: .acquiring) { return }
            job?(worker)
            let left = remaining.subtract(1, ordering: .sequentiallyConsistent).newValue
            if left == 0 && callerParked.load(ordering: .sequentiallyConsistent) {
                allDone.withLock { allDone.wakeAll() }
            }
        }
    }

    private func awaitGeneration(after seen: Int) {
        for _ in 0..<spins {
            if generation.load(ordering: .acquiring) != seen { return }
            rb_pause()
        }
        wakeUp.lock()
        parkedHelpers.add(1, ordering: .sequentiallyConsistent)
        while generation.load(ordering: .sequentiallyConsistent) == seen { wakeUp.wait() }
        parkedHelpers.subtract(1, ordering: .sequentiallyConsistent)
        wakeUp.unlock()
    }
}
