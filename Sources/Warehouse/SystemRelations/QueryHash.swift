/// USER_QUERY_HASH and GENERIC_QUERY_HASH: 64 bits of a statement's text, in base64; the generic one has no literals,
/// so that statements that differ in values alone share it.
enum QueryHash {
    /// FNV-1a over the text.
    static func text(_ text: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var result = ""
        for place in 0..<11 {
            result.append(
                digits[Int(truncatingIfNeeded: (place < 10 ? hash >> (58 - 6 * UInt64(place)) : hash << 2) & 63)])
        }
        return result + "="
    }

    /// Numbers and quoted strings become `?`, blanks one blank, letters outside of quotes small.
    static func generic(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        func isWord(_ byte: UInt8) -> Bool {
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95
                || byte > 127
        }
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "'") {
                index += 1
                while index < bytes.count, bytes[index] != byte { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
                result.append(UInt8(ascii: "?"))
            } else if (48...57).contains(byte), !(result.last.map(isWord) ?? false) {
                while index + 1 < bytes.count, isWord(bytes[index + 1]) || bytes[index + 1] == 46 { index += 1 }
                result.append(UInt8(ascii: "?"))
            } else if [9, 10, 13, 32].contains(byte) {
                if result.last != 32 { result.append(32) }
            } else {
                result.append((65...90).contains(byte) ? byte | 32 : byte)
            }
            index += 1
        }
        return String(decoding: result, as: UTF8.self)
    }
}
