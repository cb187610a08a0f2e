import Glibc

/// A thread, to be recognised again.
public struct ThreadIdentity: @unchecked Sendable {  // a number; the thread itself is not touched
    let thread: pthread_t

    /// The calling one.
    public init() { thread = pthread_self() }

    public var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }
}
