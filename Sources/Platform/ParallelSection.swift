import CIntrinsics
import CSignals
import Synchronization

/// One call of ``WorkerPool/run(_:)``: a body and the worker numbers that are still to be done. Numbers are handed out
/// by the board; the caller waits for all that have begun, so the body never outlives its section.
final class ParallelSection: @unchecked Sendable {  // `claimed` is the board's lock's, `body` is cleared at the end
    let workers: Int
    /// Numbers below this are taken; 0 is the caller's.
    var claimed = 1
    private var body: ((Int) -> Void)?
    /// What the caller works for, see ``StatementSlot``.
    private let slot = rb_thread_slot()
    private let running = Atomic<Int>(0)
    private let callerParked = Atomic<Bool>(false)
    /// Shared by all sections of a board; their callers look at their own numbers when it wakes them.
    private let done: Monitor

    init(workers: Int, done: Monitor, _ body: @escaping (Int) -> Void) {
        self.workers = workers
        self.done = done
        self.body = body
    }

    /// Before a helper begins; under the board's lock, so never after the caller has found that nothing is left.
    func enter() { running.add(1, ordering: .relaxed) }

    /// A helper's part: it works for the caller's statement.
    func help(_ worker: Int) {
        rb_set_thread_slot(slot)
        perform(worker)
        rb_set_thread_slot(-1)
    }

    /// A call of its own, so that no reference to the body is left when a helper says that it is done.
    @inline(never)
    func perform(_ worker: Int) { body?(worker) }

    func leave() {
        let left = running.subtract(1, ordering: .sequentiallyConsistent).newValue
        if left == 0 && callerParked.load(ordering: .sequentiallyConsistent) { done.withLock { done.wakeAll() } }
    }

    /// The caller's end: all numbers are handed out.
    func close(spins: Int) {
        awaitHelpers(spins)
        body = nil
    }

    private func awaitHelpers(_ spins: Int) {
        for _ in 0..<spins {
            if running.load(ordering: .acquiring) == 0 { return }
            rb_pause()
        }
        done.lock()
        callerParked.store(true, ordering: .sequentiallyConsistent)
        while running.load(ordering: .sequentiallyConsistent) != 0 { done.wait() }
        done.unlock()
    }
}
