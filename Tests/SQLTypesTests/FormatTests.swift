import Testing

@testable import SQLTypes

@Suite struct FormatTests {
    /// Examples of the TO_CHAR pages of PostgreSQL's and Redshift's documentation.
    @Test(arguments: [
        ("-0.1", "99.99", "  -.10"), ("-0.1", "FM9.99", "-.1"), ("0.1", "0.9", " 0.1"),
        ("12", "9990999.9", "    0012.0"),
        ("12", "FM9990999.9", "0012."), ("485", "999", " 485"), ("-485", "999", "-485"), ("1485", "9,999", " 1,485"),
        ("1485", "9G999", " 1,485"), ("148.5", "999.999", " 148.500"), ("148.5", "FM999.999", "148.5"),
        ("148.5", "FM999.990", "148.500"),
        ("3148.5", "9,999.999", " 3,148.500"), ("-485", "999S", "485-"), ("-485", "999MI", "485-"),
        ("485", "999MI", "485 "),
        ("485", "FM999MI", "485"), ("485", "PL999", "+485"), ("485", "SG999", "+485"), ("-485", "SG999", "-485"),
        ("-485", "9SG99", "4-85"),
        ("-485", "999PR", "<485>"), ("485", "RN", "        CDLXXXV"), ("485", "FMRN", "CDLXXXV"), ("5.2", "FMRN", "V"),
        ("482", "999th", " 482nd"),
        ("485", "\"Good number:\"999", "Good number: 485"), ("12", "99V999", " 12000"), ("12.4", "99V999", " 12400"),
        ("12.45", "99V9", " 125"),
        ("12", "99", " 12"), ("123", "99", " ##"), ("125.8", "999D99", " 125.80"),
        ("12454.8", "999,999.99", "  12,454.80"),
        ("-12454.8", "FM999,999,999.99", "-12,454.8"), ("0", "999", "   0"), ("12", "S9999", "  +12"),
        ("0.045", "FM90.99", "0.05"),
    ])
    func numbers(number: String, template: String, expected: String) throws {
        let format = try NumberFormat(template)
        let value = try reading(number) { try DecimalText.parse($0, $1, precision: 30, scale: 6) }
        #expect(written { format.append(value, scale: 6, to: $0) } == expected)
        #expect(written { format.append(Double(number) ?? 0, to: $0) } == expected)
    }

    @Test func numberInput() throws {
        func number(_ text: String, _ template: String) throws -> String {
            let format = try NumberFormat(template)
            let value = try reading(text) { try format.parse($0, $1) }
            return written { DecimalText.append(value, scale: format.resultType.scale, to: $0) }
        }
        #expect(try number("12,454.8-", "99G999D9S") == "-12454.8")
        #expect(try number("$ 12,454.88", "L 99G999D99") == "12454.88")
        #expect(try number("12,345", "99,999") == "12345")
        #expect(throws: SQLError.self) { try number("abc", "999") }
        #expect(throws: SQLError.self) { try number("1.2.3", "9.99") }
    }

    @Test(arguments: [
        ("MONTH-DY-DD-YYYY HH12:MIPM", "DECEMBER -THU-31-2009 11:15PM"), ("Month Dy", "December  Thu"),
        ("FMMonth DDth, YYYY", "December 31st, 2009"),
        ("HH24:MI:SS", "23:15:59"), ("DDD", "365"), ("Q", "4"), ("YYYY-IW-ID", "2009-53-4"), ("MS US", "123 123456"),
        ("J", "2455197"),
        ("Day", "Thursday "), ("FMday", "thursday"), ("rm", "xii "), ("CC WW W D", "21 53 5 5"),
        ("\"year\" YY", "year 09"), ("hh:mi a.m.", "11:15 p.m."),
        ("Y,YYY BC", "2,009 AD"),
    ])
    func datetimes(template: String, expected: String) throws {
        let moment = try reading("2009-12-31 23:15:59.123456") { try TimestampText.parse($0, $1) }
        let format = try DatetimeFormat(template)
        #expect(written { format.append(timestamp: moment, to: $0) } == expected)
    }

    @Test(arguments: [
        ("02 Oct 2001", "DD Mon YYYY", "2001-10-02 00:00:00"), ("20010631", "YYYYMMDD", "2001-07-01 00:00:00"),
        ("05121445482000", "MMDDHH24MISSYYYY", "2000-05-12 14:45:48"),
        ("2011-12-18 11:38:15 PM", "YYYY-MM-DD HH12:MI:SS PM", "2011-12-18 23:38:15"),
        ("January 8, 1999", "Month DD, YYYY", "1999-01-08 00:00:00"),
        ("2009-365", "YYYY-DDD", "2009-12-31 00:00:00"), ("", "YYYY", "0001-01-01 00:00:00"),
        ("12:34:56.7", "HH24:MI:SS.MS", "0001-01-01 12:34:56.7"),
        ("99/1/8", "YY/MM/DD", "1999-01-08 00:00:00"),
    ])
    func datetimeInput(text: String, template: String, expected: String) throws {
        let format = try DatetimeFormat(template)
        let parsed = try reading(text) { try format.parseThrowing($0, $1, strict: false) }
        #expect(written { TimestampText.append(parsed.timestamp, to: $0) } == expected)
    }

    @Test func strictInputRefusesRolling() throws {
        let format = try DatetimeFormat("YYYYMMDD")
        #expect(throws: SQLError.self) { try reading("20010631") { try format.parseThrowing($0, $1, strict: true) } }
        #expect(throws: SQLError.self) { try reading("20011301") { try format.parseThrowing($0, $1, strict: false) } }
    }

    @Test func copyFormats() throws {
        let context = DatetimeContext(nowMicroseconds: 0)
        func copied(_ text: String, _ option: String) throws -> String {
            let format = try CopyDatetimeFormat(option: option)
            let value = try reading(text) { try format.timestamp($0, $1, withZone: false, context) }
            return written { TimestampText.append(value, to: $0) }
        }
        #expect(try copied("1513728000", "epochsecs") == "2017-12-20 00:00:00")
        #expect(try copied("1513728000.5", "epochsecs") == "2017-12-20 00:00:00.5")
        #expect(try copied("1513728000123", "epochmillisecs") == "2017-12-20 00:00:00.123")
        #expect(try copied("01.02.2003 18:19:20.5", "DD.MM.YYYY HH:MI:SS") == "2003-02-01 18:19:20.5")
        #expect(try copied("2003-02-01T18:19:20.123Z", "auto") == "2003-02-01 18:19:20.123")
        #expect(throws: SQLError.self) { try copied("2003-02-01 x", "YYYY-MM-DD") }
        #expect(throws: SQLError.self) { try copied("2003-02-30", "YYYY-MM-DD") }
    }
}
