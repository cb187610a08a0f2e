/// BOOLEAN as text: t, true, y, yes, 1 and their opposites in any case; shown as `t` and `f`.
public enum BooleanText {
    public static func parse(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool? {
        if count == 1 {
            switch bytes[0] {
            case 0x74, 0x54, 0x79, 0x59, 0x31: return true
            case 0x66, 0x46, 0x6E, 0x4E, 0x30: return false
            default: return nil
            }
        }
        let (start, end) = TextInput.trimmed(bytes, count)
        let word = bytes + start
        let length = end - start
        if length == 1 && count > 1 { return parse(word, 1) }
        if TextInput.matches(word, length, "true") || TextInput.matches(word, length, "yes") { return true }
        if TextInput.matches(word, length, "false") || TextInput.matches(word, length, "no") { return false }
        return nil
    }

    public static func parseThrowing(_ bytes: UnsafePointer<UInt8>, _ count: Int) throws -> Bool {
        if let value = parse(bytes, count) { return value }
        throw SQLError(.invalidText, "invalid input syntax for type boolean: \(TextInput.quoted(bytes, count))")
    }

    public static func append(_ value: Bool, to buffer: TextBuffer) { buffer.append(value ? 0x74 : 0x66) }
}
