import QueryPlan
import SQLTypes

/// Evaluation of the few operators whose constants matter for planning: dates with intervals, integer and decimal
/// arithmetic, comparisons. Everything else is left to the engine, which computes a constant once per query.
enum ConstantFolding {
    /// The value of a call over constants, or nil when it is not known how or would be an error.
    static func call(_ function: ScalarFunction, _ arguments: [BoundExpression], _ type: SQLType) -> Datum? {
        var values: [Datum] = []
        for argument in arguments {
            guard case .constant(let value, _) = argument else { return nil }
            values.append(value)
        }
        switch function {
        case .add, .subtract, .multiply, .negate: return arithmetic(function, arguments, values, type)
        case .dateAddDays, .dateSubtractDays: return addDays(values, negative: function == .dateSubtractDays, type)
        case .dateAddInterval, .timestampAddInterval: return addInterval(arguments, values, type)
        case .intervalNegate:
            guard case .interval(let interval) = values[0], interval.microseconds != .min,
                Int32(exactly: 0 &- interval.months) != nil
            else { return nil }
            return .interval(Interval(months: -interval.months, microseconds: -interval.microseconds))
        default: return nil
        }
    }

    private static func arithmetic(
        _ function: ScalarFunction, _ arguments: [BoundExpression], _ values: [Datum], _ type: SQLType
    ) -> Datum? {
        guard type.isInteger || type.isDecimal else { return nil }
        var numbers: [Int128] = []
        for (index, value) in values.enumerated() {
            guard case .integer(let number) = value else { return nil }
            let scale = arguments[index].type.scale
            if function == .multiply || scale == type.scale {
                numbers.append(number)
            } else {
                guard scale < type.scale, let scaled = number.scaledUp(type.scale - scale) else { return nil }
                numbers.append(scaled)
            }
        }
        let result: (partialValue: Int128, overflow: Bool)
        switch function {
        case .add where numbers.count == 2: result = numbers[0].addingReportingOverflow(numbers[1])
        case .subtract where numbers.count == 2: result = numbers[0].subtractingReportingOverflow(numbers[1])
        case .multiply where numbers.count == 2:
            guard arguments[0].type.scale + arguments[1].type.scale == type.scale else { return nil }
            result = numbers[0].multipliedReportingOverflow(by: numbers[1])
        case .negate where numbers.count == 1: result = Int128(0).subtractingReportingOverflow(numbers[0])
        default: return nil
        }
        guard !result.overflow, fits(result.partialValue, type) else { return nil }
        return .integer(result.partialValue)
    }

    static func fits(_ value: Int128, _ type: SQLType) -> Bool {
        switch type {
        case .smallint: return Int16(exactly: value) != nil
        case .integer: return Int32(exactly: value) != nil
        case .date: return value >= Int128(Calendar.minimumDay) && value <= Int128(Calendar.maximumDay)
        case .bigint, .time: return Int64(exactly: value) != nil
        case .timestamp, .timestamptz:
            return value >= Int128(Calendar.minimumTimestamp) && value <= Int128(Calendar.maximumTimestamp)
        case .decimal(let precision, _): return DecimalArithmetic.fits(value, precision: precision)
        default: return false
        }
    }

    private static func addDays(_ values: [Datum], negative: Bool, _ type: SQLType) -> Datum? {
        guard values.count == 2, case .integer(let date) = values[0], case .integer(let days) = values[1],
            type == .date, days.magnitude < 10_000_000,
            let sum = try? DateArithmetic.addDays(Int64(negative ? -days : days), days: Int64(clamping: date))
        else { return nil }
        return .integer(Int128(sum))
    }

    private static func addInterval(_ arguments: [BoundExpression], _ values: [Datum], _ type: SQLType) -> Datum? {
        guard values.count == 2, case .integer(let start) = values[0], case .interval(let interval) = values[1] else {
            return nil
        }
        let from = arguments[0].type
        guard from == .date || from == .timestamp, type == .date || type == .timestamp,
            let moment = from == .date
                ? try? Calendar.timestamp(ofDay: Int64(clamping: start)) : Int64(exactly: start),
            let sum = try? DateArithmetic.add(interval, timestamp: moment)
        else { return nil }
        return .integer(Int128(type == .date ? Calendar.day(ofTimestamp: sum) : sum))
    }

    /// Three-valued result of comparing constants of one type; nil when they cannot be ordered here.
    static func compare(_ op: ComparisonOperator, _ left: Datum, _ right: Datum) -> Datum? {
        switch op {
        case .distinctFrom, .notDistinctFrom:
            if left.isNull || right.isNull {
                return .boolean((left.isNull && right.isNull) == (op == .notDistinctFrom))
            }
        default: if left.isNull || right.isNull { return .null }
        }
        guard let order = order(left, right) else { return nil }
        switch op {
        case .equal, .notDistinctFrom: return .boolean(order == 0)
        case .notEqual, .distinctFrom: return .boolean(order != 0)
        case .less: return .boolean(order < 0)
        case .lessOrEqual: return .boolean(order <= 0)
        case .greater: return .boolean(order > 0)
        case .greaterOrEqual: return .boolean(order >= 0)
        }
    }

    /// Negative, zero or positive; strings without their trailing blanks.
    static func order(_ left: Datum, _ right: Datum) -> Int? {
        switch (left, right) {
        case (.integer(let a), .integer(let b)): return a < b ? -1 : a > b ? 1 : 0
        case (.double(let a), .double(let b)):
            guard !a.isNaN, !b.isNaN else { return nil }
            return a < b ? -1 : a > b ? 1 : 0
        case (.string(let a), .string(let b)):
            let x = trimmed(a)
            let y = trimmed(b)
            return x.lexicographicallyPrecedes(y) ? -1 : y.lexicographicallyPrecedes(x) ? 1 : 0
        default: return nil
        }
    }

    private static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        var end = bytes.count
        while end > 0, bytes[end - 1] == 0x20 { end -= 1 }
        return bytes[..<end]
    }
}

extension Int128 {
    func scaledUp(_ digits: Int) -> Int128? {
        var result = self
        for _ in 0..<digits {
            let (next, overflow) = result.multipliedReportingOverflow(by: 10)
            if overflow { return nil }
            result = next
        }
        return result
    }
    func flooredQuotient(_ divisor: Int128) -> Int128 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
