import ColumnStore
import Glibc

/// x < y or x = y of two integer columns of the row.
final class ColumnComparisonConjunct: ScanConjunct {
    enum Comparison { case less, lessOrEqual, equal }
    private let comparison: Comparison
    private let otherSlot: Int
    private let otherColumn: Int

    init(slot: Int, column: Int, _ comparison: Comparison, otherSlot: Int, otherColumn: Int) {
        self.comparison = comparison
        self.otherSlot = otherSlot
        self.otherColumn = otherColumn
        super.init(slot: slot, column: column)
    }

    override func zone(_ part: Part, _ index: Int, _ group: Int) -> Zone {
        let a = part.zone(column: column, group: group), b = part.zone(column: otherColumn, group: group)
        if a.nullCount == a.rowCount || b.nullCount == b.rowCount { return .none }
        let whole = a.nullCount == 0 && b.nullCount == 0
        switch comparison {
        case .less:
            if a.minimum >= b.maximum { return .none }
            return whole && a.maximum < b.minimum ? .all : .some
        case .lessOrEqual:
            if a.minimum > b.maximum { return .none }
            return whole && a.maximum <= b.minimum ? .all : .some
        case .equal: return a.minimum > b.maximum || a.maximum < b.minimum ? .none : .some
        }
    }

    override func mask(_ cursor: ScanCursor, _ rows: Int, _ mask: UnsafeMutablePointer<UInt8>, combine: Bool) throws {
        let a = try cursor.block(slot), b = try cursor.block(otherSlot)
        switch (a.pointee.width, b.pointee.width) {
        case _ where !hasGap(a, b): general(a, b, rows, mask, combine)
        case (1, 1): compare(a, b, UInt8.self, UInt8.self, rows, mask, combine)
        case (1, 2): compare(a, b, UInt8.self, UInt16.self, rows, mask, combine)
        case (2, 1): compare(a, b, UInt16.self, UInt8.self, rows, mask, combine)
        case (2, 2): compare(a, b, UInt16.self, UInt16.self, rows, mask, combine)
        case (4, 4): compare(a, b, UInt32.self, UInt32.self, rows, mask, combine)
        default: general(a, b, rows, mask, combine)
        }
        applyValidity(a, rows, mask, nullsPass: false, nil)
        applyValidity(b, rows, mask, nullsPass: false, nil)
    }

    /// Codes of up to 32 bits and the bases' distance add up within 64 bits: not for bases at both ends of BIGINT.
    private func hasGap(_ a: UnsafePointer<Block>, _ b: UnsafePointer<Block>) -> Bool {
        let (gap, overflow) = a.pointee.base.subtractingReportingOverflow(b.pointee.base)
        return !overflow && gap.magnitude < 1 << 62
    }

    @inline(__always)
    private func compare<S: FixedWidthInteger, T: FixedWidthInteger>(
        _ a: UnsafePointer<Block>, _ b: UnsafePointer<Block>, _: S.Type, _: T.Type, _ rows: Int,
        _ mask: UnsafeMutablePointer<UInt8>, _ combine: Bool
    ) {
        let p = a.pointee.data.assumingMemoryBound(to: S.self), q = b.pointee.data.assumingMemoryBound(to: T.self)
        if S.self == T.self && a.pointee.base == b.pointee.base {
            let q = b.pointee.data.assumingMemoryBound(to: S.self)
            loop(rows, mask, combine, { p[$0] < q[$0] }, { p[$0] <= q[$0] }, { p[$0] == q[$0] })
            return
        }
        let gap = a.pointee.base &- b.pointee.base
        loop(
            rows, mask, combine,
            { Int64(truncatingIfNeeded: p[$0]) &+ gap < Int64(truncatingIfNeeded: q[$0]) },
            { Int64(truncatingIfNeeded: p[$0]) &+ gap <= Int64(truncatingIfNeeded: q[$0]) },
            { Int64(truncatingIfNeeded: p[$0]) &+ gap == Int64(truncatingIfNeeded: q[$0]) })
    }

    private func general(
        _ a: UnsafePointer<Block>, _ b: UnsafePointer<Block>, _ rows: Int, _ mask: UnsafeMutablePointer<UInt8>,
        _ combine: Bool
    ) {
        loop(
            rows, mask, combine, { a.pointee.integer($0) < b.pointee.integer($0) },
            { a.pointee.integer($0) <= b.pointee.integer($0) }, { a.pointee.integer($0) == b.pointee.integer($0) })
    }

    @inline(__always)
    private func loop(
        _ rows: Int, _ mask: UnsafeMutablePointer<UInt8>, _ combine: Bool, _ less: (Int) -> Bool,
        _ lessOrEqual: (Int) -> Bool, _ equal: (Int) -> Bool
    ) {
        switch (comparison, combine) {
        case (.less, false): for i in 0..<rows { mask[i] = b2u(less(i)) }
        case (.less, true): for i in 0..<rows { mask[i] &= b2u(less(i)) }
        case (.lessOrEqual, false): for i in 0..<rows { mask[i] = b2u(lessOrEqual(i)) }
        case (.lessOrEqual, true): for i in 0..<rows { mask[i] &= b2u(lessOrEqual(i)) }
        case (.equal, false): for i in 0..<rows { mask[i] = b2u(equal(i)) }
        case (.equal, true): for i in 0..<rows { mask[i] &= b2u(equal(i)) }
        }
    }
}

extension Block {
    /// Value of one row of an integer block.
    @inline(__always) func integer(_ row: Int) -> Int64 {
        switch width {
        case 0: base
        case 1: base &+ Int64(data.assumingMemoryBound(to: UInt8.self)[row])
        case 2: base &+ Int64(data.assumingMemoryBound(to: UInt16.self)[row])
        case 4: base &+ Int64(data.assumingMemoryBound(to: UInt32.self)[row])
        default: base &+ data.assumingMemoryBound(to: Int64.self)[row]
        }
    }
}
