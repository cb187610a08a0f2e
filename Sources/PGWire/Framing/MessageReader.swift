import SQLTypes

/// Reads the fields of one message's body. Everything that does not fit is error 08P01; nothing is read past the end.
struct MessageReader {
    private let bytes: [UInt8]
    private(set) var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var remaining: Int { bytes.count - index }

    mutating func byte() throws -> UInt8 {
        try need(1)
        defer { index += 1 }
        return bytes[index]
    }

    mutating func int16() throws -> Int16 {
        try need(2)
        defer { index += 2 }
        return Int16(bitPattern: UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]))
    }

    mutating func int32() throws -> Int32 {
        try need(4)
        defer { index += 4 }
        var value: UInt32 = 0
        for offset in 0..<4 { value = value << 8 | UInt32(bytes[index + offset]) }
        return Int32(bitPattern: value)
    }

    mutating func int64() throws -> Int64 {
        let high = try int32()
        let low = try int32()
        return Int64(high) << 32 | Int64(UInt32(bitPattern: low))
    }

    /// Bytes up to a NUL, which is taken too. Must be UTF-8.
    mutating func string() throws -> String {
        guard let end = bytes[index...].firstIndex(of: 0) else {
            throw ProtocolViolation.error("invalid string in message")
        }
        let start = index
        index = end + 1
        if start == end { return "" }
        // The same as of a collection, but that way is generic and takes a microsecond.
        let text = bytes.withUnsafeBytes { all -> String? in
            guard let first = all.baseAddress else { return nil }
            return String(validatingCString: (first + start).assumingMemoryBound(to: CChar.self))
        }
        guard let text else {
            throw SQLError(.characterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\"")
        }
        return text
    }

    mutating func bytes(_ count: Int) throws -> [UInt8] {
        try need(count)
        defer { index += count }
        return Array(bytes[index..<index + count])
    }

    /// A value with a length in front; nil for -1.
    mutating func value() throws -> [UInt8]? {
        let length = try int32()
        if length == -1 { return nil }
        guard length >= 0 else { throw ProtocolViolation.error("invalid value length in message") }
        return try bytes(Int(length))
    }

    /// A number of things that follow; each takes at least so many bytes, so that a count cannot make memory.
    mutating func count(ofAtLeast size: Int) throws -> Int {
        let count = Int(UInt16(bitPattern: try int16()))
        try need(count * size)
        return count
    }

    mutating func rest() -> [UInt8] {
        defer { index = bytes.count }
        return Array(bytes[index...])
    }

    func expectEnd() throws {
        if index != bytes.count { throw ProtocolViolation.error("invalid message format") }
    }

    private func need(_ count: Int) throws {
        guard count >= 0, remaining >= count else {
            throw ProtocolViolation.error("insufficient data left in message")
        }
    }
}

enum ProtocolViolation {
    static func error(_ message: String) -> SQLError { SQLError("08P01", message) }
}
