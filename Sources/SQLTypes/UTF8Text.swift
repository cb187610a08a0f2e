/// UTF-8 over bytes.
public enum UTF8Text {
    /// Where the first invalid byte is, nil for valid text. NUL, overlong forms, surrogates and values beyond U+10FFFF
    /// are invalid.
    public static func firstInvalid(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int? {
        let raw = UnsafeRawPointer(bytes)
        var index = 0
        while index < count {
            if index &+ 8 <= count {
                let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                // No byte has its high bit and no byte is zero.
                let zeros = (word &- 0x0101_0101_0101_0101) & ~word
                if (word | zeros) & 0x8080_8080_8080_8080 == 0 {
                    index &+= 8
                    continue
                }
            }
            let length = sequence(bytes + index, count &- index)
            if length == 0 { return index }
            index &+= length
        }
        return nil
    }

    public static func isValid(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        firstInvalid(bytes, count) == nil
    }

    /// The length of the sequence at the start, 0 for an invalid one.
    @inline(__always)
    private static func sequence(_ bytes: UnsafePointer<UInt8>, _ left: Int) -> Int {
        let lead = bytes[0]
        if lead < 0x80 { return lead == 0 ? 0 : 1 }
        if lead < 0xC2 || lead > 0xF4 { return 0 }
        let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        if length > left { return 0 }
        for index in 1..<length where bytes[index] & 0xC0 != 0x80 { return 0 }
        switch lead {
        case 0xE0: return bytes[1] >= 0xA0 ? 3 : 0
        case 0xED: return bytes[1] < 0xA0 ? 3 : 0
        case 0xF0: return bytes[1] >= 0x90 ? 4 : 0
        case 0xF4: return bytes[1] < 0x90 ? 4 : 0
        default: return length
        }
    }

    /// Characters (code points) of valid text: all bytes but continuation bytes.
    public static func characterCount(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int {
        let raw = UnsafeRawPointer(bytes)
        var continuations = 0
        var index = 0
        while index &+ 8 <= count {
            let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let marks = (word &>> 7) & (~word &>> 6) & 0x0101_0101_0101_0101
            continuations &+= marks.nonzeroBitCount
            index &+= 8
        }
        while index < count {
            if bytes[index] & 0xC0 == 0x80 { continuations &+= 1 }
            index &+= 1
        }
        return count &- continuations
    }

    /// The largest byte count up to `limit` that does not cut a character.
    public static func boundary(_ bytes: UnsafePointer<UInt8>, _ count: Int, limit: Int) -> Int {
        if count <= limit { return count }
        var end = max(limit, 0)
        while end > 0 && bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return end
    }

    /// 22021 with the offending bytes, as PostgreSQL words it.
    public static func validate(_ bytes: UnsafePointer<UInt8>, _ count: Int) throws {
        guard let place = firstInvalid(bytes, count) else { return }
        let digits = Array("0123456789abcdef".utf8)
        var text = ""
        for index in place..<min(place + 4, count) {
            let pair = [digits[Int(bytes[index] >> 4)], digits[Int(bytes[index] & 15)]]
            text += " 0x" + String(decoding: pair, as: UTF8.self)
        }
        throw SQLError(.characterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\":\(text)")
    }
}
