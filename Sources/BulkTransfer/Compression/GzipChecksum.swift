import CIntrinsics
import CZlib

/// The CRC-32 of gzip. zlib's own code takes longer than inflating saves, so the bulk goes through carry-less
/// multiplication where the CPU has it.
enum GzipChecksum {
    private static let isFolding = rb_crc32_folds() != 0

    static func update(_ checksum: UInt32, _ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        guard let base = bytes.baseAddress else { return checksum }
        var result = checksum
        let bulk = isFolding && bytes.count >= 64 ? bytes.count & ~15 : 0
        if bulk > 0 { result = ~rb_crc32_fold(~result, base, bulk) }
        return UInt32(truncatingIfNeeded: crc32(UInt(result), base + bulk, UInt32(bytes.count - bulk)))
    }
}
