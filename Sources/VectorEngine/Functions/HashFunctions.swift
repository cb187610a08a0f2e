import ColumnVectors
import Platform
import QueryPlan
import SQLTypes

/// Digests and checksums of strings, and FNV_HASH of any value.
enum HashFunctions {
    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .md5: md5
        case .sha1: sha1
        case .sha256: sha256
        case .crc32: crc32
        case .fnvHash: fnvHash
        case .sha224: sha224
        case .sha384: wideDigest(.sha384)
        case .sha512: wideDigest(.sha512)
        case .farmFingerprint: farmFingerprint
        case .murmur3: murmur3
        case .checksum: checksum
        default: nil
        }
    }

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
    private static let sha224 = digest(.sha224)

    private static func wideDigest(_ digest: WideMessageDigest) -> FunctionKernel {
        .text { frame, row, buffer in digest.append(of: frame.string(0, row).bytes, to: buffer) }
    }

    private static let farmFingerprint = FunctionKernel.unary(StringView.self, Int64.self) {
        Int64(bitPattern: FarmFingerprint.hash($0.bytes))
    }

    /// [value, seed?], by the rules of Iceberg's bucket transform: integers, dates and times as 64-bit integers, the
    /// lowest byte first; decimals as their shortest bytes, the highest first.
    private static let murmur3 = FunctionKernel { site in
        let type = site.arguments[0]
        return { frame in
            let output = frame.output(Int32.self)
            let integers = WideInput(frame, 0, type)
            let doubles = frame.arguments[0].values(Double.self)
            let buffer = TextBuffer()
            frame.forEachRow { row in
                let seed = frame.arguments.count > 1 ? UInt32(truncatingIfNeeded: frame.int32(1, row)) : 0
                if type.physical == .string {
                    output[row] = Int32(bitPattern: Murmur3.hash(frame.string(0, row).bytes, seed: seed))
                    return
                }
                buffer.removeAll()
                if type.isDecimal {
                    appendShortest(integers[row], to: buffer)
                } else {
                    let word = type.isFloat ? doubles[row].bitPattern : UInt64(truncatingIfNeeded: integers[row])
                    for index in 0..<8 { buffer.append(UInt8(truncatingIfNeeded: word &>> UInt64(8 * index))) }
                }
                let bytes = UnsafeBufferPointer(start: UnsafePointer(buffer.base), count: buffer.count)
                output[row] = Int32(bitPattern: Murmur3.hash(bytes, seed: seed))
            }
        }
    }

    /// Two's complement, the highest byte first, in as few bytes as keep the sign.
    private static func appendShortest(_ value: Int128, to buffer: TextBuffer) {
        var width = 1
        while width < 16, value >> Int128(8 * width - 1) != value >> 127 { width += 1 }
        for index in stride(from: width - 1, through: 0, by: -1) {
            buffer.append(UInt8(truncatingIfNeeded: value >> Int128(8 * index)))
        }
    }

    /// Redshift does not tell how it computes CHECKSUM: the CRC-32 of the value's text.
    private static let checksum = FunctionKernel.unary(StringView.self, Int32.self) {
        Int32(bitPattern: crc(of: $0.bytes))
    }

    private static let crcTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { crc, _ in crc & 1 != 0 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
    }
    private static func crc(of bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        var crc: UInt32 = ~0
        for byte in bytes { crc = crcTable[Int((crc ^ UInt32(byte)) & 0xFF)] ^ (crc >> 8) }
        return ~crc
    }
    /// CRC32 is the Castagnoli checksum, as Redshift's documentation says.
    static let crc32 = FunctionKernel.text { frame, row, buffer in
        let checksum = CRC32C.checksum(UnsafeRawBufferPointer(frame.string(0, row).bytes))
        Hexadecimal.append(UInt64(checksum), digits: 8, to: buffer)
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
        case .integer, .date, .yearMonthInterval: 4
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
