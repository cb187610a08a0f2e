import CIntrinsics
import CSignals
import Synchronization

/// One call of ``WorkerPool/run(_:)``: a body and the worker numbers that are still to be done. Numbers are handed out
/// by the board; the caller waits for all that have begun, so the body never outlives its section.
final class ParallelSection: @unchecked Sendable {  // numbers are the board's lock's, `body` is cleared at the end
    let workers: Int
    /// Sections of higher levels get helpers first.
    let level: Int
    /// Numbers below this were taken; 0 is the caller's.
    private(set) var claimed = 1
    /// Those that were given back.
    private var returned: [Int] = []
    private var body: ((Int, Bool) -> Bool)?
    /// What the caller works for, see ``StatementSlot``.
    private let slot = rb_thread_slot()
    private let running = Atomic<Int>(0)
    private let callerParked = Atomic<Bool>(false)
    /// Shared by all sections of a board; their callers look at their own numbers when it wakes them.
    private let done: Monitor

    init(workers: Int, level: Int, done: Monitor, _ body: @escaping (Int, Bool) -> Bool) {
        self.workers = workers
        self.level = level
        self.done = done
        self.body = body
    }

    // MARK: Numbers, under the board's lock

    var hasRest: Bool { claimed < workers || !returned.isEmpty }
    func takeNumber() -> Int {
        if let worker = returned.popLast() { return worker }
        claimed += 1
        return claimed - 1
    }
    func giveBack(_ worker: Int) { returned.append(worker) }
    /// Helpers are at work.
    var isBusy: Bool { running.load(ordering: .sequentiallyConsistent) != 0 }

    // MARK: Helpers

    /// Before a helper begins; under the board's lock, so never after the caller has found that nothing is left.
    func enter() { running.add(1, ordering: .relaxed) }

    /// A helper's part: it works for the caller's statement. False: it has left for something more urgent.
    func help(_ worker: Int) -> Bool {
        rb_set_thread_slot(slot)
        defer { rb_set_thread_slot(-1) }
        return perform(worker, mayLeave: true)
    }

    /// A call of its own, so that no reference to the body is left when a helper says that it is done.
    @inline(never) @discardableResult
    func perform(_ worker: Int, mayLeave: Bool = false) -> Bool { body?(worker, mayLeave) ?? true }

    func leave() {
        let left = running.subtract(1, ordering: .sequentiallyConsistent).newValue
        if left == 0 && callerParked.load(ordering: .sequentiallyConsistent) { done.withLock { done.wakeAll() } }
    }

    /// The caller's end: all numbers are done.
    func close() { body = nil }

    /// Until no helper is at work.
    func awaitHelpers(_ spins: Int) {
        for _ in 0..<spins {
            if running.load(ordering: .acquiring) == 0 { return }
            rb_pause()
        }
        done.lock()
        callerParked.store(true, ordering: .sequentiallyConsistent)
        while running.load(ordering: .sequentiallyConsistent) != 0 { done.wait() }
        callerParked.store(false, ordering: .sequentiallyConsistent)
        done.unlock()
    }
}
