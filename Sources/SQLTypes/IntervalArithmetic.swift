/// Checked arithmetic on intervals, for kernels and constants alike. Months have 32 bits, as in interval input and in
/// the protocol; whatever does not fit throws ``Calendar/intervalOutOfRange``.
public enum IntervalArithmetic {
    public static func combine(_ left: Interval, _ right: Interval, subtract: Bool) throws -> Interval {
        let months =
            subtract
            ? left.months.subtractingReportingOverflow(right.months) : left.months.addingReportingOverflow(right.months)
        let microseconds =
            subtract
            ? left.microseconds.subtractingReportingOverflow(right.microseconds)
            : left.microseconds.addingReportingOverflow(right.microseconds)
        if months.overflow || microseconds.overflow { throw Calendar.intervalOutOfRange }
        return try checked(months.partialValue, microseconds.partialValue)
    }

    private static func checked(_ months: Int64, _ microseconds: Int64) throws -> Interval {
        guard Int32(exactly: months) != nil else { throw Calendar.intervalOutOfRange }
        return Interval(months: months, microseconds: microseconds)
    }

    public static func negated(_ interval: Interval) throws -> Interval {
        try combine(Interval(months: 0, microseconds: 0), interval, subtract: true)
    }

    /// Parts of months become days of a thirty-day month.
    public static func scaled(_ interval: Interval, by factor: Double) throws -> Interval {
        if let count = Int64(exactly: factor) {
            let months = interval.months.multipliedReportingOverflow(by: count)
            let microseconds = interval.microseconds.multipliedReportingOverflow(by: count)
            if months.overflow || microseconds.overflow { throw Calendar.intervalOutOfRange }
            return try checked(months.partialValue, microseconds.partialValue)
        }
        let months = Double(interval.months) * factor
        let whole = months.rounded(.towardZero)
        let rest = (months - whole) * 30 * Double(Calendar.microsecondsPerDay)
        let microseconds = (Double(interval.microseconds) * factor + rest).rounded()
        guard let first = Int64(exactly: whole), let second = Int64(exactly: microseconds) else {
            throw Calendar.intervalOutOfRange
        }
        return try checked(first, second)
    }

    /// Whole months and the rest between two moments.
    public static func age(later: Int64, earlier: Int64) throws -> Interval {
        let first = Calendar.civil(days: Calendar.day(ofTimestamp: earlier))
        let second = Calendar.civil(days: Calendar.day(ofTimestamp: later))
        var months = (second.year - first.year) * 12 + second.month - first.month
        var days = second.day - first.day
        var time = Calendar.timeOfDay(later) - Calendar.timeOfDay(earlier)
        if time < 0 {
            days -= 1
            time += Calendar.microsecondsPerDay
        }
        // As in PostgreSQL a month that is begun lends the days of the earlier moment's month.
        if days < 0 {
            months -= 1
            days += Calendar.daysInMonth(first.year, first.month)
        }
        return Interval(months: months, microseconds: days * Calendar.microsecondsPerDay + time)
    }
}
