/// What a Parquet file may claim. Every count and size that a file states is checked against these, and against the
/// bytes that are there, before memory is taken for it.
enum ParquetLimits {
    static let footerBytes = 64 << 20
    static let schemaElements = 100_000
    static let schemaDepth = 64
    static let rowGroups = 1 << 20
    /// Of all row groups.
    static let columnChunks = 2 << 20
    /// Nesting of Thrift structures and lists.
    static let thriftDepth = 64
    /// A header may hold statistics with long strings.
    static let pageHeaderBytes = 16 << 20
    static let pageBytes = 512 << 20
    /// Strings that DELTA_BYTE_ARRAY builds for one step of rows.
    static let builtStringBytes = 640 << 20
    static let miniblockValues = 1 << 16
    static let fixedLength = 1 << 20

    /// Rows that are read at a time. Selections of rows have 16 bits.
    static let stepRows = 8192
    /// Bytes of a column chunk that are read at a time.
    static let windowBytes = 1 << 20
}

/// Bytes that are not what the format says. Becomes an error with the file's and the column's names.
struct ParquetDamage: Error, Hashable {
    var reason: String
    init(_ reason: String) { self.reason = reason }

    static let truncated = ParquetDamage("unexpected end of data")
}
