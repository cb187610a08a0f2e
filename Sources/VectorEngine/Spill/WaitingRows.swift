import ColumnVectors
import Platform
import SQLTypes

/// The rows of a finished query that wait for their reader: in memory while there is plenty, in the temporary area
/// otherwise. Filled first, then read once from the first row to the last. Not thread-safe.
package final class WaitingRows {
    private enum Piece {
        case memory(ColumnBatch, bytes: Int)
        case file(SpillChunk)
    }
    package let types: [SQLType]
    package private(set) var rowCount = 0
    /// Bytes of all rows that were added.
    package private(set) var byteCount = 0
    private let area: TemporaryArea
    private let allowance: MemoryAllowance
    private var file: SpillFile?
    private var filling: ColumnBatch
    private var pieces: [Piece] = []
    private var nextPiece = 0
    private var current: ColumnBatch?
    private var currentRow = 0
    private var rowsRead = 0
    private static let pieceBytes = 512 << 10

    package init(types: [SQLType], area: TemporaryArea, budget: MemoryBudget) {
        self.types = types
        self.area = area
        allowance = MemoryAllowance(budget)
        filling = ColumnBatch(types: types)
    }

    package func append(_ batch: ColumnBatch) throws {
        rowCount += batch.rowCount
        if types.isEmpty { return }
        let before = filling.reservedBytes
        try filling.append(batch)
        byteCount += max(filling.reservedBytes - before, 0)
        if filling.reservedBytes >= WaitingRows.pieceBytes { try endPiece() }
    }

    /// No more rows come.
    package func finish() throws {
        if filling.rowCount > 0 { try endPiece() }
    }

    private func endPiece() throws {
        let bytes = filling.reservedBytes
        // What was filled is counted by its memory, which a buffer keeps when it is emptied.
        defer { filling = ColumnBatch(types: types) }
        if allowance.tryTake(bytes) {
            pieces.append(.memory(filling, bytes: bytes))
            return
        }
        let file = try self.file ?? area.makeFile()
        self.file = file
        let room = SpillChunk.room(for: filling.columns, rows: filling.rowCount)
        try withRegion(room) { target in
            var chunk = SpillChunk(filling.columns, rows: filling.rowCount, at: target)
            try chunk.write(target, to: file)
            pieces.append(.file(chunk))
        }
    }

    private func withRegion(_ bytes: Int, _ body: (UnsafeMutableRawPointer) throws -> Void) throws {
        let region: Region
        do { region = try MemoryRegions.shared.take(bytes: bytes) } catch { throw SQLError(error) }
        defer { MemoryRegions.shared.give(back: region) }
        try body(region.address)
    }

    /// The next rows, at most so many; nil when there are no more.
    package func next(_ most: Int) throws -> ColumnBatch? {
        let left = min(most, rowCount - rowsRead)
        if left <= 0 { return nil }
        if types.isEmpty {
            rowsRead += left
            return ColumnBatch(types: [], columns: [], rowCount: left)
        }
        guard let source = try piece() else { return nil }
        let count = min(left, source.rowCount - currentRow)
        let result = ColumnBatch(types: types)
        for (target, column) in zip(result.columns, source.columns) {
            try target.append(
                values: column.values + currentRow * column.physical.byteWidth, as: column.physical,
                validity: column.validity.map { UnsafePointer($0 + currentRow) }, selection: nil, count: count)
        }
        currentRow += count
        rowsRead += count
        return result
    }

    /// The piece with the next row. Those that have been read give their memory back.
    private func piece() throws -> ColumnBatch? {
        if let current, currentRow < current.rowCount { return current }
        current = nil
        currentRow = 0
        if nextPiece > 0, case .memory(_, let bytes) = pieces[nextPiece - 1] {
            pieces[nextPiece - 1] = .memory(ColumnBatch(types: types), bytes: 0)
            allowance.give(back: bytes)
        }
        guard nextPiece < pieces.count else { return nil }
        switch pieces[nextPiece] {
        case .memory(let batch, _): current = batch
        case .file(let chunk): current = try read(chunk)
        }
        nextPiece += 1
        return current
    }

    private func read(_ chunk: SpillChunk) throws -> ColumnBatch {
        guard let file else { throw SQLError(.internalError, "rows in no temporary file") }
        let batch = ColumnBatch(types: types)
        let forms = types.map(\.physical)
        try withRegion(chunk.bytes + 64) { base in
            try chunk.read(from: file, to: base, forms: forms)
            for (target, column) in zip(batch.columns, chunk.columns) {
                try target.append(
                    values: base + column.values,
                    validity: column.validity.map { UnsafePointer((base + $0).assumingMemoryBound(to: UInt8.self)) },
                    selection: nil, count: chunk.rows)
            }
        }
        return batch
    }
}
