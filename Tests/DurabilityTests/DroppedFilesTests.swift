import Catalog
import Platform
import SQLTypes
import Testing
import Warehouse

/// What a table had on disk is gone without a restart, once nobody needs it: parts, lists of deleted rows, statistics,
/// and folders.
@Suite final class DroppedFilesTests {
    private let folder = "/tmp/redbarn-dropped-\(SharedRandom().bytes(8).map { String($0) }.joined())"
    private let files = LocalFileSystem()
    private let warehouse: Warehouse
    private let session: Session

    init() throws {
        var options = WarehouseOptions()
        options.shape = ClusterShape(nodes: 2, slicesPerNode: 2)
        options.workers = 1
        options.memoryBytes = 256 << 20
        options.historyBytes = 0
        options.synchronize = false
        warehouse = try Warehouse(directory: folder, options: options)
        session = try warehouse.connect()
        // The only table that stays; it has no files before the first checkpoint.
        try session.query("create table digits (d integer) diststyle all")
        try session.query("insert into digits values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)")
        try warehouse.store.checkpoint()
        kept = try paths()
    }

    deinit {
        warehouse.close()
        try? files.removeTree(folder)
    }

    private var kept: [String] = []
    private static let rows = "select a.d + 10 * b.d as k, 'text' as s from digits a, digits b"
    /// More rows than go to the log.
    private static let manyRows = "select a.d as k from digits a, digits b, digits c, digits d"

    /// Files and folders of tables, below the slices' own folders, and files of statistics.
    private func paths() throws -> [String] {
        var found: [String] = []
        for node in ["node0", "node1"] {
            for slice in ["slice0", "slice1"] {
                let root = FilePath.join(FilePath.join(folder, node), slice)
                guard try files.status(root) != nil else { continue }
                for table in try files.list(root) {
                    let path = FilePath.join(root, table)
                    found.append(path)
                    found += try files.list(path).map { FilePath.join(path, $0) }
                }
            }
        }
        let statistics = FilePath.join(folder, "statistics")
        if try files.status(statistics) != nil {
            found += try files.list(statistics).map { FilePath.join(statistics, $0) }
        }
        return found
    }

    /// A table with parts, deleted rows on disk and statistics.
    private func make(_ name: String, _ style: String = "even", in session: Session? = nil) throws {
        let session = session ?? self.session
        try session.query("create table \(name) diststyle \(style) as \(DroppedFilesTests.rows)")
        try warehouse.store.checkpoint()
        try session.query("delete from \(name) where k % 3 = 0")
        try warehouse.store.checkpoint()
        try session.query("analyze \(name)")
    }

    private func suffixes() throws -> Set<String> {
        Set(try paths().map { path in FilePath.name(path).split(separator: ".").last.map(String.init) ?? "" })
    }

    @Test(arguments: ["even", "all"]) func dropLeavesNothing(_ style: String) throws {
        try make("t", style)
        #expect(try suffixes().isSuperset(of: ["part", "del"]))
        #expect(try paths().contains { $0.contains("/statistics/") })
        try session.query("drop table t")
        #expect(try paths() == kept)
    }

    @Test func manyTimes() throws {
        for _ in 0..<20 {
            try make("t")
            try session.query("drop table t")
        }
        #expect(try paths() == kept)
    }

    @Test func truncateLeavesFoldersOnly() throws {
        try make("t")
        try session.query("truncate t")
        #expect(try !suffixes().contains("del"))
        try session.query("insert into t values (1, 'one')")
        try warehouse.store.checkpoint()
        #expect(try session.query("select count(*) from t").text(row: 0, column: 0) == "1")
        try session.query("drop table t")
        #expect(try paths() == kept)
    }

    @Test func readersKeepWhatTheyRead() throws {
        try make("t")
        let reader = try warehouse.connect()
        try reader.query("begin")
        #expect(try reader.query("select count(*) from t").text(row: 0, column: 0) == "66")
        try session.query("drop table t")
        warehouse.store.dropCache()
        #expect(try reader.query("select count(*), sum(k) from t").text(row: 0, column: 1) == "3267")
        #expect(try suffixes().contains("part"))
        try reader.query("commit")
        #expect(try paths() == kept)
        try reader.close()
    }

    @Test func rolledBack() throws {
        try session.query("begin")
        try session.query("create table t as \(DroppedFilesTests.manyRows)")
        try session.query("analyze t")
        #expect(try paths().count > kept.count)
        try session.query("rollback")
        #expect(try paths() == kept)
    }

    @Test func statisticsComeWithTheCommit() throws {
        try session.query("begin")
        try session.query("create table t as \(DroppedFilesTests.manyRows)")
        try session.query("analyze t")
        #expect(try !paths().contains { $0.contains("/statistics/") })
        try session.query("commit")
        #expect(try paths().contains { $0.contains("/statistics/") })
        try session.query("drop table t")
        #expect(try paths() == kept)
    }

    @Test func failedLoads() throws {
        #expect(throws: SQLError.self) {
            try self.session.query(
                "create table t as select 1 / (a.d * 1000 + b.d * 100 + c.d * 10 + d.d - 9999) as k "
                    + "from digits a, digits b, digits c, digits d")
        }
        #expect(try paths() == kept)
    }

    @Test func replacedAndRewritten() throws {
        try make("t")
        try session.query("alter table t alter distkey k")
        try session.query("alter table t drop column s")
        try session.query("begin; create table u (like t); insert into u select * from t; drop table t; commit")
        try session.query("alter table u rename to t")
        try warehouse.store.checkpoint()
        #expect(try session.query("select count(*) from t").text(row: 0, column: 0) == "66")
        try session.query("drop table t")
        #expect(try paths() == kept)
    }

    @Test func schemasAndSessions() throws {
        try session.query("create schema s")
        try make("s.t")
        try make("s.u", "all")
        try session.query("drop schema s cascade")
        #expect(try paths() == kept)
        let other = try warehouse.connect()
        try other.query("create temporary table t as \(DroppedFilesTests.manyRows)")
        try other.query("analyze t")
        #expect(try paths().count > kept.count)
        try other.close()
        #expect(try paths() == kept)
    }

    @Test func folderOfADroppedTableIsMadeAgain() throws {
        // One transaction empties its own table before it fills it again.
        try session.query(
            "begin; create table t as \(DroppedFilesTests.manyRows); delete from t; "
                + "insert into t \(DroppedFilesTests.manyRows); commit")
        #expect(try session.query("select count(*) from t").text(row: 0, column: 0) == "10000")
        try session.query("drop table t")
        #expect(try paths() == kept)
    }
}
