/// Base64 with padding (RFC 4648): SCRAM's messages, VARBYTE's functions.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values: [UInt8: UInt32] = Dictionary(
        uniqueKeysWithValues: alphabet.enumerated().map { ($1, UInt32($0)) })

    package static func encode(_ bytes: [UInt8]) -> String {
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var word: UInt32 = 0
            for byte in group { word = word << 8 | UInt32(byte) }
            word <<= UInt32(8 * (3 - group.count))
            for index in 0..<4 {
                let digit = Int(word >> UInt32(18 - 6 * index)) & 63
                result.append(index <= group.count ? alphabet[digit] : UInt8(ascii: "="))
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// nil for anything but whole, padded groups.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 4 == 0 else { return nil }
        var result: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 4) {
            var word: UInt32 = 0
            var padding = 0
            for (offset, digit) in digits[start..<start + 4].enumerated() {
                if digit == UInt8(ascii: "="), start + 4 == digits.count, offset >= 2 {
                    padding += 1
                    word <<= 6
                } else {
                    guard padding == 0, let value = values[digit] else { return nil }
                    word = word << 6 | value
                }
            }
            for index in 0..<(3 - padding) { result.append(UInt8(truncatingIfNeeded: word >> UInt32(16 - 8 * index))) }
        }
        return result
    }
}
