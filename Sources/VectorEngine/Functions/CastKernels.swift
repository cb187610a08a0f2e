import ColumnVectors
import Glibc
import QueryPlan
import SQLTypes

/// Conversions between all pairs of types that ``CastRules`` allows. With `orNull` a value that does not convert is
/// NULL.
enum CastKernels {
    static func kernel(
        from: SQLType, to: SQLType, behavior: BoundExpression.CastBehavior
    ) throws -> FunctionKernel {
        guard CastRules.canCast(from: from, to: to, context: .explicit) else {
            throw SQLError(.cannotCoerce, "cannot cast type \(from) to \(to)")
        }
        let explicit = behavior == .explicit || behavior == .orNull
        return FunctionKernel { site in
            let body = try body(from, to, explicit: explicit, site)
            return behavior == .orNull ? nullOnError(body) : body
        }
    }

    private typealias Body = (FunctionFrame) throws -> Void

    /// Runs the batch at once; when that fails, row by row, and rows that fail are NULL.
    private static func nullOnError(_ body: @escaping Body) -> Body {
        { frame in
            do {
                try body(frame)
                return
            } catch is SQLError {}
            frame.forEachRow { row in
                var place = UInt16(truncatingIfNeeded: row)
                withUnsafePointer(to: &place) { pointer in
                    do {
                        try body(frame.only(pointer))
                    } catch {
                        frame.resultValidity[row] = 0
                    }
                }
            }
        }
    }

    private static func body(
        _ from: SQLType, _ to: SQLType, explicit: Bool, _ site: FunctionSite
    ) throws -> Body {
        if from == .semistructured || to == .semistructured {
            return SuperCastKernels.body(from, to, site.context.datetime)
        }
        if [from.family, to.family].contains(where: { $0 == .bytes || $0 == .hllsketch }) {
            return bytes(from, to, explicit: explicit)
        }
        if from.physical == .string && to.physical == .string { return fitting(to, explicit: explicit) }
        if from.physical == .string { return try TextCasts.parsing(to, site.context.datetime) }
        if to.physical == .string { return TextCasts.writing(from, to, explicit: explicit, site.context.datetime) }
        if from.isFloat { return fromDouble(to) }
        if from.isNumeric || from == .boolean { return fromInteger(from, to) }
        return datetime(from, to, explicit: explicit, site.context.datetime)
    }

    // MARK: Bytes

    /// The rules stand with constants' casts.
    private static func bytes(_ from: SQLType, _ to: SQLType, explicit: Bool) -> Body {
        { frame in
            let input = WideInput(frame, 0, from)
            let views = frame.arguments[0].values(StringView.self)
            let output = WideOutput(frame, to)
            try frame.forEachRow { row in
                let value: Datum = from.physical == .string ? .string(Array(views[row].bytes)) : .integer(input[row])
                switch try value.cast(from: from, to: to, explicit: explicit) {
                case .integer(let result): output.put(row, result)
                case .string(let result):
                    frame.output(StringView.self)[row] = try result.withUnsafeBufferPointer { try frame.arena.copy($0) }
                case .null, .double, .interval: frame.resultValidity[row] = 0
                }
            }
        }
    }

    // MARK: Strings

    /// Cuts or refuses what is too long; the result points into the argument.
    private static func fitting(_ to: SQLType, explicit: Bool) -> Body {
        let (length, isChar) = StringFitting.limit(to)
        return { frame in
            let input = frame.arguments[0].values(StringView.self)
            let output = frame.output(StringView.self)
            try frame.forEachRow { row in
                output[row] = try StringFitting.fitted(input[row], to, length, isChar: isChar, explicit: explicit)
            }
        }
    }

    // MARK: Numbers

    private static func fromDouble(_ to: SQLType) -> Body {
        switch to {
        case .real, .double:
            return { frame in
                let input = frame.arguments[0].values(Double.self)
                let output = frame.output(Double.self)
                try frame.forEachRow { row in
                    let value = to == .real ? Double(Float(input[row])) : input[row]
                    if value.isInfinite && input[row].isFinite { throw MathFunctions.overflow }
                    output[row] = value
                }
            }
        case .decimal(let precision, let scale):
            return { frame in
                let input = frame.arguments[0].values(Double.self)
                let output = WideOutput(frame, to)
                try frame.forEachRow {
                    output.put($0, try Datum.decimal(input[$0], precision: precision, scale: scale))
                }
            }
        default:
            let (low, high) = to.valueBounds
            return { frame in
                let input = frame.arguments[0].values(Double.self)
                let output = WideOutput(frame, to)
                try frame.forEachRow { row in
                    if to == .boolean { return output.put(row, input[row] != 0 ? 1 : 0) }
                    let whole = input[row].rounded(.toNearestOrEven)
                    guard let value = Int64(exactly: whole), Int128(value) >= low, Int128(value) <= high else {
                        throw ArithmeticFunctions.outOfRange(to)
                    }
                    output.put(row, Int128(value))
                }
            }
        }
    }

    /// From integers, decimals and booleans.
    private static func fromInteger(_ from: SQLType, _ to: SQLType) -> Body {
        let scale = from.scale
        if to.isFloat {
            return { frame in
                let input = WideInput(frame, 0, from)
                let output = frame.output(Double.self)
                frame.forEachRow { row in
                    let value = Datum.decimalToDouble(input[row], scale: scale)
                    output[row] = to == .real ? Double(Float(value)) : value
                }
            }
        }
        if to == .boolean {
            return { frame in
                let input = WideInput(frame, 0, from)
                let output = frame.output(UInt8.self)
                frame.forEachRow { output[$0] = b2u(input[$0] != 0) }
            }
        }
        let target = to.scale
        let (low, high) = to.valueBounds
        return { frame in
            let input = WideInput(frame, 0, from)
            let output = WideOutput(frame, to)
            try frame.forEachRow { row in
                guard let value = DecimalArithmetic.rescaled(input[row], from: scale, to: target), value >= low,
                    value <= high
                else { throw to.isDecimal ? DecimalArithmetic.overflow() : ArithmeticFunctions.outOfRange(to) }
                output.put(row, value)
            }
        }
    }

    // MARK: Dates and times

    /// The rules stand with constants' casts; these pairs are rare enough to go through them value by value.
    private static func datetime(
        _ from: SQLType, _ to: SQLType, explicit: Bool, _ context: DatetimeContext
    ) -> Body {
        // Only intervals of one kind lose something that they must not lose unasked.
        let explicit = explicit || to.intervalFields == nil
        if from == .timestamp && to == .date {
            return { frame in
                let input = frame.arguments[0].values(Int64.self)
                let output = frame.output(Int32.self)
                frame.forEachRow { output[$0] = Int32(truncatingIfNeeded: Calendar.day(ofTimestamp: input[$0])) }
            }
        }
        return { frame in
            let input = WideInput(frame, 0, from)
            let output = WideOutput(frame, to)
            try frame.forEachRow { row in
                let value: Datum =
                    from == .interval
                    ? .interval(Interval(packed: input[row])) : .integer(input[row])
                switch try value.cast(from: from, to: to, explicit: explicit, context: context) {
                case .integer(let result): output.put(row, result)
                case .interval(let result): output.put(row, result.packed)
                default: frame.resultValidity[row] = 0
                }
            }
        }
    }
}

extension FunctionFrame {
    /// The same call for one row only.
    fileprivate func only(_ row: UnsafePointer<UInt16>) -> FunctionFrame {
        FunctionFrame(
            count: count, rows: row, rowCount: 1, arguments: arguments, result: result, resultValidity: resultValidity,
            arena: arena)
    }
}

/// Lengths of CHAR and VARCHAR over string views.
enum StringFitting {
    static func limit(_ type: SQLType) -> (length: Int, isChar: Bool) {
        switch type {
        case .char(let length): (length, true)
        case .varchar(let length): (length, false)
        default: (Int.max, false)
        }
    }

    @inline(__always)
    static func fitted(
        _ view: StringView, _ type: SQLType, _ length: Int, isChar: Bool, explicit: Bool
    ) throws -> StringView {
        let count = Int(view.count)
        if isChar {
            let trimmed = view.trimmed
            if let place = trimmed.bytes.firstIndex(where: { $0 >= 0x80 }) {
                throw StringLength.multibyte(trimmed.bytes, at: place)
            }
            if Int(trimmed.count) <= length { return trimmed }
            if !explicit { throw StringLength.tooLong(type) }
            return cut(trimmed, length).trimmed
        }
        if count <= length { return view }
        if !explicit && view.trimmedCount > length { throw StringLength.tooLong(type) }
        return cut(view, length)
    }

    private static func cut(_ view: StringView, _ length: Int) -> StringView {
        CharacterWalk.part(view, 0, UTF8Text.boundary(view.pointer, Int(view.count), limit: length))
    }
}
