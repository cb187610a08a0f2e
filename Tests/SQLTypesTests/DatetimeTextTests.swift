import Testing

@testable import SQLTypes

@Suite struct DatetimeTextTests {
    let context = DatetimeContext(nowMicroseconds: 1_700_000_000_000_000)

    @Test(arguments: calendarDays)
    func calendar(text: String, days: Int64, weekday: Int64, dayOfYear: Int64, isoYear: Int64, isoWeek: Int64) throws {
        #expect(reading(text, { DateText.parseISO($0, $1) }) == days)
        #expect(written { DateText.append(days, to: $0) } == text)
        #expect(Calendar.dayOfWeek(days) == weekday)
        #expect(Calendar.dayOfYear(days) == dayOfYear)
        #expect(Calendar.isoWeek(days) == (isoYear, isoWeek))
    }

    @Test func everyDayIsItsOwn() {
        var day = Calendar.minimumDay
        while day <= Calendar.maximumDay {
            let date = Calendar.civil(days: day)
            if Calendar.days(year: date.year, month: date.month, day: date.day) != day { Issue.record("day \(day)") }
            day += 1_009
        }
        // Julian day 0 was 4714-11-24 BC in the proleptic Gregorian calendar.
        #expect(Calendar.days(year: -4713, month: 11, day: 24) == -Calendar.julianEpoch)
    }

    @Test(arguments: [
        "2000-02-30", "1999-02-29", "2000-13-01", "2000-00-10", "2000-01-00", "2000-1x-01", "2000/01-01", "20000-01-1",
        "0000-01-01",
    ])
    func fastReaderRefuses(text: String) { #expect(reading(text, { DateText.parseISO($0, $1) }) == nil) }

    /// Forms of PostgreSQL's and Redshift's documentation of date input.
    @Test(arguments: [
        ("January 8, 1999", "1999-01-08"), ("1999-01-08", "1999-01-08"), ("1/8/1999", "1999-01-08"),
        ("1/18/1999", "1999-01-18"),
        ("01/02/03", "2003-01-02"), ("1999-Jan-08", "1999-01-08"), ("Jan-08-1999", "1999-01-08"),
        ("08-Jan-1999", "1999-01-08"),
        ("19990108", "1999-01-08"), ("990108", "1999-01-08"), ("1999.008", "1999-01-08"), ("J2451187", "1999-01-08"),
        ("January 8, 99 BC", "0099-01-08 BC"), ("Jan-08-95", "1995-01-08"), ("epoch", "1970-01-01"),
        ("today", "2023-11-14"),
        ("yesterday", "2023-11-13"), ("tomorrow", "2023-11-15"), ("08.01.1999", "1999-08-01"),
        ("4713-01-01 BC", "4713-01-01 BC"),
        ("294276-12-31", "294276-12-31"), ("2008-06-01 09:59:59", "2008-06-01"), ("Fri Jun 20 2008", "2008-06-20"),
    ])
    func dates(text: String, expected: String) throws {
        let days = try reading(text) { try DateText.parse($0, $1, context) }
        #expect(written { DateText.append(days, to: $0) } == expected)
    }

    @Test func dateErrors() {
        func error(_ text: String) -> SQLError? {
            #expect(throws: SQLError.self) { try reading(text) { try DateText.parse($0, $1, context) } }
        }
        #expect(error("abc") == SQLError("22007", "invalid input syntax for type date: \"abc\""))
        #expect(error("2001-02-29") == SQLError("22008", "date/time field value out of range: \"2001-02-29\""))
        #expect(error("13/13/2001")?.state == .datetimeOverflow)
        #expect(error("294277-01-01")?.state == .datetimeOverflow)
        for text in ["", "2001", "2001-", "1 2 3 4", "::", "2001-01-01 25", "-5", String(repeating: "9", count: 300)] {
            #expect(error(text) != nil)
        }
    }

    @Test(arguments: [
        ("2008-06-01 09:59:59", "2008-06-01 09:59:59"), ("2008-06-01T09:59:59.123456", "2008-06-01 09:59:59.123456"),
        ("2019-02-11T05:09:12.195Z", "2019-02-11 05:09:12.195"), ("20080215 091530", "2008-02-15 09:15:30"),
        ("1999-01-08 04:05:06 PM", "1999-01-08 16:05:06"), ("1999-01-08 12:05 AM", "1999-01-08 00:05:00"),
        ("2001-01-01", "2001-01-01 00:00:00"),
        ("08 Mar 12:55:12 2005 EST", "2005-03-08 12:55:12"), ("1999-01-08 04:05:06.500000-08", "1999-01-08 04:05:06.5"),
        ("Jan 8 04:05:06 1999 PST", "1999-01-08 04:05:06"), ("epoch", "1970-01-01 00:00:00"),
        ("0044-03-15 12:00:00 BC", "0044-03-15 12:00:00 BC"),
        ("2008-06-01 24:00:00", "2008-06-02 00:00:00"), ("10.02.2017 11:12:13 UTC", "2017-10-02 11:12:13"),
    ])
    func timestamps(text: String, expected: String) throws {
        let value = try reading(text) { try TimestampText.parse($0, $1, context) }
        #expect(written { TimestampText.append(value, to: $0) } == expected)
    }

    @Test(arguments: [
        ("2001-02-16 20:38:40-05", "UTC", "2001-02-17 01:38:40+00"),
        ("2001-02-16 20:38:40", "America/New_York", "2001-02-16 20:38:40-05"),
        ("2001-07-16 20:38:40 America/New_York", "UTC", "2001-07-17 00:38:40+00"),
        ("2001-02-16 20:38:40 PST", "UTC", "2001-02-17 04:38:40+00"),
        ("2001-02-16 20:38:40+05:30", "Asia/Kolkata", "2001-02-16 20:38:40+05:30"),
        ("2040-07-01 12:00", "Europe/Berlin", "2040-07-01 12:00:00+02"),
        // The hour that is skipped counts on with standard time; of the hour that comes twice standard time is meant.
        ("2024-03-10 02:30:00", "America/New_York", "2024-03-10 03:30:00-04"),
        ("2024-11-03 01:30:00", "America/New_York", "2024-11-03 01:30:00-05"),
    ])
    func timestampsWithZone(text: String, zone: String, expected: String) throws {
        let rules = try #require(ZoneRules.named(zone))
        let context = DatetimeContext(nowMicroseconds: 0, zone: rules)
        let value = try reading(text) { try TimestampText.parseWithZone($0, $1, context) }
        #expect(written { TimestampText.append(value, zone: rules, to: $0) } == expected)
    }

    @Test(arguments: zoneMoments)
    func zones(zone: String, seconds: Int64, offset: Int64) throws {
        let rules = try #require(ZoneRules.named(zone))
        #expect(rules.offsetSeconds(atUTCSeconds: seconds) == offset)
    }

    @Test func zoneNames() {
        #expect(ZoneRules.named("america/new_york")?.offsetSeconds(atUTCSeconds: 0) == -18_000)
        #expect(ZoneRules.named("EST5EDT")?.offsetSeconds(atUTCSeconds: 1_720_000_000) == -14_400)
        for name in ["", "nowhere", "../../etc/passwd", "America/../UTC", "America"] {
            #expect(ZoneRules.named(name) == nil)
        }
    }

    @Test func times() throws {
        func time(_ text: String) throws -> String {
            let value = try reading(text) { try TimeText.parse($0, $1, context) }
            return written { TimeText.append(value, to: $0) }
        }
        #expect(try time("04:05:06.789") == "04:05:06.789")
        #expect(try time("04:05") == "04:05:00")
        #expect(try time("04:05 PM") == "16:05:00")
        #expect(try time("24:00:00") == "24:00:00")
        #expect(throws: SQLError.self) { try time("24:00:01") }
        #expect(throws: SQLError.self) { try time("12:60") }
        let zoned = try reading("23:05:06-08:30") { try TimeText.parseWithZone($0, $1, context) }
        #expect(written { TimeText.append(packed: zoned, to: $0) } == "23:05:06-08:30")
    }

    @Test(arguments: [
        ("1 year 2 months 3 days 04:05:06", "1 year 2 mons 3 days 04:05:06"), ("1-2", "1 year 2 mons"),
        ("3 4:05:06", "3 days 04:05:06"),
        ("P1Y2M3DT4H5M6S", "1 year 2 mons 3 days 04:05:06"), ("1.5 days", "1 day 12:00:00"), ("-1 day", "-1 days"),
        ("2 weeks", "14 days"),
        ("1 month 2 days ago", "-1 mons -2 days"), ("90 minutes", "01:30:00"), ("0 seconds", "00:00:00"),
        ("1.5 years", "1 year 6 mons"),
        ("-1 month +1 day", "-1 mons +1 day"), ("100 hours", "4 days 04:00:00"), ("5 milliseconds", "00:00:00.005"),
        ("1 quarter", "3 mons"),
    ])
    func intervals(text: String, expected: String) throws {
        let value = try reading(text) { try IntervalText.parse($0, $1) }
        #expect(written { IntervalText.append(value, to: $0) } == expected)
    }

    @Test func intervalQualifiers() throws {
        func parse(_ text: String, _ from: DatePart, _ to: DatePart, _ precision: Int? = nil) throws -> String {
            let qualifier = IntervalQualifier(from: from, to: to, precision: precision)
            let value = try reading(text) { try IntervalText.parse($0, $1, qualifier: qualifier) }
            return written { IntervalText.append(value, to: $0) }
        }
        #expect(try parse("5", .day, .day) == "5 days")
        #expect(try parse("3", .year, .year) == "3 years")
        #expect(try parse("1-6", .year, .month) == "1 year 6 mons")
        #expect(try parse("1 day 2:03:04.567", .day, .minute) == "1 day 02:03:00")
        #expect(try parse("4:05", .minute, .second) == "00:04:05")
        #expect(try parse("1.987654", .second, .second, 3) == "00:00:01.987")
        for text in ["", "1 parsec", "year", "9999999999999999999 days", "99999999999999999 years", "P", "ago"] {
            #expect(throws: SQLError.self) { try reading(text) { try IntervalText.parse($0, $1) } }
        }
    }
}
