import Catalog
import ColumnVectors
import Platform
import SQLTypes
import Synchronization

/// Parts on disk that no commit names yet. Committed by ``StoreChange/added``; else removed when the last reference
/// goes.
public final class WrittenParts: Sendable {
    public let table: ObjectID
    public let rowCount: Int
    /// Bytes on disk.
    public let byteCount: Int
    let files: [PartFile]
    public var partCount: Int { files.count }

    init(table: ObjectID, files: [PartFile]) {
        self.table = table
        self.files = files
        rowCount = files.reduce(0) { $0 + $1.rowCount }
        byteCount = files.reduce(0) { $0 + $1.byteCount }
    }

    /// The files belong to the warehouse now.
    func markCommitted() { for file in files { file.keep() } }
}

/// One load into one table. Make a lane per thread, fill them, then finish on one thread.
public final class TableWriter: Sendable {
    private let load: LoadState
    private let lanes = Mutex<[WriterLane]>([])

    init(store: Store, definition: TableDefinition, present: TableSnapshot?) {
        let presentRows = present?.rowCount ?? 0
        let presentIsAll = presentRows == 0 || present?.effectiveDistribution == .all
        let plan = WritePlan(
            definition, slices: store.shape.slices, presentRows: presentRows, presentIsAll: presentIsAll, store)
        let rows = present?.statistics.sliceRows.map { Int($0) } ?? [Int](repeating: 0, count: store.shape.slices)
        load = LoadState(store: store, plan: plan, sliceRows: rows)
    }

    /// A lane for one thread.
    public func makeLane() -> WriterLane {
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
    public func finish(pool: WorkerPool) throws -> WrittenParts {
        let plan = load.plan
        let early = load.takeEarly()
        // Until they are committed the files go with the last reference to them, so also when something fails below.
        var chunks = [[RowChunk]](repeating: [], count: plan.sliceCount)
        for lane in takeLanes() {
            for (slice, more) in lane.takeChunks().enumerated() { chunks[slice] += more }
        }
        let rows = chunks.joined().reduce(0) { $0 + $1.count }
        if plan.isAuto && early.isEmpty && rows <= plan.autoAllRows { chunks = [chunks.flatMap { $0 }] }
        do {
            let files = try PartBuilder(store: load.store, plan: plan, pool: pool).build(chunks)
            return WrittenParts(table: plan.definition.id, files: early + files)
        } catch {
            throw SQLError(error)
        }
    }

    /// Forgets the rows and removes what was written.
    public func abort() {
        for lane in takeLanes() { _ = lane.takeChunks() }
        _ = load.takeEarly()
    }
}
