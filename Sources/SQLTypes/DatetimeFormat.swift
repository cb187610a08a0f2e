/// A template of TO_CHAR, TO_DATE and TO_TIMESTAMP or of COPY's DATEFORMAT and TIMEFORMAT, taken apart once.
public struct DatetimeFormat: Sendable, Hashable {
    public enum Dialect: Sendable, Hashable {
        /// TO_CHAR, TO_DATE, TO_TIMESTAMP: `HH` is the 12-hour clock.
        case functions
        /// COPY: `HH` is the 24-hour clock and seconds may have a fraction.
        case copy
    }

    enum Field: Hashable, Sendable {
        case year(digits: Int), yearWithComma, isoYear(digits: Int), quarter, month, monthName, monthAbbreviation
        case roman, weekOfMonth, weekOfYear, isoWeek, dayName, dayAbbreviation, dayOfYear, isoDayOfYear, day, dayOfWeek
        case isoDayOfWeek, julian, hour24, hour12, minute, second, secondsOfDay, millisecond, microsecond
        case meridian(dots: Bool), era(dots: Bool), century, zoneName, zoneOffset
    }
    enum Letters: Hashable, Sendable { case upper, capitalized, lower }
    struct Pattern: Hashable, Sendable {
        var field: Field
        var letters = Letters.upper
        /// FM: no blanks, no zeros in front.
        var isBare = false
        /// TH or th.
        var ordinal: Letters?
    }
    enum Element: Hashable, Sendable {
        case literal(UInt8)
        case pattern(Pattern)
    }

    let elements: [Element]
    let dialect: Dialect

    private static let keywords: [(word: String, field: Field)] = [
        ("Y,YYY", .yearWithComma), ("YYYY", .year(digits: 4)), ("YYY", .year(digits: 3)), ("YY", .year(digits: 2)),
        ("IYYY", .isoYear(digits: 4)), ("IYY", .isoYear(digits: 3)), ("IY", .isoYear(digits: 2)),
        ("IDDD", .isoDayOfYear), ("ID", .isoDayOfWeek), ("IW", .isoWeek), ("I", .isoYear(digits: 1)),
        ("Y", .year(digits: 1)), ("MONTH", .monthName), ("MON", .monthAbbreviation), ("MM", .month), ("MI", .minute),
        ("MS", .millisecond), ("RM", .roman), ("WW", .weekOfYear), ("W", .weekOfMonth), ("DAY", .dayName),
        ("DY", .dayAbbreviation), ("DDD", .dayOfYear), ("DD", .day), ("D", .dayOfWeek), ("J", .julian),
        ("HH24", .hour24), ("HH12", .hour12), ("HH", .hour12), ("SSSS", .secondsOfDay), ("SS", .second),
        ("US", .microsecond), ("A.M.", .meridian(dots: true)), ("P.M.", .meridian(dots: true)),
        ("AM", .meridian(dots: false)), ("PM", .meridian(dots: false)), ("B.C.", .era(dots: true)),
        ("A.D.", .era(dots: true)), ("BC", .era(dots: false)), ("AD", .era(dots: false)), ("CC", .century),
        ("Q", .quarter), ("TZ", .zoneName), ("OF", .zoneOffset),
    ]

    public init(_ template: String, dialect: Dialect = .functions) throws {
        let bytes = Array(template.utf8)
        guard bytes.count <= 1_000 else {
            throw SQLError(.invalidParameterValue, "datetime format string is too long")
        }
        var elements: [Element] = []
        var index = 0
        var isBare = false
        while index < bytes.count {
            if bytes[index] == 0x22 {
                index += 1
                while index < bytes.count && bytes[index] != 0x22 {
                    elements.append(.literal(bytes[index]))
                    index += 1
                }
                index += 1
            } else if DatetimeFormat.has("FM", bytes, index) {
                isBare = true
                index += 2
            } else if let (word, field) = DatetimeFormat.keyword(bytes, index) {
                var pattern = Pattern(field: dialect == .copy && word == "HH" ? .hour24 : field, isBare: isBare)
                pattern.letters = DatetimeFormat.letters(bytes, index)
                index += word.utf8.count
                if DatetimeFormat.has("TH", bytes, index), pattern.field.isNumeric {
                    pattern.ordinal = bytes[index] == 0x54 ? .upper : .lower
                    index += 2
                }
                elements.append(.pattern(pattern))
                isBare = false
            } else {
                elements.append(.literal(bytes[index]))
                index += 1
            }
        }
        self.elements = elements
        self.dialect = dialect
    }

    private static func keyword(_ bytes: [UInt8], _ index: Int) -> (word: String, field: Field)? {
        keywords.first { has($0.word, bytes, index) }
    }

    private static func has(_ word: String, _ bytes: [UInt8], _ index: Int) -> Bool {
        guard index + word.utf8.count <= bytes.count else { return false }
        return zip(word.utf8, bytes[index...]).allSatisfy { TextInput.lower($0) == TextInput.lower($1) }
    }

    private static func letters(_ bytes: [UInt8], _ index: Int) -> Letters {
        if bytes[index] >= 0x61 { return .lower }
        return index + 1 < bytes.count && bytes[index + 1] >= 0x61 && bytes[index + 1] <= 0x7A ? .capitalized : .upper
    }
}

extension DatetimeFormat.Field {
    var isNumeric: Bool {
        switch self {
        case .monthName, .monthAbbreviation, .roman, .dayName, .dayAbbreviation: false
        case .meridian, .era, .zoneName, .zoneOffset: false
        default: true
        }
    }

    /// Digits of the field in fixed-width text.
    var width: Int {
        switch self {
        case .year(let digits), .isoYear(let digits): digits
        case .dayOfYear, .isoDayOfYear, .millisecond: 3
        case .secondsOfDay: 5
        case .microsecond: 6
        case .julian: 7
        case .yearWithComma: 5
        case .quarter, .weekOfMonth, .dayOfWeek, .isoDayOfWeek: 1
        default: 2
        }
    }

    static let romanMonths = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"]
}
