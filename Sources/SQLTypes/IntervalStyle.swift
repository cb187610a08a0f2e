/// How intervals are shown: the parameter `intervalstyle`. The forms are PostgreSQL's.
public enum IntervalStyle: String, Sendable, Hashable, CaseIterable {
    /// `1 year 2 mons 3 days 04:05:06`
    case postgres
    /// `@ 1 year 2 mons 3 days 4 hours 5 mins 6 secs`
    case verbose = "postgres_verbose"
    /// `1-2` and `3 4:05:06`; with both kinds, or both signs, `+1-2 +3 +4:05:06`
    case standard = "sql_standard"
}

extension IntervalText {
    public static func append(_ value: Interval, style: IntervalStyle, to buffer: TextBuffer) {
        switch style {
        case .postgres: append(value, to: buffer)
        case .verbose: appendVerbose(value, to: buffer)
        case .standard: appendStandard(value, to: buffer)
        }
    }

    /// The first field decides about `ago`; those of the other sign have a minus then.
    private static func appendVerbose(_ value: Interval, to buffer: TextBuffer) {
        let fields = Fields(value)
        let isAgo = fields.all.first { $0.amount != 0 }.map { $0.amount < 0 } ?? (fields.microseconds < 0)
        buffer.append(0x40)
        let start = buffer.count
        for (amount, unit) in fields.all where amount != 0 {
            buffer.append(0x20)
            if (amount < 0) != isAgo { buffer.append(0x2D) }
            IntegerText.append(Int128(amount.magnitude), to: buffer)
            buffer.append(0x20)
            buffer.append(unit)
            if amount.magnitude != 1 { buffer.append(0x73) }
        }
        if fields.microseconds != 0 {
            buffer.append(0x20)
            if (fields.microseconds < 0) != isAgo { buffer.append(0x2D) }
            let seconds = fields.microseconds.magnitude
            IntegerText.append(Int128(seconds / 1_000_000), to: buffer)
            DatetimeText.appendFraction(Int64(seconds % 1_000_000), to: buffer)
            buffer.append(seconds == 1_000_000 ? " sec" : " secs")
        }
        if buffer.count == start { buffer.append(" 0") }
        if isAgo { buffer.append(" ago") }
    }

    private static func appendStandard(_ value: Interval, to buffer: TextBuffer) {
        let (months, span) = (value.months, value.microseconds)
        if months == 0 && span == 0 { return buffer.append(0x30) }
        let day = UInt64(Calendar.microsecondsPerDay)
        let isMixed = months != 0 && span != 0
        if isMixed { buffer.append(months < 0 ? 0x2D : 0x2B) } else if months < 0 || span < 0 { buffer.append(0x2D) }
        if months != 0 {
            IntegerText.append(Int128(months.magnitude / 12), to: buffer)
            buffer.append(0x2D)
            IntegerText.append(Int128(months.magnitude % 12), to: buffer)
        }
        if span == 0 { return }
        let (days, time) = span.magnitude.quotientAndRemainder(dividingBy: day)
        if isMixed {
            buffer.append(0x20)
            buffer.append(span < 0 && days != 0 ? 0x2D : 0x2B)
        }
        if days != 0 || isMixed {
            IntegerText.append(Int128(days), to: buffer)
            buffer.append(0x20)
            if isMixed { buffer.append(span < 0 && time != 0 ? 0x2D : 0x2B) }
        }
        let seconds = time / 1_000_000
        IntegerText.append(Int128(seconds / 3_600), to: buffer)
        buffer.append(0x3A)
        buffer.appendTwoDigits(Int(seconds / 60 % 60))
        buffer.append(0x3A)
        buffer.appendTwoDigits(Int(seconds % 60))
        DatetimeText.appendFraction(Int64(time % 1_000_000), to: buffer)
    }

    /// An interval's whole parts, and the microseconds of its seconds.
    private struct Fields {
        let all: [(amount: Int64, unit: StaticString)]
        let microseconds: Int64

        init(_ value: Interval) {
            let time = value.microseconds % Calendar.microsecondsPerDay
            all = [
                (value.months / 12, "year"), (value.months % 12, "mon"),
                (value.microseconds / Calendar.microsecondsPerDay, "day"), (time / 3_600_000_000, "hour"),
                (time / 60_000_000 % 60, "min"),
            ]
            microseconds = time % 60_000_000
        }
    }
}
