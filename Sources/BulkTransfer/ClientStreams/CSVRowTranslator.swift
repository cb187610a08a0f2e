import SQLTypes

/// PostgreSQL's CSV: quoted fields are never NULL, quotes may begin and end anywhere in a field, line ends of all three
/// kinds.
struct CSVRowTranslator: RowTranslator {
    private let format: ClientStreamFormat
    private var field: [UInt8] = []
    /// The field as it came, while it may be the NULL mark or the end mark.
    private var raw: [UInt8] = []
    private var wasQuoted = false
    private var isQuoted = false
    /// Within quotes, behind the escape character, which may also be the closing quote.
    private var isEscaped = false
    private var isFirstField = true
    private var hasReturn = false
    private var isHeader: Bool

    init(_ format: ClientStreamFormat) {
        self.format = format
        isHeader = format.hasHeader
    }

    mutating func translate(_ bytes: [UInt8], into output: inout [UInt8]) throws -> Bool {
        for byte in bytes where try take(byte, &output) { return true }
        return false
    }

    private mutating func take(_ byte: UInt8, _ output: inout [UInt8]) throws -> Bool {
        if hasReturn {
            hasReturn = false
            if byte == 10 { return false }
        }
        if isEscaped {
            isEscaped = false
            if byte == format.quote || byte == format.escape {
                ClientStreamSource.append(byte, to: &field)
                return false
            }
            if format.escape == format.quote {
                isQuoted = false
            } else {
                ClientStreamSource.append(format.escape, to: &field)
            }
        }
        if isQuoted {
            if byte == format.escape {
                isEscaped = true
            } else if byte == format.quote {
                isQuoted = false
            } else {
                ClientStreamSource.append(byte, to: &field)
            }
            return false
        }
        return takePlain(byte, &output)
    }

    private mutating func takePlain(_ byte: UInt8, _ output: inout [UInt8]) -> Bool {
        switch byte {
        case format.quote:
            isQuoted = true
            wasQuoted = true
        case format.delimiter:
            endField(&output)
            if !isHeader { output.append(ClientStreamSource.delimiter) }
            isFirstField = false
        case 10, 13:
            hasReturn = byte == 13
            if isFirstField && !wasQuoted && raw == Array("\\.".utf8) { return true }
            endRow(&output)
        default:
            if raw.count <= max(format.null.count, 2) { raw.append(byte) }
            ClientStreamSource.append(byte, to: &field)
        }
        return false
    }

    private mutating func endField(_ output: inout [UInt8]) {
        if !isHeader {
            if !wasQuoted && raw == format.null {
                output += ClientStreamSource.null
            } else {
                output += field
            }
        }
        field.removeAll(keepingCapacity: true)
        raw.removeAll(keepingCapacity: true)
        wasQuoted = false
    }

    private mutating func endRow(_ output: inout [UInt8]) {
        endField(&output)
        if !isHeader { output.append(10) }
        isHeader = false
        isFirstField = true
    }

    mutating func finish(into output: inout [UInt8]) throws {
        if isEscaped && format.escape == format.quote { (isEscaped, isQuoted) = (false, false) }
        if isQuoted { throw SQLError("22P04", "unterminated CSV quoted field") }
        if isFirstField && !wasQuoted && raw.isEmpty { return }
        endRow(&output)
    }
}
