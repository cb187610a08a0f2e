/// DATE as text.
public enum DateText {
    /// `YYYY-MM-DD` and nothing else; nil for every other form and for days that do not exist.
    @inline(__always)
    public static func parseISO(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int64? {
        if count != 10 { return nil }
        let raw = UnsafeRawPointer(bytes)
        // Digits lose their high nibble; separators must vanish under the xor.
        let head = raw.loadUnaligned(as: UInt64.self) ^ 0x2D30_302D_3030_3030
        let tail = UInt64(raw.loadUnaligned(fromByteOffset: 8, as: UInt16.self) ^ 0x3030)
        let carries = (head &+ 0x7F76_767F_7676_7676) | head | (tail &+ 0x7676) | tail
        if carries & 0x8080_8080_8080_8080 != 0 { return nil }
        let year =
            Int64(head & 15) &* 1000 &+ Int64(head &>> 8 & 15) &* 100 &+ Int64(head &>> 16 & 15) &* 10
            &+ Int64(head &>> 24 & 15)
        let month = Int64(head &>> 40 & 15) &* 10 &+ Int64(head &>> 48 & 15)
        let day = Int64(tail & 15) &* 10 &+ Int64(tail &>> 8)
        if month &- 1 > 11 || month == 0 || day == 0 || year == 0 { return nil }
        if day > 28 && day > Calendar.daysInMonth(year, month) { return nil }
        return Calendar.days(year: year, month: month, day: day)
    }

    /// Days since 1970 of any accepted form; 22007 for bad syntax, 22008 for days that do not exist.
    public static func parse(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, _ context: @autoclosure () -> DatetimeContext = DatetimeContext()
    ) throws -> Int64 {
        if let days = parseISO(bytes, count) { return days }
        let context = context()
        do {
            let fields = try DatetimeReader.read(bytes, count, context)
            if let days = fields.days { return try Calendar.checkedDate(days) }
            guard let moment = fields.moment else { throw DatetimeReader.Failure.syntax }
            return Calendar.day(ofTimestamp: moment == 0 ? 0 : context.zone.local(fromUTC: moment))
        } catch let failure as DatetimeReader.Failure {
            throw DatetimeText.error(failure, bytes, count, .date)
        }
    }

    /// ISO form, with ` BC` for years before 1.
    public static func append(_ days: Int64, to buffer: TextBuffer) {
        let date = Calendar.civil(days: days)
        DatetimeText.appendDate(date, to: buffer)
        if date.year <= 0 { buffer.append(" BC") }
    }
}

/// What the readers and writers of all date and time types share.
enum DatetimeText {
    static func error(
        _ failure: DatetimeReader.Failure, _ bytes: UnsafePointer<UInt8>, _ count: Int, _ type: SQLType
    ) -> SQLError {
        let quoted = TextInput.quoted(bytes, count)
        switch failure {
        case .syntax: return SQLError(.invalidDatetimeFormat, "invalid input syntax for type \(type): \(quoted)")
        case .range: return SQLError(.datetimeOverflow, "date/time field value out of range: \(quoted)")
        }
    }

    /// Year (as it is written, without BC), month and day.
    static func appendDate(_ date: (year: Int64, month: Int64, day: Int64), to buffer: TextBuffer) {
        let year = date.year > 0 ? date.year : 1 - date.year
        if year > 9_999 {
            IntegerText.append(year, to: buffer)
        } else {
            buffer.appendTwoDigits(Int(year / 100))
            buffer.appendTwoDigits(Int(year % 100))
        }
        buffer.append(0x2D)
        buffer.appendTwoDigits(Int(date.month))
        buffer.append(0x2D)
        buffer.appendTwoDigits(Int(date.day))
    }

    /// `HH:MM:SS` and the fraction without its trailing zeros.
    static func appendTime(_ microseconds: Int64, to buffer: TextBuffer) {
        let seconds = microseconds / 1_000_000
        appendHours(seconds / 3_600, to: buffer)
        buffer.append(0x3A)
        buffer.appendTwoDigits(Int(seconds / 60 % 60))
        buffer.append(0x3A)
        buffer.appendTwoDigits(Int(seconds % 60))
        appendFraction(microseconds % 1_000_000, to: buffer)
    }

    static func appendHours(_ hours: Int64, to buffer: TextBuffer) {
        if hours > 99 { IntegerText.append(hours, to: buffer) } else { buffer.appendTwoDigits(Int(hours)) }
    }

    static func appendFraction(_ microseconds: Int64, to buffer: TextBuffer) {
        if microseconds == 0 { return }
        var digits = 6
        var value = UInt64(microseconds)
        while value % 10 == 0 {
            value /= 10
            digits -= 1
        }
        buffer.append(0x2E)
        IntegerText.writeFixed(value, digits, buffer.room(digits))
        buffer.advance(digits)
    }

    /// `+HH` or `+HH:MM`.
    static func appendOffset(_ seconds: Int64, to buffer: TextBuffer) {
        buffer.append(seconds < 0 ? 0x2D : 0x2B)
        let magnitude = Int(seconds.magnitude)
        buffer.appendTwoDigits(magnitude / 3_600)
        if magnitude % 3_600 != 0 {
            buffer.append(0x3A)
            buffer.appendTwoDigits(magnitude / 60 % 60)
        }
    }
}
