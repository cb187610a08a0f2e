import Glibc

/// The LZ4 block format. Small enough to be no reason for a library.
enum LZ4Block {
    /// Fills the target exactly; false when the bytes are damaged. Reads and writes nothing outside of both.
    static func decompress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Bool {
        guard let from = source.baseAddress?.assumingMemoryBound(to: UInt8.self),
            let to = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { return source.isEmpty && target.isEmpty }
        var input = 0
        var output = 0
        while input < source.count {
            let token = Int(from[input])
            input += 1
            guard let literals = length(token >> 4, from, source.count, &input),
                literals <= source.count - input, literals <= target.count - output
            else { return false }
            memcpy(to + output, from + input, literals)
            input += literals
            output += literals
            // The last sequence has literals only.
            if input == source.count { return output == target.count }
            guard input + 2 <= source.count else { return false }
            let offset = Int(from[input]) | Int(from[input + 1]) << 8
            input += 2
            guard offset > 0, offset <= output, let more = length(token & 15, from, source.count, &input) else {
                return false
            }
            let match = more + 4
            guard match <= target.count - output else { return false }
            copyMatch(to + output, offset, match)
            output += match
        }
        return false
    }

    /// How many bytes come out, for blocks that do not tell; nil when they are more than the limit, or damaged.
    /// Says nothing of the places that matches point to.
    static func size(_ source: UnsafeRawBufferPointer, limit: Int) -> Int? {
        guard let from = source.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
        var input = 0
        var output = 0
        while input < source.count {
            let token = Int(from[input])
            input += 1
            guard let literals = length(token >> 4, from, source.count, &input),
                literals <= source.count - input, literals <= limit - output
            else { return nil }
            input += literals
            output += literals
            if input == source.count { return output }
            input += 2
            guard input <= source.count, let more = length(token & 15, from, source.count, &input),
                more + 4 <= limit - output
            else { return nil }
            output += more + 4
        }
        return nil
    }

    private static func length(
        _ nibble: Int, _ from: UnsafePointer<UInt8>, _ count: Int, _ input: inout Int
    ) -> Int? {
        if nibble < 15 { return nibble }
        var length = 15
        while input < count {
            let more = Int(from[input])
            input += 1
            length += more
            if more < 255 { return length }
        }
        return nil
    }

    /// Matches may overlap what they produce.
    private static func copyMatch(_ target: UnsafeMutablePointer<UInt8>, _ offset: Int, _ count: Int) {
        if offset >= count {
            memcpy(target, target - offset, count)
        } else if offset == 1 {
            memset(target, Int32(target[-1]), count)
        } else {
            for index in 0..<count { target[index] = target[index - offset] }
        }
    }
}
