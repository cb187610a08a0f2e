/// A constant as written. Numbers that do not fit 64 bits or have a point or an exponent stay text: the binder
/// knows the wanted type.
package struct Literal: Sendable, Hashable {
    package enum Value: Sendable, Hashable {
        case null
        case boolean(Bool)
        case integer(Int64)
        /// Digits with at most one point, no exponent, no sign.
        case decimal(String)
        /// A number with an exponent.
        case float(String)
        case string(String)
    }
    package let value: Value
    package let position: SourcePosition

    package init(_ value: Value, position: SourcePosition = .unknown) {
        self.value = value
        self.position = position
    }
}

/// `DATE '2020-01-01'`, `TIMESTAMP WITH TIME ZONE '...'`, `float8 'NaN'`.
package struct TypedLiteral: Sendable, Hashable {
    package let type: ParsedTypeName
    package let text: String
    package let textPosition: SourcePosition
    package let position: SourcePosition
}

/// `INTERVAL '1-2' YEAR TO MONTH`, `INTERVAL '3 days'`.
package struct IntervalLiteral: Sendable, Hashable {
    package let text: String
    package let qualifier: IntervalQualifier?
    package let textPosition: SourcePosition
    package let position: SourcePosition
}
