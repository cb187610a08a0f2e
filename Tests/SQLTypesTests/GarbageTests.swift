import Testing

@testable import SQLTypes

/// Whatever comes in, readers and writers answer or throw: a trap would end every session of the process.
@Suite struct GarbageTests {
    private static let pieces = [
        "0", "1", "9", "12", "31", "99", "1999", "20240229", "999999999999999999", "-", "+", ":", ".", "/", " ", ",",
        "T", "Z", "J", "P", "e",
        "E", "Jan", "Feb", "monday", "am", "PM", "BC", "UTC", "EST", "America/New_York", "now", "epoch", "year", "mons",
        "days", "ago", "NaN",
        "inf", "%", "ö", "\u{0}", "0000000", "24:00:00", "12:30", "<", ">", "$", "th",
    ]
    private static let templates = [
        "YYYY", "MM", "DD", "HH24", "HH12", "MI", "SS", "MS", "US", "AM", "BC", "MON", "Month", "DAY", "J", "Q", "WW",
        "IW", "IYYY", "TH", "FM", "-",
        ":", " ", "\"", "9", "0", ".", ",", "S", "PR", "MI", "V", "RN", "SG", "PL", "L", "D", "G", "SSSS", "CC",
        "Y,YYY", "rm", "ID",
    ]

    @Test func readersAnswerOrThrow() {
        var random = SystemRandomNumberGenerator()
        let context = DatetimeContext(nowMicroseconds: 1_700_000_000_000_000)
        let types: [SQLType] = [
            .boolean, .smallint, .bigint, .decimal(precision: 38, scale: 37), .decimal(precision: 18, scale: 18), .real,
            .double, .date, .time,
            .timetz, .timestamp, .timestamptz, .interval, .varchar(3), .char(3),
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in Self.pieces.randomElement(using: &random)!
            }.joined()
            for type in types {
                guard let value = try? Datum.parse(Array(text.utf8), as: type, context: context) else { continue }
                let shown = value.text(type: type) ?? ""
                if type.isString || type == .interval || type.isFloat { continue }
                // What was shown reads as the same value.
                let again = try? Datum.parse(Array(shown.utf8), as: type, context: context)
                #expect(again == value, "\(type) \(text) \(shown)")
            }
        }
    }

    @Test func formatsAnswerOrThrow() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let template = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                Self.templates.randomElement(using: &random)!
            }.joined()
            let text = (0..<Int.random(in: 0...5, using: &random)).map { _ in Self.pieces.randomElement(using: &random)!
            }.joined()
            let buffer = TextBuffer()
            if let format = try? DatetimeFormat(template, dialect: Bool.random(using: &random) ? .copy : .functions) {
                _ = reading(text) { format.parse($0, $1, strict: false) }
                let moment = Int64.random(in: Calendar.minimumTimestamp...Calendar.maximumTimestamp, using: &random)
                format.append(timestamp: moment, zoneName: "UTC", to: buffer)
            }
            guard let format = try? NumberFormat(template) else { continue }
            _ = reading(text) { try? format.parse($0, $1) }
            format.append(
                Int128.random(in: -(1 << 120)...(1 << 120), using: &random) >> Int128.random(in: 0...119), scale: 5,
                to: buffer)
            format.append(Double(bitPattern: random.next()), to: buffer)
        }
    }

    @Test func arithmeticAnswersOrThrows() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let moment = Int64.random(in: Calendar.minimumTimestamp...Calendar.maximumTimestamp, using: &random)
            let other = Int64.random(in: Calendar.minimumTimestamp...Calendar.maximumTimestamp, using: &random)
            let count = Int64(bitPattern: random.next()) >> Int64.random(in: 0...62)
            for part in DatePart.allCases {
                _ = try? DateArithmetic.add(part, count, timestamp: moment)
                _ = try? DateArithmetic.add(part, count, time: 1)
                _ = try? DateArithmetic.truncate(part, timestamp: moment)
                _ = try? DateArithmetic.difference(part, from: moment, to: other)
                _ = DateExtraction.extract(part, timestamp: moment)
                _ = DateExtraction.extract(part, interval: Interval(months: count, microseconds: moment))
            }
            _ = try? DateArithmetic.add(Interval(months: count, microseconds: other), timestamp: moment)
            _ = DateArithmetic.monthsBetween(moment, other)
            let left = Int128(count) << Int128.random(in: 0...62)
            let right = Int128(other) << Int128.random(in: 0...62)
            let shape = DecimalRules.Shape(precision: Int.random(in: 1...38), scale: Int.random(in: 0...38))
            let scales = (Int.random(in: 0...38), Int.random(in: 0...38))
            _ = try? DecimalArithmetic.add(left, scales.0, right, scales.1, result: shape)
            _ = try? DecimalArithmetic.subtract(left, scales.0, right, scales.1, result: shape)
            _ = try? DecimalArithmetic.multiply(left, scales.0, right, scales.1, result: shape)
            _ = try? DecimalArithmetic.divide(left, scales.0, right, scales.1, result: shape)
            _ = try? DecimalArithmetic.remainder(left, scales.0, right, scales.1, result: shape)
        }
    }
}
