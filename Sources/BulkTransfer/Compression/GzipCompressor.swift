import CZlib
import SQLTypes

final class GzipCompressor: ByteCompressor {
    static let heldBytes = 128 << 10
    /// Twice as fast as the default for a tenth more bytes.
    private static let level: Int32 = 4
    private static let room = 64 << 10
    /// zlib keeps the address, so the state has its own memory.
    private let state = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    init() throws {
        state.initialize(to: z_stream())
        // 15 bits of window, 16 for a gzip header.
        let size = Int32(MemoryLayout<z_stream>.size)
        guard
            deflateInit2_(state, GzipCompressor.level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
                == Z_OK
        else { throw SQLError(.outOfMemory, "out of memory", detail: "zlib could not be started.") }
    }
    deinit {
        deflateEnd(state)
        state.deallocate()
    }

    func compress(_ bytes: UnsafeRawBufferPointer, into output: TextBuffer) throws {
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + (1 << 30))
            try run(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), Z_NO_FLUSH, output)
            start = end
        }
    }

    func finish(into output: TextBuffer) throws {
        try run(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH, output)
    }

    private func run(_ bytes: UnsafeRawBufferPointer, _ flush: Int32, _ output: TextBuffer) throws {
        let input = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        state.pointee.next_in = UnsafeMutablePointer(mutating: input)
        state.pointee.avail_in = UInt32(truncatingIfNeeded: bytes.count)
        while true {
            state.pointee.next_out = output.room(GzipCompressor.room)
            state.pointee.avail_out = UInt32(GzipCompressor.room)
            let result = deflate(state, flush)
            let left = Int(state.pointee.avail_out)
            output.advance(GzipCompressor.room - left)
            switch result {
            case Z_STREAM_END: return
            case Z_OK, Z_BUF_ERROR:
                if flush == Z_NO_FLUSH && state.pointee.avail_in == 0 && left > 0 { return }
            default: throw SQLError(.internalError, "could not compress: zlib answers \(result)")
            }
        }
    }
}
