import Catalog
import ColumnStore
import Glibc
import Platform
import TestSupport
import Testing
import Warehouse

/// Statements that are run on a disk that is going to fail.
struct Workload: Sendable, CustomTestStringConvertible {
    var name: String
    /// Run before anything fails.
    var preparation: [String] = []
    var statements: [String]
    /// Bytes of log after which a checkpoint comes.
    var checkpointBytes = 64 << 20
    var closes = true
    var testDescription: String { name }

    static let directory = "/warehouse"

    func options(_ disk: SimulatedDisk) -> WarehouseOptions {
        var options = WarehouseOptions()
        options.shape = ClusterShape(nodes: 1, slicesPerNode: 2)
        options.workers = 1
        options.memoryBytes = 256 << 20
        options.fileSystem = disk
        options.checkpointBytes = checkpointBytes
        // A few sectors: a write is torn at each of them.
        options.logRoomBytes = 1024
        return options
    }

    func open(_ disk: SimulatedDisk) throws -> Warehouse {
        try Warehouse(directory: Workload.directory, options: options(disk))
    }

    /// Definitions and rows, as far as clients can see them.
    static func contents(_ warehouse: Warehouse) throws -> [String] {
        let session = try warehouse.connect()
        var lines: [String] = []
        for catalog in warehouse.store.snapshot().catalog.withinEach {
            let database = catalog.database
            // Temporary tables do not outlive their session.
            let schemas = catalog.schemas.keys.filter { !$0.hasPrefix("pg_temp_") }.sorted()
            lines.append("database \(database.name) \(database.connectionLimit ?? -1) \(schemas)")
            for relation in catalog.allRelations where schemas.contains(relation.schema) {
                lines += try contents(of: relation, database.name, session)
            }
        }
        try session.close()
        return lines
    }

    private static func contents(of relation: Relation, _ database: String, _ session: Session) throws -> [String] {
        switch relation {
        case .view(let view): return ["view \(view.name): \(view.query)"]
        case .table(let table):
            let name = "\(database).\(table.schema).\(table.name)"
            let columns = table.columns.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
            let result = try session.query("select * from \(name)")
            let counted = try session.query("select count(*) from \(name)")
            return ["table \(name) (\(columns))"] + result.rows.map { "\(table.name) \($0)" }.sorted()
                + ["\(table.name) count \(counted.rows[0][0])"]
        }
    }
}

/// Files that COPY reads.
enum LoadFiles {
    static let path: String = {
        let path = "/tmp/redbarn-durability-\(getpid()).csv"
        var text = ""
        for row in 0..<40 { text += "\(row),copied \(row % 7)\n" }
        let file = try? LocalFileSystem().open(path, .replace)
        try? Array(text.utf8).withUnsafeBytes { try file?.append($0) }
        return path
    }()
    static let large: String = {
        let path = "/tmp/redbarn-durability-large-\(getpid()).csv"
        var text = ""
        for row in 0..<10_000 { text += "\(row),bulk \(row % 11)\n" }
        let file = try? LocalFileSystem().open(path, .replace)
        try? Array(text.utf8).withUnsafeBytes { try file?.append($0) }
        return path
    }()
}

extension Workload {
    private static let table = "create table t (k integer, s varchar(30)) distkey(k) sortkey(k)"
    private static let rows = "insert into t values (1, 'one'), (2, 'two'), (3, 'three'), (4, null), (5, 'five')"
    private static let other = "create table u (k integer, s varchar(30)) diststyle even"
    /// More rows than the log takes.
    private static let bulk = "copy t from '\(LoadFiles.large)' csv"

    static let all: [Workload] = [
        Workload(name: "create", statements: [table, other, "create view v as select k from t"]),
        Workload(
            name: "single rows", preparation: [table],
            statements: (1...8).map { "insert into t values (\($0), 'row \($0)')" }),
        Workload(name: "one insert", preparation: [table], statements: [rows, rows]),
        Workload(
            name: "even insert", preparation: [other],
            statements: ["insert into u values (1, 'a'), (2, 'b'), (3, 'c')", "insert into u select k + 10, s from u"]),
        Workload(
            name: "replicated table",
            statements: [
                "create table a (k integer) diststyle all", "insert into a values (1), (2)",
                "delete from a where k = 1",
            ]),
        Workload(
            name: "all types",
            statements: [
                """
                create table w (a smallint, b bigint, c decimal(30, 5), d double precision, e real, f char(5),
                g varchar(300), h date, i timestamp, j timestamptz, k boolean, l time)
                """,
                """
                insert into w values (1, 2, 3.5, 4.25, 5.5, 'six', 'seven', '2020-01-02', '2020-01-02 03:04:05',
                '2020-01-02 03:04:05+00', true, '12:34:56')
                """,
                "insert into w (a) values (null)", "insert into w select * from w",
            ]),
        Workload(name: "copy", preparation: [table], statements: ["copy t from '\(LoadFiles.path)' csv", rows]),
        Workload(name: "bulk copy", preparation: [table], statements: [bulk, rows, "delete from t where k % 3 = 0"]),
        Workload(
            name: "update", preparation: [table, rows],
            statements: ["update t set s = 'x' where k < 3", "update t set k = k + 1", "update t set s = null"]),
        Workload(
            name: "update after checkpoint", preparation: [table, rows, "vacuum"],
            statements: ["update t set s = 'x' where k < 3", "update t set k = k + 1"]),
        Workload(
            name: "delete", preparation: [table, rows],
            statements: ["delete from t where k = 2", "delete from t where k > 3", "delete from t"]),
        Workload(
            name: "delete from file", preparation: [table, bulk],
            statements: ["delete from t where k = 2", "delete from t where k > 5000", "insert into t values (7, 'n')"]),
        Workload(
            name: "merge", preparation: [table, other, rows, "insert into u values (1, 'new'), (9, 'nine')"],
            statements: [
                """
                merge into t using u on t.k = u.k when matched then update set s = u.s
                when not matched then insert values (u.k, u.s)
                """,
                """
                merge into t using u on t.k = u.k when matched then delete
                when not matched then insert values (u.k, u.s)
                """,
            ]),
        Workload(
            name: "resize", preparation: [table, rows, other, "create table a (k integer) diststyle all"],
            statements: [
                "insert into a values (1), (2)", "resize cluster to 1 nodes 3 slices",
                "insert into t values (6, 'six')",
                "resize cluster to 2 nodes 1 slices", "delete from t where k = 1",
            ]),
        Workload(
            name: "snapshots", preparation: [table, rows, "create table a (k integer) diststyle all"],
            statements: [
                "create snapshot s", "delete from t where k < 3", "create snapshot later",
                "restore table t from snapshot s as before", "restore snapshot s", "drop snapshot s",
                "restore snapshot later", "insert into t values (6, 'six')",
            ]),
        Workload(name: "truncate", preparation: [table, rows], statements: ["truncate t", rows, "truncate t"]),
        Workload(
            name: "vacuum", preparation: [table, rows], statements: ["delete from t where k = 1", "vacuum t", rows]),
        Workload(
            name: "vacuum of files", preparation: [table, bulk],
            statements: [
                "delete from t where k % 2 = 0", "vacuum full t to 100 percent", "insert into t values (1, 'a')",
            ]),
        Workload(
            name: "drop", preparation: [table, other, rows], statements: ["drop table u", "drop table t", table, rows]),
        Workload(
            name: "alter", preparation: [table, rows],
            statements: [
                "alter table t add column n integer default 7", "insert into t values (6, 'six', 8)",
                "alter table t drop column s", "alter table t rename to renamed",
            ]),
        Workload(
            name: "alter design", preparation: [table, rows],
            statements: ["alter table t alter diststyle even", rows, "alter table t alter sortkey (s)"]),
        Workload(
            name: "create as", preparation: [table, rows],
            statements: ["create table c as select * from t", "create table d as select k from t where k > 100"]),
        Workload(
            name: "schemas",
            statements: [
                "create schema warm", "create table warm.x (a integer)", "insert into warm.x values (1)",
                "drop schema warm cascade",
            ]),
        Workload(
            name: "databases", preparation: [table, rows],
            statements: [
                "create database d connection limit 3", "use d", "create table t (a integer)",
                "insert into t select k from dev.public.t", "create schema s", "create table s.u as select a from t",
                "reset use", "alter database d rename to e", "insert into t select a + 10 from e.public.t",
                "drop database e",
            ]),
        Workload(
            name: "identity",
            statements: [
                "create table i (id integer identity(1, 1), v integer)", "insert into i (v) values (10)",
                "insert into i (v) values (20), (30)", "insert into i (v) values (40)",
            ]),
        Workload(
            name: "checkpoints", preparation: [table],
            statements: (1...6).map { "insert into t values (\($0), 'row \($0)')" }, checkpointBytes: 200),
        Workload(
            name: "checkpoints with changes", preparation: [table, rows],
            statements: [
                "update t set s = 'u' where k = 2", "delete from t where k = 3", rows, "delete from t where k = 1",
                "drop table t", table, rows,
            ], checkpointBytes: 1),
        Workload(
            name: "checkpoint of bulk", preparation: [table],
            statements: [
                bulk, "delete from t where k < 100", "delete from t where k < 200",
                "update t set s = 'z' where k = 500",
            ],
            checkpointBytes: 1),
        Workload(
            name: "block", preparation: [table, other],
            statements: [
                """
                begin; \(rows); insert into t values (7, 'seven'); delete from t where k = 1;
                insert into u values (1, 'u'); commit
                """,
                "begin; update t set s = 'block' where k = 2; insert into t values (8, 'x'); commit",
            ]),
        Workload(
            name: "rolled back", preparation: [table, rows],
            statements: [
                "begin; insert into t values (7, 'seven'); delete from t; rollback",
                "insert into t values (8, 'eight')",
                "begin; drop table t; rollback", "delete from t where k = 8",
            ]),
        Workload(
            name: "definitions in a block",
            statements: [
                """
                begin; create table p (a integer); insert into p values (1), (2);
                create view q as select a from p; commit
                """,
                "begin; alter table p add column b integer default 5; insert into p values (3, 4); commit",
            ]),
        Workload(
            name: "definitions behind rows in a block", preparation: [table, rows],
            statements: [
                """
                begin; insert into t values (7, 'seven'); alter table t add column c integer default 3;
                insert into t values (8, 'eight', 4); alter table t drop column s; insert into t values (9, 5); commit
                """,
                "begin; update t set c = 6 where k = 7; alter table t add column d varchar(9); commit",
                "insert into t values (10, 11, 'd')",
            ]),
        Workload(
            name: "wide rows", preparation: ["create table l (k integer, s varchar(60000))"],
            statements: [
                "insert into l values (1, repeat('abc', 4000))", "insert into l values (2, repeat('d', 9000))",
            ]),
        Workload(
            name: "temporary table",
            statements: [
                "create temp table p (a integer); insert into p values (1)", "create table q as select 1 as a",
            ]),
        Workload(
            name: "views and comments", preparation: [table],
            statements: [
                "create view v as select k from t", "create or replace view v as select k, s from t",
                "comment on table t is 'a comment'", "drop view v",
            ]),
        Workload(
            name: "everything goes", preparation: [table, rows],
            statements: ["delete from t", rows, "vacuum", "delete from t"]),
    ]
}
