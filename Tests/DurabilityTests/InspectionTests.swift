import Catalog
import ColumnStore
import Platform
import SQLTypes
import Testing
import Warehouse

/// `redbarn doctor` looks into saved snapshots and the history, too.
@Suite final class InspectionTests {
    private let folder = "/tmp/redbarn-inspection-\(SharedRandom().bytes(8).map { String($0) }.joined())"
    private let files = LocalFileSystem()

    init() throws {
        var options = WarehouseOptions()
        options.shape = ClusterShape(nodes: 1, slicesPerNode: 1)
        options.workers = 1
        options.memoryBytes = 256 << 20
        options.synchronize = false
        let warehouse = try Warehouse(directory: folder, options: options)
        let session = try warehouse.connect()
        try session.query("create table t (k integer); insert into t values (1), (2), (3)")
        try session.query("create snapshot first")
        // Rewritten: the snapshot alone has the old part now.
        try session.query("alter table t alter distkey k")
        try session.query("select count(*) from t")
        try session.close()
        warehouse.close()
    }

    deinit { try? files.removeTree(folder) }

    private func inspect() throws -> WarehouseInspection {
        try WarehouseInspection(directory: folder, budget: MemoryBudget(limit: 64 << 20))
    }

    private func flip(_ path: String, at offset: Int) throws {
        var bytes = try files.readAll(path)
        bytes[offset < 0 ? bytes.count + offset : offset] ^= 0x10
        let file = try files.open(path, .replace)
        try bytes.withUnsafeBytes { try file.append($0) }
    }

    private func find(_ suffix: String, below path: String) throws -> [String] {
        try files.list(path).flatMap { name -> [String] in
            let found = FilePath.join(path, name)
            if try files.status(found)?.isDirectory == true { return try find(suffix, below: found) }
            return found.hasSuffix(suffix) ? [found] : []
        }
    }

    @Test func wholeOnes() throws {
        let found = try inspect()
        #expect(found.problems.isEmpty)
        #expect(found.snapshotCount == 1 && found.snapshotParts.rowCount == 3 && found.parts.rowCount == 3)
        let history = HistoryInspection(directory: folder)
        #expect(history.problems.isEmpty && history.cutOff.isEmpty)
        #expect(history.fileCount == 1 && history.recordCount > 3)
    }

    @Test func partOfASnapshot() throws {
        let part = try #require(try find(".part", below: FilePath.join(folder, "snapshots/first")).first)
        try flip(part, at: 70)
        let found = try inspect()
        #expect(!found.problems.isEmpty && found.problems.allSatisfy { $0.contains(part) })
        try files.remove(part)
        #expect(try inspect().problems.count == 1)
    }

    @Test func superblockOfASnapshot() throws {
        try flip(FilePath.join(folder, "snapshots/first/superblock"), at: 100)
        let found = try inspect()
        #expect(found.problems.count == 1 && found.problems.allSatisfy { $0.hasPrefix("snapshot \"first\": ") })
    }

    @Test func history() throws {
        let path = try #require(try find("", below: FilePath.join(folder, "history")).first)
        let bytes = try files.readAll(path)
        let whole = HistoryInspection(directory: folder).recordCount
        let file = try files.open(path, .update)
        try file.truncate(to: Int64(bytes.count - 5))
        let cut = HistoryInspection(directory: folder)
        #expect(cut.problems.isEmpty && cut.cutOff.count == 1 && cut.recordCount == whole - 1)
        try flip(path, at: 20)
        let damaged = HistoryInspection(directory: folder)
        #expect(damaged.problems.count == 1 && damaged.cutOff.isEmpty && damaged.recordCount == 0)
        #expect(try inspect().problems.isEmpty)
    }
}
