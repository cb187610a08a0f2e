package struct ParameterReference: Sendable, Hashable {
    /// One-based.
    package let number: Int
    package let position: SourcePosition
}

package struct UnaryExpression: Sendable, Hashable {
    package let symbol: UnaryOperator
    package let operand: Expression
    package let position: SourcePosition
}

package struct BinaryExpression: Sendable, Hashable {
    package let symbol: BinaryOperator
    package let left: Expression
    package let right: Expression
    /// Of the operator.
    package let position: SourcePosition
}

package struct LogicalExpression: Sendable, Hashable {
    package let terms: [Expression]
    /// Of the first operator.
    package let position: SourcePosition
}

package struct LikeExpression: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        case like = "LIKE", caseInsensitiveLike = "ILIKE", similarTo = "SIMILAR TO"
    }
    package let kind: Kind
    package let negated: Bool
    package let value: Expression
    package let pattern: Expression
    package let escape: Expression?
    package let position: SourcePosition
}

package struct BetweenExpression: Sendable, Hashable {
    package let value: Expression
    package let low: Expression
    package let high: Expression
    package let negated: Bool
    package let symmetric: Bool
    package let position: SourcePosition
}

package struct InListExpression: Sendable, Hashable {
    package let value: Expression
    package let list: [Expression]
    package let negated: Bool
    package let position: SourcePosition
}

package struct InQueryExpression: Sendable, Hashable {
    package let value: Expression
    package let query: Query
    package let negated: Bool
    package let position: SourcePosition
}

package struct ExistsExpression: Sendable, Hashable {
    package let query: Query
    package let position: SourcePosition
}

package struct QuantifiedExpression: Sendable, Hashable {
    package enum Quantifier: String, Sendable, Hashable { case any = "ANY", all = "ALL" }
    package enum Operand: Sendable, Hashable {
        case query(Query)
        case array(Expression)
    }
    package let value: Expression
    package let symbol: BinaryOperator
    package let quantifier: Quantifier
    package let operand: Operand
    package let position: SourcePosition
}

package struct IsTestExpression: Sendable, Hashable {
    package enum Test: String, Sendable, Hashable {
        case null = "NULL", isTrue = "TRUE", isFalse = "FALSE", unknown = "UNKNOWN"
    }
    package let value: Expression
    package let test: Test
    package let negated: Bool
    package let position: SourcePosition
}

package struct IsDistinctExpression: Sendable, Hashable {
    package let left: Expression
    package let right: Expression
    package let negated: Bool
    package let position: SourcePosition
}

package struct CaseExpression: Sendable, Hashable {
    package struct Branch: Sendable, Hashable {
        package let condition: Expression
        package let result: Expression
    }
    /// `CASE operand WHEN value`: nil in the searched form.
    package let operand: Expression?
    package let branches: [Branch]
    package let otherwise: Expression?
    package let position: SourcePosition
}

package struct CastExpression: Sendable, Hashable {
    package let value: Expression
    package let type: ParsedTypeName
    /// `TRY_CAST`: NULL instead of an error.
    package let nullOnFailure: Bool
    package let position: SourcePosition
}

package struct ExtractExpression: Sendable, Hashable {
    /// The date part; a quoted one (`EXTRACT('year' FROM x)`) is folded as well.
    package let field: Identifier
    package let source: Expression
    package let position: SourcePosition
}

package struct ElementList: Sendable, Hashable {
    package let elements: [Expression]
    package let position: SourcePosition
}

package struct ScalarSubquery: Sendable, Hashable {
    package let query: Query
    package let position: SourcePosition
}

package struct AtTimeZoneExpression: Sendable, Hashable {
    package let value: Expression
    package let zone: Expression
    package let position: SourcePosition
}

package struct NavigationExpression: Sendable, Hashable {
    package enum Step: Sendable, Hashable {
        case field(Identifier)
        case index(Expression)
    }
    package let base: Expression
    package let steps: [Step]
    package var position: SourcePosition { base.position }
}

package struct NamedArgument: Sendable, Hashable {
    package let name: Identifier
    package let value: Expression
}

package struct OuterJoinMark: Sendable, Hashable {
    package let column: Expression
    package let position: SourcePosition
}
