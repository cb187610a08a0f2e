/// DELTA_BINARY_PACKED: differences to the value before, bit-packed in small blocks of their own widths.
struct DeltaDecoder {
    private var bytes: ParquetBytes
    private let blockValues: Int
    private let miniblocks: Int
    private let miniblockValues: Int
    /// Values that have not been decoded.
    private(set) var left: Int
    private var last: Int64
    private var isFirst = true
    private var smallestDelta: Int64 = 0
    private var widths: UnsafeRawPointer
    private var miniblock: Int
    private var miniblockLeft = 0
    private var width = 0
    private var packed: UnsafeRawPointer
    private var packedBit = 0

    init(_ bytes: ParquetBytes) throws {
        self.bytes = bytes
        let block = try self.bytes.varint()
        let parts = try self.bytes.varint()
        let total = try self.bytes.varint()
        last = try self.bytes.zigzag()
        guard parts > 0, parts <= 1024, block > 0, block <= UInt64(ParquetLimits.miniblockValues) * parts,
            block % parts == 0, (block / parts) % 8 == 0, total <= UInt64(Int32.max)
        else { throw ParquetDamage("a page of deltas has odd blocks") }
        blockValues = Int(block)
        miniblocks = Int(parts)
        miniblockValues = Int(block / parts)
        left = Int(total)
        miniblock = miniblocks
        widths = bytes.start
        packed = bytes.start
    }

    /// Where the values end: all of them are passed over.
    func rest() throws -> ParquetBytes {
        var copy = self
        if copy.left > 0 && copy.isFirst {
            copy.left -= 1
            copy.isFirst = false
        }
        while copy.left > 0 {
            if copy.miniblockLeft == 0 { try copy.nextMiniblock() }
            let some = min(copy.left, copy.miniblockLeft)
            copy.left -= some
            copy.miniblockLeft -= some
        }
        return copy.bytes
    }

    /// The next values. Sums wrap around, as writers' differences do.
    mutating func decode(_ count: Int, _ out: UnsafeMutablePointer<Int64>) throws {
        guard count <= left else { throw ParquetDamage.truncated }
        var done = 0
        if isFirst && count > 0 {
            isFirst = false
            left -= 1
            out[0] = last
            done = 1
        }
        while done < count {
            if miniblockLeft == 0 { try nextMiniblock() }
            let some = min(miniblockLeft, count - done)
            let target = out + done
            target.withMemoryRebound(to: UInt64.self, capacity: some) {
                unpackBits(packed, firstBit: packedBit, width: width, some, $0)
            }
            packedBit += some * width
            var value = last
            for index in 0..<some {
                value = value &+ smallestDelta &+ target[index]
                target[index] = value
            }
            last = value
            miniblockLeft -= some
            left -= some
            done += some
        }
    }

    private mutating func nextMiniblock() throws {
        if miniblock == miniblocks {
            smallestDelta = try bytes.zigzag()
            widths = try bytes.take(miniblocks).start
            miniblock = 0
        }
        width = Int(widths.load(fromByteOffset: miniblock, as: UInt8.self))
        miniblock += 1
        guard width <= 64 else { throw ParquetDamage("deltas have \(width) bits") }
        miniblockLeft = miniblockValues
        packed = try bytes.take(miniblockValues / 8 * width).start
        packedBit = 0
    }
}
