import QueryPlan
import SQLSyntax
import SQLTypes

/// `+ - * / %` and bit operators: numbers by Redshift's type table, dates and intervals by the function table.
struct ArithmeticBinder {
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    private var coercion: Coercion { Coercion(session) }

    /// - Parameter areMonths: of a side that is written as an interval literal: it names years and months alone.
    func bind(
        _ symbol: BinaryOperator, _ left: BoundExpression, _ right: BoundExpression,
        areMonths: (left: Bool?, right: Bool?) = (nil, nil), at position: SourcePosition
    ) throws -> BoundExpression {
        var (left, right) = (left, right)
        // An untyped literal beside a number is a number of the other side's type; beside a date see the table.
        if left.type == .unknown && right.type == .unknown {
            if symbol == .add, case .constant(.string, _) = left, case .constant(.string, _) = right {
                return try concatenated(left, right, at: position)
            }
            left = try coercion.cast(left, to: .double, .implicit, at: position)
            right = try coercion.cast(right, to: .double, .implicit, at: position)
        } else if left.type == .unknown, right.type.isNumeric {
            left = try number(left, beside: right.type, at: position)
        } else if right.type == .unknown, left.type.isNumeric {
            right = try number(right, beside: left.type, at: position)
        }
        if left.type == .semistructured || right.type == .semistructured {
            let sides = try [left, right].map { try coercion.cast($0, to: .semistructured, .implicit, at: position) }
            return .call(Self.superFunction(symbol), sides, .semistructured)
        }
        if left.type.isNumeric && right.type.isNumeric {
            return try numeric(symbol, left, right, at: position)
        }
        if symbol == .add, left.type.family == .bytes || right.type.family == .bytes {
            return try concatenated(left, right, at: position)
        }
        if symbol == .add, left.type.isString || right.type.isString, Self.isText(left) && Self.isText(right) {
            return try concatenated(left, right, at: position)
        }
        let kinds = IntervalKind(session)
        let written = (left, right)
        left = try kinds.widened(left, at: position)
        right = try kinds.widened(right, at: position)
        let result = IntervalKind.narrowed(
            try other(symbol, left, right, at: position), symbol, written.0, written.1)
        // Whole months move a date to a date; days and times make it a timestamp.
        let movesByMonths =
            left.type == .date && (areMonths.right ?? right.isMonths)
            || right.type == .date && (areMonths.left ?? left.isMonths)
        guard movesByMonths, result.type == .timestamp else { return result }
        return try coercion.cast(result, to: .date, .explicit, at: position)
    }

    private static func isText(_ side: BoundExpression) -> Bool { side.type.isString || side.type == .unknown }

    private func concatenated(
        _ left: BoundExpression, _ right: BoundExpression, at position: SourcePosition
    ) throws -> BoundExpression {
        guard let call = try SignatureCall(session).resolve("||", [left, right], at: position) else {
            throw OperatorError.noOperator("+", left.type, right.type, at: position)
        }
        return call
    }

    /// A quoted number: of the other side's type when its text is whole or that type has a fraction.
    private func number(
        _ literal: BoundExpression, beside type: SQLType, at position: SourcePosition
    ) throws -> BoundExpression {
        if case .decimal(_, var scale) = type {
            // No digit of the literal is lost: '5.25' beside DECIMAL(2, 1) is not 5.3.
            var whole = SQLType.maximumPrecision / 2 - scale
            if let own = coercion.shape(ofLiteral: literal) {
                scale = max(scale, own.scale)
                whole = max(whole, own.precision - own.scale)
            }
            let precision = min(max(whole, 0) + scale, SQLType.maximumPrecision)
            return try coercion.cast(
                literal, to: .decimal(precision: max(precision, 1), scale: scale), .implicit, at: position)
        }
        return try coercion.cast(literal, to: type, .implicit, at: position)
    }

    // MARK: Numbers

    private func numeric(
        _ symbol: BinaryOperator, _ left: BoundExpression, _ right: BoundExpression, at position: SourcePosition
    ) throws -> BoundExpression {
        let function = Self.function(symbol)
        let (first, second) = (left.type, right.type)
        if first.isFloat || second.isFloat {
            let sides = try [left, right].map { try coercion.cast($0, to: .double, .implicit, at: position) }
            let result = ConstantFolding.folded(function, sides, .double)
            return first == .real && second == .real
                ? try coercion.converted(result, to: .real, at: position) : result
        }
        if first.isInteger && second.isInteger {
            let type = CommonType.widerInteger(first, second)
            let sides = try [left, right].map { try coercion.cast($0, to: type, .implicit, at: position) }
            return ConstantFolding.folded(function, sides, type)
        }
        guard let one = DecimalRules.shape(of: first), let two = DecimalRules.shape(of: second) else {
            throw OperatorError.noOperator(symbol.rawValue, first, second, at: position)
        }
        let sides = [
            try coercion.cast(left, to: one.type, .implicit, at: position),
            try coercion.cast(right, to: two.type, .implicit, at: position),
        ]
        return ConstantFolding.folded(function, sides, Self.result(symbol, one, two).type)
    }

    static func result(
        _ symbol: BinaryOperator, _ left: DecimalRules.Shape, _ right: DecimalRules.Shape
    ) -> DecimalRules.Shape {
        switch symbol {
        case .multiply: DecimalRules.multiplication(left, right)
        case .divide: DecimalRules.division(left, right)
        case .modulo: DecimalRules.remainder(left, right)
        default: DecimalRules.addition(left, right)
        }
    }

    private static func function(_ symbol: BinaryOperator) -> ScalarFunction {
        switch symbol {
        case .subtract: .subtract
        case .multiply: .multiply
        case .divide: .divide
        case .modulo: .modulo
        default: .add
        }
    }

    private static func superFunction(_ symbol: BinaryOperator) -> ScalarFunction {
        switch symbol {
        case .subtract: .superSubtract
        case .multiply: .superMultiply
        case .divide: .superDivide
        case .modulo: .superModulo
        default: .superAdd
        }
    }

    // MARK: Bits

    func bindBits(
        _ symbol: BinaryOperator, _ left: BoundExpression, _ right: BoundExpression, at position: SourcePosition
    ) throws -> BoundExpression {
        if left.type.family == .bytes || right.type.family == .bytes,
            let call = try SignatureCall(session).resolve(symbol.rawValue, [left, right], at: position)
        {
            return call
        }
        var (left, right) = (left, right)
        if left.type == .unknown { left = try coercion.cast(left, to: .integer, .implicit, at: position) }
        if right.type == .unknown { right = try coercion.cast(right, to: .integer, .implicit, at: position) }
        guard left.type.isInteger && right.type.isInteger else {
            throw OperatorError.noOperator(symbol.rawValue, left.type, right.type, at: position)
        }
        let type = CommonType.widerInteger(left.type, right.type)
        let sides = try [left, right].map { try coercion.cast($0, to: type, .implicit, at: position) }
        let function: ScalarFunction = symbol == .bitAnd ? .bitAnd : symbol == .bitOr ? .bitOr : .bitXor
        return .call(function, sides, type)
    }

    // MARK: Dates and intervals

    private func other(
        _ symbol: BinaryOperator, _ left: BoundExpression, _ right: BoundExpression, at position: SourcePosition
    ) throws -> BoundExpression {
        let calls = SignatureCall(session)
        if symbol == .subtract, right.type == .interval, left.type != .interval, left.type != .unknown {
            let negative = ConstantFolding.folded(.intervalNegate, [right], .interval)
            if let call = try calls.resolve("+", [left, negative], at: position, among: Self.isForDates) {
                return call
            }
        }
        // `date - '2020-01-01'` and the like: the literal is what the other side is.
        var sides = [left, right]
        if symbol == .subtract {
            if left.type == .unknown { sides[0] = try coercion.cast(left, to: right.type, .implicit, at: position) }
            if right.type == .unknown { sides[1] = try coercion.cast(right, to: left.type, .implicit, at: position) }
        }
        if let call = try calls.resolve(symbol.rawValue, sides, at: position, among: Self.isForDates) { return call }
        if symbol == .add || symbol == .multiply {
            if let call = try calls.resolve(symbol.rawValue, sides.reversed(), at: position, among: Self.isForDates) {
                return call
            }
        }
        throw OperatorError.noOperator(symbol.rawValue, left.type, right.type, at: position)
    }

    private static func isForDates(_ signature: FunctionSignature) -> Bool {
        signature.parameters.allSatisfy { $0.accepts != .common && $0.accepts != .any }
    }
}

extension BoundExpression {
    /// A constant interval of years and months alone.
    fileprivate var isMonths: Bool {
        if case .cast(let value, .interval, _) = self, case .yearMonthInterval = value.type { return true }
        guard case .constant(.interval(let value), _) = self else { return false }
        return value.months != 0 && value.microseconds == 0
    }
}
