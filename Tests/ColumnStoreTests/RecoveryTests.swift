import Catalog
import ColumnStore
import ColumnVectors
import Platform
import SQLTypes
import Testing

@Suite struct RecoveryTests {
    static let definition = StoreFixture.table(
        7, "t", [("k", .integer), ("s", .varchar(40))], distribution: .even)
    static func rows(_ count: Int, _ tag: String) -> [[Datum]] {
        (0..<count).map { [.integer(Int128($0)), .text("\(tag) \($0 % 7)")] }
    }
    static var durable: StoreOptions {
        var options = StoreOptions()
        options.logRows = 0
        return options
    }

    /// Create, load, replace. At every prefix of its writing operations the reopened state is one of the committed
    /// ones.
    @Test func everyPrefixLeavesACommittedState() throws {
        let first = RecoveryTests.rows(20, "first")
        let second = RecoveryTests.rows(30, "second")
        let allowed = [[], first, second].map { StoreFixture.sorted($0) }
        var failing = 0
        while true {
            let fixture = try StoreFixture()
            let faulty = FaultyFileSystem(operations: failing)
            var reached = 0
            var failed = false
            do {
                let store = try fixture.open(faulty, options: RecoveryTests.durable)
                defer { store.close() }
                try fixture.load(store, RecoveryTests.definition, first)
                reached = 1
                let writer = try store.writer(for: RecoveryTests.definition, replacing: true)
                try writer.makeLane().append(try StoreFixture.batch(RecoveryTests.definition, second))
                var change = StoreChange()
                change.emptied = [RecoveryTests.definition.id]
                change.added = [try writer.finish(StatementWorkers(fixture.pool))]
                try store.commit(change)
                reached = 2
            } catch let error as SQLError {
                #expect(error.state == .diskFull)
                failed = true
            }
            let store = try fixture.open(options: RecoveryTests.durable)
            let rows = try store.snapshot().table(ObjectID(7)).map { try StoreFixture.rows($0) } ?? []
            let state = try #require(allowed.firstIndex(of: StoreFixture.sorted(rows)))
            // An unacknowledged commit may have happened, an acknowledged one has.
            #expect(state == reached || state == reached + 1)
            try fixture.load(store, RecoveryTests.definition, first)
            #expect(store.snapshot().table(ObjectID(7))?.rowCount == rows.count + 20)
            try RecoveryTests.expectNoOrphans(store, fixture)
            store.close()
            if !failed { break }
            failing += 1
        }
        #expect(failing > 30)
    }

    static func expectNoOrphans(_ store: Store, _ fixture: StoreFixture) throws {
        let files = LocalFileSystem()
        var onDisk = 0
        for slice in 0..<store.shape.slices {
            let folder = "\(fixture.directory)/db/node0/slice\(slice)/7"
            if try files.status(folder) != nil { onDisk += try files.list(folder).count }
        }
        #expect(try onDisk == store.snapshot().table(ObjectID(7))?.parts.count)
    }

    /// No flipped byte is ever read as data: it is an error of state XX001, or it is not used.
    @Test func flippedBytesOfAPartAreFound() throws {
        let fixture = try StoreFixture()
        var definition = StoreFixture.table(
            7, "t", [("k", .integer), ("s", .varchar(40)), ("u", .varchar(40)), ("f", .double)])
        definition.columns[1].encoding = .zstd
        definition.columns[2].encoding = .raw
        let rows: [[Datum]] = (0..<1_200).map {
            [
                .integer(Int128($0 * $0)), $0 % 9 == 0 ? .null : .text("s\($0 % 7)"), .text("unique \($0)"),
                .double(Double($0 % 4)),
            ]
        }
        do {
            let store = try fixture.open(slices: 1)
            try fixture.load(store, definition, rows)
            store.close()
        }
        let files = LocalFileSystem()
        let folder = "\(fixture.directory)/db/node0/slice0/7"
        let path = folder + "/" + (try files.list(folder))[0]
        let good = try files.readAll(path)
        let step = max(good.count / 900, 1)
        for position in stride(from: 0, to: good.count, by: step).map({ $0 }) + Array(good.count - 40..<good.count) {
            var bad = good
            bad[position] ^= UInt8(1 << (position % 8))
            try files.replaceDurably(path, with: bad)
            #expect(throws: SQLError.self, "byte \(position)") { try RecoveryTests.readAll(fixture) }
        }
        for length in stride(from: 0, to: good.count, by: 97) {
            try files.replaceDurably(path, with: Array(good[..<length]))
            #expect(throws: SQLError.self, "length \(length)") { try RecoveryTests.readAll(fixture) }
        }
        try files.replaceDurably(path, with: good)
        #expect(try RecoveryTests.readAll(fixture) == StoreFixture.sorted(rows))
    }

    static func readAll(_ fixture: StoreFixture) throws -> [String] {
        do {
            let store = try fixture.open(slices: 1)
            defer { store.close() }
            guard let table = store.snapshot().table(ObjectID(7)) else { return [] }
            return StoreFixture.sorted(try StoreFixture.rows(table))
        } catch let error as SQLError {
            #expect(error.state == .dataCorrupted || error.state == .featureNotSupported)
            throw error
        }
    }

    @Test func flippedBytesOfTheSuperblockAreFound() throws {
        let fixture = try StoreFixture()
        do {
            let store = try fixture.open(slices: 1)
            try fixture.load(store, RecoveryTests.definition, RecoveryTests.rows(10, "x"))
            store.close()
        }
        let files = LocalFileSystem()
        let path = "\(fixture.directory)/db/superblock"
        let good = try files.readAll(path)
        for position in good.indices {
            var bad = good
            bad[position] ^= UInt8(1 << (position % 8))
            try files.replaceDurably(path, with: bad)
            #expect(throws: SQLError.self, "byte \(position)") { try RecoveryTests.readAll(fixture) }
        }
        for length in good.indices {
            try files.replaceDurably(path, with: Array(good[..<length]))
            #expect(throws: SQLError.self, "length \(length)") { try RecoveryTests.readAll(fixture) }
        }
    }

    @Test func foreignDirectoriesAndSecondProcessesAreRefused() throws {
        let fixture = try StoreFixture()
        let files = LocalFileSystem()
        try files.makeDirectories(fixture.directory + "/db/photos")
        #expect { try fixture.open() } throws: { ($0 as? SQLError)?.state == .objectNotInState }
        #expect(try files.list(fixture.directory + "/db") == ["photos"])
        try files.removeTree(fixture.directory + "/db/photos")
        let store = try fixture.open()
        #expect { try fixture.open() } throws: { ($0 as? SQLError)?.state == .objectInUse }
        store.close()
        try fixture.open().close()
    }

    @Test func readersKeepTheirSnapshotDuringCommits() throws {
        let fixture = try StoreFixture(limit: 64 << 20)
        let store = try fixture.open()
        try fixture.load(store, RecoveryTests.definition, RecoveryTests.rows(100, "0"))
        try fixture.pool.runThrowing { worker in
            if worker == 0 {
                let pool = WorkerPool(workers: 1)
                for round in 1...60 {
                    let writer = try store.writer(for: RecoveryTests.definition, replacing: true)
                    let batch = try StoreFixture.batch(
                        RecoveryTests.definition, RecoveryTests.rows(100 + round, "\(round)"))
                    try writer.makeLane().append(batch)
                    var change = StoreChange()
                    change.emptied = [RecoveryTests.definition.id]
                    change.added = [try writer.finish(StatementWorkers(pool))]
                    try store.commit(change)
                }
            } else {
                for _ in 0..<300 {
                    let snapshot = store.snapshot()
                    guard let table = snapshot.table(ObjectID(7)) else { continue }
                    let rows = try StoreFixture.rows(table)
                    #expect(rows.count == table.rowCount)
                    #expect(rows.count == 99 + Int(snapshot.version) - 1)
                    store.dropCache()
                }
            }
        }
        #expect(store.snapshot().table(ObjectID(7))?.rowCount == 160)
        try RecoveryTests.expectNoOrphans(store, fixture)
    }
}
