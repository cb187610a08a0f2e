import ColumnVectors
import QueryPlan
import SQLTypes

/// One worker's memory for the partition at hand. Grows to the largest partition.
final class WindowScratch {
    private let context: ExecutionContext
    private var memory: OwnedRegion?
    private var capacity = 0
    /// Strings made for results; outlives the rest.
    let arena = StringArena()
    /// The frame of row i of the partition: rows `starts[i] ..< ends[i]`, counted from the partition's first row.
    private(set) var starts: UnsafeMutablePointer<Int>
    private(set) var ends: UnsafeMutablePointer<Int>
    /// Free for a function's own use: two numbers a row.
    private(set) var numbers: UnsafeMutablePointer<Int>
    private(set) var sums: UnsafeMutablePointer<Int128>

    init(_ context: ExecutionContext) {
        self.context = context
        let none = UnsafeMutableRawPointer(bitPattern: 128).unsafelyUnwrapped
        starts = none.assumingMemoryBound(to: Int.self)
        ends = starts
        numbers = starts
        sums = none.assumingMemoryBound(to: Int128.self)
    }

    func reserve(_ rows: Int) throws {
        if rows <= capacity { return }
        memory = nil
        capacity = max(rows, 1024)
        let slots = capacity + 2
        let fresh = try OwnedRegion(bytes: slots * (8 + 8 + 16 + 16), context: context)
        defer { withExtendedLifetime(fresh) {} }
        memory = fresh
        sums = fresh.pointer(Int128.self)
        let rest = UnsafeMutableRawPointer(sums + slots)
        numbers = rest.assumingMemoryBound(to: Int.self)
        starts = numbers + 2 * slots
        ends = starts + slots
    }
}

/// Turns a frame clause into row ranges; the binder refuses RANGE with a distance, as Redshift does. Both ends only
/// move forward from row to row, which the functions rely on.
struct WindowFrames {
    private let frame: WindowFrame
    /// Every frame begins with the partition's first row.
    let startsAtFirst: Bool
    /// Every frame is the whole partition.
    let isWhole: Bool
    /// Every frame goes from the partition's first row to the row itself, or to its last peer.
    var endsAtRow: Bool { startsAtFirst && frame.unit == .rows && frame.end == .currentRow }
    var endsAtPeers: Bool { startsAtFirst && frame.unit == .range && frame.end == .currentRow }

    init(_ frame: WindowFrame?, orderKeys: [RowSortKey]) {
        let natural = WindowFrame(
            unit: .range, start: .unboundedPreceding, end: orderKeys.isEmpty ? .unboundedFollowing : .currentRow)
        self.frame = frame ?? natural
        startsAtFirst = self.frame.start == .unboundedPreceding
        isWhole = startsAtFirst && self.frame.end == .unboundedFollowing
    }

    /// Fills `scratch.starts` and `scratch.ends`.
    func fill(_ partition: WindowPartition, _ scratch: WindowScratch) throws {
        try scratch.reserve(partition.count)
        let count = partition.count
        if isWhole {
            scratch.starts.update(repeating: 0, count: count)
            scratch.ends.update(repeating: count, count: count)
        } else if frame.unit == .rows {
            for row in 0..<count {
                scratch.starts[row] = WindowFrames.row(frame.start, row, count, isEnd: false)
                scratch.ends[row] = max(WindowFrames.row(frame.end, row, count, isEnd: true), scratch.starts[row])
            }
        } else {
            fillRange(partition, scratch)
        }
    }

    private static func row(_ bound: WindowFrame.Bound, _ row: Int, _ count: Int, isEnd: Bool) -> Int {
        let past = isEnd ? 1 : 0
        switch bound {
        case .unboundedPreceding: return 0
        case .unboundedFollowing: return count
        case .currentRow: return row + past
        case .preceding(let distance): return min(max(row - Int(min(distance, Int64(count) + 1)) + past, 0), count)
        case .following(let distance): return min(max(row + Int(min(distance, Int64(count) + 1)) + past, 0), count)
        }
    }

    private func fillRange(_ partition: WindowPartition, _ scratch: WindowScratch) {
        let count = partition.count
        let peers = partition.peers + partition.start
        var groupStart = 0
        while groupStart < count {
            var groupEnd = groupStart + 1
            while groupEnd < count && peers[groupEnd] == 0 { groupEnd += 1 }
            for row in groupStart..<groupEnd {
                scratch.starts[row] = groupStart
                scratch.ends[row] = groupEnd
            }
            groupStart = groupEnd
        }
        if frame.start == .unboundedPreceding { scratch.starts.update(repeating: 0, count: count) }
        if frame.end == .unboundedFollowing { scratch.ends.update(repeating: count, count: count) }
    }
}

/// Reads integers of any form and their NULLs by row.
struct WideColumn {
    private let values: UnsafeMutableRawPointer
    private let physical: PhysicalType
    private let validity: UnsafeMutablePointer<UInt8>?

    init(_ column: RowSet.Column) {
        values = column.values
        physical = column.form.physical
        validity = column.validity
    }
    @inline(__always) subscript(row: Int) -> Int128 {
        switch physical {
        case .uint8: Int128(values.assumingMemoryBound(to: UInt8.self)[row])
        case .uint16: Int128(values.assumingMemoryBound(to: UInt16.self)[row])
        case .int32: Int128(values.assumingMemoryBound(to: Int32.self)[row])
        case .int64: Int128(values.assumingMemoryBound(to: Int64.self)[row])
        default: values.assumingMemoryBound(to: Int128.self)[row]
        }
    }
    @inline(__always) func isNull(_ row: Int) -> Bool {
        guard let validity else { return false }
        return validity[row] == 0
    }
    @inline(__always) func double(_ row: Int) -> Double { values.assumingMemoryBound(to: Double.self)[row] }
}
