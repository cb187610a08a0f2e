/// A decoded stream of a stripe, read from front to back. Confined to one thread.
struct ORCBytes {
    let bytes: [UInt8]
    private(set) var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var left: Int { bytes.count - index }

    @inline(__always)
    mutating func byte() throws -> UInt8 {
        guard index < bytes.count else { throw ORCDamage.ended }
        defer { index &+= 1 }
        return bytes[index]
    }

    /// The place of so many bytes.
    mutating func take(_ count: Int) throws -> Int {
        guard count >= 0, count <= left else { throw ORCDamage.ended }
        defer { index += count }
        return index
    }

    mutating func varint() throws -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte()
            value |= UInt64(byte & 0x7F) &<< shift
            if byte < 0x80 { return value }
            shift += 7
            if shift > 63 { throw ORCDamage.number }
        }
    }

    static func signed(_ value: UInt64) -> Int64 { Int64(bitPattern: value >> 1) ^ (0 &- Int64(bitPattern: value & 1)) }

    /// Zigzag of up to 128 bits, for decimals.
    mutating func wide() throws -> Int128 {
        var value: UInt128 = 0
        var shift: UInt128 = 0
        while true {
            let byte = try byte()
            value |= UInt128(byte & 0x7F) &<< shift
            if byte < 0x80 { break }
            shift += 7
            if shift > 126 { throw ORCDamage.number }
        }
        return Int128(truncatingIfNeeded: value >> 1) ^ (0 &- Int128(truncatingIfNeeded: value & 1))
    }

    /// A big-endian number of 1 ... 8 bytes.
    mutating func big(_ count: Int) throws -> UInt64 {
        var value: UInt64 = 0
        for _ in 0..<count { value = value &<< 8 | UInt64(try byte()) }
        return value
    }

    mutating func little(_ count: Int) throws -> UInt64 {
        var value: UInt64 = 0
        for place in 0..<count { value |= UInt64(try byte()) &<< UInt64(8 &* place) }
        return value
    }

    /// Numbers of so many bits each, the highest bit first; the last byte is filled up.
    mutating func packed(_ count: Int, bits: Int, _ body: (Int, UInt64) -> Void) throws {
        var held: UInt64 = 0
        var heldBits = 0
        for item in 0..<count {
            var value: UInt64 = 0
            var wanted = bits
            while wanted > 0 {
                if heldBits == 0 {
                    held = UInt64(try byte())
                    heldBits = 8
                }
                let part = min(wanted, heldBits)
                value = value &<< UInt64(part) | (held &>> UInt64(heldBits &- part)) & ((1 &<< UInt64(part)) &- 1)
                heldBits &-= part
                wanted &-= part
            }
            body(item, value)
        }
    }
}

/// Runs of bytes, and of bits within them.
struct ORCByteRuns {
    private var input: ORCBytes
    private var left = 0
    private var repeated: UInt8?
    private var bits: UInt8 = 0
    private var bitsLeft = 0

    init(_ input: ORCBytes) { self.input = input }

    mutating func next() throws -> UInt8 {
        if left == 0 {
            let control = Int8(bitPattern: try input.byte())
            if control >= 0 {
                left = Int(control) + 3
                repeated = try input.byte()
            } else {
                left = -Int(control)
                repeated = nil
            }
        }
        left -= 1
        if let repeated { return repeated }
        return try input.byte()
    }

    mutating func nextBit() throws -> Bool {
        if bitsLeft == 0 {
            bits = try next()
            bitsLeft = 8
        }
        bitsLeft -= 1
        return bits >> UInt8(bitsLeft) & 1 == 1
    }
}
