import Glibc
import SQLTypes

/// MD5 (RFC 1321), SHA-1, SHA-224 and SHA-256 (FIPS 180-4). Holds scratch memory: one per caller.
final class MessageDigest {
    enum Kind { case md5, sha1, sha224, sha256 }
    private let kind: Kind
    private let wordCount: Int
    private let state = UnsafeMutablePointer<UInt32>.allocate(capacity: 8)
    /// A block's words, and what SHA makes of them.
    private let schedule = UnsafeMutablePointer<UInt32>.allocate(capacity: 80)
    /// The last bytes of a message and its padding.
    private let tail = UnsafeMutablePointer<UInt8>.allocate(capacity: 128)
    private let md5Constants: UnsafePointer<UInt32>
    private let sha256Constants: UnsafePointer<UInt32>

    init(_ kind: Kind) {
        self.kind = kind
        wordCount = kind == .md5 ? 4 : kind == .sha1 ? 5 : kind == .sha224 ? 7 : 8
        md5Constants = MessageDigest.md5Table
        sha256Constants = MessageDigest.sha256Table
    }
    deinit {
        state.deallocate()
        schedule.deallocate()
        tail.deallocate()
    }

    /// Appends the digest's hexadecimal digits.
    func append(of bytes: UnsafeBufferPointer<UInt8>, to buffer: TextBuffer) {
        begin()
        let whole = bytes.count / 64
        if let base = bytes.baseAddress {
            for block in 0..<whole { add(base + block * 64) }
        }
        let rest = bytes.count - whole * 64
        let size = rest < 56 ? 64 : 128
        memset(tail, 0, size)
        if let base = bytes.baseAddress { memcpy(tail, base + whole * 64, rest) }
        tail[rest] = 0x80
        let bits = UInt64(bytes.count) &* 8
        let length = kind == .md5 ? bits.littleEndian : bits.bigEndian
        UnsafeMutableRawPointer(tail + size - 8).storeBytes(of: length, as: UInt64.self)
        add(tail)
        if size > 64 { add(tail + 64) }
        for index in 0..<wordCount {
            let word = kind == .md5 ? state[index].byteSwapped : state[index]
            Hexadecimal.append(UInt64(word), digits: 8, to: buffer)
        }
    }

    private func begin() {
        if kind == .sha256 || kind == .sha224 {
            let start = kind == .sha256 ? MessageDigest.sha256Start : MessageDigest.sha224Start
            for index in 0..<8 { state[index] = start[index] }
            return
        }
        (state[0], state[1], state[2], state[3]) = (0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476)
        state[4] = 0xC3D2_E1F0
    }

    private func add(_ block: UnsafePointer<UInt8>) {
        memcpy(schedule, block, 64)
        if kind != .md5 { for index in 0..<16 { schedule[index] = schedule[index].bigEndian } }
        switch kind {
        case .md5: addMD5()
        case .sha1: addSHA1()
        case .sha224, .sha256: addSHA256()
        }
    }

    // MARK: MD5

    private func addMD5() {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        let words = UnsafePointer(schedule), constants = md5Constants
        @inline(__always) func step(_ mixed: UInt32, _ index: Int, _ place: Int, _ shift: UInt32) {
            let sum = a &+ mixed &+ constants[index] &+ words[place & 15]
            (a, d, c) = (d, c, b)
            b = b &+ rotated(sum, left: shift)
        }
        for index in 0..<16 { step((b & c) | (~b & d), index, index, shift(index, 7, 12, 17, 22)) }
        for index in 16..<32 { step((d & b) | (~d & c), index, 5 &* index &+ 1, shift(index, 5, 9, 14, 20)) }
        for index in 32..<48 { step(b ^ c ^ d, index, 3 &* index &+ 5, shift(index, 4, 11, 16, 23)) }
        for index in 48..<64 { step(c ^ (b | ~d), index, 7 &* index, shift(index, 6, 10, 15, 21)) }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
    }

    @inline(__always)
    private func shift(_ index: Int, _ first: UInt32, _ second: UInt32, _ third: UInt32, _ fourth: UInt32) -> UInt32 {
        switch index & 3 {
        case 0: first
        case 1: second
        case 2: third
        default: fourth
        }
    }

    // MARK: SHA-1

    private func addSHA1() {
        for index in 16..<80 {
            schedule[index] = rotated(
                schedule[index - 3] ^ schedule[index - 8] ^ schedule[index - 14] ^ schedule[index - 16], left: 1)
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        let words = UnsafePointer(schedule)
        @inline(__always) func step(_ mixed: UInt32, _ constant: UInt32, _ index: Int) {
            let sum = rotated(a, left: 5) &+ mixed &+ e &+ constant &+ words[index]
            (e, d, c, b, a) = (d, c, rotated(b, left: 30), a, sum)
        }
        for index in 0..<20 { step((b & c) | (~b & d), 0x5A82_7999, index) }
        for index in 20..<40 { step(b ^ c ^ d, 0x6ED9_EBA1, index) }
        for index in 40..<60 { step((b & c) | (b & d) | (c & d), 0x8F1B_BCDC, index) }
        for index in 60..<80 { step(b ^ c ^ d, 0xCA62_C1D6, index) }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
    }

    // MARK: SHA-256

    private func addSHA256() {
        for index in 16..<64 {
            let (x, y) = (schedule[index - 15], schedule[index - 2])
            let first = rotated(x, left: 25) ^ rotated(x, left: 14) ^ (x >> 3)
            let second = rotated(y, left: 15) ^ rotated(y, left: 13) ^ (y >> 10)
            schedule[index] = schedule[index - 16] &+ first &+ schedule[index - 7] &+ second
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let high = rotated(e, left: 26) ^ rotated(e, left: 21) ^ rotated(e, left: 7)
            let choice = (e & f) ^ (~e & g)
            let first = h &+ high &+ choice &+ sha256Constants[index] &+ schedule[index]
            let low = rotated(a, left: 30) ^ rotated(a, left: 19) ^ rotated(a, left: 10)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ low &+ majority)
        }
        let work = (a, b, c, d, e, f, g, h)
        withUnsafeBytes(of: work) { bytes in
            let words = bytes.bindMemory(to: UInt32.self)
            for index in 0..<8 { state[index] &+= words[index] }
        }
    }

    // MARK: Constants

    /// Live as long as the process: rounds index pointers instead of arrays.
    private static func table(_ values: [UInt32]) -> UnsafePointer<UInt32> {
        let pointer = UnsafeMutablePointer<UInt32>.allocate(capacity: values.count)
        pointer.initialize(from: values, count: values.count)
        return UnsafePointer(pointer)
    }
    nonisolated(unsafe) private static let md5Table = table(
        (0..<64).map { UInt32(sin(Double($0 + 1)).magnitude * 4_294_967_296) })

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
    nonisolated(unsafe) private static let sha256Table = table(primes.map { rootFraction($0, cube: true) })
    /// The low halves of SHA-384's (FIPS 180-4, 5.3.2).
    nonisolated(unsafe) private static let sha224Start = table(
        WideMessageDigest.sha384.start.map { UInt32(truncatingIfNeeded: $0) })
    nonisolated(unsafe) private static let sha256Start = table(primes.prefix(8).map { rootFraction($0, cube: false) })
}

@inline(__always)
private func rotated(_ value: UInt32, left count: UInt32) -> UInt32 {
    (value &<< count) | (value &>> (32 &- count))
}
