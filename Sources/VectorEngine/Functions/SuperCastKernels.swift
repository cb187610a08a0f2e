import ColumnVectors
import SQLTypes

/// Casts from and to SUPER: the rules stand with constants' casts, the usual pairs have loops of their own.
enum SuperCastKernels {
    static func body(
        _ from: SQLType, _ to: SQLType, _ context: DatetimeContext
    ) -> (FunctionFrame) throws -> Void {
        to == .semistructured ? building(from, context) : reading(to, context)
    }

    private static func building(_ from: SQLType, _ context: DatetimeContext) -> (FunctionFrame) throws -> Void {
        { frame in
            let builder = SuperBuilder()
            defer { withExtendedLifetime(builder) {} }
            let integers = WideInput(frame, 0, from)
            let output = frame.output(StringView.self)
            try frame.forEachRow { row in
                builder.removeAll()
                switch from.physical {
                case .string:
                    let text = frame.string(0, row).bytes
                    guard text.count < SuperForm.maximumBytes else { throw SuperForm.tooLong }
                    builder.string(text)
                case .float64:
                    let value = frame.arguments[0].values(Double.self)[row]
                    try SuperCasts.append(.double(value), from, to: builder) { context }
                default: try SuperCasts.append(.integer(integers[row]), from, to: builder) { context }
                }
                output[row] = try frame.arena.copy(builder.bytes)
            }
        }
    }

    private static func reading(_ to: SQLType, _ context: DatetimeContext) -> (FunctionFrame) throws -> Void {
        let (low, high) = to.valueBounds
        let (length, isChar) = StringFitting.limit(to)
        return { frame in
            let output = WideOutput(frame, to)
            try frame.forEachRow { row in
                let view = frame.semistructured(0, row)
                let kind = try view.kind()
                if kind == .string && to.isString {
                    let text = view.text()
                    let whole = StringView(view.base + 1, count: text.count)
                    frame.output(StringView.self)[row] = try StringFitting.fitted(
                        whole, to, length, isChar: isChar, explicit: true)
                    return
                }
                if kind == .integer && to.isInteger {
                    let value = Int128(try view.integer())
                    if value >= low && value <= high { return output.put(row, value) }
                }
                switch try SuperCasts.datum(view, to: to, { context }) {
                case .integer(let value): output.put(row, value)
                case .double(let value): frame.output(Double.self)[row] = value
                case .string(let bytes):
                    frame.output(StringView.self)[row] = try bytes.withUnsafeBufferPointer {
                        try frame.arena.copy($0)
                    }
                case .null, .interval:
                    if to.physical == .string { frame.output(StringView.self)[row] = .empty }
                    frame.resultValidity[row] = 0
                }
            }
        }
    }
}
