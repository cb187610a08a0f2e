import Catalog
import ColumnStore
import ColumnVectors
import Platform
import SQLTypes
import Testing

@Suite struct PlacementTests {
    /// NULLs last, then by value, column by column: what ORDER BY says.
    static func isAscending(_ a: [Datum], _ b: [Datum]) -> Bool {
        for (x, y) in zip(a, b) {
            if x == y { continue }
            switch (x, y) {
            case (.null, _): return false
            case (_, .null): return true
            case (.integer(let p), .integer(let q)): return p < q
            case (.double(let p), .double(let q)): if p != q { return p < q }
            case (.string(let p), .string(let q)):
                let (s, t) = (trim(p), trim(q))
                if s != t { return s.lexicographicallyPrecedes(t) }
            case (.interval(let p), .interval(let q)):
                let (s, t) = (
                    Int128(p.months) * 2_592_000_000_000 + Int128(p.microseconds),
                    Int128(q.months) * 2_592_000_000_000 + Int128(q.microseconds)
                )
                if s != t { return s < t }
            default: return false
            }
        }
        return true
    }
    static func trim(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        while bytes.last == 0x20 { bytes.removeLast() }
        return bytes
    }

    static let columns: [(String, SQLType)] = [
        ("i", .integer), ("b", .bigint), ("w", .decimal(precision: 38, scale: 0)), ("d", .double),
        ("few", .varchar(20)), ("many", .varchar(80)), ("v", .interval),
    ]

    static func row(_ random: inout SeededRandom) -> [Datum] {
        func or(_ datum: Datum) -> Datum { random.next() % 11 == 0 ? .null : datum }
        let number = Int64(truncatingIfNeeded: random.next())
        return [
            or(.integer(Int128(number % 50))), or(.integer(Int128(number))),
            or(.integer(Int128(number) << 60 ^ Int128(truncatingIfNeeded: random.next()))),
            or(.double(Double(number % 9) / 2)), or(.text("v\(number % 7)" + (number % 2 == 0 ? "  " : ""))),
            or(.text("common prefix \(random.next() % 5_000) and a longer tail \(number % 3)")),
            or(.interval(Interval(months: number % 4, microseconds: number % 9_000_000_000_000))),
        ]
    }

    @Test(arguments: [[0], [0, 1], [2], [3, 0], [4, 0], [5], [5, 0], [6, 0], [0, 2, 1], [4, 5, 1, 2]])
    func compoundSortKeysAreKept(key: [Int]) throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(slices: 3)
        var random = SeededRandom(seed: 7)
        let rows = (0..<5_000).map { _ in PlacementTests.row(&random) }
        let definition = StoreFixture.table(
            1, "t", PlacementTests.columns, distribution: .even, sortKey: .compound(key))
        try fixture.load(store, definition, rows, lanes: 2)
        let table = try #require(store.snapshot().table(ObjectID(1)))
        #expect(try table.slices.count == 3 && table.slices.allSatisfy { $0.count == 1 })
        #expect(try StoreFixture.sorted(StoreFixture.rows(table)) == StoreFixture.sorted(rows))
        for part in try table.parts {
            #expect(part.isSorted)
            var previous: [Datum]?
            let batch = ColumnBatch(types: definition.columns.map(\.type))
            for column in key { try part.decode(column: column, group: 0, into: batch.columns[column]) }
            for row in 0..<part.rowCount {
                let now = key.map { batch.datum(row: row, column: $0) }
                if let previous { #expect(PlacementTests.isAscending(previous, now)) }
                previous = now
            }
        }
    }

    @Test func interleavedKeysKeepAllRows() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(slices: 1)
        var random = SeededRandom(seed: 8)
        let rows = (0..<3_000).map { _ in PlacementTests.row(&random) }
        let definition = StoreFixture.table(1, "t", PlacementTests.columns, sortKey: .interleaved([0, 5, 3]))
        try fixture.load(store, definition, rows)
        let table = try #require(store.snapshot().table(ObjectID(1)))
        #expect(try StoreFixture.sorted(StoreFixture.rows(table)) == StoreFixture.sorted(rows))
    }

    @Test func equalKeysMeetOnOneSlice() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(slices: 4)
        let keys: [SQLType] = [.integer, .bigint, .decimal(precision: 10, scale: 2), .decimal(precision: 30, scale: 5)]
        let factors: [Int128] = [1, 1, 100, 100_000]
        var places: [[Int: Int]] = []
        for (index, type) in keys.enumerated() {
            let definition = StoreFixture.table(Int64(index + 1), "t\(index)", [("k", type)], distribution: .key(0))
            try fixture.load(store, definition, (0..<1_000).map { [.integer(Int128($0) * factors[index])] } + [[.null]])
            let table = try #require(store.snapshot().table(definition.id))
            var place: [Int: Int] = [:]
            for part in try table.parts {
                let buffer = ColumnBuffer(type)
                try part.decode(column: 0, group: 0, into: buffer)
                for row in 0..<buffer.count {
                    switch buffer.datum(row: row, type: type) {
                    case .integer(let value): place[Int(value / factors[index])] = part.slice
                    default: #expect(part.slice == 0)
                    }
                }
            }
            #expect(place.count == 1_000)
            #expect(table.effectiveDistribution == .key(0))
            places.append(place)
        }
        #expect(Set(places).count == 1)
        for slice in 0..<4 { #expect(places[0].values.count { $0 == slice } > 150) }
    }

    @Test func evenMeansEven() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(slices: 4)
        let definition = StoreFixture.table(1, "t", [("k", .integer)], distribution: .even)
        for rows in [1, 1, 5, 1_000, 3] {
            try fixture.load(store, definition, (0..<rows).map { [.integer(Int128($0))] }, lanes: 1)
        }
        let table = try #require(store.snapshot().table(ObjectID(1)))
        let counts = table.statistics.sliceRows
        #expect(counts.reduce(0, +) == 1_010)
        #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 1)
    }

    @Test func autoStartsAsAllAndBecomesEven() throws {
        let fixture = try StoreFixture()
        var options = StoreFixture.options
        options.autoAllRows = 1_000
        let store = try fixture.open(slices: 2, options: options)
        let definition = StoreFixture.table(1, "t", [("k", .integer)], distribution: .auto)
        try fixture.load(store, definition, (0..<600).map { [.integer(Int128($0))] }, lanes: 2)
        var table = try #require(store.snapshot().table(ObjectID(1)))
        #expect(try table.effectiveDistribution == .all && table.slices[0].count == 1 && table.slices[1].isEmpty)
        try fixture.load(store, definition, (0..<5_000).map { [.integer(Int128($0))] }, lanes: 2)
        table = try #require(store.snapshot().table(ObjectID(1)))
        #expect(try table.effectiveDistribution == .even && table.rowCount == 5_600 && !table.slices[1].isEmpty)
    }

    @Test func allIsListedOnceAndCopiedToEveryNode() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(slices: 2, nodes: 3)
        let definition = StoreFixture.table(1, "t", [("k", .integer)], distribution: .all)
        try fixture.load(store, definition, (0..<10).map { [.integer(Int128($0))] })
        let table = try #require(store.snapshot().table(ObjectID(1)))
        #expect(try table.rowCount == 10 && table.slices.count == 6 && table.effectiveDistribution == .all)
        let files = LocalFileSystem()
        for node in 0..<3 {
            #expect(try files.list("\(fixture.directory)/db/node\(node)/slice0/1").count == 1)
        }
    }
}
