import Catalog
import ColumnVectors
import Platform
import SQLTypes

/// Parts on disk that no commit names yet. Committed by ``StoreChange/added``; else removed when the last reference goes.
public final class WrittenParts: Sendable {
    public let table: ObjectID
    public let rowCount: Int
    init(table: ObjectID, rowCount: Int) {
        self.table = table
        self.rowCount = rowCount
    }
}

/// One load into one table. Make a lane per thread, fill them, then finish on one thread.
public final class TableWriter: Sendable {
    public func makeLane() -> WriterLane { WriterLane() }
    /// Sorts, encodes and writes everything. Nothing is visible before the commit.
    public func finish(pool: WorkerPool) throws -> WrittenParts { throw SQLError(.internalError, "not there yet") }
    /// Forgets the rows and removes what was written.
    public func abort() {}
}

/// Takes one thread's rows. Copies them.
public final class WriterLane {
    /// Rows in table column order; physical forms as ``SQLType/physical`` says (integers may be narrower).
    public func append(_ batch: ColumnBatch) throws {}
}
