/// MurmurHash3 for 32-bit machines.
enum Murmur3 {
    static func hash(_ bytes: UnsafeBufferPointer<UInt8>, seed: UInt32) -> UInt32 {
        var hash = seed
        let whole = bytes.count / 4 * 4
        for offset in stride(from: 0, to: whole, by: 4) {
            var block: UInt32 = 0
            for index in 0..<4 { block |= UInt32(bytes[offset + index]) &<< UInt32(8 * index) }
            hash ^= scrambled(block)
            hash = ((hash &<< 13) | (hash &>> 19)) &* 5 &+ 0xE654_6B64
        }
        var tail: UInt32 = 0
        for index in 0..<bytes.count - whole { tail |= UInt32(bytes[whole + index]) &<< UInt32(8 * index) }
        hash ^= scrambled(tail)
        hash ^= UInt32(truncatingIfNeeded: bytes.count)
        hash = (hash ^ (hash &>> 16)) &* 0x85EB_CA6B
        hash = (hash ^ (hash &>> 13)) &* 0xC2B2_AE35
        return hash ^ (hash &>> 16)
    }

    private static func scrambled(_ block: UInt32) -> UInt32 {
        let value = block &* 0xCC9E_2D51
        return ((value &<< 15) | (value &>> 17)) &* 0x1B87_3593
    }
}
