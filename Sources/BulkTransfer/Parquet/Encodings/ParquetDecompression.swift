import CSnappy
import CZlib
import CZstd
import Glibc
import SQLTypes

extension ParquetCodec {
    /// No compression makes more out of a byte: what a page claims beyond is not allocated.
    private var largestRatio: Int {
        switch self {
        case .uncompressed: 1
        case .snappy: 64
        case .lz4, .lz4Raw: 256
        case .gzip: 1040
        case .lzo, .brotli, .zstd: 1 << 20
        }
    }

    func checkSize(_ uncompressed: Int, from compressed: Int) throws {
        guard uncompressed <= ParquetLimits.pageBytes else {
            throw ParquetDamage("a page has \(uncompressed) bytes, the limit is \(ParquetLimits.pageBytes)")
        }
        guard uncompressed / largestRatio <= compressed else {
            throw ParquetDamage("a page claims \(uncompressed) bytes in \(compressed)")
        }
    }

    /// Files with other compressions cannot be read.
    func checkSupported(_ file: String) throws {
        if self == .lzo || self == .brotli {
            throw SQLError(
                .featureNotSupported, "Parquet files with \("\(self)".uppercased()) compression are not supported",
                detail: "File: \(file)", hint: "UNCOMPRESSED, SNAPPY, GZIP, ZSTD and LZ4 can be read.")
        }
    }

    /// Fills the target exactly.
    func decompress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) throws {
        let isWhole =
            switch self {
            case .uncompressed: copy(source, target)
            case .snappy: snappy(source, target)
            case .gzip: try gzip(source, target)
            case .zstd: zstd(source, target)
            case .lz4Raw: LZ4Block.decompress(source, into: target)
            case .lz4: hadoopLZ4(source, target) || LZ4Block.decompress(source, into: target)
            case .lzo, .brotli: false
            }
        if !isWhole { throw ParquetDamage("a page could not be decompressed") }
    }

    private func copy(_ source: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer) -> Bool {
        guard source.count == target.count else { return false }
        target.copyMemory(from: source)
        return true
    }

    private func snappy(_ source: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer) -> Bool {
        guard let from = source.baseAddress?.assumingMemoryBound(to: CChar.self),
            let to = target.baseAddress?.assumingMemoryBound(to: CChar.self)
        else { return false }
        var length = 0
        guard snappy_uncompressed_length(from, source.count, &length) == SNAPPY_OK, length == target.count else {
            return false
        }
        return snappy_uncompress(from, source.count, to, &length) == SNAPPY_OK && length == target.count
    }

    private func zstd(_ source: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer) -> Bool {
        let result = ZSTD_decompress(target.baseAddress, target.count, source.baseAddress, source.count)
        return ZSTD_isError(result) == 0 && result == target.count
    }

    private func gzip(_ source: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer) throws -> Bool {
        guard let from = source.baseAddress?.assumingMemoryBound(to: UInt8.self),
            let to = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { return target.isEmpty && source.isEmpty }
        // zlib keeps the address, so the state has its own memory.
        let state = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        defer { state.deallocate() }
        state.initialize(to: z_stream())
        // 15 bits of window, 32 to accept gzip and zlib headers.
        guard inflateInit2_(state, 47, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw SQLError(.outOfMemory, "out of memory", detail: "zlib could not be started.")
        }
        defer { inflateEnd(state) }
        state.pointee.next_in = UnsafeMutablePointer(mutating: from)
        state.pointee.avail_in = UInt32(clamping: source.count)
        state.pointee.next_out = to
        state.pointee.avail_out = UInt32(clamping: target.count)
        var result = inflate(state, Z_FINISH)
        // Several members one after the other.
        while result == Z_STREAM_END && state.pointee.avail_out > 0 && state.pointee.avail_in > 0 {
            inflateReset(state)
            result = inflate(state, Z_FINISH)
        }
        return result == Z_STREAM_END && state.pointee.avail_out == 0
    }

    /// Blocks with their sizes, as Hadoop's codec and older writers frame them.
    private func hadoopLZ4(_ source: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer) -> Bool {
        var input = 0
        var output = 0
        while source.count - input >= 8 {
            let plain = Int(UInt32(bigEndian: source.loadUnaligned(fromByteOffset: input, as: UInt32.self)))
            let packed = Int(UInt32(bigEndian: source.loadUnaligned(fromByteOffset: input + 4, as: UInt32.self)))
            input += 8
            guard packed <= source.count - input, plain <= target.count - output else { return false }
            let from = UnsafeRawBufferPointer(rebasing: source[input..<input + packed])
            let to = UnsafeMutableRawBufferPointer(rebasing: target[output..<output + plain])
            guard LZ4Block.decompress(from, into: to) else { return false }
            input += packed
            output += plain
        }
        return input == source.count && output == target.count
    }
}
