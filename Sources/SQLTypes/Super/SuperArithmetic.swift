/// `+ - * / %` of SUPER values by the types that they have at that moment: whole numbers stay whole, decimals follow
/// the rules of DECIMAL with the digits that they have, and beside a double everything is a double.
package enum SuperArithmetic {
    package enum Operation: Sendable { case add, subtract, multiply, divide, modulo }

    /// Writes the result; false, with nothing written, where a side is no number.
    package static func append(
        _ operation: Operation, _ left: SuperView, _ right: SuperView, to builder: SuperBuilder
    ) throws -> Bool {
        let (first, second) = (try left.kind(), try right.kind())
        guard first.isNumber, second.isNumber else { return false }
        if first == .double || second == .double {
            let result = try double(operation, try value(left, first), try value(right, second))
            guard result.isFinite else { throw SQLError(.numericOutOfRange, "value out of range: overflow") }
            builder.double(result)
            return true
        }
        if first == .integer && second == .integer {
            builder.integer(try integer(operation, try left.integer(), try right.integer()))
            return true
        }
        let (one, two) = (try decimal(left, first), try decimal(right, second))
        let shape = shape(operation, digits(one), digits(two))
        let result: Int128
        switch operation {
        case .add: result = try DecimalArithmetic.add(one.value, one.scale, two.value, two.scale, result: shape)
        case .subtract:
            result = try DecimalArithmetic.subtract(one.value, one.scale, two.value, two.scale, result: shape)
        case .multiply:
            result = try DecimalArithmetic.multiply(one.value, one.scale, two.value, two.scale, result: shape)
        case .divide: result = try DecimalArithmetic.divide(one.value, one.scale, two.value, two.scale, result: shape)
        case .modulo:
            result = try DecimalArithmetic.remainder(one.value, one.scale, two.value, two.scale, result: shape)
        }
        builder.decimal(result, scale: shape.scale)
        return true
    }

    private static func integer(_ operation: Operation, _ left: Int64, _ right: Int64) throws -> Int64 {
        let (result, overflow): (Int64, Bool)
        switch operation {
        case .add: (result, overflow) = left.addingReportingOverflow(right)
        case .subtract: (result, overflow) = left.subtractingReportingOverflow(right)
        case .multiply: (result, overflow) = left.multipliedReportingOverflow(by: right)
        case .divide:
            if right == 0 { throw DecimalArithmetic.divisionByZero }
            (result, overflow) = left.dividedReportingOverflow(by: right)
        case .modulo:
            if right == 0 { throw DecimalArithmetic.divisionByZero }
            (result, overflow) = right == -1 ? (0, false) : left.remainderReportingOverflow(dividingBy: right)
        }
        if overflow { throw SQLError(.numericOutOfRange, "bigint out of range") }
        return result
    }

    private static func double(_ operation: Operation, _ left: Double, _ right: Double) throws -> Double {
        switch operation {
        case .add: return left + right
        case .subtract: return left - right
        case .multiply: return left * right
        case .divide:
            if right == 0 { throw DecimalArithmetic.divisionByZero }
            return left / right
        case .modulo:
            if right == 0 { throw DecimalArithmetic.divisionByZero }
            return left.truncatingRemainder(dividingBy: right)
        }
    }

    private static func value(_ view: SuperView, _ kind: SuperForm.Kind) throws -> Double {
        switch kind {
        case .double: return try view.double()
        case .integer: return Double(try view.integer())
        default:
            let (value, scale) = try view.decimal()
            return Datum.decimalToDouble(value, scale: scale)
        }
    }

    private static func decimal(_ view: SuperView, _ kind: SuperForm.Kind) throws -> (value: Int128, scale: Int) {
        kind == .integer ? (Int128(try view.integer()), 0) : try view.decimal()
    }

    /// The digits that the value has.
    package static func digits(_ number: (value: Int128, scale: Int)) -> DecimalRules.Shape {
        var digits = 1
        while digits < 38, let limit = PowersOfTen.power(digits), number.value.magnitude >= limit.magnitude {
            digits += 1
        }
        return DecimalRules.Shape(precision: max(digits, number.scale), scale: number.scale)
    }

    private static func shape(
        _ operation: Operation, _ left: DecimalRules.Shape, _ right: DecimalRules.Shape
    ) -> DecimalRules.Shape {
        switch operation {
        case .add, .subtract: DecimalRules.addition(left, right)
        case .multiply: DecimalRules.multiplication(left, right)
        case .divide: DecimalRules.division(left, right)
        case .modulo: DecimalRules.remainder(left, right)
        }
    }
}
