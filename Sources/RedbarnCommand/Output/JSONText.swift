import SQLTypes

/// JSON written piece by piece, for results and benchmark reports.
enum JSONText {
    static func appendString(_ bytes: UnsafeBufferPointer<UInt8>, to text: TextBuffer) {
        text.append(34)
        for byte in bytes {
            switch byte {
            case 34: text.append("\\\"")
            case UInt8(ascii: "\\"): text.append("\\\\")
            case 10: text.append("\\n")
            case 13: text.append("\\r")
            case 9: text.append("\\t")
            case 0..<0x20:
                text.append("\\u00")
                text.append(hexDigit(byte >> 4))
                text.append(hexDigit(byte & 15))
            default: text.append(byte)
            }
        }
        text.append(34)
    }

    static func appendString(_ string: String, to text: TextBuffer) {
        var string = string
        string.withUTF8 { appendString($0, to: text) }
    }

    static func quoted(_ string: String) -> String {
        let text = TextBuffer()
        appendString(string, to: text)
        return text.string
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }
}

/// A JSON value to be written, with its keys in order.
enum JSONValue {
    struct Member {
        var key: String
        var value: JSONValue
    }
    case null
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case members([Member])

    static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .members(members.map { Member(key: $0.0, value: $0.1) })
    }

    func append(to text: TextBuffer) {
        switch self {
        case .null: text.append("null")
        case .boolean(let value): text.append(text: value ? "true" : "false")
        case .integer(let value): text.append(text: String(value))
        case .number(let value): text.append(text: value.isFinite ? String(value) : "null")
        case .string(let value): JSONText.appendString(value, to: text)
        case .array(let values):
            text.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { text.append(", ") }
                value.append(to: text)
            }
            text.append(UInt8(ascii: "]"))
        case .members(let members):
            text.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { text.append(", ") }
                JSONText.appendString(member.key, to: text)
                text.append(": ")
                member.value.append(to: text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    var text: String {
        let buffer = TextBuffer()
        append(to: buffer)
        return buffer.string
    }
}
