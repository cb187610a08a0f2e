import ColumnVectors
import SQLTypes

/// A column of a row set as a sort key.
struct RowSortKey {
    var column: RowSet.Column
    var descending: Bool
    var nullsFirst: Bool
}

/// Full comparison of two rows of a row set: for what normalised keys leave open, and for borders of groups of rows.
final class RowComparator {
    private let keys: [RowSortKey]

    init(_ keys: [RowSortKey]) { self.keys = keys }

    /// Negative, zero or positive.
    func compare(_ left: Int, _ right: Int) -> Int {
        for key in keys {
            let order = compareValues(key, left, right)
            if order != 0 { return order }
        }
        return 0
    }

    private func compareValues(_ key: RowSortKey, _ left: Int, _ right: Int) -> Int {
        if let validity = key.column.validity {
            let (first, second) = (validity[left], validity[right])
            if first & second == 0 {
                if first == second { return 0 }
                return (first == 0) == key.nullsFirst ? -1 : 1
            }
        }
        let order = compareColumnValues(key.column, left, right)
        return key.descending ? 0 - order : order
    }
}

/// Order of two non-NULL values of a column.
func compareColumnValues(_ column: RowSet.Column, _ left: Int, _ right: Int) -> Int {
    @inline(__always) func order<Value: Comparable>(_: Value.Type) -> Int {
        let values = column.values.assumingMemoryBound(to: Value.self)
        return values[left] < values[right] ? -1 : values[left] == values[right] ? 0 : 1
    }
    switch column.form.physical {
    case .uint8: return order(UInt8.self)
    case .uint16: return order(UInt16.self)
    case .int32: return order(Int32.self)
    case .int64: return order(Int64.self)
    case .int128: return order(Int128.self)
    case .float64:
        let values = column.values.assumingMemoryBound(to: Double.self)
        return compareDoubles(values[left], values[right])
    case .string:
        let views = column.values.assumingMemoryBound(to: StringView.self)
        return column.form.trailingBlanks
            ? StringView.compareTrimmed(views[left], views[right]) : StringView.compare(views[left], views[right])
    }
}

/// NaN equals itself and is above all numbers.
@inline(__always)
func compareDoubles(_ left: Double, _ right: Double) -> Int {
    if left < right { return -1 }
    if left > right { return 1 }
    if left == right { return 0 }
    return (left.isNaN ? 1 : 0) - (right.isNaN ? 1 : 0)
}
