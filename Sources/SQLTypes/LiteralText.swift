/// Strings as SQL literals.
public enum LiteralText {
    /// Quotes are doubled; a text with backslashes becomes `E'...'`, which reads the same whatever a backslash in an
    /// ordinary literal means to the reader.
    public static func quoted(_ text: String) -> String {
        let hasBackslash = text.utf8.contains(0x5C)
        var result: [UInt8] = hasBackslash ? [0x45, 0x27] : [0x27]
        result.reserveCapacity(text.utf8.count + 8)
        for byte in text.utf8 {
            if byte == 0x27 || byte == 0x5C { result.append(byte) }
            result.append(byte)
        }
        result.append(0x27)
        return String(decoding: result, as: UTF8.self)
    }
}
