import SQLTypes

/// Computes calls over constants, for binder and optimizer: arithmetic of numbers, dates and intervals, which decides
/// bounds of scans and estimates. Everything else stays a call; the engine computes a constant once a query.
package enum ConstantFolding {
    /// The call, or the constant that it comes to.
    package static func folded(
        _ function: ScalarFunction, _ arguments: [BoundExpression], _ type: SQLType
    ) -> BoundExpression {
        value(of: function, arguments, type).map { .constant($0, type) } ?? .call(function, arguments, type)
    }

    /// nil where arguments are no constants, where it is not known how, and where it would be an error: that is the
    /// engine's to raise, and only where the expression is reached, for CASE may keep it from that.
    package static func value(
        of function: ScalarFunction, _ arguments: [BoundExpression], _ type: SQLType
    ) -> Datum? {
        var values: [Datum] = []
        for argument in arguments {
            guard case .constant(let datum, _) = argument else { return nil }
            values.append(datum)
        }
        if values.isEmpty || FunctionTable.volatility(of: function) != .immutable { return nil }
        if values.contains(.null) { return FunctionTable.isStrict(function) ? .null : nil }
        do {
            return try fold(function, values, arguments.map(\.type), type)
        } catch {
            return nil
        }
    }

    private static func fold(
        _ function: ScalarFunction, _ values: [Datum], _ types: [SQLType], _ type: SQLType
    ) throws -> Datum? {
        switch function {
        case .add, .subtract, .multiply, .divide, .modulo:
            return try arithmetic(function, values, types, type)
        case .negate: return try negated(values[0], types[0], type)
        case .dateAddDays, .dateSubtractDays, .dateDifference, .dateAddInterval, .timestampAddInterval,
            .timestampSubtract, .dateAdd, .dateTruncate, .dateAddTime:
            return try dates(function, values, types, type)
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
        if type.isInteger { return .integer(try integer(function, left, right, type)) }
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
    ) throws -> Int128 {
        switch function {
        case .add: try IntegerArithmetic.add(left, right, type)
        case .subtract: try IntegerArithmetic.subtract(left, right, type)
        case .multiply: try IntegerArithmetic.multiply(left, right, type)
        case .divide: try IntegerArithmetic.divide(left, right, type)
        default: try IntegerArithmetic.remainder(left, right, type)
        }
    }

    private static func negated(_ value: Datum, _ from: SQLType, _ type: SQLType) throws -> Datum? {
        if case .double(let number) = value { return .double(-number) }
        guard case .integer(let number) = value, from.scale == type.scale else { return nil }
        if type.isInteger { return .integer(try IntegerArithmetic.subtract(0, number, type)) }
        let (result, overflow) = Int128(0).subtractingReportingOverflow(number)
        guard case .decimal(let precision, _) = type, !overflow,
            DecimalArithmetic.fits(result, precision: precision)
        else { return nil }
        return .integer(result)
    }

    // MARK: Dates

    private static func dates(
        _ function: ScalarFunction, _ values: [Datum], _ types: [SQLType], _ type: SQLType
    ) throws -> Datum? {
        switch (function, values[0], values[1]) {
        case (.dateAddDays, .integer(let day), .integer(let count)):
            return .integer(Int128(try DateArithmetic.addDays(Int64(clamping: count), days: Int64(clamping: day))))
        case (.dateSubtractDays, .integer(let day), .integer(let count)):
            guard count.magnitude <= Int128.Magnitude(Int64.max) else { return nil }
            return .integer(Int128(try DateArithmetic.addDays(Int64(clamping: 0 - count), days: Int64(clamping: day))))
        case (.dateDifference, .integer(let left), .integer(let right)),
            (.timestampSubtract, .integer(let left), .integer(let right)):
            guard let difference = Int64(exactly: left - right) else { return nil }
            if function == .dateDifference { return .integer(Int128(difference)) }
            return types[0] == .timestamp ? .interval(Interval(months: 0, microseconds: difference)) : nil
        case (.dateAddInterval, .integer(let day), .interval(let interval)):
            let start = try Calendar.timestamp(ofDay: Int64(clamping: day))
            let sum = try DateArithmetic.add(interval, timestamp: start)
            return .integer(Int128(type == .date ? Calendar.day(ofTimestamp: sum) : sum))
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
        if function == .intervalNegate { return .interval(try IntervalArithmetic.negated(left)) }
        if function == .intervalMultiply {
            guard case .double(let factor) = values[1] else { return nil }
            return .interval(try IntervalArithmetic.scaled(left, by: factor))
        }
        guard case .interval(let right) = values[1] else { return nil }
        let isSubtraction = function == .intervalSubtract
        return .interval(try IntervalArithmetic.combine(left, right, subtract: isSubtraction))
    }
}
