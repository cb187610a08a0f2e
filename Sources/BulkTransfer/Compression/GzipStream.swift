import CZlib
import Glibc
import SQLTypes

/// gzip, also several members one after the other.
final class GzipStream: ByteStream {
    private let input: CompressedInput
    /// zlib keeps the address, so the state has its own memory.
    private let state = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var insideMember = false
    private var members = 0
    var consumedBytes: Int64 { input.consumedBytes }

    init(_ input: any LoadInput, name: String) throws {
        self.input = CompressedInput(input, name: name)
        state.initialize(to: z_stream())
        // 15 bits of window, 16 to expect the gzip header.
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(state, 31, ZLIB_VERSION, size) == Z_OK else {
            throw SQLError(.outOfMemory, "out of memory", detail: "zlib could not be started.")
        }
    }
    deinit {
        inflateEnd(state)
        state.deallocate()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let limit = min(buffer.count, 1 << 30)
        guard limit > 0, let target = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
        state.pointee.next_out = target
        state.pointee.avail_out = UInt32(limit)
        while state.pointee.avail_out > 0 {
            guard try input.refill() else {
                if insideMember || members == 0 { throw input.error("gzip", "unexpected end of file") }
                break
            }
            if !insideMember && members > 0 && isPadding() { continue }
            try step()
        }
        return limit - Int(state.pointee.avail_out)
    }

    private func step() throws {
        let rest = input.rest
        insideMember = true
        state.pointee.next_in = rest.baseAddress?.assumingMemoryBound(to: UInt8.self)
        state.pointee.avail_in = UInt32(rest.count)
        let result = inflate(state, Z_NO_FLUSH)
        input.taken += rest.count - Int(state.pointee.avail_in)
        switch result {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END:
            members += 1
            insideMember = false
            inflateReset(state)
        case Z_MEM_ERROR: throw SQLError(.outOfMemory, "out of memory", detail: "zlib needs more memory.")
        default:
            let text = state.pointee.msg.map { String(cString: $0) } ?? "invalid data"
            throw input.error("gzip", text)
        }
    }

    /// Zero bytes after the last member are padding of tapes and block devices.
    private func isPadding() -> Bool {
        let rest = input.rest
        guard rest.first == 0 else { return false }
        input.taken += rest.prefix { $0 == 0 }.count
        return true
    }
}
