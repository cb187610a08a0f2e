/// TIME and TIMETZ as text.
public enum TimeText {
    /// Microseconds since midnight; a zone in the text is ignored.
    public static func parse(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, _ context: @autoclosure () -> DatetimeContext = DatetimeContext()
    ) throws -> Int64 {
        if let time = TimestampText.clock(bytes, count) { return time }
        let context = context()
        do {
            return try time(try DatetimeReader.read(bytes, count, context), context)
        } catch {
            throw DatetimeText.error(error, bytes, count, .time)
        }
    }

    /// The packed form of `SQLType.timetz`; without a zone the session's offset at the moment.
    public static func parseWithZone(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, _ context: @autoclosure () -> DatetimeContext = DatetimeContext()
    ) throws -> Int64 {
        let context = context()
        do {
            let fields = try DatetimeReader.read(bytes, count, context)
            let local = try time(fields, context)
            let moment = (fields.days ?? Calendar.day(ofTimestamp: context.nowMicroseconds)) * 86_400
            let zone = fields.zone ?? context.zone
            let offset = fields.offsetSeconds ?? zone.offsetSeconds(atUTCSeconds: moment)
            return TimeWithZone(local: local, offsetMinutes: offset / 60).packed
        } catch {
            throw DatetimeText.error(error, bytes, count, .timetz)
        }
    }

    private static func time(
        _ fields: DatetimeReader.Fields, _ context: DatetimeContext
    ) throws(DatetimeReader.Failure) -> Int64 {
        if let time = fields.time { return time }
        guard let moment = fields.moment, moment != 0 else { throw .syntax }
        return Calendar.timeOfDay(context.zone.local(fromUTC: moment))
    }

    public static func append(_ microseconds: Int64, to buffer: TextBuffer) {
        DatetimeText.appendTime(microseconds, to: buffer)
    }

    public static func append(packed: Int64, to buffer: TextBuffer) {
        let value = TimeWithZone(packed: packed)
        DatetimeText.appendTime(value.local, to: buffer)
        DatetimeText.appendOffset(value.offsetMinutes * 60, to: buffer)
    }
}

/// A TIMETZ value taken apart. The upper bits of the packed form are the time in UTC, not wrapped at midnight, so
/// packed values of equal offset compare as their moments do.
@frozen
public struct TimeWithZone: Hashable, Sendable {
    /// Microseconds since UTC's midnight; may lie before it or after the next one.
    public var utc: Int64
    /// East of Greenwich is positive.
    public var offsetMinutes: Int64

    public init(local: Int64, offsetMinutes: Int64) {
        utc = local - offsetMinutes * Calendar.microsecondsPerMinute
        self.offsetMinutes = offsetMinutes
    }
    @inlinable
    public init(packed: Int64) {
        utc = packed &>> 12
        offsetMinutes = (packed & 4095) &- 2048
    }
    @inlinable public var packed: Int64 { utc &<< 12 | (offsetMinutes &+ 2048) & 4095 }
    public var local: Int64 { utc + offsetMinutes * Calendar.microsecondsPerMinute }
}
