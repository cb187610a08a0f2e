/// EXTRACT and DATE_PART as pure functions.
public enum DateExtraction {
    /// A part of a date; nil where a date has none (hours and finer are 0, zones are none).
    public static func extract(_ part: DatePart, days: Int64) -> Int64? {
        let date = Calendar.civil(days: days)
        switch part {
        case .millennium: return blockNumber(date.year, 1_000)
        case .century: return blockNumber(date.year, 100)
        // Redshift counts decades from year 1: decade 1 has nine years.
        case .decade: return Calendar.floorDivide(date.year, 10) + 1
        // There is no year 0: 1 BC is reported as -1.
        case .year: return date.year > 0 ? date.year : date.year - 1
        case .isoYear:
            let year = Calendar.isoWeek(days).year
            return year > 0 ? year : year - 1
        case .quarter: return (date.month + 2) / 3
        case .month: return date.month
        case .week: return Calendar.isoWeek(days).week
        case .day: return date.day
        case .dayOfWeek: return Calendar.dayOfWeek(days)
        case .isoDayOfWeek: return (Calendar.dayOfWeek(days) + 6) % 7 + 1
        case .dayOfYear: return Calendar.dayOfYear(days)
        case .julian: return days + Calendar.julianEpoch
        case .epoch: return days * 86_400
        case .hour, .minute, .second, .millisecond, .microsecond: return 0
        case .timezone, .timezoneHour, .timezoneMinute: return nil
        }
    }

    /// A part of a timestamp as an integer; seconds and finer within their next larger unit, epoch in whole seconds.
    public static func extract(_ part: DatePart, timestamp: Int64) -> Int64? {
        switch part {
        case .hour, .minute, .second, .millisecond, .microsecond:
            return extract(part, time: Calendar.timeOfDay(timestamp))
        case .epoch: return Calendar.floorDivide(timestamp, Calendar.microsecondsPerSecond)
        default: return extract(part, days: Calendar.day(ofTimestamp: timestamp))
        }
    }

    /// A part of a time of day; nil for parts of dates. `ms` and `us` count within the second, as in Redshift.
    public static func extract(_ part: DatePart, time: Int64) -> Int64? {
        switch part {
        case .hour: return time / Calendar.microsecondsPerHour
        case .minute: return time / Calendar.microsecondsPerMinute % 60
        case .second: return time / Calendar.microsecondsPerSecond % 60
        case .millisecond: return time % Calendar.microsecondsPerSecond / 1_000
        case .microsecond: return time % Calendar.microsecondsPerSecond
        case .epoch: return time / Calendar.microsecondsPerSecond
        default: return nil
        }
    }

    /// DATE_PART's form: seconds and epoch with their fraction.
    public static func datePart(_ part: DatePart, timestamp: Int64) -> Double? {
        switch part {
        case .second: return Double(Calendar.timeOfDay(timestamp) % Calendar.microsecondsPerMinute) / 1e6
        case .epoch: return Double(timestamp) / 1e6
        default: return extract(part, timestamp: timestamp).map(Double.init)
        }
    }

    /// A part of an interval: years to months from its months, days to microseconds from its microseconds.
    public static func extract(_ part: DatePart, interval: Interval) -> Int64? {
        let years = interval.months / 12
        let time = interval.microseconds % Calendar.microsecondsPerDay
        switch part {
        case .millennium: return years / 1_000
        case .century: return years / 100
        case .decade: return years / 10
        case .year: return years
        case .quarter: return interval.months % 12 / 3 + 1
        case .month: return interval.months % 12
        case .day: return interval.microseconds / Calendar.microsecondsPerDay
        case .epoch:
            // A year counts 365.25 days and a month 30, as in PostgreSQL.
            let (product, overflow) = years.multipliedReportingOverflow(by: 31_557_600)
            if overflow { return nil }
            let rest = interval.months % 12 * 2_592_000 + interval.microseconds / Calendar.microsecondsPerSecond
            let (sum, carry) = product.addingReportingOverflow(rest)
            return carry ? nil : sum
        default: return extract(part, time: time)
        }
    }

    /// 1 for the first block of years AD, -1 for the first BC.
    private static func blockNumber(_ year: Int64, _ size: Int64) -> Int64 {
        year > 0 ? (year - 1) / size + 1 : -((-year) / size + 1)
    }
}
