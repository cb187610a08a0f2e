/// Byte classes of SQL text.
enum ASCII {
    @inline(__always)
    static func lower(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 0x20 : byte }
    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }
    @inline(__always)
    static func isUpper(_ byte: UInt8) -> Bool { byte &- 65 < 26 }
    /// Letters, underscore, every byte of a multi-byte character.
    @inline(__always)
    static func isNameStart(_ byte: UInt8) -> Bool { (byte | 0x20) &- 97 < 26 || byte == 95 || byte >= 0x80 }
    @inline(__always)
    static func isNamePart(_ byte: UInt8) -> Bool { isNameStart(byte) || isDigit(byte) || byte == 36 }
    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (byte >= 9 && byte <= 13) }
}
