import CZstd
import SQLTypes

final class ZstdCompressor: ByteCompressor {
    static let heldBytes = 512 << 10
    private static let room = 128 << 10
    private let state: OpaquePointer

    init() throws {
        guard let state = ZSTD_createCStream() else {
            throw SQLError(.outOfMemory, "out of memory", detail: "zstd could not be started.")
        }
        self.state = state
        ZSTD_CCtx_setParameter(state, ZSTD_c_compressionLevel, 3)
        ZSTD_CCtx_setParameter(state, ZSTD_c_checksumFlag, 1)
    }
    deinit { ZSTD_freeCStream(state) }

    func compress(_ bytes: UnsafeRawBufferPointer, into output: TextBuffer) throws {
        var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
        while input.pos < input.size { _ = try run(&input, ZSTD_e_continue, output) }
    }

    func finish(into output: TextBuffer) throws {
        var input = ZSTD_inBuffer(src: nil, size: 0, pos: 0)
        while try run(&input, ZSTD_e_end, output) > 0 {}
    }

    /// - Returns: about how many bytes still wait to come out.
    private func run(
        _ input: inout ZSTD_inBuffer, _ directive: ZSTD_EndDirective, _ output: TextBuffer
    ) throws -> Int {
        var target = ZSTD_outBuffer(dst: output.room(ZstdCompressor.room), size: ZstdCompressor.room, pos: 0)
        let result = ZSTD_compressStream2(state, &target, &input, directive)
        if ZSTD_isError(result) != 0 {
            throw SQLError(
                .internalError, "could not compress: zstd answers \(String(cString: ZSTD_getErrorName(result)))")
        }
        output.advance(target.pos)
        return result
    }
}
