import Platform

/// Lets as many loads sort and encode at the same time as there is memory for: each needs some megabytes for that
/// beside its rows. The others wait. Whoever has a place must not ask for another. Each store has one.
final class BuildDesk: Sendable {
    private let budget: MemoryBudget
    private let monitor = Monitor()
    private let count = Lock(0)
    private static let usualBytes = 8 << 20
    /// What they may have together.
    private static let shareOfMemory = 16

    init(_ budget: MemoryBudget) { self.budget = budget }

    func seated<Result>(_ body: () throws -> Result) rethrows -> Result {
        let most = max(budget.limit / BuildDesk.shareOfMemory / BuildDesk.usualBytes, 2)
        monitor.withLock {
            while count.withLock({ $0 >= most }) { monitor.wait() }
            count.withLock { $0 += 1 }
        }
        defer {
            monitor.withLock { count.withLock { $0 -= 1 } }
            monitor.wakeAll()
        }
        return try body()
    }
}
