import Catalog
import ColumnVectors
import Platform
import SQLTypes
import Testing

@testable import BulkTransfer

/// Files of Tests/Fixtures/BulkTransfer, which pyarrow has written (make.py says what is in them).
@Suite struct ORCTests {
    static let files = ["uncompressed", "zlib", "snappy", "lz4", "zstd", "first"]
    private let types: [SQLType] = [
        .bigint, .integer, .smallint, .smallint, .boolean, .smallint, .double, .real, .varchar(20), .varchar(40),
        .decimal(precision: 12, scale: 2), .decimal(precision: 30, scale: 4), .date, .timestamp, .timestamp,
    ]

    /// Row n as make.py makes it.
    private func expected(_ n: Int) -> String {
        let moment = 1_795_515_630_123_456 + n * 1_001_000
        let old = (-731 + n) * 86_400_000_000 + 500_000
        let wide = -Int128(n) * 1_000_000_000_000 * 1_000_000_000_000
        let values: [String] = [
            "\(n * n * 7919 - 1000)", "\(n)", "5", n % 100 == 0 ? "30000" : "\(n % 10)", n % 3 == 0 ? "1" : "0",
            "\(n % 200 - 100)", "\(Double(n) / 8)", "\(Double(n) / 4)", n % 5 == 4 ? "NULL" : "name \(n % 50)",
            String(repeating: "té \(n)", count: n % 3), "\(n * 7 - 100)", "\(wide)", "\(n - 2)", "\(moment)", "\(old)",
        ]
        return values.joined(separator: "|")
    }

    private func load(
        _ bytes: [UInt8], _ types: [SQLType], workers: Int = 1, isNested: Bool = false
    ) throws -> (MemorySink, CopyResult) {
        let sink = MemorySink()
        let options = [RawCopyOption("ORC")] + (isNested ? [RawCopyOption("SERIALIZETOJSON")] : [])
        let result = try BulkTransferTests.load(bytes, makeTable(types), options, sink: sink, workers: workers)
        return (sink, result)
    }

    @Test func damagedNestedColumns() throws {
        let file = try fixture("nested.orc")
        let types: [SQLType] = [.integer] + Array(repeating: .varchar(100), count: 4)
        #expect(try load(file, types, isNested: true).1.rowsLoaded == 6)
        for seed in 0..<Damage.variants * 4 {
            do {
                _ = try load(Damage.variant(file, seed), types, isNested: true)
            } catch is SQLError {} catch is LoadFailure {}
        }
    }

    @Test(arguments: files) func types(name: String) throws {
        let (sink, result) = try load(try fixture("columns_\(name).orc"), types)
        let rows = sink.inOrder
        #expect(rows.count == 1200 && result.rowsScanned == 1200)
        for (n, row) in rows.enumerated() where row != expected(n) {
            Issue.record("row \(n): \(row), expected \(expected(n))")
            break
        }
        let (two, _) = try load(try fixture("columns_\(name).orc"), types, workers: 2)
        #expect(two.sorted == sink.sorted)
    }

    @Test func otherColumns() throws {
        let file = try fixture("columns_zlib.orc")
        var other = types
        other[0] = .varchar(20)
        other[4] = .varchar(5)
        other[12] = .timestamp
        let (sink, _) = try load(file, other)
        #expect(sink.inOrder[3].hasPrefix("70271|3|5|3|true|"))
        other[1] = .decimal(precision: 3, scale: 0)
        let failure = #expect(throws: LoadFailure.self) { try load(file, other) }
        #expect(failure?.loadErrors.first?.reason == "Overflow" && failure?.loadErrors.first?.line == 1001)
        #expect(failure?.loadErrors.first?.rawField == "1000")
        let fewer = #expect(throws: SQLError.self) { try load(file, Array(types.dropLast())) }
        #expect(fewer?.detail == "Table columns: 14, file columns: 15")
    }

    @Test(arguments: files) func damage(name: String) throws {
        let file = try fixture("columns_\(name).orc")
        for seed in 0..<Damage.variants {
            do { _ = try load(Damage.variant(file, seed), types) } catch is SQLError {} catch is LoadFailure {}
        }
        for cut in [1, 3, 100, file.count / 2, file.count - 1] {
            #expect(throws: SQLError.self) { try load(Array(file[..<cut]), types) }
        }
        // Footers are at the end: damage there is what matters most.
        for seed in 0..<Damage.variants {
            let tail = Damage.variant(Array(file.suffix(600)), seed * 4 + 1)
            do { _ = try load(file.dropLast(600) + tail, types) } catch is SQLError {} catch is LoadFailure {}
        }
    }

    /// Examples of the ORC specification.
    @Test func runsOfIntegers() throws {
        func read(_ bytes: [UInt8], _ count: Int, isSigned: Bool = false, second: Bool = true) throws -> [Int64] {
            var integers = ORCIntegers(ORCBytes(bytes), isSigned: isSigned, isSecondVersion: second)
            return try (0..<count).map { _ in try integers.next() }
        }
        #expect(try read([0x0A, 0x27, 0x10], 5) == [10_000, 10_000, 10_000, 10_000, 10_000])
        #expect(
            try read([0x5E, 0x03, 0x5C, 0xA1, 0xAB, 0x1E, 0xDE, 0xAD, 0xBE, 0xEF], 4)
                == [23_713, 43_806, 57_005, 48_879])
        #expect(
            try read([0xC6, 0x09, 0x02, 0x02, 0x22, 0x42, 0x42, 0x46], 10) == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29])
        let patched: [UInt8] = [
            0x8E, 0x13, 0x2B, 0x21, 0x07, 0xD0, 0x1E, 0x00, 0x14, 0x70, 0x28, 0x32, 0x3C, 0x46, 0x50, 0x5A, 0x64, 0x6E,
            0x78, 0x82, 0x8C, 0x96, 0xA0, 0xAA, 0xB4, 0xBE, 0xFC, 0xE8,
        ]
        #expect(
            try read(patched, 20) == [
                2030, 2000, 2020, 1_000_000, 2040, 2050, 2060, 2070, 2080, 2090, 2100, 2110, 2120, 2130, 2140, 2150,
                2160, 2170, 2180, 2190,
            ])
        #expect(try read([0x61, 0x00, 0x07], 100, second: false) == Array(repeating: 7, count: 100))
        #expect(try read([0x61, 0xFF, 0x64], 100, second: false) == (1...100).reversed().map { Int64($0) })
        #expect(try read([0xFB, 0x02, 0x03, 0x06, 0x07, 0x0B], 5, second: false) == [2, 3, 6, 7, 11])
    }
}
