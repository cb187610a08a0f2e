import Catalog
import ColumnVectors
import Platform
import SQLTypes
import Testing

@testable import ColumnStore

/// Samples, common values, histograms, and the files that keep them.
@Suite struct AnalysisTests {
    private func analysis(_ values: [Int64?], distinct: Double) throws -> ColumnAnalysis {
        let buffer = ColumnBuffer(SQLType.bigint)
        for value in values {
            if let value { try buffer.append(integer: Int128(value)) } else { try buffer.appendNull() }
        }
        let present = values.compactMap(\.self)
        let facts = ColumnStatistics(
            nullCount: Int64(values.count - present.count), minimum: .integer(Int128(present.min() ?? 0)),
            maximum: .integer(Int128(present.max() ?? 0)), distinctCount: distinct)
        return ColumnAnalyzer.analyze(
            buffer, type: .bigint, facts: facts, rowCount: Int64(values.count), isComplete: true)
    }

    @Test func fewValuesAreAllCommon() throws {
        let found = try analysis([3, 1, 1, nil], distinct: 2)
        #expect(found.nullFraction == 0.25)
        #expect(found.mostCommon.map(\.value) == [.integer(1), .integer(3)])
        #expect(found.mostCommon.map(\.fraction) == [0.5, 0.25])
        #expect(found.histogram.isEmpty)
    }

    @Test func uniqueValuesFillBuckets() throws {
        let found = try analysis((0...1000).map { Int64(1000 - $0) }, distinct: 1001)
        #expect(found.mostCommon.isEmpty)
        #expect(found.histogram.count == 101)
        #expect(found.histogram == (0...100).map { .integer(Int128($0 * 10)) })
    }

    @Test func oneFrequentValueAmongMany() throws {
        let values = (0..<1000).map { $0 % 2 == 0 ? Int64(-5) : Int64($0) }
        let found = try analysis(values, distinct: 501)
        #expect(found.mostCommon == [.init(value: .integer(-5), fraction: 0.5)])
        #expect(found.histogram.first == .integer(1))
        #expect(found.histogram.last == .integer(999))
    }

    @Test func samplesLeaveOutDeletedRows() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(slices: 1)
        let table = StoreFixture.table(100_000, "t", [("k", .integer)])
        var catalog = CatalogSnapshot()
        catalog.put(.table(table))
        var change = StoreChange()
        change.catalog = catalog
        try store.commit(change)
        try fixture.load(store, table, (0..<5000).map { [.integer(Int128($0))] })
        let claims = try RowClaims(try #require(store.snapshot().table(table.id)))
        var accepted: [UInt16] = []
        let ids = (0..<2500).map { RowID.make(part: 0, group: 0, row: $0 * 2) }
        try ids.withUnsafeBufferPointer { try claims.claim($0.baseAddress!, $0.count, accepted: &accepted) }
        var deletion = StoreChange()
        deletion.delete(claims)
        try store.commit(deletion)
        let snapshot = try #require(store.snapshot().table(table.id))
        for wanted in [100, 2500, 10_000] {
            let sample = try TableSample(snapshot, rows: wanted)
            let values = try sample.values(column: 0, of: snapshot)
            #expect(values.count == min(wanted, 2500))
            #expect(sample.isComplete == (wanted >= 2500))
            let numbers = (0..<values.count).map { values.values(as: Int32.self)[$0] }
            #expect(numbers.allSatisfy { $0 % 2 == 1 })
            #expect(Set(numbers).count == numbers.count)
        }
        store.close()
    }

    @Test func fileKeepsEverythingAndFindsEveryFlippedBit() throws {
        var column = try analysis((0..<300).map { $0 % 3 == 0 ? nil : Int64($0) }, distinct: 200)
        column.mostCommon = [.init(value: .string([97, 98]), fraction: 0.125), .init(value: .null, fraction: 0.0625)]
        let file = AnalysisFile(
            table: ObjectID(7), analysis: TableAnalysis(rowCount: 300, columns: [4: column], analyzedMicroseconds: 12),
            changed: ChangedRows(inserted: 3, deleted: 4), liveRows: 299,
            predicates: [2: PredicateUse(firstMicroseconds: 5, lastMicroseconds: 6)])
        let bytes = file.encoded()
        let read = try AnalysisFile(bytes, file: "x")
        #expect(read.table == file.table)
        #expect(read.analysis == file.analysis)
        #expect(read.changed == file.changed)
        #expect(read.liveRows == file.liveRows)
        #expect(read.predicates == file.predicates)
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] ^= 0x10
            #expect(throws: SQLError.self) { try AnalysisFile(damaged, file: "x") }
        }
        for length in 0..<bytes.count {
            #expect(throws: SQLError.self) { try AnalysisFile(Array(bytes[..<length]), file: "x") }
        }
    }

    @Test func damagedFilesCostEstimatesOnly() throws {
        let fixture = try StoreFixture()
        let table = StoreFixture.table(100_000, "t", [("k", .integer)])
        var store = try fixture.open()
        var catalog = CatalogSnapshot()
        catalog.put(.table(table))
        var change = StoreChange()
        change.catalog = catalog
        try store.commit(change)
        try fixture.load(store, table, (0..<10).map { [.integer(Int128($0))] })
        let found = TableAnalysis(rowCount: 10, columns: [0: ColumnAnalysis()], analyzedMicroseconds: 1)
        try store.analyses.record(found, of: table.id, liveRows: 10, isWhole: true)
        try fixture.load(store, table, [[.integer(11)], [.integer(12)]])
        #expect(store.analyses.changed(table.id) == ChangedRows(inserted: 2, deleted: 0))
        store.close()
        store = try fixture.open()
        #expect(store.analyses.analyzed(table.id)?.analysis == found)
        #expect(store.analyses.changed(table.id) == ChangedRows(inserted: 2, deleted: 0))
        store.close()
        let path = fixture.directory + "/db/statistics/100000"
        let file = try LocalFileSystem().open(path, .update)
        try [UInt8](repeating: 0xEE, count: 8).withUnsafeBytes { try file.write($0, at: 20) }
        let inspection = try WarehouseInspection(directory: fixture.directory + "/db", budget: fixture.budget)
        #expect(inspection.problems.count == 1)
        store = try fixture.open()
        #expect(store.analyses.analyzed(table.id) == nil)
        #expect(store.snapshot().table(table.id)?.rowCount == 12)
        store.close()
    }
}
