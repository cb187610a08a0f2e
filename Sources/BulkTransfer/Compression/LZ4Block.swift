import Glibc

/// The LZ4 block format. Small enough to be no reason for a library.
enum LZ4Block {
    /// Fills the target exactly; false when the bytes are damaged. Reads and writes nothing outside of both.
    static func decompress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Bool {
        guard let from = source.baseAddress?.assumingMemoryBound(to: UInt8.self),
            let to = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { return source.isEmpty && target.isEmpty }
        var sequences = Sequences(from: from, count: source.count)
        var output = 0
        while let next = sequences.next(), next.literals <= target.count - output {
            memcpy(to + output, from + next.start, next.literals)
            output += next.literals
            if next.isLast { return output == target.count }
            guard next.offset > 0, next.offset <= output, next.match <= target.count - output else { return false }
            copyMatch(to + output, next.offset, next.match)
            output += next.match
        }
        return false
    }

    /// How many bytes come out, for blocks that do not tell; nil when they are more than the limit, or damaged.
    /// Says nothing of the places that matches point to.
    static func size(_ source: UnsafeRawBufferPointer, limit: Int) -> Int? {
        guard let from = source.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
        var sequences = Sequences(from: from, count: source.count)
        var output = 0
        while let next = sequences.next(), next.literals <= limit - output {
            output += next.literals
            if next.isLast { return output }
            guard next.match <= limit - output else { return nil }
            output += next.match
        }
        return nil
    }

    /// Takes a block apart; nil when it ends before it should.
    private struct Sequences {
        struct Sequence {
            /// Literals, as they stand in the block.
            var start: Int
            var literals: Int
            /// The match behind them, so far back in what comes out.
            var offset = 0
            var match = 0
            /// Which has literals only.
            var isLast = true
        }
        let from: UnsafePointer<UInt8>
        let count: Int
        private var input = 0

        init(from: UnsafePointer<UInt8>, count: Int) {
            self.from = from
            self.count = count
        }

        @inline(__always)
        mutating func next() -> Sequence? {
            if input >= count { return nil }
            let token = Int(from[input])
            input += 1
            guard let literals = length(token >> 4), literals <= count - input else { return nil }
            var sequence = Sequence(start: input, literals: literals)
            input += literals
            if input == count { return sequence }
            guard input + 2 <= count else { return nil }
            sequence.offset = Int(from[input]) | Int(from[input + 1]) << 8
            input += 2
            guard let more = length(token & 15) else { return nil }
            sequence.match = more + 4
            sequence.isLast = false
            return sequence
        }

        @inline(__always)
        private mutating func length(_ nibble: Int) -> Int? {
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
