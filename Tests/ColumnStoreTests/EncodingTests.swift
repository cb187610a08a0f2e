import Catalog
import ColumnStore
import ColumnVectors
import Glibc
import Platform
import SQLTypes
import Testing

/// Hostile values through every encoding: written, dropped from memory, read again from disk.
@Suite struct EncodingTests {
    static let counts = [1, 2, 65_535, 65_536, 65_537]

    static func roundTrip(
        _ type: SQLType, _ values: [Datum], encoding: ColumnEncoding = .auto
    ) throws -> TableSnapshot {
        let fixture = try StoreFixture()
        let store = try fixture.open(slices: 1)
        let definition = StoreFixture.table(1, "t", [("v", type)], encoding: encoding)
        try fixture.load(store, definition, values.map { [$0] })
        store.dropCache()
        let table = try #require(store.snapshot().table(ObjectID(1)))
        let back = try StoreFixture.rows(table).map { $0[0] }
        #expect(back.count == values.count)
        var differences = 0
        for (left, right) in zip(back, values) where !same(left, right) { differences += 1 }
        #expect(differences == 0)
        try expectTrueZones(table)
        store.close()
        return table
    }

    /// Bit for bit: NaN equals itself, -0.0 is not 0.0.
    static func same(_ left: Datum, _ right: Datum) -> Bool {
        if case .double(let a) = left, case .double(let b) = right { return a.bitPattern == b.bitPattern }
        return left == right
    }

    static func expectTrueZones(_ table: TableSnapshot) throws {
        for part in try table.parts {
            for group in 0..<part.rowGroupCount {
                let zone = part.zone(column: 0, group: group)
                let block = try part.pin(column: 0, group: group)
                defer { part.unpin(column: 0, group: group) }
                #expect(block.pointee.count == zone.rowCount && block.pointee.nullCount == zone.nullCount)
                #expect(block.pointee.minimum == zone.minimum && block.pointee.maximum == zone.maximum)
                #expect(block.pointee.form == zone.form && Int(block.pointee.count) == part.rows(inGroup: group))
                #expect((block.pointee.validity != nil) == (zone.nullCount > 0))
            }
        }
    }

    @Test(arguments: counts, ColumnEncoding.allCases)
    func integers(count: Int, encoding: ColumnEncoding) throws {
        let extremes: [Int128] = [Int128(Int64.min), Int128(Int64.max), 0, -1, 1, 255, 256, 65_535, 65_536, 1 << 32]
        let values = (0..<count).map { Datum.integer(extremes[$0 % extremes.count]) }
        let table = try EncodingTests.roundTrip(.bigint, values, encoding: encoding)
        #expect(table.statistics.columns[0].minimum == values.map(\.number).min().map { .integer($0) })
        #expect(table.statistics.columns[0].maximum == values.map(\.number).max().map { .integer($0) })
    }

    @Test func integerWidthsFollowTheRange() throws {
        let cases: [([Int128], Int32, Int64)] = [
            ([5, 5, 5], 0, 5), ([0, 255], 1, 0), ([1_000, 1_255], 1, 1_000), ([0, 256], 2, 0),
            ([-1, 254], 1, -1), ([-1, 65_534], 2, -1), ([70_000, 70_001], 1, 70_000), ([0, 4_294_967_295], 4, 0),
            ([0, 4_294_967_296], 8, 0), ([Int128(Int64.min), Int128(Int64.min) + 3], 1, Int64.min),
            ([Int128(Int64.max) - 3, Int128(Int64.max)], 1, Int64.max - 3),
        ]
        for (values, width, base) in cases {
            let table = try EncodingTests.roundTrip(.bigint, values.map { .integer($0) } + [.null])
            let block = try table.parts[0].pin(column: 0, group: 0)
            #expect(block.pointee.width == width && block.pointee.base == base)
            try table.parts[0].unpin(column: 0, group: 0)
        }
    }

    static let nullable: [SQLType] = [
        .boolean, .bigint, .decimal(precision: 38, scale: 0), .double, .varchar(9), .interval,
    ]

    @Test(arguments: counts, nullable)
    func allNull(count: Int, type: SQLType) throws {
        let table = try EncodingTests.roundTrip(type, [Datum](repeating: .null, count: count))
        #expect(table.statistics.columns[0].nullCount == Int64(count))
        #expect(table.statistics.columns[0].minimum == .null && table.statistics.columns[0].maximum == .null)
    }

    @Test func wideExtremes() throws {
        let extremes: [Int128] = [.min, .max, 0, -1, 1 << 64, -(1 << 64)]
        let values = (0..<1_000).map { $0 % 7 == 3 ? Datum.null : .integer(extremes[$0 % 6]) }
        let table = try EncodingTests.roundTrip(.decimal(precision: 38, scale: 0), values)
        #expect(table.statistics.columns[0].minimum == .integer(.min))
        #expect(table.statistics.columns[0].maximum == .integer(.max))
    }

    @Test func doubles() throws {
        let extremes: [Double] = [
            .nan, -0.0, 0.0, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 1.5,
        ]
        let values = (0..<2_000).map { $0 % 9 == 3 ? Datum.null : .double(extremes[$0 % 8]) }
        let table = try EncodingTests.roundTrip(.double, values)
        #expect(table.statistics.columns[0].minimum == .double(-.infinity))
        guard case .double(let high) = table.statistics.columns[0].maximum else {
            Issue.record("no maximum")
            return
        }
        #expect(high.isNaN)
    }

    @Test(arguments: [ColumnEncoding.raw, .lzo, .zstd, .bytedict, .text255, .text32k, .runlength, .auto])
    func strings(encoding: ColumnEncoding) throws {
        let odd: [[UInt8]] = [
            [], [0], [0, 0, 65], [32], [65, 32, 32], [65], [255, 254], [UInt8](repeating: 120, count: 65_535),
            [UInt8](repeating: 0, count: 300),
        ]
        let values = (0..<1_500).map { (row: Int) -> Datum in row % 11 == 4 ? .null : .string(odd[row % 9]) }
        let table = try EncodingTests.roundTrip(.varchar(65_535), values, encoding: encoding)
        #expect(table.statistics.columns[0].hasTrailingBlanks)
        let unique = (0..<1_500).map { (row: Int) -> Datum in .string(odd[row % 7] + Array("\(row)".utf8)) }
        let second = try EncodingTests.roundTrip(.varchar(65_535), unique, encoding: encoding)
        #expect(try second.parts[0].dictionary(column: 0) == nil)
        #expect(!second.statistics.columns[0].hasTrailingBlanks)
    }

    @Test func charLosesItsBlanks() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(slices: 1)
        let definition = StoreFixture.table(1, "t", [("c", .char(4))])
        try fixture.load(store, definition, [[.text("ab  ")], [.text("ab")], [.text("    ")]])
        let table = try #require(store.snapshot().table(ObjectID(1)))
        #expect(try StoreFixture.rows(table) == [[.text("ab")], [.text("ab")], [.text("")]])
        #expect(try table.parts[0].dictionary(column: 0)?.count == 2)
    }

    /// A column that starts with few strings and ends with too many for a dictionary.
    @Test func dictionariesGiveUp() throws {
        let values = (0..<200_000).map { Datum.text($0 < 50_000 ? "few \($0 % 3)" : "many \($0)") }
        let table = try EncodingTests.roundTrip(.varchar(30), values)
        #expect(try table.parts[0].dictionary(column: 0) == nil)
        let distinct = table.statistics.columns[0].distinctCount
        #expect(abs(distinct - 150_003) < 15_000)
    }

    @Test func dictionariesAreMergedOverParts() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(slices: 2)
        let definition = StoreFixture.table(1, "t", [("c", .varchar(9))])
        for names in [["b", "d", "b "], ["a", "d"], ["c"]] {
            try fixture.load(store, definition, (0..<100).map { [.text(names[$0 % names.count])] })
        }
        let table = try #require(store.snapshot().table(ObjectID(1)))
        let unified = try #require(table.unifiedDictionary(column: 0))
        let entries = (0..<unified.dictionary.count).map {
            String(decoding: unified.dictionary.views[$0].bytes, as: UTF8.self)
        }
        #expect(entries == ["a", "b", "b ", "c", "d"])
        for part in try table.parts {
            let own = try #require(part.dictionary(column: 0))
            for code in 0..<own.count {
                let place = unified.remap(part: part).map { Int($0[code]) } ?? code
                #expect(StringView.equal(unified.dictionary.views[place], own.views[code]))
            }
        }
    }

    /// Values that need 64 bits arrive late, in the middle of a chunk and in only one of two lanes.
    @Test(arguments: [SortKey.none, .compound([0])])
    func lateWideValues(sortKey: SortKey) throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(slices: 2)
        let definition = StoreFixture.table(1, "t", [("v", .bigint), ("s", .varchar(8))], sortKey: sortKey)
        let writer = try store.writer(for: definition)
        let lanes = [writer.makeLane(), writer.makeLane()]
        var all: [[Datum]] = []
        for (lane, start) in [(0, 0), (1, 0), (0, 5_000), (0, 1 << 40), (0, 7), (1, 900)] {
            let rows = (0..<700).map { row -> [Datum] in
                row % 50 == 9 ? [.null, .null] : [.integer(Int128(start + row)), .text("\(row % 3)")]
            }
            all += rows
            try lanes[lane].append(try StoreFixture.batch(definition, rows))
        }
        var change = StoreChange()
        var catalog = store.snapshot().catalog
        catalog.put(.table(definition))
        change.catalog = catalog
        change.added = [try writer.finish(StatementWorkers(fixture.pool))]
        try store.commit(change)
        let table = try #require(store.snapshot().table(ObjectID(1)))
        #expect(try StoreFixture.sorted(StoreFixture.rows(table)) == StoreFixture.sorted(all))
        #expect(table.statistics.columns[0].maximum == .integer((1 << 40) + 699))
    }

    /// Rows that nobody committed leave nothing behind.
    @Test func abandonedLoadsVanish() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(slices: 2)
        let definition = StoreFixture.table(1, "t", [("v", .bigint)])
        for finish in [true, false] {
            let writer = try store.writer(for: definition)
            try writer.makeLane().append(try StoreFixture.batch(definition, [[.integer(1)], [.integer(2)]]))
            if finish { _ = try writer.finish(StatementWorkers(fixture.pool)) } else { writer.abort() }
        }
        for slice in 0..<2 {
            let folder = "\(fixture.directory)/db/node0/slice\(slice)/1"
            #expect(try LocalFileSystem().status(folder) == nil)
        }
        #expect(fixture.budget.used == 0)
    }

    @Test func addedAndDroppedColumns() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(slices: 1)
        var definition = StoreFixture.table(1, "t", [("a", .integer), ("b", .varchar(5))])
        try fixture.load(store, definition, [[.integer(1), .text("x")], [.integer(2), .null]])
        let added: [(SQLType, Datum)] = [
            (.integer, .null), (.bigint, .integer(7)), (.varchar(9), .text("new")), (.varchar(9), .null),
            (.double, .double(0.5)), (.decimal(precision: 30, scale: 0), .integer(1 << 90)),
        ]
        var change = StoreChange()
        definition.columns.remove(at: 0)
        for (type, value) in added {
            let id = definition.nextColumnID
            definition.columns.append(ColumnDefinition(id: id, name: "c\(id)", type: type))
            definition.nextColumnID += 1
            change.columnDefaults[IdentityKey(table: definition.id, column: id)] = value
        }
        var catalog = store.snapshot().catalog
        catalog.put(.table(definition))
        change.catalog = catalog
        change.identity = [IdentityKey(table: definition.id, column: 3): 42]
        try store.commit(change)
        let expected = [[Datum.text("x")] + added.map(\.1), [.null] + added.map(\.1)]
        #expect(try StoreFixture.rows(try #require(store.snapshot().table(ObjectID(1)))) == expected)
        store.close()
        let again = try fixture.open(slices: 1)
        let table = try #require(again.snapshot().table(ObjectID(1)))
        #expect(try StoreFixture.rows(table) == expected)
        #expect(again.snapshot().nextIdentity(IdentityKey(table: definition.id, column: 3)) == 42)
        #expect(table.statistics.columns[1].nullCount == 2 && table.statistics.columns[2].minimum == .integer(7))
    }

    @Test func smallBudgetsEvictAndFlush() throws {
        let fixture = try StoreFixture(limit: 12 << 20)
        var options = StoreFixture.options
        options.writeBufferBytes = 2 << 20
        let store = try fixture.open(slices: 2, options: options)
        let definition = StoreFixture.table(
            1, "t", [("k", .bigint), ("s", .varchar(40))], distribution: .key(0), sortKey: .compound([0]))
        let writer = try store.writer(for: definition)
        let lane = writer.makeLane()
        for piece in 0..<60 {
            let rows = (0..<4_000).map {
                [Datum.integer(Int128(piece * 4_000 + $0) * 7_919), .text("row \(piece) \($0)")]
            }
            try lane.append(try StoreFixture.batch(definition, rows))
        }
        var change = StoreChange()
        var catalog = store.snapshot().catalog
        catalog.put(.table(definition))
        change.catalog = catalog
        change.added = [try writer.finish(StatementWorkers(fixture.pool))]
        try store.commit(change)
        let table = try #require(store.snapshot().table(ObjectID(1)))
        #expect(try table.rowCount == 240_000 && table.parts.count > 4 && table.parts.allSatisfy(\.isSorted))
        var sum: Int128 = 0
        for _ in 0..<2 {
            for part in try table.parts {
                for group in 0..<part.rowGroupCount {
                    for column in 0..<2 {
                        let buffer = ColumnBuffer(definition.columns[column].type)
                        try part.decode(column: column, group: group, into: buffer)
                        if column == 1 { continue }
                        for row in 0..<buffer.count { sum += buffer.datum(row: row, type: .bigint).number }
                    }
                }
            }
        }
        #expect(sum == 2 * 7_919 * (0..<240_000).reduce(Int128(0)) { $0 + Int128($1) })
        #expect(store.cachedBytes <= 12 << 20 && fixture.budget.used <= 12 << 20)
        store.dropCache()
        #expect(store.cachedBytes == 0)
    }
}

extension Datum {
    var number: Int128 { if case .integer(let value) = self { value } else { 0 } }
}
