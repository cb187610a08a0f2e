import CZlib

/// One gzip member, as zlib writes it.
/// - Parameter window: bits of it, 9 to 15.
func gzip(
    _ bytes: [UInt8], level: Int32 = 6, strategy: Int32 = Z_DEFAULT_STRATEGY, window: Int32 = 15
) -> [UInt8] {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    guard deflateInit2_(&stream, level, Z_DEFLATED, 16 + window, 8, strategy, ZLIB_VERSION, size) == Z_OK else {
        return []
    }
    var input = bytes
    var output = [UInt8](repeating: 0, count: bytes.count * 2 + 1000)
    let capacity = output.count
    input.withUnsafeMutableBufferPointer { source in
        output.withUnsafeMutableBufferPointer { target in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            stream.next_out = target.baseAddress
            stream.avail_out = UInt32(capacity)
            deflate(&stream, Z_FINISH)
        }
    }
    deflateEnd(&stream)
    return Array(output.prefix(capacity - Int(stream.avail_out)))
}
