import SQLTypes

/// Parquet files of version 1 as UNLOAD writes them: row groups of so many bytes, pages v1 of at most 20,000 rows,
/// dictionaries where they pay, SNAPPY, statistics of each column of a row group.
package struct ParquetFormat: RecordOutputFormat {
    /// Memory of a row group that is being collected; its bytes in the file are about as many.
    package var rowGroupBytes: Int
    package static let defaultRowGroupBytes = 32 << 20

    package init(rowGroupBytes: Int = ParquetFormat.defaultRowGroupBytes) { self.rowGroupBytes = rowGroupBytes }

    package var fileSuffix: String { ".parquet" }
    package var compressesInside: Bool { true }

    package func check(_ columns: [OutputColumn]) throws {
        if columns.isEmpty { throw SQLError(.featureNotSupported, "Parquet files need at least one column") }
        var names: Set<String> = []
        for column in columns where !names.insert(column.name).inserted {
            throw SQLError(
                .duplicateColumn, "column name \"\(column.name)\" is used more than once",
                hint: "Give the columns of a Parquet file different names.")
        }
    }

    package func makeWriter(_ columns: [OutputColumn], to target: any ByteTarget) throws -> any RecordWriter {
        try check(columns)
        return ParquetFileWriter(columns, rowGroupBytes: rowGroupBytes, to: target)
    }
}
