import ColumnStore
import ColumnVectors

/// Where parsed rows go: a table's writer, or memory in tests.
package protocol RowSink: Sendable {
    /// One lane per worker thread.
    func makeLane() throws -> any RowLane
    /// Forgets all rows of all lanes.
    func abort()
}

/// Takes the rows of one thread.
package protocol RowLane: AnyObject {
    /// All columns of the table in its order. The batch, and the bytes that its strings point to, are only lent for the
    /// call: a lane copies what it keeps.
    func append(_ batch: ColumnBatch) throws
}

/// A table's writer as a sink.
package struct TableSink: RowSink {
    private let writer: TableWriter
    package init(_ writer: TableWriter) { self.writer = writer }
    package func makeLane() throws -> any RowLane { TableLane(writer.makeLane()) }
    package func abort() { writer.abort() }
}

final class TableLane: RowLane {
    private let lane: WriterLane
    init(_ lane: WriterLane) { self.lane = lane }
    func append(_ batch: ColumnBatch) throws { try lane.append(batch) }
}
