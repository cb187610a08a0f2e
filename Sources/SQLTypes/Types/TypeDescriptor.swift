/// What the parts of the program ask of a type and that is a fact, in one place: its names, modifiers, limits, forms on
/// the wire, in files and in catalogs. Parser, binder, optimizer, store, COPY, PGWire and the system relations read it.
/// One value a type, made once; each stands in the file of its family beside this one.
///
/// What values *do* is code: text forms in ``ValueText``, conversions in ``CastRules`` and `Datum.cast`, functions in
/// the function table and its kernels.
package final class TypeDescriptor: Sendable {
    /// The type without written modifiers; stands for all of them in lists of casts and functions.
    package let standard: SQLType
    package let family: TypeFamily
    /// As messages and `format_type` write it, without modifiers: `character varying`.
    package let title: String
    /// As DDL spells it: `VARCHAR`.
    package let keyword: String
    /// `pg_type.typname`: `varchar`.
    package let catalogName: String
    /// What statements may call it, in lower case.
    package let names: [String]
    package let modifiers: TypeModifiers
    package let oid: Int32
    /// Bytes on the wire; -1: varying, -2: zero-terminated.
    package let wireSize: Int16
    package let binary: BinaryForm
    /// Fixed for ever: the tag in stored catalogs.
    package let storedTag: UInt8
    /// As STL_LOAD_ERRORS names it, and as its reasons do ("Invalid digit, Value 'a', Pos 0, Type: Integer").
    package let loadName: String
    package let reasonName: String
    /// Redshift's table of encodings and types, besides AUTO and RAW.
    package let encodings: [ColumnEncoding]
    /// Every value of the integer form; nil where the modifiers say, or where there is none.
    package let range: ClosedRange<Int128>?
    /// Bits of the integers and floats, for information_schema.
    package let numericPrecision: Int?
    /// The most bytes of a value's text, and the usual bytes of a value; nil where the modifiers say.
    package let textBytes: Int?
    package let usualBytes: Double?

    init(
        _ standard: SQLType, _ family: TypeFamily, title: String, keyword: String, catalogName: String,
        names: [String], modifiers: TypeModifiers = .none, oid: Int32, wireSize: Int16, binary: BinaryForm,
        storedTag: UInt8, loadName: String, reasonName: String? = nil, encodings: [ColumnEncoding],
        range: ClosedRange<Int128>? = nil, numericPrecision: Int? = nil, textBytes: Int? = nil,
        usualBytes: Double? = nil
    ) {
        self.standard = standard
        self.family = family
        self.title = title
        self.keyword = keyword
        self.catalogName = catalogName
        self.names = names
        self.modifiers = modifiers
        self.oid = oid
        self.wireSize = wireSize
        self.binary = binary
        self.storedTag = storedTag
        self.loadName = loadName
        self.reasonName = reasonName ?? loadName
        self.encodings = encodings
        self.range = range
        self.numericPrecision = numericPrecision
        self.textBytes = textBytes
        self.usualBytes = usualBytes
    }

    /// In the order of the stored tags.
    package static let all: [TypeDescriptor] = [
        boolean, smallint, integer, bigint, decimal, real, double, char, varchar, date, time, timetz, timestamp,
        timestamptz, interval, unknown, varbyte, yearMonthInterval, dayTimeInterval,
        semistructured, hllsketch,
    ]
    private static let byName = Dictionary(
        all.flatMap { type in type.names.map { ($0, type) } }, uniquingKeysWith: { first, _ in first })
    private static let byOID = Dictionary(all.map { ($0.oid, $0) }, uniquingKeysWith: { first, _ in first })

    package static func named(_ name: String) -> TypeDescriptor? { byName[name] }
    package static func withOID(_ oid: Int32) -> TypeDescriptor? { byOID[oid] }
    package static func stored(_ tag: UInt8) -> TypeDescriptor? {
        Int(tag) < all.count ? all[Int(tag)] : nil
    }
}

/// What may stand in parentheses behind a type's name.
package enum TypeModifiers: Sendable {
    case none
    /// Digits of the second's fraction: accepted, without effect.
    case fraction
    case precisionAndScale
    /// Words behind INTERVAL.
    case intervalFields
    /// In bytes. `standard` for a column without one.
    case length(standard: Int, maximum: Int, make: @Sendable (Int) -> SQLType)
}

/// Families of types between which conversions and comparisons have the same rules.
package enum TypeFamily: Sendable, Hashable {
    case boolean, integer, decimal, float, char, varchar, bytes, interval, yearMonthInterval, dayTimeInterval, unknown
    case date, time, timetz, timestamp, timestamptz, semistructured, hllsketch

    /// Equal values are the same in every respect: not so with trailing blanks, both zeros, zones of times, and months
    /// of 30 days.
    package var equalIsSame: Bool {
        switch self {
        case .boolean, .integer, .decimal, .bytes, .date, .time, .timestamp, .timestamptz, .yearMonthInterval,
            .dayTimeInterval:
            true
        case .float, .char, .varchar, .unknown, .timetz, .interval, .semistructured, .hllsketch: false
        }
    }

    /// Columns may be distribution and sort keys.
    package var canBeKey: Bool {
        switch self {
        case .bytes, .interval, .yearMonthInterval, .dayTimeInterval, .semistructured, .hllsketch: false
        default: true
        }
    }

    /// Values are strings in vectors, but no texts: trailing blanks count, and nothing may be read as UTF-8.
    package var isBinaryString: Bool { self == .bytes || self == .semistructured || self == .hllsketch }

    /// Values can be equal, and one less than another.
    package var isComparable: Bool { self != .hllsketch }

    /// Families whose values mean the same when they stand in the same form (decimals: of one scale).
    package var comparison: TypeFamily {
        switch self {
        case .decimal: .integer
        case .char, .unknown: .varchar
        default: self
        }
    }
}

/// Values in the binary format of the wire protocol.
package enum BinaryForm: Sendable, Hashable {
    case boolean, int16, int32, int64, float32, float64, numeric
    case date, time, timestamp, timeWithZone, interval
    case text, paddedText, bytes
    /// JSON text.
    case document
    /// The text of HLLSKETCH.
    case sketch
}
