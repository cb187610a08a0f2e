import CBzip2
import Glibc
import SQLTypes

/// bzip2, also several streams one after the other, as pbzip2 and tools that append write them.
final class Bzip2Stream: ByteStream {
    private let input: CompressedInput
    /// The library keeps the address, so the state has its own memory.
    private let state = UnsafeMutablePointer<bz_stream>.allocate(capacity: 1)
    private var isOpen = false
    private var streams = 0
    var consumedBytes: Int64 { input.consumedBytes }

    init(_ input: any LoadInput, name: String) throws {
        self.input = CompressedInput(input, name: name)
        state.initialize(to: bz_stream())
    }
    deinit {
        if isOpen { BZ2_bzDecompressEnd(state) }
        state.deallocate()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let limit = min(buffer.count, 1 << 30)
        guard limit > 0, let target = buffer.baseAddress?.assumingMemoryBound(to: CChar.self) else { return 0 }
        var written = 0
        while written < limit {
            let more = try input.refill()
            if !isOpen {
                if !more {
                    if streams == 0 { throw input.error("bzip2", "unexpected end of file") }
                    break
                }
                try begin()
            }
            let count = try step(target + written, limit - written)
            // Without input the decoder can only give out what it holds.
            if !more && isOpen && count == 0 { throw input.error("bzip2", "unexpected end of file") }
            written += count
        }
        return written
    }

    private func begin() throws {
        state.pointee = bz_stream()
        guard BZ2_bzDecompressInit(state, 0, 0) == BZ_OK else {
            throw SQLError(.outOfMemory, "out of memory", detail: "bzip2 could not be started.")
        }
        isOpen = true
    }

    private func step(_ target: UnsafeMutablePointer<CChar>, _ room: Int) throws -> Int {
        let rest = input.rest
        state.pointee.next_in = rest.baseAddress?.assumingMemoryBound(to: CChar.self)
        state.pointee.avail_in = UInt32(truncatingIfNeeded: rest.count)
        state.pointee.next_out = target
        state.pointee.avail_out = UInt32(truncatingIfNeeded: room)
        let result = BZ2_bzDecompress(state)
        input.taken += rest.count - Int(state.pointee.avail_in)
        let count = room - Int(state.pointee.avail_out)
        switch result {
        case BZ_OK: break
        case BZ_STREAM_END:
            BZ2_bzDecompressEnd(state)
            isOpen = false
            streams += 1
        case BZ_MEM_ERROR: throw SQLError(.outOfMemory, "out of memory", detail: "bzip2 needs more memory.")
        case BZ_DATA_ERROR_MAGIC: throw input.error("bzip2", "no bzip2 stream begins here")
        default: throw input.error("bzip2", "invalid data")
        }
        return count
    }
}
