/// The binary form of HLLSKETCH.
///
///     sparse = 1, precision (1 byte), count (2 bytes), count x [index (2 bytes), value (1 byte)]
///     dense  = 2, precision (1 byte), 0 (2 bytes), registers of 6 bits each
///
/// Numbers of several bytes are little endian, indices ascend, values are 1 ... 50. Four dense registers are three
/// bytes, the first register in the lowest bits. Sketches of fewer than 8,192 registers are sparse, all others dense:
/// equal sketches are equal bytes.
package enum HLLForm {
    package static let maximumBytes = headerBytes + HLLSketch.registerCount / 4 * 3
    static let headerBytes = 4
    static let sparseTag: UInt8 = 1
    static let denseTag: UInt8 = 2

    /// Bytes that are no sketch: a fault of whoever wrote them.
    package static var damage: SQLError { SQLError(.dataCorrupted, "an HLLSKETCH value is damaged") }
}

extension HLLSketch {
    // MARK: Reading

    /// - Throws: for bytes that are no sketch.
    package init(checking bytes: UnsafeBufferPointer<UInt8>) throws {
        self.init()
        try merge(checking: bytes)
    }

    /// Adds a sketch in its binary form.
    package mutating func merge(checking bytes: UnsafeBufferPointer<UInt8>) throws {
        guard bytes.count >= HLLForm.headerBytes, Int(bytes[1]) == HLLSketch.precision else { throw HLLForm.damage }
        switch bytes[0] {
        case HLLForm.sparseTag: try mergeSparse(bytes)
        case HLLForm.denseTag: try mergeDense(bytes)
        default: throw HLLForm.damage
        }
    }

    private mutating func mergeSparse(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        let count = Int(bytes[2]) | Int(bytes[3]) << 8
        guard count < HLLSketch.denseCount, bytes.count == HLLForm.headerBytes + 3 * count else { throw HLLForm.damage }
        var last = -1
        for place in stride(from: HLLForm.headerBytes, to: bytes.count, by: 3) {
            let index = Int(bytes[place]) | Int(bytes[place + 1]) << 8, value = bytes[place + 2]
            guard index > last, index < HLLSketch.registerCount, value > 0, value <= HLLSketch.highestValue else {
                throw HLLForm.damage
            }
            last = index
            raise(index, to: value)
        }
    }

    private mutating func mergeDense(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        guard bytes.count == HLLForm.maximumBytes, bytes[2] == 0, bytes[3] == 0 else { throw HLLForm.damage }
        expand()
        var highest: UInt8 = 0
        var place = HLLForm.headerBytes
        for index in stride(from: 0, to: HLLSketch.registerCount, by: 4) {
            var word = UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2]) << 16
            for offset in 0..<4 {
                let value = UInt8(word & 63)
                highest = max(highest, value)
                raise(index + offset, to: value)
                word >>= 6
            }
            place += 3
        }
        guard highest <= HLLSketch.highestValue else { throw HLLForm.damage }
    }

    // MARK: Writing

    /// The binary form.
    package mutating func bytes() -> [UInt8] {
        compact()
        if !isDense { return sparseBytes(entries) }
        let used = registers.indices.filter { registers[$0] > 0 }
        if used.count < HLLSketch.denseCount {
            return sparseBytes(used.map { UInt32($0) << 6 | UInt32(registers[$0]) })
        }
        var result: [UInt8] = [HLLForm.denseTag, UInt8(HLLSketch.precision), 0, 0]
        result.reserveCapacity(HLLForm.maximumBytes)
        for index in stride(from: 0, to: HLLSketch.registerCount, by: 4) {
            var word: UInt32 = 0
            for offset in 0..<4 { word |= UInt32(registers[index + offset]) << UInt32(6 * offset) }
            for shift in [UInt32(0), 8, 16] { result.append(UInt8(truncatingIfNeeded: word >> shift)) }
        }
        return result
    }

    private func sparseBytes(_ entries: [UInt32]) -> [UInt8] {
        var result: [UInt8] = [HLLForm.sparseTag, UInt8(HLLSketch.precision)]
        result.reserveCapacity(HLLForm.headerBytes + 3 * entries.count)
        result.append(UInt8(truncatingIfNeeded: entries.count))
        result.append(UInt8(truncatingIfNeeded: entries.count >> 8))
        for entry in entries {
            result.append(UInt8(truncatingIfNeeded: entry >> 6))
            result.append(UInt8(truncatingIfNeeded: entry >> 14))
            result.append(UInt8(entry & 63))
        }
        return result
    }

    /// Of a sketch with no value.
    package static var emptyBytes: [UInt8] { [HLLForm.sparseTag, UInt8(HLLSketch.precision), 0, 0] }
}
