import ColumnStore
import Glibc

/// lower <= x <= upper on an integer column, or the opposite. All comparisons with a constant are ranges.
final class RangeConjunct: ScanConjunct {
    let lower: Int64, upper: Int64
    private let inverted: Bool
    var isInverted: Bool { inverted }

    init(slot: Int, column: Int, lower: Int64, upper: Int64, inverted: Bool = false) {
        self.lower = lower
        self.upper = upper
        self.inverted = inverted
        super.init(slot: slot, column: column)
    }

    override func zone(_ part: Part, _ index: Int, _ group: Int) -> Zone {
        let zone = part.zone(column: column, group: group)
        if zone.nullCount == zone.rowCount { return .none }
        let outside = lower > upper || zone.minimum > upper || zone.maximum < lower
        let inside = zone.minimum >= lower && zone.maximum <= upper
        if inverted ? inside : outside { return .none }
        if (inverted ? outside : inside) && zone.nullCount == 0 { return .all }
        return .some
    }

    override func mask(_ cursor: ScanCursor, _ rows: Int, _ mask: UnsafeMutablePointer<UInt8>, combine: Bool) throws {
        let block = try cursor.block(slot)
        rangeMask(block, lower, upper, inverted, rows, mask, combine)
        applyValidity(block, rows, mask, nullsPass: false, nil)
    }
}

/// The test x - lower <= upper - lower on unsigned codes: one subtraction, one comparison.
func rangeMask(
    _ block: UnsafePointer<Block>, _ lower: Int64, _ upper: Int64, _ inverted: Bool, _ rows: Int,
    _ mask: UnsafeMutablePointer<UInt8>, _ combine: Bool
) {
    let base = block.pointee.base
    let low = max(lower, block.pointee.minimum), high = min(upper, block.pointee.maximum)
    let flip: UInt8 = inverted ? 1 : 0
    func fill(_ value: UInt8) {
        if combine {
            if value == 0 { memset(mask, 0, rows) }
        } else {
            memset(mask, Int32(value), rows)
        }
    }
    if low > high { return fill(flip) }
    @inline(__always) func run<T: FixedWidthInteger & UnsignedInteger>(_: T.Type) {
        let p = block.pointee.data.assumingMemoryBound(to: T.self)
        let first = T(truncatingIfNeeded: low &- base), span = T(truncatingIfNeeded: high &- low)
        if combine {
            for i in 0..<rows { mask[i] &= b2u((p[i] &- first) <= span) ^ flip }
        } else {
            for i in 0..<rows { mask[i] = b2u((p[i] &- first) <= span) ^ flip }
        }
    }
    switch block.pointee.width {
    case 0: fill(1 ^ flip)
    case 1: run(UInt8.self)
    case 2: run(UInt16.self)
    case 4: run(UInt32.self)
    default: run(UInt64.self)
    }
}
