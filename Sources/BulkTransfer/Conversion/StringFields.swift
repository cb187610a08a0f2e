import ColumnVectors
import SQLTypes

/// What makes a string field special.
struct StringRules {
    /// Longer fields are odd.
    var maximumBytes: Int
    /// The NULL marker's length and first bytes; a field that agrees is looked at more closely.
    var nullCount: Int
    var nullPrefix: UInt32
    /// Empty fields are odd.
    var emptyIsOdd: Bool
    /// Fields that end in a blank are odd.
    var blankIsOdd: Bool
}

@inline(__always)
private func flag(_ condition: Bool) -> Int { Int(truncatingIfNeeded: unsafeBitCast(condition, to: UInt8.self)) }

/// String fields as views of the text. Returns the number of odd rows.
func viewStrings(
    _ text: UnsafePointer<UInt8>, _ slots: FieldSlots, _ rows: Int, _ rules: StringRules,
    _ out: UnsafeMutablePointer<StringView>, _ odd: UnsafeMutablePointer<UInt32>
) -> Int {
    let maximum = rules.maximumBytes
    let nullCount = rules.nullCount
    let nullPrefix = rules.nullPrefix
    let emptyIsOdd = flag(rules.emptyIsOdd)
    let blankIsOdd = flag(rules.blankIsOdd)
    var oddCount = 0
    var starts = slots.starts
    var ends = slots.ends
    let stride = slots.stride
    let bias = slots.bias
    for row in 0..<rows {
        let start = Int(starts.pointee &+ bias)
        let end = Int(ends.pointee)
        starts += stride
        ends += stride
        let count = end &- start
        let bytes = text + start
        // Shorter strings have zeros behind them in the prefix.
        let used: UInt64 = (1 &<< UInt64(truncatingIfNeeded: min(count, 4) &* 8)) &- 1
        let word = UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self)
        let prefix = UInt32(littleEndian: word) & UInt32(truncatingIfNeeded: used)
        out[row] = StringView(count: UInt32(truncatingIfNeeded: count), prefix: prefix, pointer: bytes)
        let tooLong = flag(count > maximum)
        let marker = flag(count == nullCount) & flag(prefix == nullPrefix)
        let empty = flag(count == 0) & emptyIsOdd
        let blank = flag(text[end &- 1] == 0x20) & blankIsOdd & flag(count > 0)
        if (tooLong | marker | empty | blank) != 0 {
            odd[oddCount] = UInt32(truncatingIfNeeded: row)
            oddCount &+= 1
        }
    }
    return oddCount
}

/// What kinds of bytes a chunk of text has.
enum TextContent: Hashable {
    /// No byte above 127 and no NUL.
    case ascii
    case validUTF8
    /// Some bytes are not UTF-8, or NUL.
    case dirty

    init(_ text: UnsafePointer<UInt8>, _ count: Int) {
        self = isPlainASCII(text, count) ? .ascii : UTF8Text.isValid(text, count) ? .validUTF8 : .dirty
    }
}

/// True when all bytes are between 1 and 127.
func isPlainASCII(_ text: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    let raw = UnsafeRawPointer(text)
    let words = count &>> 3
    // The high bit of a byte of `marks` is set for bytes above 127, and for some byte when there is a NUL.
    var marks: UInt64 = 0
    for index in 0..<words {
        let word = raw.loadUnaligned(fromByteOffset: index &<< 3, as: UInt64.self)
        marks |= word | ((word &- 0x0101_0101_0101_0101) & ~word)
    }
    for index in words &<< 3..<count {
        let byte = UInt64(text[index])
        marks |= byte | ((byte &- 1) & ~byte)
    }
    return marks & 0x8080_8080_8080_8080 == 0
}
