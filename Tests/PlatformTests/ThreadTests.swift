import Glibc
import Platform
import Synchronization
import Testing

@Suite struct ThreadTests {
    struct Stop: Error, Equatable { var worker: Int }

    @Test(arguments: [1, 2, 3])
    func everyWorkerRunsOnce(workers: Int) {
        let pool = WorkerPool(workers: workers)
        #expect(pool.workers == workers)
        for _ in 0..<500 {
            let seen = Mutex([Int](repeating: 0, count: workers))
            pool.run { worker in seen.withLock { $0[worker] += 1 } }
            #expect(seen.withLock { $0 } == [Int](repeating: 1, count: workers))
        }
    }

    @Test func firstErrorComesOut() throws {
        let pool = WorkerPool(workers: 2)
        #expect(throws: Stop(worker: 1)) { try pool.runThrowing { if $0 == 1 { throw Stop(worker: 1) } } }
        try pool.runThrowing { _ in }
    }

    @Test func sectionsInSectionsRunSerially() {
        let pool = WorkerPool(workers: 2)
        let calls = Atomic<Int>(0)
        pool.run { _ in pool.run { _ in calls.add(1, ordering: .relaxed) } }
        #expect(calls.load(ordering: .relaxed) == 4)
    }

    private final class Counts: Sendable {
        let calls = Atomic<Int>(0)
        let begun = Atomic<Bool>(false)
        let released = Atomic<Bool>(false)
        let ended = Atomic<Bool>(false)
    }

    private static func session(_ pool: WorkerPool, _ counts: Counts) throws {
        let thread = try StatementThread()
        try thread.run {
            for _ in 0..<200 { pool.run { _ in counts.calls.add(1, ordering: .relaxed) } }
        }
    }

    @Test func severalCallersAtOnce() async throws {
        let pool = WorkerPool(workers: 2)
        let counts = Counts()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { try ThreadTests.session(pool, counts) } }
            try await group.waitForAll()
        }
        #expect(counts.calls.load(ordering: .relaxed) == 1600)
    }

    private func wait(_ flag: borrowing Atomic<Bool>) {
        while !flag.load(ordering: .acquiring) { usleep(100) }
    }

    /// The long section ends only after the short one, so this would never end if sections took turns.
    @Test(arguments: [2, 3]) func aLongSectionHoldsNobodyUp(workers: Int) throws {
        let pool = WorkerPool(workers: workers)
        let counts = Counts()
        try NativeThread.start(name: "long") {
            pool.run { _ in
                counts.begun.store(true, ordering: .releasing)
                while !counts.released.load(ordering: .acquiring) { usleep(100) }
            }
            counts.ended.store(true, ordering: .releasing)
        }
        wait(counts.begun)
        for _ in 0..<50 { pool.run { _ in counts.calls.add(1, ordering: .relaxed) } }
        let calls = counts.calls.load(ordering: .relaxed)
        #expect(calls == 50 * workers)
        let hasEnded = counts.ended.load(ordering: .acquiring)
        #expect(!hasEnded)
        counts.released.store(true, ordering: .releasing)
        wait(counts.ended)
    }

    private func depth(_ levels: Int) -> Int {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            buffer.storeBytes(of: levels, as: Int.self)
            return levels == 0 ? 0 : depth(levels - 1) + 1
        }
    }

    @Test func statementThreadHasADeepStackAndRethrows() throws {
        let thread = try StatementThread()
        #expect(try thread.run { depth(10_000) } == 10_000)
        #expect(throws: Stop(worker: 7)) { try thread.run { throw Stop(worker: 7) } }
        #expect(try thread.run { try thread.run { 5 } } == 5)
    }

    @Test func cancellationKeepsTheFirstReason() throws {
        let token = CancellationToken()
        try token.check()
        token.cancel(.statementTimeout)
        token.cancel(.userRequest)
        #expect(throws: StatementCancelled(reason: .statementTimeout)) { try token.check() }
    }

    @Test func hostIsKnown() {
        #expect(!HostEnvironment.allowedCPUs().isEmpty)
        #expect(HostEnvironment.totalMemory() > 64 << 20)
        #expect(CPUFeatures.missing().isEmpty)
    }

    @Test func seededNumbersRepeat() {
        // First numbers of SplitMix64 for seed 0, from its reference implementation.
        var random = SeededRandom(seed: 0)
        #expect(random.next() == 0xE220_A839_7B1D_CDAF)
        #expect(random.next() == 0x6E78_9E6A_A1B9_65F4)
    }
}
