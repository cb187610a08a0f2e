/// A unit of date and time, as EXTRACT, DATE_PART, DATE_TRUNC, DATEADD and DATEDIFF name it.
public enum DatePart: Hashable, Sendable, CaseIterable {
    case millennium, century, decade, year, quarter, month, week, day, hour, minute, second, millisecond, microsecond
    case epoch, dayOfWeek, isoDayOfWeek, dayOfYear, isoYear, julian
    case timezone, timezoneHour, timezoneMinute

    /// The part that a name or one of its abbreviations means; any case.
    public init?(name: String) {
        guard let part = DatePart.names[name.lowercased()] else { return nil }
        self = part
    }

    private static let names: [String: DatePart] = {
        let spellings: [(DatePart, String)] = [
            (.millennium, "millennium millennia mil mils"), (.century, "century centuries c cent cents"),
            (.decade, "decade decades dec decs"), (.year, "year years y yr yrs"),
            (.quarter, "quarter quarters qtr qtrs"), (.month, "month months mon mons"), (.week, "week weeks w"),
            (.day, "day days d"), (.hour, "hour hours h hr hrs"), (.minute, "minute minutes m min mins"),
            (.second, "second seconds s sec secs"),
            (.millisecond, "millisecond milliseconds ms msec msecs msecond mseconds millisec millisecs millisecon"),
            (.microsecond, "microsecond microseconds us usec usecs usecond useconds microsec microsecs microsecon"),
            (.epoch, "epoch"), (.dayOfWeek, "dayofweek dow dw weekday"), (.isoDayOfWeek, "isodow"),
            (.dayOfYear, "dayofyear doy dy yearday"), (.isoYear, "isoyear"), (.julian, "julian j"),
            (.timezone, "timezone"), (.timezoneHour, "timezone_hour"), (.timezoneMinute, "timezone_minute"),
        ]
        var names: [String: DatePart] = [:]
        for (part, words) in spellings {
            for word in words.split(separator: " ") { names[String(word)] = part }
        }
        return names
    }()

    /// The name in messages.
    public var name: String {
        switch self {
        case .millennium: "millennium"
        case .century: "century"
        case .decade: "decade"
        case .year: "year"
        case .quarter: "quarter"
        case .month: "month"
        case .week: "week"
        case .day: "day"
        case .hour: "hour"
        case .minute: "minute"
        case .second: "second"
        case .millisecond: "millisecond"
        case .microsecond: "microsecond"
        case .epoch: "epoch"
        case .dayOfWeek: "dow"
        case .isoDayOfWeek: "isodow"
        case .dayOfYear: "doy"
        case .isoYear: "isoyear"
        case .julian: "julian"
        case .timezone: "timezone"
        case .timezoneHour: "timezone_hour"
        case .timezoneMinute: "timezone_minute"
        }
    }

    /// Months in one unit, nil for units that are not made of months.
    public var months: Int64? {
        switch self {
        case .millennium: 12_000
        case .century: 1_200
        case .decade: 120
        case .year: 12
        case .quarter: 3
        case .month: 1
        default: nil
        }
    }

    /// Microseconds in one unit of fixed length.
    public var microseconds: Int64? {
        switch self {
        case .week: 7 * Calendar.microsecondsPerDay
        case .day: Calendar.microsecondsPerDay
        case .hour: Calendar.microsecondsPerHour
        case .minute: Calendar.microsecondsPerMinute
        case .second: Calendar.microsecondsPerSecond
        case .millisecond: 1_000
        case .microsecond: 1
        default: nil
        }
    }
}
