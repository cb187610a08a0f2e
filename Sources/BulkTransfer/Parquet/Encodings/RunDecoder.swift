/// Runs of one value and groups of bit-packed ones in turn: Parquet's RLE encoding of levels, dictionary indexes and
/// truth values. Also reads the older BIT_PACKED form of levels.
struct RunDecoder {
    private var bytes: ParquetBytes
    private let width: Int
    /// Of the run that is being read.
    private var left = 0
    private var isPacked = false
    private var value: UInt32 = 0
    private var packed: UnsafeRawPointer
    private var packedBit = 0

    init(_ bytes: ParquetBytes, width: Int) throws {
        guard (0...32).contains(width) else { throw ParquetDamage("values have \(width) bits") }
        self.bytes = bytes
        self.width = width
        packed = bytes.start
    }

    /// The next values; with fewer of them the bytes are damaged.
    @inline(__always)
    mutating func decode<Value: FixedWidthInteger & UnsignedInteger>(
        _ count: Int, _ out: UnsafeMutablePointer<Value>
    ) throws {
        var done = 0
        while done < count {
            if left == 0 { try nextRun() }
            let some = min(left, count - done)
            if isPacked {
                unpackBits(packed, firstBit: packedBit, width: width, some, out + done)
                packedBit += some * width
            } else {
                (out + done).update(repeating: Value(truncatingIfNeeded: value), count: some)
            }
            left -= some
            done += some
        }
    }

    private mutating func nextRun() throws {
        while left == 0 {
            let head = try bytes.varint()
            guard head >> 1 <= UInt64(Int32.max) else { throw ParquetDamage("a run has \(head >> 1) values") }
            let count = Int(head >> 1)
            isPacked = head & 1 == 1
            if isPacked {
                // Writers may leave out the end of the last group's bytes.
                let available = bytes.count
                guard available > 0 || width == 0 || count == 0 else { throw ParquetDamage.truncated }
                let size = min(count * width, available)
                left = width == 0 ? count * 8 : min(count * 8, size * 8 / width)
                packed = try bytes.take(size).start
                packedBit = 0
            } else {
                left = count
                value = 0
                for index in 0..<(width + 7) / 8 { value |= UInt32(try bytes.byte()) << UInt32(8 * index) }
                if width < 32 && value >> UInt32(width) != 0 { throw ParquetDamage("a run's value is too large") }
            }
        }
    }
}
