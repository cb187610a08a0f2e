import Glibc

/// A mutex with a condition variable, for waiting on state that no ``Lock`` can wait on.
public final class Monitor: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    /// Those who wait for no turn of their own.
    private let everybody = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    /// What one of the waiters waits on, where waking all of them for the sake of one would cost too much.
    public final class Turn: @unchecked Sendable {  // the system's conditions are safe from any thread
        fileprivate let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

        public init() { Monitor.initialize(condition) }
        deinit {
            pthread_cond_destroy(condition)
            condition.deallocate()
        }
    }

    public init() {
        pthread_mutex_init(mutex, nil)
        Monitor.initialize(everybody)
    }
    deinit {
        pthread_cond_destroy(everybody)
        everybody.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    private static func initialize(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    public func lock() { pthread_mutex_lock(mutex) }
    public func unlock() { pthread_mutex_unlock(mutex) }
    public func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
    /// Only while locked. May wake without cause: wait in a loop over the condition.
    public func wait() { pthread_cond_wait(everybody, mutex) }
    /// Only while locked. False when the time (of the ``Stopwatch``) has come.
    public func wait(untilNanoseconds deadline: Int64) -> Bool { wait(on: everybody, deadline) }
    /// The same for a span of the machine's time: to look again soon.
    public func wait(atMostNanoseconds span: Int64) -> Bool { wait(untilNanoseconds: Stopwatch.nanoseconds + span) }
    /// Also while not locked, like ``wakeAll()``.
    public func wakeOne() { pthread_cond_signal(everybody) }
    public func wakeAll() { pthread_cond_broadcast(everybody) }

    /// Like ``wait()``, until the turn has come: ``wakeAll()`` does not end it.
    public func wait(for turn: Turn) { pthread_cond_wait(turn.condition, mutex) }
    public func wait(for turn: Turn, untilNanoseconds deadline: Int64) -> Bool { wait(on: turn.condition, deadline) }
    public func wait(for turn: Turn, atMostNanoseconds span: Int64) -> Bool {
        wait(for: turn, untilNanoseconds: Stopwatch.nanoseconds + span)
    }
    private func wait(on condition: UnsafeMutablePointer<pthread_cond_t>, _ deadline: Int64) -> Bool {
        var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        return pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
    }
    /// Also while not locked.
    public func wake(_ turn: Turn) { pthread_cond_signal(turn.condition) }
}
