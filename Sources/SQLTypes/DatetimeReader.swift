import Platform

/// What reading of date and time input depends on beside the text.
public struct DatetimeContext: Sendable {
    /// The order of numeric dates such as 01/02/2003.
    public enum Order: Sendable, Hashable { case monthDayYear, dayMonthYear, yearMonthDay }
    /// For `now`, `today` and the like: microseconds since 1970 UTC.
    public var nowMicroseconds: Int64
    /// The session's zone: what a moment without a zone means, and how moments are shown.
    public var zone: ZoneRules
    public var order: Order
    /// COPY's 'auto' reads 01.02.2003 with the day first, whatever the order of other dates.
    public var dotsBeginWithDay: Bool
    /// How casts to text show intervals.
    public var intervalStyle = IntervalStyle.postgres

    public init(
        nowMicroseconds: Int64? = nil, zone: ZoneRules = .utc, order: Order = .monthDayYear,
        dotsBeginWithDay: Bool = false
    ) {
        self.nowMicroseconds = nowMicroseconds ?? SystemTime().wallMicroseconds()
        self.zone = zone
        self.order = order
        self.dotsBeginWithDay = dotsBeginWithDay
    }
}

/// Reads date and time input in all the forms that SQL's casts and COPY's 'auto' accept, token by token. The fixed
/// ISO forms have their own fast readers in the types' files; what they refuse comes here.
struct DatetimeReader {
    enum Failure: Error { case syntax, range }

    /// What was found. Year is astronomical.
    struct Fields {
        var days: Int64?
        /// Microseconds since midnight, up to 24 hours.
        var time: Int64?
        var offsetSeconds: Int64?
        var zone: ZoneRules?
        /// `now` and `epoch`: a moment, microseconds since 1970 UTC.
        var moment: Int64?
    }

    private let bytes: UnsafePointer<UInt8>
    private let count: Int
    private let context: DatetimeContext
    private var index = 0
    private var fields = Fields()
    private var numbers: [(value: Int64, digits: Int)] = []
    private var year: Int64?
    private var yearDigits = 0
    private var month: Int64?
    private var day: Int64?
    private var dayOfYear: Int64?
    private var beforeChrist = false
    private var afternoon: Bool?

    init(_ bytes: UnsafePointer<UInt8>, _ count: Int, _ context: DatetimeContext) {
        self.bytes = bytes
        self.count = count
        self.context = context
    }

    static func read(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, _ context: DatetimeContext
    ) throws(Failure) -> Fields {
        guard count <= 256 else { throw .syntax }
        var reader = DatetimeReader(bytes, count, context)
        while let byte = reader.current {
            if TextInput.isBlank(byte) || byte == 0x2C {
                reader.index += 1
            } else if TextInput.isDigit(byte) {
                try reader.readNumberToken()
            } else if TextInput.isLetter(byte) {
                try reader.readWord()
            } else if byte == 0x2B || byte == 0x2D {
                try reader.readOffset()
            } else {
                throw .syntax
            }
        }
        return try reader.finish()
    }

    private var current: UInt8? { index < count ? bytes[index] : nil }
    private func peek(_ ahead: Int) -> UInt8 { index + ahead < count ? bytes[index + ahead] : 0 }
    private var hasDate: Bool { fields.days != nil || (month != nil && day != nil) || dayOfYear != nil }

    private mutating func digits(most: Int = 18) throws(Failure) -> (value: Int64, digits: Int) {
        var value: Int64 = 0
        let start = index
        while let byte = current, TextInput.isDigit(byte) {
            guard index - start < most else { throw .syntax }
            value = value * 10 + Int64(byte - 48)
            index += 1
        }
        guard index > start else { throw .syntax }
        return (value, index - start)
    }

    // MARK: Tokens

    private mutating func readNumberToken() throws(Failure) {
        let start = index
        let number = try digits()
        let separator = peek(0)
        let next = peek(1)
        if separator == 0x3A {
            index = start
            return try readTime()
        }
        let datelike = separator == 0x2D || separator == 0x2F || separator == 0x2E
        if datelike && !hasDate && (TextInput.isDigit(next) || (separator != 0x2E && TextInput.isLetter(next))) {
            index = start
            return try readDate(separator)
        }
        if separator == 0x2E && TextInput.isDigit(next) && hasDate && number.digits == 6 {
            fields.time = try compactTime(number.value, 6) + (try fraction())
            return
        }
        try placeNumber(number.value, number.digits)
    }

    /// A number that stands alone.
    private mutating func placeNumber(_ value: Int64, _ digits: Int) throws(Failure) {
        if !hasDate && month == nil && numbers.isEmpty {
            if digits == 8 { return try setDate(value / 10_000, 4, value / 100 % 100, value % 100) }
            if digits == 6 { return try setDate(value / 10_000, 2, value / 100 % 100, value % 100) }
            if digits == 7 {
                setYear(value / 1_000, 4)
                dayOfYear = value % 1_000
                return
            }
        }
        if hasDate && fields.time == nil && (digits == 6 || digits == 4) && (year != nil || fields.days != nil) {
            fields.time = try compactTime(digits == 4 ? value * 100 : value, digits)
            return
        }
        numbers.append((value, digits))
    }

    private func compactTime(_ value: Int64, _ digits: Int) throws(Failure) -> Int64 {
        try clock(value / 10_000, value / 100 % 100, value % 100, 0)
    }

    private mutating func fraction() throws(Failure) -> Int64 {
        index += 1
        var value: Int64 = 0
        var place: Int64 = 100_000
        var digits = 0
        var roundUp = false
        while let byte = current, TextInput.isDigit(byte) {
            if digits < 6 { value += Int64(byte - 48) * place } else if digits == 6 { roundUp = byte >= 53 }
            place /= 10
            digits += 1
            index += 1
        }
        return value + (roundUp ? 1 : 0)
    }

    private mutating func readTime() throws(Failure) {
        guard fields.time == nil else { throw .syntax }
        let hour = try digits(most: 4).value
        index += 1
        let minute = try digits(most: 2).value
        var second: Int64 = 0
        var microseconds: Int64 = 0
        if current == 0x3A {
            index += 1
            second = try digits(most: 2).value
            if current == 0x2E { microseconds = try fraction() }
        }
        fields.time = try clock(hour, minute, second, microseconds)
    }

    private func clock(
        _ hour: Int64, _ minute: Int64, _ second: Int64, _ microseconds: Int64
    ) throws(Failure) -> Int64 {
        guard hour <= 24, minute < 60, second <= 60 else { throw .range }
        let time = ((hour * 60 + minute) * 60 + second) * 1_000_000 + microseconds
        guard time <= Calendar.microsecondsPerDay else { throw .range }
        return time
    }

    private mutating func readDate(_ separator: UInt8) throws(Failure) {
        var parts: [(value: Int64, digits: Int)] = []
        while true {
            guard let byte = current else { throw .syntax }
            if TextInput.isLetter(byte) {
                guard month == nil, let named = DatetimeNames.month(word()) else { throw .syntax }
                month = named
            } else {
                parts.append(try digits())
            }
            guard current == separator, TextInput.isDigit(peek(1)) || TextInput.isLetter(peek(1)) else { break }
            index += 1
        }
        if month != nil {
            numbers += parts
            return
        }
        try placeDate(parts, separator)
    }

    private mutating func placeDate(_ parts: [(value: Int64, digits: Int)], _ separator: UInt8) throws(Failure) {
        if parts.count == 2 && parts[0].digits >= 4 && parts[1].digits == 3 {
            setYear(parts[0].value, parts[0].digits)
            dayOfYear = parts[1].value
            return
        }
        guard parts.count == 3 else { throw .syntax }
        if parts[0].digits > 2 || context.order == .yearMonthDay {
            return try setDate(parts[0].value, parts[0].digits, parts[1].value, parts[2].value)
        }
        if context.order == .dayMonthYear || (context.dotsBeginWithDay && separator == 0x2E) {
            return try setDate(parts[2].value, parts[2].digits, parts[1].value, parts[0].value)
        }
        try setDate(parts[2].value, parts[2].digits, parts[0].value, parts[1].value)
    }

    private mutating func setYear(_ value: Int64, _ digits: Int) {
        year = value
        yearDigits = digits
    }

    private mutating func setDate(
        _ newYear: Int64, _ digits: Int, _ newMonth: Int64, _ newDay: Int64
    ) throws(Failure) {
        guard year == nil, month == nil, day == nil else { throw .syntax }
        setYear(newYear, digits)
        month = newMonth
        day = newDay
    }

    /// A word in lower case; the index moves behind it. Zone names may hold `/`, `_`, `+`, `-` and digits.
    private mutating func word(zone: Bool = false) -> String {
        let start = index
        while let byte = current {
            let inZone = zone && index > start && (byte == 0x2F || byte == 0x5F)
            guard TextInput.isLetter(byte) || inZone else { break }
            index += 1
        }
        let run = UnsafeBufferPointer(start: bytes + start, count: index - start)
        return String(decoding: run.map(TextInput.lower), as: UTF8.self)
    }

    private mutating func readWord() throws(Failure) {
        let start = index
        let text = word()
        if text == "t" && hasDate && fields.time == nil && TextInput.isDigit(peek(0)) { return }
        if text == "j" && TextInput.isDigit(peek(0)) && !hasDate {
            fields.days = try digits(most: 9).value - Calendar.julianEpoch
            return
        }
        if let named = DatetimeNames.month(text), month == nil {
            month = named
            if current == 0x2D || current == 0x2F || current == 0x2E { try readAfterMonth() }
            return
        }
        switch text {
        case "am", "pm": afternoon = text == "pm"
        case "a", "p":
            guard peek(0) == 0x2E, peek(1) | 32 == 0x6D else { throw .syntax }
            afternoon = text == "p"
            index += peek(2) == 0x2E ? 3 : 2
        case "bc": beforeChrist = true
        case "ad", "at", "on", "of": break
        case "now", "today", "yesterday", "tomorrow", "epoch": try setSpecial(text)
        case "allballs": fields.time = 0
        default:
            if DatetimeNames.weekday(text) != nil {
                if current == 0x2E { index += 1 }
                return
            }
            index = start
            try readZone()
        }
    }

    /// `-08-95` behind a month's name.
    private mutating func readAfterMonth() throws(Failure) {
        while current == 0x2D || current == 0x2F || current == 0x2E {
            guard TextInput.isDigit(peek(1)) else { return index += 1 }
            index += 1
            numbers.append(try digits())
        }
    }

    private mutating func setSpecial(_ text: String) throws(Failure) {
        guard fields.days == nil, fields.moment == nil else { throw .syntax }
        if text == "epoch" { return fields.moment = 0 }
        if text == "now" { return fields.moment = context.nowMicroseconds }
        let today = Calendar.day(ofTimestamp: context.zone.local(fromUTC: context.nowMicroseconds))
        fields.days = text == "yesterday" ? today - 1 : text == "tomorrow" ? today + 1 : today
    }

    private mutating func readZone() throws(Failure) {
        guard fields.zone == nil, fields.offsetSeconds == nil else { throw .syntax }
        let start = index
        _ = word(zone: true)
        let name = String(decoding: UnsafeBufferPointer(start: bytes + start, count: index - start), as: UTF8.self)
        guard let zone = ZoneRules.named(name) else { throw .syntax }
        fields.zone = zone
    }

    /// `+HH`, `+HHMM`, `+HH:MM`, `+HH:MM:SS` behind a time, behind `UTC` and `GMT`, or behind a whole date and a blank,
    /// as JDBC sends dates.
    private mutating func readOffset() throws(Failure) {
        let followsDate = hasDate && year != nil && index > 0 && TextInput.isBlank(bytes[index - 1])
        guard fields.time != nil || followsDate, fields.offsetSeconds == nil else { throw .syntax }
        let negative = current == 0x2D
        index += 1
        let first = try digits(most: 4)
        var seconds = first.digits > 2 ? first.value / 100 * 3_600 + first.value % 100 * 60 : first.value * 3_600
        if current == 0x3A && first.digits <= 2 {
            index += 1
            seconds += try digits(most: 2).value * 60
            if current == 0x3A {
                index += 1
                seconds += try digits(most: 2).value
            }
        }
        guard seconds < 15 * 3_600 + 3_600 else { throw .range }
        fields.offsetSeconds = negative ? -seconds : seconds
        fields.zone = nil
    }

    // MARK: Result

    private mutating func finish() throws(Failure) -> Fields {
        if fields.days == nil && fields.moment == nil { try resolveDate() }
        if let afternoon {
            guard let time = fields.time else { throw .syntax }
            let hour = time / Calendar.microsecondsPerHour
            guard hour >= 1 && hour <= 12 else { throw .range }
            let base = hour == 12 ? time - 12 * Calendar.microsecondsPerHour : time
            fields.time = afternoon ? base + 12 * Calendar.microsecondsPerHour : base
        }
        if fields.days == nil && fields.moment == nil && fields.time == nil { throw .syntax }
        return fields
    }

    private mutating func resolveDate() throws(Failure) {
        for number in numbers {
            if number.digits > 2 && year == nil {
                setYear(number.value, number.digits)
            } else if month != nil && day == nil {
                day = number.value
            } else if year == nil {
                setYear(number.value, number.digits)
            } else if number.digits == 3 && month == nil && dayOfYear == nil {
                dayOfYear = number.value
            } else {
                throw .syntax
            }
        }
        if year == nil && month == nil && day == nil && numbers.isEmpty { return }
        guard var year else { throw .syntax }
        if yearDigits <= 2 && !beforeChrist { year += year < 70 ? 2_000 : 1_900 }
        if beforeChrist {
            guard year > 0 else { throw .range }
            year = 1 - year
        } else if year == 0 {
            throw .range
        }
        guard year >= Calendar.minimumYear, year <= Calendar.maximumYear else { throw .range }
        if let dayOfYear {
            guard dayOfYear >= 1 && dayOfYear <= (Calendar.isLeap(year) ? 366 : 365) else { throw .range }
            fields.days = Calendar.days(year: year, month: 1, day: 1) + dayOfYear - 1
            return
        }
        guard let month, let day else { throw .syntax }
        guard month >= 1, month <= 12, day >= 1, day <= Calendar.daysInMonth(year, month) else { throw .range }
        fields.days = Calendar.days(year: year, month: month, day: day)
    }
}

/// English names of months and weekdays.
enum DatetimeNames {
    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
    static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

    /// 1 ... 12 for a full name or its first three letters (`sept` too), lower case.
    static func month(_ word: String) -> Int64? {
        if word == "sept" { return 9 }
        return position(word, months).map { $0 + 1 }
    }
    /// 0 (Sunday) ... 6.
    static func weekday(_ word: String) -> Int64? {
        switch word {
        case "tues": 2
        case "weds": 3
        case "thur", "thurs": 4
        default: position(word, weekdays)
        }
    }
    private static func position(_ word: String, _ names: [String]) -> Int64? {
        names.firstIndex {
            let name = $0.lowercased()
            return word == name || (word.utf8.count == 3 && name.hasPrefix(word))
        }.map(Int64.init)
    }
}
