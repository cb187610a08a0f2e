/// A logical SQL type with its modifiers. Values of every type have one canonical in-memory form, see ``PhysicalType``.
public enum SQLType: Hashable, Sendable {
    case boolean
    case smallint
    case integer
    case bigint
    /// Precision 1...38, scale 0...38. The value is the unscaled integer.
    case decimal(precision: Int, scale: Int)
    case real
    case double
    /// Length in bytes. Stored without its trailing blanks.
    case char(Int)
    /// Length in bytes.
    case varchar(Int)
    /// Length in bytes. Any bytes; all of them count in comparisons.
    case varbyte(Int)
    /// SUPER: JSON values in the form of ``SuperForm``.
    case semistructured
    /// HLLSKETCH: a HyperLogLog sketch in the form of ``HLLForm``.
    case hllsketch
    /// Days since 1970-01-01.
    case date
    /// Microseconds since midnight.
    case time
    /// Microseconds since midnight UTC in the upper bits, zone offset in minutes + 2048 in the low 12 bits.
    case timetz
    /// Microseconds since 1970-01-01 00:00:00.
    case timestamp
    /// Microseconds since 1970-01-01 00:00:00 UTC.
    case timestamptz
    /// Months in the upper 64 bits, microseconds in the lower 64 bits of an Int128, see ``Interval``.
    case interval
    /// Months: INTERVAL YEAR TO MONTH and its parts.
    case yearMonthInterval(IntervalFields)
    /// Microseconds: INTERVAL DAY TO SECOND and its parts.
    case dayTimeInterval(IntervalFields)
    /// An untyped literal or NULL whose type the context decides.
    case unknown

    public static let defaultDecimal = SQLType.decimal(precision: 18, scale: 0)
    public static let text = SQLType.varchar(256)
    public static let maximumVarcharLength = 65_535
    public static let maximumCharLength = 4_096
    public static let maximumVarbyteLength = 1_024_000
    public static let maximumPrecision = 38

    /// How a vector holds the values when no narrower form is proved.
    public var physical: PhysicalType {
        switch self {
        case .boolean: .uint8
        case .smallint, .integer, .date, .yearMonthInterval: .int32
        case .bigint, .time, .timetz, .timestamp, .timestamptz, .dayTimeInterval: .int64
        case .decimal(let precision, _): precision <= 18 ? .int64 : .int128
        case .real, .double: .float64
        case .char, .varchar, .varbyte, .semistructured, .hllsketch, .unknown: .string
        case .interval: .int128
        }
    }

    public var isInteger: Bool {
        switch self {
        case .smallint, .integer, .bigint: true
        default: false
        }
    }
    public var isDecimal: Bool { if case .decimal = self { true } else { false } }
    public var isFloat: Bool { self == .real || self == .double }
    public var isNumeric: Bool { isInteger || isDecimal || isFloat }
    public var isString: Bool {
        switch self {
        case .char, .varchar: true
        default: false
        }
    }
    public var isDatetime: Bool {
        switch self {
        case .date, .time, .timetz, .timestamp, .timestamptz: true
        default: false
        }
    }
    /// As ``TypeFamily/isBinaryString``, for those who ask row by row.
    package var isBinaryString: Bool {
        switch self {
        case .varbyte, .semistructured, .hllsketch: true
        default: false
        }
    }
    public var scale: Int { if case .decimal(_, let scale) = self { scale } else { 0 } }
}

/// The form of values in a register or a column. Integers may sit in any integer form that holds their bounds.
@frozen
public enum PhysicalType: UInt8, Sendable, Hashable {
    case uint8
    case uint16
    case int32
    case int64
    case int128
    case float64
    /// A ``StringView`` of 16 bytes.
    case string

    @inlinable public var byteWidth: Int {
        switch self {
        case .uint8: 1
        case .uint16: 2
        case .int32: 4
        case .int64, .float64: 8
        case .int128, .string: 16
        }
    }
    @inlinable public var isInteger: Bool { rawValue <= PhysicalType.int128.rawValue }
}
