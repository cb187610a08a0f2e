/// A type as written. ``ParsedTypeName/resolve()`` gives its `SQLType`.
public struct ParsedTypeName: Sendable, Hashable {
    /// Canonical lower-case words: `varchar`, `character varying`, `timestamp with time zone`, `double precision`.
    public let name: String
    /// Numbers in parentheses; `MAX` is nil.
    public let modifiers: [Int?]
    /// `INTERVAL` only.
    public let intervalQualifier: IntervalQualifier?
    /// `type[]`, or `struct<...>`/`array<...>`/`map<...>` of external tables (then the whole text).
    public let arrayDepth: Int
    public let position: SourcePosition

    public init(
        name: String, modifiers: [Int?] = [], intervalQualifier: IntervalQualifier? = nil, arrayDepth: Int = 0,
        position: SourcePosition = .unknown
    ) {
        self.name = name
        self.modifiers = modifiers
        self.intervalQualifier = intervalQualifier
        self.arrayDepth = arrayDepth
        self.position = position
    }
}

/// A field of an interval, from the largest to the smallest.
public enum IntervalField: UInt8, Sendable, Hashable, Comparable, CaseIterable {
    case year, month, day, hour, minute, second

    public static func < (left: IntervalField, right: IntervalField) -> Bool { left.rawValue < right.rawValue }
}

/// `YEAR`, `DAY TO SECOND(3)`. A single field has `first == last`.
public struct IntervalQualifier: Sendable, Hashable {
    public let first: IntervalField
    public let last: IntervalField
    /// Fraction digits of SECOND.
    public let precision: Int?

    public init(first: IntervalField, last: IntervalField, precision: Int? = nil) {
        self.first = first
        self.last = last
        self.precision = precision
    }
}
