import SQLTypes

/// How UNLOAD writes its files: a checked value, made by ``init(parsing:)`` from what the statement says.
package struct UnloadOptions: Sendable, Hashable {
    package enum Format: String, Sendable, Hashable {
        case text = "TEXT", csv = "CSV", json = "JSON", parquet = "PARQUET"
    }
    package enum Compression: String, Sendable, Hashable {
        case none = "NONE", gzip = "GZIP", bzip2 = "BZIP2", zstd = "ZSTD"

        /// Of file names, with its dot.
        var suffix: String {
            switch self {
            case .none: ""
            case .gzip: ".gz"
            case .bzip2: ".bz2"
            case .zstd: ".zst"
            }
        }
    }
    package enum Manifest: Sendable, Hashable { case none, plain, verbose }

    package var access = StorageAccess()
    package var format = Format.text
    package var delimiter = UInt8(ascii: "|")
    /// FIXEDWIDTH: a width for each column.
    package var fixedFields: [CopyOptions.FixedField]?
    package var addQuotes = false
    package var escape = false
    package var header = false
    /// nil: nothing in delimited text, blanks in fixed-width text.
    package var nullAs: [UInt8]?
    package var compression = Compression.none
    package var manifest = Manifest.none
    package var allowOverwrite = false
    package var cleanPath = false
    /// False for one ordered stream of files.
    package var parallel = true
    /// No file is larger, unless a single row is.
    package var maximumFileBytes = UnloadOptions.largestFile
    /// Uncompressed bytes of a Parquet row group.
    package var rowGroupBytes = 32 << 20
    /// What stands in place of all suffixes of file names.
    package var nameExtension: String?

    package init() {}

    static let smallestFile: Int64 = 5 << 20
    /// 6.2 GB.
    package static let largestFile: Int64 = 6_657_199_308
}
