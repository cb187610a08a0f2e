/// A constant as written. Numbers that do not fit 64 bits or have a point or an exponent stay text: the binder
/// knows the wanted type.
public struct Literal: Sendable, Hashable {
    public enum Value: Sendable, Hashable {
        case null
        case boolean(Bool)
        case integer(Int64)
        /// Digits with at most one point, no exponent, no sign.
        case decimal(String)
        /// A number with an exponent.
        case float(String)
        case string(String)
    }
    public let value: Value
    public let position: SourcePosition

    public init(_ value: Value, position: SourcePosition = .unknown) {
        self.value = value
        self.position = position
    }
}

/// `DATE '2020-01-01'`, `TIMESTAMP WITH TIME ZONE '...'`, `float8 'NaN'`.
public struct TypedLiteral: Sendable, Hashable {
    public let type: ParsedTypeName
    public let text: String
    public let textPosition: SourcePosition
    public let position: SourcePosition
}

/// `INTERVAL '1-2' YEAR TO MONTH`, `INTERVAL '3 days'`.
public struct IntervalLiteral: Sendable, Hashable {
    public let text: String
    public let qualifier: IntervalQualifier?
    public let textPosition: SourcePosition
    public let position: SourcePosition
}
