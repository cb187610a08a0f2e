import Glibc
import Platform
import SQLTypes
import TestSupport
import Testing

@testable import Warehouse

/// What of databases SQL scripts cannot reach.
struct DatabasesTests {
    private let scratch: ScratchWarehouse
    private var warehouse: Warehouse { scratch.warehouse }

    init() throws { scratch = try ScratchWarehouse() }

    /// The same text means another table in each, also when its plan has been kept.
    @Test func plansAreThoseOfTheirDatabase() throws {
        let first = try warehouse.connect()
        try first.query("create database d; create table t (a int); insert into t values (1)")
        let second = try warehouse.connect(database: "d")
        try second.query("create table t (a varchar(5), b int); insert into t values ('two', 2)")
        for _ in 0..<3 {
            #expect(try first.column("select a from t") == ["1"])
            #expect(try second.column("select a from t") == ["two"])
            #expect(try first.column("select current_database() from t") == ["dev"])
            #expect(try second.column("select current_database() from t") == ["d"])
        }
        try first.query("use d")
        #expect(try first.column("select a from t") == ["two"])
        #expect(try first.column("select current_database() from t") == ["dev"])
    }

    @Test func preparedStatementsFollowUse() throws {
        let session = try warehouse.connect()
        try session.query("create database d; create table t (a int); insert into t values (1)")
        try session.query("use d; create table t (a int); insert into t values (2), (3)")
        try session.query("reset use; prepare q as select count(*) from t where a > $1")
        #expect(try session.column("execute q (0)") == ["1"])
        try session.query("use d")
        #expect(try session.column("execute q (0)") == ["2"])
        try session.query("reset use")
        #expect(try session.column("execute q (0)") == ["1"])
    }

    /// Sessions that stand in a database when it is gone say so, and can end.
    @Test func restoredSnapshotsTakeDatabasesAway() throws {
        let first = try warehouse.connect()
        try first.query("create snapshot before; create database d")
        let second = try warehouse.connect(database: "d")
        try second.query("create table t (a int); create temp table own (a int)")
        try first.query("restore snapshot before")
        let error = #expect(throws: SQLError.self) { try second.query("select 1") }
        #expect(error?.state == "3D000")
        try second.close()
        #expect(try first.column("select count(*) from pg_database where datname = 'd'") == ["0"])
        #expect(try first.column("select count(*) from svv_redshift_tables where table_name = 't'") == ["0"])
    }

    /// Clients close connections and go on at once; their sessions end a moment later.
    @Test func sessionsThatLeaveAreWaitedFor() throws {
        let session = try warehouse.connect()
        try session.query("create database d")
        let other = try warehouse.connect(database: "d")
        try NativeThread.start(name: "leaving") {
            usleep(50_000)
            try? other.close()
        }
        try session.query("drop database d")
        #expect(try session.column("select count(*) from pg_database where datname = 'd'") == ["0"])
    }

    @Test func usedDatabasesKeepTheirNames() throws {
        let session = try warehouse.connect()
        try session.query("create database d")
        let other = try warehouse.connect()
        try other.query("use d")
        let error = #expect(throws: SQLError.self) { try session.query("alter database d rename to e") }
        #expect(error?.state == "55006")
        #expect(error?.message == "database \"d\" is being accessed by other users")
        try other.query("reset use")
        try session.query("alter database d rename to e")
        #expect(throws: SQLError.self) { try other.query("use d") }
    }

    @Test func historyTellsTheDatabase() throws {
        let session = try warehouse.connect()
        try session.query("create database d")
        let other = try warehouse.connect(database: "d")
        try other.query("create table t (a int); select count(*) from t where a = 17")
        let question = "select trim(database) from stl_query where querytxt like '%a = 17' and userid > 1"
        #expect(try session.column(question) == ["d"])
        #expect(try session.column("select trim(db_name) from stv_sessions order by process") == ["dev", "d"])
    }

    @Test func temporaryTablesEndWithTheirSession() throws {
        let session = try warehouse.connect()
        try session.query("create database d")
        let other = try warehouse.connect(database: "d")
        try other.query("use dev; create temp table own (a int); insert into own values (1)")
        #expect(try other.column("select a from own") == ["1"])
        #expect(try other.column("select count(*) from svv_redshift_tables where table_name = 'own'") == ["1"])
        try other.close()
        #expect(warehouse.store.snapshot().catalog.tablesOfAllDatabases.isEmpty)
        try session.query("drop database d")
    }
}
