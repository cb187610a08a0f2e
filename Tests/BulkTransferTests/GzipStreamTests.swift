import CZlib
import SQLTypes
import Testing

@testable import BulkTransfer

/// Decoding of what zlib writes, at all levels and strategies, and of damaged input.
@Suite struct GzipStreamTests {
    private final class Bytes: LoadInput {
        let bytes: [UInt8]
        /// Most bytes of one read.
        let step: Int
        init(bytes: [UInt8], step: Int) {
            self.bytes = bytes
            self.step = step
        }
        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
            let start = min(Int(offset), bytes.count)
            let count = min(buffer.count, step, bytes.count - start)
            bytes.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
            }
            return count
        }
    }

    private func unpack(_ bytes: [UInt8], step: Int = .max, read: Int = 1 << 16) throws -> [UInt8] {
        let stream = try GzipStream(Bytes(bytes: bytes, step: step), name: "test")
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: read)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try stream.read(into: $0) }
            if count == 0 { break }
            result += buffer[..<count]
            if result.count > 64 << 20 { break }
        }
        return result
    }

    private func random(_ seed: inout UInt64) -> UInt64 {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return seed >> 33
    }

    /// Kinds of content: noise, one byte, short and long repeats, text, skewed bytes with long codes.
    private func content(_ kind: Int, _ count: Int) -> [UInt8] {
        var seed = UInt64(kind &* 977 &+ count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            let value = random(&seed)
            switch kind {
            case 0: bytes.append(UInt8(truncatingIfNeeded: value))
            case 1: bytes.append(65)
            case 2 where !bytes.isEmpty:
                let distance = 1 + Int(value >> 8) % min(bytes.count, 20)
                for _ in 0..<value % 300 { bytes.append(bytes[bytes.count - distance]) }
                bytes.append(UInt8(truncatingIfNeeded: value))
            case 3 where bytes.count > 40_000:
                let distance = 32_000 + Int(value >> 8) % 768
                for _ in 0..<value % 300 { bytes.append(bytes[bytes.count - distance]) }
                bytes.append(UInt8(truncatingIfNeeded: value))
            case 4: bytes += "\(value % 100_000)|text \(value % 97)\n".utf8
            case 5: bytes.append(UInt8((value | 1 << 30).trailingZeroBitCount))
            default: bytes.append(UInt8(truncatingIfNeeded: value))
            }
        }
        return Array(bytes.prefix(count))
    }

    @Test(arguments: 0..<6) func decodes(kind: Int) throws {
        for count in [0, 1, 2, 300, 5_000, 70_000, 300_000] {
            let bytes = content(kind, count)
            for (level, strategy) in [
                (0, Z_DEFAULT_STRATEGY), (1, Z_DEFAULT_STRATEGY), (6, Z_DEFAULT_STRATEGY),
                (9, Z_DEFAULT_STRATEGY), (6, Z_HUFFMAN_ONLY), (6, Z_RLE), (6, Z_FIXED),
            ] {
                let packed = gzip(bytes, level: Int32(level), strategy: strategy)
                #expect(try unpack(packed) == bytes, "kind \(kind), \(count) bytes, level \(level), \(strategy)")
            }
        }
    }

    @Test(arguments: [1, 2, 7, 31, 33, 1000]) func readsInAnySteps(step: Int) throws {
        let bytes = content(4, 90_000)
        for level in [Int32(0), 6] {
            let packed = gzip(bytes, level: level, strategy: Z_DEFAULT_STRATEGY)
            #expect(try unpack(packed, step: step) == bytes)
            #expect(try unpack(packed + packed, step: step, read: 1 + step * 3) == bytes + bytes)
        }
    }

    @Test func headersWithNamesAndPadding() throws {
        let packed = gzip([97, 98, 99], level: 6, strategy: Z_DEFAULT_STRATEGY)
        let body = packed[10...]
        let flags: UInt8 = 4 | 8 | 16 | 2
        let header: [UInt8] = [0x1F, 0x8B, 8, flags, 0, 0, 0, 0, 0, 3]
        // Two extra bytes, a name, a comment, a checksum of the header.
        let more: [UInt8] = [2, 0, 1, 2, 110, 0, 99, 0]
        let checksum = (header + more).withUnsafeBufferPointer { crc32(0, $0.baseAddress, UInt32($0.count)) }
        let low = UInt8(truncatingIfNeeded: checksum), high = UInt8(truncatingIfNeeded: checksum >> 8)
        let named: [UInt8] = header + more + [low, high] + Array(body)
        #expect(try unpack(named) == [97, 98, 99])
        #expect(try unpack(packed + [0, 0, 0, 0]) == [97, 98, 99])
        #expect(throws: SQLError.self) { try unpack(packed + [1, 2, 3]) }
    }

    /// Every single damaged byte is found: by the decoder or by the checksum. Bytes of the header that say nothing may
    /// change.
    @Test func damageIsFound() throws {
        let bytes = content(4, 3_000)
        let packed = gzip(bytes, level: 6, strategy: Z_DEFAULT_STRATEGY)
        for index in packed.indices where !(4..<10).contains(index) {
            for flip in [UInt8(1), 0x10, 0xFF] {
                var damaged = packed
                damaged[index] ^= flip
                if let result = try? unpack(damaged) { #expect(result == bytes, "byte \(index)") }
            }
        }
        for cut in 0..<packed.count {
            let error = #expect(throws: SQLError.self) { try unpack(Array(packed[..<cut])) }
            #expect(error?.message.contains("unexpected end of file") == true, "cut at \(cut)")
        }
    }

    /// Noise behind a header ends in an error, whatever it says.
    @Test func noiseIsRefused() {
        var seed: UInt64 = 5
        for _ in 0..<3_000 {
            let length = Int(random(&seed) % 200)
            let noise = (0..<length).map { _ in UInt8(truncatingIfNeeded: random(&seed)) }
            #expect(throws: SQLError.self) { try unpack([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + noise) }
        }
    }
}
