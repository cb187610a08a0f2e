import ColumnVectors
import QueryPlan
import SQLTypes

/// MEDIAN, PERCENTILE_CONT and PERCENTILE_DISC over collected values. Immutable, used by all workers at once.
struct PercentileAggregation: @unchecked Sendable {  // the column does not change any more
    private let column: ColumnBuffer
    private let item: SortItem
    private let type: SQLType
    private let resultType: SQLType
    private let fraction: Double
    private let isDiscrete: Bool

    init(_ call: AggregateCall, _ column: ColumnBuffer, fraction: Double) {
        self.column = column
        self.fraction = fraction
        type = call.arguments[0].type
        resultType = call.type
        isDiscrete = call.function == .percentileDiscrete
        item = SortItem(
            expression: call.arguments[0], descending: call.orderBy.first?.descending ?? false, nullsFirst: false)
    }

    /// - Parameter entries: rows of the column, none of them NULL, at least one; their order changes.
    func value(_ entries: UnsafeMutableBufferPointer<UInt32>) throws -> Datum {
        let last = entries.count - 1
        let position = fraction * Double(last)
        let place = isDiscrete ? Int((fraction * Double(entries.count)).rounded(.up)) - 1 : Int(position)
        let low = min(max(place, 0), last), high = min(low + 1, last)
        let share = isDiscrete ? 0 : position - Double(low)
        let values = pair(entries, low, high)
        return try isDiscrete ? values.0 : interpolate(values.0, values.1, share)
    }

    /// The values at two neighbouring places of the order.
    private func pair(
        _ entries: UnsafeMutableBufferPointer<UInt32>, _ low: Int, _ high: Int
    ) -> (Datum, Datum) {
        let last = entries.count - 1
        if type != .interval,
            let values = RankSelection.pair(column, entries, rank: item.descending ? last - high : low)
        {
            return item.descending ? (low == high ? (values.0, values.0) : (values.1, values.0)) : values
        }
        var entries = entries
        entries.sort { compareRows(column, Int($0), Int($1), item, type) < 0 }
        return (
            column.datum(row: Int(entries[low]), type: type), column.datum(row: Int(entries[high]), type: type)
        )
    }

    private func interpolate(_ low: Datum, _ high: Datum, _ share: Double) throws -> Datum {
        switch (low, high) {
        case (.double(let a), .double(let b)): return .double(Interpolation.between(a, b, share: share))
        case (.integer(let a), .integer(let b)):
            let shift = max(resultType.scale - type.scale, 0)
            return .integer(try Interpolation.between(a, b, share: share, shift: shift))
        default: return low
        }
    }
}
