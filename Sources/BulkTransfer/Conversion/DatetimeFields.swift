import SQLTypes

/// Dates, times and timestamps with DATEFORMAT, TIMEFORMAT and ACCEPTANYDATE, for the fields that the typed loops
/// leave.
struct DatetimeFields {
    private let options: CopyOptions
    private var context: DatetimeContext
    /// The typed loops may take the fixed ISO forms.
    let isoDates: Bool
    let isoTimestamps: Bool

    init(_ options: CopyOptions, _ context: DatetimeContext) {
        self.options = options
        self.context = context
        self.context.dotsBeginWithDay = true
        isoDates =
            options.dateFormat == .standard || options.dateFormat == .auto
            || options.dateFormatText.uppercased() == "YYYY-MM-DD"
        isoTimestamps =
            options.timeFormat == .standard || options.timeFormat == .auto
            || ["YYYY-MM-DD HH:MI:SS", "YYYY-MM-DD HH24:MI:SS"].contains(options.timeFormatText.uppercased())
    }

    func convert(_ bytes: UnsafePointer<UInt8>, _ count: Int, _ kind: ColumnPlan.Kind) -> FieldValue {
        let value: Int64? =
            switch kind {
            case .date: date(bytes, count)
            case .timestamp(let withZone): timestamp(bytes, count, withZone)
            case .time(let withZone): time(bytes, count, withZone)
            default: nil
            }
        if let value { return .integer(Int128(value)) }
        if options.acceptAnyDate { return .null }
        return .failure(failure(count, kind))
    }

    private func failure(_ count: Int, _ kind: ColumnPlan.Kind) -> FieldFailure {
        switch kind {
        case .date:
            if options.dateFormat == .standard && count < 10 {
                return FieldFailure(code: 1205, reason: "Invalid Date Format - length must be 10 or more")
            }
            return FieldFailure(code: 1205, reason: "Invalid date format or value [\(options.dateFormatText)]")
        case .time: return FieldFailure(code: 1206, reason: "Invalid time format or value [HH24:MI:SS]")
        default:
            return FieldFailure(code: 1206, reason: "Invalid timestamp format or value [\(options.timeFormatText)]")
        }
    }

    private func date(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int64? {
        if options.dateFormat == .standard {
            // No month names, no `today`: a date in digits, of which ten characters are the least.
            guard count >= 10, startsWithDigit(bytes, count) else { return nil }
        }
        return try? options.dateFormat.date(bytes, count, context)
    }

    private func timestamp(_ bytes: UnsafePointer<UInt8>, _ count: Int, _ withZone: Bool) -> Int64? {
        if options.timeFormat == .standard {
            guard count >= 10, startsWithDigit(bytes, count) else { return nil }
        }
        return try? options.timeFormat.timestamp(bytes, count, withZone: withZone, context)
    }

    private func startsWithDigit(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        let (start, end) = TextInput.trimmed(bytes, count)
        return start < end && TextInput.isDigit(bytes[start])
    }

    private func time(_ bytes: UnsafePointer<UInt8>, _ count: Int, _ withZone: Bool) -> Int64? {
        withZone ? try? TimeText.parseWithZone(bytes, count, context) : try? TimeText.parse(bytes, count, context)
    }
}
