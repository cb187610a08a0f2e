extension Datum {
    /// The value converted to another type, for constants and INSERT ... VALUES.
    ///
    /// - Parameter explicit: a cast was written; strings may be cut. Without it the conversion must be allowed on
    ///   assignment.
    public func cast(
        from: SQLType, to: SQLType, explicit: Bool, context: @autoclosure () -> DatetimeContext = DatetimeContext()
    ) throws -> Datum {
        if isNull { return .null }
        guard CastRules.canCast(from: from, to: to, context: explicit ? .explicit : .assignment) else {
            throw SQLError(.cannotCoerce, "cannot cast type \(from) to \(to)")
        }
        if from == to && !to.isString { return self }
        if to.family == .semistructured { return try SuperCasts.datum(self, from: from, context) }
        if case .string(let bytes) = self, from.family == .semistructured {
            return try bytes.withUnsafeBufferPointer { try SuperCasts.datum(SuperView($0), to: to, context) }
        }
        if case .string(let bytes) = self, from == .hllsketch || to == .hllsketch {
            return try Datum.cast(sketch: bytes, to, context)
        }
        if from.family == .bytes || to.family == .bytes { return try castBytes(from, to, explicit: explicit) }
        switch self {
        case .null: return .null
        case .string(let bytes):
            if to.isString { return .string(try StringLength.fitted(bytes, to, explicit: explicit)) }
            return to == .unknown ? self : try Datum.parse(bytes, as: to, context: context())
        case _ where to.isString: return try castToString(from, to, context)
        case .integer(let value) where from.intervalFields != nil: return try Datum.cast(span: value, from, to)
        case .integer(let value): return try Datum.cast(integer: value, from, to, context)
        case .double(let value): return try Datum.cast(double: value, to)
        case .interval(let value):
            if let fields = to.intervalFields {
                return .integer(Int128(try fields.value(of: value, cutting: explicit)))
            }
            return to == .time ? .integer(Int128(Calendar.timeOfDay(value.microseconds))) : self
        }
    }

    /// A sketch's text is not cut: what is left would be none.
    private static func cast(sketch bytes: [UInt8], _ to: SQLType, _ context: () -> DatetimeContext) throws -> Datum {
        if to == .hllsketch { return try Datum.parse(bytes, as: to, context: context()) }
        let buffer = TextBuffer()
        try bytes.withUnsafeBufferPointer { try HLLText.append($0, to: buffer) }
        return .string(try StringLength.fitted(buffer.array, to, explicit: false))
    }

    /// Of months or of microseconds.
    private static func cast(span value: Int128, _ from: SQLType, _ to: SQLType) throws -> Datum {
        guard let fields = from.intervalFields, let count = Int64(exactly: value) else {
            throw Calendar.intervalOutOfRange
        }
        let interval = fields.interval(count)
        if to == .interval { return .interval(interval) }
        if to == .time { return .integer(Int128(Calendar.timeOfDay(count))) }
        guard let fields = to.intervalFields else { return .integer(value) }
        return .integer(Int128(try fields.value(of: interval, cutting: true)))
    }

    private func castToString(_ from: SQLType, _ to: SQLType, _ context: () -> DatetimeContext) throws -> Datum {
        if from == .boolean {
            let word = self == .boolean(true) ? "true" : "false"
            return .string(try StringLength.fitted(Array(word.utf8), to, explicit: false))
        }
        let buffer = TextBuffer()
        let style = from.isInterval ? context().intervalStyle : .postgres
        append(type: from, to: buffer, zone: from == .timestamptz ? context().zone : .utc, intervals: style)
        // Cutting digits off would change the value, so numbers and dates must fit even in an explicit cast.
        return .string(try StringLength.fitted(buffer.array, to, explicit: false))
    }

    // MARK: From the integer form

    private static func cast(
        integer value: Int128, _ from: SQLType, _ to: SQLType, _ context: () -> DatetimeContext
    ) throws -> Datum {
        if from.isDatetime { return try cast(datetime: value, from, to, context) }
        switch to {
        case .boolean: return .boolean(value != 0)
        case .smallint, .integer, .bigint:
            let whole = DecimalArithmetic.divideRounding(value, byPowerOfTen: from.scale)
            return .integer(try checkedInteger(whole, to))
        case .decimal(let precision, let scale):
            return .integer(
                try DecimalArithmetic.rescale(value, from: from.scale, to: scale, precision: precision))
        case .real, .double:
            let exact = decimalToDouble(value, scale: from.scale)
            return .double(to == .real ? Double(Float(exact)) : exact)
        default: return .integer(value)
        }
    }

    /// The nearest double of an unscaled decimal, for digits and scales whose parts are exact.
    public static func decimalToDouble(_ value: Int128, scale: Int) -> Double {
        if scale == 0 { return Double(value) }
        if value.magnitude <= 1 << 53 && scale <= 22 { return Double(value) / PowersOfTen.double[scale] }
        let buffer = TextBuffer()
        DecimalText.append(value, scale: scale, to: buffer)
        return FloatText.parse(buffer.base, buffer.count) ?? Double(value) / PowersOfTen.double[min(scale, 38)]
    }

    static func checkedInteger(_ value: Int128, _ type: SQLType) throws -> Int128 {
        let range = IntegerText.range(of: type)
        guard value >= Int128(range.lowerBound) && value <= Int128(range.upperBound) else {
            throw SQLError(.numericOutOfRange, "\(type) out of range")
        }
        return value
    }

    private static func cast(double value: Double, _ to: SQLType) throws -> Datum {
        switch to {
        case .smallint, .integer, .bigint:
            // The nearest integer, halves to even, as the library's rint does.
            guard let whole = Int128(exactly: value.rounded(.toNearestOrEven)) else {
                throw SQLError(.numericOutOfRange, "\(to) out of range")
            }
            return .integer(try checkedInteger(whole, to))
        case .decimal(let precision, let scale):
            return .integer(try decimal(value, precision: precision, scale: scale))
        case .real:
            let narrow = Float(value)
            if narrow.isInfinite && !value.isInfinite {
                throw SQLError(.numericOutOfRange, "value out of range: overflow")
            }
            return .double(Double(narrow))
        case .boolean: return .boolean(value != 0)
        default: return .double(value)
        }
    }

    /// A double as a decimal: its 15 significant digits count, as in PostgreSQL.
    public static func decimal(_ value: Double, precision: Int, scale: Int) throws -> Int128 {
        guard value.isFinite else { throw DecimalArithmetic.overflow("NaN and infinity are no decimals.") }
        let buffer = TextBuffer(capacity: 32)
        FloatText.append(value, to: buffer)
        return try DecimalText.parse(buffer.base, buffer.count, precision: precision, scale: scale)
    }

    // MARK: Dates and times

    private static func cast(
        datetime value: Int128, _ from: SQLType, _ to: SQLType, _ context: () -> DatetimeContext
    ) throws -> Datum {
        let source = Int64(truncatingIfNeeded: value)
        let result: Int64
        switch (from, to) {
        case (.date, .timestamp): result = try Calendar.timestamp(ofDay: source)
        case (.date, .timestamptz):
            result = try Calendar.checkedTimestamp(context().zone.utc(fromLocal: try Calendar.timestamp(ofDay: source)))
        case (.timestamp, .date): result = Calendar.day(ofTimestamp: source)
        case (.timestamp, .time): result = Calendar.timeOfDay(source)
        case (.timestamp, .timestamptz):
            result = try Calendar.checkedTimestamp(context().zone.utc(fromLocal: source))
        case (.timestamptz, .timestamp):
            result = try Calendar.checkedTimestamp(context().zone.local(fromUTC: source))
        case (.timestamptz, .date):
            result = try Calendar.checkedDate(Calendar.day(ofTimestamp: context().zone.local(fromUTC: source)))
        case (.timestamptz, .time): result = Calendar.timeOfDay(context().zone.local(fromUTC: source))
        case (.timestamptz, .timetz):
            let local = context().zone.local(fromUTC: source)
            let minutes = (local - source) / Calendar.microsecondsPerMinute
            result = TimeWithZone(local: Calendar.timeOfDay(local), offsetMinutes: minutes).packed
        case (.time, .timetz):
            let context = context()
            let seconds = context.zone.offsetSeconds(atUTCSeconds: context.nowMicroseconds / 1_000_000)
            result = TimeWithZone(local: source, offsetMinutes: seconds / 60).packed
        case (.timetz, .time): result = TimeWithZone(packed: source).local
        case (.time, .dayTimeInterval(let fields)):
            let interval = Interval(months: 0, microseconds: source)
            result = try fields.value(of: interval, cutting: true)
        case (.time, .interval): return .interval(Interval(months: 0, microseconds: source))
        default: result = source
        }
        return .integer(Int128(result))
    }
}
