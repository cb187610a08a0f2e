/// DATE_TRUNC, DATEADD, DATEDIFF and their kin as pure, checked functions.
public enum DateArithmetic {
    // MARK: Truncation

    /// The first day of the unit that the day lies in; units finer than a day leave it.
    public static func truncate(_ part: DatePart, days: Int64) throws -> Int64 {
        let date = Calendar.civil(days: days)
        switch part {
        case .millennium: return firstDay(block(date.year, 1_000))
        case .century: return firstDay(block(date.year, 100))
        case .decade: return firstDay(Calendar.floorDivide(date.year, 10) * 10)
        case .year: return firstDay(date.year)
        case .quarter: return Calendar.days(year: date.year, month: (date.month - 1) / 3 * 3 + 1, day: 1)
        case .month: return Calendar.days(year: date.year, month: date.month, day: 1)
        case .week: return days - (Calendar.dayOfWeek(days) + 6) % 7
        case .day, .hour, .minute, .second, .millisecond, .microsecond: return days
        default: throw unsupported(part)
        }
    }

    public static func truncate(_ part: DatePart, timestamp: Int64) throws -> Int64 {
        switch part {
        case .hour, .minute, .second, .millisecond, .microsecond:
            let unit = part.microseconds ?? 1
            return Calendar.floorDivide(timestamp, unit) * unit
        default:
            let day = try truncate(part, days: Calendar.day(ofTimestamp: timestamp))
            return try Calendar.timestamp(ofDay: day)
        }
    }

    private static func firstDay(_ year: Int64) -> Int64 { Calendar.days(year: year, month: 1, day: 1) }

    /// The first year of a century or millennium: ...01.
    private static func block(_ year: Int64, _ size: Int64) -> Int64 {
        Calendar.floorDivide(year - 1, size) * size + 1
    }

    private static func unsupported(_ part: DatePart) -> SQLError {
        SQLError(.featureNotSupported, "timestamp units \"\(part.name)\" not supported")
    }

    // MARK: Addition

    /// Months on; a day beyond the end of the month becomes its last. `keepingLastDay` is ADD_MONTHS: the last day of a
    /// month stays a last day.
    public static func addMonths(_ months: Int64, days: Int64, keepingLastDay: Bool = false) throws -> Int64 {
        let date = Calendar.civil(days: days)
        let (total, overflow) = (date.year * 12 + date.month - 1).addingReportingOverflow(months)
        if overflow { throw Calendar.dateOutOfRange }
        let year = Calendar.floorDivide(total, 12)
        guard year >= Calendar.minimumYear && year <= Calendar.maximumYear else { throw Calendar.dateOutOfRange }
        let month = total - year * 12 + 1
        let last = Calendar.daysInMonth(year, month)
        let wasLast = keepingLastDay && date.day == Calendar.daysInMonth(date.year, date.month)
        return Calendar.days(year: year, month: month, day: wasLast ? last : min(date.day, last))
    }

    public static func addMonths(_ months: Int64, timestamp: Int64, keepingLastDay: Bool = false) throws -> Int64 {
        let day = Calendar.day(ofTimestamp: timestamp)
        let moved = try addMonths(months, days: day, keepingLastDay: keepingLastDay)
        return try add(try Calendar.timestamp(ofDay: moved), timestamp - day * Calendar.microsecondsPerDay)
    }

    public static func addDays(_ count: Int64, days: Int64) throws -> Int64 {
        let (sum, overflow) = days.addingReportingOverflow(count)
        if overflow { throw Calendar.dateOutOfRange }
        return try Calendar.checkedDate(sum)
    }

    /// DATEADD on a timestamp.
    public static func add(_ part: DatePart, _ count: Int64, timestamp: Int64) throws -> Int64 {
        if let unit = part.months {
            let (months, overflow) = unit.multipliedReportingOverflow(by: count)
            if overflow { throw Calendar.timestampOutOfRange }
            let moved = try addMonths(months, timestamp: timestamp)
            // By years February 29th becomes March 1st where there is none; by months it becomes the 28th.
            return unit >= 12 && losesLeapDay(timestamp, moved) ? try add(moved, Calendar.microsecondsPerDay) : moved
        }
        guard let unit = part.microseconds ?? (part == .dayOfYear ? Calendar.microsecondsPerDay : nil) else {
            throw unsupported(part)
        }
        let (microseconds, overflow) = unit.multipliedReportingOverflow(by: count)
        if overflow { throw Calendar.timestampOutOfRange }
        return try add(timestamp, microseconds)
    }

    private static func losesLeapDay(_ before: Int64, _ after: Int64) -> Bool {
        let date = Calendar.civil(days: Calendar.day(ofTimestamp: before))
        return date.month == 2 && date.day == 29 && Calendar.civil(days: Calendar.day(ofTimestamp: after)).day == 28
    }

    /// DATEADD on a time of day: wraps around midnight.
    public static func add(_ part: DatePart, _ count: Int64, time: Int64) throws -> Int64 {
        guard let unit = part.microseconds else { throw unsupported(part) }
        let wrapped = count % (Calendar.microsecondsPerDay / min(unit, Calendar.microsecondsPerDay)) * unit
        return Calendar.timeOfDay(time + wrapped)
    }

    public static func add(_ interval: Interval, timestamp: Int64) throws -> Int64 {
        let moved = interval.months == 0 ? timestamp : try addMonths(interval.months, timestamp: timestamp)
        return try add(moved, interval.microseconds)
    }

    private static func add(_ timestamp: Int64, _ microseconds: Int64) throws -> Int64 {
        let (sum, overflow) = timestamp.addingReportingOverflow(microseconds)
        if overflow { throw Calendar.timestampOutOfRange }
        return try Calendar.checkedTimestamp(sum)
    }

    // MARK: Difference

    /// DATEDIFF: the boundaries of the unit crossed from the first to the second moment. Weeks begin on Sunday.
    public static func difference(_ part: DatePart, from: Int64, to: Int64) throws -> Int64 {
        switch part {
        case .millennium, .century, .decade, .year, .quarter, .month, .week, .day, .dayOfYear:
            return try dateDifference(
                part, from: Calendar.day(ofTimestamp: from), to: Calendar.day(ofTimestamp: to))
        default:
            guard let unit = part.microseconds else { throw unsupported(part) }
            let (count, overflow) = Calendar.floorDivide(to, unit)
                .subtractingReportingOverflow(Calendar.floorDivide(from, unit))
            if overflow { throw Calendar.intervalOutOfRange }
            return count
        }
    }

    public static func dateDifference(_ part: DatePart, from: Int64, to: Int64) throws -> Int64 {
        if part == .day { return to - from }
        let first = Calendar.civil(days: from)
        let second = Calendar.civil(days: to)
        switch part {
        case .millennium:
            return Calendar.floorDivide(second.year - 1, 1_000) - Calendar.floorDivide(first.year - 1, 1_000)
        case .century: return Calendar.floorDivide(second.year - 1, 100) - Calendar.floorDivide(first.year - 1, 100)
        case .decade: return Calendar.floorDivide(second.year, 10) - Calendar.floorDivide(first.year, 10)
        case .year: return second.year - first.year
        case .quarter: return (second.year - first.year) * 4 + (second.month - 1) / 3 - (first.month - 1) / 3
        case .month: return (second.year - first.year) * 12 + second.month - first.month
        // Day 3 after the epoch was a Sunday.
        case .week: return Calendar.floorDivide(to - 3, 7) - Calendar.floorDivide(from - 3, 7)
        case .day, .dayOfYear: return to - from
        default:
            let (start, overflow1) = from.multipliedReportingOverflow(by: Calendar.microsecondsPerDay)
            let (end, overflow2) = to.multipliedReportingOverflow(by: Calendar.microsecondsPerDay)
            if overflow1 || overflow2 { throw Calendar.timestampOutOfRange }
            return try difference(part, from: start, to: end)
        }
    }

    /// Months between two moments; whole when the days are equal or both the last of their month, else with a
    /// fraction of a 31-day month.
    public static func monthsBetween(_ left: Int64, _ right: Int64) -> Double {
        let leftDay = Calendar.day(ofTimestamp: left)
        let rightDay = Calendar.day(ofTimestamp: right)
        let first = Calendar.civil(days: leftDay)
        let second = Calendar.civil(days: rightDay)
        let months = Double((first.year - second.year) * 12 + first.month - second.month)
        let bothLast =
            first.day == Calendar.daysInMonth(first.year, first.month)
            && second.day == Calendar.daysInMonth(second.year, second.month)
        if first.day == second.day || bothLast { return months }
        let time = Calendar.timeOfDay(left) - Calendar.timeOfDay(right)
        let microseconds = Double((first.day - second.day) * Calendar.microsecondsPerDay + time)
        return months + microseconds / Double(31 * Calendar.microsecondsPerDay)
    }

    public static func lastDay(_ days: Int64) -> Int64 {
        let date = Calendar.civil(days: days)
        return days - date.day + Calendar.daysInMonth(date.year, date.month)
    }

    /// The first such weekday (0 is Sunday) strictly later.
    public static func nextDay(_ days: Int64, weekday: Int64) throws -> Int64 {
        let ahead = (weekday - Calendar.dayOfWeek(days) + 6) % 7 + 1
        return try Calendar.checkedDate(days + (ahead <= 0 ? ahead + 7 : ahead))
    }

    /// The weekday (0 is Sunday) that NEXT_DAY's second argument names; nil for no name.
    public static func weekday(named name: String) -> Int64? {
        let wanted = name.lowercased()
        let names = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
        let single: [String: Int64] = ["m": 1, "w": 3, "f": 5]
        if let day = single[wanted] { return day }
        guard wanted.utf8.count >= 2 else { return nil }
        return names.firstIndex { $0.hasPrefix(wanted) }.map(Int64.init)
    }
}
