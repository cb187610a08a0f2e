import ColumnVectors
import SQLTypes

/// Casts between text and all other types.
enum TextCasts {
    static func parsing(_ to: SQLType, _ context: DatetimeContext) throws -> (FunctionFrame) throws -> Void {
        if to.isFloat {
            return { frame in
                let input = frame.arguments[0].values(StringView.self)
                let output = frame.output(Double.self)
                try frame.forEachRow {
                    output[$0] = try FloatText.parse(input[$0].pointer, Int(input[$0].count), as: to)
                }
            }
        }
        return { frame in
            let input = frame.arguments[0].values(StringView.self)
            let output = WideOutput(frame, to)
            try frame.forEachRow { row in
                output.put(row, try ValueText.parseInteger(input[row].pointer, Int(input[row].count), to, context))
            }
        }
    }

    /// Text of numbers must fit even in an explicit cast: cutting digits would change the value.
    static func writing(
        _ from: SQLType, _ to: SQLType, explicit: Bool, _ context: DatetimeContext
    ) -> (FunctionFrame) throws -> Void {
        let (length, isChar) = StringFitting.limit(to)
        let (zone, intervals) = (context.zone, context.intervalStyle)
        return { frame in
            let buffer = TextBuffer()
            let input = WideInput(frame, 0, from)
            let doubles = frame.arguments[0].values(Double.self)
            let output = frame.output(StringView.self)
            try frame.forEachRow { row in
                buffer.removeAll()
                if from == .boolean {
                    buffer.append(text: input[row] != 0 ? "true" : "false")
                } else if from.isFloat {
                    ValueText.append(double: doubles[row], type: from, to: buffer)
                } else {
                    ValueText.append(wide: input[row], type: from, zone: zone, intervals: intervals, to: buffer)
                }
                let text = buffer.count == 0 ? StringView.empty : StringView(buffer.base, count: buffer.count)
                let fitted = try StringFitting.fitted(text, to, length, isChar: isChar, explicit: false)
                output[row] = try frame.arena.copy(fitted.bytes)
            }
        }
    }
}
