import Catalog
import ColumnStore
import ColumnVectors
import Platform
import SQLTypes
import Testing

@Suite struct RoundTripTests {
    static let types: [(String, SQLType)] = [
        ("a", .boolean), ("b", .smallint), ("c", .integer), ("d", .bigint), ("e", .decimal(precision: 12, scale: 2)),
        ("f", .decimal(precision: 38, scale: 4)), ("g", .double), ("h", .char(10)), ("i", .varchar(65_535)),
        ("j", .date), ("k", .timestamp), ("l", .interval),
    ]

    static func row(_ index: Int) -> [Datum] {
        if index % 17 == 5 { return types.map { _ in .null } }
        return [
            .boolean(index % 2 == 0), .integer(Int128(index % 30_000)), .integer(Int128(index) - 1_000),
            index % 3 == 0 ? .null : .integer(Int128(index) &* 1_000_000_007), .integer(Int128(index * 100)),
            .integer(Int128(index) << 70), .double(Double(index) / 7), .text("key\(index % 5)"),
            .text("text \(index) of some length"), .integer(Int128(index / 100)), .integer(Int128(index) << 32),
            .interval(Interval(months: Int64(index), microseconds: Int64(-index))),
        ]
    }

    @Test(arguments: [1, 3, 999, 70_000])
    func everyTypeComesBackAfterReopening(count: Int) throws {
        let fixture = try StoreFixture()
        let rows = (0..<count).map { RoundTripTests.row($0) }
        let definition = StoreFixture.table(100, "t", RoundTripTests.types)
        do {
            let store = try fixture.open()
            try fixture.load(store, definition, rows, lanes: 2)
            let table = try #require(store.snapshot().table(ObjectID(100)))
            #expect(table.rowCount == count)
            #expect(try StoreFixture.sorted(StoreFixture.rows(table)) == StoreFixture.sorted(rows))
            store.close()
        }
        let store = try fixture.open()
        let table = try #require(store.snapshot().table(ObjectID(100)))
        #expect(try StoreFixture.sorted(StoreFixture.rows(table)) == StoreFixture.sorted(rows))
        #expect(table.definition == definition)
    }
}
