import Synchronization

/// A reservation was refused. The statement ends with "out of memory", or its operator spills.
public struct MemoryExhausted: Error, Sendable, Hashable {
    public var requested: Int
    public var limit: Int
    public var used: Int
    public init(requested: Int, limit: Int, used: Int) {
        self.requested = requested
        self.limit = limit
        self.used = used
    }
}

/// The bytes that a warehouse may use: block cache and operators draw on the same budget. Safe from any thread.
public final class MemoryBudget: Sendable {
    public let limit: Int
    private let usedBytes = Atomic<Int>(0)
    private let peakBytes = Atomic<Int>(0)
    /// The part of what is used that the reclaimer could give back.
    private let cachedBytes = Atomic<Int>(0)
    /// Bytes of the process that nobody has reserved, as last measured.
    private let outsideBytes = Atomic<Int>(0)
    private let statements = Atomic<Int>(0)
    /// Those who wait until others give memory back.
    private let waiting = Atomic<Int>(0)
    private let released = Monitor()
    private let reclaimer = Lock<Reclaimer?>(nil)
    private let resultReclaimer = Lock<Reclaimer?>(nil)
    /// In a structure: a function that stands in a generic place by itself is wrapped twice each time it is looked at,
    /// a chain that grew with every refusal until it filled the memory, and the stack of who called it.
    private struct Reclaimer: Sendable {
        let body: @Sendable (Int) -> Void
    }

    public init(limit: Int) { self.limit = limit }

    public var used: Int { usedBytes.load(ordering: .relaxed) }
    public var peak: Int { peakBytes.load(ordering: .relaxed) }
    public var cached: Int { cachedBytes.load(ordering: .relaxed) }

    /// Called, with the bytes that are missing, before a reservation is refused: a cache gives back what it can.
    public func setReclaimer(_ body: (@Sendable (Int) -> Void)?) {
        reclaimer.withLock { $0 = body.map(Reclaimer.init) }
    }

    /// The same for kept results, which are asked first: they are few, and made again when somebody wants them.
    public func setResultReclaimer(_ body: (@Sendable (Int) -> Void)?) {
        resultReclaimer.withLock { $0 = body.map(Reclaimer.init) }
    }

    /// The cache says how much more, or less, of what it has reserved can be given back.
    public func note(cached bytes: Int) { _ = cachedBytes.add(bytes, ordering: .relaxed) }

    /// See ``ResidentMemory``. What is more than two thirds of the limit does not count: data must have some room.
    public var outside: Int { outsideBytes.load(ordering: .relaxed) }
    var largestOutside: Int { limit / 3 * 2 }
    func setOutside(_ bytes: Int) { outsideBytes.store(min(max(bytes, 0), largestOutside), ordering: .relaxed) }

    /// What no query and no load has taken; the cache's part counts as free.
    public var free: Int { limit - outside - used + cached }

    /// Statements that have memory, at least one.
    var statementCount: Int { max(statements.load(ordering: .relaxed), 1) }
    fileprivate func note(statements change: Int) { statements.add(change, ordering: .relaxed) }

    public func reserve(_ bytes: Int) throws {
        if tryReserve(bytes) { return }
        if reclaim(bytes) && tryReserve(bytes) { return }
        throw MemoryExhausted(requested: bytes, limit: limit, used: used)
    }

    /// Asks the cache to give back so much. False when there is none.
    @discardableResult
    func reclaim(_ bytes: Int) -> Bool {
        let results = resultReclaimer.withLock { $0 }
        results?.body(bytes)
        guard let reclaimer = reclaimer.withLock({ $0 }) else { return results != nil }
        reclaimer.body(bytes)
        return true
    }

    /// For buffers of bounded size without which nothing could run, or give memory back: counted also where there is no
    /// room for them, so that everybody else is refused until there is.
    public func reserveAlways(_ bytes: Int) {
        if tryReserve(bytes) { return }
        reclaim(bytes)
        if tryReserve(bytes) { return }
        let sum = usedBytes.add(bytes, ordering: .relaxed).newValue
        _ = peakBytes.max(sum, ordering: .relaxed)
    }

    /// Like ``reserve(_:)``, but what is small against the limit is never refused.
    public func reserveNeeded(_ bytes: Int) throws {
        if bytes >= 0 && bytes <= limit / 16 { return reserveAlways(bytes) }
        try reserve(bytes)
    }

    /// Like ``reserveAlways(_:)``, but first waits some seconds until others give back as much: for large buffers of
    /// statements that cannot begin without them.
    public func reserveWhenPossible(_ bytes: Int, _ cancellation: CancellationToken) throws {
        let deadline = Stopwatch.nanoseconds + MemoryBudget.patienceNanoseconds
        while !tryReserve(bytes) {
            try cancellation.check()
            reclaim(bytes)
            if tryReserve(bytes) { return }
            guard awaitRelease(until: deadline) else { return reserveAlways(bytes) }
        }
    }
    private static let patienceNanoseconds: Int64 = 5_000_000_000

    /// Returns when somebody has given memory back, or after some milliseconds; false when the time was up before.
    func awaitRelease(until deadline: Int64) -> Bool {
        let now = Stopwatch.nanoseconds
        if now >= deadline { return false }
        waiting.add(1, ordering: .sequentiallyConsistent)
        released.withLock { _ = released.wait(untilNanoseconds: min(now + MemoryBudget.pauseNanoseconds, deadline)) }
        waiting.subtract(1, ordering: .relaxed)
        return true
    }
    private static let pauseNanoseconds: Int64 = 10_000_000

    /// Takes the bytes if they are free at once; never asks the cache to give some back.
    public func tryReserve(_ bytes: Int) -> Bool {
        guard bytes >= 0 else { return false }
        var current = usedBytes.load(ordering: .relaxed)
        while true {
            let (sum, overflow) = current.addingReportingOverflow(bytes)
            if overflow || sum > limit - outside { return false }
            let result = usedBytes.weakCompareExchange(expected: current, desired: sum, ordering: .relaxed)
            if result.exchanged {
                _ = peakBytes.max(sum, ordering: .relaxed)
                return true
            }
            current = result.original
        }
    }

    public func release(_ bytes: Int) {
        usedBytes.subtract(bytes, ordering: .sequentiallyConsistent)
        if waiting.load(ordering: .sequentiallyConsistent) > 0 { released.wakeAll() }
    }
}

/// One query's share of the budget. Takes it in steps of 1 MB so that many small reservations stay cheap; gives all
/// of it back when it goes away. Safe from any thread.
///
/// A query may have up to four times what is left for others, so one alone gets four fifths of the budget, two get
/// four ninths each, eight an eighth: whoever comes later finds room at once, and who has more than his share spills
/// when he wants to grow.
public final class MemoryGrant: Sendable {
    private struct State {
        var used = 0
        var peak = 0
        /// What was taken from the budget: at least `used`.
        var reserved = 0
    }
    private static let step = 1 << 20
    /// Unused bytes kept before some go back to the budget.
    private static let slack = 8 << 20
    private static let shareOfRest = 4
    /// Up to this nobody is asked to share.
    private static let smallest = 8 << 20
    /// A statement that is refused so little waits so long for others: it could not go on without, nor spill.
    private static let least = 2 << 20
    private static let patienceNanoseconds: Int64 = 2_000_000_000

    private let budget: MemoryBudget
    private let state = Lock(State())
    /// The query's own limit, at most the budget's.
    public let limit: Int

    public init(_ budget: MemoryBudget, limit: Int = .max) {
        self.budget = budget
        self.limit = limit
        budget.note(statements: 1)
    }
    deinit {
        budget.note(statements: -1)
        budget.release(state.withLock { $0.reserved })
    }

    public var used: Int { state.withLock { $0.used } }
    public var peak: Int { state.withLock { $0.peak } }

    /// What this query would have if all that run now had the same.
    public var evenShare: Int { min(limit, budget.limit / budget.statementCount) }

    public func reserve(_ bytes: Int) throws {
        do {
            try reserveNow(bytes)
        } catch let refusal {
            guard bytes >= 0 && bytes <= MemoryGrant.least && used <= MemoryGrant.least else { throw refusal }
            // The query's own limit is nobody else's business.
            if used + bytes > limit { throw refusal }
            try awaitOthers(bytes)
        }
    }

    private func awaitOthers(_ bytes: Int) throws {
        let deadline = Stopwatch.nanoseconds + MemoryGrant.patienceNanoseconds
        while budget.awaitRelease(until: deadline) {
            do { return try reserveNow(bytes) } catch is MemoryExhausted {}
        }
        try reserveNow(bytes)
    }

    private func reserveNow(_ bytes: Int) throws {
        try state.withLock { state in
            let (sum, overflow) = state.used.addingReportingOverflow(bytes)
            if bytes < 0 || overflow || sum > limit {
                throw MemoryExhausted(requested: bytes, limit: limit, used: state.used)
            }
            if sum > state.reserved {
                try checkShare(sum, state.reserved)
                let missing = sum - state.reserved
                let rounded = min((missing + MemoryGrant.step - 1) & ~(MemoryGrant.step - 1), limit - state.reserved)
                if budget.tryReserve(rounded) {
                    state.reserved += rounded
                } else {
                    try budget.reserve(missing)
                    state.reserved += missing
                }
            }
            state.used = sum
            state.peak = max(state.peak, sum)
        }
    }

    private func checkShare(_ wanted: Int, _ reserved: Int) throws {
        if wanted <= MemoryGrant.smallest { return }
        let rest = budget.free - (wanted - reserved)
        if rest >= 0 && wanted / MemoryGrant.shareOfRest <= rest { return }
        throw MemoryExhausted(requested: wanted - reserved, limit: budget.limit, used: reserved)
    }

    public func tryReserve(_ bytes: Int) -> Bool {
        do {
            try reserve(bytes)
            return true
        } catch {
            return false
        }
    }

    /// Takes bytes of the budget that do not count against the query's limit or share: buffers of a fixed size, without
    /// which nothing could run or spill.
    public func reserveFixed(_ bytes: Int) { budget.reserveAlways(bytes) }
    public func releaseFixed(_ bytes: Int) { budget.release(bytes) }

    public func release(_ bytes: Int) {
        state.withLock { state in
            state.used -= bytes
            let surplus = state.reserved - state.used - MemoryGrant.step
            if surplus > MemoryGrant.slack {
                state.reserved -= surplus
                budget.release(surplus)
            }
        }
    }
}
