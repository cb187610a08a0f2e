import Glibc
import Synchronization
import Testing

@testable import Platform

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

    @Test func grantsLeaveRoomForOthers() throws {
        let budget = MemoryBudget(limit: 100 << 20)
        let first = MemoryGrant(budget), second = MemoryGrant(budget), third = MemoryGrant(budget)
        try first.reserve(80 << 20)
        #expect(throws: MemoryExhausted.self) { try first.reserve(1 << 20) }
        try second.reserve(16 << 20)
        #expect(throws: MemoryExhausted.self) { try second.reserve(1 << 20) }
        // Small amounts are not asked for.
        try third.reserve(4 << 20)
        first.release(60 << 20)
        try second.reserve(10 << 20)
    }

    @Test func whatACacheHoldsCountsAsFree() throws {
        let budget = MemoryBudget(limit: 100 << 20)
        budget.setReclaimer { [unowned budget] missing in
            budget.release(missing)
            budget.note(cached: -missing)
        }
        try budget.reserve(90 << 20)
        budget.note(cached: 90 << 20)
        let grant = MemoryGrant(budget)
        try grant.reserve(70 << 20)
        #expect(budget.cached <= 30 << 20)
        #expect(budget.used <= 100 << 20)
    }

    @Test func whatIsOutsideIsTakenOff() throws {
        let budget = MemoryBudget(limit: 96 << 20)
        budget.setOutside(30 << 20)
        #expect(budget.free == 66 << 20)
        #expect(throws: MemoryExhausted.self) { try budget.reserve(67 << 20) }
        try budget.reserve(66 << 20)
        budget.release(66 << 20)
        budget.setOutside(1 << 30)
        try budget.reserve(32 << 20)
        #expect(!budget.tryReserve(1), "a third of the limit stays for data, and no more")
        budget.release(32 << 20)
        budget.setOutside(-1)
        try budget.reserve(96 << 20)
    }

    @Test func whatMustBeginWaitsForOthers() throws {
        let budget = MemoryBudget(limit: 64 << 20)
        try budget.reserve(60 << 20)
        let cancellation = CancellationToken()
        try NativeThread.start(name: "others") {
            usleep(20_000)
            budget.release(60 << 20)
        }
        try budget.reserveWhenPossible(50 << 20, cancellation)
        #expect(budget.used == 50 << 20, "it came after the others had gone")
        cancellation.cancel(.userRequest)
        #expect(throws: StatementCancelled.self) { try budget.reserveWhenPossible(50 << 20, cancellation) }
        #expect(budget.used == 50 << 20)
    }

    @Test func whatIsNeededIsCountedAlsoWhereThereIsNoRoom() throws {
        let budget = MemoryBudget(limit: 64 << 20)
        try budget.reserve(60 << 20)
        budget.reserveAlways(10 << 20)
        #expect(budget.used == 70 << 20)
        try budget.reserveNeeded(4 << 20)
        #expect(throws: MemoryExhausted.self) { try budget.reserveNeeded(5 << 20) }
        #expect(throws: MemoryExhausted.self) { try budget.reserveNeeded(-1) }
        budget.release(20 << 20)
        #expect(!budget.tryReserve(11 << 20))
        #expect(budget.tryReserve(10 << 20))
    }

    @Test func aSmallStatementWaitsForOthers() throws {
        let budget = MemoryBudget(limit: 64 << 20)
        try budget.reserve(64 << 20)
        try NativeThread.start(name: "giver") {
            usleep(50_000)
            budget.release(4 << 20)
        }
        let grant = MemoryGrant(budget)
        try grant.reserve(1 << 20)
        #expect(grant.used == 1 << 20)
        #expect(throws: MemoryExhausted.self, "a large one spills at once") { try grant.reserve(8 << 20) }
    }

    @Test func waitingResultsTakeNoMoreThanHalf() throws {
        let budget = MemoryBudget(limit: 64 << 20)
        do {
            let allowance = MemoryAllowance(budget)
            #expect(allowance.tryTake(20 << 20))
            #expect(!allowance.tryTake(13 << 20))
            #expect(allowance.tryTake(12 << 20))
            allowance.give(back: 12 << 20)
            #expect(budget.used == 20 << 20)
        }
        #expect(budget.used == 0)
    }

    /// Also when nobody asks anything: what is kept goes back, and what the process has is counted.
    @Test func theProcessIsMeasured() throws {
        let regions = MemoryRegions(keptLimit: 1 << 30)
        let budget = MemoryBudget(limit: 1 << 40)
        let resident = ResidentMemory(budget, regionTarget: .max, regionFloor: 0, regions: regions)
        let region = try regions.take(bytes: 256 << 20)
        region.address.initializeMemory(as: UInt8.self, repeating: 1, count: region.capacity)
        resident.measure()
        #expect(budget.outside > 256 << 20)
        let before = budget.outside
        try budget.reserve(256 << 20)
        resident.measure()
        #expect(budget.outside < before - (128 << 20))
        regions.give(back: region)
        #expect(regions.keptBytes == 256 << 20)
    }

    /// The parent that keeps a server alive is part of what `--memory` says.
    @Test func memoryOfOtherProcessesIsCounted() throws {
        let regions = MemoryRegions(keptLimit: 1 << 30)
        let alone = MemoryBudget(limit: 1 << 40), kept = MemoryBudget(limit: 1 << 40)
        do {
            let resident = ResidentMemory(alone, regionTarget: .max, regionFloor: 0, regions: regions)
            resident.measure()
            resident.stop()
        }
        let resident = ResidentMemory(
            kept, regionTarget: .max, regionFloor: 0, besidesBytes: 1 << 30, regions: regions)
        resident.measure()
        #expect(kept.outside > alone.outside + 1 << 29, "the process itself changes by less")
        #expect(HostEnvironment.parentPrivateMemory() > 0)
    }

    /// What one warehouse of the process has is not another one's, and their targets add up.
    @Test func warehousesInOneProcessAnswerForTheirOwnMemory() throws {
        let regions = MemoryRegions(keptLimit: 1 << 30)
        let small = MemoryBudget(limit: 1 << 30), large = MemoryBudget(limit: 7 << 30)
        let own = ResidentMemory(small, regionTarget: 10 << 20, regionFloor: 0, regions: regions)
        own.measure()
        let alone = small.outside
        do {
            let other = ResidentMemory(large, regionTarget: 50 << 20, regionFloor: 0, regions: regions)
            try large.reserve(256 << 20)
            defer { large.release(256 << 20) }
            let region = try regions.take(bytes: 256 << 20)
            region.address.initializeMemory(as: UInt8.self, repeating: 1, count: region.capacity)
            defer { regions.give(back: region) }
            own.measure()
            other.measure()
            #expect(small.outside < alone, "an eighth of what is nobody's, and nothing of the other's")
            try small.reserve(700 << 20)
            small.release(700 << 20)
            other.stop()
        }
        own.measure()
        #expect(small.outside >= alone / 2, "alone again")
    }

    @Test func nothingIsKeptAboveTheTarget() throws {
        let regions = MemoryRegions(keptLimit: 1 << 30)
        regions.setTarget(of: regions, bytes: 20 << 20, floor: 4 << 20)
        let large = try regions.take(bytes: 16 << 20), small = try regions.take(bytes: 2 << 20)
        #expect(regions.bytes == 18 << 20)
        regions.give(back: large)
        #expect(regions.keptBytes == 16 << 20)
        // Another size: what is kept makes way.
        let other = try regions.take(bytes: 12 << 20)
        #expect(regions.keptBytes == 0)
        #expect(regions.peakBytes <= 34 << 20)
        let more = try regions.take(bytes: 14 << 20)
        regions.give(back: small)
        #expect(regions.keptBytes == 2 << 20, "the floor")
        regions.give(back: more)
        regions.give(back: other)
        #expect(regions.bytes <= 20 << 20)
    }

    /// Small ones come from the heap, which would keep their pages.
    @Test func smallRegionsThatAreGivenUpLeaveTheProcess() throws {
        let regions = MemoryRegions(keptLimit: 1 << 30)
        regions.setTarget(of: regions, bytes: 256 << 20, floor: 0)
        let small = try (0..<3_000).map { _ in
            let region = try regions.take(bytes: 64 << 10)
            region.address.initializeMemory(as: UInt8.self, repeating: 1, count: region.capacity)
            return region
        }
        // Between the pieces of others, as statements leave them: the last one stays.
        for region in small.dropLast() { regions.give(back: region) }
        let before = HostEnvironment.residentMemory()
        regions.trim(to: 0)
        #expect(HostEnvironment.residentMemory() < before - (96 << 20))
        regions.give(back: small[2_999])
    }

    @Test func freshMemoryAboveTheTargetAsksForReplacement() throws {
        let regions = MemoryRegions(keptLimit: 0)
        let asked = Mutex(0)
        regions.setTarget(of: regions, bytes: 10 << 20, floor: 0)
        regions.addReplacer(regions) { bytes in asked.withLock { $0 += bytes } }
        defer { regions.removeReplacer(regions) }
        let first = try regions.take(bytes: 8 << 20)
        #expect(asked.withLock { $0 } == 0)
        let second = try regions.take(bytes: 4 << 20)
        #expect(asked.withLock { $0 } == 2 << 20, "what is above the target")
        regions.note(slabBytes: 1 << 20)
        #expect(asked.withLock { $0 } == 5 << 20)
        regions.note(slabBytes: -1 << 20)
        regions.give(back: first)
        regions.give(back: second)
        #expect(asked.withLock { $0 } == 5 << 20, "nothing may be kept")
        #expect(regions.bytes == 0)
    }

    /// A cache with enough that nobody uses: regions given back stay for the next statement.
    @Test func cachedBlocksMakeWayBeforeKeptRegions() throws {
        let regions = MemoryRegions(keptLimit: 1 << 30)
        regions.setTarget(of: regions, bytes: 20 << 20, floor: 0)
        regions.addReplacer(regions) { [weak regions] bytes in regions?.note(slabBytes: -bytes) }
        defer { regions.removeReplacer(regions) }
        regions.note(slabBytes: 18 << 20)
        let first = try regions.take(bytes: 8 << 20)
        #expect(regions.bytes == 20 << 20)
        regions.give(back: first)
        #expect(regions.keptBytes == 8 << 20)
        let second = try regions.take(bytes: 10 << 20)
        #expect(regions.keptBytes == 8 << 20)
        regions.give(back: second)
        #expect(regions.keptBytes == 18 << 20)
        #expect(regions.bytes == 20 << 20)
    }
}
