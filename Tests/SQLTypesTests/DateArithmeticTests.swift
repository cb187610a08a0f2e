import Testing

@testable import SQLTypes

/// Expected values are examples of Redshift's and PostgreSQL's documentation of the functions.
@Suite struct DateArithmeticTests {
    private func moment(_ text: String) throws -> Int64 {
        try reading(text) { try TimestampText.parse($0, $1, DatetimeContext(nowMicroseconds: 0)) }
    }
    private func shown(_ value: Int64) -> String { written { TimestampText.append(value, to: $0) } }

    @Test(arguments: [
        (DatePart.millennium, "2001-01-01 00:00:00"), (.century, "2001-01-01 00:00:00"),
        (.decade, "2010-01-01 00:00:00"),
        (.year, "2013-01-01 00:00:00"), (.quarter, "2013-07-01 00:00:00"), (.month, "2013-08-01 00:00:00"),
        (.week, "2013-08-19 00:00:00"),
        (.day, "2013-08-25 00:00:00"), (.hour, "2013-08-25 22:00:00"), (.minute, "2013-08-25 22:53:00"),
        (.second, "2013-08-25 22:53:50"), (.millisecond, "2013-08-25 22:53:50.333"),
    ])
    func truncation(part: DatePart, expected: String) throws {
        #expect(
            shown(try DateArithmetic.truncate(part, timestamp: try moment("2013-08-25 22:53:50.333525"))) == expected)
    }

    @Test(arguments: [
        (DatePart.millennium, "2000-12-31", 2), (.millennium, "2001-01-01", 3), (.century, "2000-12-31", 20),
        (.century, "2001-01-01", 21),
        (.decade, "1999-12-31", 200), (.decade, "2000-01-01", 201), (.year, "2008-05-06", 2008),
        (.quarter, "2008-05-06", 2),
        (.week, "2010-01-01", 53), (.dayOfWeek, "2019-09-08", 0), (.dayOfYear, "2008-12-31", 366),
        (.month, "2008-05-06", 5),
        (.epoch, "1970-01-02", 86_400), (.julian, "1999-01-08", 2_451_187),
        (.millisecond, "2009-01-01 02:08:05.789", 789),
        (.second, "2009-01-01 02:08:05.789", 5), (.hour, "1969-12-31 23:00:00", 23),
    ])
    func extraction(part: DatePart, text: String, expected: Int64) throws {
        #expect(DateExtraction.extract(part, timestamp: try moment(text)) == expected)
    }

    @Test func addition() throws {
        func add(_ part: DatePart, _ count: Int64, _ text: String) throws -> String {
            shown(try DateArithmetic.add(part, count, timestamp: try moment(text)))
        }
        #expect(try add(.month, 1, "2003-01-31") == "2003-02-28 00:00:00")
        #expect(try add(.month, 1, "2008-01-31") == "2008-02-29 00:00:00")
        #expect(try add(.month, -13, "2008-03-31 12:00:00") == "2007-02-28 12:00:00")
        #expect(try add(.month, 18, "2008-02-28") == "2009-08-28 00:00:00")
        #expect(try add(.year, 1, "2008-02-29") == "2009-03-01 00:00:00")
        #expect(try add(.minute, 30, "2008-12-31 23:59:00") == "2009-01-01 00:29:00")
        #expect(try add(.week, 2, "2008-12-25") == "2009-01-08 00:00:00")
        let last = try DateArithmetic.addMonths(1, timestamp: try moment("2008-04-30"), keepingLastDay: true)
        #expect(shown(last) == "2008-05-31 00:00:00")
        for count in [Int64.max, Int64.min, 1 << 40] {
            for part in [DatePart.year, .month, .day, .millennium] {
                #expect(throws: SQLError.self) { try add(part, count, "2008-01-01") }
            }
        }
    }

    @Test func differences() throws {
        func difference(_ part: DatePart, _ from: String, _ to: String) throws -> Int64 {
            try DateArithmetic.difference(part, from: try moment(from), to: try moment(to))
        }
        #expect(try difference(.year, "2008-12-31", "2009-01-01") == 1)
        #expect(try difference(.week, "2009-01-01", "2009-12-31") == 52)
        #expect(try difference(.quarter, "1998-07-01", "2008-05-15") == 39)
        #expect(try difference(.month, "2009-01-31", "2009-02-01") == 1)
        #expect(try difference(.hour, "2009-01-01 00:59:59", "2009-01-01 01:00:00") == 1)
        #expect(try difference(.day, "2009-01-02", "2009-01-01") == -1)
        #expect(try difference(.week, "2024-06-08", "2024-06-09") == 1)
        #expect(try difference(.week, "2024-06-09", "2024-06-10") == 0)
        #expect(try difference(.century, "2000-12-31", "2001-01-01") == 1)
    }

    @Test func monthsAndDays() throws {
        #expect(DateArithmetic.monthsBetween(try moment("1969-01-18"), try moment("1969-03-18")) == -2)
        #expect(DateArithmetic.monthsBetween(try moment("2008-03-31"), try moment("2008-02-29")) == 1)
        let part = DateArithmetic.monthsBetween(try moment("1995-02-02"), try moment("1995-01-01"))
        #expect(abs(part - 1.03225806451612903) < 1e-12)
        let date = try moment("2014-08-20") / Calendar.microsecondsPerDay
        #expect(written { DateText.append(DateArithmetic.lastDay(date), to: $0) } == "2014-08-31")
        let next = try DateArithmetic.nextDay(date, weekday: try #require(DateArithmetic.weekday(named: "Tues")))
        #expect(written { DateText.append(next, to: $0) } == "2014-08-26")
        let same = try DateArithmetic.nextDay(date, weekday: 3)
        #expect(written { DateText.append(same, to: $0) } == "2014-08-27")
    }
}
