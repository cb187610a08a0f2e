/// Small steps over input bytes that the readers of all types share.
@frozen
public enum TextInput {
    @inlinable @inline(__always)
    public static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 9 && byte <= 13) }
    @inlinable @inline(__always)
    public static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }
    @inlinable @inline(__always)
    public static func isLetter(_ byte: UInt8) -> Bool { (byte | 32) &- 97 < 26 }
    @inlinable @inline(__always)
    public static func lower(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 32 : byte }

    /// Every byte is a character.
    @inlinable @inline(__always)
    public static func isASCII(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        var all: UInt8 = 0
        for index in 0..<count { all |= bytes[index] }
        return all < 0x80
    }

    /// The run without blanks at both ends.
    @inlinable @inline(__always)
    public static func trimmed(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> (start: Int, end: Int) {
        var start = 0
        var end = count
        while start < end && isBlank(bytes[start]) { start &+= 1 }
        while end > start && isBlank(bytes[end &- 1]) { end &-= 1 }
        return (start, end)
    }

    /// Input as it appears in messages: at most 200 bytes of it.
    public static func quoted(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> String {
        let shown = UnsafeBufferPointer(start: bytes, count: min(count, 200))
        return "\"" + String(decoding: shown, as: UTF8.self) + (count > 200 ? "...\"" : "\"")
    }

    /// True when the bytes spell the lower-case word, whatever their own case.
    public static func matches(_ bytes: UnsafePointer<UInt8>, _ count: Int, _ word: StaticString) -> Bool {
        guard count == word.utf8CodeUnitCount else { return false }
        for index in 0..<count where lower(bytes[index]) != word.utf8Start[index] { return false }
        return true
    }
}
