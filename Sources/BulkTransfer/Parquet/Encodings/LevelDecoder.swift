/// Definition or repetition levels of one page.
struct LevelDecoder {
    private enum Form {
        case runs(RunDecoder)
        /// The older form: the most significant bit first.
        case packed(ParquetBytes, bit: Int)
    }
    private var form: Form
    private let width: Int
    private let largest: UInt16

    static func width(of largest: Int) -> Int { Int.bitWidth - max(largest, 0).leadingZeroBitCount }

    init(runs bytes: ParquetBytes, largest: Int) throws {
        self.largest = UInt16(clamping: largest)
        width = LevelDecoder.width(of: largest)
        form = .runs(try RunDecoder(bytes, width: width))
    }

    private init(packed bytes: ParquetBytes, largest: Int) {
        self.largest = UInt16(clamping: largest)
        width = LevelDecoder.width(of: largest)
        form = .packed(bytes, bit: 0)
    }

    /// Takes the levels off the front of a page v1.
    init(from page: inout ParquetBytes, _ encoding: ParquetEncoding?, values: Int, largest: Int) throws {
        switch encoding {
        case .rle:
            let length = try page.length()
            try self.init(runs: try page.take(length), largest: largest)
        case .bitPacked:
            let bytes = (values * LevelDecoder.width(of: largest) + 7) / 8
            self.init(packed: try page.take(bytes), largest: largest)
        default: throw ParquetDamage("a page has levels in an unknown encoding")
        }
    }

    /// Levels of flat columns: 1 for a value, 0 for NULL.
    mutating func decodeValidity(_ count: Int, _ out: UnsafeMutablePointer<UInt8>) throws {
        switch form {
        case .runs(var runs):
            try runs.decode(count, out)
            form = .runs(runs)
        case .packed(let bytes, let bit):
            for index in 0..<count {
                out[index] = UInt8(truncatingIfNeeded: try LevelDecoder.level(bytes, bit + index, 1))
            }
            form = .packed(bytes, bit: bit + count)
        }
    }

    /// Any levels; none is larger than the schema allows.
    mutating func decode(_ count: Int, _ out: UnsafeMutablePointer<UInt16>) throws {
        switch form {
        case .runs(var runs):
            try runs.decode(count, out)
            form = .runs(runs)
        case .packed(let bytes, let bit):
            for index in 0..<count {
                out[index] = UInt16(truncatingIfNeeded: try LevelDecoder.level(bytes, bit + index * width, width))
            }
            form = .packed(bytes, bit: bit + count * width)
        }
        var most: UInt16 = 0
        for index in 0..<count { most = max(most, out[index]) }
        if most > largest { throw ParquetDamage("a level is \(most), the largest is \(largest)") }
    }

    private static func level(_ bytes: ParquetBytes, _ firstBit: Int, _ width: Int) throws -> Int {
        guard (firstBit + width + 7) / 8 <= bytes.count else { throw ParquetDamage.truncated }
        var value = 0
        for bit in firstBit..<firstBit + width {
            let byte = bytes.start.load(fromByteOffset: bit >> 3, as: UInt8.self)
            value = value << 1 | Int(byte >> UInt8(truncatingIfNeeded: 7 - bit & 7)) & 1
        }
        return value
    }
}
