import Testing

@testable import Platform

struct ReclaimerTests {
    /// A function in a generic place gets longer with every look at it: after so many the call would not end well.
    @Test func manyRefusalsCallTheSameFunction() throws {
        let budget = MemoryBudget(limit: 1_000)
        let calls = Lock(0)
        budget.setReclaimer { _ in calls.withLock { $0 += 1 } }
        for _ in 0..<400_000 {
            #expect(throws: MemoryExhausted.self) { try budget.reserve(2_000) }
        }
        #expect(calls.withLock { $0 } == 400_000)
    }
}
