import Catalog
import ColumnStore
import ColumnVectors
import Platform
import SQLTypes
import Testing

/// Deletions and rewrites survive crashes and damage like loads do.
@Suite struct DeleteRecoveryTests {
    static let definition = StoreFixture.table(7, "t", [("k", .integer), ("s", .varchar(40))], distribution: .even)

    static func rows(_ count: Int) -> [[Datum]] {
        (0..<count).map { [.integer(Int128($0)), .text("row \($0 % 7)")] }
    }

    /// The rows that are left.
    static func live(_ store: Store) throws -> [String] {
        guard let table = store.snapshot().table(ObjectID(7)) else { return [] }
        var result: [[Datum]] = []
        for part in try table.parts {
            for group in 0..<part.rowGroupCount {
                let batch = ColumnBatch(types: table.definition.columns.map(\.type))
                try part.decodeLive(group: group, into: batch)
                for row in 0..<batch.rowCount { result.append(batch.row(row)) }
            }
        }
        #expect(result.count == table.rowCount)
        return StoreFixture.sorted(result)
    }

    /// Deletes the rows whose key the condition holds for.
    static func delete(_ store: Store, where condition: (Int128) -> Bool) throws {
        let snapshot = store.snapshot()
        guard let table = snapshot.table(ObjectID(7)) else { return }
        let claims = try RowClaims(table)
        var ids: [Int64] = []
        for (index, part) in try table.slices.flatMap({ $0 }).enumerated() {
            for group in 0..<part.rowGroupCount {
                let keys = ColumnBuffer(.integer)
                try part.decode(column: 0, group: group, into: keys)
                for row in 0..<keys.count {
                    if part.deletedRows(group: group)?[row] == 1 { continue }
                    if case .integer(let key) = keys.datum(row: row, type: .integer), condition(key) {
                        ids.append(RowID.make(part: index, group: group, row: row))
                    }
                }
            }
        }
        var accepted: [UInt16] = []
        try claims.claim(ids, ids.count, accepted: &accepted)
        #expect(accepted.count == ids.count)
        var change = StoreChange()
        change.base = snapshot
        change.delete(claims)
        try store.commit(change)
    }

    static func rewrite(_ store: Store, _ fixture: StoreFixture) throws {
        let snapshot = store.snapshot()
        guard let table = snapshot.table(ObjectID(7)) else { return }
        let writer = try store.writer(for: definition, replacing: true)
        let lane = writer.makeLane()
        for part in try table.parts {
            for group in 0..<part.rowGroupCount {
                let batch = ColumnBatch(types: definition.columns.map(\.type))
                try part.decodeLive(group: group, into: batch)
                try lane.append(batch)
            }
        }
        var change = StoreChange()
        change.base = snapshot
        change.removed = [ObjectID(7): Set(try table.parts.map(\.id))]
        change.added = [try writer.finish(StatementWorkers(fixture.pool))]
        try store.commit(change)
    }

    /// Load, delete, delete more, rewrite: after a failure at any writing operation the reopened state is the last
    /// acknowledged one or the one after it, and no file is left over.
    @Test func everyPrefixLeavesACommittedState() throws {
        let all = Self.rows(40)
        func left(_ condition: (Int) -> Bool) -> [String] {
            StoreFixture.sorted(all.indices.filter(condition).map { all[$0] })
        }
        let once = left { $0 % 3 != 0 }
        let twice = left { $0 % 3 != 0 && $0 >= 10 }
        let allowed = [[], left { _ in true }, once, twice, twice]
        var failing = 0
        while true {
            let fixture = try StoreFixture()
            let faulty = FaultyFileSystem(operations: failing)
            var reached = 0
            var failed = false
            do {
                let store = try fixture.open(faulty, options: RecoveryTests.durable)
                defer { store.close() }
                try fixture.load(store, Self.definition, all)
                reached = 1
                try Self.delete(store) { $0 % 3 == 0 }
                reached = 2
                try Self.delete(store) { $0 < 10 }
                reached = 3
                try Self.rewrite(store, fixture)
                reached = 4
            } catch let error as SQLError {
                #expect(error.state == .diskFull)
                failed = true
            }
            let store = try fixture.open(options: RecoveryTests.durable)
            let rows = try Self.live(store)
            #expect(rows == allowed[reached] || (reached < 4 && rows == allowed[reached + 1]))
            try Self.expectNoOrphans(store, fixture)
            // The store goes on working after the crash.
            try Self.delete(store) { $0 == 11 }
            #expect(try Self.live(store).count == max(rows.count - (rows.isEmpty ? 0 : 1), 0))
            store.close()
            if !failed { break }
            failing += 1
        }
        #expect(failing > 40)
    }

    static func expectNoOrphans(_ store: Store, _ fixture: StoreFixture) throws {
        // Files of deleted rows are a checkpoint's.
        try store.checkpoint()
        let files = LocalFileSystem()
        var onDisk = 0
        for slice in 0..<store.shape.slices {
            let folder = "\(fixture.directory)/db/node0/slice\(slice)/7"
            if try files.status(folder) != nil { onDisk += try files.list(folder).count }
        }
        let parts = try store.snapshot().table(ObjectID(7))?.parts ?? []
        #expect(onDisk == parts.reduce(0) { $0 + ($1.deletedRowCount > 0 ? 2 : 1) })
    }

    @Test(arguments: [3, 50]) func flippedBytesOfDeletedRowsAreFound(percent: Int) throws {
        let fixture = try StoreFixture()
        do {
            let store = try fixture.open(slices: 1)
            try fixture.load(store, Self.definition, Self.rows(300))
            try Self.delete(store) { Int($0) % 100 < percent }
            store.close()
        }
        let files = LocalFileSystem()
        let folder = "\(fixture.directory)/db/node0/slice0/7"
        let name = try #require(try files.list(folder).first { $0.hasSuffix(".del") })
        let path = folder + "/" + name
        let good = try files.readAll(path)
        for position in good.indices {
            var bad = good
            bad[position] ^= UInt8(1 << (position % 8))
            try files.replaceDurably(path, with: bad)
            #expect(throws: SQLError.self, "byte \(position)") { try fixture.open(slices: 1) }
        }
        for length in good.indices {
            try files.replaceDurably(path, with: Array(good[..<length]))
            #expect(throws: SQLError.self, "length \(length)") { try fixture.open(slices: 1) }
        }
        try files.replaceDurably(path, with: good)
        let store = try fixture.open(slices: 1)
        #expect(store.snapshot().table(ObjectID(7))?.rowCount == 300 - 3 * percent)
        store.close()
    }

    /// Two changes worked out on one state: other rows are fine, the same rows and rewritten parts are not.
    @Test func theFirstCommitterOfARowWins() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(slices: 1)
        try fixture.load(store, Self.definition, Self.rows(30))
        let base = store.snapshot()
        let table = try #require(base.table(ObjectID(7)))
        func change(_ rows: [Int]) throws -> StoreChange {
            let claims = try RowClaims(table)
            var accepted: [UInt16] = []
            try claims.claim(rows.map { RowID.make(part: 0, group: 0, row: $0) }, rows.count, accepted: &accepted)
            var change = StoreChange()
            change.base = base
            change.delete(claims)
            return change
        }
        let first = try change([1, 2, 3]), other = try change([4, 5]), same = try change([3, 9])
        try store.commit(first)
        try store.commit(other)
        #expect(throws: StoreConflict.self) { try store.commit(same) }
        #expect(store.snapshot().table(ObjectID(7))?.rowCount == 25)
        try Self.rewrite(store, fixture)
        #expect(throws: StoreConflict.self) { try store.commit(try change([20])) }
        var emptied = StoreChange()
        emptied.base = base
        emptied.emptied = [ObjectID(7)]
        #expect(throws: StoreConflict.self) { try store.commit(emptied) }
        #expect(store.snapshot().table(ObjectID(7))?.rowCount == 25)
        store.close()
    }
}
