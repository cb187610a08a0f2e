import Testing

@testable import SQLTypes

@Suite struct CastTests {
    let context = DatetimeContext(nowMicroseconds: 0)
    private func decimal(_ precision: Int, _ scale: Int) -> SQLType { .decimal(precision: precision, scale: scale) }

    @Test func values() throws {
        func cast(_ value: Datum, _ from: SQLType, _ to: SQLType, explicit: Bool = true) throws -> String? {
            try value.cast(from: from, to: to, explicit: explicit, context: context).text(type: to)
        }
        #expect(try cast(.integer(25), decimal(3, 1), .integer) == "3")
        #expect(try cast(.integer(-25), decimal(3, 1), .integer) == "-3")
        #expect(try cast(.double(2.5), .double, .integer) == "2")
        #expect(try cast(.double(0.1), .double, decimal(5, 3)) == "0.100")
        #expect(try cast(.integer(7), .integer, decimal(5, 2)) == "7.00")
        #expect(try cast(.integer(12_345), decimal(5, 2), .double) == "123.45")
        #expect(try cast(.text("  42 "), .varchar(10), .bigint) == "42")
        #expect(try cast(.text("hello"), .varchar(10), .varchar(3)) == "hel")
        #expect(try cast(.text("zwölf"), .varchar(10), .varchar(3)) == "zw")
        #expect(try cast(.text("ab   "), .varchar(10), .varchar(2), explicit: false) == "ab")
        #expect(try cast(.text("ab   "), .varchar(10), .char(5)) == "ab")
        #expect(try cast(.integer(1), .boolean, .integer) == "1")
        #expect(try cast(.integer(5), .integer, .boolean) == "t")
        #expect(try cast(.integer(10_957), .date, .timestamp) == "2000-01-01 00:00:00")
        #expect(try cast(.text("2000-01-01 10:11:12"), .unknown, .timestamp) == "2000-01-01 10:11:12")
        #expect(try cast(.integer(10_957), .date, .varchar(10)) == "2000-01-01")
        #expect(try cast(.null, .integer, .date) == nil)
    }

    @Test func failures() {
        func state(_ value: Datum, _ from: SQLType, _ to: SQLType, explicit: Bool = true) -> String? {
            let error = #expect(throws: SQLError.self) {
                try value.cast(from: from, to: to, explicit: explicit, context: context)
            }
            return error?.state.code
        }
        #expect(state(.integer(40_000), .integer, .smallint) == "22003")
        #expect(state(.double(1e30), .double, .bigint) == "22003")
        #expect(state(.double(.nan), .double, .integer) == "22003")
        #expect(state(.double(1e300), .double, .real) == "22003")
        #expect(state(.double(1e300), .double, decimal(38, 0)) == "22003")
        #expect(state(.integer(12_345), .integer, decimal(4, 0)) == "22003")
        #expect(state(.text("abc"), .varchar(3), .integer) == "22P02")
        #expect(state(.text("abc"), .varchar(3), .varchar(2), explicit: false) == "22001")
        #expect(state(.integer(123), .integer, .varchar(2)) == "22001")
        #expect(state(.integer(1), .date, .integer) == "42846")
        #expect(state(.text("1"), .varchar(3), .integer, explicit: false) == "42846")
        #expect(state(.integer(Int128(Calendar.maximumDay)), .date, .timestamp) == "22008")
    }

    @Test func commonTypes() {
        #expect(CastRules.commonType([.integer, .bigint, .smallint]) == .bigint)
        #expect(CastRules.commonType([.integer, decimal(7, 2)]) == decimal(12, 2))
        #expect(CastRules.commonType([.real, .integer]) == .double)
        #expect(CastRules.commonType([.unknown, .varchar(3), .char(9)]) == .varchar(9))
        #expect(CastRules.commonType([.date, .unknown, .timestamp]) == .timestamp)
        #expect(CastRules.commonType([.integer, .varchar(3)]) == nil)
        #expect(CastRules.commonType([.unknown]) == .unknown)
    }

    @Test func order() {
        #expect(Datum.compare(.text("a"), .text("a  "), type: .varchar(5)) == 0)
        #expect(Datum.compare(.text("a"), .text("b"), type: .varchar(5)) < 0)
        #expect(Datum.compare(.double(.nan), .double(1e308), type: .double) > 0)
        let month = Datum.interval(Interval(months: 1, microseconds: 0))
        let days = Datum.interval(Interval(months: 0, microseconds: 30 * Calendar.microsecondsPerDay))
        #expect(Datum.compare(month, days, type: .interval) == 0)
    }

    @Test func names() {
        #expect("\(SQLType.varchar(25))" == "character varying(25)")
        #expect("\(decimal(12, 2))" == "numeric(12,2)")
        #expect("\(SQLType.timestamp)" == "timestamp without time zone")
        #expect(SQLType.double.sqlName == "DOUBLE PRECISION")
    }
}
