import CIntrinsics
import ColumnVectors
import Glibc
import Platform
import SQLTypes

/// Gives numbers 0, 1, 2, ... to different keys. One worker's state, later read by all.
///
/// ``PackedGroupTable`` has exact 64-bit keys in its slots; ``WideGroupTable`` has hashes there and rows of words
/// beside.
protocol GroupTable: AnyObject {
    var count: Int { get }
}

/// Slots of 16 bytes (key, group + 1), linear probing, at most half full. Whole batches are hashed by multiplication
/// and prefetched when the table exceeds the caches.
final class PackedGroupTable: GroupTable {
    private let slotMemory: TableMemory
    private let keyMemory: TableMemory
    private var slotCount = 0
    private(set) var count = 0
    private var slots: UnsafeMutablePointer<SIMD2<UInt64>> { slotMemory.values(SIMD2<UInt64>.self) }
    /// Key of every group.
    var keys: UnsafeMutablePointer<UInt64> { keyMemory.values(UInt64.self) }

    init(_ context: ExecutionContext, expected: Int = 0) throws {
        slotMemory = TableMemory(context)
        keyMemory = TableMemory(context)
        var size = 1024
        while size < expected * 2 && size < 1 << 24 { size <<= 1 }
        try resize(size)
    }

    /// Gives the slots back: the groups stay, but none can be looked up or added any more.
    func freeze() { slotMemory.removeAll() }

    @inline(__always) static func hash(_ key: UInt64) -> UInt64 {
        StringHash.mix(key ^ 0x2D35_8DCC_AA6C_78A5, 0x8BB8_4B93_962E_ACC9)
    }

    private func resize(_ size: Int) throws {
        slotCount = size
        try slotMemory.grow(to: size * 16, keeping: 0)
        memset(slotMemory.address, 0, size * 16)
        let slots = self.slots, keys = self.keys, mask = size &- 1
        for group in 0..<count {
            var place = Int(truncatingIfNeeded: PackedGroupTable.hash(keys[group])) & mask
            while slots[place].y != 0 { place = (place &+ 1) & mask }
            slots[place] = SIMD2(keys[group], UInt64(group &+ 1))
        }
    }

    /// The groups of the keys; unknown keys become new groups.
    func assign(_ codes: UnsafePointer<UInt64>, _ rows: Int, _ groups: UnsafeMutablePointer<UInt32>) throws {
        if (count + rows) * 2 > slotCount {
            guard count + rows < Int(Int32.max) else { throw tooManyGroups() }
            var size = slotCount
            while (count + rows) * 2 > size { size <<= 1 }
            try resize(max(size, min(slotCount * 4, 1 << 22)))
        }
        try keyMemory.grow(to: (count + rows) * 8, keeping: count * 8)
        let slots = self.slots, keys = self.keys, mask = slotCount &- 1
        let distance = slotCount > 1 << 14 ? 16 : 0
        var used = count
        for i in 0..<rows {
            if distance != 0 {
                let ahead = codes[min(i &+ distance, rows &- 1)]
                rb_prefetch(slots + (Int(truncatingIfNeeded: PackedGroupTable.hash(ahead)) & mask))
            }
            let key = codes[i]
            var place = Int(truncatingIfNeeded: PackedGroupTable.hash(key)) & mask
            while true {
                let slot = slots[place]
                if slot.y == 0 {
                    keys[used] = key
                    used &+= 1
                    slots[place] = SIMD2(key, UInt64(used))
                    groups[i] = UInt32(truncatingIfNeeded: used &- 1)
                    break
                }
                if slot.x == key {
                    groups[i] = UInt32(truncatingIfNeeded: slot.y &- 1)
                    break
                }
                place = (place &+ 1) & mask
            }
        }
        count = used
    }
}

/// Slots of 8 bytes: upper half of the hash, group + 1; the key rows are compared word by word.
final class WideGroupTable: GroupTable {
    let layout: WideKeyLayout
    private let slotMemory: TableMemory
    private let hashMemory: TableMemory
    private let rowMemory: TableMemory
    private let context: ExecutionContext
    private let arena = StringArena()
    private var arenaReserved = 0
    private var slotCount = 0
    private(set) var count = 0
    private var slots: UnsafeMutablePointer<UInt64> { slotMemory.values(UInt64.self) }
    var hashes: UnsafeMutablePointer<UInt64> { hashMemory.values(UInt64.self) }
    /// Key rows of the groups, ``WideKeyLayout/words`` each. Long strings stand in the table's own arena.
    var rows: UnsafeMutablePointer<UInt64> { rowMemory.values(UInt64.self) }

    private let hasLongStrings: Bool
    private let firstString: Int

    init(_ layout: WideKeyLayout, _ context: ExecutionContext, expected: Int = 0) throws {
        self.layout = layout
        self.context = context
        hasLongStrings = !layout.stringWords.isEmpty
        firstString = layout.stringWords.first ?? 0
        slotMemory = TableMemory(context)
        hashMemory = TableMemory(context)
        rowMemory = TableMemory(context)
        var size = 1024
        while size < expected * 2 && size < 1 << 24 { size <<= 1 }
        try resize(size)
    }

    /// Gives the slots back: the groups stay, but none can be looked up or added any more.
    func freeze() { slotMemory.removeAll() }

    deinit { if arenaReserved > 0 { context.grant.release(arenaReserved) } }

    private func resize(_ size: Int) throws {
        slotCount = size
        try slotMemory.grow(to: size * 8, keeping: 0)
        memset(slotMemory.address, 0, size * 8)
        let slots = self.slots, hashes = self.hashes, mask = size &- 1
        for group in 0..<count {
            let hash = hashes[group]
            var place = Int(truncatingIfNeeded: hash) & mask
            while slots[place] != 0 { place = (place &+ 1) & mask }
            slots[place] = (hash & 0xffff_ffff_0000_0000) | UInt64(group &+ 1)
        }
    }

    /// - Parameter copying: long strings are copied to the table; otherwise they must outlive it.
    func assign(
        rows keys: UnsafePointer<UInt64>, hashes rowHashes: UnsafePointer<UInt64>, _ rowCount: Int,
        _ groups: UnsafeMutablePointer<UInt32>, copying: Bool = true
    ) throws {
        if (count + rowCount) * 2 > slotCount {
            guard count + rowCount < Int(Int32.max) else { throw tooManyGroups() }
            var size = slotCount
            while (count + rowCount) * 2 > size { size <<= 1 }
            try resize(max(size, min(slotCount * 4, 1 << 22)))
        }
        try hashMemory.grow(to: (count + rowCount) * 8, keeping: count * 8)
        try rowMemory.grow(to: (count + rowCount) * layout.words * 8, keeping: count * layout.words * 8)
        let slots = self.slots, mask = slotCount &- 1, width = layout.words
        let stored = rows
        let prefetches = slotCount > 1 << 15
        for i in 0..<rowCount {
            if prefetches { prefetch(rowHashes, i, rowCount, mask, slots, stored) }
            let hash = rowHashes[i]
            var place = Int(truncatingIfNeeded: hash) & mask
            while true {
                let slot = slots[place]
                if slot == 0 {
                    try insert(keys + i &* width, hash, copying)
                    slots[place] = (hash & 0xffff_ffff_0000_0000) | UInt64(count)
                    groups[i] = UInt32(truncatingIfNeeded: count &- 1)
                    break
                }
                if slot &>> 32 == hash &>> 32 {
                    let group = Int(slot & 0xffff_ffff) &- 1
                    if layout.equal(stored + group &* width, keys + i &* width) {
                        groups[i] = UInt32(truncatingIfNeeded: group)
                        break
                    }
                }
                place = (place &+ 1) & mask
            }
        }
    }

    /// Three misses a row, asked for in three steps: the slot, the group's key row behind it, the bytes of its first
    /// string.
    @inline(__always)
    private func prefetch(
        _ rowHashes: UnsafePointer<UInt64>, _ i: Int, _ rowCount: Int, _ mask: Int,
        _ slots: UnsafeMutablePointer<UInt64>, _ stored: UnsafeMutablePointer<UInt64>
    ) {
        let last = rowCount &- 1, width = layout.words
        rb_prefetch(slots + (Int(truncatingIfNeeded: rowHashes[min(i &+ 24, last)]) & mask))
        let near = rowHashes[min(i &+ 14, last)]
        let slot = slots[Int(truncatingIfNeeded: near) & mask]
        if slot &>> 32 == near &>> 32 && slot != 0 {
            let group = Int(slot & 0xffff_ffff) &- 1
            rb_prefetch(stored + group &* width)
        }
        guard hasLongStrings else { return }
        let next = rowHashes[min(i &+ 7, last)]
        let found = slots[Int(truncatingIfNeeded: next) & mask]
        if found &>> 32 == next &>> 32 && found != 0 {
            let group = Int(found & 0xffff_ffff) &- 1
            let row = UnsafePointer(stored + (group &* width &+ firstString))
            if WideKeyLayout.length(row[0]) > 12 { rb_prefetch(WideKeyLayout.pointer(row[1])) }
        }
    }

    private func insert(_ key: UnsafePointer<UInt64>, _ hash: UInt64, _ copying: Bool) throws {
        let width = layout.words
        let target = rows + count * width
        target.update(from: key, count: width)
        hashes[count] = hash
        if copying {
            for word in layout.stringWords {
                let length = WideKeyLayout.length(key[word])
                if length <= 12 { continue }
                let bytes = try arena.allocate(length)
                memcpy(bytes, WideKeyLayout.pointer(key[word + 1]), length)
                target[word + 1] = UInt64(UInt(bitPattern: bytes))
            }
            if arena.reservedBytes > arenaReserved {
                try context.reserve(arena.reservedBytes - arenaReserved)
                arenaReserved = arena.reservedBytes
            }
        }
        count += 1
    }
}

func tooManyGroups() -> SQLError {
    SQLError(.limitExceeded, "too many groups", detail: "An aggregation can have at most 2147483647 groups per worker.")
}
