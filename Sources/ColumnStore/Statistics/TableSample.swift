import Catalog
import ColumnVectors

/// Rows of a table for estimates: row groups spread evenly over all parts, in each of them rows spread evenly with
/// random steps. The same for a given table state, so that estimates are repeatable. Deleted rows are left out.
package struct TableSample: Sendable {
    struct Piece: Sendable {
        var part: Part
        var group: Int
        var rows: [UInt16]
    }
    let pieces: [Piece]
    package let rowCount: Int
    /// Every row of the table is in it.
    package let isComplete: Bool

    /// At most so many row groups are read.
    private static let largestPieces = 64

    package init(_ table: TableSnapshot, rows wanted: Int) throws {
        var groups: [(part: Part, group: Int, live: Int)] = []
        for part in try table.slices.joined() {
            for group in 0..<part.rowGroupCount {
                let live = part.rows(inGroup: group) - part.deletedRowCount(inGroup: group)
                if live > 0 { groups.append((part, group, live)) }
            }
        }
        let total = groups.reduce(0) { $0 + $1.live }
        if total > wanted && groups.count > TableSample.largestPieces {
            let count = groups.count
            groups = (0..<TableSample.largestPieces).map { groups[$0 * count / TableSample.largestPieces] }
        }
        let read = groups.reduce(0) { $0 + $1.live }
        let share = min(1, Double(wanted) / Double(max(read, 1)))
        var random = SampleRandom(state: UInt64(truncatingIfNeeded: total) &+ 0x5EED)
        pieces = groups.map { place in
            let count = max(1, Int((Double(place.live) * share).rounded()))
            return Piece(
                part: place.part, group: place.group,
                rows: TableSample.rows(place.part, place.group, live: place.live, count: count, &random))
        }
        rowCount = pieces.reduce(0) { $0 + $1.rows.count }
        isComplete = rowCount == total
    }

    /// Rows in runs of whole row groups, as compression sees them: so many of each slice at most.
    package init(runsOf table: TableSnapshot, rowsPerSlice: Int) throws {
        var pieces: [Piece] = []
        for parts in try table.slices {
            var left = rowsPerSlice
            for part in parts {
                for group in 0..<part.rowGroupCount where left > 0 {
                    let live = part.rows(inGroup: group) - part.deletedRowCount(inGroup: group)
                    if live == 0 { continue }
                    var random = SampleRandom(state: 0)
                    var rows = TableSample.rows(part, group, live: live, count: live, &random)
                    rows.removeLast(max(rows.count - left, 0))
                    left -= rows.count
                    pieces.append(Piece(part: part, group: group, rows: rows))
                }
            }
        }
        self.pieces = pieces
        rowCount = pieces.reduce(0) { $0 + $1.rows.count }
        isComplete = rowCount == table.rowCount
    }

    private static func rows(
        _ part: Part, _ group: Int, live: Int, count: Int, _ random: inout SampleRandom
    ) -> [UInt16] {
        var places: [Int] = []
        places.reserveCapacity(count)
        let step = Double(live) / Double(count)
        for index in 0..<count {
            let offset = count == live ? 0 : random.fraction()
            places.append(min(Int((Double(index) + offset) * step), live - 1))
        }
        guard let deleted = part.deletedRows(group: group) else {
            return places.map { UInt16(truncatingIfNeeded: $0) }
        }
        var result: [UInt16] = []
        result.reserveCapacity(count)
        var next = 0
        var seen = 0
        for row in 0..<part.rows(inGroup: group) where deleted[row] == 0 {
            if next < count && places[next] == seen {
                result.append(UInt16(truncatingIfNeeded: row))
                next += 1
            }
            seen += 1
        }
        return result
    }

    /// The sampled values of a column in physical order.
    package func values(column: Int, of table: TableSnapshot) throws -> ColumnBuffer {
        let result = ColumnBuffer(table.definition.columns[column].type)
        for piece in pieces {
            let whole = ColumnBuffer(result.physical)
            try piece.part.decode(column: column, group: piece.group, into: whole)
            try piece.rows.withUnsafeBufferPointer { rows in
                try result.append(
                    values: whole.values, as: whole.physical, validity: whole.validity.map { UnsafePointer($0) },
                    selection: rows.baseAddress, count: rows.count)
            }
        }
        return result
    }
}

/// SplitMix64: small, fast, the same on every run.
struct SampleRandom {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits &>> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits &>> 31)
    }
    /// In 0 ..< 1.
    mutating func fraction() -> Double { Double(next() &>> 11) / 9_007_199_254_740_992 }
}
