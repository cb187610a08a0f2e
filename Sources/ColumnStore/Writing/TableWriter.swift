import Catalog
import ColumnVectors
import Platform
import SQLTypes

/// What a load has made and no commit names yet: parts on disk, or few rows for the log. Committed by
/// ``StoreChange/added``; else files are removed when the last reference goes.
package final class WrittenParts: Sendable {
    package let table: ObjectID
    package let rowCount: Int
    /// Bytes on disk.
    package let byteCount: Int
    let files: [PartFile]
    let pieces: [LogPiece]
    /// Files; rows that go to the log count as none.
    package var partCount: Int { files.count }

    init(table: ObjectID, files: [PartFile], pieces: [LogPiece] = []) {
        self.table = table
        self.files = files
        self.pieces = pieces
        rowCount = files.reduce(0) { $0 + $1.rowCount } + pieces.reduce(0) { $0 + $1.rows.count }
        byteCount = files.reduce(0) { $0 + $1.byteCount }
    }

    /// The files belong to the warehouse now.
    func markCommitted() { for file in files { file.keep() } }
}

/// Rows of one slice that a change adds by way of the log.
final class LogPiece: Sendable {
    private let state: Lock<DeltaRows>
    init(_ rows: DeltaRows) { state = Lock(rows) }

    /// They move where a transaction has earlier rows of the same slice.
    var rows: DeltaRows {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// One load into one table. Make a lane per thread, fill them, then finish on one thread.
package final class TableWriter: Sendable {
    private let load: LoadState
    private let lanes = Lock<[WriterLane]>([])

    /// - Parameter usesLog: few rows go to the log instead of a file.
    init(store: Store, definition: TableDefinition, present: TableSnapshot?, usesLog: Bool, narrows: Bool) {
        let presentRows = present?.rowCount ?? 0
        let presentIsAll = presentRows == 0 || present?.effectiveDistribution == .all
        let plan = WritePlan(
            definition, slices: store.shape.slices, presentRows: presentRows, presentIsAll: presentIsAll, store,
            logRows: usesLog ? store.options.logRows : 0, narrows: narrows)
        let rows = present?.sliceRows.map { Int($0) } ?? [Int](repeating: 0, count: store.shape.slices)
        load = LoadState(store: store, plan: plan, sliceRows: rows)
    }

    /// A lane for one thread.
    package func makeLane() -> WriterLane {
        lanes.withLock { lanes in
            let lane = WriterLane(load, index: lanes.count)
            lanes.append(lane)
            return lane
        }
    }

    private func takeLanes() -> [WriterLane] {
        lanes.withLock { lanes in
            defer { lanes = [] }
            return lanes
        }
    }

    /// Sorts, encodes and writes everything. Nothing is visible before the commit. The lanes must not be used any more.
    package func finish(_ workers: StatementWorkers) throws -> WrittenParts {
        let plan = load.plan
        var early = load.takeEarly()
        // Until they are committed the files go with the last reference to them, so also when something fails below.
        let lanes = takeLanes()
        if early.isEmpty, let pieces = try LogPieces(load: load, lanes: lanes)?.make() {
            return WrittenParts(table: plan.definition.id, files: [], pieces: pieces)
        }
        var chunks = [[RowChunk]](repeating: [], count: plan.sliceCount)
        for lane in lanes {
            do { try lane.leaveLog() } catch { throw SQLError(error) }
            for (slice, more) in lane.takeChunks().enumerated() { chunks[slice] += more }
        }
        early += load.takeEarly()
        let rows = chunks.joined().reduce(0) { $0 + $1.count }
        if plan.isAuto && early.isEmpty && rows <= plan.autoAllRows { chunks = [chunks.flatMap { $0 }] }
        do {
            let files = try PartBuilder(store: load.store, plan: plan, workers: workers).build(chunks)
            return WrittenParts(table: plan.definition.id, files: early + files)
        } catch {
            throw SQLError(error)
        }
    }

    /// Whether a batch may be all that is written, by ``finish(with:)``: few rows, which go to the log.
    package func canFinish(with rows: ColumnBatch) -> Bool {
        rows.rowCount <= load.plan.logRows && rows.reservedBytes <= WriterLane.largestLogBytes
    }

    /// In place of lanes, for few rows.
    ///
    /// - Parameter rows: in table column order and in the columns' own physical forms. The writer keeps them.
    package func finish(with rows: ColumnBatch) throws -> WrittenParts {
        for (column, isTrimmed) in zip(rows.columns, load.plan.isTrimmed) where isTrimmed {
            let views = column.values(as: StringView.self)
            for row in 0..<column.count { views[row] = views[row].trimmed }
        }
        load.plan.putInUTC(rows)
        let pieces = try LogPieces(load: load, rows: rows).make()
        return WrittenParts(table: load.plan.definition.id, files: [], pieces: pieces)
    }

    /// Forgets the rows and removes what was written.
    package func abort() {
        for lane in takeLanes() { _ = lane.takeChunks() }
        _ = load.takeEarly()
    }
}
