import CZstd
import Glibc
import SQLTypes

/// Zstandard, also several frames one after the other.
final class ZstdStream: ByteStream {
    private let input: CompressedInput
    private let state: OpaquePointer
    private var insideFrame = false
    private var frames = 0
    var consumedBytes: Int64 { input.consumedBytes }

    init(_ input: any LoadInput, name: String) throws {
        self.input = CompressedInput(input, name: name)
        guard let state = ZSTD_createDStream() else {
            throw SQLError(.outOfMemory, "out of memory", detail: "zstd could not be started.")
        }
        self.state = state
    }
    deinit { ZSTD_freeDStream(state) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        var output = ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
        while output.pos < output.size {
            // The decoder may hold more output than the last buffer had room for.
            let more = try input.refill()
            let rest = input.rest
            var source = ZSTD_inBuffer(src: UnsafeRawPointer(rest.baseAddress), size: rest.count, pos: 0)
            let before = output.pos
            if !more && !insideFrame {
                if frames == 0 { throw input.error("zstd", "unexpected end of file") }
                break
            }
            let result = ZSTD_decompressStream(state, &output, &source)
            input.taken += source.pos
            if ZSTD_isError(result) != 0 {
                throw input.error("zstd", String(cString: ZSTD_getErrorName(result)))
            }
            insideFrame = result != 0
            if result == 0 { frames += 1 }
            if !more && insideFrame && output.pos == before { throw input.error("zstd", "unexpected end of file") }
        }
        return output.pos
    }
}
