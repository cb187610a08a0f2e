/// The proleptic Gregorian calendar on plain numbers: days since 1970-01-01 and microseconds since its midnight.
/// Years are astronomical: 0 is 1 BC, -4712 is 4713 BC. All functions are total on the ranges below.
@frozen
public enum Calendar {
    public static let microsecondsPerSecond: Int64 = 1_000_000
    public static let microsecondsPerMinute: Int64 = 60_000_000
    public static let microsecondsPerHour: Int64 = 3_600_000_000
    public static let microsecondsPerDay: Int64 = 86_400_000_000

    public static let minimumYear: Int64 = -4712
    public static let maximumYear: Int64 = 294_276
    /// 4713-01-01 BC.
    public static let minimumDay: Int64 = days(year: minimumYear, month: 1, day: 1)
    /// 294276-12-31.
    public static let maximumDay: Int64 = days(year: maximumYear, month: 12, day: 31)
    public static let minimumTimestamp: Int64 = minimumDay * microsecondsPerDay
    /// The end of year 294246: 64 bits of microseconds since 1970 end early in 294247.
    public static let maximumTimestamp: Int64 = days(year: 294_247, month: 1, day: 1) * microsecondsPerDay - 1
    /// Julian day number of 1970-01-01.
    public static let julianEpoch: Int64 = 2_440_588

    @inlinable @inline(__always)
    public static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return quotient &- (value &- quotient &* divisor < 0 ? 1 : 0)
    }

    /// Any day of a month that exists; year, month and day of a larger range give the day that arithmetic gives.
    @inlinable
    public static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year &- 1 : year
        let era = floorDivide(shifted, 400)
        let yearOfEra = shifted &- era &* 400
        let monthFromMarch = month > 2 ? month &- 3 : month &+ 9
        let dayOfYear = (153 &* monthFromMarch &+ 2) / 5 &+ day &- 1
        let dayOfEra = yearOfEra &* 365 &+ yearOfEra / 4 &- yearOfEra / 100 &+ dayOfYear
        return era &* 146_097 &+ dayOfEra &- 719_468
    }

    @inlinable
    public static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days &+ 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted &- era &* 146_097
        let yearOfEra = (dayOfEra &- dayOfEra / 1460 &+ dayOfEra / 36_524 &- dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra &- (365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100)
        let monthFromMarch = (5 &* dayOfYear &+ 2) / 153
        let day = dayOfYear &- (153 &* monthFromMarch &+ 2) / 5 &+ 1
        let month = monthFromMarch < 10 ? monthFromMarch &+ 3 : monthFromMarch &- 9
        return (yearOfEra &+ era &* 400 &+ (month <= 2 ? 1 : 0), month, day)
    }

    @inlinable
    public static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    @inlinable
    public static func daysInMonth(_ year: Int64, _ month: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// 0 is Sunday.
    @inlinable
    public static func dayOfWeek(_ days: Int64) -> Int64 {
        let shifted = days &+ 4
        return shifted &- floorDivide(shifted, 7) &* 7
    }

    /// 1 is January 1st.
    @inlinable
    public static func dayOfYear(_ date: Int64) -> Int64 {
        date &- days(year: civil(days: date).year, month: 1, day: 1) &+ 1
    }

    /// The ISO week and the year it belongs to.
    @inlinable
    public static func isoWeek(_ date: Int64) -> (year: Int64, week: Int64) {
        let thursday = date &- (dayOfWeek(date) &+ 6) % 7 &+ 3
        let year = civil(days: thursday).year
        return (year, (thursday &- days(year: year, month: 1, day: 1)) / 7 &+ 1)
    }

    @inlinable @inline(__always)
    public static func day(ofTimestamp microseconds: Int64) -> Int64 {
        floorDivide(microseconds, 86_400_000_000)
    }

    @inlinable @inline(__always)
    public static func timeOfDay(_ microseconds: Int64) -> Int64 {
        microseconds &- floorDivide(microseconds, 86_400_000_000) &* 86_400_000_000
    }

    /// 22008 outside of 4713 BC ... 294276.
    public static func checkedDate(_ days: Int64) throws -> Int64 {
        guard days >= minimumDay && days <= maximumDay else { throw dateOutOfRange }
        return days
    }

    public static func checkedTimestamp(_ microseconds: Int64) throws -> Int64 {
        guard microseconds >= minimumTimestamp && microseconds <= maximumTimestamp else { throw timestampOutOfRange }
        return microseconds
    }

    /// Midnight of a day.
    public static func timestamp(ofDay days: Int64) throws -> Int64 {
        let (product, overflow) = days.multipliedReportingOverflow(by: microsecondsPerDay)
        if overflow { throw timestampOutOfRange }
        return try checkedTimestamp(product)
    }

    public static var dateOutOfRange: SQLError { SQLError(.datetimeOverflow, "date out of range") }
    public static var timestampOutOfRange: SQLError { SQLError(.datetimeOverflow, "timestamp out of range") }
    public static var intervalOutOfRange: SQLError { SQLError(.datetimeOverflow, "interval out of range") }
}
