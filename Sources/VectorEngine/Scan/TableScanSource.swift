import Catalog
import ColumnStore
import ColumnVectors
import Glibc
import Platform
import SQLTypes

/// A table's rows, filtered on encoded blocks. Two rhythms: the conjuncts run over a whole row group (zone maps first,
/// then vectors of codes into a byte mask, then random access on the survivors), the steps over batches of survivors.
final class TableScanSource: PipelineSource {
    private let snapshot: TableSnapshot
    private let columnIndexes: [Int]
    private let dictionaries: [UnifiedDictionary?]
    private(set) var conjuncts: [ScanConjunct] = []
    private var morsels: [Morsel] = []
    private let parts: [Part]
    private let takesSortedRanges: Bool

    private struct Morsel {
        var part: Int
        var group: Int
        var slice: Int
    }

    init(
        _ snapshot: TableSnapshot, columnIndexes: [Int], dictionaries: [UnifiedDictionary?], context: ExecutionContext
    ) throws {
        takesSortedRanges = context.takes(.sortedRanges)
        self.snapshot = snapshot
        self.columnIndexes = columnIndexes
        self.dictionaries = dictionaries
        parts = try snapshot.slices.flatMap { $0 }
    }

    /// No row id is greater.
    var lastRowID: Int128 { Int128(parts.count) << 32 }
    override var rowCount: Int { Int(snapshot.statistics.rowCount) }
    override var morselCount: Int { morsels.count }
    override func slice(ofMorsel morsel: Int) -> Int { morsels[morsel].slice }
    func add(_ conjunct: ScanConjunct) { conjuncts.append(conjunct) }

    override func prepare() throws {
        conjuncts.sort { $0.rank.rawValue < $1.rank.rawValue }
        for conjunct in conjuncts { try conjunct.prepare(parts) }
        morsels = []
        // Slices take turns: clustered keys of all slices advance together, so shared state is touched once.
        var queues: [[Morsel]] = []
        var index = 0
        let slices = try snapshot.slices
        queues.reserveCapacity(slices.count)
        for slice in slices {
            var queue: [Morsel] = []
            if let only = slice.first, slice.count == 1 { queue.reserveCapacity(only.rowGroupCount) }
            for part in slice {
                for group in 0..<part.rowGroupCount where !isRuledOut(part, index, group) {
                    queue.append(Morsel(part: index, group: group, slice: part.slice))
                }
                index += 1
            }
            queues.append(queue)
        }
        if queues.count == 1 {
            morsels = queues[0]
            return
        }
        morsels.reserveCapacity(queues.reduce(0) { $0 + $1.count })
        let longest = queues.map(\.count).max() ?? 0
        for turn in 0..<longest {
            for queue in queues where turn < queue.count { morsels.append(queue[turn]) }
        }
    }

    override var scanFigures: ExecutionProfile.ScanFigures? {
        var rows = [Int64](repeating: 0, count: snapshot.sliceRows.count)
        for morsel in morsels where rows.indices.contains(morsel.slice) {
            rows[morsel.slice] += Int64(parts[morsel.part].rows(inGroup: morsel.group))
        }
        return ExecutionProfile.ScanFigures(
            table: snapshot.definition.id.raw,
            isRangeRestricted: morsels.count < parts.reduce(0) { $0 + $1.rowGroupCount }, rowsBeforeFilter: rows,
            blocks: morsels.count * columnIndexes.count)
    }

    private func isRuledOut(_ part: Part, _ index: Int, _ group: Int) -> Bool {
        conjuncts.contains { $0.zone(part, index, group) == .none }
    }

    override func run(morsel: Int, batch: Batch, _ body: (Batch) throws -> Void) throws {
        let place = morsels[morsel]
        if let counters = batch.counters {
            StatementMeter.add(parts[place.part].rows(inGroup: place.group), .scanRows, counters)
        }
        let part = parts[place.part]
        let cursor: ScanCursor
        if let known = batch.scan {
            cursor = known
        } else {
            cursor = ScanCursor(columnIndexes: columnIndexes, dictionaries: dictionaries)
            batch.scan = cursor
        }
        cursor.move(to: part, index: place.part, group: place.group)
        defer { cursor.release() }
        let active = conjuncts.filter { $0.zone(part, place.part, place.group) != .all }
        let rows = part.rows(inGroup: place.group)
        var survivors = Survivors(count: rows, dense: true, masked: false)
        if !active.isEmpty || part.deletedRows(group: place.group) != nil {
            survivors = try evaluate(active, part, place.group, cursor, batch, rows)
        }
        try hand(survivors, to: batch, body)
    }

    private struct Survivors {
        var count: Int
        /// Positions are 0 ..< count; otherwise they are in the batch's group selection.
        var dense: Bool
        /// Dense with failed rows in it, told by the group mask.
        var masked: Bool
    }

    private func hand(_ survivors: Survivors, to batch: Batch, _ body: (Batch) throws -> Void) throws {
        var at = 0
        while at < survivors.count {
            batch.arena.removeAll()
            batch.count = min(batch.capacity, survivors.count - at)
            batch.identity = survivors.dense
            batch.masked = survivors.masked
            batch.window = survivors.dense ? at : 0
            batch.selection = survivors.dense ? batch.groupSelection : batch.groupSelection + at
            batch.mask = batch.groupMask + at
            try body(batch)
            at += batch.capacity
        }
    }

    /// Masks while rows are dense, positions afterwards.
    private func evaluate(
        _ active: [ScanConjunct], _ part: Part, _ group: Int, _ cursor: ScanCursor, _ batch: Batch,
        _ rows: Int
    ) throws -> Survivors {
        let mask = batch.groupMask
        let positions = batch.groupSelection
        if let found = try sortedSurvivors(active, part, group, cursor, positions, rows) {
            return found
        }
        var hasMask = false
        if let deleted = part.deletedRows(group: group) {
            for i in 0..<rows { mask[i] = deleted[i] ^ 1 }
            hasMask = true
        }
        var next = 0
        while next < active.count {
            let conjunct = active[next]
            if try !prefersMask(conjunct, cursor, mask, rows, hasMask) { break }
            try conjunct.mask(cursor, rows, mask, combine: hasMask)
            hasMask = true
            next += 1
        }
        if mayMask && hasMask && next == active.count {
            let alive = countSetBytes(mask, rows)
            if alive == rows { return Survivors(count: rows, dense: true, masked: false) }
            if alive * 2 >= rows { return Survivors(count: rows, dense: true, masked: true) }
        }
        var count = rows
        if hasMask {
            count = positionsOfSetBytes(mask, rows, positions)
        } else {
            for i in 0..<rows { positions[i] = UInt16(truncatingIfNeeded: i) }
        }
        for conjunct in active[next...] where count > 0 {
            count = try conjunct.refine(cursor, positions, count)
        }
        return Survivors(count: count, dense: count == rows, masked: false)
    }

    /// Where ranges of the leading sort column are all that codes are tested for: the rows between two places. nil
    /// where that is not so.
    private func sortedSurvivors(
        _ active: [ScanConjunct], _ part: Part, _ group: Int, _ cursor: ScanCursor,
        _ positions: UnsafeMutablePointer<UInt16>, _ rows: Int
    ) throws -> Survivors? {
        guard takesSortedRanges, part.isSorted, let key = snapshot.definition.leadingSortColumn,
            part.deletedRows(group: group) == nil
        else { return nil }
        var found: Range<Int>?
        var next = 0
        while next < active.count, active[next].rank == .mask {
            guard let range = active[next] as? RangeConjunct, range.column == key,
                let rows = range.sortedRange(part, group, try cursor.block(range.slot), rows)
            else { return nil }
            found = found.map { $0.clamped(to: rows) } ?? rows
            next += 1
        }
        guard let found else { return nil }
        if found.count == rows && next == active.count {
            return Survivors(count: rows, dense: true, masked: false)
        }
        for (index, row) in found.enumerated() { positions[index] = UInt16(truncatingIfNeeded: row) }
        var count = found.count
        for conjunct in active[next...] where count > 0 {
            count = try conjunct.refine(cursor, positions, count)
        }
        return Survivors(count: count, dense: count == rows, masked: false)
    }

    /// Codes are tested as vectors always; bitmaps by gather while more than 30 % of the rows live; text as one heap
    /// while more than a quarter of the rows live.
    private func prefersMask(
        _ conjunct: ScanConjunct, _ cursor: ScanCursor, _ mask: UnsafeMutablePointer<UInt8>,
        _ rows: Int,
        _ hasMask: Bool
    ) throws -> Bool {
        switch conjunct.rank {
        case .mask: return true
        case .bitmap:
            guard let bitmap = conjunct as? KeyBitmapConjunct,
                bitmap.isVectorised(try cursor.block(bitmap.slot))
            else {
                return false
            }
            return !hasMask || countSetBytes(mask, rows) * 10 > rows * 3
        case .text: return !hasMask
        case .bloom: return false
        }
    }
}
