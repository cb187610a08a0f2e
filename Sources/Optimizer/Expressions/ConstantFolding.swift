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
            guard case .interval(let interval) = values[0], interval.months != .min, interval.microseconds != .min
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
        case .integer, .date: return Int32(exactly: value) != nil
        case .bigint, .timestamp, .timestamptz, .time: return Int64(exactly: value) != nil
        case .decimal(let precision, _):
            guard let limit = Int128(1).scaledUp(precision) else { return false }
            return value < limit && value > -limit
        default: return false
        }
    }

    private static func addDays(_ values: [Datum], negative: Bool, _ type: SQLType) -> Datum? {
        guard values.count == 2, case .integer(let date) = values[0], case .integer(let days) = values[1],
            type == .date, days.magnitude < 10_000_000
        else { return nil }
        let sum = negative ? date - days : date + days
        return CivilDate.validDays.contains(Int64(clamping: sum)) ? .integer(sum) : nil
    }

    private static func addInterval(_ arguments: [BoundExpression], _ values: [Datum], _ type: SQLType) -> Datum? {
        guard values.count == 2, case .integer(let start) = values[0], case .interval(let interval) = values[1],
            interval.months.magnitude < 200_000, interval.microseconds.magnitude < 1 << 60
        else { return nil }
        let isDate = arguments[0].type == .date
        guard isDate || arguments[0].type == .timestamp || arguments[0].type == .timestamptz,
            type == .date || type == .timestamp || type == .timestamptz
        else { return nil }
        let day = Int128(CivilDate.microsecondsPerDay)
        var days = isDate ? start : start.flooredQuotient(day)
        let rest = isDate ? 0 : start - days * day
        guard CivilDate.validDays.contains(Int64(clamping: days)) else { return nil }
        if interval.months != 0 { days = Int128(CivilDate.addMonths(interval.months, to: Int64(days))) }
        let total = days * day + rest + Int128(interval.microseconds)
        guard CivilDate.validDays.contains(Int64(clamping: total.flooredQuotient(day))) else { return nil }
        if type == .date { return .integer(total.flooredQuotient(day)) }
        return .integer(total)
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

/// Days since 1970 to and from the Gregorian calendar.
enum CivilDate {
    static let microsecondsPerDay: Int64 = 86_400_000_000
    /// 4713 BC to the year 294276: the range of Redshift's timestamps.
    static let validDays: ClosedRange<Int64> = -2_440_588...106_751_990

    static func components(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The day is cut to the last of the target month.
    static func addMonths(_ months: Int64, to days: Int64) -> Int64 {
        let (year, month, day) = components(days)
        let total = year * 12 + month - 1 + months
        let newYear = total >= 0 ? total / 12 : (total - 11) / 12
        let newMonth = total - newYear * 12 + 1
        let first = self.days(year: newYear, month: newMonth, day: 1)
        let next = newMonth == 12
            ? self.days(year: newYear + 1, month: 1, day: 1) : self.days(year: newYear, month: newMonth + 1, day: 1)
        return first + min(day, next - first) - 1
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
