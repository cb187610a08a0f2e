import SQLTypes

/// Writes JSON: nested values of other formats, for character columns.
enum JSONText {
    private static let digits = Array("0123456789abcdef".utf8)

    static func append(_ value: TypedValue, to text: TextBuffer) {
        switch value {
        case .null: text.append("null")
        case .boolean, .number: TypedValueLoader.append(value, to: text)
        case .double(let number):
            // JSON has no words for these.
            if number.isFinite { TypedValueLoader.append(value, to: text) } else { text.append("null") }
        case .date, .timestamp, .time:
            text.append(UInt8(ascii: "\""))
            TypedValueLoader.append(value, to: text)
            text.append(UInt8(ascii: "\""))
        case .text(let bytes, let count):
            append(UnsafeBufferPointer(start: UnsafePointer(bytes), count: count), to: text)
        }
    }

    /// A string in quotes.
    static func append(_ bytes: UnsafeBufferPointer<UInt8>, to text: TextBuffer) {
        text.append(UInt8(ascii: "\""))
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                text.append(UInt8(ascii: "\\"))
                text.append(byte)
            case 10: text.append("\\n")
            case 13: text.append("\\r")
            case 9: text.append("\\t")
            case 0..<0x20:
                text.append("\\u00")
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 15)])
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}
