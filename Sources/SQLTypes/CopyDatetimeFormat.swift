/// COPY's DATEFORMAT and TIMEFORMAT.
public enum CopyDatetimeFormat: Sendable, Hashable {
    /// No option: ISO forms and what casts accept.
    case standard
    /// `'auto'`: every known form, zones included.
    case auto
    case epochSeconds
    case epochMilliseconds
    case template(DatetimeFormat)

    /// The option's text; 'auto' and the epoch words only in lower case, everything else is a template.
    public init(option: String) throws {
        switch option {
        case "auto": self = .auto
        case "epochsecs": self = .epochSeconds
        case "epochmillisecs": self = .epochMilliseconds
        default: self = .template(try DatetimeFormat(option, dialect: .copy))
        }
    }

    /// Days since 1970.
    public func date(_ bytes: UnsafePointer<UInt8>, _ count: Int, _ context: DatetimeContext) throws -> Int64 {
        switch self {
        case .standard, .auto: return try DateText.parse(bytes, count, context)
        case .epochSeconds, .epochMilliseconds:
            return Calendar.day(ofTimestamp: try epoch(bytes, count))
        case .template(let format):
            let (start, end) = TextInput.trimmed(bytes, count)
            return try format.parseThrowing(bytes + start, end - start, strict: true).days
        }
    }

    /// Local microseconds since 1970 for TIMESTAMP, UTC ones for TIMESTAMPTZ.
    public func timestamp(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, withZone: Bool, _ context: DatetimeContext
    ) throws -> Int64 {
        switch self {
        case .standard, .auto:
            if withZone { return try TimestampText.parseWithZone(bytes, count, context) }
            return try TimestampText.parse(bytes, count, context)
        case .epochSeconds, .epochMilliseconds: return try epoch(bytes, count)
        case .template(let format):
            let (start, end) = TextInput.trimmed(bytes, count)
            let parsed = try format.parseThrowing(bytes + start, end - start, strict: true)
            let local = try Calendar.checkedTimestamp(try Calendar.timestamp(ofDay: parsed.days) + parsed.time)
            return withZone ? try Calendar.checkedTimestamp(context.zone.utc(fromLocal: local)) : local
        }
    }

    private func epoch(_ bytes: UnsafePointer<UInt8>, _ count: Int) throws -> Int64 {
        let scale = self == .epochSeconds ? 6 : 3
        let value = try DecimalText.parse(bytes, count, precision: 38, scale: scale, surplus: .truncate)
        guard let microseconds = Int64(exactly: value) else { throw Calendar.timestampOutOfRange }
        return try Calendar.checkedTimestamp(microseconds)
    }
}
