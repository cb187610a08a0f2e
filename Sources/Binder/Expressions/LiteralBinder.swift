import QueryPlan
import SQLSyntax
import SQLTypes

/// Literals, typed literals and parameters.
extension ExpressionBinder {
    func bindLiteral(_ literal: Literal) throws -> BoundExpression {
        switch literal.value {
        case .null: return .constant(.null, .unknown)
        case .boolean(let value): return .constant(.boolean(value), .boolean)
        case .integer(let value): return Self.integer(value)
        case .decimal(let text): return try Self.decimal(text, at: literal.position)
        case .float(let text):
            return try coercion.cast(
                .constant(.text(text), .varchar(max(1, text.utf8.count))), to: .double, .explicit,
                at: literal.position)
        case .string(let text): return .constant(.text(text), .unknown)
        }
    }

    static func integer(_ value: Int64) -> BoundExpression {
        let isSmall = value >= Int64(Int32.min) && value <= Int64(Int32.max)
        return .constant(.integer(Int128(value)), isSmall ? .integer : .bigint)
    }

    /// A number with a point or too large for BIGINT: DECIMAL by its digits. The text may begin with a minus.
    private static func decimal(_ text: String, at position: SourcePosition) throws -> BoundExpression {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        var value: Int128 = 0
        var digits = 0
        var scale = 0
        var isFraction = false
        for byte in text.utf8.dropFirst(isNegative ? 1 : 0) {
            if byte == UInt8(ascii: ".") {
                isFraction = true
                continue
            }
            let digit = Int128(byte &- UInt8(ascii: "0"))
            if value != 0 || digit != 0 { digits += 1 }
            if isFraction { scale += 1 }
            guard digits <= SQLType.maximumPrecision, scale <= SQLType.maximumPrecision else {
                throw SQLError(
                    .numericOutOfRange, "numeric literal \"\(text)\" has more than 38 digits", at: position)
            }
            value = value * 10 + digit
        }
        if isNegative { value = -value }
        var precision = max(digits, scale, 1)
        if !DecimalArithmetic.fits(value, precision: precision) { precision += 1 }
        return .constant(.integer(value), .decimal(precision: precision, scale: scale))
    }

    func bindTypedLiteral(_ literal: TypedLiteral) throws -> BoundExpression {
        var type = try literal.type.resolve()
        let value = BoundExpression.constant(.text(literal.text), .unknown)
        if literal.type.isVaryingWithoutLength { type = Self.varying(holding: value, atLeast: type) }
        return try coercion.cast(value, to: type, .explicit, at: literal.textPosition)
    }

    func bindInterval(_ literal: IntervalLiteral) throws -> BoundExpression {
        let qualifier = literal.qualifier?.bound
        let bytes = Array(literal.text.utf8)
        do {
            let value = try bytes.withUnsafeBufferPointer { buffer in
                guard let base = buffer.baseAddress else {
                    throw SQLError(.invalidDatetimeFormat, "invalid input syntax for type interval: \"\"")
                }
                return try IntervalText.parse(base, buffer.count, qualifier: qualifier)
            }
            // What definitions say was allowed when they were made.
            let isForbidden = session.settings.forbidsCompositeIntervals && !session.isInDefinition
            if isForbidden, value.months != 0, value.microseconds != 0 {
                throw SQLError(
                    .invalidDatetimeFormat, "interval literal has both year-month and day-time parts",
                    hint: "SET interval_forbid_composite_literals TO off allows such literals.")
            }
            return .constant(.interval(value), .interval)
        } catch let error as SQLError {
            throw error.at(literal.textPosition)
        }
    }

    func bindParameter(_ reference: ParameterReference) throws -> BoundExpression {
        if let argument = try session.routineArguments?.use(reference, session) { return argument }
        let number = reference.number - 1
        let type = session.parameterTypes[number] ?? .unknown
        if let values = session.settings.parameterValues, values.indices.contains(number) {
            return .constant(values[number], type)
        }
        return .parameter(number, type)
    }
}

extension SQLSyntax.IntervalQualifier {
    var bound: SQLTypes.IntervalQualifier {
        SQLTypes.IntervalQualifier(from: first.part, to: last.part, precision: precision)
    }
}

extension IntervalField {
    fileprivate var part: DatePart {
        switch self {
        case .year: .year
        case .month: .month
        case .day: .day
        case .hour: .hour
        case .minute: .minute
        case .second: .second
        }
    }
}
