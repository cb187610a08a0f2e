import Glibc

/// The bits of a compressed file, least significant first. `bits` holds the next `count` ones; above them may stand
/// more of the same input, which is added again when it is counted. One thread at a time.
struct BitInput {
    private let input: CompressedInput
    var bits: UInt64 = 0
    var count = 0
    /// Input that is not in `bits` yet. 8 bytes may be read at `next` while it is below `fastEnd`.
    var next: UnsafePointer<UInt8>
    private(set) var end: UnsafePointer<UInt8>
    var fastEnd: UnsafePointer<UInt8> { end - min(end - next, 32) }

    init(_ input: CompressedInput) {
        self.input = input
        next = UnsafePointer(bitPattern: 128).unsafelyUnwrapped
        end = next
    }

    /// Bytes of the file that have been used.
    var consumedBytes: Int64 { input.consumedBytes - Int64(end - next) - Int64(count / 8) }

    /// Takes whole bytes until at least 56 bits are there or the file ends.
    mutating func fill() throws {
        while count < 56 {
            if next == end {
                guard try refill() else { return }
            }
            bits |= UInt64(next.pointee) << UInt64(count)
            next += 1
            count += 8
        }
    }

    private mutating func refill() throws -> Bool {
        guard try input.refill() else { return false }
        let rest = input.rest
        guard let base = rest.baseAddress else { return false }
        next = UnsafePointer(base.assumingMemoryBound(to: UInt8.self))
        end = next + rest.count
        // The decoder owns them from now on.
        input.taken += rest.count
        return true
    }

    /// True when there is no further bit.
    mutating func isAtEnd() throws -> Bool {
        if count == 0 { try fill() }
        return count == 0
    }

    /// The next up to 32 bits.
    mutating func take(_ wanted: Int) throws -> Int {
        if count < wanted {
            try fill()
            if count < wanted { throw error("unexpected end of file") }
        }
        let value = bits & (1 << UInt64(wanted) - 1)
        drop(wanted)
        return Int(value)
    }

    @inline(__always) mutating func drop(_ number: Int) {
        bits &>>= UInt64(number)
        count &-= number
    }

    /// Leaves out the rest of a byte.
    mutating func alignToByte() { drop(count & 7) }

    /// Copies whole bytes; fewer only when no more input is in memory.
    mutating func copyBytes(_ target: UnsafeMutablePointer<UInt8>, _ wanted: Int) throws -> Int {
        var done = 0
        while done < wanted && count >= 8 {
            target[done] = UInt8(truncatingIfNeeded: bits)
            drop(8)
            done += 1
        }
        if count == 0 { bits = 0 }
        if done == wanted { return done }
        if next == end, try !refill() { throw error("unexpected end of file") }
        let direct = min(wanted - done, end - next)
        memcpy(target + done, next, direct)
        next += direct
        return done + direct
    }

    func error(_ reason: String) -> any Error { input.error("gzip", reason) }
}
