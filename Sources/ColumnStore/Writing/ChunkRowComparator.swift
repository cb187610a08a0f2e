import ColumnVectors
import SQLTypes

/// Compares two rows of a slice by one column's whole values, NULLs last. For the few rows whose keys were cut.
struct ChunkRowComparator {
    private let rows: SliceRows
    private let column: Int
    private let physical: PhysicalType
    private let isInterval: Bool

    init(_ rows: SliceRows, _ plan: WritePlan, _ column: Int) {
        self.rows = rows
        self.column = column
        physical = rows.forms[column]
        isInterval = plan.types[column] == .interval
    }

    func compare(_ left: UInt32, _ right: UInt32) -> Int {
        let (a, i) = (rows.chunks[Int(left >> 16)].columns[column], Int(left & 0xFFFF))
        let (b, j) = (rows.chunks[Int(right >> 16)].columns[column], Int(right & 0xFFFF))
        let hasLeft = a.validity.map { $0[i] != 0 } ?? true
        let hasRight = b.validity.map { $0[j] != 0 } ?? true
        guard hasLeft && hasRight else { return hasLeft ? -1 : hasRight ? 1 : 0 }
        switch physical {
        case .uint8: return order(a, i, b, j, UInt8.self)
        case .uint16: return order(a, i, b, j, UInt16.self)
        case .int32: return order(a, i, b, j, Int32.self)
        case .int64: return order(a, i, b, j, Int64.self)
        case .int128:
            if isInterval {
                let x = Interval(packed: a.data.assumingMemoryBound(to: Int128.self)[i]).orderingMicroseconds
                let y = Interval(packed: b.data.assumingMemoryBound(to: Int128.self)[j]).orderingMicroseconds
                return x < y ? -1 : x > y ? 1 : 0
            }
            return order(a, i, b, j, Int128.self)
        case .float64:
            let x = a.data.assumingMemoryBound(to: Double.self)[i]
            let y = b.data.assumingMemoryBound(to: Double.self)[j]
            if x.isNaN || y.isNaN { return x.isNaN ? (y.isNaN ? 0 : 1) : -1 }
            return x < y ? -1 : x > y ? 1 : 0
        case .string: return StringView.compareTrimmed(ChunkSortField.view(a, i), ChunkSortField.view(b, j))
        }
    }

    @inline(__always)
    private func order<Value: FixedWidthInteger>(
        _ a: ChunkColumn, _ i: Int, _ b: ChunkColumn, _ j: Int, _ type: Value.Type
    ) -> Int {
        let x = a.data.assumingMemoryBound(to: type)[i]
        let y = b.data.assumingMemoryBound(to: type)[j]
        return x < y ? -1 : x > y ? 1 : 0
    }
}
