/// BYTE_STREAM_SPLIT: first the lowest bytes of all values, then the second ones, and so on. Puts together the bytes of
/// `count` values from `first` on, out of `total`.
func joinByteStreams(
    _ source: UnsafeRawPointer, width: Int, total: Int, first: Int, _ count: Int, _ out: UnsafeMutableRawPointer
) {
    let bytes = source.assumingMemoryBound(to: UInt8.self) + first
    switch width {
    case 4:
        let words = out.assumingMemoryBound(to: UInt32.self)
        for index in 0..<count {
            words[index] =
                UInt32(bytes[index]) | UInt32(bytes[total &+ index]) &<< 8
                | UInt32(bytes[2 &* total &+ index]) &<< 16 | UInt32(bytes[3 &* total &+ index]) &<< 24
        }
    case 8:
        let words = out.assumingMemoryBound(to: UInt64.self)
        words.update(repeating: 0, count: count)
        for stream in 0..<8 {
            let from = bytes + stream &* total
            let shift = UInt64(truncatingIfNeeded: 8 &* stream)
            for index in 0..<count { words[index] |= UInt64(from[index]) &<< shift }
        }
    default:
        let target = out.assumingMemoryBound(to: UInt8.self)
        for stream in 0..<width {
            let from = bytes + stream &* total
            for index in 0..<count { target[index &* width &+ stream] = from[index] }
        }
    }
}
