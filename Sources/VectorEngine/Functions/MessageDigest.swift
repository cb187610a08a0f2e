import Glibc

/// MD5 (RFC 1321), SHA-1 and SHA-256 (FIPS 180-4).
enum MessageDigest {
    /// The message with its padding, in blocks of 64 bytes.
    private static func padded(_ bytes: UnsafeBufferPointer<UInt8>, bigEndian: Bool) -> [UInt8] {
        var message = Array(bytes)
        let bits = UInt64(bytes.count) &* 8
        message.append(0x80)
        message.append(contentsOf: repeatElement(0, count: (120 - message.count % 64) % 64))
        for index in 0..<8 {
            let shift = UInt64(bigEndian ? 56 - 8 * index : 8 * index)
            message.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
        return message
    }

    private static func word(_ message: [UInt8], _ at: Int, bigEndian: Bool) -> UInt32 {
        let (a, b) = (UInt32(message[at]), UInt32(message[at + 1]))
        let (c, d) = (UInt32(message[at + 2]), UInt32(message[at + 3]))
        return bigEndian ? a << 24 | b << 16 | c << 8 | d : d << 24 | c << 16 | b << 8 | a
    }

    private static func rotated(_ value: UInt32, left count: UInt32) -> UInt32 {
        (value &<< count) | (value &>> (32 &- count))
    }

    private static func output(_ words: [UInt32], bigEndian: Bool) -> [UInt8] {
        words.flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(bigEndian ? 24 - 8 * $0 : 8 * $0)) }
        }
    }

    // MARK: MD5

    private static let md5Constants: [UInt32] = (0..<64).map { UInt32(sin(Double($0 + 1)).magnitude * 4_294_967_296) }
    private static let md5Shifts: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]

    static func md5(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        let message = padded(bytes, bigEndian: false)
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        for block in stride(from: 0, to: message.count, by: 64) {
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            for index in 0..<64 {
                let mixed: UInt32
                let place: Int
                switch index / 16 {
                case 0: (mixed, place) = ((b & c) | (~b & d), index)
                case 1: (mixed, place) = ((d & b) | (~d & c), (5 * index + 1) % 16)
                case 2: (mixed, place) = (b ^ c ^ d, (3 * index + 5) % 16)
                default: (mixed, place) = (c ^ (b | ~d), (7 * index) % 16)
                }
                let sum = a &+ mixed &+ md5Constants[index] &+ word(message, block + place * 4, bigEndian: false)
                (a, d, c) = (d, c, b)
                b = b &+ rotated(sum, left: md5Shifts[index / 16][index % 4])
            }
            state = [state[0] &+ a, state[1] &+ b, state[2] &+ c, state[3] &+ d]
        }
        return output(state, bigEndian: false)
    }

    // MARK: SHA-1

    static func sha1(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        let message = padded(bytes, bigEndian: true)
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        var schedule = [UInt32](repeating: 0, count: 80)
        for block in stride(from: 0, to: message.count, by: 64) {
            for index in 0..<80 {
                schedule[index] =
                    index < 16
                    ? word(message, block + index * 4, bigEndian: true)
                    : rotated(
                        schedule[index - 3] ^ schedule[index - 8] ^ schedule[index - 14] ^ schedule[index - 16], left: 1
                    )
            }
            var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
            for index in 0..<80 {
                let (mixed, constant): (UInt32, UInt32) =
                    switch index / 20 {
                    case 0: ((b & c) | (~b & d), 0x5A82_7999)
                    case 1: (b ^ c ^ d, 0x6ED9_EBA1)
                    case 2: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
                    default: (b ^ c ^ d, 0xCA62_C1D6)
                    }
                let sum = rotated(a, left: 5) &+ mixed &+ e &+ constant &+ schedule[index]
                (e, d, c, b, a) = (d, c, rotated(b, left: 30), a, sum)
            }
            state = [state[0] &+ a, state[1] &+ b, state[2] &+ c, state[3] &+ d, state[4] &+ e]
        }
        return output(state, bigEndian: true)
    }

    // MARK: SHA-256

    private static let primes: [Int] = {
        var primes: [Int] = []
        var candidate = 2
        while primes.count < 64 {
            if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
            candidate += 1
        }
        return primes
    }()
    /// The first 32 bits of the fractional parts of roots, by exact integer search.
    private static func rootFraction(_ value: Int, cube: Bool) -> UInt32 {
        // The largest x with x^2 <= value * 2^64 or x^3 <= value * 2^96.
        var root: UInt128 = 0
        for bit in stride(from: 35, through: 0, by: -1) {
            let candidate = root | (1 << UInt128(bit))
            let fits =
                cube
                ? candidate * candidate * candidate <= UInt128(value) << 96
                : candidate * candidate <= UInt128(value) << 64
            if fits { root = candidate }
        }
        return UInt32(truncatingIfNeeded: root)
    }
    private static let sha256Constants: [UInt32] = primes.map { rootFraction($0, cube: true) }
    private static let sha256Start: [UInt32] = primes.prefix(8).map { rootFraction($0, cube: false) }

    static func sha256(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        let message = padded(bytes, bigEndian: true)
        var state = sha256Start
        var schedule = [UInt32](repeating: 0, count: 64)
        for block in stride(from: 0, to: message.count, by: 64) {
            for index in 0..<64 {
                if index < 16 {
                    schedule[index] = word(message, block + index * 4, bigEndian: true)
                    continue
                }
                let (x, y) = (schedule[index - 15], schedule[index - 2])
                let first = rotated(x, left: 25) ^ rotated(x, left: 14) ^ (x >> 3)
                let second = rotated(y, left: 15) ^ rotated(y, left: 13) ^ (y >> 10)
                schedule[index] = schedule[index - 16] &+ first &+ schedule[index - 7] &+ second
            }
            state = compressed(state, schedule)
        }
        return output(state, bigEndian: true)
    }

    private static func compressed(_ state: [UInt32], _ schedule: [UInt32]) -> [UInt32] {
        var work = state
        for index in 0..<64 {
            let (a, e) = (work[0], work[4])
            let high = rotated(e, left: 26) ^ rotated(e, left: 21) ^ rotated(e, left: 7)
            let choice = (e & work[5]) ^ (~e & work[6])
            let first = work[7] &+ high &+ choice &+ sha256Constants[index] &+ schedule[index]
            let low = rotated(a, left: 30) ^ rotated(a, left: 19) ^ rotated(a, left: 10)
            let majority = (a & work[1]) ^ (a & work[2]) ^ (work[1] & work[2])
            work = [first &+ low &+ majority, a, work[1], work[2], work[3] &+ first, e, work[5], work[6]]
        }
        return zip(state, work).map { $0 &+ $1 }
    }
}
