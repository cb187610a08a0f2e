/// TIMESTAMP and TIMESTAMPTZ as text.
public enum TimestampText {
    /// `YYYY-MM-DD HH:MM:SS[.ffffff]` (or with `T`) and nothing else.
    public static func parseISO(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int64? {
        guard count >= 10, let days = DateText.parseISO(bytes, 10) else { return nil }
        if count == 10 { return days &* Calendar.microsecondsPerDay }
        guard bytes[10] == 0x20 || bytes[10] == 0x54, let time = clock(bytes + 11, count - 11) else { return nil }
        return days &* Calendar.microsecondsPerDay &+ time
    }

    /// `HH:MM:SS[.ffffff]`.
    @inline(__always)
    static func clock(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int64? {
        if count < 8 || count == 9 || count > 15 || bytes[2] != 0x3A || bytes[5] != 0x3A { return nil }
        guard let hour = two(bytes), let minute = two(bytes + 3), let second = two(bytes + 6), hour < 24, minute < 60,
            second < 60
        else { return nil }
        var time = ((hour &* 60 &+ minute) &* 60 &+ second) &* 1_000_000
        if count > 8 {
            if bytes[8] != 0x2E { return nil }
            var place: Int64 = 100_000
            for index in 9..<count {
                let digit = bytes[index] &- 48
                if digit > 9 { return nil }
                time &+= Int64(digit) &* place
                place /= 10
            }
        }
        return time
    }

    @inline(__always)
    private static func two(_ bytes: UnsafePointer<UInt8>) -> Int64? {
        let tens = bytes[0] &- 48
        let ones = bytes[1] &- 48
        return tens > 9 || ones > 9 ? nil : Int64(tens) &* 10 &+ Int64(ones)
    }

    /// Local microseconds since 1970; a zone in the text is ignored, as in Redshift.
    public static func parse(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, _ context: @autoclosure () -> DatetimeContext = DatetimeContext()
    ) throws -> Int64 {
        if let fast = parseISO(bytes, count) { return fast }
        let context = context()
        do {
            let fields = try DatetimeReader.read(bytes, count, context)
            if let moment = fields.moment { return moment == 0 ? 0 : context.zone.local(fromUTC: moment) }
            return try local(fields)
        } catch let failure as DatetimeReader.Failure {
            throw DatetimeText.error(failure, bytes, count, .timestamp)
        }
    }

    /// UTC microseconds since 1970; without a zone in the text the session's zone is meant.
    public static func parseWithZone(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, _ context: @autoclosure () -> DatetimeContext = DatetimeContext()
    ) throws -> Int64 {
        let context = context()
        if let fast = parseISO(bytes, count) { return try Calendar.checkedTimestamp(context.zone.utc(fromLocal: fast)) }
        do {
            let fields = try DatetimeReader.read(bytes, count, context)
            if let moment = fields.moment { return moment }
            let local = try local(fields)
            if let offset = fields.offsetSeconds {
                return try Calendar.checkedTimestamp(local - offset * Calendar.microsecondsPerSecond)
            }
            return try Calendar.checkedTimestamp((fields.zone ?? context.zone).utc(fromLocal: local))
        } catch let failure as DatetimeReader.Failure {
            throw DatetimeText.error(failure, bytes, count, .timestamptz)
        }
    }

    private static func local(_ fields: DatetimeReader.Fields) throws -> Int64 {
        guard let days = fields.days else { throw DatetimeReader.Failure.syntax }
        let midnight = try Calendar.timestamp(ofDay: days)
        return try Calendar.checkedTimestamp(midnight + (fields.time ?? 0))
    }

    /// ISO form.
    public static func append(_ microseconds: Int64, to buffer: TextBuffer) {
        let beforeChrist = appendLocal(microseconds, to: buffer)
        if beforeChrist { buffer.append(" BC") }
    }

    /// ISO form in a zone, with the offset.
    public static func append(_ microseconds: Int64, zone: ZoneRules, to buffer: TextBuffer) {
        let seconds = Calendar.floorDivide(microseconds, Calendar.microsecondsPerSecond)
        let offset = zone.offsetSeconds(atUTCSeconds: seconds)
        let beforeChrist = appendLocal(microseconds &+ offset &* Calendar.microsecondsPerSecond, to: buffer)
        DatetimeText.appendOffset(offset, to: buffer)
        if beforeChrist { buffer.append(" BC") }
    }

    private static func appendLocal(_ microseconds: Int64, to buffer: TextBuffer) -> Bool {
        let days = Calendar.day(ofTimestamp: microseconds)
        let date = Calendar.civil(days: days)
        DatetimeText.appendDate(date, to: buffer)
        buffer.append(0x20)
        DatetimeText.appendTime(microseconds &- days &* Calendar.microsecondsPerDay, to: buffer)
        return date.year <= 0
    }
}
