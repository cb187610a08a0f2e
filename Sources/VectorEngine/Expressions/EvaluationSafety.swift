import QueryPlan
import SQLTypes

/// Tells expressions that raise an error for no row at all from those that may, such as an addition whose operands'
/// bounds do not prove that it fits. What a CASE does not choose must not raise, but computing for chosen rows only
/// costs a mask and keeps a value from being shared, so it is done where it is needed.
struct EvaluationSafety {
    typealias Bounds = (lower: Int128, upper: Int128)

    let pipeline: Pipeline

    private enum Finding {
        case raises
        /// Integers of the type's scale; nil: any value of the type, or no integers.
        case safe(Bounds?)
    }

    func mayRaise(_ expression: BoundExpression) throws -> Bool {
        if case .raises = try finding(expression) { return true }
        return false
    }

    private func finding(_ expression: BoundExpression) throws -> Finding {
        switch expression {
        case .column(let column, _): return try finding(column)
        case .constant(let value, _):
            if case .integer(let number) = value { return .safe((number, number)) }
            return .safe(nil)
        case .parameter: return .safe(nil)
        case .call(let function, let arguments, let type): return try call(function, arguments, type)
        case .cast(let inner, let type, _): return try cast(inner, type)
        case .comparison(_, let left, let right): return try all([left, right])
        case .and(let parts), .or(let parts): return try all(parts)
        case .not(let inner), .isNull(let inner): return try all([inner])
        case .inList(let value, let members): return try all([value] + members)
        case .caseWhen(let branches, let otherwise, _):
            if case .raises = try all(branches.map(\.condition)) { return .raises }
            return try union(branches.map(\.result) + [otherwise])
        case .subquery: return .raises
        }
    }

    private func finding(_ column: ColumnID) throws -> Finding {
        if case .expression(let expression)? = pipeline.binding(of: column) { return try finding(expression) }
        let register = try pipeline.value(of: column)
        return .safe(register.isInteger ? (register.lower, register.upper) : nil)
    }

    private func all(_ expressions: [BoundExpression]) throws -> Finding {
        for expression in expressions {
            if case .raises = try finding(expression) { return .raises }
        }
        return .safe(nil)
    }

    /// Any of the values.
    private func union(_ expressions: [BoundExpression]) throws -> Finding {
        var result: Bounds? = (Int128.max, Int128.min)
        for expression in expressions {
            guard case .safe(let bounds) = try finding(expression) else { return .raises }
            if case .constant(.null, _) = expression { continue }
            if let bounds, let known = result {
                result = (min(known.lower, bounds.lower), max(known.upper, bounds.upper))
            } else {
                result = nil
            }
        }
        if let known = result, known.lower > known.upper { return .safe((0, 0)) }
        return .safe(result)
    }

    private func call(_ function: ScalarFunction, _ arguments: [BoundExpression], _ type: SQLType) throws -> Finding {
        switch function {
        case .add, .subtract, .multiply, .negate: return try arithmetic(function, arguments, type)
        case .coalesce: return try union(arguments)
        case .like, .ilike, .length, .lower, .upper: return try all(arguments)
        default: return .raises
        }
    }

    private func arithmetic(
        _ function: ScalarFunction, _ arguments: [BoundExpression], _ type: SQLType
    ) throws -> Finding {
        guard type.isInteger || type.isDecimal else { return .raises }
        if function == .multiply, arguments.reduce(0, { $0 + $1.type.scale }) != type.scale { return .raises }
        var operands: [Bounds] = []
        if function == .negate { operands.append((0, 0)) }
        for argument in arguments {
            guard argument.type.isInteger || argument.type.isDecimal, case .safe(let found) = try finding(argument)
            else { return .raises }
            let bounds = found ?? argument.type.valueBounds
            let digits = function == .multiply ? 0 : type.scale - argument.type.scale
            guard let scaled = Self.scaled(bounds, by: digits) else { return .raises }
            operands.append(scaled)
        }
        guard operands.count == 2,
            let result = ArithmeticBounds.of(function == .negate ? .subtract : function, operands[0], operands[1])
        else { return .raises }
        return Self.fits(result, type) ? .safe(result) : .raises
    }

    /// Numbers to numbers of at least as many digits, and texts to texts.
    private func cast(_ inner: BoundExpression, _ type: SQLType) throws -> Finding {
        guard case .safe(let found) = try finding(inner) else { return .raises }
        let from = inner.type
        if from == type { return .safe(found) }
        if from.isString && type.isString { return .safe(nil) }
        guard from.isNumeric else { return .raises }
        if type == .double || type == .real && !from.isFloat { return .safe(nil) }
        guard !from.isFloat, type.isInteger || type.isDecimal,
            let bounds = Self.scaled(found ?? from.valueBounds, by: type.scale - from.scale)
        else { return .raises }
        return Self.fits(bounds, type) ? .safe(bounds) : .raises
    }

    /// nil where digits are dropped or 128 bits do not hold the values.
    private static func scaled(_ bounds: Bounds, by digits: Int) -> Bounds? {
        if digits == 0 { return bounds }
        guard digits > 0, digits <= 38, let power = PowersOfTen.power(digits) else { return nil }
        let (lower, lowerOverflow) = bounds.lower.multipliedReportingOverflow(by: Int128(power))
        let (upper, upperOverflow) = bounds.upper.multipliedReportingOverflow(by: Int128(power))
        return lowerOverflow || upperOverflow ? nil : (lower, upper)
    }

    private static func fits(_ bounds: Bounds, _ type: SQLType) -> Bool {
        let allowed = type.valueBounds
        return bounds.lower >= allowed.lower && bounds.upper <= allowed.upper
    }
}
