import Synchronization

/// A pool's workers as one statement may use them: its sections are as urgent as the statement, and what its workers do
/// counts against its share, task by task, so that they wait while others are owed more.
public struct StatementWorkers: Sendable {
    private let pool: WorkerPool
    /// nil: there is nobody to share with.
    private let share: StatementShare?

    public init(_ pool: WorkerPool, _ share: StatementShare? = nil) {
        self.pool = pool
        self.share = share
    }

    public var count: Int { pool.workers }

    /// Calls `body` once for each worker, as ``WorkerPool/runThrowing(_:)`` does. It asks its turn after each of its
    /// tasks whether to go on, and returns false when not: somebody calls it again then, for what is left.
    ///
    /// - Parameter callerPays: false inside of something that counts the caller's time itself.
    public func run(callerPays: Bool = true, _ body: (Int, WorkerTurn) throws -> Bool) throws {
        try pool.runThrowing(level: share?.level ?? WorkerPool.usualLevel) { worker, mayLeave in
            let payer = worker > 0 || callerPays ? share : nil
            return try body(worker, WorkerTurn(pool, payer, worker: worker, mayLeave: mayLeave))
        }
    }

    /// The same for bodies whose part is one task.
    public func runParts(callerPays: Bool = true, _ body: (Int) throws -> Void) throws {
        try run(callerPays: callerPays) { worker, turn in
            try body(worker)
            turn.pay()
            return true
        }
    }

    /// Runs tasks 0 ..< `count` on all workers, each with means of its own; after an error no more of them begin.
    public func runTasks<Means>(
        _ count: Int, having makeMeans: () throws -> Means, _ body: (Int, Means) throws -> Void
    ) throws {
        if count <= 1 {
            if count == 1 { try body(0, makeMeans()) }
            return
        }
        let next = Atomic<Int>(0)
        try run { _, turn in
            var means: Means?
            while true {
                let task = next.add(1, ordering: .relaxed).oldValue
                if task >= count { return true }
                do {
                    let own = try means ?? makeMeans()
                    means = own
                    try body(task, own)
                } catch {
                    next.store(count, ordering: .relaxed)
                    throw error
                }
                if !turn.isNext() { return false }
            }
        }
    }
}

/// A worker's place between its tasks in a section of ``StatementWorkers``. Belongs to the worker's thread.
public final class WorkerTurn {
    private let pool: WorkerPool
    private let share: StatementShare?
    private let mayLeave: Bool
    private var clock: StatementShare.Clock?

    fileprivate init(_ pool: WorkerPool, _ share: StatementShare?, worker: Int, mayLeave: Bool) {
        self.pool = pool
        self.share = share
        self.mayLeave = mayLeave
        clock = share?.clock(worker: worker)
    }

    /// After a task: what it took counts, and the worker waits while others are owed more.
    public func pay() {
        guard let share else { return }
        clock?.pay(share) { false }
    }

    /// The same. False: the worker is to return, because something more urgent waits for its thread.
    public func isNext() -> Bool {
        guard let share else { return true }
        clock?.pay(share) { isWanted }
        return !isWanted
    }

    private var isWanted: Bool {
        guard mayLeave, let share else { return false }
        return pool.hasMoreUrgent(than: share.level)
    }
}
