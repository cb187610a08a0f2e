import CIntrinsics
import ColumnStore
import Glibc

/// A runtime filter: the row's key is (or is not) among the keys of a finished build side.
final class KeyBitmapConjunct: ScanConjunct {
    private let bitmap: KeyBitmap
    private let negated: Bool
    override var rank: Rank { .bitmap }

    init(slot: Int, column: Int, _ bitmap: KeyBitmap, negated: Bool) {
        self.bitmap = bitmap
        self.negated = negated
        super.init(slot: slot, column: column)
    }

    override func zone(_ part: Part, _ index: Int, _ group: Int) -> Zone {
        if negated { return .some }
        let zone = part.zone(column: column, group: group)
        if zone.nullCount == zone.rowCount { return .none }
        let last = bitmap.base &+ Int64(bitmap.range) &- 1
        return zone.minimum > last || zone.maximum < bitmap.base ? .none : .some
    }

    /// No code of the block can fall outside of the bitmap.
    private func covers(_ block: UnsafePointer<Block>) -> Bool {
        block.pointee.minimum >= bitmap.base && block.pointee.maximum < bitmap.base &+ Int64(bitmap.range)
    }

    /// Worth it while most rows are alive: eight rows by one gather, with places of 32 bits.
    func isVectorised(_ block: UnsafePointer<Block>) -> Bool {
        guard block.pointee.width == 4 || block.pointee.width == 2, bitmap.range <= Int(Int32.max) else { return false }
        let (first, below) = block.pointee.minimum.subtractingReportingOverflow(bitmap.base)
        let (last, above) = block.pointee.maximum.subtractingReportingOverflow(bitmap.base)
        return !below && !above && first >= Int64(Int32.min) && last <= Int64(Int32.max)
    }

    override func mask(_ cursor: ScanCursor, _ rows: Int, _ mask: UnsafeMutablePointer<UInt8>, combine: Bool) throws {
        let block = try cursor.block(slot)
        var previous: UnsafeMutablePointer<UInt8>?
        if negated && combine && block.pointee.validity != nil {
            previous = .allocate(capacity: rows)
            previous?.update(from: mask, count: rows)
        }
        defer { previous?.deallocate() }
        if isVectorised(block) {
            gatherBits(block, rows, mask, combine)
        } else {
            testRows(block, rows, mask, combine)
        }
        applyValidity(block, rows, mask, nullsPass: negated, previous.map { UnsafePointer($0) })
    }

    private func gatherBits(
        _ block: UnsafePointer<Block>, _ rows: Int, _ mask: UnsafeMutablePointer<UInt8>, _ combine: Bool
    ) {
        let offset = Int32(truncatingIfNeeded: block.pointee.base &- bitmap.base)
        let range = Int32(truncatingIfNeeded: bitmap.range), data = block.pointee.data
        let words = UnsafeRawPointer(bitmap.words).assumingMemoryBound(to: Int32.self)
        let combine: Int32 = combine ? 1 : 0, negated: Int32 = negated ? 1 : 0
        if block.pointee.width == 4 {
            let codes = data.assumingMemoryBound(to: UInt32.self)
            rb_bitmap_test32(codes, rows, offset, range, words, mask, combine, negated)
        } else {
            let codes = data.assumingMemoryBound(to: UInt16.self)
            rb_bitmap_test16(codes, rows, offset, range, words, mask, combine, negated)
        }
    }

    private func testRows(
        _ block: UnsafePointer<Block>, _ rows: Int, _ mask: UnsafeMutablePointer<UInt8>, _ combine: Bool
    ) {
        let base = block.pointee.base, map = bitmap, flip: UInt8 = negated ? 1 : 0
        @inline(__always) func run<T: FixedWidthInteger>(_: T.Type) {
            let p = block.pointee.data.assumingMemoryBound(to: T.self)
            if combine {
                for i in 0..<rows { mask[i] &= b2u(map.contains(Int64(truncatingIfNeeded: p[i]) &+ base)) ^ flip }
            } else {
                for i in 0..<rows { mask[i] = b2u(map.contains(Int64(truncatingIfNeeded: p[i]) &+ base)) ^ flip }
            }
        }
        switch block.pointee.width {
        case 0:
            let value = b2u(map.contains(base)) ^ flip
            if value == 0 { memset(mask, 0, rows) } else if !combine { memset(mask, 1, rows) }
        case 1: run(UInt8.self)
        case 2: run(UInt16.self)
        case 4: run(UInt32.self)
        default: run(Int64.self)
        }
    }

    override func refine(_ cursor: ScanCursor, _ positions: UnsafeMutablePointer<UInt16>, _ count: Int) throws -> Int {
        let block = try cursor.block(slot)
        let valid = block.pointee.validity, flip = negated
        if covers(block) && valid == nil { return refineCovered(block, positions, count) }
        let base = block.pointee.base, map = bitmap
        @inline(__always) func run<T: FixedWidthInteger>(_: T.Type) -> Int {
            let p = block.pointee.data.assumingMemoryBound(to: T.self)
            // Apart, for the sake of a loop without branches.
            guard let valid else {
                return refinePositions(positions, count) { row in
                    map.contains(Int64(truncatingIfNeeded: p[row]) &+ base) != flip
                }
            }
            return refinePositions(positions, count) { row in
                valid[row] == 0 ? flip : map.contains(Int64(truncatingIfNeeded: p[row]) &+ base) != flip
            }
        }
        switch block.pointee.width {
        case 0:
            return refinePositions(positions, count) { row in
                if let valid, valid[row] == 0 { return flip }
                return map.contains(base) != flip
            }
        case 1: return run(UInt8.self)
        case 2: return run(UInt16.self)
        case 4: return run(UInt32.self)
        default: return run(Int64.self)
        }
    }

    private func refineCovered(
        _ block: UnsafePointer<Block>, _ positions: UnsafeMutablePointer<UInt16>, _ count: Int
    ) -> Int {
        let words = bitmap.words, offset = Int(block.pointee.base &- bitmap.base), flip: UInt64 = negated ? 1 : 0
        @inline(__always) func run<T: FixedWidthInteger>(_: T.Type) -> Int {
            let p = block.pointee.data.assumingMemoryBound(to: T.self)
            return refinePositions(positions, count) { row in
                let bit = Int(truncatingIfNeeded: p[row]) &+ offset
                return ((words[bit &>> 6] &>> UInt64(bit & 63)) ^ flip) & 1 != 0
            }
        }
        switch block.pointee.width {
        case 0:
            let keep = ((words[offset >> 6] >> UInt64(offset & 63)) ^ flip) & 1 != 0
            return keep ? count : 0
        case 1: return run(UInt8.self)
        case 2: return run(UInt16.self)
        case 4: return run(UInt32.self)
        default: return run(Int64.self)
        }
    }
}

/// A runtime filter for keys that are too sparse for a bitmap.
final class BloomConjunct: ScanConjunct {
    private let filter: BloomFilter
    override var rank: Rank { .bloom }

    init(slot: Int, column: Int, _ filter: BloomFilter) {
        self.filter = filter
        super.init(slot: slot, column: column)
    }
    override func refine(_ cursor: ScanCursor, _ positions: UnsafeMutablePointer<UInt16>, _ count: Int) throws -> Int {
        let block = try cursor.block(slot)
        let base = block.pointee.base, bloom = filter, valid = block.pointee.validity
        @inline(__always) func run<T: FixedWidthInteger>(_: T.Type) -> Int {
            let p = block.pointee.data.assumingMemoryBound(to: T.self)
            return refinePositions(positions, count) { row in
                if let valid, valid[row] == 0 { return false }
                return bloom.contains(Int64(truncatingIfNeeded: p[row]) &+ base)
            }
        }
        switch block.pointee.width {
        case 0: return bloom.contains(base) ? count : 0
        case 1: return run(UInt8.self)
        case 2: return run(UInt16.self)
        case 4: return run(UInt32.self)
        default: return run(Int64.self)
        }
    }
}
