import CIntrinsics
import Glibc
import Synchronization

/// A thread with a large stack on which a session runs its statements one after the other, so that deep but legal
/// nesting never overflows a caller's stack. The thread ends with the object. One caller at a time; a second one
/// waits.
public final class StatementThread: Sendable {
    private let desk: Desk

    public init() throws {
        let desk = Desk()
        self.desk = desk
        try NativeThread.start(name: "statement") { desk.serve() }
    }
    deinit { desk.stop() }

    /// Runs the body on the statement thread while the caller waits. Called on that very thread, it just runs the body.
    public func run<Result>(_ body: () throws -> Result) throws -> Result {
        if desk.isCurrentThread { return try body() }
        var outcome: Swift.Result<Result, any Error>?
        withoutActuallyEscaping(body) { body in
            desk.perform { outcome = Swift.Result { try body() } }
        }
        guard let outcome else { throw PlatformError(kind: .io, operation: "run", path: "statement") }
        return try outcome.get()
    }

    /// Gives the thread to one server for the rest of its life: it asks for work, does it, and ends when there is none
    /// (nil). Returns at once.
    public func serve(_ next: @escaping @Sendable () -> (@Sendable () -> Void)?) { desk.serve(next) }

    /// Work of a server until it ends. Confined to the thread once it serves.
    private final class Server: @unchecked Sendable {
        var next: (@Sendable () -> (@Sendable () -> Void)?)?
        init(_ next: @escaping @Sendable () -> (@Sendable () -> Void)?) { self.next = next }
    }

    /// Hands work from callers to the thread. All state is guarded by the monitor.
    private final class Desk: @unchecked Sendable {
        private let monitor = Monitor()
        private var work: (() -> Void)?
        private var busy = false
        private var stopped = false
        private var thread: pthread_t?

        var isCurrentThread: Bool {
            monitor.withLock { thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
        }

        func perform(_ body: () -> Void) {
            withoutActuallyEscaping(body) { body in
                monitor.withLock {
                    while busy { monitor.wait() }
                    busy = true
                    work = { Desk.count(body) }
                    monitor.wakeAll()
                    while work != nil { monitor.wait() }
                    busy = false
                    monitor.wakeAll()
                }
            }
        }

        func serve(_ next: @escaping @Sendable () -> (@Sendable () -> Void)?) {
            let server = Server(next)
            monitor.withLock {
                while busy { monitor.wait() }
                busy = true
                work = {
                    var affinity = [UInt64](repeating: 0, count: 16)
                    let known = rb_get_affinity(&affinity) == 0
                    while let body = server.next?() {
                        Desk.count(body)
                        if known && NativeThread.role == .pinnedStatement { _ = rb_set_affinity(affinity) }
                    }
                    // Here and not with the closure, which goes while the monitor is locked: the server may hold the
                    // last reference to this thread's owner.
                    server.next = nil
                    self.monitor.withLock { self.busy = false }
                }
                monitor.wakeAll()
            }
        }

        /// Runs one statement's body as one of the statements that are at work.
        private static func count(_ body: () -> Void) {
            NativeThread.role = .statement
            NativeThread.runningStatements.add(1, ordering: .relaxed)
            let start = Stopwatch.nanoseconds
            body()
            // Deep nesting takes its time; what is short is not held up.
            if Stopwatch.nanoseconds - start > Desk.longNanoseconds {
                _ = rb_stack_release(Desk.keptStackBytes, Desk.keptStackBytes * 2)
            }
            NativeThread.runningStatements.subtract(1, ordering: .relaxed)
        }
        private static let longNanoseconds: Int64 = 5_000_000
        private static let keptStackBytes = 128 << 10

        func stop() {
            monitor.withLock {
                stopped = true
                monitor.wakeAll()
            }
        }

        func serve() {
            var affinity = [UInt64](repeating: 0, count: 16)
            let known = rb_get_affinity(&affinity) == 0
            monitor.lock()
            thread = pthread_self()
            while true {
                while work == nil && !stopped { monitor.wait() }
                guard let body = work else { break }
                monitor.unlock()
                body()
                if known && NativeThread.role == .pinnedStatement {
                    _ = rb_set_affinity(affinity)
                }
                monitor.lock()
                work = nil
                monitor.wakeAll()
            }
            monitor.unlock()
        }
    }
}
