/// Expressions. Every node knows its precedence; a node that binds weaker than its place asks gets parentheses.
extension SQLPrinter {
    mutating func write(_ expression: Expression, _ minimum: Int = Precedence.or) {
        let needsParentheses = Self.precedence(expression) < minimum
        if needsParentheses { text += "(" }
        writeBare(expression)
        if needsParentheses { text += ")" }
    }

    mutating func write(_ expressions: [Expression]) { list(expressions) { $0.write($1) } }

    private static let primary = 13

    static func precedence(_ expression: Expression) -> Int {
        switch expression {
        case .or: Precedence.or
        case .and: Precedence.and
        case .isTest, .isDistinctFrom: Precedence.is
        case .like, .between, .inList, .inQuery: Precedence.pattern
        case .quantified(let node): precedence(node.symbol)
        case .binary(let node): precedence(node.symbol)
        case .unary(let node): precedence(node.symbol)
        case .atTimeZone: Precedence.timeZone
        case .literal(let literal): literal.isNegative ? Precedence.sign : primary
        case .function(let call): call.name.name == "overlaps" ? Precedence.pattern : primary
        default: primary
        }
    }

    private static func precedence(_ symbol: UnaryOperator) -> Int {
        switch symbol {
        case .not: Precedence.not
        case .plus, .minus, .prior: Precedence.sign
        case .bitNot, .absolute, .squareRoot, .cubeRoot: Precedence.other
        }
    }

    static func precedence(_ symbol: BinaryOperator) -> Int {
        switch symbol {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: Precedence.comparison
        case .add, .subtract: Precedence.sum
        case .multiply, .divide, .modulo: Precedence.product
        case .power: Precedence.power
        case .like, .notLike, .caseInsensitiveLike, .notCaseInsensitiveLike: Precedence.pattern
        default: Precedence.other
        }
    }

    private mutating func writeBare(_ expression: Expression) {
        switch expression {
        case .literal(let node): write(node)
        case .typedLiteral(let node):
            write(node.type)
            text += " " + Self.literal(node.text)
        case .interval(let node): write(node)
        case .name(let node): write(node)
        case .parameter(let node): text += "$\(node.number)"
        case .unary(let node): write(node)
        case .binary(let node): write(node)
        case .and(let node): chain(node.terms, " AND ", Precedence.not)
        case .or(let node): chain(node.terms, " OR ", Precedence.and)
        case .quantified(let node): write(node)
        case .function(let node): write(node)
        case .caseWhen(let node): write(node)
        case .cast(let node):
            text += node.nullOnFailure ? "TRY_CAST(" : "CAST("
            write(node.value)
            text += " AS "
            write(node.type)
            text += ")"
        case .extract(let node):
            text += "EXTRACT("
            write(node.field)
            text += " FROM "
            write(node.source)
            text += ")"
        default: writeOther(expression)
        }
    }

    private mutating func writeOther(_ expression: Expression) {
        switch expression {
        case .row(let node): bracketed("ROW(", node.elements, ")")
        case .array(let node): bracketed("ARRAY[", node.elements, "]")
        case .subquery(let node): subquery("", node.query)
        case .exists(let node): subquery("EXISTS ", node.query)
        case .atTimeZone(let node):
            write(node.value, Precedence.timeZone)
            text += " AT TIME ZONE "
            write(node.zone, Precedence.sign)
        case .navigation(let node): write(node)
        case .namedArgument(let node):
            write(node.name)
            text += " => "
            write(node.value)
        case .outerJoinMark(let node):
            write(node.column, Self.primary)
            text += " (+)"
        case .defaultKeyword: text += "DEFAULT"
        default: writePredicate(expression)
        }
    }

    private mutating func writePredicate(_ expression: Expression) {
        switch expression {
        case .like(let node): write(node)
        case .between(let node): write(node)
        case .inList(let node):
            write(node.value, Precedence.pattern)
            text += node.negated ? " NOT IN (" : " IN ("
            // A lone subquery in the list would read back as IN (query).
            write(node.list)
            text += ")"
        case .inQuery(let node):
            write(node.value, Precedence.pattern)
            subquery(node.negated ? " NOT IN " : " IN ", node.query)
        case .isTest(let node):
            write(node.value, Precedence.is)
            text += node.negated ? " IS NOT " : " IS "
            text += node.test.rawValue
        case .isDistinctFrom(let node):
            write(node.left, Precedence.is)
            text += node.negated ? " IS NOT DISTINCT FROM " : " IS DISTINCT FROM "
            write(node.right, Precedence.comparison)
        default: break
        }
    }

    private mutating func bracketed(_ open: String, _ elements: [Expression], _ close: String) {
        text += open
        write(elements)
        text += close
    }

    private mutating func subquery(_ prefix: String, _ query: Query) {
        text += prefix + "("
        write(query)
        text += ")"
    }

    private mutating func chain(_ terms: [Expression], _ separator: String, _ precedence: Int) {
        // The first term may not be a chain of the same kind either: it would melt into this one.
        list(terms, separator: separator) { $0.write($1, precedence) }
    }

    mutating func write(_ literal: Literal) {
        switch literal.value {
        case .null: text += "NULL"
        case .boolean(let value): text += value ? "TRUE" : "FALSE"
        case .integer(let value): text += String(value)
        case .decimal(let value), .float(let value): text += value
        case .string(let value): text += Self.literal(value)
        }
    }

    mutating func write(_ interval: IntervalLiteral) {
        text += "INTERVAL " + Self.literal(interval.text)
        if let qualifier = interval.qualifier {
            text += " "
            write(qualifier)
        }
    }

    private mutating func write(_ node: UnaryExpression) {
        text += node.symbol.rawValue
        switch node.symbol {
        case .not:
            text += " "
            write(node.operand, Precedence.not)
        case .prior:
            text += " "
            write(node.operand, Precedence.sign)
        case .plus, .minus:
            // `- 5` would read back as the literal -5, and `--` begins a comment.
            write(node.operand, isBareNumber(node.operand) ? Self.primary + 1 : Self.primary)
        default:
            text += " "
            write(node.operand, Precedence.sum)
        }
    }

    private func isBareNumber(_ expression: Expression) -> Bool {
        if case .literal = expression { return true }
        return false
    }

    private mutating func write(_ node: BinaryExpression) {
        let precedence = Self.precedence(node.symbol)
        write(node.left, precedence)
        text += " " + node.symbol.rawValue + " "
        write(node.right, precedence + 1)
    }

    private mutating func write(_ node: LikeExpression) {
        write(node.value, Precedence.pattern)
        text += (node.negated ? " NOT " : " ") + node.kind.rawValue + " "
        write(node.pattern, Precedence.other)
        if let escape = node.escape {
            text += " ESCAPE "
            write(escape, Precedence.other)
        }
    }

    private mutating func write(_ node: BetweenExpression) {
        write(node.value, Precedence.pattern)
        text += node.negated ? " NOT BETWEEN " : " BETWEEN "
        if node.symmetric { text += "SYMMETRIC " }
        write(node.low, Precedence.other)
        text += " AND "
        write(node.high, Precedence.other)
    }

    private mutating func write(_ node: QuantifiedExpression) {
        write(node.value, Self.precedence(node.symbol))
        text += " " + node.symbol.rawValue + " " + node.quantifier.rawValue + " ("
        switch node.operand {
        case .query(let query): write(query)
        case .array(let array): write(array)
        }
        text += ")"
    }

    private mutating func write(_ node: CaseExpression) {
        text += "CASE"
        if let operand = node.operand {
            text += " "
            write(operand)
        }
        for branch in node.branches {
            text += " WHEN "
            write(branch.condition)
            text += " THEN "
            write(branch.result)
        }
        if let otherwise = node.otherwise {
            text += " ELSE "
            write(otherwise)
        }
        text += " END"
    }

    private mutating func write(_ node: NavigationExpression) {
        let isPlain: Bool =
            switch (node.base, node.steps.first) {
            case (.name, .index), (.function, _): true
            default: false
            }
        text += isPlain ? "" : "("
        write(node.base)
        text += isPlain ? "" : ")"
        for step in node.steps {
            switch step {
            case .field(let name):
                text += "."
                write(name)
            case .index(let index): bracketed("[", [index], "]")
            }
        }
    }
}

extension Literal {
    var isNegative: Bool {
        switch value {
        case .integer(let value): value < 0
        case .decimal(let text), .float(let text): text.hasPrefix("-")
        default: false
        }
    }
}
