import SQLTypes
import Testing

@testable import PGWire

/// Binary parameters come from clients as they like: every pattern of bits is a value, an error, never a trap.
@Suite struct ParameterDecoderTests {
    private let decoder = ParameterDecoder(context: DatetimeContext())

    private func decode(_ bytes: [UInt8], _ type: SQLType) -> Result<Datum, any Error> {
        Result { try decoder.decode(bytes, type: type, isBinary: true).value }
    }
    private func state(_ result: Result<Datum, any Error>) -> String? {
        if case .failure(let error as SQLError) = result { return error.state.code }
        return nil
    }
    private func bigEndian<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    @Test func intervalsOfTooManyDaysAreRefused() throws {
        // timedelta.max of a Python client: 999,999,999 days.
        for days in [999_999_999, 106_751_992, Int32.max, Int32.min, -106_751_992] as [Int32] {
            let result = decode(bigEndian(Int64(0)) + bigEndian(days) + bigEndian(Int32(0)), .interval)
            #expect(state(result) == "22008", "\(days) days")
        }
        let most = decode(bigEndian(Int64(0)) + bigEndian(Int32(106_751_991)) + bigEndian(Int32(0)), .interval)
        #expect(try most.get() == .interval(Interval(months: 0, microseconds: 106_751_991 * 86_400_000_000)))
        let sum = decode(bigEndian(Int64.max) + bigEndian(Int32(1)) + bigEndian(Int32(0)), .interval)
        #expect(state(sum) == "22008")
    }

    /// Months in 32 bits and microseconds in 64, as redshift_connector sends them.
    @Test func intervalsOfOneKindAreNumbers() throws {
        let (months, span) = (SQLType.yearMonthInterval(.yearToMonth), SQLType.dayTimeInterval(.dayToSecond))
        #expect(try decode(bigEndian(Int32(-14)), months).get() == .integer(-14))
        #expect(state(decode(bigEndian(Int64(Int32.max) + 1), months)) == "22003")
        #expect(try decode(bigEndian(Int64.min), span).get() == .integer(Int128(Int64.min)))
    }

    @Test func datesOutOfRangeAreRefused() throws {
        for days in [Int32.max, Int32.min, 200_000_000, -200_000_000] {
            #expect(state(decode(bigEndian(days), .date)) == "22008", "\(days)")
        }
        #expect(try decode(bigEndian(Int32(0)), .date).get() == .integer(10_957))
    }

    /// As text VARBYTE is hexadecimal, with the mark of bytea where a client sends that; in binary form it is itself.
    @Test func binaryStringsAreHexadecimalAsText() throws {
        func text(_ digits: String) -> Result<Datum, any Error> {
            Result { try decoder.decode(Array(digits.utf8), type: .varbyte(10), isBinary: false).value }
        }
        #expect(try text("00fF20").get() == .string([0x00, 0xFF, 0x20]))
        #expect(try text("\\x6162").get() == .string([0x61, 0x62]))
        #expect(try text("").get() == .string([]))
        #expect(state(text("6g")) == "22P02")
        #expect(try decode([0x00, 0xFF], .varbyte(10)).get() == .string([0x00, 0xFF]))
        #expect(state(decode(Array(repeating: 1, count: SQLType.maximumVarbyteLength + 1), .varbyte(1))) == "22001")
    }

    /// Every type x extremes of every field.
    @Test func extremesDoNotTrap() {
        let words: [UInt8] = [0x00, 0x01, 0x7f, 0x80, 0xff]
        let types: [SQLType] = [
            .boolean, .smallint, .integer, .bigint, .real, .double, .decimal(precision: 38, scale: 10), .date, .time,
            .timetz, .timestamp, .timestamptz, .interval, .varchar(10), .char(3), .varbyte(10), .unknown,
            .yearMonthInterval(.yearToMonth), .dayTimeInterval(.dayToSecond), .hllsketch,
        ]
        for type in types {
            for length in [0, 1, 2, 3, 4, 7, 8, 9, 10, 12, 14, 16, 17, 20] {
                for first in words {
                    for rest in words {
                        _ = decode([first] + Array(repeating: rest, count: max(length - 1, 0)), type)
                        _ = decode(Array(repeating: rest, count: length) + [first, first], type)
                    }
                }
            }
        }
    }
}
