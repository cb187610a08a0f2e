import Glibc

/// A value that one thread at a time may use.
///
/// The standard library's `Mutex` hands a lock on to the thread that waited longest (FUTEX_LOCK_PI): where sessions
/// take a lock often and briefly, each of them then waits for the scheduler once it was contended, and 16 connections
/// of short queries run at half of the speed. Here whoever runs may take the lock first.
public struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {  // the value is used under its mutex only
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// In the mutex's allocation.
    @usableFromInline let value: UnsafeMutablePointer<Value>

    public init(_ initial: consuming sending Value) {
        let alignment = max(MemoryLayout<pthread_mutex_t>.alignment, MemoryLayout<Value>.alignment)
        let offset = (MemoryLayout<pthread_mutex_t>.size + alignment - 1) / alignment * alignment
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: offset + MemoryLayout<Value>.size, alignment: alignment)
        mutex = memory.bindMemory(to: pthread_mutex_t.self, capacity: 1)
        value = (memory + offset).bindMemory(to: Value.self, capacity: 1)
        pthread_mutex_init(mutex, nil)
        value.initialize(to: initial)
    }
    deinit {
        value.deinitialize(count: 1)
        pthread_mutex_destroy(mutex)
        UnsafeMutableRawPointer(mutex).deallocate()
    }

    @inlinable
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }

    /// nil when another thread has it.
    @inlinable
    public borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }
}

/// A lock of a value that stands elsewhere.
extension Lock where Value == Void {
    @inlinable
    public borrowing func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }
}
