/// Runs of integers, of both versions. Confined to one thread.
struct ORCIntegers {
    private var input: ORCBytes
    private let isSigned: Bool
    private let isSecondVersion: Bool
    private var values: [Int64] = []
    private var place = 0

    init(_ input: ORCBytes, isSigned: Bool, isSecondVersion: Bool) {
        self.input = input
        self.isSigned = isSigned
        self.isSecondVersion = isSecondVersion
    }

    mutating func next() throws -> Int64 {
        if place == values.count {
            values.removeAll(keepingCapacity: true)
            place = 0
            if isSecondVersion { try readSecond() } else { try readFirst() }
        }
        defer { place &+= 1 }
        return values[place]
    }

    private func decoded(_ value: UInt64) -> Int64 { isSigned ? ORCBytes.signed(value) : Int64(bitPattern: value) }

    private mutating func readFirst() throws {
        let control = Int8(bitPattern: try input.byte())
        if control < 0 {
            for _ in 0..<(-Int(control)) { values.append(decoded(try input.varint())) }
            return
        }
        let delta = Int64(Int8(bitPattern: try input.byte()))
        var value = decoded(try input.varint())
        for _ in 0..<Int(control) + 3 {
            values.append(value)
            value = value &+ delta
        }
    }

    private mutating func readSecond() throws {
        let first = Int(try input.byte())
        switch first >> 6 {
        case 0:
            let value = decoded(try input.big((first >> 3 & 7) + 1))
            values.append(contentsOf: repeatElement(value, count: (first & 7) + 3))
        case 1:
            let count = (first & 1) << 8 + Int(try input.byte()) + 1
            var read: [Int64] = []
            let isSigned = self.isSigned
            try input.packed(count, bits: ORCIntegers.width(first >> 1 & 31)) { _, value in
                read.append(isSigned ? ORCBytes.signed(value) : Int64(bitPattern: value))
            }
            values = read
        case 2: try readPatched(first)
        default: try readDelta(first)
        }
    }

    private mutating func readDelta(_ first: Int) throws {
        let code = first >> 1 & 31
        let count = (first & 1) << 8 + Int(try input.byte()) + 1
        var value = decoded(try input.varint())
        let delta = ORCBytes.signed(try input.varint())
        values.append(value)
        if count == 1 { return }
        value = value &+ delta
        values.append(value)
        if code == 0 {
            for _ in 2..<max(count, 2) {
                value = value &+ delta
                values.append(value)
            }
            return
        }
        var read: [Int64] = []
        try input.packed(count - 2, bits: ORCIntegers.width(code)) { _, step in
            value = delta < 0 ? value &- Int64(bitPattern: step) : value &+ Int64(bitPattern: step)
            read.append(value)
        }
        values += read
    }

    private mutating func readPatched(_ first: Int) throws {
        let bits = ORCIntegers.width(first >> 1 & 31)
        let count = (first & 1) << 8 + Int(try input.byte()) + 1
        let third = Int(try input.byte())
        let fourth = Int(try input.byte())
        let baseBytes = third >> 5 + 1
        let patchBits = ORCIntegers.width(third & 31)
        let gapBits = fourth >> 5 + 1
        let patches = fourth & 31
        let raw = try input.big(baseBytes)
        // The highest bit is the sign.
        let sign: UInt64 = 1 &<< UInt64(baseBytes * 8 - 1)
        let magnitude = Int64(bitPattern: raw & ~sign)
        let base = raw & sign != 0 ? 0 &- magnitude : magnitude
        var read: [UInt64] = []
        try input.packed(count, bits: bits) { _, value in read.append(value) }
        var entries: [UInt64] = []
        // More than 64 bits cannot be packed.
        guard patchBits + gapBits <= 64 else { throw ORCDamage(reason: "a patch has too many bits") }
        try input.packed(patches, bits: ORCIntegers.closestWidth(patchBits + gapBits)) { _, entry in
            entries.append(entry)
        }
        var target = 0
        let mask: UInt64 = patchBits >= 64 ? ~0 : (1 &<< UInt64(patchBits)) &- 1
        for entry in entries {
            let gap = patchBits >= 64 ? 0 : entry &>> UInt64(patchBits)
            target += Int(gap & 255)
            let patch = entry & mask
            if gap == 255 && patch == 0 { continue }
            guard target < read.count else { throw ORCDamage(reason: "a patch is outside of its run") }
            read[target] |= bits >= 64 ? 0 : patch &<< UInt64(bits)
        }
        values = read.map { base &+ Int64(bitPattern: $0) }
    }

    private static let widths = [
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 26, 28, 30, 32, 40, 48,
        56, 64,
    ]

    private static func width(_ code: Int) -> Int { widths[code & 31] }
    private static func closestWidth(_ bits: Int) -> Int { widths.first { $0 >= bits } ?? 64 }
}
