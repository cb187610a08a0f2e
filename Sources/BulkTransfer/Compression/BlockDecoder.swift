import CBzip2
import CSnappy
import CZlib
import CZstd
import Glibc
import SQLTypes

/// Codecs of the blocks within files that have a structure of their own (Avro, ORC). Output grows with what comes out,
/// never with what a header says.
enum BlockDecoder: Sendable, Hashable {
    case none
    /// Deflate without header and checksum.
    case deflate
    case snappy
    case zstd
    case bzip2
    case lz4

    /// Blocks may not become larger than this.
    static let largestBlock = 256 << 20

    /// The block's content in place of what the array has; nil when the block is damaged or too large.
    func decode(_ input: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) -> Bool {
        output.removeAll(keepingCapacity: true)
        switch self {
        case .none: output.append(contentsOf: input)
        case .deflate: return inflate(input, &output)
        case .snappy: return unsnap(input, &output)
        case .zstd: return unzstd(input, &output)
        case .bzip2: return unbzip(input, &output)
        case .lz4: return unpackLZ4(UnsafeRawBufferPointer(input), &output)
        }
        return true
    }

    private func unpackLZ4(_ input: UnsafeRawBufferPointer, _ output: inout [UInt8]) -> Bool {
        guard let size = LZ4Block.size(input, limit: BlockDecoder.largestBlock) else { return false }
        if size == 0 { return true }
        output = [UInt8](repeating: 0, count: size)
        return output.withUnsafeMutableBytes { LZ4Block.decompress(input, into: $0) }
    }

    /// Calls `step` with room for more output until it says that the end has come. `step` returns bytes written, and
    /// whether it is done; nil for damage.
    private func grow(
        _ output: inout [UInt8], first: Int, _ step: (UnsafeMutableBufferPointer<UInt8>) -> (Int, Bool)?
    ) -> Bool {
        var room = max(first, 4096)
        while true {
            let start = output.count
            if start + room > BlockDecoder.largestBlock { room = BlockDecoder.largestBlock - start }
            if room <= 0 { return false }
            output.append(contentsOf: repeatElement(0, count: room))
            let result = output.withUnsafeMutableBufferPointer {
                step(UnsafeMutableBufferPointer(rebasing: $0[start...]))
            }
            guard let (count, isDone) = result else { return false }
            output.removeLast(room - count)
            if isDone { return true }
            // No progress with room left: the input ended too early.
            if count == 0 { return false }
            room = max(output.count, 4096)
        }
    }

    private func inflate(_ input: UnsafeBufferPointer<UInt8>, _ output: inout [UInt8]) -> Bool {
        let state = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        state.initialize(to: z_stream())
        defer { state.deallocate() }
        guard inflateInit2_(state, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return false }
        defer { inflateEnd(state) }
        state.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        state.pointee.avail_in = UInt32(truncatingIfNeeded: input.count)
        return grow(&output, first: input.count * 4) { room in
            state.pointee.next_out = room.baseAddress
            state.pointee.avail_out = UInt32(truncatingIfNeeded: room.count)
            let result = CZlib.inflate(state, Z_NO_FLUSH)
            let count = room.count - Int(state.pointee.avail_out)
            guard result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR else { return nil }
            return (count, result == Z_STREAM_END)
        }
    }

    private func unsnap(_ input: UnsafeBufferPointer<UInt8>, _ output: inout [UInt8]) -> Bool {
        var count = 0
        let length = input.count
        return input.withMemoryRebound(to: CChar.self) { packed in
            guard let source = packed.baseAddress, snappy_uncompressed_length(source, length, &count) == SNAPPY_OK,
                // No element of three bytes stands for more than 64.
                count <= BlockDecoder.largestBlock, count <= length * 64
            else { return false }
            output.append(contentsOf: repeatElement(0, count: count))
            return output.withUnsafeMutableBufferPointer { buffer in
                buffer.withMemoryRebound(to: CChar.self) { target in
                    guard let base = target.baseAddress else { return count == 0 }
                    return snappy_uncompress(source, length, base, &count) == SNAPPY_OK
                }
            }
        }
    }

    private func unzstd(_ input: UnsafeBufferPointer<UInt8>, _ output: inout [UInt8]) -> Bool {
        guard let state = ZSTD_createDStream() else { return false }
        defer { ZSTD_freeDStream(state) }
        var source = ZSTD_inBuffer(src: UnsafeRawPointer(input.baseAddress), size: input.count, pos: 0)
        return grow(&output, first: input.count * 4) { room in
            var target = ZSTD_outBuffer(dst: UnsafeMutableRawPointer(room.baseAddress), size: room.count, pos: 0)
            while target.pos < target.size {
                let before = (source.pos, target.pos)
                let result = ZSTD_decompressStream(state, &target, &source)
                if ZSTD_isError(result) != 0 { return nil }
                if result == 0 && source.pos == source.size { return (target.pos, true) }
                if before == (source.pos, target.pos) { break }
            }
            return (target.pos, false)
        }
    }

    private func unbzip(_ input: UnsafeBufferPointer<UInt8>, _ output: inout [UInt8]) -> Bool {
        let state = UnsafeMutablePointer<bz_stream>.allocate(capacity: 1)
        state.initialize(to: bz_stream())
        defer { state.deallocate() }
        guard BZ2_bzDecompressInit(state, 0, 0) == BZ_OK else { return false }
        defer { BZ2_bzDecompressEnd(state) }
        return input.withMemoryRebound(to: CChar.self) { packed in
            state.pointee.next_in = UnsafeMutablePointer(mutating: packed.baseAddress)
            state.pointee.avail_in = UInt32(truncatingIfNeeded: packed.count)
            return grow(&output, first: packed.count * 4) { room in
                room.withMemoryRebound(to: CChar.self) { target in
                    state.pointee.next_out = target.baseAddress
                    state.pointee.avail_out = UInt32(truncatingIfNeeded: target.count)
                    let result = BZ2_bzDecompress(state)
                    let count = target.count - Int(state.pointee.avail_out)
                    guard result == BZ_OK || result == BZ_STREAM_END else { return nil }
                    return (count, result == BZ_STREAM_END)
                }
            }
        }
    }
}
