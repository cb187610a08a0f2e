import Catalog
import ColumnVectors
import SQLTypes

/// Deals few rows to slices and brings them into order, for the log: what chunks and parts are for many.
struct LogPieces {
    private let load: LoadState
    private let rows: ColumnBatch
    private var plan: WritePlan { load.plan }

    /// nil when the rows are too many.
    init?(load: LoadState, lanes: [WriterLane]) throws {
        var total = 0
        var filled: [ColumnBatch] = []
        for lane in lanes {
            guard let rows = lane.logRows else { return nil }
            total += rows.rowCount
            if rows.rowCount > 0 { filled.append(rows) }
        }
        guard load.plan.logRows > 0, total <= load.plan.logRows else { return nil }
        self.load = load
        if filled.count <= 1 {
            rows = filled.first ?? ColumnBatch(types: load.plan.types)
        } else {
            rows = ColumnBatch(types: load.plan.types)
            do { for more in filled { try rows.append(more) } } catch { throw SQLError(error) }
        }
    }

    /// Rows that are known to be few enough.
    init(load: LoadState, rows: ColumnBatch) {
        self.load = load
        self.rows = rows
    }

    func make() throws -> [LogPiece] {
        if rows.rowCount == 0 { return [] }
        var pieces: [LogPiece] = []
        for (slice, positions) in deal() where !positions.isEmpty {
            let order = sorted(positions)
            let isWhole = order.count == rows.rowCount && order.indices.allSatisfy { order[$0] == $0 }
            pieces.append(LogPiece(try delta(slice, isWhole ? nil : order)))
        }
        return pieces
    }

    private func delta(_ slice: Int, _ positions: [UInt16]?) throws -> DeltaRows {
        var own = rows
        if let positions {
            own = ColumnBatch(types: rows.types)
            do { try own.append(rows, rows: positions) } catch { throw SQLError(error) }
        }
        return DeltaRows(
            table: plan.definition.id, slice: slice, placement: plan.storedPlacement, columns: plan.definition.columns,
            isShared: false, sortedBy: keys.map { plan.definition.columns[$0].id }, rows: own,
            numbers: load.store.numbers)
    }

    /// Columns of a compound sort key.
    private var keys: [Int] {
        if case .compound(let columns) = plan.definition.sortKey { columns } else { [] }
    }

    private func deal() -> [(Int, [UInt16])] {
        let count = rows.rowCount
        let all = (0..<count).map { UInt16(truncatingIfNeeded: $0) }
        if plan.sliceCount == 1 { return [(0, all)] }
        switch plan.placement {
        case .all: return [(0, all)]
        case .key(let column):
            var slices = [UInt16](repeating: 0, count: count)
            slices.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                DistributionHash.assign(
                    rows.columns[column], type: plan.types[column], slices: plan.sliceCount, into: base)
            }
            var dealt: [Int: [UInt16]] = [:]
            for row in all { dealt[Int(slices[Int(row)]), default: []].append(row) }
            return dealt.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        case .even:
            if plan.isAuto && count <= plan.autoAllRows { return [(0, all)] }
            var start = 0
            return load.dealEvenly(count, first: 0).map { slice, rows in
                defer { start += rows }
                return (slice, Array(all[start..<start + rows]))
            }
        }
    }

    private func sorted(_ positions: [UInt16]) -> [UInt16] {
        if keys.isEmpty || positions.count < 2 { return positions }
        let comparators = keys.map { BufferRowComparator(rows.columns[$0], plan.types[$0]) }
        return positions.sorted { left, right in
            for comparator in comparators {
                let order = comparator.compare(Int(left), Int(right))
                if order != 0 { return order < 0 }
            }
            return left < right
        }
    }
}

/// Compares two rows of a buffer as ``ChunkRowComparator`` does rows of a slice, NULLs last.
struct BufferRowComparator {
    private let column: ColumnBuffer
    private let isInterval: Bool

    init(_ column: ColumnBuffer, _ type: SQLType) {
        self.column = column
        isInterval = type == .interval
    }

    func compare(_ i: Int, _ j: Int) -> Int {
        let hasLeft = !column.isNull(i), hasRight = !column.isNull(j)
        guard hasLeft && hasRight else { return hasLeft ? -1 : hasRight ? 1 : 0 }
        switch column.physical {
        case .uint8: return order(i, j, UInt8.self)
        case .uint16: return order(i, j, UInt16.self)
        case .int32: return order(i, j, Int32.self)
        case .int64: return order(i, j, Int64.self)
        case .int128:
            let values = column.values(as: Int128.self)
            if !isInterval { return order(i, j, Int128.self) }
            let x = Interval(packed: values[i]).orderingMicroseconds
            let y = Interval(packed: values[j]).orderingMicroseconds
            return x < y ? -1 : x > y ? 1 : 0
        case .float64:
            let x = column.values(as: Double.self)[i], y = column.values(as: Double.self)[j]
            if x.isNaN || y.isNaN { return x.isNaN ? (y.isNaN ? 0 : 1) : -1 }
            return x < y ? -1 : x > y ? 1 : 0
        case .string:
            let views = column.values(as: StringView.self)
            return StringView.compareTrimmed(views[i], views[j])
        }
    }

    private func order<Value: FixedWidthInteger>(_ i: Int, _ j: Int, _ type: Value.Type) -> Int {
        let values = column.values(as: type)
        return values[i] < values[j] ? -1 : values[i] > values[j] ? 1 : 0
    }
}
