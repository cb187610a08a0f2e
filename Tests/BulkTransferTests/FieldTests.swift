import Catalog
import SQLTypes
import Testing

@testable import BulkTransfer

@Suite struct FieldTests {
    @Test func numbers() throws {
        let types: [SQLType] = [.smallint, .integer, .bigint, .decimal(precision: 15, scale: 2), .double, .boolean]
        let text = """
            1|-2|9223372036854775807|21168.23|1.5|t
            -32768|2147483647|-9223372036854775808|-0.05|-2e3|no
             7 |+8|12345678901234567|17|.25|1
            0|00000000000000000012|5|1234567890123.99|3|TRUE
            5|6|7|1.239|3|y
            """
        #expect(
            try rows(text, types) == [
                "1|-2|9223372036854775807|2116823|1.5|1",
                "-32768|2147483647|-9223372036854775808|-5|-2000.0|0",
                "7|8|12345678901234567|1700|0.25|1",
                "0|12|5|123456789012399|3.0|1",
                "5|6|7|123|3.0|1",
            ])
        #expect(
            try rows("1.239\n-1.235\n", [.decimal(precision: 5, scale: 2)], [RawCopyOption("ROUNDEC")])
                == ["124", "-124"])
        #expect(
            try rows("123\n.5\n0.123456789\n", [.decimal(precision: 20, scale: 9)])
                == ["123000000000", "500000000", "123456789"])
        #expect(
            try rows("12345678901234567890.12\n1.5\n", [.decimal(precision: 38, scale: 2)])
                == ["1234567890123456789012", "150"])
    }

    /// Every length around the borders of the word-wise loops.
    @Test(arguments: 1...18) func digitCounts(length: Int) throws {
        let digits = String("123456789123456789".prefix(length))
        #expect(try rows("\(digits)\n-\(digits)\n", [.bigint]) == [digits, "-" + digits])
        for scale in 1...8 where scale <= length {
            let type = SQLType.decimal(precision: 18, scale: scale)
            let point = digits.index(digits.endIndex, offsetBy: -scale)
            let text = "\(digits[..<point]).\(digits[point...])"
            #expect(try rows("\(text)\n-\(text)\n", [type]) == [digits, "-" + digits])
        }
    }

    @Test func numberErrors() throws {
        #expect(try failure("a\n", .integer) == "1207 Invalid digit, Value 'a', Pos 0, Type: Integer")
        #expect(try failure("12x4\n", .bigint) == "1207 Invalid digit, Value 'x', Pos 2, Type: Long")
        #expect(try failure("1.5\n", .smallint) == "1207 Invalid digit, Value '.', Pos 1, Type: Short")
        #expect(try failure("-\n", .integer) == "1207 Invalid digit, Value '-', Pos 0, Type: Integer")
        #expect(try failure(" \n", .integer) == "1207 Invalid digit, Value ' ', Pos 0, Type: Integer")
        #expect(try failure("32768\n", .smallint) == "1222 Overflow for short")
        #expect(try failure("2147483648\n", .integer) == "1222 Overflow for integer")
        #expect(try failure("1000\n", .decimal(precision: 5, scale: 2)) == "1209 Overflow")
        #expect(try failure("1.2.3\n", .decimal(precision: 5, scale: 2)).hasPrefix("1207"))
        #expect(try failure("abc\n", .double) == "1208 Invalid floating-point format")
        #expect(try failure("maybe\n", .boolean) == "1210 Unknown boolean format")
    }

    @Test func dates() throws {
        #expect(
            try rows("1970-01-01\n1996-02-29\n1899-12-31\n2100-03-01\n\n", [.date])
                == ["0", "9555", "-25568", "47541", "NULL"])
        #expect(
            try rows("1996-03-13 01:02:03\n1970-01-01 00:00:00.5\n1970-01-02 00:00:00.123456\n", [.timestamp])
                == ["826678923000000", "500000", "86400123456"])
        #expect(try rows("13/02/1970\n", [.date], [RawCopyOption("DATEFORMAT", [.string("DD/MM/YYYY")])]) == ["43"])
        #expect(
            try rows("Jan-08-95 BC\nJ2451187\n", [.date], [RawCopyOption("DATEFORMAT", [.string("auto")])]).count
                == 2)
        #expect(try rows("1.5\n", [.timestamp], [RawCopyOption("TIMEFORMAT", [.string("epochsecs")])]) == ["1500000"])
        #expect(
            try rows("1500\n", [.timestamp], [RawCopyOption("TIMEFORMAT", [.string("epochmillisecs")])])
                == ["1500000"])
        #expect(
            try rows("2019-02-11T05:09:12.195Z\n", [.timestamp], [RawCopyOption("TIMEFORMAT", [.string("auto")])])
                == ["1549861752195000"])
        #expect(try rows("2023-02-30\nnever\n", [.date], [RawCopyOption("ACCEPTANYDATE")]) == ["NULL", "NULL"])
        for bad in ["2023-02-30", "1900-02-29", "2023-13-01", "2023-00-10", "2023-01-00", "2023-01-32", "2023/x1/01"] {
            #expect(try failure(bad, .date).hasPrefix("1205"), "\(bad)")
        }
        #expect(try failure("1-1-1\n", .date) == "1205 Invalid Date Format - length must be 10 or more")
        #expect(
            try failure("2023-01-01 25:00:00\n", .timestamp)
                == "1206 Invalid timestamp format or value [YYYY-MM-DD HH24:MI:SS]")
    }

    @Test func strings() throws {
        #expect(try rows("ab  |ab  \n", [.char(4), .varchar(4)]) == ["ab|ab  "])
        #expect(try rows("x|ab  \n", [.char(4), .varchar(4)], [RawCopyOption("TRIMBLANKS")]) == ["x|ab"])
        #expect(try failure("abcde\n", .varchar(4)) == "1204 String length exceeds DDL length")
        #expect(try failure("abcde\n", .char(4)) == "1204 Char length exceeds DDL length")
        #expect(try failure("ééé\n", .varchar(5)) == "1204 String length exceeds DDL length")
        #expect(try rows("ééé\n", [.varchar(5)], [RawCopyOption("TRUNCATECOLUMNS")]) == ["éé"])
        #expect(try rows("ééé\n", [.varchar(6)]) == ["ééé"])
        #expect(try failure("é\n", .char(4)).hasPrefix("1215 Multibyte character not supported for CHAR"))
        let bad = [UInt8(ascii: "a"), 0xFF, UInt8(ascii: "b"), 10]
        let errors = try failures(bad, makeTable([.varchar(10)]))
        #expect(errors.first?.code == 1220)
        #expect(errors.first?.reason.contains("Bad UTF8 hex sequence: ff") == true)
        let sink = MemorySink()
        try load(bad, makeTable([.varchar(10)]), [RawCopyOption("ACCEPTINVCHARS", [.string("^")])], sink: sink)
        #expect(sink.inOrder == ["a^b"])
    }

    @Test func nulls() throws {
        let types: [SQLType] = [.varchar(10), .integer, .char(5)]
        #expect(try rows("\\N|\\N|\\N\n||\n  ||  \n", types) == ["NULL|NULL|NULL", "|NULL|", "  |NULL|"])
        #expect(try rows("|1|\n", types, [RawCopyOption("EMPTYASNULL")]) == ["NULL|1|NULL"])
        #expect(try rows("  |1|  \n|1|\n", types, [RawCopyOption("BLANKSASNULL")]) == ["NULL|1|NULL", "|1|"])
        #expect(try rows("nil|nil|nilx\n", types, [RawCopyOption("NULL", [.string("nil")])]) == ["NULL|NULL|nilx"])
        #expect(try rows("|1|x\n", types, [RawCopyOption("NULL AS", [.string("")])]) == ["NULL|1|x"])
        #expect(try rows("\0|1|x\n", types, [RawCopyOption("NULL", [.string("\\0")])]) == ["NULL|1|x"])
        let errors = try failures(Array("1\n\\N\n".utf8), makeTable([.integer], notNull: [0]))
        #expect(errors.map(\.code) == [1213])
        #expect(errors.first?.reason == "Missing data for not-null field")
        #expect(errors.first?.line == 2)
    }
}
