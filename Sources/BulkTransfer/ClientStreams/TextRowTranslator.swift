import SQLTypes

/// PostgreSQL's text format: fields end at the delimiter, backslashes begin escapes, `\N` (or what NULL says) is NULL,
/// `\.` on a line of its own is the end.
struct TextRowTranslator: RowTranslator {
    private let format: ClientStreamFormat
    /// The field as it was written, as long as it may still be the NULL mark.
    private var raw: [UInt8] = []
    private var mayBeNull = true
    /// The field's translation.
    private var field: [UInt8] = []
    private var isEscaped = false
    /// Octal or hexadecimal digits behind a backslash.
    private var number: (value: Int, digits: Int, isHex: Bool)?
    private var isLineStart = true
    private var isEndMark = false
    private var hasReturn = false
    private var headerLines: Int

    init(_ format: ClientStreamFormat) {
        self.format = format
        headerLines = format.hasHeader ? 1 : 0
    }

    mutating func translate(_ bytes: [UInt8], into output: inout [UInt8]) throws -> Bool {
        for byte in bytes {
            if headerLines > 0 {
                if byte == 10 { headerLines -= 1 }
                continue
            }
            if hasReturn {
                hasReturn = false
                if byte != 10 { try put(13) }
            }
            if try take(byte, &output) { return true }
        }
        return false
    }

    /// True at the end mark.
    private mutating func take(_ byte: UInt8, _ output: inout [UInt8]) throws -> Bool {
        if isEndMark { return true }
        if number != nil, try !continueNumber(byte) { return false }
        if isEscaped {
            isEscaped = false
            if byte == UInt8(ascii: "."), isLineStart, raw.count == 1 {
                isEndMark = true
                return false
            }
            note(byte)
            try escape(byte)
            return false
        }
        switch byte {
        case UInt8(ascii: "\\"):
            note(byte)
            isEscaped = true
        case format.delimiter:
            endField(&output)
            output.append(ClientStreamSource.delimiter)
        case 10:
            endField(&output)
            output.append(10)
            isLineStart = true
            return false
        case 13: hasReturn = true
        default: try put(byte)
        }
        if byte == format.delimiter { isLineStart = false }
        return false
    }

    private mutating func put(_ byte: UInt8) throws {
        note(byte)
        ClientStreamSource.append(byte, to: &field)
    }

    private mutating func note(_ byte: UInt8) {
        guard mayBeNull else { return }
        raw.append(byte)
        if raw.count > format.null.count + 2 { mayBeNull = false }
    }

    private mutating func escape(_ byte: UInt8) throws {
        switch byte {
        case UInt8(ascii: "b"): ClientStreamSource.append(8, to: &field)
        case UInt8(ascii: "f"): ClientStreamSource.append(12, to: &field)
        case UInt8(ascii: "n"): ClientStreamSource.append(10, to: &field)
        case UInt8(ascii: "r"): ClientStreamSource.append(13, to: &field)
        case UInt8(ascii: "t"): ClientStreamSource.append(9, to: &field)
        case UInt8(ascii: "v"): ClientStreamSource.append(11, to: &field)
        case UInt8(ascii: "0")...UInt8(ascii: "7"): number = (Int(byte - UInt8(ascii: "0")), 1, false)
        case UInt8(ascii: "x"): number = (0, 0, true)
        default: ClientStreamSource.append(byte, to: &field)
        }
    }

    /// True when the byte is not part of the number any more.
    private mutating func continueNumber(_ byte: UInt8) throws -> Bool {
        guard let (value, digits, isHex) = number else { return true }
        let digit = Int(TextRowTranslator.hexDigit(byte))
        if digits < (isHex ? 2 : 3), digit < (isHex ? 16 : 8) {
            note(byte)
            number = (value * (isHex ? 16 : 8) + digit, digits + 1, isHex)
            return false
        }
        endNumber()
        return true
    }

    private mutating func endNumber() {
        guard let (value, digits, _) = number else { return }
        number = nil
        ClientStreamSource.append(
            digits == 0 ? UInt8(ascii: "x") : UInt8(truncatingIfNeeded: value), to: &field)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: 255
        }
    }

    private mutating func endField(_ output: inout [UInt8]) {
        if mayBeNull && raw == format.null {
            output += ClientStreamSource.null
        } else {
            output += field
        }
        field.removeAll(keepingCapacity: true)
        raw.removeAll(keepingCapacity: true)
        mayBeNull = true
    }

    mutating func finish(into output: inout [UInt8]) throws {
        if isEndMark { return }
        endNumber()
        if isEscaped || hasReturn { (isEscaped, hasReturn) = (false, false) }
        if raw.isEmpty && field.isEmpty && isLineStart { return }
        endField(&output)
        output.append(10)
    }
}
