/// Damage in an Avro file, with the place in the block.
struct AvroDamage: Error {
    var reason: String
}

/// Reads the smallest parts of Avro data. Nothing beyond the end is touched. Confined to one thread.
struct AvroInput {
    let bytes: UnsafeMutablePointer<UInt8>
    let count: Int
    var index = 0

    init(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) {
        self.bytes = bytes
        self.count = count
    }

    var left: Int { count - index }
    static let ended = AvroDamage(reason: "unexpected end of a block")

    mutating func byte() throws -> UInt8 {
        guard index < count else { throw AvroInput.ended }
        defer { index += 1 }
        return bytes[index]
    }

    /// A zigzag number of up to ten bytes.
    mutating func long() throws -> Int64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte()
            value |= UInt64(byte & 0x7F) &<< shift
            if byte < 0x80 { break }
            shift += 7
            if shift > 63 { throw AvroDamage(reason: "a number has too many bytes") }
        }
        return Int64(bitPattern: value >> 1) ^ (0 &- Int64(bitPattern: value & 1))
    }

    /// A length that what is left of the block can have.
    mutating func length() throws -> Int {
        let value = try long()
        guard value >= 0, value <= Int64(left) else { throw AvroDamage(reason: "a length is impossible") }
        return Int(value)
    }

    /// So many bytes, in place.
    mutating func take(_ length: Int) throws -> (UnsafeMutablePointer<UInt8>, Int) {
        guard length >= 0, length <= left else { throw AvroInput.ended }
        defer { index += length }
        return (bytes + index, length)
    }

    mutating func float() throws -> Double {
        let (start, _) = try take(4)
        return Double(Float(bitPattern: UInt32(littleEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt32.self))))
    }

    mutating func double() throws -> Double {
        let (start, _) = try take(8)
        return Double(bitPattern: UInt64(littleEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt64.self)))
    }
}
