import ColumnVectors
import SQLTypes
import Warehouse

extension Session {
    /// Runs one or several statements and hands over the rows of their results in batches of columns, as the engine
    /// makes them: nothing is kept. The body runs while the statement does, and an error that it throws ends it.
    ///
    /// - Returns: the last command tag, such as `SELECT 5`.
    @discardableResult
    public func forEachBatch(_ sql: String, _ body: @escaping (ResultBatch) throws -> Void) throws -> String {
        let handler = BatchHandler(body)
        try execute(sql, handler)
        return handler.tag
    }

    /// The same for a prepared statement.
    @discardableResult
    public func forEachBatch(
        of prepared: PreparedStatement, parameters: [Datum] = [], _ body: @escaping (ResultBatch) throws -> Void
    ) throws -> String {
        guard parameters.count == prepared.parameterTypes.count else {
            throw SQLError(
                "08P01",
                "the prepared statement needs \(prepared.parameterTypes.count) parameters, "
                    + "but \(parameters.count) were given")
        }
        let handler = BatchHandler(body)
        let typed = zip(prepared.parameterTypes, parameters).map { StatementParameter(type: $0, value: $1) }
        try execute(prepared, parameters: typed, handler)
        return handler.tag
    }

    /// Row by row: more convenient than batches, and slower.
    @discardableResult
    public func forEachRow(_ sql: String, _ body: @escaping (ResultRow) throws -> Void) throws -> String {
        try forEachBatch(sql) { batch in
            for row in 0..<batch.rowCount { try body(batch.row(row)) }
        }
    }

    @discardableResult
    public func forEachRow(
        of prepared: PreparedStatement, parameters: [Datum] = [], _ body: @escaping (ResultRow) throws -> Void
    ) throws -> String {
        try forEachBatch(of: prepared, parameters: parameters) { batch in
            for row in 0..<batch.rowCount { try body(batch.row(row)) }
        }
    }
}

/// Some rows of a result. Valid during the call that hands it over: the memory is used again for the next rows.
public struct ResultBatch {
    public let columns: [ResultColumn]
    /// Values by column, in their physical forms.
    public let values: ColumnBatch
    public var rowCount: Int { values.rowCount }

    public func row(_ index: Int) -> ResultRow { ResultRow(batch: self, index: index) }
}

/// One row of a batch, valid as long as that.
public struct ResultRow {
    fileprivate let batch: ResultBatch
    fileprivate let index: Int

    public var columns: [ResultColumn] { batch.columns }
    public subscript(column: Int) -> Datum { batch.values.row(index)[column] }
    /// nil when there is no such column.
    public subscript(name: String) -> Datum? { columns.firstIndex { $0.name == name }.map { self[$0] } }
    public func isNull(_ column: Int) -> Bool { self[column] == .null }
    /// Any value as SQL shows it; nil for NULL.
    public func text(_ column: Int) -> String? { self[column].text(type: columns[column].type) }
    /// SMALLINT, INTEGER, BIGINT and BOOLEAN (0 and 1); nil for NULL and other types.
    public func integer(_ column: Int) -> Int? {
        guard case .integer(let value) = self[column] else { return nil }
        return Int(exactly: value)
    }
    /// REAL and DOUBLE PRECISION; nil for NULL and other types.
    public func double(_ column: Int) -> Double? {
        guard case .double(let value) = self[column] else { return nil }
        return value
    }
}

private final class BatchHandler: ResultHandler {
    private let body: (ResultBatch) throws -> Void
    private var columns: [ResultColumn] = []
    private(set) var tag = ""

    init(_ body: @escaping (ResultBatch) throws -> Void) { self.body = body }
    func begin(columns: [ResultColumn]) throws { self.columns = columns }
    func rows(_ batch: ColumnBatch) throws { try body(ResultBatch(columns: columns, values: batch)) }
    func end(tag: String) throws { self.tag = tag }
}
