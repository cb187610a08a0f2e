import CBzip2

/// One bzip2 stream, as the library writes it.
func bzip2(_ bytes: [UInt8], level: Int32 = 1) -> [UInt8] {
    var output = [CChar](repeating: 0, count: bytes.count + bytes.count / 50 + 1000)
    var count = UInt32(output.count)
    var input = bytes.map { CChar(bitPattern: $0) }
    let result = BZ2_bzBuffToBuffCompress(&output, &count, &input, UInt32(input.count), level, 0, 0)
    return result == BZ_OK ? output.prefix(Int(count)).map { UInt8(bitPattern: $0) } : []
}
