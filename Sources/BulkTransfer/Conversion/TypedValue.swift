import ColumnVectors
import SQLTypes

/// A value that its file has a type for (Avro, ORC).
enum TypedValue {
    case null
    case boolean(Bool)
    /// An integer, or a decimal by its unscaled value.
    case number(Int128, scale: Int)
    case double(Double)
    /// Days since 1970.
    case date(Int64)
    /// Microseconds since 1970; of an instant in UTC, or as clocks show them.
    case timestamp(Int64, isInstant: Bool)
    /// Microseconds of a day.
    case time(Int64)
    /// Bytes that stay where they are until the next piece.
    case text(UnsafeMutablePointer<UInt8>, Int)

    // What no calendar has stays a number, and fails as the text of one.

    static func day(_ days: Int64) -> TypedValue {
        days >= Calendar.minimumDay && days <= Calendar.maximumDay ? .date(days) : .number(Int128(days), scale: 0)
    }
    static func moment(_ micros: Int64, isInstant: Bool) -> TypedValue {
        micros >= Calendar.minimumTimestamp && micros <= Calendar.maximumTimestamp
            ? .timestamp(micros, isInstant: isInstant) : .number(Int128(micros), scale: 0)
    }
    static func clock(_ micros: Int64) -> TypedValue {
        micros >= 0 && micros < Calendar.microsecondsPerDay ? .time(micros) : .number(Int128(micros), scale: 0)
    }
}

/// Converts typed values to columns and appends them: directly where the types agree, otherwise by the value's text, so
/// that the options and errors are those of text. One per worker.
final class TypedValueLoader {
    let plans: [ColumnPlan]
    private let converter: FieldConverter
    private let roundsDecimals: Bool
    private let zone: DatetimeContext
    private let text = TextBuffer()
    /// Holds converted texts until the next piece.
    private let arena = StringArena()

    /// - Parameter options: with a NULL mark that no value has.
    init(_ plans: [ColumnPlan], _ options: CopyOptions, _ context: DatetimeContext) {
        self.plans = plans
        converter = FieldConverter(options, context)
        roundsDecimals = options.roundDecimals
        zone = context
    }

    func beginPiece() { arena.removeAll() }

    /// Appends the value to the field's column.
    ///
    /// - Returns: why it cannot be loaded; some value has been appended then.
    func append(_ value: TypedValue, field: Int, to buffer: ColumnBuffer) throws -> FieldFailure? {
        let plan = plans[field]
        switch try convert(value, plan) {
        case .integer(let number): try buffer.append(integer: number)
        case .double(let number): try buffer.append(double: number)
        case .made(let bytes): try buffer.append(string: bytes)
        case .string(let view):
            try buffer.reserve(additional: 1)
            buffer.values(as: StringView.self)[buffer.count] = view
            buffer.advance(1)
        case .null:
            try appendNothing(buffer, isNull: !plan.notNull)
            return plan.notNull ? .missingData : nil
        case .failure(let failure):
            try appendNothing(buffer, isNull: !plan.notNull)
            return plan.isIdentity ? .identity : failure
        }
        return nil
    }

    private func appendNothing(_ buffer: ColumnBuffer, isNull: Bool) throws {
        if isNull { return try buffer.appendNull() }
        switch buffer.physical {
        case .string: try buffer.append(string: UnsafeBufferPointer(start: nil, count: 0))
        case .float64: try buffer.append(double: 0)
        case .uint8, .uint16, .int32, .int64, .int128: try buffer.append(integer: 0)
        }
    }

    private func convert(_ value: TypedValue, _ plan: ColumnPlan) throws -> FieldValue {
        switch (value, plan.kind) {
        case (.null, _): return .null
        case (.text(let bytes, let count), _): return converter.convert(bytes, count, plan)
        case (.boolean(let flag), .boolean): return .integer(flag ? 1 : 0)
        case (.number(let number, scale: 0), .integer(let lowest, let highest)):
            if number >= Int128(lowest) && number <= Int128(highest) { return .integer(number) }
            return .failure(FieldFailure(code: 1222, reason: "Overflow for \(plan.reasonLabel.lowercased())"))
        case (.number(let number, let from), .decimal(let precision, let scale, _)):
            guard let result = DecimalArithmetic.rescaled(number, from: from, to: scale, rounding: roundsDecimals),
                DecimalArithmetic.fits(result, precision: precision)
            else { return .failure(FieldFailure(code: 1209, reason: "Overflow")) }
            return .integer(result)
        case (.double(let number), .float(let real)): return float(number, real, plan)
        case (.date(let days), .date): return .integer(Int128(days))
        case (.date(let days), .timestamp(withZone: false)):
            let (micros, overflow) = days.multipliedReportingOverflow(by: Calendar.microsecondsPerDay)
            if overflow || micros > Calendar.maximumTimestamp { return .failure(TypedValueLoader.badTimestamp) }
            return .integer(Int128(micros))
        case (.timestamp(let micros, _), .timestamp): return .integer(Int128(micros))
        case (.timestamp(let micros, _), .date):
            return .integer(Int128(Calendar.day(ofTimestamp: micros)))
        case (.time(let micros), .time(withZone: false)): return .integer(Int128(micros))
        default: return try byText(value, plan)
        }
    }

    private static let badTimestamp = FieldFailure(
        code: 1206, reason: "Invalid timestamp format or value [YYYY-MM-DD HH24:MI:SS]")

    private func float(_ number: Double, _ real: Bool, _ plan: ColumnPlan) -> FieldValue {
        let result = real ? Double(Float(number)) : number
        if result.isInfinite && !number.isInfinite {
            return .failure(FieldFailure(code: 1208, reason: "Overflow for \(plan.reasonLabel.lowercased())"))
        }
        return .double(result)
    }

    private func byText(_ value: TypedValue, _ plan: ColumnPlan) throws -> FieldValue {
        text.truncate(to: 0)
        TypedValueLoader.append(value, to: text)
        let copy = try arena.allocate(text.count + 16)
        copy.update(from: text.base, count: text.count)
        return converter.convert(copy, text.count, plan)
    }

    /// The value as text; strings as they are.
    static func append(_ value: TypedValue, to text: TextBuffer) {
        switch value {
        case .null: break
        case .boolean(let flag): text.append(text: flag ? "true" : "false")
        case .number(let number, let scale): DecimalText.append(number, scale: scale, to: text)
        case .double(let number): FloatText.append(number, extraDigits: 2, to: text)
        case .date(let days): DateText.append(days, to: text)
        case .timestamp(let micros, let isInstant):
            TimestampText.append(micros, to: text)
            if isInstant { text.append("+00") }
        case .time(let micros): TimeText.append(micros, to: text)
        case .text(let bytes, let count): text.append(bytes, count)
        }
    }
}
