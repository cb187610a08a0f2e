extension DatetimeFormat {
    /// TO_CHAR of a local timestamp; zone name and offset are what `TZ` and `OF` show.
    public func append(
        timestamp: Int64, zoneName: String = "", offsetSeconds: Int64 = 0, to buffer: TextBuffer
    ) {
        let days = Calendar.day(ofTimestamp: timestamp)
        let moment = Moment(
            days: days, date: Calendar.civil(days: days), time: Calendar.timeOfDay(timestamp), zoneName: zoneName,
            offsetSeconds: offsetSeconds)
        for element in elements {
            switch element {
            case .literal(let byte): buffer.append(byte)
            case .pattern(let pattern):
                if pattern.field.isNumeric {
                    appendNumber(pattern, moment, buffer)
                } else {
                    appendWord(pattern, moment, buffer)
                }
            }
        }
    }

    private struct Moment {
        var days: Int64
        var date: (year: Int64, month: Int64, day: Int64)
        var time: Int64
        var zoneName: String
        var offsetSeconds: Int64
        var hour: Int64 { time / Calendar.microsecondsPerHour }
        var yearShown: Int64 { date.year > 0 ? date.year : 1 - date.year }
    }

    private func appendNumber(_ pattern: Pattern, _ moment: Moment, _ buffer: TextBuffer) {
        let value = number(pattern.field, moment)
        if pattern.field == .yearWithComma {
            IntegerText.append(value / 1_000, to: buffer)
            buffer.append(0x2C)
            IntegerText.writeFixed(UInt64(value % 1_000), 3, buffer.room(3))
            buffer.advance(3)
        } else {
            let start = buffer.count
            IntegerText.append(value, to: buffer)
            let missing = pattern.field.width - (buffer.count - start)
            if !pattern.isBare && missing > 0 {
                buffer.truncate(to: start)
                if value < 0 { buffer.append(0x2D) }
                buffer.append(repeating: 0x30, missing)
                IntegerText.append(Int64(clamping: value.magnitude), to: buffer)
            }
        }
        if let ordinal = pattern.ordinal { buffer.append(text: OrdinalSuffix.text(value, upper: ordinal == .upper)) }
    }

    private func number(_ field: Field, _ moment: Moment) -> Int64 {
        let date = moment.date
        switch field {
        case .year(let digits): return lastDigits(moment.yearShown, digits)
        case .yearWithComma: return moment.yearShown
        case .isoYear(let digits): return lastDigits(Calendar.isoWeek(moment.days).year, digits)
        case .quarter: return (date.month + 2) / 3
        case .month: return date.month
        case .weekOfMonth: return (date.day - 1) / 7 + 1
        case .weekOfYear: return (Calendar.dayOfYear(moment.days) - 1) / 7 + 1
        case .isoWeek: return Calendar.isoWeek(moment.days).week
        case .dayOfYear: return Calendar.dayOfYear(moment.days)
        case .isoDayOfYear:
            let weekday = (Calendar.dayOfWeek(moment.days) + 6) % 7
            return (Calendar.isoWeek(moment.days).week - 1) * 7 + weekday + 1
        case .day: return date.day
        case .dayOfWeek: return Calendar.dayOfWeek(moment.days) + 1
        case .isoDayOfWeek: return (Calendar.dayOfWeek(moment.days) + 6) % 7 + 1
        case .julian: return moment.days + Calendar.julianEpoch
        case .hour24: return moment.hour
        case .hour12: return (moment.hour + 11) % 12 + 1
        case .minute: return moment.time / Calendar.microsecondsPerMinute % 60
        case .second: return moment.time / Calendar.microsecondsPerSecond % 60
        case .secondsOfDay: return moment.time / Calendar.microsecondsPerSecond
        case .millisecond: return moment.time % Calendar.microsecondsPerSecond / 1_000
        case .microsecond: return moment.time % Calendar.microsecondsPerSecond
        case .century: return DateExtraction.extract(.century, days: moment.days) ?? 0
        default: return 0
        }
    }

    /// Four digits mean the whole year.
    private func lastDigits(_ year: Int64, _ digits: Int) -> Int64 {
        switch digits {
        case 1: year % 10
        case 2: year % 100
        case 3: year % 1_000
        default: year
        }
    }

    private func appendWord(_ pattern: Pattern, _ moment: Moment, _ buffer: TextBuffer) {
        switch pattern.field {
        case .monthName: append(DatetimeNames.months[Int(moment.date.month) - 1], pattern, 9, buffer)
        case .monthAbbreviation:
            append(String(DatetimeNames.months[Int(moment.date.month) - 1].prefix(3)), pattern, 0, buffer)
        case .dayName: append(weekday(moment), pattern, 9, buffer)
        case .dayAbbreviation: append(String(weekday(moment).prefix(3)), pattern, 0, buffer)
        case .roman: append(Field.romanMonths[Int(moment.date.month) - 1], pattern, 4, buffer)
        case .meridian(let dots):
            let late = moment.hour >= 12
            append(dots ? (late ? "P.M." : "A.M.") : (late ? "PM" : "AM"), pattern, 0, buffer)
        case .era(let dots):
            let before = moment.date.year <= 0
            append(dots ? (before ? "B.C." : "A.D.") : (before ? "BC" : "AD"), pattern, 0, buffer)
        case .zoneName:
            buffer.append(text: pattern.letters == .lower ? moment.zoneName.lowercased() : moment.zoneName)
        case .zoneOffset: DatetimeText.appendOffset(moment.offsetSeconds, to: buffer)
        default: break
        }
    }

    private func weekday(_ moment: Moment) -> String { DatetimeNames.weekdays[Int(Calendar.dayOfWeek(moment.days))] }

    private func append(_ word: String, _ pattern: Pattern, _ width: Int, _ buffer: TextBuffer) {
        switch pattern.letters {
        case .upper: buffer.append(text: word.uppercased())
        case .lower: buffer.append(text: word.lowercased())
        // AM, BC and Roman numbers have no capitalised form.
        case .capitalized: buffer.append(text: word)
        }
        if !pattern.isBare { buffer.append(repeating: 0x20, width - word.utf8.count) }
    }
}

/// st, nd, rd, th.
enum OrdinalSuffix {
    static func text(_ value: Int64, upper: Bool) -> String {
        let ones = value.magnitude % 10
        let teen = value.magnitude / 10 % 10 == 1
        let suffix = teen ? "th" : ones == 1 ? "st" : ones == 2 ? "nd" : ones == 3 ? "rd" : "th"
        return upper ? suffix.uppercased() : suffix
    }
}
