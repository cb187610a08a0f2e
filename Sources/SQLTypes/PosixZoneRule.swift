/// A zone in POSIX form, `EST5EDT,M3.2.0,M11.1.0`: offsets count west, days by month, week and weekday or by number.
struct PosixZoneRule: Sendable {
    enum Day: Sendable {
        case monthWeek(month: Int64, week: Int64, weekday: Int64)
        /// 1 ... 365, February 29th is never counted.
        case julian(Int64)
        /// 0 ... 365.
        case zeroBased(Int64)
    }
    struct Change: Sendable {
        var day: Day
        /// Local seconds after midnight.
        var seconds: Int64 = 7_200
    }
    var standard: ZoneRules.LocalType
    var daylight: ZoneRules.LocalType?
    var start = Change(day: .monthWeek(month: 3, week: 2, weekday: 0))
    var end = Change(day: .monthWeek(month: 11, week: 1, weekday: 0))

    init?(_ text: String) {
        var reader = Reader(bytes: Array(text.utf8))
        guard let name = reader.name(standing: true) else { return nil }
        while reader.take(0x20) {}
        guard let west = reader.offset() else { return nil }
        standard = ZoneRules.LocalType(offsetSeconds: -west, isDaylight: false, abbreviation: name)
        if reader.atEnd { return }
        guard let summer = reader.name() else { return nil }
        let summerWest = reader.offset() ?? west - 3_600
        daylight = ZoneRules.LocalType(offsetSeconds: -summerWest, isDaylight: true, abbreviation: summer)
        if reader.atEnd { return }
        guard reader.take(0x2C), let first = reader.change(), reader.take(0x2C), let second = reader.change(),
            reader.atEnd
        else { return nil }
        start = first
        end = second
    }

    /// `-8:00`, `+07:30`: an offset as ISO 8601 has it, east of Greenwich positive.
    static func isoOffsetSeconds(_ text: String) -> Int64? {
        var reader = Reader(bytes: Array(text.utf8))
        guard reader.current == 0x2B || reader.current == 0x2D, let seconds = reader.offset(), reader.atEnd,
            (-57_600...57_600).contains(seconds)
        else { return nil }
        return seconds
    }

    func type(at seconds: Int64) -> ZoneRules.LocalType {
        guard let daylight else { return standard }
        let days = Calendar.floorDivide(seconds &+ standard.offsetSeconds, 86_400)
        let year = Calendar.civil(days: days).year
        let begins = moment(start, year) - standard.offsetSeconds
        let ends = moment(end, year) - daylight.offsetSeconds
        let summer = begins < ends ? seconds >= begins && seconds < ends : seconds >= begins || seconds < ends
        return summer ? daylight : standard
    }

    /// Local seconds since 1970 of a change in a year.
    private func moment(_ change: Change, _ year: Int64) -> Int64 {
        let first = Calendar.days(year: year, month: 1, day: 1)
        let day: Int64
        switch change.day {
        case .julian(let number): day = first + number - 1 + (Calendar.isLeap(year) && number >= 60 ? 1 : 0)
        case .zeroBased(let number): day = first + number
        case .monthWeek(let month, let week, let weekday):
            let monthStart = Calendar.days(year: year, month: month, day: 1)
            let ahead = (weekday - Calendar.dayOfWeek(monthStart) + 7) % 7
            var found = monthStart + ahead + (week - 1) * 7
            if found >= monthStart + Calendar.daysInMonth(year, month) { found -= 7 }
            day = found
        }
        return day * 86_400 + change.seconds
    }

    private struct Reader {
        let bytes: [UInt8]
        var index = 0
        var atEnd: Bool { index == bytes.count }
        var current: UInt8 { index < bytes.count ? bytes[index] : 0 }

        mutating func take(_ byte: UInt8) -> Bool {
            if current == byte && !atEnd { index += 1 } else { return false }
            return true
        }

        /// At least three letters, or anything in angle brackets. Redshift takes names of zones such as
        /// `America/Los_Angeles` for the standard time, too, whose rules then do not matter.
        mutating func name(standing: Bool = false) -> String? {
            if take(0x3C) {
                let start = index
                while !atEnd && current != 0x3E { index += 1 }
                let name = String(decoding: bytes[start..<index], as: UTF8.self)
                return take(0x3E) ? name : nil
            }
            let start = index
            while !atEnd && (TextInput.isLetter(current) || standing && (current == 0x2F || current == 0x5F)) {
                index += 1
            }
            return index - start >= 3 ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
        }

        mutating func number() -> Int64? {
            let start = index
            var value: Int64 = 0
            while !atEnd && TextInput.isDigit(current) && index - start < 4 {
                value = value * 10 + Int64(current - 48)
                index += 1
            }
            return index > start ? value : nil
        }

        /// [+-]h[:m[:s]] in seconds.
        mutating func offset() -> Int64? {
            let negative = take(0x2D)
            if !negative { _ = take(0x2B) }
            guard let hours = number(), hours <= 167 else { return nil }
            var seconds = hours * 3_600
            if take(0x3A) { seconds += (number() ?? 0) * 60 }
            if take(0x3A) { seconds += number() ?? 0 }
            return negative ? -seconds : seconds
        }

        mutating func change() -> Change? {
            var change: Change
            if take(0x4D) {
                guard let month = number(), (1...12).contains(month), take(0x2E), let week = number(),
                    (1...5).contains(week), take(0x2E), let weekday = number(), weekday <= 6
                else { return nil }
                change = Change(day: .monthWeek(month: month, week: week, weekday: weekday))
            } else if take(0x4A) {
                guard let day = number(), (1...365).contains(day) else { return nil }
                change = Change(day: .julian(day))
            } else {
                guard let day = number(), day <= 365 else { return nil }
                change = Change(day: .zeroBased(day))
            }
            if take(0x2F) {
                guard let seconds = offset() else { return nil }
                change.seconds = seconds
            }
            return change
        }
    }
}
