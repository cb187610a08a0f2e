/// Text output of values by type, the same for results, UNLOAD and casts to strings.
public enum ValueText {
    /// Integers, decimals, booleans, dates, times and timestamps in their integer form.
    public static func append(
        integer value: Int64, type: SQLType, zone: ZoneRules = .utc, intervals: IntervalStyle = .postgres,
        to buffer: TextBuffer
    ) {
        switch type {
        case .boolean: BooleanText.append(value != 0, to: buffer)
        case .decimal(_, let scale): DecimalText.append(value, scale: scale, to: buffer)
        case .date: DateText.append(value, to: buffer)
        case .time: TimeText.append(value, to: buffer)
        case .timetz: TimeText.append(packed: value, to: buffer)
        case .timestamp: TimestampText.append(value, to: buffer)
        case .timestamptz: TimestampText.append(value, zone: zone, to: buffer)
        case .yearMonthInterval(let fields), .dayTimeInterval(let fields):
            IntervalText.append(fields.interval(value), style: intervals, to: buffer)
        default: IntegerText.append(value, to: buffer)
        }
    }

    /// The same for 128-bit decimals and intervals.
    public static func append(
        wide value: Int128, type: SQLType, zone: ZoneRules = .utc, intervals: IntervalStyle = .postgres,
        to buffer: TextBuffer
    ) {
        switch type {
        case .decimal(_, let scale): DecimalText.append(value, scale: scale, to: buffer)
        case .interval: IntervalText.append(Interval(packed: value), style: intervals, to: buffer)
        default:
            if let narrow = Int64(exactly: value) {
                append(integer: narrow, type: type, zone: zone, intervals: intervals, to: buffer)
            } else {
                IntegerText.append(value, to: buffer)
            }
        }
    }

    /// The integer form of what a text means, for the types that have one.
    package static func parseInteger(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, _ type: SQLType, _ context: DatetimeContext
    ) throws -> Int128 {
        switch type {
        case .boolean: return try BooleanText.parseThrowing(bytes, count) ? 1 : 0
        case .smallint, .integer, .bigint: return Int128(try IntegerText.parse(bytes, count, as: type))
        case .decimal(let precision, let scale):
            return try DecimalText.parse(bytes, count, precision: precision, scale: scale)
        case .date: return Int128(try DateText.parse(bytes, count, context))
        case .time: return Int128(try TimeText.parse(bytes, count, context))
        case .timetz: return Int128(try TimeText.parseWithZone(bytes, count, context))
        case .timestamp: return Int128(try TimestampText.parse(bytes, count, context))
        case .timestamptz: return Int128(try TimestampText.parseWithZone(bytes, count, context))
        case .interval: return try IntervalText.parse(bytes, count).packed
        case .yearMonthInterval(let fields), .dayTimeInterval(let fields):
            return Int128(try fields.parse(bytes, count))
        case .real, .double, .char, .varchar, .varbyte, .semistructured, .hllsketch, .unknown:
            throw SQLError(.internalError, "type \(type) has no integer form")
        }
    }

    public static func append(double value: Double, type: SQLType, extraDigits: Int = 0, to buffer: TextBuffer) {
        FloatText.append(value, real: type == .real, extraDigits: extraDigits, to: buffer)
    }
}

extension Datum {
    /// Writes the value as its type shows it; nothing for NULL.
    /// - Parameter padding: fill CHAR up to its length with blanks, as results show it.
    public func append(
        type: SQLType, to buffer: TextBuffer, zone: ZoneRules = .utc, intervals: IntervalStyle = .postgres,
        extraDigits: Int = 0, padding: Bool = false
    ) {
        switch self {
        case .null: break
        case .integer(let value):
            if type.isFloat {
                ValueText.append(double: Double(value), type: type, extraDigits: extraDigits, to: buffer)
            } else {
                ValueText.append(wide: value, type: type, zone: zone, intervals: intervals, to: buffer)
            }
        case .double(let value): ValueText.append(double: value, type: type, extraDigits: extraDigits, to: buffer)
        case .interval(let value): IntervalText.append(value, style: intervals, to: buffer)
        case .string(let bytes) where type.family == .bytes:
            bytes.withUnsafeBufferPointer { HexadecimalText.append($0, to: buffer) }
        case .string(let bytes) where type.family == .semistructured:
            bytes.withUnsafeBufferPointer { SuperText.appendShown($0, to: buffer) }
        case .string(let bytes) where type == .hllsketch:
            bytes.withUnsafeBufferPointer { HLLText.appendShown($0, to: buffer) }
        case .string(let bytes):
            buffer.append(bytes)
            guard padding, case .char(let length) = type else { return }
            buffer.append(repeating: 0x20, length - bytes.count)
        }
    }

    /// The value as text; nil for NULL.
    public func text(type: SQLType, zone: ZoneRules = .utc, intervals: IntervalStyle = .postgres) -> String? {
        if isNull { return nil }
        let buffer = TextBuffer()
        append(type: type, to: buffer, zone: zone, intervals: intervals)
        return buffer.string
    }

    /// The value that a text means; blanks around numbers do not count. Strings are checked against their length.
    public static func parse(_ text: [UInt8], as type: SQLType, context: DatetimeContext) throws -> Datum {
        try text.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return try parse([0], 0, type, context) }
            return try parse(base, bytes.count, type, context)
        }
    }

    private static func parse(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, _ type: SQLType, _ context: DatetimeContext
    ) throws -> Datum {
        switch type {
        case .real, .double: .double(try FloatText.parse(bytes, count, as: type))
        case .interval: .interval(try IntervalText.parse(bytes, count))
        case .semistructured:
            try SuperCasts.datum(
                .string(Array(UnsafeBufferPointer(start: bytes, count: count))), from: .unknown, { context })
        case .hllsketch: .string(try HLLText.parse(UnsafeBufferPointer(start: bytes, count: count)))
        case .char, .varchar, .varbyte, .unknown:
            .string(
                try StringLength.fitted(
                    Array(UnsafeBufferPointer(start: bytes, count: count)), type, explicit: false))
        default: .integer(try ValueText.parseInteger(bytes, count, type, context))
        }
    }
}
