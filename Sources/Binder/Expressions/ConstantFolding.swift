import QueryPlan
import SQLSyntax
import SQLTypes

/// Computes calls over constants at bind time: arithmetic of literals, date and interval arithmetic. Everything else
/// stays a call and is computed by the engine.
enum ConstantFolding {
    static func folded(
        _ function: ScalarFunction, _ arguments: [BoundExpression], _ type: SQLType
    ) -> BoundExpression {
        let call = BoundExpression.call(function, arguments, type)
        var values: [Datum] = []
        for argument in arguments {
            guard case .constant(let datum, _) = argument else { return call }
            values.append(datum)
        }
        if values.isEmpty || FunctionTable.volatility(of: function) != .immutable { return call }
        if values.contains(.null) {
            return FunctionTable.isStrict(function) ? .constant(.null, type) : call
        }
        // An error is the engine's to raise, and only where the expression is reached: CASE may keep it from that.
        guard let value = try? fold(function, values, arguments.map(\.type), type) else { return call }
        return .constant(value, type)
    }

    private static func fold(
        _ function: ScalarFunction, _ values: [Datum], _ types: [SQLType], _ type: SQLType
    ) throws -> Datum? {
        switch function {
        case .add, .subtract, .multiply, .divide, .modulo:
            return try arithmetic(function, values, types, type)
        case .dateAddDays, .dateSubtractDays, .dateDifference, .dateAddInterval, .timestampAddInterval,
            .timestampSubtract, .dateAdd, .dateTruncate, .dateAddTime:
            return try dates(function, values, types)
        case .intervalAdd, .intervalSubtract, .intervalNegate, .intervalMultiply:
            return try intervals(function, values)
        default: return nil
        }
    }

    // MARK: Numbers

    private static func arithmetic(
        _ function: ScalarFunction, _ values: [Datum], _ types: [SQLType], _ type: SQLType
    ) throws -> Datum? {
        if case .double(let left) = values[0], case .double(let right) = values[1] {
            return try double(function, left, right).map { .double($0) }
        }
        guard case .integer(let left) = values[0], case .integer(let right) = values[1] else { return nil }
        if type.isInteger { return try integer(function, left, right, type).map { .integer($0) } }
        guard case .decimal(let precision, let scale) = type else { return nil }
        let shape = DecimalRules.Shape(precision: precision, scale: scale)
        let (first, second) = (types[0].scale, types[1].scale)
        switch function {
        case .add: return .integer(try DecimalArithmetic.add(left, first, right, second, result: shape))
        case .subtract: return .integer(try DecimalArithmetic.subtract(left, first, right, second, result: shape))
        case .multiply: return .integer(try DecimalArithmetic.multiply(left, first, right, second, result: shape))
        case .divide: return .integer(try DecimalArithmetic.divide(left, first, right, second, result: shape))
        default: return .integer(try DecimalArithmetic.remainder(left, first, right, second, result: shape))
        }
    }

    private static func double(_ function: ScalarFunction, _ left: Double, _ right: Double) throws -> Double? {
        let result: Double
        switch function {
        case .add: result = left + right
        case .subtract: result = left - right
        case .multiply: result = left * right
        case .divide:
            if right == 0 { throw DecimalArithmetic.divisionByZero }
            result = left / right
        default: return nil
        }
        return result.isFinite ? result : nil
    }

    private static func integer(
        _ function: ScalarFunction, _ left: Int128, _ right: Int128, _ type: SQLType
    ) throws -> Int128? {
        let result: Int128
        switch function {
        case .add: result = left + right
        case .subtract: result = left - right
        case .multiply: result = left * right
        default:
            if right == 0 { throw DecimalArithmetic.divisionByZero }
            result = function == .divide ? left / right : left % right
        }
        let range = IntegerText.range(of: type)
        guard result >= Int128(range.lowerBound), result <= Int128(range.upperBound) else {
            throw SQLError(.numericOutOfRange, "\(type) out of range")
        }
        return result
    }

    // MARK: Dates

    private static func dates(_ function: ScalarFunction, _ values: [Datum], _ types: [SQLType]) throws -> Datum? {
        switch (function, values[0], values[1]) {
        case (.dateAddDays, .integer(let day), .integer(let count)):
            return .integer(Int128(try DateArithmetic.addDays(Int64(clamping: count), days: Int64(clamping: day))))
        case (.dateSubtractDays, .integer(let day), .integer(let count)):
            return .integer(Int128(try DateArithmetic.addDays(Int64(clamping: 0 - count), days: Int64(clamping: day))))
        case (.dateDifference, .integer(let left), .integer(let right)),
            (.timestampSubtract, .integer(let left), .integer(let right)):
            guard let difference = Int64(exactly: left - right) else { return nil }
            if function == .dateDifference { return .integer(Int128(difference)) }
            return types[0] == .timestamp ? .interval(Interval(months: 0, microseconds: difference)) : nil
        case (.dateAddInterval, .integer(let day), .interval(let interval)):
            let start = try Calendar.timestamp(ofDay: Int64(clamping: day))
            return .integer(Int128(try DateArithmetic.add(interval, timestamp: start)))
        case (.timestampAddInterval, .integer(let moment), .interval(let interval)) where types[0] == .timestamp:
            return .integer(Int128(try DateArithmetic.add(interval, timestamp: Int64(clamping: moment))))
        default: return try parts(function, values, types)
        }
    }

    /// DATEADD and DATE_TRUNC of constants.
    private static func parts(_ function: ScalarFunction, _ values: [Datum], _ types: [SQLType]) throws -> Datum? {
        guard case .string(let name) = values[0], types[types.count - 1] == .timestamp,
            case .integer(let moment)? = values.last,
            let part = DatePart(name: String(decoding: name, as: UTF8.self))
        else { return nil }
        switch (function, values[1]) {
        case (.dateAdd, .integer(let count)):
            let sum = try DateArithmetic.add(part, Int64(clamping: count), timestamp: Int64(clamping: moment))
            return .integer(Int128(sum))
        case (.dateTruncate, _):
            return .integer(Int128(try DateArithmetic.truncate(part, timestamp: Int64(clamping: moment))))
        default: return nil
        }
    }

    private static func intervals(_ function: ScalarFunction, _ values: [Datum]) throws -> Datum? {
        guard case .interval(let left) = values[0] else { return nil }
        switch function {
        case .intervalNegate: return try checked(left, -1)
        case .intervalMultiply:
            guard case .double(let factor) = values[1], let whole = Int64(exactly: factor) else { return nil }
            return try checked(left, whole)
        default:
            guard case .interval(let right) = values[1] else { return nil }
            let scaled = try checked(right, function == .intervalAdd ? 1 : -1)
            guard case .interval(let second) = scaled else { return nil }
            let (months, overflow) = left.months.addingReportingOverflow(second.months)
            let (microseconds, overflow2) = left.microseconds.addingReportingOverflow(second.microseconds)
            if overflow || overflow2 || Int32(exactly: months) == nil { throw Calendar.intervalOutOfRange }
            return .interval(Interval(months: months, microseconds: microseconds))
        }
    }

    private static func checked(_ interval: Interval, _ factor: Int64) throws -> Datum {
        let (months, overflow) = interval.months.multipliedReportingOverflow(by: factor)
        let (microseconds, overflow2) = interval.microseconds.multipliedReportingOverflow(by: factor)
        if overflow || overflow2 || Int32(exactly: months) == nil { throw Calendar.intervalOutOfRange }
        return .interval(Interval(months: months, microseconds: microseconds))
    }
}
