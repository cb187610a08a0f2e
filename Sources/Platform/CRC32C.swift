import CIntrinsics

/// The Castagnoli checksum that guards blocks, footers and log records.
public enum CRC32C {
    /// The checksum of the bytes; pass an earlier result as `seed` to continue over several pieces.
    public static func checksum(_ bytes: UnsafeRawBufferPointer, seed: UInt32 = 0) -> UInt32 {
        guard let base = bytes.baseAddress else { return seed }
        var state = UInt64(~seed)
        var offset = 0
        let words = bytes.count & ~7
        while offset < words {
            state = rb_crc32c_u64(state, base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset &+= 8
        }
        var tail = UInt32(truncatingIfNeeded: state)
        while offset < bytes.count {
            tail = rb_crc32c_u8(tail, base.load(fromByteOffset: offset, as: UInt8.self))
            offset &+= 1
        }
        return ~tail
    }

    public static func checksum(_ bytes: [UInt8], seed: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { checksum($0, seed: seed) }
    }
}
