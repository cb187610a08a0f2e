import Catalog
import ColumnVectors
import Platform
import SQLTypes

/// Rows of one slice of a table that are in the log and in no part yet, in commit order. A row's place in that order,
/// its ordinal, names it until a checkpoint writes a part.
///
/// Commits append, one at a time; snapshots see a prefix (``DeltaView``). Rows are encoded when somebody reads them:
/// the encoded runs double in size towards the front, so that a reader finds few of them and a row is encoded again
/// only a few times. Safe from any thread.
final class DeltaRows: @unchecked Sendable {  // guarded by `lock`; encoding takes turns by `encoding`
    let id: PartID
    let table: ObjectID
    let slice: Int
    let placement: PartPlacement
    /// What the rows' columns are.
    let columns: [ColumnDefinition]
    /// In the committed state; otherwise a change's own.
    let isShared: Bool
    /// The rows are those of one change, ordered by these columns.
    private var order: [Int32]
    private let numbers: PartNumbers

    private let lock = Lock(())
    private let encoding = Lock(())
    /// Rows from `rawStart` on that are not encoded.
    private var raw: ColumnBatch
    private var rawStart = 0
    /// Rows that are being encoded; raw rows follow.
    private var frozen: ColumnBatch?
    private var runs: [DeltaRun] = []
    private var total = 0
    private var moved: DeltaRelocation?

    init(
        table: ObjectID, slice: Int, placement: PartPlacement, columns: [ColumnDefinition], isShared: Bool,
        sortedBy: [Int32] = [], id: PartID? = nil, rows: ColumnBatch? = nil, numbers: PartNumbers
    ) {
        self.id = id ?? numbers.make()
        self.table = table
        self.slice = slice
        self.placement = placement
        self.columns = columns
        self.isShared = isShared
        order = sortedBy
        self.numbers = numbers
        raw = rows ?? ColumnBatch(types: columns.map(\.type))
        total = raw.rowCount
    }

    /// All rows, also such as no snapshot sees (yet).
    var count: Int { lock.withLock { total } }

    /// Ids of the columns that the rows are ordered by.
    var sortedBy: [Int32] { lock.withLock { order } }

    /// Where a checkpoint has put the rows.
    var relocation: DeltaRelocation? {
        get { lock.withLock { moved } }
        set { lock.withLock { moved = newValue } }
    }

    /// Whether rows of such columns may be added behind those that a snapshot sees.
    func accepts(_ columns: [ColumnDefinition], _ placement: PartPlacement, after count: Int) -> Bool {
        guard placement == self.placement, columns.count == self.columns.count, count == self.count,
            count < DeltaRows.largest, relocation == nil
        else { return false }
        return zip(columns, self.columns).allSatisfy { $0.id == $1.id && $0.type == $1.type }
    }
    private static let largest = 1 << 30

    /// - Returns: the first one's ordinal.
    @discardableResult
    func append(_ rows: ColumnBatch) throws -> Int {
        try lock.withLock {
            let first = total
            if first > 0 { order = [] }
            // A failure half-way leaves columns of different lengths: nobody appends any more then, see `accepts`.
            total = .max
            try raw.append(rows)
            total = first + rows.rowCount
            return first
        }
    }

    /// Lets the caller append rows in place, column by column: recovery.
    func append(count: Int, _ body: (ColumnBatch) throws -> Void) throws {
        try lock.withLock {
            try body(raw)
            total += count
        }
    }

    /// All rows, if nobody has read them yet: a change's own before it is committed.
    var unread: ColumnBatch? { lock.withLock { rawStart == 0 && frozen == nil ? raw : nil } }

    /// Copies of all rows, decoded where they were encoded.
    func copy(without deleted: DeletedRows?) throws -> ColumnBatch {
        let result = ColumnBatch(types: raw.types)
        for run in try runs(upTo: count, forcing: []) {
            guard let bytes = deleted?.bytes(group: run.start >> 16) else {
                try run.decode(into: result)
                continue
            }
            let whole = ColumnBatch(types: raw.types)
            try run.decode(into: whole)
            let kept = (0..<run.count).filter { bytes[(run.start + $0) & 0xffff] == 0 }
            try result.append(whole, rows: kept.map { UInt16(truncatingIfNeeded: $0) })
        }
        return result
    }

    // MARK: Encoding

    /// Encoded rows, at least so many; the last run may hold more.
    ///
    /// - Parameter forcing: columns that get a dictionary whenever their strings fit into one.
    func runs(upTo count: Int, forcing dictionaries: Set<Int>) throws -> [DeltaRun] {
        try encoding.withLock {
            let (known, rows, start) = lock.withLock { () -> ([DeltaRun], ColumnBatch?, Int) in
                if rawStart >= count { return (runs, nil, rawStart) }
                // What a failed attempt left comes first.
                if frozen == nil {
                    frozen = raw
                    raw = ColumnBatch(types: raw.types)
                    rawStart += frozen?.completeRows ?? 0
                }
                return (runs, frozen, rawStart - (frozen?.completeRows ?? 0))
            }
            guard let rows else { return known }
            let made: [DeltaRun]
            do {
                made = try encode(rows, from: start, behind: known, dictionaries)
            } catch {
                // Back to how it was: the rows are in front of those that came meanwhile.
                try lock.withLock {
                    try rows.append(raw)
                    raw = rows
                    rawStart = start
                    frozen = nil
                }
                throw error
            }
            lock.withLock {
                runs = made
                frozen = nil
            }
            return made
        }
    }

    private func encode(
        _ rows: ColumnBatch, from start: Int, behind known: [DeltaRun], _ dictionaries: Set<Int>
    ) throws -> [DeltaRun] {
        var kept = known
        var merged: [DeltaRun] = []
        var size = min(rows.completeRows, DeltaRows.blockEnd(start) - start)
        while let last = kept.last, DeltaRows.blockEnd(last.start) == DeltaRows.blockEnd(start), last.count < 2 * size {
            size += last.count
            merged.append(last)
            kept.removeLast()
        }
        var source = rows
        var first = start
        if let oldest = merged.last {
            first = oldest.start
            source = ColumnBatch(types: rows.types)
            for run in merged.reversed() { try run.decode(into: source) }
            try source.append(rows)
        }
        var done = 0
        let total = source.completeRows
        while done < total {
            let count = min(total - done, DeltaRows.blockEnd(first + done) - first - done)
            let isWhole = first == 0 && count == total
            let encoder = DeltaRunEncoder(
                delta: self, rows: source, start: done, count: count, dictionaries: dictionaries,
                sortedBy: isWhole ? sortedBy : [])
            kept.append(DeltaRun(start: first + done, file: try encoder.encode(id: numbers.make())))
            done += count
        }
        return kept
    }

    /// Runs do not cross the borders of 65,536 rows.
    private static func blockEnd(_ ordinal: Int) -> Int { (ordinal | (StorageLimits.rowGroupRows - 1)) + 1 }
}

extension ColumnBatch {
    /// Appends some rows of another batch of the same shape.
    func append(_ other: ColumnBatch, rows: [UInt16]) throws {
        try rows.withUnsafeBufferPointer { positions in
            for (target, source) in zip(columns, other.columns) {
                try target.append(
                    values: source.values, as: source.physical, validity: source.validity.map { UnsafePointer($0) },
                    selection: positions.baseAddress, count: positions.count)
            }
        }
    }

    /// Rows that all columns have: more than these only where memory ran out in the middle of an append.
    fileprivate var completeRows: Int { columns.map(\.count).min() ?? 0 }
}

/// Encoded rows of a delta: a part in memory of one row group.
struct DeltaRun {
    /// Ordinal of the first row.
    let start: Int
    let file: PartFile
    var count: Int { file.rowCount }

    /// Appends all rows, in the delta's columns.
    func decode(into batch: ColumnBatch) throws {
        for (index, column) in batch.columns.enumerated() {
            try BlockDecoder.append(
                file.slots.blocks[index], dictionary: file.dictionaries[index], to: column)
        }
    }
}

/// What a snapshot sees of a delta.
struct DeltaView {
    var rows: DeltaRows
    /// The rows before this ordinal.
    var count: Int
    /// By ordinal, in groups of 65,536.
    var deleted: DeletedRows?

    var liveCount: Int { count - (deleted?.count ?? 0) }

    /// Of one delta, whose rows only grow and are deleted.
    func isSame(as other: DeltaView) -> Bool {
        rows === other.rows && count == other.count && (deleted?.count ?? 0) == (other.deleted?.count ?? 0)
    }

    /// The runs as parts.
    func parts(
        _ definition: TableDefinition, _ defaults: [Int32: Datum], forcing dictionaries: Set<Int>
    ) throws -> [Part] {
        let runs = try rows.runs(upTo: count, forcing: dictionaries)
        return try runs.filter { $0.start < count }.map { run in
            try Part(
                PartVersion(file: run.file, deleted: hidden(in: run)), definition: definition, defaults: defaults,
                origin: Part.Origin(delta: rows.id, firstRow: run.start))
        }
    }

    /// Rows of a run that the snapshot does not see: deleted ones, and those that came later.
    private func hidden(in run: DeltaRun) -> DeletedRows? {
        let bytes = deleted?.bytes(group: run.start >> 16)
        if bytes == nil && run.start + run.count <= count { return nil }
        let result = DeletedRows(groupRows: [run.count])
        for row in 0..<run.count {
            let ordinal = run.start + row
            if ordinal >= count || bytes.map({ $0[ordinal & 0xffff] != 0 }) ?? false {
                _ = result.insert(group: 0, row: row)
            }
        }
        return result.count > 0 ? result : nil
    }
}

/// Where a checkpoint has put the rows of a delta.
struct DeltaRelocation: Sendable {
    /// Rows that were deleted by then.
    var deletedCount: Int
    /// By ordinal: index into `parts` in the upper half, row of the part in the lower; -1 where the row was deleted.
    var places: [Int64]
    var parts: [PartFile]

    /// The view was all there was when the rows were moved.
    func isOf(_ view: DeltaView) -> Bool {
        places.count == view.count && deletedCount == view.deleted?.count ?? 0
    }

    /// The same rows, by the parts they are in now; nil when some were deleted before.
    func translate(_ rows: DeletedRows) -> [PartID: DeletedRows]? {
        var result: [PartID: DeletedRows] = [:]
        for group in rows.groupRows.indices {
            guard let bytes = rows.bytes(group: group) else { continue }
            for row in 0..<rows.groupRows[group] where bytes[row] != 0 {
                let ordinal = group << 16 + row
                guard places.indices.contains(ordinal), places[ordinal] >= 0 else { return nil }
                let footer = parts[Int(places[ordinal] >> 32)].footer
                let target = result[footer.id] ?? DeletedRows(groupRows: footer.groupRows)
                result[footer.id] = target
                let place = Int(places[ordinal] & 0xffff_ffff), size = max(footer.groupRows[0], 1)
                _ = target.insert(group: place / size, row: place % size)
            }
        }
        return result
    }
}
