import Catalog
import ColumnVectors
import Glibc
import Platform
import SQLTypes
import Synchronization
import Testing

@testable import BulkTransfer

/// What the writer writes, the reader reads. Where REDBARN_PARQUET_OUT names a folder the files stay there with their
/// values beside them, for Fixtures/check_parquet.py, which reads them with pyarrow and DuckDB.
struct ParquetWriteTests {
    private final class MemoryTarget: ByteTarget {
        var bytes: [UInt8] = []
        func write(_ more: UnsafeRawBufferPointer) throws { bytes.append(contentsOf: more) }
    }

    private static var folder: String? { getenv("REDBARN_PARQUET_OUT").map { String(cString: $0) } }

    private static let types: [SQLType] = [
        .boolean, .smallint, .integer, .bigint, .decimal(precision: 9, scale: 2), .decimal(precision: 18, scale: 0),
        .decimal(precision: 19, scale: 4), .decimal(precision: 38, scale: 10), .real, .double, .char(10),
        .varchar(1000), .date, .time, .timestamp, .timestamptz,
    ]

    private func columns(_ types: [SQLType]) -> [OutputColumn] {
        types.enumerated().map { OutputColumn(name: "c\($0 + 1)", type: $1) }
    }

    /// One row of values that are at the border of something.
    private func hostile(_ row: Int) -> [Datum] {
        let strings = ["", " ", "a", "é", "日本語", "x\ty", "quote\"", String(repeating: "long ", count: 60), "🙂"]
        let big = Int128(99_999_999_999_999_999) * 1_000_000_000_000_000_000_000
        let values: [[Datum]] = [
            [.integer(0), .integer(1)], [.integer(-32768), .integer(32767), .integer(0)],
            [.integer(Int128(Int32.min)), .integer(Int128(Int32.max)), .integer(-1)],
            [.integer(Int128(Int64.min)), .integer(Int128(Int64.max)), .integer(Int128(row) * 1_000_003)],
            [.integer(999_999_999), .integer(-999_999_999), .integer(Int128(row))],
            [.integer(999_999_999_999_999_999), .integer(-999_999_999_999_999_999), .integer(5)],
            [.integer(Int128(Int64.max)), .integer(-Int128(Int64.max)), .integer(-1), .integer(Int128(row))],
            [.integer(big), .integer(-big), .integer(1), .integer(-1), .integer(Int128(row) << 70)],
            [
                .double(0), .double(-0.0), .double(Double(Float(1.1))), .double(-.infinity),
                .double(Double(Float(1e-45))),
            ],
            [
                .double(1.1), .double(.infinity), .double(5e-324), .double(-1.7976931348623157e308),
                .double(Double(row)),
            ],
            [.text(""), .text("x"), .text("abc  d"), .text("0123456789")], strings.map { .text($0) },
            [.integer(0), .integer(-719_162), .integer(2_932_896), .integer(Int128(row))],
            [.integer(0), .integer(86_399_999_999), .integer(1)],
            [.integer(0), .integer(-62_135_596_800_000_000), .integer(253_402_300_799_999_999), .integer(-1)],
            [.integer(0), .integer(-62_135_596_800_000_000), .integer(1_700_000_000_123_456)],
        ]
        return values.enumerated().map { column, choices in
            (row + column) % 6 == 5 ? .null : choices[(row * 7 + row / 13 + column) % choices.count]
        }
    }

    @discardableResult
    private func write(
        _ name: String, _ batches: [ColumnBatch], _ types: [SQLType], rowGroupBytes: Int = 32 << 20, step: Int = 1000
    ) throws -> [UInt8] {
        let target = MemoryTarget()
        let writer = try ParquetFormat(rowGroupBytes: rowGroupBytes).makeWriter(columns(types), to: target)
        for batch in batches {
            for first in stride(from: 0, to: batch.rowCount, by: step) {
                try writer.write(batch, rows: first..<min(first + step, batch.rowCount))
            }
        }
        try writer.finish()
        #expect(writer.heldBytes < 1 << 20)
        if let folder = Self.folder {
            let system = LocalFileSystem()
            try target.bytes.withUnsafeBytes { try system.open("\(folder)/\(name).parquet", .replace).append($0) }
            var text = types.map { "\($0)" }.joined(separator: "\t") + "\n"
            for batch in batches {
                for row in 0..<batch.rowCount { text += ParquetFixtures.show(batch.row(row)) + "\n" }
            }
            try Array(text.utf8).withUnsafeBytes { try system.open("\(folder)/\(name).tsv", .replace).append($0) }
        }
        return target.bytes
    }

    private func expectRoundTrip(
        _ name: String, _ batch: ColumnBatch, rowGroupBytes: Int = 32 << 20, step: Int = 1000
    ) throws {
        let bytes = try write(name, [batch], batch.types, rowGroupBytes: rowGroupBytes, step: step)
        let folder = TemporaryFolder()
        try folder.write("x.parquet", bytes)
        let sink = MemorySink()
        try ParquetFixtures.load(folder.path + "/x.parquet", makeTable(batch.types), sink: sink)
        let read = sink.rows.withLock { $0 }
        #expect(read.count == batch.rowCount)
        for (row, values) in read.enumerated() where values != batch.row(row) {
            Issue.record("\(name) \(row): \(ParquetFixtures.show(values)) for \(ParquetFixtures.show(batch.row(row)))")
            return
        }
    }

    @Test func allTypes() throws {
        let batch = ColumnBatch(types: Self.types)
        for row in 0..<1500 { try batch.append(hostile(row)) }
        try expectRoundTrip("all_types", batch)
        try expectRoundTrip("small_groups", batch, rowGroupBytes: 100_000, step: 77)
    }

    @Test func noRowsAndOnlyNulls() throws {
        try expectRoundTrip("no_rows", ColumnBatch(types: Self.types))
        let batch = ColumnBatch(types: Self.types)
        for _ in 0..<50 { try batch.append(Self.types.map { _ in .null }) }
        try expectRoundTrip("nulls", batch)
    }

    /// Dictionaries that pay, that do not, and that grow too large; pages and row groups of many rows.
    @Test func manyRows() throws {
        let types: [SQLType] = [.bigint, .integer, .varchar(40), .varchar(40), .bigint, .double, .boolean, .integer]
        let batch = ColumnBatch(types: types)
        for row in 0..<150_000 {
            let mixed = Int128(truncatingIfNeeded: UInt64(row) &* 0x9E37_79B9_7F4A_7C15 >> 20)
            try batch.append([
                .integer(mixed), .integer(Int128(row % 7)), .text("value \(mixed % 90_000)"), .text("word \(row % 50)"),
                .integer(Int128(row / 4) * 1000), .double(Double(row) / 7), .integer(Int128(row / 9000 % 2)),
                row % 3 == 0 ? .null : .integer(Int128(row)),
            ])
        }
        try expectRoundTrip("many_rows", batch, step: 30_000)
        // Later row groups follow the choice of an earlier one, also where it is none for them.
        try expectRoundTrip("followed_choices", batch, rowGroupBytes: 300_000, step: 5000)
    }

    /// Integers of a batch may be narrower than their type.
    @Test func narrowIntegers() throws {
        let types: [SQLType] = [
            .bigint, .decimal(precision: 12, scale: 2), .integer, .decimal(precision: 30, scale: 0),
        ]
        let columns = [ColumnBuffer(.uint8), ColumnBuffer(.uint16), ColumnBuffer(.uint8), ColumnBuffer(.int32)]
        for row in 0..<100 { for column in columns { try column.append(integer: Int128(row)) } }
        let target = MemoryTarget()
        let writer = try ParquetFormat().makeWriter(self.columns(types), to: target)
        try writer.write(ColumnBatch(types: types, columns: columns), rows: 10..<100)
        try writer.finish()
        let folder = TemporaryFolder()
        try folder.write("x.parquet", target.bytes)
        let sink = MemorySink()
        try ParquetFixtures.load(folder.path + "/x.parquet", makeTable(types), sink: sink)
        #expect(sink.inOrder == (10..<100).map { "\($0)|\($0)|\($0)|\($0)" })
    }

    @Test func textsOfTypesThatParquetLacks() throws {
        let batch = ColumnBatch(types: [.timetz, .interval])
        try batch.append([
            .integer(Int128(TimeWithZone(local: 3_600_000_000, offsetMinutes: 120).packed)),
            .interval(Interval(months: 14, microseconds: 1_000_000)),
        ])
        try batch.append([.null, .null])
        let bytes = try write("texts", [batch], batch.types)
        let folder = TemporaryFolder()
        try folder.write("x.parquet", bytes)
        let sink = MemorySink()
        try ParquetFixtures.load(
            folder.path + "/x.parquet", makeTable([.varchar(20), .varchar(40)]), sink: sink)
        #expect(sink.inOrder == ["01:00:00+02|1 year 2 mons 00:00:01", "NULL|NULL"])
    }

    @Test func columnsThatCannotBeWritten() {
        let target = MemoryTarget()
        #expect(throws: SQLError.self) { try ParquetFormat().makeWriter([], to: target) }
        let twice = [OutputColumn(name: "a", type: .integer), OutputColumn(name: "a", type: .integer)]
        #expect(throws: SQLError.self) { try ParquetFormat().makeWriter(twice, to: target) }
    }

    private final class WritingSink: RowSink, RowLane, @unchecked Sendable {  // the load has one worker
        let writer: any RecordWriter
        init(_ writer: any RecordWriter) { self.writer = writer }
        func makeLane() throws -> any RowLane { self }
        func abort() {}
        func append(_ batch: ColumnBatch) throws { try writer.write(batch, rows: 0..<batch.rowCount) }
    }

    /// For comparing sizes: REDBARN_PARQUET_LINEITEM names a file of TPC-H's lineitem.
    @Test(.enabled(if: getenv("REDBARN_PARQUET_LINEITEM") != nil && folder != nil))
    func lineitem() throws {
        let types: [SQLType] = [
            .bigint, .bigint, .bigint, .integer, .decimal(precision: 15, scale: 2), .decimal(precision: 15, scale: 2),
            .decimal(precision: 15, scale: 2), .decimal(precision: 15, scale: 2), .char(1), .char(1), .date, .date,
            .date,
            .char(25), .char(10), .varchar(44),
        ]
        let path = getenv("REDBARN_PARQUET_LINEITEM").map { String(cString: $0) } ?? ""
        let target = MemoryTarget()
        let sink = WritingSink(try ParquetFormat().makeWriter(columns(types), to: target))
        let result = try ParquetFixtures.load(path, makeTable(types), sink: sink)
        try sink.writer.finish()
        #expect(result.rowsLoaded > 0)
        try target.bytes.withUnsafeBytes {
            try LocalFileSystem().open("\(Self.folder ?? "/tmp")/lineitem.parquet", .replace).append($0)
        }
    }
}
