/// CHAR and VARCHAR lengths, counted in bytes.
public enum StringLength {
    /// The bytes as the type stores them: CHAR without trailing blanks, both within the length. An explicit cast cuts
    /// what is too long; otherwise only surplus blanks are cut and the rest is 22001.
    public static func fitted(_ bytes: [UInt8], _ type: SQLType, explicit: Bool) throws -> [UInt8] {
        switch type {
        case .char(let length):
            let trimmed = Array(bytes[..<trimmedCount(bytes)])
            if let place = trimmed.firstIndex(where: { $0 >= 0x80 }) {
                throw trimmed.withUnsafeBufferPointer { multibyte($0, at: place) }
            }
            if trimmed.count <= length { return trimmed }
            guard explicit else { throw tooLong(type) }
            let cut = cut(trimmed, length)
            return Array(cut[..<trimmedCount(cut)])
        case .varchar(let length):
            if bytes.count <= length { return bytes }
            if explicit || trimmedCount(bytes) <= length { return cut(bytes, length) }
            throw tooLong(type)
        case .varbyte(let length):
            if bytes.count <= length { return bytes }
            guard explicit else { throw tooLong(type) }
            return Array(bytes[..<length])
        default: return bytes
        }
    }

    public static func tooLong(_ type: SQLType) -> SQLError {
        SQLError(.stringTooLong, "value too long for type \(type)")
    }

    /// CHAR holds characters of one byte only.
    public static func multibyte(_ bytes: UnsafeBufferPointer<UInt8>, at place: Int) -> SQLError {
        let reason = "Multibyte character not supported for CHAR (Hint: try using VARCHAR). Invalid char: "
        return SQLError(.characterNotInRepertoire, reason + characterCode(bytes, at: place))
    }

    /// The bytes of the character at a place in hexadecimal: `c3 a9`.
    public static func characterCode(_ bytes: UnsafeBufferPointer<UInt8>, at place: Int) -> String {
        var end = place + 1
        while end < min(bytes.count, place + 4) && bytes[end] & 0xC0 == 0x80 { end += 1 }
        return bytes[place..<end].map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
            .joined(separator: " ")
    }

    /// The length without trailing blanks.
    public static func trimmedCount(_ bytes: [UInt8]) -> Int {
        (bytes.lastIndex { $0 != 0x20 } ?? -1) + 1
    }

    private static func cut(_ bytes: [UInt8], _ length: Int) -> [UInt8] {
        let end = bytes.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { UTF8Text.boundary($0, buffer.count, limit: length) } ?? 0
        }
        return Array(bytes[..<end])
    }
}
