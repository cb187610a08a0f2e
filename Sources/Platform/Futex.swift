import CIntrinsics

/// A word that threads sleep on until somebody changes it and wakes them, all with one call to the kernel and without a
/// mutex that each of them would need when it wakes up. Linux: futex(2). Safe from any thread.
public final class Futex: @unchecked Sendable {  // the word is atomic
    private let word = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)

    public init() { word.initialize(to: 0) }
    deinit { word.deallocate() }

    /// What was written before a value was set is seen by who reads that value.
    public var value: UInt32 {
        get { rb_load_acquire(word) }
        set { rb_store_release(word, newValue) }
    }
    /// Whether the word had the old value; it has the new one then.
    public func exchange(_ old: UInt32, for new: UInt32) -> Bool { rb_compare_exchange(word, old, new) != 0 }

    /// Returns once somebody has called ``wake(_:)``, at once when the word has another value already. May return
    /// without cause: wait in a loop.
    public func wait(while value: UInt32) { rb_futex_wait(word, value) }
    public func wake(_ count: Int32 = .max) { rb_futex_wake(word, count) }
}
