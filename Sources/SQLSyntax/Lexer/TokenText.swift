import SQLTypes

/// Decodes tokens: what stands between the quotes, folded names.
enum TokenText {
    static func raw(_ bytes: [UInt8], _ token: Token) -> String {
        String(decoding: bytes[token.start..<token.end], as: UTF8.self)
    }

    /// The text of any string token. Escapes may produce bytes that are not UTF-8: nil then.
    static func string(_ bytes: [UInt8], _ token: Token) -> String? {
        let start = bytes[token.start] == 39 ? token.start + 1 : token.start + 2
        switch token.kind {
        case .escapeString: return escaped(bytes, start, token.end - 1, hasCodes: true)
        case .backslashString: return escaped(bytes, start, token.end - 1, hasCodes: false)
        case .dollarString:
            var tagEnd = token.start + 1
            while bytes[tagEnd] != 36 { tagEnd += 1 }
            let tagLength = tagEnd + 1 - token.start
            return String(decoding: bytes[(token.start + tagLength)..<(token.end - tagLength)], as: UTF8.self)
        default: return unquoted(bytes, start, token.end - 1, quote: 39)
        }
    }

    /// Characters of a literal before its text: `'`, `E'`, `$tag$`.
    static func openingCount(_ bytes: [UInt8], _ token: Token) -> Int {
        guard token.kind == .dollarString else { return bytes[token.start] == 39 ? 1 : 2 }
        let tag = bytes[(token.start + 1)..<token.end].prefix { $0 != 36 }
        return 2 + String(decoding: tag, as: UTF8.self).unicodeScalars.count
    }

    /// Takes doubled quotes apart.
    static func unquoted(_ bytes: [UInt8], _ start: Int, _ end: Int, quote: UInt8) -> String {
        guard bytes[start..<end].contains(quote) else { return String(decoding: bytes[start..<end], as: UTF8.self) }
        var result: [UInt8] = []
        result.reserveCapacity(end - start)
        var index = start
        while index < end {
            result.append(bytes[index])
            index += bytes[index] == quote ? 2 : 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    static func identifier(
        _ bytes: [UInt8], _ token: Token, position: SourcePosition, keepsQuotedCase: Bool
    ) -> Identifier {
        let quoted = token.kind == .quotedName
        var original =
            quoted
            ? unquoted(bytes, token.start + 1, token.end - 1, quote: 34)
            : String(decoding: bytes[token.start..<token.end], as: UTF8.self)
        if original.utf8.count > SyntaxLimits.identifierBytes { original = truncated(original) }
        if quoted && keepsQuotedCase { return Identifier(original, quoted: true, position: position) }
        guard original.utf8.contains(where: ASCII.isUpper) else {
            return Identifier(original, quoted: quoted, position: position)
        }
        return Identifier(lowered(original), original: original, quoted: quoted, position: position)
    }

    /// ASCII letters to lower case, nothing else.
    static func lowered(_ text: String) -> String {
        String(decoding: text.utf8.map(ASCII.lower), as: UTF8.self)
    }

    static func uppered(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 &- 97 < 26 ? $0 & 0xDF : $0 }, as: UTF8.self)
    }

    private static func truncated(_ text: String) -> String {
        var bytes = Array(text.utf8.prefix(SyntaxLimits.identifierBytes))
        while let last = bytes.last, last & 0xC0 == 0x80 { bytes.removeLast() }
        if let last = bytes.last, last >= 0xC0 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// - Parameter hasCodes: `\x41`, `\u0041` and `\U00000041` too, which ordinary literals do not know.
    private static func escaped(_ bytes: [UInt8], _ start: Int, _ end: Int, hasCodes: Bool) -> String? {
        var result: [UInt8] = []
        result.reserveCapacity(end - start)
        var index = start
        while index < end {
            let byte = bytes[index]
            index += 1
            if byte == 39 {
                index += 1
                result.append(39)
            } else if byte == 92, index < end {
                appendEscape(bytes, &index, end, hasCodes, to: &result)
            } else {
                result.append(byte)
            }
        }
        return String(validating: result, as: UTF8.self)
    }

    /// `index` stands behind the backslash.
    private static func appendEscape(
        _ bytes: [UInt8], _ index: inout Int, _ end: Int, _ hasCodes: Bool, to result: inout [UInt8]
    ) {
        let byte = bytes[index]
        index += 1
        switch byte {
        case 110: result.append(10)
        case 116: result.append(9)
        case 114: result.append(13)
        case 98: result.append(8)
        case 102: result.append(12)
        case 48...55:
            index -= 1
            result.append(UInt8(truncatingIfNeeded: digits(bytes, &index, end, radix: 8, count: 3)))
        case 120 where hasCodes && index < end && hexValue(bytes[index]) != nil:
            result.append(UInt8(truncatingIfNeeded: digits(bytes, &index, end, radix: 16, count: 2)))
        case 117 where hasCodes && index < end && hexValue(bytes[index]) != nil:
            appendScalar(digits(bytes, &index, end, radix: 16, count: 4), to: &result)
        case 85 where hasCodes && index < end && hexValue(bytes[index]) != nil:
            appendScalar(digits(bytes, &index, end, radix: 16, count: 8), to: &result)
        default: result.append(byte)
        }
    }

    private static func appendScalar(_ value: UInt32, to result: inout [UInt8]) {
        // 0xFF makes the whole text invalid: surrogates and values beyond Unicode.
        guard let scalar = Unicode.Scalar(value) else { return result.append(0xFF) }
        result.append(contentsOf: Array(String(Character(scalar)).utf8))
    }

    private static func digits(
        _ bytes: [UInt8], _ index: inout Int, _ end: Int, radix: UInt32, count: Int
    ) -> UInt32 {
        var value: UInt32 = 0
        var taken = 0
        while taken < count, index < end, let digit = hexValue(bytes[index]), digit < radix {
            value = value &* radix &+ digit
            index += 1
            taken += 1
        }
        return value
    }

    private static func hexValue(_ byte: UInt8) -> UInt32? {
        if ASCII.isDigit(byte) { return UInt32(byte - 48) }
        let letter = byte | 0x20
        return letter >= 97 && letter <= 102 ? UInt32(letter - 87) : nil
    }
}
