import SQLTypes

/// Binding strength of operators, weakest first, as in PostgreSQL.
enum Precedence {
    static let or = 1, and = 2, not = 3, `is` = 4, comparison = 5, pattern = 6, other = 7, sum = 8
    static let product = 9, power = 10
    static let timeZone = 11, sign = 12
}

/// Operators and predicates.
extension Parser {
    mutating func expression() throws -> Expression { try expression(Precedence.or) }

    /// An expression whose operators bind at least as strongly as `minimum`.
    mutating func expression(_ minimum: Int) throws -> Expression {
        depth += 1
        if depth > SyntaxLimits.nestingDepth { throw tooComplex() }
        let outer = tallest
        tallest = 0
        try budget?.check()
        var left = try operand()
        while let next = try continuation(of: left, minimum) {
            left = next
            try grow()
        }
        tallest = max(outer, tallest)
        depth -= 1
        return left
    }

    /// `left` extended by the operator at the current token; nil when none that binds strongly enough is there.
    private mutating func continuation(of left: Expression, _ minimum: Int) throws -> Expression? {
        if token.kind == .word {
            if at(word: "operator"), peek().kind == .leftParenthesis {
                return minimum <= Precedence.other ? try qualifiedOperator(left) : nil
            }
            return token.keyword == .none ? nil : try wordContinuation(of: left, minimum)
        }
        guard let (symbol, precedence) = Self.binaryOperator(token.kind), precedence >= minimum else { return nil }
        let place = position
        advance()
        return try operation(left, symbol, precedence, place)
    }

    /// `OPERATOR(pg_catalog.~)`, which binds as an operator of no class of its own.
    private mutating func qualifiedOperator(_ left: Expression) throws -> Expression {
        let place = position
        index += 2
        while token.kind == .word || token.kind == .quotedName {
            _ = try label()
            try expect(.dot)
        }
        guard let (symbol, _) = Self.binaryOperator(token.kind) else { throw syntaxError() }
        advance()
        try expect(.rightParenthesis)
        return try operation(left, symbol, Precedence.other, place)
    }

    private mutating func operation(
        _ left: Expression, _ symbol: BinaryOperator, _ precedence: Int, _ place: SourcePosition
    ) throws -> Expression {
        if precedence == Precedence.comparison || precedence == Precedence.other, at(anyOf: .any, .some, .all) {
            return try quantified(left, symbol, place)
        }
        let right = try expression(precedence + 1)
        if let like = symbol.likeKind {
            return .like(
                LikeExpression(
                    kind: like.kind, negated: like.negated, value: left, pattern: right, escape: nil, position: place))
        }
        return .binary(BinaryExpression(symbol: symbol, left: left, right: right, position: place))
    }

    private static func binaryOperator(_ kind: TokenKind) -> (BinaryOperator, Int)? {
        switch kind {
        case .plus: (.add, Precedence.sum)
        case .dash: (.subtract, Precedence.sum)
        case .star: (.multiply, Precedence.product)
        case .slash: (.divide, Precedence.product)
        case .percentSign: (.modulo, Precedence.product)
        case .caret: (.power, Precedence.power)
        case .equal: (.equal, Precedence.comparison)
        case .notEqual: (.notEqual, Precedence.comparison)
        case .less: (.less, Precedence.comparison)
        case .lessOrEqual: (.lessOrEqual, Precedence.comparison)
        case .greater: (.greater, Precedence.comparison)
        case .greaterOrEqual: (.greaterOrEqual, Precedence.comparison)
        case .concatenate: (.concatenate, Precedence.other)
        case .ampersand: (.bitAnd, Precedence.other)
        case .pipe: (.bitOr, Precedence.other)
        case .hash: (.bitXor, Precedence.other)
        case .shiftLeft: (.shiftLeft, Precedence.other)
        case .shiftRight: (.shiftRight, Precedence.other)
        case .tilde: (.matches, Precedence.other)
        case .matchesIgnoringCase: (.matchesIgnoringCase, Precedence.other)
        case .notMatches: (.notMatches, Precedence.other)
        case .notMatchesIgnoringCase: (.notMatchesIgnoringCase, Precedence.other)
        case .likeSign: (.like, Precedence.other)
        case .notLikeSign: (.notLike, Precedence.other)
        case .insensitiveLikeSign: (.caseInsensitiveLike, Precedence.other)
        case .notInsensitiveLikeSign: (.notCaseInsensitiveLike, Precedence.other)
        default: nil
        }
    }

    private mutating func wordContinuation(of left: Expression, _ minimum: Int) throws -> Expression? {
        switch token.keyword {
        case .and where minimum <= Precedence.and: return .and(try logical(left, .and, Precedence.not))
        case .or where minimum <= Precedence.or: return .or(try logical(left, .or, Precedence.and))
        case .is, .isnull, .notnull: return minimum <= Precedence.is ? try isTest(left) : nil
        case .like, .ilike, .similar, .between, .in, .overlaps:
            return minimum <= Precedence.pattern ? try predicate(left, negated: false, position) : nil
        case .not:
            guard minimum <= Precedence.pattern else { return nil }
            switch peek().keyword {
            case .like, .ilike, .similar, .between, .in:
                let place = position
                advance()
                return try predicate(left, negated: true, place)
            default: return nil
            }
        case .at where minimum <= Precedence.timeZone && peek().keyword == .time && peek(2).keyword == .zone:
            let place = position
            index += 3
            let zone = try expression(Precedence.sign)
            return .atTimeZone(AtTimeZoneExpression(value: left, zone: zone, position: place))
        case .collate where matches(peek(), "pg_catalog") || peek().kind == .quotedName:
            // Bytes decide in any case: `COLLATE pg_catalog.default` and `COLLATE "C"` change nothing.
            advance()
            _ = try label()
            if take(.dot) { _ = try label() }
            return left
        default: return nil
        }
    }

    /// A flat chain: 100,000 terms are one node.
    private mutating func logical(
        _ first: Expression, _ keyword: Keyword, _ precedence: Int
    ) throws -> LogicalExpression {
        let place = position
        var terms = [first]
        while take(keyword) { terms.append(try expression(precedence)) }
        return LogicalExpression(terms: terms, position: place)
    }

    private mutating func isTest(_ value: Expression) throws -> Expression {
        let place = position
        if at(.isnull) || at(.notnull) {
            let negated = at(.notnull)
            advance()
            return .isTest(IsTestExpression(value: value, test: .null, negated: negated, position: place))
        }
        try expect(.is)
        let negated = take(.not)
        if take(.distinct, .from) {
            let right = try expression(Precedence.comparison)
            return .isDistinctFrom(IsDistinctExpression(left: value, right: right, negated: negated, position: place))
        }
        let test: IsTestExpression.Test
        switch token.keyword {
        case .null: test = .null
        case .true: test = .isTrue
        case .false: test = .isFalse
        case .unknown: test = .unknown
        default: throw syntaxError()
        }
        advance()
        return .isTest(IsTestExpression(value: value, test: test, negated: negated, position: place))
    }

    /// LIKE, ILIKE, SIMILAR TO, BETWEEN, IN, OVERLAPS behind their left side.
    private mutating func predicate(
        _ value: Expression, negated: Bool, _ place: SourcePosition
    ) throws -> Expression {
        let keyword = token.keyword
        advance()
        switch keyword {
        case .like: return try like(value, .like, negated, place)
        case .ilike: return try like(value, .caseInsensitiveLike, negated, place)
        case .similar:
            try expect(.to)
            return try like(value, .similarTo, negated, place)
        case .between: return try between(value, negated, place)
        case .in: return try inPredicate(value, negated, place)
        default: return try overlaps(value, place)
        }
    }

    private mutating func like(
        _ value: Expression, _ kind: LikeExpression.Kind, _ negated: Bool, _ place: SourcePosition
    ) throws -> Expression {
        if kind != .similarTo, at(anyOf: .any, .some, .all) {
            let symbol: BinaryOperator =
                switch (kind, negated) {
                case (.like, false): .like
                case (.like, true): .notLike
                case (_, false): .caseInsensitiveLike
                case (_, true): .notCaseInsensitiveLike
                }
            return try quantified(value, symbol, place)
        }
        let pattern = try expression(Precedence.other)
        let escape = take(.escape) ? try expression(Precedence.other) : nil
        return .like(
            LikeExpression(
                kind: kind, negated: negated, value: value, pattern: pattern, escape: escape, position: place))
    }

    private mutating func between(_ value: Expression, _ negated: Bool, _ place: SourcePosition) throws -> Expression {
        let symmetric = take(.symmetric)
        if !symmetric { _ = take(word: "asymmetric") }
        let low = try expression(Precedence.other)
        try expect(.and)
        let high = try expression(Precedence.other)
        return .between(
            BetweenExpression(
                value: value, low: low, high: high, negated: negated, symmetric: symmetric, position: place))
    }

    private mutating func inPredicate(
        _ value: Expression, _ negated: Bool, _ place: SourcePosition
    ) throws -> Expression {
        try expect(.leftParenthesis)
        if atQueryStart {
            let query = try query()
            try expect(.rightParenthesis)
            return .inQuery(InQueryExpression(value: value, query: query, negated: negated, position: place))
        }
        var list = [try expression()]
        if case .subquery(let first) = list[0], !at(.comma) {
            let query = atQueryContinuation ? try query(continuing: first.query) : first.query
            try expect(.rightParenthesis)
            return .inQuery(InQueryExpression(value: value, query: query, negated: negated, position: place))
        }
        while take(.comma) { list.append(try expression()) }
        try expect(.rightParenthesis)
        return .inList(InListExpression(value: value, list: list, negated: negated, position: place))
    }

    private mutating func overlaps(_ value: Expression, _ place: SourcePosition) throws -> Expression {
        let right = try expression(Precedence.other)
        guard case .row(let first) = value, case .row(let second) = right else {
            throw SQLError(.syntaxError, "wrong number of parameters on side of OVERLAPS expression", at: place)
        }
        return .function(
            FunctionCall(
                name: ObjectName(Identifier("overlaps", position: place)),
                arguments: first.elements + second.elements, position: place))
    }

    /// `ANY (...)` behind a comparison.
    private mutating func quantified(
        _ value: Expression, _ symbol: BinaryOperator, _ place: SourcePosition
    ) throws -> Expression {
        let quantifier: QuantifiedExpression.Quantifier = at(.all) ? .all : .any
        advance()
        try expect(.leftParenthesis)
        let operand: QuantifiedExpression.Operand
        if atQueryStart {
            operand = .query(try query())
        } else {
            let array = try expression()
            if case .subquery(let first) = array {
                operand = .query(atQueryContinuation ? try query(continuing: first.query) : first.query)
            } else {
                operand = .array(array)
            }
        }
        try expect(.rightParenthesis)
        return .quantified(
            QuantifiedExpression(
                value: value, symbol: symbol, quantifier: quantifier, operand: operand, position: place))
    }

    /// A prefix operator with its operand, or a primary with what may follow it.
    private mutating func operand() throws -> Expression {
        switch token.kind {
        case .dash: return try sign(.minus)
        case .plus: return try sign(.plus)
        case .tilde: return try unary(.bitNot, Precedence.sum)
        case .atSign: return try unary(.absolute, Precedence.sum)
        case .squareRoot: return try unary(.squareRoot, Precedence.sum)
        case .cubeRoot: return try unary(.cubeRoot, Precedence.sum)
        case .word:
            if at(.not) { return try unary(.not, Precedence.not) }
            if at(.prior), peek().kind != .comma, peek().kind != .rightParenthesis, isOperandStart(peek()) {
                return try unary(.prior, Precedence.sign)
            }
        default: break
        }
        return try postfix(try primary())
    }

    private func isOperandStart(_ token: Token) -> Bool {
        token.kind == .quotedName || token.kind == .leftParenthesis || (token.kind == .word && isName(token))
    }

    private mutating func unary(_ symbol: UnaryOperator, _ precedence: Int) throws -> Expression {
        let place = position
        advance()
        let operand = try expression(precedence)
        try grow()
        return .unary(UnaryExpression(symbol: symbol, operand: operand, position: place))
    }

    /// A sign in front of a number belongs to the number: -9223372036854775808 is a BIGINT.
    private mutating func sign(_ symbol: UnaryOperator) throws -> Expression {
        let place = position
        advance()
        let isNumber = at(.integer) || at(.decimal) || at(.float)
        let operand = try expression(Precedence.sign)
        if symbol == .minus, isNumber, case .literal(let literal) = operand, let value = literal.value.negated {
            return .literal(Literal(value, position: place))
        }
        try grow()
        return .unary(UnaryExpression(symbol: symbol, operand: operand, position: place))
    }
}

extension Literal.Value {
    /// The number with a minus sign; nil for what has a sign already or is no number.
    var negated: Literal.Value? {
        switch self {
        case .integer(let value) where value >= 0: return .integer(-value)
        case .decimal("9223372036854775808"): return .integer(.min)
        case .decimal(let text) where !text.hasPrefix("-"): return .decimal("-" + text)
        case .float(let text) where !text.hasPrefix("-"): return .float("-" + text)
        default: return nil
        }
    }
}
