import ColumnVectors
import Platform
import QueryPlan
import SQLTypes

@_exported import struct BulkTransfer.ClientRowWriter
@_exported import struct BulkTransfer.ClientStreamFormat
@_exported import struct QueryPlan.ColumnDetails
@_exported import class QueryPlan.ColumnOrigin

/// One column of a result as clients see it.
public struct ResultColumn: Sendable, Hashable {
    public var name: String
    public var type: SQLType
    /// Where it comes from, and whether its text is an array's.
    package var details = ColumnDetails()
    public init(name: String, type: SQLType) {
        self.name = name
        self.type = type
    }
    package init(_ output: OutputColumn) {
        name = output.name
        type = output.type
        details = output.details
    }
}

/// Takes what a statement sends back. Calls come one at a time: `begin`, any number of `rows`, `end`; a statement
/// without rows has only `end`. An error ends the statement without `end`.
public protocol ResultHandler: AnyObject {
    func begin(columns: [ResultColumn]) throws
    /// Columns in canonical physical forms; the batch is reused after the call.
    func rows(_ batch: ColumnBatch) throws
    /// - Parameter tag: PostgreSQL's command tag: `SELECT 5`, `CREATE TABLE`.
    func end(tag: String) throws
    /// COPY FROM STDIN: asks the client for rows.
    func copyIn(_ format: ClientStreamFormat, columns: [ResultColumn]) throws -> any ClientRowSource
    /// COPY TO STDOUT, instead of `begin`: rows follow, to be sent in this format.
    func beginCopyOut(_ format: ClientStreamFormat, columns: [ResultColumn]) throws
    /// NOTICE and INFO messages.
    func notice(_ message: String)
    /// Long work: share done (0 to 1, nil when unknown) and what is being done. About ten times a second, from any
    /// thread.
    func progress(_ fraction: Double?, _ activity: String)
}

/// What a client sends for COPY FROM STDIN. Used on the session's thread.
public protocol ClientRowSource: AnyObject {
    /// The next bytes in the format asked for (text for binary: the source translates); nil at the end, empty after a
    /// while without any, so that the caller can look whether it was cancelled.
    func next() throws -> [UInt8]?
}

extension ResultHandler {
    public func copyIn(_ format: ClientStreamFormat, columns: [ResultColumn]) throws -> any ClientRowSource {
        throw SQLError(.featureNotSupported, "COPY FROM STDIN needs a client that sends rows")
    }
    /// A handler that takes rows as they are gets them as they are.
    public func beginCopyOut(_ format: ClientStreamFormat, columns: [ResultColumn]) throws {
        try begin(columns: columns)
    }
    public func notice(_ message: String) {}
    public func progress(_ fraction: Double?, _ activity: String) {}
}

/// A whole result in memory, for tests, tools and small queries.
public final class QueryResult: ResultHandler {
    public private(set) var columns: [ResultColumn] = []
    public private(set) var rows: [[Datum]] = []
    public private(set) var tag = ""
    public private(set) var notices: [String] = []

    public init() {}
    public func begin(columns: [ResultColumn]) throws {
        self.columns = columns
        rows = []
    }
    public func rows(_ batch: ColumnBatch) throws {
        for row in 0..<batch.rowCount { rows.append(batch.row(row)) }
    }
    public func end(tag: String) throws { self.tag = tag }
    public func notice(_ message: String) { notices.append(message) }

    /// Values as text, nil for NULL.
    public func text(row: Int, column: Int) -> String? {
        rows[row][column].text(type: columns[column].type)
    }
}
