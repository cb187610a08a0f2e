import SQLTypes

/// How the files of a COPY are read: a checked value, made by ``init(parsing:)`` from what the statement says.
package struct CopyOptions: Sendable, Hashable {
    package enum Layout: Sendable, Hashable {
        /// Fields end at the delimiter, records at a line end.
        case delimited
        /// Fields may stand in quotes, quotes inside are doubled, quoted fields may contain delimiters and line ends.
        case csv(quote: UInt8)
        /// Fields have fixed widths in characters.
        case fixedWidth([FixedField])
        /// JSON objects or arrays.
        case json(FieldMapping)
        case avro(FieldMapping)
        case orc, parquet
    }
    /// One `label:width` of FIXEDWIDTH.
    package struct FixedField: Sendable, Hashable {
        package var label: String
        package var width: Int
        package init(label: String, width: Int) {
            self.label = label
            self.width = width
        }
    }
    package enum Compression: String, Sendable, Hashable {
        case none = "NONE", gzip = "GZIP", zstd = "ZSTD", bzip2 = "BZIP2", lzop = "LZOP"
    }
    package enum Encoding: String, Sendable, Hashable {
        case utf8 = "UTF8", utf16 = "UTF16", utf16LittleEndian = "UTF16LE", utf16BigEndian = "UTF16BE"
        case iso88591 = "ISO88591"
    }
    package enum CompressionUpdate: Sendable, Hashable { case absent, on, off, preset }
    package enum StatisticsUpdate: Sendable, Hashable { case absent, on, off }

    package var access = StorageAccess()
    /// Nested columns become JSON.
    package var serializeToJSON = false
    /// Of text.
    package var layout: Layout = .delimited
    package var delimiter: UInt8 = UInt8(ascii: "|")
    package var compression: Compression = .none
    package var encoding: Encoding = .utf8
    package var escape = false
    package var removeQuotes = false
    package var nullAs: [UInt8] = Array("\\N".utf8)
    package var ignoreHeader = 0
    package var ignoreBlankLines = false
    package var blanksAsNull = false
    package var emptyAsNull = false
    package var fillRecord = false
    package var trimBlanks = false
    package var truncateColumns = false
    package var acceptAnyDate = false
    package var roundDecimals = false
    /// The byte that stands for each byte of an invalid character; nil when such characters are errors.
    package var invalidCharacterReplacement: UInt8?
    package var dateFormat: CopyDatetimeFormat = .standard
    package var timeFormat: CopyDatetimeFormat = .standard
    /// The formats as written, for error messages.
    package var dateFormatText = "YYYY-MM-DD"
    package var timeFormatText = "YYYY-MM-DD HH24:MI:SS"
    package var explicitIDs = false
    package var manifest = false
    package var maxError = 0
    package var ignoreAllErrors = false
    package var noLoad = false
    package var compressionRows: Int?
    package var compressionUpdate: CompressionUpdate = .absent
    package var statisticsUpdate: StatisticsUpdate = .absent
    /// A role or keys were given; nothing on a local disk needs them.
    package var hasAuthorization: Bool { access != StorageAccess() }

    package init() {}

    /// How many bad rows may be skipped.
    package var toleratedErrors: Int { ignoreAllErrors ? .max : maxError }
    package static let maximumErrors = 100_000
}
