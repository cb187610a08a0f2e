import CSnappy
import CZstd
import Platform
import SQLTypes

/// The layer between disk and memory. Blocks are stored without it where it would not make them smaller.
enum OuterEncoding: UInt8, Sendable {
    case none = 0
    case zstd = 1
    case snappy = 2

    static let zstdLevel: Int32 = 1

    /// Most bytes that compressing so many can need.
    func bound(_ count: Int) -> Int {
        switch self {
        case .none: 0
        case .zstd: ZSTD_compressBound(count)
        case .snappy: snappy_max_compressed_length(count)
        }
    }

    /// Compresses into `target`; nil when the result is not smaller.
    func compress(
        _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, _ context: OuterContext
    ) -> Int? {
        guard let from = source.baseAddress, let to = target.baseAddress, source.count > 16 else { return nil }
        var length = 0
        switch self {
        case .none: return nil
        case .zstd:
            length = ZSTD_compressCCtx(
                context.compression, to, target.count, from, source.count, OuterEncoding.zstdLevel)
            if ZSTD_isError(length) != 0 { return nil }
        case .snappy:
            length = target.count
            let status = snappy_compress(
                from.assumingMemoryBound(to: CChar.self), source.count, to.assumingMemoryBound(to: CChar.self), &length)
            if status != SNAPPY_OK { return nil }
        }
        return length < source.count ? length : nil
    }

    /// Fills `target` exactly; false when the stored bytes say anything else.
    func decompress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Bool {
        guard let from = source.baseAddress, let to = target.baseAddress else { return false }
        switch self {
        case .none: return false
        case .zstd:
            return OuterContext.withDecompression { context in
                ZSTD_decompressDCtx(context, to, target.count, from, source.count) == target.count
            }
        case .snappy:
            let bytes = from.assumingMemoryBound(to: CChar.self)
            var length = 0
            guard snappy_uncompressed_length(bytes, source.count, &length) == SNAPPY_OK, length == target.count
            else { return false }
            return snappy_uncompress(bytes, source.count, to.assumingMemoryBound(to: CChar.self), &length) == SNAPPY_OK
        }
    }
}

/// Compression state of one worker, reused over blocks. Not thread-safe.
final class OuterContext {
    let compression: OpaquePointer?
    init() { compression = ZSTD_createCCtx() }
    deinit { ZSTD_freeCCtx(compression) }

    private struct Free: @unchecked Sendable {  // only reached through the mutex
        var contexts: [OpaquePointer] = []
    }
    private static let free = Lock(Free())

    /// Decompression contexts are kept: making one costs more than a small block.
    static func withDecompression(_ body: (OpaquePointer) -> Bool) -> Bool {
        guard let context = free.withLock({ $0.contexts.popLast() }) ?? ZSTD_createDCtx() else { return false }
        defer { free.withLock { $0.contexts.append(context) } }
        return body(context)
    }
}
