import SQLTypes
import Testing

@testable import BulkTransfer

/// Runs and packed groups as the reader takes them, and as the specification shows them.
struct RunEncoderTests {
    private func encoded(_ values: [UInt32], width: Int) -> [UInt8] {
        let out = TextBuffer(capacity: 16)
        values.withUnsafeBufferPointer { RunEncoder.append($0, width: width, to: out) }
        return out.array
    }

    private func decoded(_ bytes: [UInt8], width: Int, count: Int) throws -> [UInt32] {
        // Readers look at whole words.
        let padded = bytes + [UInt8](repeating: 0xA5, count: 64)
        return try padded.withUnsafeBytes { buffer in
            let start = try #require(buffer.baseAddress)
            var decoder = try RunDecoder(ParquetBytes(start, count: bytes.count), width: width)
            var values = [UInt32](repeating: 0, count: count)
            try values.withUnsafeMutableBufferPointer {
                if let target = $0.baseAddress { try decoder.decode(count, target) }
            }
            return values
        }
    }

    /// Parquet's format: "Encodings", Run Length Encoding / Bit-Packing Hybrid.
    @Test func theSpecificationsExample() {
        #expect(encoded([0, 1, 2, 3, 4, 5, 6, 7], width: 3) == [0x03, 0x88, 0xC6, 0xFA])
        #expect(encoded([UInt32](repeating: 4, count: 8), width: 3) == [0x10, 0x04])
        // A run that begins within a group of eight begins with the next one.
        let values: [UInt32] = [1] + [UInt32](repeating: 0, count: 17)
        #expect(encoded(values, width: 1) == [0x03, 0x01, 0x14, 0x00])
        #expect(encoded([], width: 5) == [])
    }

    @Test(arguments: 1...32) func allValuesComeBack(width: Int) throws {
        let mask = UInt32(truncatingIfNeeded: UInt64(1) << UInt64(width) - 1)
        var random = Damage.Random(UInt64(width))
        for round in 0..<40 {
            var values: [UInt32] = []
            for _ in 0..<random.next(40) {
                let value = UInt32(truncatingIfNeeded: random.next(.max)) & mask
                // Runs of every length around a group, and values that all differ.
                if random.next(2) == 0 {
                    values += [UInt32](repeating: value, count: random.next(round < 20 ? 20 : 300))
                } else {
                    values += (0..<random.next(30)).map { _ in UInt32(truncatingIfNeeded: random.next(.max)) & mask }
                }
            }
            #expect(try decoded(encoded(values, width: width), width: width, count: values.count) == values)
        }
    }
}
