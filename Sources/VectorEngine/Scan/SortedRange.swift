import Catalog
import ColumnStore

extension RangeConjunct {
    /// The rows that pass, in a row group that is sorted by this column: two binary searches instead of a look at every
    /// code. nil where the rows have no order, or NULLs among them.
    func sortedRange(_ part: Part, _ group: Int, _ block: UnsafePointer<Block>, _ rows: Int) -> Range<
        Int
    >? {
        guard !isInverted, part.isSorted, part.zone(column: column, group: group).nullCount == 0,
            block.pointee.validity == nil
        else { return nil }
        let low = max(lower, block.pointee.minimum)
        let high = min(upper, block.pointee.maximum)
        if low > high { return 0..<0 }
        let base = block.pointee.base
        @inline(__always) func search<T: FixedWidthInteger>(_: T.Type) -> Range<Int> {
            let codes = block.pointee.data.assumingMemoryBound(to: T.self)
            let first = T(truncatingIfNeeded: low &- base)
            let last = T(truncatingIfNeeded: high &- base)
            let start = partitionPoint(rows) { codes[$0] >= first }
            let end = partitionPoint(rows) { codes[$0] > last }
            return start..<max(start, end)
        }
        switch block.pointee.width {
        case 0: return 0..<rows
        case 1: return search(UInt8.self)
        case 2: return search(UInt16.self)
        case 4: return search(UInt32.self)
        // Values themselves, with their signs.
        default: return search(Int64.self)
        }
    }
}

/// The first index for which the test holds; it holds for all behind it.
@inline(__always)
private func partitionPoint(_ count: Int, _ test: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
        let middle = (low + high) / 2
        if test(middle) { high = middle } else { low = middle + 1 }
    }
    return low
}

extension TableDefinition {
    /// The column that sorted parts are sorted by first.
    var leadingSortColumn: Int? {
        if case .compound(let columns) = sortKey { return columns.first }
        return nil
    }
}
