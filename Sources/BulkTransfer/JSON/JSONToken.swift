import Glibc

/// The smallest parts of JSON texts, byte by byte: what is a blank, where strings end, which numbers and words are
/// right. Nothing is read at or beyond the limits that callers give.
enum JSONToken {
    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    @inline(__always)
    static func isOperator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ":"),
            UInt8(ascii: ","):
            return true
        default: return false
        }
    }

    static func skipBlanks(_ text: UnsafePointer<UInt8>, _ from: Int, _ limit: Int) -> Int {
        var index = from
        while index < limit && isBlank(text[index]) { index &+= 1 }
        return index
    }

    /// The quote that ends the string whose content starts at `from`. nil when a byte comes first that no string may
    /// have, or the limit; `from` is moved there.
    static func closingQuote(_ text: UnsafePointer<UInt8>, _ from: inout Int, _ limit: Int) -> Int? {
        while from < limit {
            let byte = text[from]
            if byte == UInt8(ascii: "\"") { return from }
            if byte < 0x20 { return nil }
            from &+= byte == UInt8(ascii: "\\") ? 2 : 1
        }
        from = limit
        return nil
    }

    /// The end of a number or word: the next blank, operator, quote or control character.
    static func wordEnd(_ text: UnsafePointer<UInt8>, _ from: Int, _ limit: Int) -> Int {
        var index = from
        while index < limit {
            let byte = text[index]
            if byte <= 0x20 || isOperator(byte) || byte == UInt8(ascii: "\"") { return index }
            index &+= 1
        }
        return index
    }

    enum Word: Hashable { case null, yes, no, number, none }

    /// What a token without quotes is by its first byte; of numbers no more is looked at.
    @inline(__always)
    static func word(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Word {
        switch bytes[0] {
        case 0x30...0x39, UInt8(ascii: "-"): return .number
        case UInt8(ascii: "n"): return count == 4 && memcmp(bytes, "null", 4) == 0 ? .null : .none
        case UInt8(ascii: "t"): return count == 4 && memcmp(bytes, "true", 4) == 0 ? .yes : .none
        case UInt8(ascii: "f"): return count == 5 && memcmp(bytes, "false", 5) == 0 ? .no : .none
        default: return .none
        }
    }

    /// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
    static func isNumber(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        var index = 0
        func digits() -> Int {
            let start = index
            while index < count && bytes[index] &- 0x30 < 10 { index &+= 1 }
            return index - start
        }
        if index < count && bytes[index] == UInt8(ascii: "-") { index += 1 }
        let first = index
        let whole = digits()
        if whole == 0 || (whole > 1 && bytes[first] == 0x30) { return false }
        if index < count && bytes[index] == UInt8(ascii: ".") {
            index += 1
            if digits() == 0 { return false }
        }
        if index < count && bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < count && (bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-")) { index += 1 }
            if digits() == 0 { return false }
        }
        return index == count
    }
}
