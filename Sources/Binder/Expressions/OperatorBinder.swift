import QueryPlan
import SQLSyntax
import SQLTypes

/// Unary and binary operators.
extension ExpressionBinder {
    func bindUnary(_ node: UnaryExpression) throws -> BoundExpression {
        switch node.symbol {
        case .not: return .not(try bindCondition(node.operand))
        case .prior:
            guard let hierarchy = scope.hierarchy else {
                throw SQLError(
                    .syntaxError, "PRIOR is only allowed in queries with CONNECT BY", at: node.position)
            }
            return try hierarchy.prior(try coercion.resolved(try bind(node.operand)), at: node.position)
        case .plus:
            let operand = try bind(node.operand)
            guard
                operand.type.isNumeric || operand.type == .unknown || operand.type.isInterval
                    || operand.type == .semistructured
            else {
                throw OperatorError.noOperator("+", operand.type, at: node.position)
            }
            return operand
        case .minus: return try negated(try bind(node.operand), at: node.position)
        case .bitNot, .absolute, .squareRoot, .cubeRoot:
            return try operatorCall(node.symbol.rawValue, [try bind(node.operand)], at: node.position)
        }
    }

    private func negated(_ operand: BoundExpression, at position: SourcePosition) throws -> BoundExpression {
        switch operand {
        case .constant(.integer(let value), let type) where type.isNumeric:
            if case .decimal(_, 0) = type, -value == Int128(Int64.min) { return .constant(.integer(-value), .bigint) }
            // The one value without its opposite: an error is the engine's to raise.
            if type.isInteger && -value > Int128(IntegerText.range(of: type).upperBound) { break }
            if case .decimal(let precision, _) = type, !DecimalArithmetic.fits(-value, precision: precision) { break }
            return .constant(.integer(-value), type)
        case .constant(.double(let value), let type): return .constant(.double(-value), type)
        case .constant(.string, .unknown):
            return try negated(try coercion.cast(operand, to: .double, .implicit, at: position), at: position)
        default: break
        }
        switch operand.type {
        case .real:
            let wide = try coercion.cast(operand, to: .double, .implicit, at: position)
            return .cast(.call(.negate, [wide], .double), .real, .implicit)
        case let type where type.isNumeric: return .call(.negate, [operand], type)
        case .interval: return ConstantFolding.folded(.intervalNegate, [operand], .interval)
        case .yearMonthInterval, .dayTimeInterval:
            let whole = try IntervalKind(session).widened(operand, at: position)
            return .cast(.call(.intervalNegate, [whole], .interval), operand.type, .assignment)
        case .semistructured:
            let zero = try coercion.cast(ExpressionBinder.integer(0), to: .semistructured, .implicit, at: position)
            return .call(.superSubtract, [zero, operand], .semistructured)
        case .unknown:
            return .call(.negate, [try coercion.cast(operand, to: .double, .implicit, at: position)], .double)
        default: throw OperatorError.noOperator("-", operand.type, at: position)
        }
    }

    func bindBinary(_ node: BinaryExpression) throws -> BoundExpression {
        if node.symbol.isComparison { return try bindComparison(node) }
        // Chains lean to the left and can be long: bind them in a loop.
        var chain = [node]
        while case .binary(let left) = chain[chain.count - 1].left, !left.symbol.isComparison { chain.append(left) }
        let first = chain[chain.count - 1].left
        var result = try bind(first)
        var isMonths = first.namesMonths
        for step in chain.reversed() {
            let right = try bind(step.right)
            try session.countNode()
            let areMonths = (left: isMonths, right: step.right.namesMonths)
            result = try combine(step.symbol, result, right, areMonths, at: step.position)
            isMonths = nil
        }
        return result
    }

    private func combine(
        _ symbol: BinaryOperator, _ left: BoundExpression, _ right: BoundExpression,
        _ areMonths: (left: Bool?, right: Bool?), at position: SourcePosition
    ) throws -> BoundExpression {
        switch symbol {
        case .add, .subtract, .multiply, .divide, .modulo:
            return try ArithmeticBinder(session).bind(symbol, left, right, areMonths: areMonths, at: position)
        case .bitAnd, .bitOr, .bitXor:
            return try ArithmeticBinder(session).bindBits(symbol, left, right, at: position)
        case .power, .shiftLeft, .shiftRight, .concatenate, .matches, .matchesIgnoringCase:
            return try operatorCall(symbol.rawValue, [left, right], at: position)
        case .notMatches: return .not(try operatorCall("~", [left, right], at: position))
        case .notMatchesIgnoringCase: return .not(try operatorCall("~*", [left, right], at: position))
        case .like: return try operatorCall("~~", [left, right], at: position)
        case .notLike: return .not(try operatorCall("~~", [left, right], at: position))
        case .caseInsensitiveLike: return try operatorCall("~~*", [left, right], at: position)
        case .notCaseInsensitiveLike: return .not(try operatorCall("~~*", [left, right], at: position))
        default: throw OperatorError.noOperator(symbol.rawValue, left.type, right.type, at: position)
        }
    }

    func operatorCall(
        _ symbol: String, _ arguments: [BoundExpression], at position: SourcePosition
    ) throws -> BoundExpression {
        let insensitive = ["~": "~*", "~~": "~~*"][symbol]
        if let insensitive, !arguments.contains(where: { $0.type == .semistructured }),
            Collations(session).isInsensitive(arguments)
        {
            return try operatorCall(insensitive, arguments, at: position)
        }
        if let call = try SignatureCall(session).resolve(symbol, arguments, at: position) { return call }
        if arguments.count == 1 { throw OperatorError.noOperator(symbol, arguments[0].type, at: position) }
        throw OperatorError.noOperator(symbol, arguments[0].type, arguments[1].type, at: position)
    }

    private func bindComparison(_ node: BinaryExpression) throws -> BoundExpression {
        guard let symbol = ComparisonOperator(node.symbol) else {
            throw unsupported("operator \(node.symbol.rawValue)", node.position)
        }
        if case .row(let left) = node.left, left.elements.count > 1 {
            return try RowComparison(self).bind(symbol, left, node.right, at: node.position)
        }
        let left = try bind(node.left)
        let right = try bind(node.right)
        return try comparison.compare(
            symbol, left, right, at: node.position, operands: (node.left.position, node.right.position))
    }
}

extension Expression {
    /// For an interval literal: whether it names years and months alone. nil: another expression.
    fileprivate var namesMonths: Bool? {
        func names(_ text: String, _ qualifier: SQLTypes.IntervalQualifier?) -> Bool {
            Array(text.utf8).withUnsafeBufferPointer { buffer in
                buffer.baseAddress.map {
                    IntervalText.namesMonths($0, buffer.count, qualifier: qualifier)
                } ?? false
            }
        }
        switch self {
        case .interval(let literal): return names(literal.text, literal.qualifier?.bound)
        case .unary(let node) where node.symbol == .minus || node.symbol == .plus: return node.operand.namesMonths
        case .cast(let node):
            guard node.type.name == "interval", case .literal(let literal) = node.value,
                case .string(let text) = literal.value
            else { return nil }
            return names(text, node.type.intervalQualifier?.bound)
        default: return nil
        }
    }
}

extension ComparisonOperator {
    init?(_ symbol: BinaryOperator) {
        switch symbol {
        case .equal: self = .equal
        case .notEqual: self = .notEqual
        case .less: self = .less
        case .lessOrEqual: self = .lessOrEqual
        case .greater: self = .greater
        case .greaterOrEqual: self = .greaterOrEqual
        default: return nil
        }
    }
}
