import Platform
import SQLTypes

/// Reads what ``BinaryWriter`` wrote. Never trusts a count or a tag: any inconsistency throws `dataCorrupted` with the
/// file's name.
package struct BinaryReader {
    private let bytes: [UInt8]
    private(set) var position: Int
    private let end: Int
    let file: String

    package init(_ bytes: [UInt8], from start: Int = 0, to end: Int? = nil, file: String) {
        self.bytes = bytes
        self.file = file
        self.end = min(end ?? bytes.count, bytes.count)
        position = start
    }

    package var isAtEnd: Bool { position == end }
    var remaining: Int { end - position }

    package func corrupted(_ what: String) -> SQLError {
        SQLError(.dataCorrupted, "file \"\(file)\" is damaged: \(what)")
    }

    package mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
        guard count >= 0, count <= end - position else { throw corrupted("unexpected end") }
        defer { position += count }
        return bytes[position..<position + count]
    }

    package mutating func get<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) throws -> Value {
        let size = MemoryLayout<Value>.size
        guard size <= end - position else { throw corrupted("unexpected end") }
        defer { position += size }
        return bytes.withUnsafeBytes {
            Value(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: Value.self))
        }
    }
    package mutating func getBool() throws -> Bool {
        switch try get(UInt8.self) {
        case 0: false
        case 1: true
        default: throw corrupted("a flag is neither 0 nor 1")
        }
    }
    package mutating func getDouble() throws -> Double { Double(bitPattern: try get()) }
    package mutating func getCounted() throws -> [UInt8] { Array(try take(Int(try get(UInt32.self)))) }
    package mutating func getString() throws -> String { String(decoding: try getCounted(), as: UTF8.self) }

    /// A signed 64-bit count or length inside limits.
    mutating func getCount(upTo limit: Int, _ what: String) throws -> Int {
        let value = try get(Int64.self)
        guard value >= 0, value <= Int64(limit) else { throw corrupted("\(what) is out of range") }
        return Int(value)
    }
    package mutating func getOptional<Value>(_ body: (inout BinaryReader) throws -> Value) throws -> Value? {
        try getBool() ? try body(&self) : nil
    }
    package mutating func getList<Element>(_ body: (inout BinaryReader) throws -> Element) throws -> [Element] {
        let count = Int(try get(UInt32.self))
        // Every element takes a byte at least, so a wild count cannot make us allocate.
        guard count <= remaining else { throw corrupted("a list is longer than the file") }
        var list: [Element] = []
        list.reserveCapacity(min(count, 4_096))
        for _ in 0..<count { list.append(try body(&self)) }
        return list
    }

    mutating func getDatum() throws -> Datum {
        switch try get(UInt8.self) {
        case 0: .null
        case 1: .integer(try get(Int128.self))
        case 2: .double(try getDouble())
        case 3: .string(try getCounted())
        case 4: .interval(Interval(months: try get(), microseconds: try get()))
        default: throw corrupted("unknown kind of value")
        }
    }

    /// A reader over the bytes before the checksum that ends `bytes`, verified.
    static func verified(_ bytes: [UInt8], file: String) throws -> BinaryReader {
        var whole = BinaryReader(bytes, file: file)
        guard bytes.count >= 4 else { throw whole.corrupted("too short") }
        whole.position = bytes.count - 4
        let stored = try whole.get(UInt32.self)
        let computed = bytes.withUnsafeBytes {
            CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[..<(bytes.count - 4)]))
        }
        guard stored == computed else { throw whole.corrupted("checksum mismatch") }
        return BinaryReader(bytes, to: bytes.count - 4, file: file)
    }
}
