/// Bytes of a page between two places. Pages are followed by readable memory, so loads of whole words may run over the
/// end.
struct ParquetBytes {
    private(set) var start: UnsafeRawPointer
    private(set) var end: UnsafeRawPointer

    init(_ start: UnsafeRawPointer, count: Int) {
        self.start = start
        end = start + count
    }

    var count: Int { end - start }

    /// Takes bytes off the front.
    mutating func take(_ count: Int) throws -> ParquetBytes {
        guard count >= 0, count <= self.count else { throw ParquetDamage.truncated }
        defer { start += count }
        return ParquetBytes(start, count: count)
    }

    mutating func byte() throws -> UInt8 {
        guard count > 0 else { throw ParquetDamage.truncated }
        defer { start += 1 }
        return start.load(as: UInt8.self)
    }

    /// Four bytes, little-endian.
    mutating func length() throws -> Int {
        guard count >= 4 else { throw ParquetDamage.truncated }
        defer { start += 4 }
        return Int(UInt32(littleEndian: start.loadUnaligned(as: UInt32.self)))
    }

    mutating func varint() throws -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return value }
            shift += 7
            if shift > 63 { throw ParquetDamage("a number is too long") }
        }
    }

    mutating func zigzag() throws -> Int64 {
        let value = try varint()
        return Int64(bitPattern: value >> 1) ^ (0 - Int64(bitPattern: value & 1))
    }
}
