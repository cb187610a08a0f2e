/// One SQL value outside of a vector: constants, defaults, bounds, results. The type stands beside it, never inside.
/// `==` is the same value to the last bit, as plans need it: 0 and -0 are two. SQL's equality is ``equal(_:_:type:)``.
public enum Datum: Hashable, Sendable {
    case null
    /// BOOLEAN as 0/1, integers, DATE, TIME, TIMETZ, TIMESTAMP(TZ), and DECIMAL of any precision as the unscaled
    /// integer.
    case integer(Int128)
    /// REAL (rounded to Float) and DOUBLE PRECISION.
    case double(Double)
    /// UTF-8 bytes of CHAR (without padding) and VARCHAR.
    case string([UInt8])
    case interval(Interval)

    public static func boolean(_ value: Bool) -> Datum { .integer(value ? 1 : 0) }
    public static func text(_ value: String) -> Datum { .string(Array(value.utf8)) }
    public var isNull: Bool { self == .null }

    public static func == (left: Datum, right: Datum) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let first), .integer(let second)): first == second
        case (.double(let first), .double(let second)): first.bitPattern == second.bitPattern
        case (.string(let first), .string(let second)): first == second
        case (.interval(let first), .interval(let second)): first == second
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.bitPattern)
        case .string(let value): hasher.combine(value)
        case .interval(let value): hasher.combine(value)
        }
    }
}

/// Months and microseconds kept apart: a month has no fixed length, a day is always 24 hours here as in Redshift.
public struct Interval: Hashable, Sendable {
    public var months: Int64
    public var microseconds: Int64
    public init(months: Int64, microseconds: Int64) {
        self.months = months
        self.microseconds = microseconds
    }
    /// The vector form: months in the upper half, microseconds in the lower half.
    @inlinable public var packed: Int128 {
        Int128(months) << 64 | Int128(UInt64(bitPattern: microseconds))
    }
    @inlinable public init(packed: Int128) {
        months = Int64(truncatingIfNeeded: packed >> 64)
        microseconds = Int64(truncatingIfNeeded: packed)
    }
}
