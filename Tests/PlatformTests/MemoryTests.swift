import Platform
import Testing

@Suite struct MemoryTests {
    @Test func budgetRefusesAndCounts() throws {
        let budget = MemoryBudget(limit: 100)
        try budget.reserve(60)
        let error = #expect(throws: MemoryExhausted.self) { try budget.reserve(41) }
        #expect(error == MemoryExhausted(requested: 41, limit: 100, used: 60))
        try budget.reserve(40)
        budget.release(100)
        #expect(budget.used == 0)
        #expect(budget.peak == 100)
        #expect(!budget.tryReserve(.max))
    }

    @Test func budgetAsksTheCacheFirst() throws {
        let budget = MemoryBudget(limit: 100)
        try budget.reserve(90)
        budget.setReclaimer { [unowned budget] missing in budget.release(missing) }
        try budget.reserve(50)
        #expect(budget.used == 90)
    }

    @Test func grantTakesStepsAndGivesAllBack() throws {
        let budget = MemoryBudget(limit: 64 << 20)
        do {
            let grant = MemoryGrant(budget, limit: 32 << 20)
            try grant.reserve(10)
            #expect(budget.used == 1 << 20)
            #expect(throws: MemoryExhausted.self) { try grant.reserve(32 << 20) }
            try grant.reserve(30 << 20)
            grant.release(30 << 20)
            #expect(budget.used < 3 << 20)
            #expect(grant.peak == (30 << 20) + 10)
        }
        #expect(budget.used == 0)
    }

    @Test(arguments: [1, 4096, 5000, 1 << 19, (1 << 20) - 1, 1 << 20, (2 << 20) + 1, 9 << 20])
    func regionsAreReusedAlignedAndPadded(bytes: Int) throws {
        let regions = MemoryRegions(keptLimit: 64 << 20)
        let region = try regions.take(bytes: bytes)
        #expect(region.capacity >= bytes)
        #expect(Int(bitPattern: region.address) % (bytes >= 1 << 20 ? 2 << 20 : 128) == 0)
        region.address.initializeMemory(as: UInt8.self, repeating: 7, count: region.capacity + Region.padding)
        regions.give(back: region)
        #expect(regions.keptBytes == region.capacity)
        let again = try regions.take(bytes: bytes)
        #expect(again.address == region.address)
        #expect(regions.keptBytes == 0)
        regions.give(back: again)
        regions.trim(to: 0)
        #expect(regions.keptBytes == 0)
    }

    @Test func surplusRegionsAreFreed() throws {
        let regions = MemoryRegions(keptLimit: 10_000)
        let taken = try (0..<3).map { _ in try regions.take(bytes: 4096) }
        for region in taken { regions.give(back: region) }
        #expect(regions.keptBytes == 8192)
        #expect(throws: MemoryExhausted.self) { try regions.take(bytes: .max) }
    }
}
