import ColumnVectors
import SQLTypes

/// A value's text: bytes that somebody else owns. A negative count says NULL until the column is finished.
struct FieldText {
    var start: UnsafePointer<UInt8>
    var count: Int
}

/// Makes the texts of some rows of one column, all at once: first as the type shows its values, then dressed for the
/// layout. Plain strings are not copied. Confined to its writer.
final class ColumnText {
    /// Of the rows last filled; valid until the next ones, and as long as the batch is.
    let texts: UnsafeMutablePointer<FieldText>
    private let column: OutputColumn
    private let dressing: FieldDressing
    private let null: TextOutput.NullText
    private let nullBytes: TextBuffer
    private let style: ValueStyle
    private let values = TextBuffer(capacity: 16 << 10)
    private let dressed = TextBuffer(capacity: 1 << 10)
    private let dates: DateTexts?
    private var nullCount = 0

    init(_ format: TextOutput, _ column: OutputColumn, at index: Int, rows: Int) {
        texts = .allocate(capacity: max(rows, 1))
        self.column = column
        dressing = format.dressing(column, at: index)
        null = format.null(column, at: index)
        nullBytes = TextBuffer()
        if case .text(let bytes) = null { nullBytes.append(bytes) }
        style = format.style
        dates = column.type == .date ? DateTexts() : nil
    }
    deinit { texts.deallocate() }

    /// Fills ``texts``.
    /// - Returns: the bytes of all of them.
    func fill(_ buffer: ColumnBuffer, _ rows: Range<Int>) throws -> Int {
        values.removeAll()
        nullCount = 0
        let validity = buffer.validity.map { UnsafePointer($0 + rows.lowerBound) }
        switch buffer.physical {
        case .uint8: fillIntegers(buffer, UInt8.self, rows, validity)
        case .uint16: fillIntegers(buffer, UInt16.self, rows, validity)
        case .int32: fillIntegers(buffer, Int32.self, rows, validity)
        case .int64: fillIntegers(buffer, Int64.self, rows, validity)
        case .int128: fillWide(buffer, rows, validity)
        case .float64: fillDoubles(buffer, rows, validity)
        case .string: fillStrings(buffer, rows, validity)
        }
        try dress(rows.count)
        return try finish(rows.count)
    }

    // MARK: As the type shows them

    /// Calls `write` for each value, and cuts what it has appended into texts.
    @inline(__always)
    private func each<Stored>(
        _ buffer: ColumnBuffer, _: Stored.Type, _ rows: Range<Int>, _ validity: UnsafePointer<UInt8>?,
        _ write: (Stored) -> Void
    ) {
        let stored = UnsafePointer(buffer.values(as: Stored.self)) + rows.lowerBound
        let count = rows.count
        for row in 0..<count {
            if let validity, validity[row] == 0 {
                texts[row].count = -1
                nullCount &+= 1
                continue
            }
            let before = values.count
            write(stored[row])
            texts[row].count = values.count &- before
        }
        var at = UnsafePointer(values.base)
        for row in 0..<count where texts[row].count >= 0 {
            texts[row].start = at
            at += texts[row].count
        }
    }

    private func fillIntegers<Stored: FixedWidthInteger>(
        _ buffer: ColumnBuffer, _: Stored.Type, _ rows: Range<Int>, _ validity: UnsafePointer<UInt8>?
    ) {
        let values = values
        @inline(__always) func all(_ write: (Int64) -> Void) {
            each(buffer, Stored.self, rows, validity) { write(Int64(truncatingIfNeeded: $0)) }
        }
        switch column.type {
        case .smallint, .integer, .bigint: all { IntegerText.append($0, to: values) }
        case .decimal(_, let scale): all { DecimalText.append($0, scale: scale, to: values) }
        case .date:
            guard let dates else { return all { DateText.append($0, to: values) } }
            all { dates.append($0, to: values) }
        case .timestamp: all { TimestampText.append($0, to: values) }
        case .boolean: all { BooleanText.append($0 != 0, to: values) }
        case .real, .double:
            let extraDigits = style.extraDigits, type = column.type
            all { ValueText.append(double: Double($0), type: type, extraDigits: extraDigits, to: values) }
        case .time, .timetz, .timestamptz, .interval, .yearMonthInterval, .dayTimeInterval, .char, .varchar, .varbyte,
            .semistructured, .hllsketch, .unknown:
            let zone = style.zone, intervals = style.intervals, type = column.type
            all { ValueText.append(wide: Int128($0), type: type, zone: zone, intervals: intervals, to: values) }
        }
    }

    private func fillWide(_ buffer: ColumnBuffer, _ rows: Range<Int>, _ validity: UnsafePointer<UInt8>?) {
        let zone = style.zone, intervals = style.intervals, type = column.type, values = values
        each(buffer, Int128.self, rows, validity) {
            ValueText.append(wide: $0, type: type, zone: zone, intervals: intervals, to: values)
        }
    }

    private func fillDoubles(_ buffer: ColumnBuffer, _ rows: Range<Int>, _ validity: UnsafePointer<UInt8>?) {
        let extraDigits = style.extraDigits, isReal = column.type == .real, values = values
        each(buffer, Double.self, rows, validity) {
            FloatText.append($0, real: isReal, extraDigits: extraDigits, to: values)
        }
    }

    private func fillStrings(_ buffer: ColumnBuffer, _ rows: Range<Int>, _ validity: UnsafePointer<UInt8>?) {
        if column.type.family == .bytes {
            let values = values
            return each(buffer, StringView.self, rows, validity) { HexadecimalText.append($0.bytes, to: values) }
        }
        if column.type == .semistructured {
            let values = values
            return each(buffer, StringView.self, rows, validity) { SuperText.appendShown($0.bytes, to: values) }
        }
        if column.type == .hllsketch {
            let values = values
            return each(buffer, StringView.self, rows, validity) { HLLText.appendShown($0.bytes, to: values) }
        }
        let views = UnsafePointer(buffer.values(as: StringView.self)) + rows.lowerBound
        for row in 0..<rows.count {
            if let validity, validity[row] == 0 {
                texts[row].count = -1
                nullCount &+= 1
            } else {
                texts[row] = FieldText(start: views[row].pointer, count: Int(views[row].count))
            }
        }
    }

    // MARK: As the layout wants them

    private func dress(_ count: Int) throws {
        switch dressing {
        case .none: return
        case .escaped(let escapes): rewrite(count) { text, buffer in appendInside(text, escapes, to: buffer) }
        case .quoted(let escapes):
            rewrite(count) { text, buffer in
                buffer.append(UInt8(ascii: "\""))
                appendInside(text, escapes, to: buffer)
                buffer.append(UInt8(ascii: "\""))
            }
        case .csv(let delimiter, let null): quoteWhereNeeded(count, delimiter, null)
        case .json(let isNumber):
            if isNumber && areNumbers(count) { return }
            rewrite(count) { text, buffer in
                if isNumber && isNumberInJSON(text) { return buffer.append(text) }
                appendJSON(text, to: buffer)
            }
        case .padded(let width, let name): try pad(count, width, name)
        }
    }

    /// Puts what `write` makes of each text in its place.
    @inline(__always)
    private func rewrite(_ count: Int, _ write: (UnsafeBufferPointer<UInt8>, TextBuffer) -> Void) {
        dressed.removeAll()
        for row in 0..<count where texts[row].count >= 0 {
            let before = dressed.count
            write(UnsafeBufferPointer(start: texts[row].start, count: texts[row].count), dressed)
            texts[row].count = dressed.count &- before
        }
        var at = UnsafePointer(dressed.base)
        for row in 0..<count where texts[row].count >= 0 {
            texts[row].start = at
            at += texts[row].count
        }
    }

    /// Most values of most columns need no quotes: those that do are counted first.
    private func quoteWhereNeeded(_ count: Int, _ delimiter: UInt8, _ null: [UInt8]) {
        let nullLength = null.count
        let mayBeNull = nullCount > 0 || nullLength > 0 || column.type.showsAnyText
        var isNeeded = false
        for row in 0..<count where texts[row].count >= 0 {
            let length = texts[row].count
            if needsQuotes(texts[row].start, length, delimiter: delimiter) || (mayBeNull && length == nullLength) {
                isNeeded = true
                break
            }
        }
        guard isNeeded else { return }
        null.withUnsafeBufferPointer { null in
            rewrite(count) { text, buffer in
                guard let start = text.baseAddress else { return }
                if needsQuotes(start, text.count, delimiter: delimiter) || text.elementsEqual(null) {
                    appendQuoted(text, to: buffer)
                } else {
                    buffer.append(text)
                }
            }
        }
    }

    private func areNumbers(_ count: Int) -> Bool {
        for row in 0..<count where texts[row].count >= 0 {
            let text = UnsafeBufferPointer(start: texts[row].start, count: texts[row].count)
            if !isNumberInJSON(text) { return false }
        }
        return true
    }

    private func pad(_ count: Int, _ width: Int, _ name: String) throws {
        for row in 0..<count where texts[row].count > width {
            let text = UnsafeBufferPointer(start: texts[row].start, count: texts[row].count)
            let characters = FieldDressing.characters(text)
            if characters > width { throw tooLong(name, characters, width) }
        }
        rewrite(count) { text, buffer in
            buffer.append(text)
            buffer.append(repeating: 0x20, width - FieldDressing.characters(text))
        }
    }

    private func tooLong(_ name: String, _ characters: Int, _ width: Int) -> SQLError {
        SQLError(
            .stringTooLong, "value of column \"\(name)\" has \(characters) characters, FIXEDWIDTH only \(width)",
            hint: "UNLOAD does not cut values: give the column a larger width.")
    }

    private func finish(_ count: Int) throws -> Int {
        if nullCount > 0 {
            if case .tooLong = null, case .padded(let width, let name) = dressing {
                throw SQLError(
                    .stringTooLong, "NULL AS is longer than the \(width) characters of column \"\(name)\"")
            }
            let text = FieldText(start: UnsafePointer(nullBytes.base), count: nullBytes.count)
            for row in 0..<count where texts[row].count < 0 { texts[row] = text }
        }
        var total = 0
        for row in 0..<count { total &+= texts[row].count }
        return total
    }
}

@inline(__always)
private func appendInside(
    _ text: UnsafeBufferPointer<UInt8>, _ escapes: FieldDressing.Escapes, to buffer: TextBuffer
) {
    switch escapes {
    case .none: buffer.append(text)
    case .backslash(let delimiter, let quotes):
        appendEscaped(text, delimiter: delimiter, quotes: quotes, to: buffer)
    }
}

/// Not NaN and Infinity.
@inline(__always)
private func isNumberInJSON(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let last = text.last else { return false }
    return last <= UInt8(ascii: "9")
}
