import Testing

@testable import SQLTypes

@Suite struct NumberTextTests {
    @Test func integers() throws {
        for text in [
            "0", "-0", "7", "+7", " 42 ", "9223372036854775807", "-9223372036854775808", "000000000000000000000012",
        ] {
            let plain = text.filter { $0 != " " && $0 != "+" }
            #expect(reading(text, { IntegerText.parse($0, $1) }) == Int64(plain))
        }
        for text in [
            "", "-", "1a", "1 2", "9223372036854775808", "-9223372036854775809", "99999999999999999999999", "1.0",
        ] {
            #expect(reading(text, { IntegerText.parse($0, $1) }) == nil)
        }
        for value in [Int64.min, -1, 0, 9, 10, 99, 100, 999_999_999_999_999_999, 1_000_000_000_000_000_000, Int64.max] {
            #expect(written { IntegerText.append(value, to: $0) } == String(value))
        }
        for shift in 0..<127 {
            let value = Int128(1) << Int128(shift) - 3
            #expect(written { IntegerText.append(value, to: $0) } == value.description)
        }
    }

    @Test func integerErrors() {
        func error(_ text: String, _ type: SQLType) -> SQLError? {
            #expect(throws: SQLError.self) { try reading(text) { try IntegerText.parse($0, $1, as: type) } }
        }
        #expect(error("abc", .integer) == SQLError("22P02", "invalid input syntax for integer: \"abc\""))
        #expect(
            error("99999999999", .integer)
                == SQLError("22003", "value \"99999999999\" is out of range for type integer"))
        #expect(error("40000", .smallint)?.state == .numericOutOfRange)
    }

    @Test(arguments: [
        ("1.5", 5, 2, "1.50"), ("-1.5", 5, 2, "-1.50"), ("123.455", 6, 2, "123.46"), ("-123.455", 6, 2, "-123.46"),
        ("0.005", 3, 2, "0.01"), ("0.0049", 3, 2, "0.00"), ("1e2", 5, 0, "100"), ("1.25E-1", 5, 2, "0.13"),
        (".5", 2, 1, "0.5"),
        ("5.", 2, 1, "5.0"), (" 12 ", 2, 0, "12"), ("+3", 2, 0, "3"), ("0e100", 5, 2, "0.00"), ("1e-100", 5, 2, "0.00"),
        ("99999999999999999999999999999999999999", 38, 0, "99999999999999999999999999999999999999"),
        ("-0.00000000000000000000000000000000000001", 38, 38, "-0.00000000000000000000000000000000000001"),
        ("12345678901234567890.123456789", 38, 9, "12345678901234567890.123456789"), ("0.5", 1, 0, "1"),
        ("1234567890123456.78", 18, 2, "1234567890123456.78"),
    ])
    func decimals(text: String, precision: Int, scale: Int, expected: String) throws {
        let value = try reading(text) { try DecimalText.parse($0, $1, precision: precision, scale: scale) }
        #expect(written { DecimalText.append(value, scale: scale, to: $0) } == expected)
    }

    @Test func decimalFailures() {
        for (text, state) in [
            ("1000", "22003"), ("999.995", "22003"), ("", "22P02"), (".", "22P02"), ("1e", "22P02"), ("1.2.3", "22P02"),
            ("- 1", "22P02"),
            ("1e40", "22003"), ("0x10", "22P02"), ("NaN", "22P02"),
        ] {
            let error = #expect(throws: SQLError.self) {
                try reading(text) { try DecimalText.parse($0, $1, precision: 5, scale: 2) }
            }
            #expect(error?.state.code == state, "\(text)")
        }
        #expect(reading("1.239", { try? DecimalText.parse($0, $1, precision: 5, scale: 2, surplus: .truncate) }) == 123)
        #expect(
            reading("-1.239", { try? DecimalText.parse($0, $1, precision: 5, scale: 2, surplus: .truncate) }) == -123)
    }

    @Test func floatsReadExactly() {
        var texts = [
            "0.1", "1e22", "1e23", "123456789012345678", "9007199254740993", "2.2250738585072011e-308", "4.9e-324",
            "1.7976931348623157e308", "0.30000000000000004", "12345678901234567890123456789", " -2.5 ", "5.", ".5",
            "1E-7",
        ]
        var state: UInt64 = 42
        for _ in 0..<2_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let value = Double(bitPattern: state)
            if value.isFinite { texts.append("\(value)") }
            texts.append("\(Double(Int64(truncatingIfNeeded: state) >> 20) / 1e6)")
        }
        for text in texts {
            #expect(
                reading(text, { FloatText.parse($0, $1) })
                    == Double(
                        text.filter { $0 != " " }.hasSuffix(".")
                            ? text + "0" : text.filter { $0 != " " }), "\(text)")
        }
        #expect(reading("-Infinity", { FloatText.parse($0, $1) }) == -.infinity)
        #expect(reading("nan", { FloatText.parse($0, $1) })?.isNaN == true)
        for text in ["", "abc", "1e", "0x1p3", "1 2", "--1"] {
            #expect(reading(text, { FloatText.parse($0, $1) }) == nil)
        }
        let error = #expect(throws: SQLError.self) { try reading("1e400") { try FloatText.parse($0, $1, as: .double) } }
        #expect(error == SQLError("22003", "\"1e400\" is out of range for type double precision"))
    }

    /// Expected texts are C's `%.15g`, printed by Python.
    @Test(arguments: floatTexts)
    func floatsWrite(bits: UInt64, fifteen: String, six: String, seventeen: String) {
        let value = Double(bitPattern: bits)
        #expect(written { FloatText.append(value, to: $0) } == fifteen)
        #expect(written { FloatText.append(value, real: true, to: $0) } == six)
        #expect(written { FloatText.append(value, extraDigits: 2, to: $0) } == seventeen)
    }

    @Test func booleans() {
        for text in ["t", "TRUE", "y", "Yes", "1", " true "] {
            #expect(reading(text, { BooleanText.parse($0, $1) }) == true)
        }
        for text in ["f", "FALSE", "n", "No", "0"] { #expect(reading(text, { BooleanText.parse($0, $1) }) == false) }
        for text in ["", "2", "maybe", "tt"] { #expect(reading(text, { BooleanText.parse($0, $1) }) == nil) }
    }

    @Test func utf8() {
        func valid(_ bytes: [UInt8]) -> Bool {
            bytes.withUnsafeBufferPointer { UTF8Text.isValid($0.baseAddress!, $0.count) }
        }
        #expect(valid(Array("plain ascii text, long enough".utf8)))
        #expect(valid(Array("zwölf Größen, 日本語, 😀 and so on".utf8)))
        #expect(!valid([0x61, 0xC0, 0x80]))
        #expect(!valid([0xED, 0xA0, 0x80]))
        #expect(!valid([0xF4, 0x90, 0x80, 0x80]))
        #expect(!valid(Array("abcdefgh".utf8) + [0]))
        #expect(!valid([0x61, 0x62, 0xE2, 0x82]))
        let text = "zwölf Größen, 日本語, 😀 and so on"
        #expect(reading(text, { UTF8Text.characterCount($0, $1) }) == text.unicodeScalars.count)
        #expect(reading("aö", { UTF8Text.boundary($0, $1, limit: 2) }) == 1)
    }
}
