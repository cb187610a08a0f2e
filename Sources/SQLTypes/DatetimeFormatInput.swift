extension DatetimeFormat {
    /// Why a text does not match the template.
    public enum Failure: Error, Sendable { case syntax, range }

    /// What was read: a local day and time, with 0001-01-01 and midnight for parts that the template lacks.
    public struct Parsed: Hashable, Sendable {
        public var days: Int64
        public var time: Int64
        public var timestamp: Int64 { days * Calendar.microsecondsPerDay + time }
    }

    private struct Parts {
        var year: Int64?
        var yearDigits = 4
        var isISO = false
        var week: Int64?
        var weekday: Int64?
        var month: Int64 = 1
        var day: Int64 = 1
        var dayOfYear: Int64?
        var julian: Int64?
        var hour: Int64 = 0
        var isHour12 = false
        var afternoon: Bool?
        var minute: Int64 = 0
        var second: Int64 = 0
        var microseconds: Int64 = 0
        var beforeChrist = false
    }

    /// Reads a text by the template. `strict` refuses days that the month lacks; otherwise June 31st is July 1st.
    public func parse(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, strict: Bool
    ) -> Result<Parsed, Failure> {
        do throws(Failure) {
            var parts = Parts()
            var index = 0
            for (place, element) in elements.enumerated() {
                switch element {
                case .literal(let byte): try skip(byte, bytes, count, &index)
                case .pattern(let pattern):
                    while index < count && TextInput.isBlank(bytes[index]) { index += 1 }
                    if index >= count && dialect == .functions { continue }
                    try read(pattern.field, adjacent: isAdjacent(place), bytes, count, &index, &parts)
                    if pattern.ordinal != nil { index = min(index + 2, count) }
                }
            }
            while index < count && TextInput.isBlank(bytes[index]) { index += 1 }
            if index < count && dialect == .copy { throw Failure.syntax }
            return .success(try resolve(parts, strict: strict))
        } catch {
            return .failure(error)
        }
    }

    /// True when the next element reads digits as well, so that only the field's width tells where it ends.
    private func isAdjacent(_ place: Int) -> Bool {
        guard place + 1 < elements.count, case .pattern(let next) = elements[place + 1] else { return false }
        return next.field.isNumeric
    }

    private func skip(
        _ byte: UInt8, _ bytes: UnsafePointer<UInt8>, _ count: Int, _ index: inout Int
    ) throws(Failure) {
        if TextInput.isBlank(byte) {
            while index < count && TextInput.isBlank(bytes[index]) { index += 1 }
            return
        }
        guard index < count else {
            if dialect == .copy { throw .syntax }
            return
        }
        let found = bytes[index]
        if TextInput.lower(found) == TextInput.lower(byte) { return index += 1 }
        if dialect == .copy { throw .syntax }
        if !TextInput.isDigit(found) && !TextInput.isLetter(found) { index += 1 }
    }

    private func read(
        _ field: Field, adjacent: Bool, _ bytes: UnsafePointer<UInt8>, _ count: Int, _ index: inout Int,
        _ parts: inout Parts
    ) throws(Failure) {
        if !field.isNumeric { return try readWord(field, bytes, count, &index, &parts) }
        var most = field.width
        if case .year(4) = field, !adjacent { most = 6 }
        let start = index
        var value: Int64 = 0
        while index < count && index - start < most {
            if TextInput.isDigit(bytes[index]) {
                value = value * 10 + Int64(bytes[index] - 48)
            } else if !(field == .yearWithComma && bytes[index] == 0x2C) {
                break
            }
            index += 1
        }
        let digits = index - start
        guard digits > 0 else { throw .syntax }
        set(field, value, digits, &parts)
        if field == .second && dialect == .copy && index + 1 < count && bytes[index] == 0x2E
            && TextInput.isDigit(bytes[index + 1])
        {
            index += 1
            parts.microseconds = fraction(bytes, count, &index)
        }
    }

    private func fraction(_ bytes: UnsafePointer<UInt8>, _ count: Int, _ index: inout Int) -> Int64 {
        var value: Int64 = 0
        var place: Int64 = 100_000
        while index < count && TextInput.isDigit(bytes[index]) {
            value += Int64(bytes[index] - 48) * place
            place /= 10
            index += 1
        }
        return value
    }

    private func set(_ field: Field, _ value: Int64, _ digits: Int, _ parts: inout Parts) {
        switch field {
        case .year, .yearWithComma: (parts.year, parts.yearDigits) = (value, digits)
        case .isoYear: (parts.year, parts.yearDigits, parts.isISO) = (value, digits, true)
        case .quarter: parts.month = (value - 1) * 3 + 1
        case .month: parts.month = value
        case .weekOfMonth: parts.day = (value - 1) * 7 + 1
        case .weekOfYear: parts.dayOfYear = (value - 1) * 7 + 1
        case .isoWeek: (parts.week, parts.isISO) = (value, true)
        case .dayOfYear, .isoDayOfYear: parts.dayOfYear = value
        case .day: parts.day = value
        case .isoDayOfWeek: parts.weekday = value
        case .julian: parts.julian = value
        case .hour24: parts.hour = value
        case .hour12: (parts.hour, parts.isHour12) = (value, true)
        case .minute: parts.minute = value
        case .second: parts.second = value
        case .secondsOfDay: (parts.hour, parts.minute, parts.second) = (value / 3_600, value / 60 % 60, value % 60)
        case .millisecond: parts.microseconds += scaled(value, digits, 6)
        case .microsecond: parts.microseconds += scaled(value, digits, 6)
        case .century: if parts.year == nil { parts.year = (value - 1) * 100 + 1 }
        default: break
        }
    }

    /// Digits after the point as millionths: 12 of `SS.MS` are 120 milliseconds.
    private func scaled(_ value: Int64, _ digits: Int, _ places: Int) -> Int64 {
        var result = value
        for _ in 0..<max(places - digits, 0) { result *= 10 }
        return result
    }

    private func readWord(
        _ field: Field, _ bytes: UnsafePointer<UInt8>, _ count: Int, _ index: inout Int, _ parts: inout Parts
    ) throws(Failure) {
        let start = index
        var end = index
        while end < count && (TextInput.isLetter(bytes[end]) || bytes[end] == 0x2E) { end += 1 }
        let word = String(decoding: UnsafeBufferPointer(start: bytes + start, count: end - start), as: UTF8.self)
            .lowercased()
        switch field {
        case .monthName, .monthAbbreviation:
            guard let position = longestName(DatetimeNames.months, word, &index) else { throw .syntax }
            parts.month = Int64(position) + 1
        case .dayName, .dayAbbreviation:
            guard longestName(DatetimeNames.weekdays, word, &index) != nil else { throw .syntax }
        case .roman:
            let names = Field.romanMonths.map { $0.lowercased() }
            guard let position = names.lastIndex(where: { word == $0 }) else { throw .syntax }
            parts.month = Int64(position) + 1
            index = end
        case .meridian(let dots), .era(let dots):
            let length = dots ? 4 : 2
            let plain = word.prefix(length).filter { $0 != "." }
            guard ["am", "pm", "bc", "ad"].contains(plain) else { throw .syntax }
            if plain.hasSuffix("m") { parts.afternoon = plain == "pm" } else { parts.beforeChrist = plain == "bc" }
            index += min(length, word.utf8.count)
        default:
            throw .syntax
        }
    }

    /// A full name or its first three letters at the start of the word.
    private func longestName(_ names: [String], _ word: String, _ index: inout Int) -> Int? {
        for (position, name) in names.enumerated() {
            let lower = name.lowercased()
            if word.hasPrefix(lower) {
                index += lower.utf8.count
                return position
            }
        }
        for (position, name) in names.enumerated() where word.hasPrefix(name.lowercased().prefix(3)) {
            index += 3
            return position
        }
        return nil
    }

    private func resolve(_ parts: Parts, strict: Bool) throws(Failure) -> Parsed {
        var hour = parts.hour
        if parts.isHour12 || parts.afternoon != nil {
            guard hour <= 12 else { throw .range }
            if let afternoon = parts.afternoon { hour = hour % 12 + (afternoon ? 12 : 0) }
        }
        // Hour 24 goes on into the next day where the check is not strict.
        let isMidnight = hour == 24 && parts.minute == 0 && parts.second == 0
        guard hour < 24 || isMidnight || hour == 24 && !strict, parts.minute < 60, parts.second < 60
        else { throw .range }
        let time = ((hour * 60 + parts.minute) * 60 + parts.second) * 1_000_000 + parts.microseconds
        let days = try day(parts, strict: strict)
        guard days >= Calendar.minimumDay && days <= Calendar.maximumDay else { throw .range }
        return Parsed(days: days, time: time)
    }

    private func day(_ parts: Parts, strict: Bool) throws(Failure) -> Int64 {
        if let julian = parts.julian { return julian - Calendar.julianEpoch }
        var year = parts.year ?? 1
        if parts.yearDigits <= 2 && parts.year != nil { year += year < 70 ? 2_000 : 1_900 }
        if parts.yearDigits == 3 { year += year < 520 ? 2_000 : 1_000 }
        if parts.beforeChrist { year = 1 - year }
        guard year >= Calendar.minimumYear && year <= Calendar.maximumYear else { throw .range }
        if parts.isISO, let week = parts.week {
            guard week >= 1 && week <= 53 else { throw .range }
            let fourth = Calendar.days(year: year, month: 1, day: 4)
            let monday = fourth - (Calendar.dayOfWeek(fourth) + 6) % 7
            return monday + (week - 1) * 7 + (parts.weekday ?? 1) - 1
        }
        if let dayOfYear = parts.dayOfYear {
            guard dayOfYear >= 1 && dayOfYear <= (Calendar.isLeap(year) ? 366 : 365) else { throw .range }
            return Calendar.days(year: year, month: 1, day: 1) + dayOfYear - 1
        }
        guard parts.month >= 1, parts.month <= 12, parts.day >= 1, parts.day <= 31 else { throw .range }
        if strict && parts.day > Calendar.daysInMonth(year, parts.month) { throw .range }
        return Calendar.days(year: year, month: parts.month, day: 1) + parts.day - 1
    }

    /// TO_DATE and TO_TIMESTAMP: the same with errors for the client.
    public func parseThrowing(_ bytes: UnsafePointer<UInt8>, _ count: Int, strict: Bool) throws -> Parsed {
        switch parse(bytes, count, strict: strict) {
        case .success(let parsed): return parsed
        case .failure(.syntax):
            throw SQLError(
                .invalidDatetimeFormat, "value \(TextInput.quoted(bytes, count)) does not match the datetime format")
        case .failure(.range):
            throw SQLError(.datetimeOverflow, "date/time field value out of range: \(TextInput.quoted(bytes, count))")
        }
    }
}
