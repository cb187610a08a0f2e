/// A fixed pool of worker threads for parallel sections. The caller takes part as worker 0 and never waits for the
/// sections of others: helpers join it as they come free, and what no helper has begun when the caller is done it does
/// itself. So a short query beside long ones shares the CPUs with them as the operating system sees fit.
public final class WorkerPool: Sendable {
    /// One worker per CPU that this process may use.
    public static let shared = WorkerPool()

    public let workers: Int
    private let board: SectionBoard
    private let placement: CallerPlacement

    /// - Parameter workers: threads that work at a time, the caller included; by default one per allowed CPU. When
    ///   threads cannot be started the pool has fewer.
    public init(workers: Int? = nil) {
        let cpus = HostEnvironment.allowedCPUs()
        let wanted = min(max(workers ?? cpus.count, 1), Limits.maximumWorkers)
        let pinned = wanted <= cpus.count ? cpus : []
        let board = SectionBoard()
        var started = 1
        while started < wanted, board.startHelper(cpu: started < pinned.count ? pinned[started] : nil) { started += 1 }
        self.board = board
        self.workers = started
        placement = CallerPlacement(cpu: pinned.first)
    }

    deinit { board.stop() }

    /// Calls `body` once for each of 0 ..< ``workers``, and returns when all calls are done. How many of them run at
    /// the same time depends on how many helpers are free, and a section inside a section runs on its own thread, one
    /// worker after the other: bodies must not wait for each other.
    public func run(_ body: (Int) -> Void) {
        run(level: WorkerPool.usualLevel) { worker, _ in
            body(worker)
            return true
        }
    }

    /// Of sections that say nothing of their urgency.
    public static let usualLevel = 2

    /// The same for bodies whose helpers may leave for more urgent sections (see ``hasMoreUrgent(than:)``): the number
    /// of one that returns false is taken again later, by whomever.
    ///
    /// - Parameters:
    ///   - level: sections of higher levels get helpers first.
    ///   - body: a worker's number, and whether it may leave.
    public func run(level: Int, _ body: (Int, Bool) -> Bool) {
        if workers == 1 {
            _ = body(0, false)
            return
        }
        let outer = NativeThread.role
        if outer == .section {
            for worker in 0..<workers { _ = body(worker, false) }
            return
        }
        let placed = placement.place(outer)
        NativeThread.role = .section
        withoutActuallyEscaping(body) { board.run(workers: workers, level: level, $0) }
        NativeThread.role = placed
    }

    /// More urgent sections than those of this level wait for helpers.
    public func hasMoreUrgent(than level: Int) -> Bool { board.hasMoreUrgent(than: level) }

    /// The same for bodies that throw: all workers finish, then the first error is thrown.
    public func runThrowing(_ body: (Int) throws -> Void) throws {
        try runThrowing(level: WorkerPool.usualLevel) { worker, _ in
            try body(worker)
            return true
        }
    }

    public func runThrowing(level: Int, _ body: (Int, Bool) throws -> Bool) throws {
        let first = Lock<(any Error)?>(nil)
        run(level: level) { worker, mayLeave in
            do {
                return try body(worker, mayLeave)
            } catch {
                first.withLock { if $0 == nil { $0 = error } }
                return true
            }
        }
        if let error = first.withLock({ $0 }) { throw error }
    }
}
