import Catalog
import ColumnStore
import Glibc
import Platform
import Testing
import Warehouse

/// Checkpoints leave small files; the warehouse puts them together by itself, with its rows and deletions as they were.
@Suite final class SmallFilesTests {
    private let folder = "/tmp/redbarn-small-\(SharedRandom().bytes(8).map { String($0) }.joined())"

    deinit { try? LocalFileSystem().removeTree(folder) }

    @Test func smallFilesAreMerged() throws {
        var options = WarehouseOptions()
        options.shape = ClusterShape(nodes: 1, slicesPerNode: 1)
        options.workers = 1
        options.synchronize = false
        let warehouse = try Warehouse(directory: folder, options: options)
        defer { warehouse.close() }
        let session = try warehouse.connect()
        try session.query("create table t (a int, b varchar(20))")
        for round in 0..<80 {
            try session.query("insert into t values (\(round), 'row \(round)'), (\(-round - 1), null)")
            try warehouse.store.checkpoint()
        }
        try session.query("delete from t where a = 7")
        var files = Int.max
        // Rounds of maintenance come every two seconds.
        for _ in 0..<600 where files > 64 {
            usleep(100_000)
            files = warehouse.store.snapshot().catalog.allRelations.reduce(0) { count, relation in
                guard case .table(let table) = relation else { return count }
                return count + (warehouse.store.snapshot().table(table.id)?.smallFileCount ?? 0)
            }
        }
        #expect(files <= 64)
        let sums = try session.query("select count(*), sum(a), count(b), count(distinct b) from t")
        #expect((0..<4).map { sums.text(row: 0, column: $0) } == ["159", "-87", "79", "79"])
    }
}
