import Platform
import SQLTypes

/// The head of a log segment. Segments are files `log/{number}.log`; the records of one follow those of the one before.
struct LogSegment {
    static let magic: [UInt8] = Array("RBWALOG\n".utf8)
    static let formatVersion: UInt32 = 1
    /// Magic, version, reserved, number, first record's commit, reserved, checksum.
    static let headLength = 40

    var number: UInt64
    /// The commit that the first record holds.
    var first: UInt64

    func encoded() -> [UInt8] {
        var writer = BinaryWriter()
        writer.put(raw: LogSegment.magic)
        writer.put(LogSegment.formatVersion)
        writer.put(UInt32(0))
        writer.put(number)
        writer.put(first)
        writer.put(UInt32(0))
        writer.putChecksum()
        return writer.bytes
    }

    init(number: UInt64, first: UInt64) {
        self.number = number
        self.first = first
    }

    /// nil when the bytes do not start like a segment.
    init?(_ bytes: [UInt8], file: String) throws {
        let length = LogSegment.headLength
        guard bytes.count >= length, Array(bytes[..<8]) == LogSegment.magic else { return nil }
        var reader = BinaryReader(bytes, from: 8, to: length, file: file)
        let format = try reader.get(UInt32.self)
        _ = try reader.get(UInt32.self)
        number = try reader.get()
        first = try reader.get()
        _ = try reader.get(UInt32.self)
        guard try reader.get(UInt32.self) == CRC32C.checksum(Array(bytes[..<(length - 4)])) else { return nil }
        guard format == LogSegment.formatVersion else {
            throw SQLError(
                .featureNotSupported,
                "log file \"\(file)\" has format version \(format), this program reads version "
                    + "\(LogSegment.formatVersion)",
                hint: "Open the warehouse with the version of the program that wrote it, or a newer one.")
        }
    }

    static func name(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(12 - digits.count, 0)) + digits + ".log"
    }

    /// nil for other files.
    static func number(ofName name: String) -> UInt64? {
        guard name.hasSuffix(".log") else { return nil }
        return UInt64(name.dropLast(4))
    }
}

/// The head of a log record: one commit. Records start at multiples of 8.
struct LogRecord {
    static let headLength = 32
    private static let marker: UInt32 = 0x5243_4252

    var commit: UInt64
    /// A commit that was on disk for sure when this was written: it and all before it were acknowledged.
    var durable: UInt64
    var payloadLength: Int
    var payloadChecksum: UInt32

    static func padded(_ length: Int) -> Int { (length + 7) & ~7 }
    /// Bytes of the record in the file.
    var totalLength: Int { LogRecord.headLength + LogRecord.padded(payloadLength) }

    static func append(_ payload: [UInt8], commit: UInt64, durable: UInt64, to bytes: inout [UInt8]) {
        var writer = BinaryWriter(capacity: headLength)
        writer.put(marker)
        writer.put(UInt32(truncatingIfNeeded: payload.count))
        writer.put(commit)
        writer.put(durable)
        writer.put(CRC32C.checksum(payload))
        writer.putChecksum()
        bytes += writer.bytes
        bytes += payload
        for _ in payload.count..<padded(payload.count) { bytes.append(0) }
    }

    /// The head at an offset, if there is one whose own checksum is right.
    init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard offset >= 0, bytes.count - offset >= LogRecord.headLength,
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) == LogRecord.marker
        else { return nil }
        let head = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + LogRecord.headLength - 4])
        let stored = bytes.loadUnaligned(fromByteOffset: offset + LogRecord.headLength - 4, as: UInt32.self)
        guard CRC32C.checksum(head) == UInt32(littleEndian: stored) else { return nil }
        payloadLength = Int(UInt32(littleEndian: head.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
        commit = UInt64(littleEndian: head.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        durable = UInt64(littleEndian: head.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        payloadChecksum = UInt32(littleEndian: head.loadUnaligned(fromByteOffset: 24, as: UInt32.self))
    }

    /// The record's payload; nil when it is cut or damaged.
    func payload(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UnsafeRawBufferPointer? {
        let start = offset + LogRecord.headLength
        guard payloadLength <= bytes.count - start else { return nil }
        let payload = UnsafeRawBufferPointer(rebasing: bytes[start..<start + payloadLength])
        return CRC32C.checksum(payload) == payloadChecksum ? payload : nil
    }
}
