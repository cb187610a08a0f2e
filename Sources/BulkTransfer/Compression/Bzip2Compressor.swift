import CBzip2
import SQLTypes

final class Bzip2Compressor: ByteCompressor {
    /// A block of 900,000 bytes, whatever the input's pieces are, and as much of output.
    static let heldBytes = 1 << 20
    private static let blockSize: Int32 = 9
    private static let room = 64 << 10
    /// The library keeps the address, so the state has its own memory.
    private let state = UnsafeMutablePointer<bz_stream>.allocate(capacity: 1)

    init() throws {
        state.initialize(to: bz_stream())
        guard BZ2_bzCompressInit(state, Bzip2Compressor.blockSize, 0, 0) == BZ_OK else {
            throw SQLError(.outOfMemory, "out of memory", detail: "bzip2 could not be started.")
        }
    }
    deinit {
        BZ2_bzCompressEnd(state)
        state.deallocate()
    }

    func compress(_ bytes: UnsafeRawBufferPointer, into output: TextBuffer) throws {
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + (1 << 30))
            try run(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), BZ_RUN, output)
            start = end
        }
    }

    func finish(into output: TextBuffer) throws {
        try run(UnsafeRawBufferPointer(start: nil, count: 0), BZ_FINISH, output)
    }

    private func run(_ bytes: UnsafeRawBufferPointer, _ action: Int32, _ output: TextBuffer) throws {
        state.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        state.pointee.avail_in = UInt32(truncatingIfNeeded: bytes.count)
        while true {
            let target = output.room(Bzip2Compressor.room)
            let result = target.withMemoryRebound(to: CChar.self, capacity: Bzip2Compressor.room) { target in
                state.pointee.next_out = target
                state.pointee.avail_out = UInt32(Bzip2Compressor.room)
                return BZ2_bzCompress(state, action)
            }
            output.advance(Bzip2Compressor.room - Int(state.pointee.avail_out))
            switch result {
            case BZ_STREAM_END: return
            case BZ_RUN_OK: if state.pointee.avail_in == 0 { return }
            case BZ_FINISH_OK: continue
            default: throw SQLError(.internalError, "could not compress: bzip2 answers \(result)")
            }
        }
    }
}
