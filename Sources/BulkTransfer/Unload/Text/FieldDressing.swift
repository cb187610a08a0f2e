import Glibc
import SQLTypes

/// What is done to a value's text so that readers find its ends.
enum FieldDressing: Hashable {
    enum Escapes: Hashable {
        case none
        /// Before line ends, the delimiter, backslashes, and also both kinds of quotes.
        case backslash(delimiter: UInt8, quotes: Bool)
    }
    case none
    case escaped(Escapes)
    /// In double quotes; what is inside stays unless it is escaped.
    case quoted(Escapes)
    /// In double quotes where there is need: delimiters, quotes, line ends, and the text that stands for NULL.
    case csv(delimiter: UInt8, null: [UInt8])
    /// A JSON string; floating-point numbers only where JSON has no number for them.
    case json(isNumber: Bool)
    /// Filled up with blanks; a longer value is an error.
    case padded(width: Int, name: String)

    /// A byte that no number, date, time or boolean has in its text.
    static func isNeverInValues(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "|"), UInt8(ascii: ";"), 9, UInt8(ascii: "^"), UInt8(ascii: "~"): true
        default: false
        }
    }

    static func characters(_ text: [UInt8]) -> Int { text.withUnsafeBufferPointer { characters($0) } }
    static func characters(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        var count = 0
        for byte in text where byte & 0xC0 != 0x80 { count &+= 1 }
        return count
    }
}

// MARK: One value; called for each, so free functions over pointers

/// The text with a backslash before each byte that needs one.
func appendEscaped(
    _ text: UnsafeBufferPointer<UInt8>, delimiter: UInt8, quotes: Bool, to buffer: TextBuffer
) {
    let target = buffer.room(2 * text.count)
    var length = 0
    for byte in text {
        let isQuote = quotes && (byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"))
        if byte == delimiter || byte == UInt8(ascii: "\\") || byte == 10 || byte == 13 || isQuote {
            target[length] = UInt8(ascii: "\\")
            length &+= 1
        }
        target[length] = byte
        length &+= 1
    }
    buffer.advance(length)
}

/// Whether CSV needs quotes around the text.
@inline(__always)
func needsQuotes(_ text: UnsafePointer<UInt8>, _ count: Int, delimiter: UInt8) -> Bool {
    let raw = UnsafeRawPointer(text)
    var index = 0
    if count >= 16 {
        let delimiters = SIMD16<UInt8>(repeating: delimiter), quotes = SIMD16<UInt8>(repeating: UInt8(ascii: "\""))
        let newlines = SIMD16<UInt8>(repeating: 10), returns = SIMD16<UInt8>(repeating: 13)
        while index &+ 16 <= count {
            let bytes = raw.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
            let found = (bytes .== delimiters) .| (bytes .== quotes) .| (bytes .== newlines) .| (bytes .== returns)
            if any(found) { return true }
            index &+= 16
        }
    }
    while index < count {
        let byte = text[index]
        if byte == delimiter || byte == UInt8(ascii: "\"") || byte == 10 || byte == 13 { return true }
        index &+= 1
    }
    return false
}

/// In double quotes, those inside doubled.
func appendQuoted(_ text: UnsafeBufferPointer<UInt8>, to buffer: TextBuffer) {
    let target = buffer.room(2 * text.count + 2)
    target[0] = UInt8(ascii: "\"")
    var length = 1
    for byte in text {
        target[length] = byte
        length &+= 1
        if byte == UInt8(ascii: "\"") {
            target[length] = byte
            length &+= 1
        }
    }
    target[length] = UInt8(ascii: "\"")
    buffer.advance(length &+ 1)
}

/// A JSON string.
func appendJSON(_ text: UnsafeBufferPointer<UInt8>, to buffer: TextBuffer) {
    let target = buffer.room(6 * text.count + 2)
    target[0] = UInt8(ascii: "\"")
    var length = 1
    for byte in text {
        if byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") {
            target[length] = byte
            length &+= 1
            continue
        }
        target[length] = UInt8(ascii: "\\")
        length &+= 1
        length &+= writeJSONEscape(byte, target + length)
    }
    target[length] = UInt8(ascii: "\"")
    buffer.advance(length &+ 1)
}

/// What follows the backslash; at most five bytes.
private func writeJSONEscape(_ byte: UInt8, _ target: UnsafeMutablePointer<UInt8>) -> Int {
    switch byte {
    case 8: target[0] = UInt8(ascii: "b")
    case 9: target[0] = UInt8(ascii: "t")
    case 10: target[0] = UInt8(ascii: "n")
    case 12: target[0] = UInt8(ascii: "f")
    case 13: target[0] = UInt8(ascii: "r")
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): target[0] = byte
    default:
        target[0] = UInt8(ascii: "u")
        target[1] = 48
        target[2] = 48
        target[3] = byte >= 16 ? 49 : 48
        let low = byte & 15
        target[4] = low < 10 ? 48 &+ low : 87 &+ low
        return 5
    }
    return 1
}
