/// A type as written. ``ParsedTypeName/resolve()`` gives its `SQLType`.
package struct ParsedTypeName: Sendable, Hashable {
    /// Canonical lower-case words: `varchar`, `character varying`, `timestamp with time zone`, `double precision`.
    package let name: String
    /// Numbers in parentheses; `MAX` is nil.
    package let modifiers: [Int?]
    /// `INTERVAL` only.
    package let intervalQualifier: IntervalQualifier?
    /// `type[]`, or `struct<...>`/`array<...>`/`map<...>` of external tables (then the whole text).
    package let arrayDepth: Int
    package let position: SourcePosition

    package init(
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

extension ParsedTypeName {
    /// REFCURSOR, which procedures take and return: the name of a cursor.
    package var isCursor: Bool { name == "refcursor" && modifiers.isEmpty && arrayDepth == 0 }
}

/// A field of an interval, from the largest to the smallest.
package enum IntervalField: UInt8, Sendable, Hashable, Comparable, CaseIterable {
    case year, month, day, hour, minute, second

    package static func < (left: IntervalField, right: IntervalField) -> Bool { left.rawValue < right.rawValue }
}

/// `YEAR`, `DAY TO SECOND(3)`. A single field has `first == last`.
package struct IntervalQualifier: Sendable, Hashable {
    package let first: IntervalField
    package let last: IntervalField
    /// Fraction digits of SECOND.
    package let precision: Int?

    package init(first: IntervalField, last: IntervalField, precision: Int? = nil) {
        self.first = first
        self.last = last
        self.precision = precision
    }
}
