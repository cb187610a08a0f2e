import SQLTypes

/// How the files of a COPY are read: a checked value, made by ``init(parsing:)`` from what the statement says.
public struct CopyOptions: Sendable, Hashable {
    public enum Layout: Sendable, Hashable {
        /// Fields end at the delimiter, records at a line end.
        case delimited
        /// Fields may stand in quotes, quotes inside are doubled, quoted fields may contain delimiters and line ends.
        case csv(quote: UInt8)
        /// Fields have fixed widths in characters.
        case fixedWidth([FixedField])
    }
    /// One `label:width` of FIXEDWIDTH.
    public struct FixedField: Sendable, Hashable {
        public var label: String
        public var width: Int
        public init(label: String, width: Int) {
            self.label = label
            self.width = width
        }
    }
    public enum Compression: String, Sendable, Hashable { case none = "NONE", gzip = "GZIP", zstd = "ZSTD" }
    public enum Encoding: String, Sendable, Hashable {
        case utf8 = "UTF8", utf16 = "UTF16", utf16LittleEndian = "UTF16LE", utf16BigEndian = "UTF16BE"
        case iso88591 = "ISO88591"
    }
    public enum CompressionUpdate: Sendable, Hashable { case absent, on, off, preset }
    public enum StatisticsUpdate: Sendable, Hashable { case absent, on, off }

    public var layout: Layout = .delimited
    public var delimiter: UInt8 = UInt8(ascii: "|")
    public var compression: Compression = .none
    public var encoding: Encoding = .utf8
    public var escape = false
    public var removeQuotes = false
    public var nullAs: [UInt8] = Array("\\N".utf8)
    public var ignoreHeader = 0
    public var ignoreBlankLines = false
    public var blanksAsNull = false
    public var emptyAsNull = false
    public var fillRecord = false
    public var trimBlanks = false
    public var truncateColumns = false
    public var acceptAnyDate = false
    public var roundDecimals = false
    /// The byte that stands for each byte of an invalid character; nil when such characters are errors.
    public var invalidCharacterReplacement: UInt8?
    public var dateFormat: CopyDatetimeFormat = .standard
    public var timeFormat: CopyDatetimeFormat = .standard
    /// The formats as written, for error messages.
    public var dateFormatText = "YYYY-MM-DD"
    public var timeFormatText = "YYYY-MM-DD HH24:MI:SS"
    public var explicitIDs = false
    public var manifest = false
    public var maxError = 0
    public var ignoreAllErrors = false
    public var noLoad = false
    public var compressionRows: Int?
    public var compressionUpdate: CompressionUpdate = .absent
    public var statisticsUpdate: StatisticsUpdate = .absent
    /// A role or keys were given; nothing on a local disk needs them.
    public var hasAuthorization = false

    public init() {}

    /// How many bad rows may be skipped.
    public var toleratedErrors: Int { ignoreAllErrors ? .max : maxError }
    public static let maximumErrors = 100_000
}
