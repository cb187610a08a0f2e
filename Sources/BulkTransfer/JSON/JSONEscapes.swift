/// Takes the escapes out of JSON strings.
enum JSONEscapes {
    /// What a decoded string has beyond plain ASCII.
    struct Content {
        var hasHighBytes = false
        /// A NUL, or a surrogate without its partner: bytes that are no valid UTF-8.
        var isDirty = false
    }

    /// Writes the string's bytes, never more than it has, to `out`. Half a surrogate pair becomes the three bytes that
    /// UTF-8 would have for it, so that the check of strings finds it.
    ///
    /// - Returns: the number of bytes, or nil for an escape that JSON does not have.
    static func decode(
        _ text: UnsafePointer<UInt8>, _ count: Int, into out: UnsafeMutablePointer<UInt8>, _ content: inout Content
    ) -> Int? {
        var index = 0
        var written = 0
        while index < count {
            let byte = text[index]
            if byte != UInt8(ascii: "\\") {
                out[written] = byte
                written &+= 1
                index &+= 1
                continue
            }
            guard index + 1 < count else { return nil }
            let kind = text[index + 1]
            index += 2
            if kind != UInt8(ascii: "u") {
                guard let plain = single(kind) else { return nil }
                out[written] = plain
                written += 1
                continue
            }
            guard let code = codePoint(text, &index, count) else { return nil }
            if code >= 0x80 { content.hasHighBytes = true }
            if code == 0 || (0xD800..<0xE000).contains(code) { content.isDirty = true }
            written += append(code, out + written)
        }
        return written
    }

    static func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var content = Content()
        guard let base = bytes.baseAddress else { return [] }
        var isGood = true
        let result = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
            guard let out = buffer.baseAddress else { return }
            if let written = decode(base, bytes.count, into: out, &content) { count = written } else { isGood = false }
        }
        return isGood ? result : nil
    }

    private static func single(_ kind: UInt8) -> UInt8? {
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return kind
        case UInt8(ascii: "n"): return 10
        case UInt8(ascii: "t"): return 9
        case UInt8(ascii: "r"): return 13
        case UInt8(ascii: "b"): return 8
        case UInt8(ascii: "f"): return 12
        default: return nil
        }
    }

    /// The code after `\u`, with the second half of a pair if it follows.
    private static func codePoint(_ text: UnsafePointer<UInt8>, _ index: inout Int, _ count: Int) -> UInt32? {
        guard let unit = unit(text, index, count) else { return nil }
        index += 4
        guard (0xD800..<0xDC00).contains(unit), index + 1 < count, text[index] == UInt8(ascii: "\\"),
            text[index + 1] == UInt8(ascii: "u"), let low = self.unit(text, index + 2, count),
            (0xDC00..<0xE000).contains(low)
        else { return unit }
        index += 6
        return 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
    }

    private static func unit(_ text: UnsafePointer<UInt8>, _ from: Int, _ count: Int) -> UInt32? {
        guard from + 4 <= count else { return nil }
        var value: UInt32 = 0
        for index in from..<from + 4 {
            let byte = text[index]
            switch byte {
            case 0x30...0x39: value = value << 4 | UInt32(byte - 0x30)
            case 0x41...0x46: value = value << 4 | UInt32(byte - 0x37)
            case 0x61...0x66: value = value << 4 | UInt32(byte - 0x57)
            default: return nil
            }
        }
        return value
    }

    /// UTF-8 of a code, surrogates included; at most four bytes for the twelve of a pair, three for six.
    private static func append(_ code: UInt32, _ out: UnsafeMutablePointer<UInt8>) -> Int {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | code >> shift & 0x3F) }
        if code < 0x80 {
            out[0] = UInt8(truncatingIfNeeded: code)
            return 1
        }
        if code < 0x800 {
            out[0] = UInt8(truncatingIfNeeded: 0xC0 | code >> 6)
            out[1] = tail(0)
            return 2
        }
        if code < 0x10000 {
            out[0] = UInt8(truncatingIfNeeded: 0xE0 | code >> 12)
            out[1] = tail(6)
            out[2] = tail(0)
            return 3
        }
        out[0] = UInt8(truncatingIfNeeded: 0xF0 | code >> 18)
        out[1] = tail(12)
        out[2] = tail(6)
        out[3] = tail(0)
        return 4
    }
}
