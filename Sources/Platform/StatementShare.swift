import Synchronization

/// A running statement's part of the workers: its level, which may change while it runs. Workers read it at any time;
/// ``begin(level:)``, ``change(level:)`` and ``end()`` are called under one lock.
public final class StatementShare: Sendable {
    private let shares: PriorityShares
    private let current = Atomic<Int>(0)
    /// What it has used so far.
    public let meter: StatementMeter
    private let cancellation: CancellationToken
    /// It has no part, not yet or not any more.
    private let isOver = Atomic<Bool>(true)

    /// On the statement's own thread.
    ///
    /// - Parameter expectedNanoseconds: of processor time; nil: nobody knows.
    public init(
        _ shares: PriorityShares, workers: Int, expectedNanoseconds: Int64? = nil, _ cancellation: CancellationToken
    ) {
        self.shares = shares
        meter = StatementMeter(workers: workers, expectedNanoseconds: expectedNanoseconds)
        self.cancellation = cancellation
    }
    deinit { end() }

    /// It may use workers from here on.
    public func begin(level: Int) {
        current.store(level, ordering: .relaxed)
        shares.join(level)
        isOver.store(false, ordering: .relaxed)
    }

    public var level: Int { current.load(ordering: .relaxed) }

    public func change(level: Int) {
        if isOver.load(ordering: .relaxed) || level == self.level { return }
        shares.join(level)
        shares.leave(current.exchange(level, ordering: .relaxed))
    }

    /// It uses no workers any more.
    public func end() {
        if isOver.exchange(true, ordering: .relaxed) { return }
        shares.leave(level)
    }

    /// One worker's clock: from its last morsel to this one.
    public struct Clock: ~Copyable {
        fileprivate var last: Int64
        private let isHelper: Bool
        private let own: UnsafeMutablePointer<Atomic<Int64>>

        fileprivate init(_ share: StatementShare, worker: Int) {
            // The statement's own thread finishes what helpers have given back.
            isHelper = worker > 0 && !share.meter.thread.isCurrent
            own = share.meter.counters(of: worker)
            last = isHelper || !share.shares.isUniform ? StatementMeter.threadNanoseconds : 0
        }

        /// After a morsel: what it took counts, and the worker waits while others are owed more.
        ///
        /// - Parameter isWanted: others, more urgent, want this thread; it waits no longer then.
        public mutating func pay(_ share: StatementShare, isWanted: () -> Bool) {
            let isUniform = share.shares.isUniform
            if isUniform && !isHelper {
                last = 0
                return
            }
            let now = StatementMeter.threadNanoseconds
            let used = last == 0 ? 0 : max(now - last, 0)
            last = now
            if isHelper { StatementMeter.add(Int(used), .helperNanoseconds, own) }
            if isUniform { return }
            share.shares.pay(share.level, nanoseconds: used) { share.cancellation.isCancelled || isWanted() }
            last = StatementMeter.threadNanoseconds
        }
    }
    public func clock(worker: Int) -> Clock { Clock(self, worker: worker) }
}
