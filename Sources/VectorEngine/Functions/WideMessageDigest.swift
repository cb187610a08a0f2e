import SQLTypes

/// SHA-384 and SHA-512 (FIPS 180-4).
struct WideMessageDigest: Sendable {
    /// The state before the first block.
    let start: [UInt64]
    private let bytes: Int

    static let sha384 = WideMessageDigest(primes: primes.dropFirst(8).prefix(8), bytes: 48)
    static let sha512 = WideMessageDigest(primes: primes.prefix(8), bytes: 64)

    private init(primes: ArraySlice<UInt128>, bytes: Int) {
        start = primes.map { WideMessageDigest.rootFraction($0, cube: false) }
        self.bytes = bytes
    }

    /// Appends the digest's hexadecimal digits.
    func append(of message: UnsafeBufferPointer<UInt8>, to buffer: TextBuffer) {
        var state = start
        for block in 0..<message.count / 128 {
            Self.add(UnsafeBufferPointer(rebasing: message[128 * block..<128 * (block + 1)]), to: &state)
        }
        var padded = Array(message.suffix(message.count % 128))
        padded.append(0x80)
        padded += [UInt8](repeating: 0, count: (240 - padded.count) % 128)
        let bits = UInt128(message.count) * 8
        for index in 0..<16 { padded.append(UInt8(truncatingIfNeeded: bits >> UInt128(120 - 8 * index))) }
        padded.withUnsafeBufferPointer { rest in
            for offset in stride(from: 0, to: rest.count, by: 128) {
                Self.add(UnsafeBufferPointer(rebasing: rest[offset..<offset + 128]), to: &state)
            }
        }
        for word in state.prefix(bytes / 8) { Hexadecimal.append(word, digits: 16, to: buffer) }
    }

    private static func add(_ block: UnsafeBufferPointer<UInt8>, to state: inout [UInt64]) {
        var words = [UInt64](repeating: 0, count: 80)
        for index in 0..<16 {
            for byte in block[8 * index..<8 * index + 8] { words[index] = (words[index] &<< 8) | UInt64(byte) }
        }
        for index in 16..<80 {
            let a = words[index - 15]
            let b = words[index - 2]
            let first = rotated(a, 1) ^ rotated(a, 8) ^ (a &>> 7)
            let second = rotated(b, 19) ^ rotated(b, 61) ^ (b &>> 6)
            words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
        }
        var s = state
        for index in 0..<80 {
            let choice = (s[4] & s[5]) ^ (~s[4] & s[6])
            let mix = rotated(s[4], 14) ^ rotated(s[4], 18) ^ rotated(s[4], 41)
            let first = s[7] &+ mix &+ choice &+ constants[index] &+ words[index]
            let majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2])
            let second = (rotated(s[0], 28) ^ rotated(s[0], 34) ^ rotated(s[0], 39)) &+ majority
            s = [first &+ second, s[0], s[1], s[2], s[3] &+ first, s[4], s[5], s[6]]
        }
        for index in 0..<8 { state[index] = state[index] &+ s[index] }
    }

    private static func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 {
        (value &>> count) | (value &<< (64 &- count))
    }

    // MARK: Constants

    private static let primes: [UInt128] = {
        var primes: [UInt128] = []
        var candidate: UInt128 = 2
        while primes.count < 80 {
            if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
            candidate += 1
        }
        return primes
    }()
    private static let constants = primes.map { rootFraction($0, cube: true) }

    /// The first 64 bits of the fractional part of a root, by exact search: the largest x with x^2 <= value * 2^128, or
    /// x^3 <= value * 2^192.
    private static func rootFraction(_ value: UInt128, cube: Bool) -> UInt64 {
        var root: UInt128 = 0
        for bit in stride(from: 68, through: 0, by: -1) {
            let candidate = root | (1 << UInt128(bit))
            let square = candidate.multipliedFullWidth(by: candidate)
            let isSmall: Bool
            if cube {
                let low = square.low.multipliedFullWidth(by: candidate)
                let high = low.high &+ square.high &* candidate
                isSmall = high < value << 64 || high == value << 64 && low.low == 0
            } else {
                isSmall = square.high < value || square.high == value && square.low == 0
            }
            if isSmall { root = candidate }
        }
        return UInt64(truncatingIfNeeded: root)
    }
}
