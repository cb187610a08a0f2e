import Synchronization

/// How the statements of a warehouse share its workers by weight: each says what it has used after every morsel, and
/// waits when others, who are owed more, want to run. Costs one load while all that run have the same level.
///
/// Levels pay for their time by the weights of all their statements (stride scheduling over processor time). A level
/// whose statements have used nothing for some milliseconds, because they wait for clients or locks, is not waited
/// for; and nobody waits longer than a tenth of a second at a time, so the least urgent never stop. Safe from any
/// thread.
public final class PriorityShares: Sendable {
    private struct Level {
        var weight = 0
        /// Nanoseconds of processor time over weight.
        var paid = 0.0
        var lastNanoseconds: Int64 = 0
    }
    private final class State: @unchecked Sendable {  // guarded by `monitor`
        var levels: [Level]
        init(_ weights: [Int]) { levels = weights.map { Level(weight: $0) } }
    }
    /// Of each level. Statements come and go by the thousands a second: from and to none under the monitor, else
    /// without it.
    private final class Statements: @unchecked Sendable {  // atomics
        let counts: UnsafeMutablePointer<Atomic<Int>>
        init(_ levels: Int) {
            counts = .allocate(capacity: levels)
            for level in 0..<levels { (counts + level).initialize(to: Atomic(0)) }
        }
        deinit { counts.deallocate() }
        subscript(level: Int) -> Int { counts[level].load(ordering: .relaxed) }

        /// Adds to a count that is larger than `least`; false when it is not.
        func add(_ difference: Int, _ level: Int, above least: Int) -> Bool {
            var count = self[level]
            while count > least {
                let (exchanged, original) = counts[level].compareExchange(
                    expected: count, desired: count + difference, ordering: .relaxed)
                if exchanged { return true }
                count = original
            }
            return false
        }
    }
    private let monitor = Monitor()
    private let state: State
    private let statements: Statements
    /// A bit for each level that has statements.
    private let present = Atomic<UInt64>(0)
    private static let idleNanoseconds: Int64 = 20_000_000
    private static let longestNanoseconds: Int64 = 100_000_000
    private static let lookNanoseconds: Int64 = 2_000_000
    /// Levels may get so far ahead, in nanoseconds of a weight of one: a few morsels.
    private static let leeway = 100_000.0

    /// - Parameter weights: of each level, from 1.
    public init(weights: [Int]) {
        state = State(weights.map { max($0, 1) })
        statements = Statements(weights.count)
    }

    /// A statement begins to use workers.
    public func join(_ level: Int) {
        if statements.add(1, level, above: 0) { return }
        monitor.withLock {
            if statements[level] == 0 {
                let others = state.levels.indices.filter { statements[$0] > 0 }
                if let least = others.map({ state.levels[$0].paid }).min() {
                    state.levels[level].paid = max(state.levels[level].paid, least)
                }
            }
            state.levels[level].lastNanoseconds = Stopwatch.nanoseconds
            _ = statements.counts[level].add(1, ordering: .relaxed)
            present.bitwiseOr(1 << UInt64(level), ordering: .relaxed)
        }
    }

    public func leave(_ level: Int) {
        if statements.add(-1, level, above: 1) { return }
        monitor.withLock {
            // Others may have joined meanwhile; that none is left is only found under the monitor.
            if statements.counts[level].subtract(1, ordering: .relaxed).newValue > 0 { return }
            present.bitwiseAnd(~(1 << UInt64(level)), ordering: .relaxed)
            monitor.wakeAll()
        }
    }

    /// All that run have the same level.
    public var isUniform: Bool {
        let levels = present.load(ordering: .relaxed)
        return levels & (levels &- 1) == 0
    }

    /// The calling thread has used so much for a statement of the level; returns when it is that level's turn again.
    ///
    /// - Parameter isCancelled: ends the wait.
    public func pay(_ level: Int, nanoseconds: Int64, isCancelled: () -> Bool) {
        monitor.withLock {
            let own = state.levels[level]
            let weight = Double(max(own.weight * max(statements[level], 1), 1))
            state.levels[level].paid += Double(nanoseconds) / weight
            let start = Stopwatch.nanoseconds
            state.levels[level].lastNanoseconds = start
            var now = start
            while now - start < PriorityShares.longestNanoseconds, isAhead(level, now), !isCancelled() {
                _ = monitor.wait(atMostNanoseconds: PriorityShares.lookNanoseconds)
                now = Stopwatch.nanoseconds
            }
            state.levels[level].lastNanoseconds = now
        }
    }

    private func isAhead(_ level: Int, _ now: Int64) -> Bool {
        let own = state.levels[level].paid
        return state.levels.indices.contains { other in
            let it = state.levels[other]
            return other != level && statements[other] > 0
                && now - it.lastNanoseconds < PriorityShares.idleNanoseconds
                && own > it.paid + PriorityShares.leeway
        }
    }
}
