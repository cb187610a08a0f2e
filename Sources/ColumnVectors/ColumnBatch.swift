import SQLTypes

/// Rows by column, with their SQL types: what a query returns, what COPY has parsed.
public struct ColumnBatch: Sendable {
    public let types: [SQLType]
    public let columns: [ColumnBuffer]

    public init(types: [SQLType]) {
        self.types = types
        columns = types.map { ColumnBuffer($0) }
    }

    /// The columns must have the types' physical forms (integers may be narrower) and equally many rows.
    public init(types: [SQLType], columns: [ColumnBuffer], rowCount: Int? = nil) {
        self.types = types
        self.columns = columns
        self.rowsWithoutColumns = rowCount ?? 0
    }

    /// Only counts where there are no columns: `SELECT` of nothing still has rows.
    public var rowsWithoutColumns = 0
    public var rowCount: Int { columns.first?.count ?? rowsWithoutColumns }

    public func datum(row: Int, column: Int) -> Datum {
        columns[column].datum(row: row, type: types[column])
    }

    public func row(_ row: Int) -> [Datum] { columns.indices.map { datum(row: row, column: $0) } }

    /// Appends one row; values must be of the columns' types.
    public func append(_ row: [Datum]) throws {
        for (column, datum) in zip(columns, row) { try column.append(datum) }
    }

    /// Appends the rows of another batch of the same shape.
    public func append(_ other: ColumnBatch) throws {
        for (column, more) in zip(columns, other.columns) { try column.append(more) }
    }

    public func removeAll() { for column in columns { column.removeAll() } }
    public var reservedBytes: Int { columns.reduce(0) { $0 + $1.reservedBytes } }
}
