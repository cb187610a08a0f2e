import Catalog
import ColumnStore
import ColumnVectors
import Platform
import SQLTypes
import Testing

/// The write-ahead log: what it keeps, how it ends, how damage shows.
@Suite struct LogTests {
    static let definition = StoreFixture.table(
        7, "t", [("k", .integer), ("s", .varchar(40))], distribution: .key(0), sortKey: .compound([0]))

    static func options(segmentBytes: Int = 16 << 20, roomBytes: Int = 0) -> StoreOptions {
        var options = StoreOptions()
        options.logRoomBytes = roomBytes
        options.synchronize = false
        options.segmentBytes = segmentBytes
        return options
    }

    /// Commits of so many rows each, and no end of the process in order.
    static func write(_ fixture: StoreFixture, commits: Int, rows: Int = 1, segmentBytes: Int = 16 << 20) throws {
        let store = try fixture.open(options: options(segmentBytes: segmentBytes))
        for commit in 0..<commits {
            let batch = (0..<rows).map { row -> [Datum] in
                [.integer(Int128(commit * rows + row)), row % 5 == 4 ? .null : .text("value \(commit)")]
            }
            try fixture.load(store, definition, batch)
        }
    }

    static func keys(_ store: Store) throws -> [Int128] {
        guard let table = store.snapshot().table(ObjectID(7)) else { return [] }
        return try StoreFixture.rows(table).compactMap {
            if case .integer(let key) = $0[0] { key } else { nil }
        }.sorted()
    }

    static func segments(_ fixture: StoreFixture) throws -> [String] {
        let folder = "\(fixture.directory)/db/log"
        return try LocalFileSystem().list(folder).filter { $0.hasSuffix(".log") }.map { "\(folder)/\($0)" }
    }

    @Test func rowsInTheLogAreFoundAgain() throws {
        let fixture = try StoreFixture()
        try LogTests.write(fixture, commits: 30, rows: 7, segmentBytes: 400)
        #expect(try LogTests.segments(fixture).count > 3)
        let store = try fixture.open(options: LogTests.options())
        #expect(store.recovery.commits == 30)
        #expect(store.recovery.broken == nil)
        #expect(try LogTests.keys(store) == (0..<210).map { Int128($0) })
        #expect(store.snapshot().table(ObjectID(7))?.logRowCount == 210)
        try store.checkpoint()
        #expect(try LogTests.segments(fixture).isEmpty)
        #expect(store.snapshot().table(ObjectID(7))?.logRowCount == 0)
        #expect(try store.snapshot().table(ObjectID(7))?.parts.allSatisfy { $0.isSorted && $0.isOnDisk } == true)
        #expect(try LogTests.keys(store) == (0..<210).map { Int128($0) })
        store.close()
    }

    /// Thousands of commits of one row make few parts, and a reader between them sees its own state.
    @Test func readersFindFewParts() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(options: LogTests.options())
        var seen: [(TableSnapshot, Int)] = []
        for commit in 0..<3_000 {
            try fixture.load(store, LogTests.definition, [[.integer(Int128(commit)), .text("v\(commit % 13)")]])
            if commit % 211 == 0 {
                let table = try #require(store.snapshot().table(ObjectID(7)))
                if commit % 422 == 0 { #expect(try StoreFixture.live(table).count == commit + 1) }
                seen.append((table, commit + 1))
            }
        }
        for (table, count) in seen {
            #expect(table.rowCount == count)
            #expect(try StoreFixture.live(table).count == count)
        }
        let table = try #require(store.snapshot().table(ObjectID(7)))
        #expect(try table.parts.count < 40)
        #expect(table.unifiedDictionary(column: 1)?.dictionary.count == 13)
        #expect(table.statistics.columns[0].maximum == .integer(2_999))
        store.close()
        #expect(try LogTests.keys(try fixture.open(options: LogTests.options())).count == 3_000)
    }

    /// Whatever the log is cut to: the complete commits are there, the rest is told of and kept.
    @Test func aTornEndIsPutAside() throws {
        let fixture = try StoreFixture()
        try LogTests.write(fixture, commits: 4, rows: 3)
        let files = LocalFileSystem()
        let path = try #require(try LogTests.segments(fixture).first)
        let good = try files.readAll(path)
        var counts: Set<Int> = []
        for length in stride(from: good.count - 1, to: 0, by: -7) {
            try files.removeTree("\(fixture.directory)/db/log")
            try files.makeDirectories("\(fixture.directory)/db/log")
            try files.replaceDurably(path, with: Array(good[..<length]))
            let store = try fixture.open(options: LogTests.options())
            let keys = try LogTests.keys(store)
            #expect(keys == (0..<keys.count).map { Int128($0) } && keys.count % 3 == 0)
            counts.insert(keys.count)
            if let broken = store.recovery.broken {
                let saved = try #require(broken.savedAs)
                #expect(try files.readAll(saved) == Array(good[broken.offset..<length]))
                #expect(broken.byteCount == length - broken.offset)
                #expect(broken.message.contains("\(broken.byteCount) bytes"))
            }
        }
        #expect(counts.count == 4)
    }

    /// The file is longer than its records: that is no end that was torn off, and the next records go there.
    @Test func roomForMoreRecords() throws {
        let fixture = try StoreFixture()
        let files = LocalFileSystem()
        for round in 1...3 {
            let store = try fixture.open(options: LogTests.options(roomBytes: 1000))
            #expect(store.recovery.broken == nil)
            for commit in 0..<40 {
                let key = Int128((round - 1) * 40 + commit)
                try fixture.load(store, LogTests.definition, [[.integer(key), .text("v")]])
            }
            let used = store.logBytes
            let sizes = try LogTests.segments(fixture).map { try files.readAll($0).count }
            #expect(sizes.reduce(0, +) > used)
        }
        let path = try #require(try LogTests.segments(fixture).last)
        var bytes = try files.readAll(path)
        bytes[bytes.count - 3] ^= 4
        try files.replaceDurably(path, with: bytes)
        let store = try fixture.open(options: LogTests.options(roomBytes: 1000))
        #expect(store.recovery.broken != nil)
        #expect(try LogTests.keys(store) == (0..<120).map { Int128($0) })
    }

    /// A flipped bit in front of acknowledged commits is never taken for the end.
    @Test func damageInTheMiddleIsAnError() throws {
        let fixture = try StoreFixture()
        try LogTests.write(fixture, commits: 5, rows: 2)
        let files = LocalFileSystem()
        let path = try #require(try LogTests.segments(fixture).first)
        let good = try files.readAll(path)
        var errors = 0, ends = 0
        for position in good.indices {
            var bad = good
            bad[position] ^= UInt8(1 << (position % 8))
            try files.replaceDurably(path, with: bad)
            do {
                let store = try fixture.open(options: LogTests.options())
                // Only the last commit can look as if it had never been finished.
                #expect(try LogTests.keys(store).count >= 8, "byte \(position)")
                ends += 1
            } catch let error as SQLError {
                #expect(error.state == .dataCorrupted, "byte \(position): \(error)")
                errors += 1
            }
        }
        #expect(errors > ends && ends > 0)
    }

    @Test func missingSegmentsAreAnError() throws {
        let fixture = try StoreFixture()
        try LogTests.write(fixture, commits: 12, rows: 2, segmentBytes: 300)
        let paths = try LogTests.segments(fixture)
        #expect(paths.count > 3)
        try LocalFileSystem().remove(paths[1])
        #expect { try fixture.open(options: LogTests.options()) } throws: { ($0 as? SQLError)?.state == .dataCorrupted }
    }

    /// Formats 1 and 2 had no log, format 3 named owners, format 4 was one database; their directories are opened and
    /// become format 5. Newer ones are refused.
    @Test(arguments: [1, 2, 3, 4, 5, 6]) func otherFormats(version: UInt8) throws {
        let fixture = try StoreFixture()
        do {
            let store = try fixture.open(options: LogTests.options())
            var catalog = store.snapshot().catalog
            catalog.put(.table(LogTests.definition))
            var change = StoreChange()
            change.catalog = catalog
            try store.commit(change)
            store.close()
        }
        let files = LocalFileSystem()
        let path = "\(fixture.directory)/db/superblock"
        var bytes = try files.readAll(path)
        #expect(bytes[8] == 5)
        bytes[8] = version
        let checksum = CRC32C.checksum(Array(bytes.dropLast(4)))
        for index in 0..<4 { bytes[bytes.count - 4 + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * index)) }
        try files.replaceDurably(path, with: bytes)
        if version > 5 {
            #expect { try fixture.open() } throws: { ($0 as? SQLError)?.state == .featureNotSupported }
            return
        }
        let store = try fixture.open(options: LogTests.options())
        #expect(store.snapshot().table(ObjectID(7)) != nil)
        #expect(try files.readAll(path)[8] == 5)
        store.close()
    }

    @Test func aNewerLogIsRefused() throws {
        let fixture = try StoreFixture()
        try LogTests.write(fixture, commits: 1)
        let files = LocalFileSystem()
        let path = try #require(try LogTests.segments(fixture).first)
        var bytes = try files.readAll(path)
        bytes[8] = 2
        let checksum = CRC32C.checksum(Array(bytes[..<36]))
        for index in 0..<4 { bytes[36 + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * index)) }
        try files.replaceDurably(path, with: bytes)
        #expect { try fixture.open() } throws: { ($0 as? SQLError)?.state == .featureNotSupported }
    }

    /// Rows that a change was worked out on may be in a part by the time it commits.
    @Test func deletionsFollowRowsThroughACheckpoint() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(slices: 1, options: LogTests.options())
        try fixture.load(store, LogTests.definition, [[.integer(5), .text("e")], [.integer(3), .text("c")]])
        try fixture.load(store, LogTests.definition, [[.integer(4), .text("d")], [.integer(1), .text("a")]])
        let base = store.snapshot()
        let table = try #require(base.table(ObjectID(7)))
        func change(_ keys: Set<Int128>) throws -> StoreChange {
            let claims = try RowClaims(table)
            var ids: [Int64] = []
            for (index, part) in try table.slices.flatMap({ $0 }).enumerated() {
                let column = ColumnBuffer(.integer)
                try part.decode(column: 0, group: 0, into: column)
                for row in 0..<column.count {
                    if case .integer(let key) = column.datum(row: row, type: .integer), keys.contains(key) {
                        ids.append(RowID.make(part: index, group: 0, row: row))
                    }
                }
            }
            var accepted: [UInt16] = []
            try claims.claim(ids, ids.count, accepted: &accepted)
            var change = StoreChange()
            change.base = base
            change.delete(claims)
            return change
        }
        let first = try change([3]), second = try change([5, 1]), again = try change([1])
        try store.commit(first)
        try store.checkpoint()
        try store.commit(second)
        #expect(throws: StoreConflict.self) { try store.commit(again) }
        #expect(throws: StoreConflict.self) { try store.commit(try change([3])) }
        let left = try StoreFixture.live(try #require(store.snapshot().table(ObjectID(7))))
        #expect(left == [[.integer(4), .text("d")]])
        store.close()
        let next = try fixture.open(slices: 1, options: LogTests.options())
        #expect(try StoreFixture.live(try #require(next.snapshot().table(ObjectID(7)))) == left)
        next.close()
    }

    @Test func doctorReadsTheLog() throws {
        let fixture = try StoreFixture()
        try LogTests.write(fixture, commits: 6, rows: 2)
        let budget = MemoryBudget(limit: 1 << 30)
        let found = try WarehouseInspection(directory: fixture.directory + "/db", budget: budget)
        #expect(found.problems == [])
        #expect(found.log.commits == 6 && found.logRowCount == 12 && found.version == 7)
        let files = LocalFileSystem()
        let path = try #require(try LogTests.segments(fixture).first)
        let good = try files.readAll(path)
        try files.replaceDurably(path, with: Array(good.dropLast(5)))
        let cut = try WarehouseInspection(directory: fixture.directory + "/db", budget: budget)
        #expect(cut.problems == [] && cut.log.broken?.commit == 7 && cut.logRowCount == 10)
        #expect(try files.readAll(path).count == good.count - 5)
        var bad = good
        bad[100] ^= 1
        try files.replaceDurably(path, with: bad)
        let damaged = try WarehouseInspection(directory: fixture.directory + "/db", budget: budget)
        #expect(damaged.problems.count == 1)
    }
}
