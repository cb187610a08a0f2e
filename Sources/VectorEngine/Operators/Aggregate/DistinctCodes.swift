import CIntrinsics
import ColumnVectors
import Glibc
import SQLTypes

/// Pairs of group and value as 64-bit codes in 64 partitions of the hash, written one after the other and freed from
/// repetitions now and then, so that no table outgrows the caches. A small filter drops what was just seen.
final class DistinctCodes {
    static let partitions = 64
    private static let filterSlots = 4096, unspreadCodes = 8192
    /// The partition is chosen without the lowest bits: groups that workers number differently.
    private let ignoredBits: UInt64
    private let context: ExecutionContext
    private var buffers: [TableMemory]
    /// Per partition: codes written, and the number from which repetitions are removed again.
    private let counts: UnsafeMutablePointer<Int>
    private let nextCompaction: UnsafeMutablePointer<Int>
    private let numbers: TableMemory
    private let filter: TableMemory
    private let set: DistinctCodeSet
    private(set) var isSpread = false
    var total: Int { (0..<buffers.count).reduce(0) { $0 + counts[$1] } }

    init(ignoringBits ignored: Int, _ context: ExecutionContext) throws {
        ignoredBits = UInt64(ignored)
        self.context = context
        buffers = [try TableMemory(context, bytes: 16_384 * 8)]
        numbers = try TableMemory(context, bytes: DistinctCodes.partitions * 16, zeroed: true)
        counts = numbers.values(Int.self)
        nextCompaction = counts + DistinctCodes.partitions
        filter = try TableMemory(context, bytes: DistinctCodes.filterSlots * 8, zeroed: true)
        set = DistinctCodeSet(context)
        // A slot that nothing was put in must not look as if code 0 had been seen.
        filter.values(UInt64.self)[filterSlot(0, hash(0))] = 1
    }

    func codes(_ partition: Int) -> UnsafeBufferPointer<UInt64> {
        UnsafeBufferPointer(start: buffers[partition].values(UInt64.self), count: counts[partition])
    }

    @inline(__always) private func hash(_ code: UInt64) -> UInt64 { PackedGroupTable.hash(code &>> ignoredBits) }
    @inline(__always) private func filterSlot(_ code: UInt64, _ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash ^ code) & (DistinctCodes.filterSlots &- 1)
    }
    @inline(__always) private func partition(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash &>> 58) }

    func add(_ codes: UnsafePointer<UInt64>, _ count: Int) throws {
        if !isSpread {
            if (counts[0] + count) * 8 > buffers[0].capacity { try makeRoom(0, count) }
            if !isSpread { return addUnspread(codes, count) }
        }
        for partition in 0..<DistinctCodes.partitions
        where (counts[partition] &+ count) &* 8 > buffers[partition].capacity { try makeRoom(partition, count) }
        let filter = self.filter.values(UInt64.self), counts = self.counts
        withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<UInt64>.self, capacity: DistinctCodes.partitions) {
            bases in
            for partition in 0..<DistinctCodes.partitions { bases[partition] = buffers[partition].values(UInt64.self) }
            for i in 0..<count {
                let code = codes[i]
                let hash = self.hash(code)
                let slot = filterSlot(code, hash)
                if filter[slot] == code { continue }
                filter[slot] = code
                let partition = self.partition(hash)
                bases[partition][counts[partition]] = code
                counts[partition] &+= 1
            }
        }
    }

    private func addUnspread(_ codes: UnsafePointer<UInt64>, _ count: Int) {
        let filter = self.filter.values(UInt64.self), target = buffers[0].values(UInt64.self)
        var used = counts[0]
        for i in 0..<count {
            let code = codes[i]
            let slot = filterSlot(code, hash(code))
            if filter[slot] == code { continue }
            filter[slot] = code
            target[used] = code
            used &+= 1
        }
        counts[0] = used
    }

    /// Removes repetitions, and takes more memory when that does not halve the partition.
    private func makeRoom(_ partition: Int, _ more: Int) throws {
        let before = counts[partition]
        if before >= nextCompaction[partition] {
            counts[partition] = try set.compact(buffers[partition].values(UInt64.self), before)
            // Codes that hardly repeat are not looked at again soon.
            nextCompaction[partition] = counts[partition] * (counts[partition] > before / 4 * 3 ? 4 : 2)
        }
        if !isSpread && counts[0] > DistinctCodes.unspreadCodes { return try spread() }
        let wanted = (counts[partition] * 2 + more) * 8
        if wanted > buffers[partition].capacity {
            try buffers[partition].grow(to: wanted, keeping: counts[partition] * 8)
        }
    }

    /// From one partition to all.
    func spread() throws {
        if isSpread { return }
        let old = buffers[0], count = counts[0], codes = old.values(UInt64.self)
        memset(numbers.address, 0, DistinctCodes.partitions * 16)
        for i in 0..<count { counts[partition(hash(codes[i]))] += 1 }
        buffers = try (0..<DistinctCodes.partitions).map {
            try TableMemory(context, bytes: max(counts[$0] * 2, 8192) * 8)
        }
        for partition in 0..<DistinctCodes.partitions { counts[partition] = 0 }
        for i in 0..<count {
            let partition = self.partition(hash(codes[i]))
            buffers[partition].values(UInt64.self)[counts[partition]] = codes[i]
            counts[partition] += 1
        }
        isSpread = true
    }
}

/// A set of codes for one partition at a time: open addressing, 0 stands aside.
final class DistinctCodeSet {
    private let slots: TableMemory
    private var mask = 0
    private var hasZero = false

    init(_ context: ExecutionContext) { slots = TableMemory(context) }

    /// Empties the set and makes room for so many codes.
    func prepare(_ count: Int) throws {
        var size = 1024
        while size < count * 2 { size <<= 1 }
        try slots.grow(to: size * 8, keeping: 0)
        memset(slots.address, 0, size * 8)
        mask = size - 1
        hasZero = false
    }

    /// True when the code was not in the set.
    @inline(__always) func insert(_ code: UInt64) -> Bool {
        if code == 0 {
            defer { hasZero = true }
            return !hasZero
        }
        let slots = self.slots.values(UInt64.self)
        var place = Int(truncatingIfNeeded: PackedGroupTable.hash(code)) & mask
        while true {
            let found = slots[place]
            if found == code { return false }
            if found == 0 {
                slots[place] = code
                return true
            }
            place = (place &+ 1) & mask
        }
    }
    /// Asks for the slot of a code that comes soon.
    @inline(__always) func prefetch(_ code: UInt64) {
        rb_prefetch(slots.values(UInt64.self) + (Int(truncatingIfNeeded: PackedGroupTable.hash(code)) & mask))
    }

    /// Moves the different codes to the front and returns their number.
    func compact(_ codes: UnsafeMutablePointer<UInt64>, _ count: Int) throws -> Int {
        try prepare(count)
        var kept = 0
        for i in 0..<count {
            let code = codes[i]
            if insert(code) {
                codes[kept] = code
                kept &+= 1
            }
        }
        return kept
    }
}
