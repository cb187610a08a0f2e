import ColumnVectors
import Platform
import QueryPlan
import SQLTypes

/// Arithmetic on dates, times, timestamps and intervals. Timestamps with zone are computed with in the session's zone.
enum DatetimeFunctions {
    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .dateAddDays: dateAddDays
        case .dateSubtractDays: dateSubtractDays
        case .dateDifference: dateDifference
        case .dateAddInterval: dateAddInterval
        case .timestampAddInterval: timestampAddInterval
        case .timestampSubtract: timestampSubtract
        case .timeAddInterval: timeAddInterval
        case .dateAddTime: dateAddTime
        case .intervalAdd: intervalAdd
        case .intervalSubtract: intervalSubtract
        case .intervalMultiply: intervalMultiply
        case .intervalDivide: intervalDivide
        case .intervalNegate: intervalNegate
        case .addMonths: addMonths
        case .monthsBetween: monthsBetween
        case .lastDay: lastDay
        case .nextDay: nextDay
        case .age: age
        case .makeDate: makeDate
        case .epochToTimestamp: epochToTimestamp
        case .atTimeZone: atTimeZone
        case .timestampToZone: timestampToZone
        case .timeToZone: timeToZone
        case .currentDate: currentDate
        case .currentTimestamp: currentTimestamp
        case .getDate: getDate
        case .timeOfDay: timeOfDay
        default: nil
        }
    }

    // MARK: Operators

    static let dateAddDays = FunctionKernel.binary(Int32.self, Int32.self, Int32.self) { day, count in
        Int32(truncatingIfNeeded: try DateArithmetic.addDays(Int64(count), days: Int64(day)))
    }
    static let dateSubtractDays = FunctionKernel.binary(Int32.self, Int32.self, Int32.self) { day, count in
        Int32(truncatingIfNeeded: try DateArithmetic.addDays(0 - Int64(count), days: Int64(day)))
    }
    static let dateDifference = FunctionKernel.binary(Int32.self, Int32.self, Int32.self) { left, right in
        guard let days = Int32(exactly: Int64(left) - Int64(right)) else { throw Calendar.dateOutOfRange }
        return days
    }
    static let dateAddInterval = FunctionKernel.binary(Int32.self, Int128.self, Int64.self) { day, interval in
        try DateArithmetic.add(Interval(packed: interval), timestamp: try Calendar.timestamp(ofDay: Int64(day)))
    }
    static let timestampAddInterval = FunctionKernel { site in
        let zone = site.zone(of: site.result)
        return try FunctionKernel.binary(Int64.self, Int128.self, Int64.self) { moment, interval in
            let interval = Interval(packed: interval)
            guard let zone, interval.months != 0 else { return try DateArithmetic.add(interval, timestamp: moment) }
            let local = try DateArithmetic.addMonths(interval.months, timestamp: zone.local(fromUTC: moment))
            let moved = try Calendar.checkedTimestamp(zone.utc(fromLocal: local))
            return try DateArithmetic.add(Interval(months: 0, microseconds: interval.microseconds), timestamp: moved)
        }.make(site)
    }
    static let timestampSubtract = FunctionKernel.binary(Int64.self, Int64.self, Int128.self) { left, right in
        let (microseconds, overflow) = left.subtractingReportingOverflow(right)
        if overflow { throw Calendar.intervalOutOfRange }
        return Interval(months: 0, microseconds: microseconds).packed
    }
    static let timeAddInterval = FunctionKernel { site in
        let packed = site.result == .timetz
        return try FunctionKernel.binary(Int64.self, Int128.self, Int64.self) { time, interval in
            let step = Interval(packed: interval).microseconds % Calendar.microsecondsPerDay
            if !packed { return Calendar.timeOfDay(time + step) }
            let value = TimeWithZone(packed: time)
            return TimeWithZone(local: Calendar.timeOfDay(value.local + step), offsetMinutes: value.offsetMinutes)
                .packed
        }.make(site)
    }
    /// [date, time or timetz]
    static let dateAddTime = FunctionKernel { site in
        let packed = site.arguments[1] == .timetz
        return try FunctionKernel.binary(Int32.self, Int64.self, Int64.self) { day, time in
            let start = try Calendar.timestamp(ofDay: Int64(day))
            return try Calendar.checkedTimestamp(start + (packed ? TimeWithZone(packed: time).utc : time))
        }.make(site)
    }

    // MARK: Intervals

    static let intervalAdd = FunctionKernel.binary(Int128.self, Int128.self, Int128.self) {
        try IntervalArithmetic.combine(Interval(packed: $0), Interval(packed: $1), subtract: false).packed
    }
    static let intervalSubtract = FunctionKernel.binary(Int128.self, Int128.self, Int128.self) {
        try IntervalArithmetic.combine(Interval(packed: $0), Interval(packed: $1), subtract: true).packed
    }
    static let intervalMultiply = FunctionKernel.binary(Int128.self, Double.self, Int128.self) {
        try IntervalArithmetic.scaled(Interval(packed: $0), by: $1).packed
    }
    static let intervalDivide = FunctionKernel.binary(Int128.self, Double.self, Int128.self) {
        if $1 == 0 { throw DecimalArithmetic.divisionByZero }
        return try IntervalArithmetic.scaled(Interval(packed: $0), by: 1 / $1).packed
    }
    static let intervalNegate = FunctionKernel.unary(Int128.self, Int128.self) {
        let zero = Interval(months: 0, microseconds: 0)
        return try IntervalArithmetic.combine(zero, Interval(packed: $0), subtract: true).packed
    }

    // MARK: Calendar

    static let addMonths = FunctionKernel.binary(Int64.self, Int32.self, Int64.self) {
        try DateArithmetic.addMonths(Int64($1), timestamp: $0, keepingLastDay: true)
    }
    static let monthsBetween = FunctionKernel.binary(Int64.self, Int64.self, Double.self) {
        DateArithmetic.monthsBetween($0, $1)
    }
    static let lastDay = FunctionKernel.unary(Int32.self, Int32.self) {
        Int32(truncatingIfNeeded: DateArithmetic.lastDay(Int64($0)))
    }
    static let nextDay = FunctionKernel.binary(Int32.self, StringView.self, Int32.self) { day, name in
        guard let weekday = DateArithmetic.weekday(named: String(decoding: name.bytes, as: UTF8.self)) else {
            throw SQLError(
                .invalidParameterValue,
                "Not a valid day of the week: \(TextInput.quoted(name.pointer, Int(name.count)))")
        }
        return Int32(truncatingIfNeeded: try DateArithmetic.nextDay(Int64(day), weekday: weekday))
    }
    static let age = FunctionKernel.binary(Int64.self, Int64.self, Int128.self) { to, from in
        let value = try IntervalArithmetic.age(later: max(to, from), earlier: min(to, from))
        if to >= from { return value.packed }
        return Interval(months: 0 - value.months, microseconds: 0 - value.microseconds).packed
    }
    static let makeDate = FunctionKernel.ternary(Int32.self, Int32.self, Int32.self, Int32.self) { year, month, day in
        let (year, month, day) = (Int64(year), Int64(month), Int64(day))
        guard year >= Calendar.minimumYear, year <= Calendar.maximumYear, month >= 1, month <= 12, day >= 1,
            day <= Calendar.daysInMonth(year, month)
        else { throw SQLError(.datetimeOverflow, "date field value out of range: \(year)-\(month)-\(day)") }
        return Int32(truncatingIfNeeded: Calendar.days(year: year, month: month, day: day))
    }
    static let epochToTimestamp = FunctionKernel.unary(Double.self, Int64.self) { seconds in
        guard let moment = Int64(exactly: (seconds * 1e6).rounded()) else { throw Calendar.timestampOutOfRange }
        return try Calendar.checkedTimestamp(moment)
    }

    // MARK: Zones

    /// [zone, local time] -> moment
    static let atTimeZone = FunctionKernel { site in
        try zoneKernel(site) { try Calendar.checkedTimestamp($0.utc(fromLocal: $1)) }
    }
    /// [zone, moment] -> local time
    static let timestampToZone = FunctionKernel { site in
        try zoneKernel(site) { try Calendar.checkedTimestamp($0.local(fromUTC: $1)) }
    }

    /// [zone, TIMETZ] -> TIMETZ with the offset that the zone has now
    static let timeToZone = FunctionKernel { site in
        let now = site.context.datetime.nowMicroseconds / 1_000_000
        return try zoneKernel(site) { zone, packed in
            let offset = Int64(zone.offsetSeconds(atUTCSeconds: now) / 60)
            let local = TimeWithZone(packed: packed).utc + offset * Calendar.microsecondsPerMinute
            return TimeWithZone(local: Calendar.timeOfDay(local), offsetMinutes: offset).packed
        }
    }

    private static func zoneKernel(
        _ site: FunctionSite, _ body: @escaping (ZoneRules, Int64) throws -> Int64
    ) throws -> (FunctionFrame) throws -> Void {
        let fixed = try site.text(0).map { try zone(named: $0) }
        return { frame in
            let input = frame.arguments[1].values(Int64.self)
            let output = frame.output(Int64.self)
            try frame.forEachRow { row in
                output[row] = try body(fixed ?? zone(named: Array(frame.string(0, row).bytes)), input[row])
            }
        }
    }

    static func zone(named bytes: [UInt8]) throws -> ZoneRules {
        let name = String(decoding: bytes.prefix(256), as: UTF8.self)
        if let zone = ZoneRules.named(name) { return zone }
        throw SQLError(.invalidParameterValue, "time zone \"\(name)\" not recognized")
    }

    // MARK: Clocks

    static let currentDate = clock { site in
        let context = site.context.datetime
        return Calendar.day(ofTimestamp: context.zone.local(fromUTC: context.nowMicroseconds))
    }
    static let currentTimestamp = clock { site in
        let context = site.context.datetime
        return site.result == .timestamptz
            ? context.nowMicroseconds : context.zone.local(fromUTC: context.nowMicroseconds)
    }
    static let getDate = clock { site in
        let context = site.context.datetime
        let local = context.zone.local(fromUTC: context.nowMicroseconds)
        return Calendar.floorDivide(local, Calendar.microsecondsPerSecond) * Calendar.microsecondsPerSecond
    }

    /// The statement's time: the same for all rows.
    private static func clock(_ body: @escaping (FunctionSite) -> Int64) -> FunctionKernel {
        FunctionKernel { site in
            let value = Int128(body(site))
            let type = site.result
            return { frame in
                let output = WideOutput(frame, type)
                frame.forEachRow { output.put($0, value) }
            }
        }
    }

    static let timeOfDay = FunctionKernel(deterministic: false) { site in
        let format = try DatetimeFormat("Dy Mon DD HH24:MI:SS.US YYYY")
        let (zone, time) = (site.context.datetime.zone, site.context.time)
        return { frame in
            let result = TextResult(frame)
            let now = time.wallMicroseconds()
            try frame.forEachRow { row in
                format.append(timestamp: zone.local(fromUTC: now), to: result.buffer)
                result.buffer.append(text: " " + zone.abbreviation(atUTCSeconds: now / 1_000_000))
                try result.put(row)
            }
        }
    }
}

extension FunctionSite {
    /// The session's zone for values with zone, nil for others.
    func zone(of type: SQLType) -> ZoneRules? { type == .timestamptz ? context.datetime.zone : nil }
}
