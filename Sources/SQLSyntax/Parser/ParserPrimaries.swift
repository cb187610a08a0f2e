import SQLTypes

/// Literals, names, parentheses, and what follows a primary.
extension Parser {
    mutating func primary() throws -> Expression {
        let place = position
        switch token.kind {
        case .integer, .decimal, .float: return .literal(Literal(numberValue(), position: place))
        case .string, .backslashString, .escapeString, .dollarString:
            return .literal(Literal(.string(try stringLiteral()), position: place))
        case .parameter: return .parameter(try parameter())
        case .leftParenthesis: return try parenthesized()
        case .quotedName: return try nameOrCall()
        case .word: return token.keyword == .none ? try nameOrCall() : try keywordPrimary()
        default: throw syntaxError()
        }
    }

    private mutating func numberValue() -> Literal.Value {
        let kind = token.kind
        let text = TokenText.raw(bytes, token)
        advance()
        switch kind {
        case .integer: return Int64(text).map(Literal.Value.integer) ?? .decimal(text)
        case .decimal: return .decimal(text)
        default: return .float(text)
        }
    }

    private mutating func parameter() throws -> ParameterReference {
        let place = position
        let digits = TokenText.raw(bytes, token).dropFirst()
        guard let number = Int(digits), number >= 1, number <= SyntaxLimits.parameterNumber else {
            throw SQLError(.undefinedParameter, "there is no parameter $\(digits)", at: place)
        }
        advance()
        let parameter = try argument(number, at: place)
        highestParameter = max(highestParameter, parameter)
        return ParameterReference(number: parameter, position: place)
    }

    /// A subquery, a row, or an expression in parentheses.
    private mutating func parenthesized() throws -> Expression {
        let place = position
        advance()
        if atQueryStart {
            let query = try query()
            try expect(.rightParenthesis)
            return .subquery(ScalarSubquery(query: query, position: place))
        }
        let first = try expression()
        if at(.comma) {
            var elements = [first]
            while take(.comma) { elements.append(try expression()) }
            try expect(.rightParenthesis)
            try grow()
            return .row(ElementList(elements: elements, position: place))
        }
        if case .subquery(let inner) = first, atQueryContinuation {
            let query = try query(continuing: inner.query)
            try expect(.rightParenthesis)
            return .subquery(ScalarSubquery(query: query, position: place))
        }
        try expect(.rightParenthesis)
        return first
    }

    /// `::type`, `[index]`, `.field`, `(+)`.
    mutating func postfix(_ primary: Expression) throws -> Expression {
        var result = primary
        while true {
            switch token.kind {
            case .doubleColon:
                let place = position
                advance()
                let type = try typeName()
                result = .cast(CastExpression(value: result, type: type, nullOnFailure: false, position: place))
            case .leftBracket: result = try navigation(result)
            case .dot where isNavigable(result) && isName(part: peek()): result = try navigation(result)
            case .leftParenthesis where peek().kind == .plus && peek(2).kind == .rightParenthesis:
                guard case .name = result else { return result }
                let place = position
                index += 3
                result = .outerJoinMark(OuterJoinMark(column: result, position: place))
            default: return result
            }
            try grow()
        }
    }

    private func isNavigable(_ expression: Expression) -> Bool {
        switch expression {
        case .literal, .typedLiteral, .interval: false
        default: true
        }
    }

    private func isName(part token: Token) -> Bool { token.kind == .word || token.kind == .quotedName }

    private mutating func navigation(_ base: Expression) throws -> Expression {
        var steps: [NavigationExpression.Step] = []
        while true {
            if take(.leftBracket) {
                steps.append(.index(try expression()))
                try expect(.rightBracket)
            } else if at(.dot), isName(part: peek()) {
                advance()
                steps.append(.field(try label()))
            } else {
                return .navigation(NavigationExpression(base: base, steps: steps))
            }
        }
    }

    /// A column, a function call, or `type 'literal'`.
    private mutating func nameOrCall() throws -> Expression {
        if peek().kind.isQuotedString, at(.word) { return try typedLiteral() }
        if at(word: "double"), peek().keyword == .precision { return try typedLiteral() }
        let start = position
        var parts = [try label()]
        while at(.dot), peek().kind == .word || peek().kind == .quotedName {
            advance()
            parts.append(try label())
        }
        let name = ObjectName(parts: parts)
        if at(.leftParenthesis), !(peek().kind == .plus && peek(2).kind == .rightParenthesis) {
            return .function(try functionCall(name, form: .call, start))
        }
        return variable(name) ?? .name(name)
    }

    private mutating func typedLiteral() throws -> Expression {
        let place = position
        let type = try typeName()
        let textPlace = position
        let text = try stringLiteral()
        return .typedLiteral(TypedLiteral(type: type, text: text, textPosition: textPlace, position: place))
    }

    private mutating func keywordPrimary() throws -> Expression {
        let place = position
        switch token.keyword {
        case .null: return literal(.null)
        case .true: return literal(.boolean(true))
        case .false: return literal(.boolean(false))
        case .default:
            advance()
            return .defaultKeyword(place)
        case .interval: return try intervalLiteral()
        case .case: return try caseExpression()
        case .current_date, .current_time, .current_timestamp, .current_user, .current_user_id, .session_user, .user,
            .sysdate, .localtime, .localtimestamp:
            return try niladic()
        case .time, .timestamp, .timetz, .timestamptz:
            if let literal = try datetimeLiteral() { return literal }
        case .array: return try array()
        case .not: throw syntaxError()
        default:
            if peek().kind == .leftParenthesis, let special = try specialCall() { return special }
        }
        if at(.approximate), peek().kind == .word {
            advance()
            let name = try objectName()
            return .function(try functionCall(name, form: .approximate, place))
        }
        // COLLATE is reserved, and a function all the same.
        let isFunction = at(.functionName) || token.keyword == .collate
        if isFunction, peek().kind == .leftParenthesis { return try nameOrCall() }
        // TIMESTAMP is reserved, and a column of system tables all the same.
        guard atName || token.keyword == .timestamp else { throw syntaxError() }
        return try nameOrCall()
    }

    private func at(_ category: Keyword.Category) -> Bool { token.keyword.category == category }

    private mutating func literal(_ value: Literal.Value) -> Expression {
        let place = position
        advance()
        return .literal(Literal(value, position: place))
    }

    private mutating func niladic() throws -> Expression {
        let name = ObjectName(try label())
        var arguments: [Expression] = []
        if at(.leftParenthesis), peek().kind == .rightParenthesis {
            index += 2
        } else if at(.leftParenthesis), peek().kind == .integer, peek(2).kind == .rightParenthesis {
            advance()
            arguments = [.literal(Literal(numberValue(), position: position))]
            advance()
        }
        return .function(
            FunctionCall(name: name, arguments: arguments, form: .niladic, position: name.position))
    }

    /// TIME and TIMESTAMP in front of a string; nil when something else follows.
    private mutating func datetimeLiteral() throws -> Expression? {
        let start = index
        let place = position
        switch peek().kind {
        case .string, .backslashString, .escapeString: return try typedLiteral()
        case .word where peek().keyword == .with || peek().keyword == .without: return try typedLiteral()
        case .leftParenthesis where peek(2).kind == .integer && peek(3).kind == .rightParenthesis:
            let type = try typeName()
            if token.kind.isQuotedString {
                let textPlace = position
                let text = try stringLiteral()
                return .typedLiteral(TypedLiteral(type: type, text: text, textPosition: textPlace, position: place))
            }
            index = start
        default: break
        }
        // `time(x)`, `timestamp(x)` as casts written like calls.
        guard peek().kind == .leftParenthesis else { return nil }
        let name = ObjectName(try label())
        return .function(try functionCall(name, form: .call, place))
    }

    private mutating func intervalLiteral() throws -> Expression {
        let place = position
        try expect(.interval)
        var qualifier = try intervalQualifier()
        let textPlace = position
        let text = try stringLiteral()
        if qualifier == nil { qualifier = try intervalQualifier() }
        return .interval(
            IntervalLiteral(text: text, qualifier: qualifier, textPosition: textPlace, position: place))
    }

    private mutating func array() throws -> Expression {
        let place = position
        let name = ObjectName(try label())
        if at(.leftParenthesis) {
            guard [.select, .with, .values].contains(peek().keyword) else {
                return .function(try functionCall(name, form: .call, place))
            }
            // ARRAY(query): a call whose one argument is the query.
            advance()
            let subquery = ScalarSubquery(query: try query(), position: place)
            try expect(.rightParenthesis)
            return .function(FunctionCall(name: name, arguments: [.subquery(subquery)], position: place))
        }
        try expect(.leftBracket)
        let elements = at(.rightBracket) ? [] : try list { try $0.expression() }
        try expect(.rightBracket)
        try grow()
        return .array(ElementList(elements: elements, position: place))
    }

    private mutating func caseExpression() throws -> Expression {
        let place = position
        try expect(.case)
        let operand = at(.when) ? nil : try expression()
        var branches: [CaseExpression.Branch] = []
        while take(.when) {
            let condition = try expression()
            try expect(.then)
            branches.append(CaseExpression.Branch(condition: condition, result: try expression()))
        }
        if branches.isEmpty { throw syntaxError(expecting: .when) }
        let otherwise = take(.else) ? try expression() : nil
        try expect(.end)
        try grow()
        return .caseWhen(
            CaseExpression(operand: operand, branches: branches, otherwise: otherwise, position: place))
    }
}
