import Synchronization

/// Memory for what may as well lie in a file: results that wait for their client. It is there only while at least half
/// of the budget is free for statements. Gives all of it back when it goes away. Safe from any thread.
public final class MemoryAllowance: Sendable {
    private let budget: MemoryBudget
    private let takenBytes = Atomic<Int>(0)

    public init(_ budget: MemoryBudget) { self.budget = budget }
    deinit { budget.release(takenBytes.load(ordering: .relaxed)) }

    /// False: put it elsewhere.
    public func tryTake(_ bytes: Int) -> Bool {
        guard bytes >= 0, budget.free - bytes >= budget.limit / 2 else { return false }
        take(bytes)
        return true
    }

    /// For what is in memory already.
    public func take(_ bytes: Int) {
        budget.reserveAlways(bytes)
        takenBytes.add(bytes, ordering: .relaxed)
    }

    public func give(back bytes: Int) {
        takenBytes.subtract(bytes, ordering: .relaxed)
        budget.release(bytes)
    }
}
