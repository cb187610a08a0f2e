import Catalog
import ColumnVectors
import Platform
import SQLTypes

/// Brings a slice's rows into sort key order: every row's key becomes one unsigned number (columns' values minus their
/// minimum, one after the other, NULLs last), numbers are radix sorted together with the row's position.
struct RowOrder {
    private let rows: SliceRows
    private let plan: WritePlan
    private let count: Int

    static func sort(_ rows: SliceRows, _ plan: WritePlan) throws {
        let order = RowOrder(rows: rows, plan: plan, count: rows.rowCount)
        switch plan.definition.sortKey {
        case .none, .auto: return
        case .compound(let columns): try order.sortCompound(columns)
        case .interleaved(let columns): try order.sortInterleaved(columns)
        }
    }

    private var positionBits: Int { Int.bitWidth - max(count - 1, 1).leadingZeroBitCount }
    /// Of ids: the chunk's number, and 16 bits for the row in it. They ascend as positions do.
    private var idBits: Int { 16 + Int.bitWidth - max(rows.chunks.count - 1, 0).leadingZeroBitCount }

    // MARK: Compound

    private func sortCompound(_ columns: [Int]) throws {
        if columns.isEmpty { return }
        let fields = columns.map { ChunkSortField.measure(rows, plan, $0) }
        var bits = 0
        var used: [ChunkSortField] = []
        var isExact = true
        for field in fields {
            var field = field
            if bits + field.bits > 128 {
                field.shift = bits + field.bits - 128
                isExact = false
            }
            bits += field.bits - field.shift
            used.append(field)
            // What follows a cut field must not come before the rest of it.
            isExact = isExact && field.isExact
            if !isExact || bits == 128 { break }
        }
        isExact = isExact && used.count == columns.count
        if bits + positionBits <= 64 {
            try sortNarrow(used, bits, isExact ? nil : columns)
        } else {
            try sortWide(used, bits, isExact ? nil : columns)
        }
        rows.isSorted = true
    }

    /// Key and id share a 64-bit word, or key and position where ids have too many bits.
    private func sortNarrow(_ fields: [ChunkSortField], _ bits: Int, _ tieBreak: [Int]?) throws {
        let memory = try MemoryRegions.shared.take(bytes: count * 8)
        var isKept = false
        defer { if !isKept { MemoryRegions.shared.give(back: memory) } }
        let keys = memory.address.assumingMemoryBound(to: UInt64.self)
        keys.initialize(repeating: 0, count: count)
        for field in fields { field.accumulate(rows, keys) }
        let hasIDs = bits + idBits <= 64
        let width = hasIDs ? idBits : positionBits
        if number(keys, width, hasIDs: hasIDs) {
            if tieBreak == nil { return }
        } else {
            try RadixSort.sort(keys, count, fromBit: width, bits: bits)
        }
        let mask: UInt64 = (1 &<< UInt64(width)) &- 1
        if hasIDs && tieBreak == nil {
            // Where the keys were: each is read before its place is written.
            for row in 0..<count {
                let id = UInt32(truncatingIfNeeded: keys[row] & mask)
                memory.address.storeBytes(of: id, toByteOffset: 4 &* row, as: UInt32.self)
            }
            isKept = true
            rows.order = memory
            return
        }
        let order = try hasIDs ? regionOfIDs { Int(keys[$0] & mask) } : orderIDs { Int(keys[$0] & mask) }
        if let tieBreak {
            breakTies(tieBreak, order) { keys[$0] &>> UInt64(width) == keys[$1] &>> UInt64(width) }
        }
        rows.order = order
    }

    /// Puts each row's id, or its position, below its key.
    ///
    /// - Returns: whether the keys ascend.
    private func number(_ keys: UnsafeMutablePointer<UInt64>, _ width: Int, hasIDs: Bool) -> Bool {
        var isAscending = true
        var previous: UInt64 = 0
        var first = 0
        for (number, chunk) in rows.chunks.enumerated() {
            let own = keys + first
            let base = UInt64(truncatingIfNeeded: hasIDs ? number << 16 : first)
            for row in 0..<chunk.count {
                let key = own[row]
                isAscending = isAscending && key >= previous
                previous = key
                own[row] = key &<< UInt64(truncatingIfNeeded: width) | (base &+ UInt64(truncatingIfNeeded: row))
            }
            first += chunk.count
        }
        return isAscending
    }

    private func regionOfIDs(_ id: (Int) -> Int) throws -> Region {
        let region = try MemoryRegions.shared.take(bytes: count * 4)
        let target = region.address.assumingMemoryBound(to: UInt32.self)
        for row in 0..<count { target[row] = UInt32(truncatingIfNeeded: id(row)) }
        return region
    }

    private func sortWide(_ fields: [ChunkSortField], _ bits: Int, _ tieBreak: [Int]?) throws {
        let memory = try MemoryRegions.shared.take(bytes: count * 16)
        defer { MemoryRegions.shared.give(back: memory) }
        let keys = memory.address.assumingMemoryBound(to: UInt128.self)
        keys.initialize(repeating: 0, count: count)
        for field in fields { field.accumulate(rows, keys) }
        var isAscending = true
        for row in 1..<max(count, 1) where keys[row] < keys[row - 1] {
            isAscending = false
            break
        }
        if isAscending && tieBreak == nil { return }
        let places = try MemoryRegions.shared.take(bytes: count * 4)
        defer { MemoryRegions.shared.give(back: places) }
        let positions = places.address.assumingMemoryBound(to: UInt32.self)
        for row in 0..<count { positions[row] = UInt32(truncatingIfNeeded: row) }
        if !isAscending { try RadixSort.sort(keys, positions, count, bits: bits) }
        let order = try orderIDs { Int(positions[$0]) }
        if let tieBreak { breakTies(tieBreak, order) { keys[$0] == keys[$1] } }
        rows.order = order
    }

    /// Row ids from positions in arrival order.
    @inline(__always)
    private func orderIDs(_ position: (Int) -> Int) throws -> Region {
        let all = try MemoryRegions.shared.take(bytes: count * 4)
        defer { MemoryRegions.shared.give(back: all) }
        let ids = all.address.assumingMemoryBound(to: UInt32.self)
        rows.fillIDs(from: 0, count: count, ids)
        let region = try MemoryRegions.shared.take(bytes: count * 4)
        let target = region.address.assumingMemoryBound(to: UInt32.self)
        for row in 0..<count { target[row] = ids[position(row)] }
        return region
    }

    /// Orders rows whose keys were cut by their whole values.
    private func breakTies(_ columns: [Int], _ order: Region, _ isEqual: (Int, Int) -> Bool) {
        let ids = UnsafeMutableBufferPointer(
            start: order.address.assumingMemoryBound(to: UInt32.self), count: count)
        let comparators = columns.map { ChunkRowComparator(rows, plan, $0) }
        var start = 0
        while start < count {
            var end = start + 1
            while end < count && isEqual(start, end) { end += 1 }
            if end - start > 1 {
                ids[start..<end].sort { left, right in
                    for comparator in comparators {
                        let order = comparator.compare(left, right)
                        if order != 0 { return order < 0 }
                    }
                    return left < right
                }
            }
            start = end
        }
    }

    // MARK: Interleaved

    /// Z-order: each column's values become ranks of a few bits, whose bits alternate in the key.
    private func sortInterleaved(_ columns: [Int]) throws {
        if columns.isEmpty || count < 2 { return }
        let bits = min(max((64 - positionBits) / columns.count, 1), 16)
        let memory = try MemoryRegions.shared.take(bytes: count * 16)
        defer { MemoryRegions.shared.give(back: memory) }
        let keys = memory.address.assumingMemoryBound(to: UInt64.self)
        let ranks = keys + count
        keys.initialize(repeating: 0, count: count)
        for (place, column) in columns.enumerated() where bits * place < 64 - positionBits {
            try rank(column, bits, ranks)
            for bit in 0..<bits {
                let shift = UInt64(bit * columns.count + columns.count - 1 - place)
                if shift >= UInt64(64 - positionBits) { continue }
                for row in 0..<count { keys[row] |= (ranks[row] &>> UInt64(bit) & 1) &<< shift }
            }
        }
        let width = UInt64(positionBits)
        for row in 0..<count { keys[row] = keys[row] &<< width | UInt64(row) }
        try RadixSort.sort(keys, count, fromBit: positionBits, bits: min(bits * columns.count, 64 - positionBits))
        let mask = (1 &<< width) &- 1
        rows.order = try orderIDs { Int(keys[$0] & mask) }
    }

    /// Equal values get equal ranks, scaled to so many bits.
    private func rank(_ column: Int, _ bits: Int, _ ranks: UnsafeMutablePointer<UInt64>) throws {
        let field = ChunkSortField.measure(rows, plan, column)
        let memory = try MemoryRegions.shared.take(bytes: count * 20)
        defer { MemoryRegions.shared.give(back: memory) }
        let keys = memory.address.assumingMemoryBound(to: UInt128.self)
        let positions = (memory.address + count * 16).assumingMemoryBound(to: UInt32.self)
        keys.initialize(repeating: 0, count: count)
        field.accumulate(rows, keys)
        for row in 0..<count { positions[row] = UInt32(truncatingIfNeeded: row) }
        try RadixSort.sort(keys, positions, count, bits: field.bits)
        var first = 0
        for row in 0..<count {
            if row > 0 && keys[row] != keys[row - 1] { first = row }
            ranks[Int(positions[row])] = UInt64(first) << UInt64(bits) / UInt64(count)
        }
    }
}
