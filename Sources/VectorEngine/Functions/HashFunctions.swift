import ColumnVectors
import QueryPlan
import SQLTypes

/// Digests and checksums of strings, and FNV_HASH of any value.
enum HashFunctions {
    private static func digest(_ kind: MessageDigest.Kind) -> FunctionKernel {
        FunctionKernel { _ in
            { frame in
                let digest = MessageDigest(kind)
                let result = TextResult(frame)
                try frame.forEachRow { row in
                    digest.append(of: frame.string(0, row).bytes, to: result.buffer)
                    try result.put(row)
                }
            }
        }
    }
    static let md5 = digest(.md5)
    static let sha1 = digest(.sha1)
    static let sha256 = digest(.sha256)

    private static let crcTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { crc, _ in crc & 1 != 0 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
    }
    static let crc32 = FunctionKernel.text { frame, row, buffer in
        var crc: UInt32 = ~0
        for byte in frame.string(0, row).bytes { crc = crcTable[Int((crc ^ UInt32(byte)) & 0xFF)] ^ (crc >> 8) }
        Hexadecimal.append(UInt64(~crc), digits: 8, to: buffer)
    }

    /// [value, seed?]: 64-bit FNV-1a. NULL leaves the seed as it is.
    static let fnvHash = FunctionKernel(nulls: .custom) { site in
        let type = site.arguments[0]
        let start: UInt64 = 0xCBF2_9CE4_8422_2325
        return { frame in
            let output = frame.output(UInt64.self)
            let seeds = frame.arguments.count > 1 ? frame.arguments[1].values(UInt64.self) : nil
            let integers = WideInput(frame, 0, type)
            let doubles = frame.arguments[0].values(UInt64.self)
            frame.forEachRow { row in
                var hash = start
                if let seeds, !frame.isNull(1, row) { hash = seeds[row] }
                if !frame.isNull(0, row) {
                    switch type.physical {
                    case .string: hash = fnv(hash, frame.string(0, row).bytes)
                    case .float64: hash = fnv(hash, UInt128(doubles[row]), 8)
                    default: hash = fnv(hash, UInt128(bitPattern: integers[row]), byteWidth(type))
                    }
                }
                output[row] = hash
            }
        }
    }

    private static func byteWidth(_ type: SQLType) -> Int {
        switch type {
        case .boolean: 1
        case .smallint: 2
        case .integer, .date: 4
        case .decimal(let precision, _): precision <= 19 ? 8 : 16
        case .interval: 16
        default: 8
        }
    }

    private static func fnv(_ seed: UInt64, _ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash = seed
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }
    private static func fnv(_ seed: UInt64, _ value: UInt128, _ width: Int) -> UInt64 {
        var hash = seed
        for index in 0..<width {
            hash = (hash ^ UInt64(truncatingIfNeeded: value >> UInt128(8 * index)) & 0xFF) &* 0x100_0000_01B3
        }
        return hash
    }
}
