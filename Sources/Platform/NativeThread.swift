import CSignals
import Glibc
import Synchronization

/// Starts threads with the stack size that statements and workers need.
public enum NativeThread {
    private final class Start {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// The thread is detached: its body says when it is done.
    public static func start(name: String, _ body: @escaping @Sendable () -> Void) throws {
        let argument = Unmanaged.passRetained(Start(body))
        var thread = pthread_t()
        // No initializer: which module has it differs between systems.
        let code = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { memory -> Int32 in
            guard let attributes = memory.baseAddress else { return ENOMEM }
            pthread_attr_init(attributes)
            defer { pthread_attr_destroy(attributes) }
            pthread_attr_setstacksize(attributes, Limits.stackBytes)
            pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
            return pthread_create(
                &thread, attributes,
                { raw in
                    guard let raw else { return nil }
                    let handlerStack = rb_begin_thread()
                    Unmanaged<Start>.fromOpaque(raw).takeRetainedValue().body()
                    rb_end_thread(handlerStack)
                    return nil
                }, argument.toOpaque())
        }
        if code != 0 {
            argument.release()
            throw PlatformError(operation: "start thread", path: name, errno: code)
        }
    }

    /// What this thread is to the pool, kept in thread-local storage.
    enum Role: Int {
        case outside = 0
        /// A statement thread that was not pinned yet.
        case statement
        case pinnedStatement
        /// Inside a parallel section already.
        case section
    }

    /// Statement threads that are at work.
    static let runningStatements = Atomic<Int>(0)

    private static let roleKey: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    static var role: Role {
        get { Role(rawValue: Int(bitPattern: pthread_getspecific(roleKey))) ?? .outside }
        set { pthread_setspecific(roleKey, UnsafeRawPointer(bitPattern: newValue.rawValue)) }
    }

    private static let numberKey: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()
    private static let nextNumber = Atomic<Int>(1)

    /// A small number of the running thread, to spread threads over shards.
    static var number: Int {
        let known = Int(bitPattern: pthread_getspecific(numberKey))
        if known != 0 { return known }
        let fresh = nextNumber.add(1, ordering: .relaxed).oldValue
        pthread_setspecific(numberKey, UnsafeRawPointer(bitPattern: fresh))
        return fresh
    }
}
