/// Reads Thrift's compact protocol from bytes that somebody else keeps. Never reads beyond them; nesting is limited,
/// and lists cannot have more elements than bytes are left.
struct ThriftReader {
    enum Kind: UInt8 {
        case stop, true1, false2, byte, int16, int32, int64, double, binary, list, set, map, structure, uuid
    }
    private let bytes: UnsafeRawBufferPointer
    private(set) var index = 0
    private var depth = 0
    /// The bytes ended too early: with more of them it might go on.
    private(set) var isShort = false

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    private var left: Int { bytes.count - index }

    private mutating func short() -> ParquetDamage {
        isShort = true
        return ParquetDamage.truncated
    }

    mutating func byte() throws -> UInt8 {
        guard left > 0 else { throw short() }
        defer { index += 1 }
        return bytes[index]
    }

    mutating func varint() throws -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return value }
            shift += 7
            if shift > 63 { throw ParquetDamage("a number of the metadata is too long") }
        }
    }

    mutating func int64() throws -> Int64 {
        let value = try varint()
        return Int64(bitPattern: value >> 1) ^ (0 - Int64(bitPattern: value & 1))
    }

    /// A 32-bit number that counts something.
    mutating func count() throws -> Int {
        let value = try int64()
        guard value >= 0, value <= Int64(Int32.max) else { throw ParquetDamage("a count of the metadata is \(value)") }
        return Int(value)
    }

    /// A 64-bit number that counts something.
    mutating func size() throws -> Int {
        let value = try int64()
        guard value >= 0 else { throw ParquetDamage("a size of the metadata is \(value)") }
        return Int(value)
    }

    /// The number of an enumeration's case; -1 for what no enumeration has.
    mutating func code() throws -> Int { Int(try int64()) }

    mutating func binary() throws -> UnsafeRawBufferPointer {
        let length = try varint()
        guard length <= UInt64(left) else { throw short() }
        let start = index
        index += Int(length)
        return UnsafeRawBufferPointer(rebasing: bytes[start..<index])
    }

    mutating func string() throws -> String { String(decoding: try binary(), as: UTF8.self) }

    mutating func listHeader() throws -> (kind: Kind, count: Int) {
        let head = try byte()
        var count = UInt64(head >> 4)
        if count == 15 { count = try varint() }
        // Each element has a byte at least.
        guard count <= UInt64(left) else { throw short() }
        return (try kind(head & 15), Int(count))
    }

    private func kind(_ code: UInt8) throws -> Kind {
        guard let kind = Kind(rawValue: code) else { throw ParquetDamage("unknown kind \(code) in the metadata") }
        return kind
    }

    /// Calls `field` for each field; what it does not read (and answers false for) is skipped.
    mutating func structure(_ field: (inout ThriftReader, Int, Kind) throws -> Bool) throws {
        try enter()
        var number = 0
        while true {
            let head = try byte()
            let kind = try kind(head & 15)
            if kind == .stop { break }
            if head >> 4 == 0 {
                number = Int(truncatingIfNeeded: try int64())
            } else {
                number &+= Int(head >> 4)
            }
            if try !field(&self, number, kind) { try skip(kind) }
        }
        depth -= 1
    }

    /// Calls `element` for each element of a list of structures.
    mutating func structures(atMost limit: Int, _ element: (inout ThriftReader) throws -> Void) throws {
        let (kind, count) = try listHeader()
        guard kind == .structure || count == 0 else { throw ParquetDamage("a list of the metadata has odd elements") }
        guard count <= limit else { throw ParquetDamage("a list of the metadata has \(count) elements") }
        for _ in 0..<count { try element(&self) }
    }

    private mutating func enter() throws {
        depth += 1
        if depth > ParquetLimits.thriftDepth { throw ParquetDamage("the metadata is nested too deeply") }
    }

    private mutating func skip(_ count: Int) throws {
        guard count <= left else { throw short() }
        index += count
    }

    mutating func skip(_ kind: Kind) throws {
        switch kind {
        case .stop, .true1, .false2: break
        case .byte: try skip(1)
        case .int16, .int32, .int64: _ = try varint()
        case .double: try skip(8)
        case .uuid: try skip(16)
        case .binary: _ = try binary()
        case .list, .set:
            try enter()
            let (element, count) = try listHeader()
            for _ in 0..<count { try skipElement(element) }
            depth -= 1
        case .map:
            try enter()
            try skipMap()
            depth -= 1
        case .structure: try structure { _, _, _ in false }
        }
    }

    /// Truth values take a byte in lists, and none as fields.
    private mutating func skipElement(_ kind: Kind) throws {
        if kind == .true1 || kind == .false2 { try skip(1) } else { try skip(kind) }
    }

    private mutating func skipMap() throws {
        let count = try varint()
        if count == 0 { return }
        guard count <= UInt64(left) else { throw short() }
        let kinds = try byte()
        let key = try kind(kinds >> 4)
        let value = try kind(kinds & 15)
        for _ in 0..<count {
            try skipElement(key)
            try skipElement(value)
        }
    }
}
