public struct ParameterReference: Sendable, Hashable {
    /// One-based.
    public let number: Int
    public let position: SourcePosition
}

public struct UnaryExpression: Sendable, Hashable {
    public let symbol: UnaryOperator
    public let operand: Expression
    public let position: SourcePosition
}

public struct BinaryExpression: Sendable, Hashable {
    public let symbol: BinaryOperator
    public let left: Expression
    public let right: Expression
    /// Of the operator.
    public let position: SourcePosition
}

public struct LogicalExpression: Sendable, Hashable {
    public let terms: [Expression]
    /// Of the first operator.
    public let position: SourcePosition
}

public struct LikeExpression: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable {
        case like = "LIKE", caseInsensitiveLike = "ILIKE", similarTo = "SIMILAR TO"
    }
    public let kind: Kind
    public let negated: Bool
    public let value: Expression
    public let pattern: Expression
    public let escape: Expression?
    public let position: SourcePosition
}

public struct BetweenExpression: Sendable, Hashable {
    public let value: Expression
    public let low: Expression
    public let high: Expression
    public let negated: Bool
    public let symmetric: Bool
    public let position: SourcePosition
}

public struct InListExpression: Sendable, Hashable {
    public let value: Expression
    public let list: [Expression]
    public let negated: Bool
    public let position: SourcePosition
}

public struct InQueryExpression: Sendable, Hashable {
    public let value: Expression
    public let query: Query
    public let negated: Bool
    public let position: SourcePosition
}

public struct ExistsExpression: Sendable, Hashable {
    public let query: Query
    public let position: SourcePosition
}

public struct QuantifiedExpression: Sendable, Hashable {
    public enum Quantifier: String, Sendable, Hashable { case any = "ANY", all = "ALL" }
    public enum Operand: Sendable, Hashable {
        case query(Query)
        case array(Expression)
    }
    public let value: Expression
    public let symbol: BinaryOperator
    public let quantifier: Quantifier
    public let operand: Operand
    public let position: SourcePosition
}

public struct IsTestExpression: Sendable, Hashable {
    public enum Test: String, Sendable, Hashable {
        case null = "NULL", isTrue = "TRUE", isFalse = "FALSE", unknown = "UNKNOWN"
    }
    public let value: Expression
    public let test: Test
    public let negated: Bool
    public let position: SourcePosition
}

public struct IsDistinctExpression: Sendable, Hashable {
    public let left: Expression
    public let right: Expression
    public let negated: Bool
    public let position: SourcePosition
}

public struct CaseExpression: Sendable, Hashable {
    public struct Branch: Sendable, Hashable {
        public let condition: Expression
        public let result: Expression
    }
    /// `CASE operand WHEN value`: nil in the searched form.
    public let operand: Expression?
    public let branches: [Branch]
    public let otherwise: Expression?
    public let position: SourcePosition
}

public struct CastExpression: Sendable, Hashable {
    public let value: Expression
    public let type: ParsedTypeName
    /// `TRY_CAST`: NULL instead of an error.
    public let nullOnFailure: Bool
    public let position: SourcePosition
}

public struct ExtractExpression: Sendable, Hashable {
    /// The date part; a quoted one (`EXTRACT('year' FROM x)`) is folded as well.
    public let field: Identifier
    public let source: Expression
    public let position: SourcePosition
}

public struct ElementList: Sendable, Hashable {
    public let elements: [Expression]
    public let position: SourcePosition
}

public struct ScalarSubquery: Sendable, Hashable {
    public let query: Query
    public let position: SourcePosition
}

public struct AtTimeZoneExpression: Sendable, Hashable {
    public let value: Expression
    public let zone: Expression
    public let position: SourcePosition
}

public struct NavigationExpression: Sendable, Hashable {
    public enum Step: Sendable, Hashable {
        case field(Identifier)
        case index(Expression)
    }
    public let base: Expression
    public let steps: [Step]
    public var position: SourcePosition { base.position }
}

public struct NamedArgument: Sendable, Hashable {
    public let name: Identifier
    public let value: Expression
}

public struct OuterJoinMark: Sendable, Hashable {
    public let column: Expression
    public let position: SourcePosition
}
