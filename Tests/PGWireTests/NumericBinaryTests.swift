import SQLTypes
import Testing

@testable import PGWire

/// Expected bytes are PostgreSQL's `numeric_send`.
struct NumericBinaryTests {
    private func encode(_ value: Int128, _ scale: Int) -> [Int] {
        let buffer = TextBuffer()
        NumericBinary.append(value, scale: scale, to: buffer)
        let bytes = buffer.array
        return stride(from: 0, to: bytes.count, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
    }

    @Test func knownForms() {
        #expect(encode(0, 2) == [0, 0, 0, 2])
        #expect(encode(1, 0) == [1, 0, 0, 0, 1])
        #expect(encode(-12_345_678, 3) == [3, 1, 0x4000, 3, 1, 2345, 6780])
        #expect(encode(10_000, 0) == [1, 1, 0, 0, 1])
        #expect(encode(1, 4) == [1, 0xFFFF, 0, 4, 1])
        #expect(encode(1, 5) == [1, 0xFFFE, 0, 5, 1000])
        #expect(encode(150, 2) == [2, 0, 0, 2, 1, 5000])
    }

    @Test func everyScaleComesBack() throws {
        let values: [Int128] = [0, 1, -1, 9999, 10_000, 123_456_789_012_345_678, (PowersOfTen.power(38) ?? 1) - 1]
        for value in values {
            for sign: Int128 in [1, -1] {
                for scale in 0...38 {
                    let buffer = TextBuffer()
                    NumericBinary.append(value * sign, scale: scale, to: buffer)
                    let back = try NumericBinary.parse(buffer.array)
                    #expect(back.value == value * sign && back.scale == scale)
                }
            }
        }
    }

    @Test func hostileBytesAreErrors() {
        var random = Randomness(seed: 7)
        for _ in 0..<20_000 {
            let bytes = (0..<random.below(24)).map { _ in random.byte() }
            _ = try? NumericBinary.parse(bytes)
        }
    }
}

/// Numbers that are the same in every run.
struct Randomness {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
    mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next() >> 24) }
}
