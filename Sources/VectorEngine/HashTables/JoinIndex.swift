import CIntrinsics
import ColumnVectors
import Glibc
import QueryPlan
import SQLTypes

/// Finds the rows of a finished build side by key. Immutable once built, shared by all workers.
///
/// A lookup gives 0 for no match, else the row + 1; where keys repeat, the place + 1 in ``matches``.
final class JoinIndex {
    enum Form {
        /// One integer key: first[value - lower], first[range] is 0.
        case direct(lower: Int64, range: UInt64)
        /// first[packed code], first[domain] is 0.
        case packedDirect(domain: UInt64)
        case packedHash
        case wideHash
        /// Only whether the key exists: one integer key.
        case bitmap(KeyBitmap)
    }
    let form: Form
    let rowCount: Int
    private let context: ExecutionContext
    private let owner: AnyObject
    private let probeKeys: [Register]
    private let matchMemory: TableMemory?
    private let placeMemory: TableMemory?
    private let tableMemory: TableMemory
    private let wideMemory: TableMemory
    private let mask: Int
    private let packed: PackedKeyEncoder?
    private let wide: WideKeyEncoder?
    private var scratch: [TableMemory] = []
    /// The rows of each key side by side, ascending, the last one inverted; nil when all keys are different.
    let matches: UnsafePointer<Int32>?
    var isUnique: Bool { matches == nil }

    init(_ parts: JoinIndexBuilder.Parts, owner: AnyObject, probeKeys: [Register], context: ExecutionContext) {
        form = parts.form
        self.owner = owner
        rowCount = parts.rowCount
        self.context = context
        self.probeKeys = probeKeys
        matchMemory = parts.matches
        placeMemory = parts.places
        matches = parts.matches.map { UnsafePointer($0.values(Int32.self)) }
        tableMemory = parts.table
        wideMemory = parts.wideRows
        mask = parts.mask
        packed = parts.packed
        wide = parts.wide
    }

    func prepare(workers: Int) throws {
        guard case .wideHash = form, let wide else { return }
        let bytes = (context.batchRows + 128) * (wide.layout.words * 8 + 1)
        scratch = try (0..<workers).map { _ in try TableMemory(context, bytes: bytes) }
    }

    /// heads[i] = the match of row i: 0, row + 1, or place in ``matches`` + 1.
    func lookup(_ batch: Batch, _ heads: UnsafeMutablePointer<Int32>) {
        let count = batch.count
        switch form {
        case .direct(let lower, let range): lookupDirect(batch, heads, lower, range)
        case .bitmap(let bitmap): lookupBitmap(batch, heads, bitmap)
        case .packedDirect(let domain):
            packed?.encodeChecked(vectors(batch), count, batch.hashes)
            let codes = batch.hashes, first = tableMemory.values(Int32.self)
            for i in 0..<count { heads[i] = first[Int(min(codes[i], domain))] }
        case .packedHash:
            packed?.encodeChecked(vectors(batch), count, batch.hashes)
            probePacked(batch.hashes, count, tableMemory.values(SIMD2<UInt64>.self), mask, heads)
        case .wideHash: lookupWide(batch, heads)
        }
    }

    private func vectors(_ batch: Batch) -> [KeyVector] {
        probeKeys.map {
            KeyVector(data: UnsafeRawPointer(batch.slots[$0.index].data), validity: batch.validity($0.index))
        }
    }

    private func lookupDirect(
        _ batch: Batch, _ heads: UnsafeMutablePointer<Int32>, _ lower: Int64, _ range: UInt64
    ) {
        let key = probeKeys[0]
        let first = UnsafePointer(tableMemory.values(Int32.self))
        let valid = batch.validity(key.index), count = batch.count
        switch key.physical {
        case .uint8: probeDirect(batch.values(key.index, UInt8.self), valid, count, lower, range, first, heads)
        case .uint16: probeDirect(batch.values(key.index, UInt16.self), valid, count, lower, range, first, heads)
        case .int32: probeDirect(batch.values(key.index, Int32.self), valid, count, lower, range, first, heads)
        case .int64: probeDirect(batch.values(key.index, Int64.self), valid, count, lower, range, first, heads)
        case .int128, .float64, .string: findNothing(heads, count)
        }
    }

    /// A key of a form that the index was not built for: never, by ``JoinIndexBuilder``.
    private func findNothing(_ heads: UnsafeMutablePointer<Int32>, _ count: Int) {
        assertionFailure("a join's key of another form")
        heads.update(repeating: 0, count: count)
    }

    private func lookupBitmap(_ batch: Batch, _ heads: UnsafeMutablePointer<Int32>, _ bitmap: KeyBitmap) {
        let key = probeKeys[0]
        let valid = batch.validity(key.index), count = batch.count
        switch key.physical {
        case .uint8: probeBitmap(batch.values(key.index, UInt8.self), valid, count, bitmap, heads)
        case .uint16: probeBitmap(batch.values(key.index, UInt16.self), valid, count, bitmap, heads)
        case .int32: probeBitmap(batch.values(key.index, Int32.self), valid, count, bitmap, heads)
        case .int64: probeBitmap(batch.values(key.index, Int64.self), valid, count, bitmap, heads)
        case .int128, .float64, .string: findNothing(heads, count)
        }
    }

    private func lookupWide(_ batch: Batch, _ heads: UnsafeMutablePointer<Int32>) {
        guard let wide else { return }
        let rows = scratch[batch.worker].values(UInt64.self), width = wide.layout.words, count = batch.count
        let invalid = (scratch[batch.worker].address + (context.batchRows + 128) * width * 8)
            .assumingMemoryBound(to: UInt8.self)
        wide.encode(
            vectors(batch), count, rows: rows, hashes: batch.hashes,
            invalid: wide.layout.nullWord == nil ? invalid : nil)
        if wide.layout.nullWord != nil { memset(invalid, 0, count) }
        let slots = tableMemory.values(UInt64.self), stored = wideMemory.values(UInt64.self), hashes = batch.hashes
        let places = placeMemory.map { $0.values(Int32.self) }
        let distance = mask > 1 << 15 ? 16 : 0
        for i in 0..<count {
            if distance != 0 {
                rb_prefetch(slots + (Int(truncatingIfNeeded: hashes[min(i &+ distance, count &- 1)]) & mask))
            }
            heads[i] = 0
            if invalid[i] != 0 { continue }
            let hash = hashes[i]
            var place = Int(truncatingIfNeeded: hash) & mask
            while slots[place] != 0 {
                let slot = slots[place]
                let row = Int(slot & 0xffff_ffff)
                if slot &>> 32 == hash &>> 32, wide.layout.equal(stored + (row &- 1) &* width, rows + i &* width) {
                    heads[i] = places.map { $0[row &- 1] } ?? Int32(truncatingIfNeeded: row)
                    break
                }
                place = (place &+ 1) & mask
            }
        }
    }
}

@inline(__always)
private func probeDirect<Key: FixedWidthInteger>(
    _ keys: UnsafePointer<Key>, _ validity: UnsafePointer<UInt8>?, _ count: Int, _ lower: Int64, _ range: UInt64,
    _ first: UnsafePointer<Int32>, _ heads: UnsafeMutablePointer<Int32>
) {
    if let validity {
        for i in 0..<count {
            let offset = UInt64(bitPattern: Int64(truncatingIfNeeded: keys[i]) &- lower)
            heads[i] = first[Int(truncatingIfNeeded: min(offset | (UInt64(validity[i]) &- 1), range))]
        }
        return
    }
    for i in 0..<count {
        let offset = UInt64(bitPattern: Int64(truncatingIfNeeded: keys[i]) &- lower)
        heads[i] = first[Int(truncatingIfNeeded: min(offset, range))]
    }
}

@inline(__always)
private func probeBitmap<Key: FixedWidthInteger>(
    _ keys: UnsafePointer<Key>, _ validity: UnsafePointer<UInt8>?, _ count: Int, _ bitmap: KeyBitmap,
    _ heads: UnsafeMutablePointer<Int32>
) {
    // One word past the range is clear: keys outside read there.
    let base = bitmap.base, words = UnsafePointer(bitmap.words)
    let clear = UInt64((bitmap.range + 63) / 64 * 64)
    let range = UInt64(bitmap.range)
    for i in 0..<count {
        let offset = UInt64(bitPattern: Int64(truncatingIfNeeded: keys[i]) &- base)
        let inside = 0 &- UInt64(truncatingIfNeeded: b2i(offset < range))
        let bit = (offset & inside) | (clear & ~inside)
        var found = (words[Int(truncatingIfNeeded: bit &>> 6)] &>> (bit & 63)) & 1
        if let validity { found &= UInt64(validity[i]) }
        heads[i] = Int32(truncatingIfNeeded: found)
    }
}

private func probePacked(
    _ codes: UnsafePointer<UInt64>, _ count: Int, _ slots: UnsafePointer<SIMD2<UInt64>>, _ mask: Int,
    _ heads: UnsafeMutablePointer<Int32>
) {
    let distance = mask > 1 << 14 ? 16 : 0
    for i in 0..<count {
        if distance != 0 {
            let ahead = codes[min(i &+ distance, count &- 1)]
            rb_prefetch(slots + (Int(truncatingIfNeeded: PackedGroupTable.hash(ahead)) & mask))
        }
        // Codes that cannot match are larger than every code stored.
        let key = codes[i]
        var place = Int(truncatingIfNeeded: PackedGroupTable.hash(key)) & mask
        var slot = slots[place]
        while slot.y != 0 && slot.x != key {
            place = (place &+ 1) & mask
            slot = slots[place]
        }
        heads[i] = Int32(truncatingIfNeeded: slot.y)
    }
}
