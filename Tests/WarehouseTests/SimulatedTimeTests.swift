import PGWire
import Platform
import SQLTypes
import Testing

@testable import TestSupport
@testable import Warehouse

/// Everything that users call time comes from the warehouse's clock: tests move it on, nobody waits.
struct SimulatedTimeTests {
    private let time = SimulatedTime()

    @Test func statementsEndByTheWarehousesTime() throws {
        let scratch = try ScratchWarehouse { $0.time = time }
        let holder = try scratch.warehouse.connect(), waiter = try scratch.warehouse.connect()
        try holder.query("create table t (a int); begin; lock t")
        try waiter.query("set statement_timeout to 60000")
        let started = StartedStatement(sql: "", "insert into t values (1)", waiter)
        #expect(try started.waitsForLock(scratch.warehouse))
        time.advance(seconds: 59)
        #expect(started.result(seconds: 0.1) == nil)
        time.advance(seconds: 2)
        let ended = try #require(started.result(seconds: 20))
        let error = #expect(throws: SQLError.self) { try ended.get() }
        #expect(error?.state.code == "57014")
    }

    @Test func thePresentAndTheLogAreTheWarehouses() throws {
        let scratch = try ScratchWarehouse { $0.time = time }
        let session = try scratch.warehouse.connect()
        #expect(try session.column("select getdate()::varchar") == ["2026-03-01 00:00:00"])
        time.advance(seconds: 86_400)
        #expect(try session.column("select current_date::varchar") == ["2026-03-02"])
        try session.query("create table t (a int); begin; insert into t values (1)")
        time.advance(seconds: 5)
        try session.query("commit")
        let starts = try session.column(
            "select date_trunc('day', starttime)::date::varchar from stl_utilitytext where text like 'select %_date%'"
                + " order by starttime")
        #expect(starts == ["2026-03-01", "2026-03-02"])
        let ends = try session.column(
            "select starttime::varchar from svl_statementtext where text like 'commit%'")
        #expect(ends == ["2026-03-02 00:00:05"])
    }

    @Test func aPasswordIsValidUntilTheWarehousesTime() throws {
        let scratch = try ScratchWarehouse { $0.time = time }
        try scratch.warehouse.connect().query(
            "create user ann password 'Secret123' valid until '2026-03-01 01:00:00+00'")
        time.advance(seconds: 3_599)
        #expect(scratch.warehouse.passwordSecret(of: "ann") != nil)
        time.advance(seconds: 1)
        #expect(scratch.warehouse.passwordSecret(of: "ann") == nil)
    }

    /// ANALYZE by itself, once nobody has asked anything for an hour, at the next round.
    @Test func maintenanceWaitsForTheWarehousesTime() throws {
        let scratch = try ScratchWarehouse { options in
            options.time = time
            options.automaticAnalyze = true
            options.maintenanceIdleSeconds = 3_600
        }
        let session = try scratch.warehouse.connect()
        try session.query("create table t (a int); insert into t values (1), (2)")
        let log = scratch.warehouse.analyzeLog
        for _ in 0..<3 {
            #expect(comes { time.waitingCount > 0 })
            time.advance(seconds: 1_000)
        }
        #expect(comes { time.waitingCount > 0 })
        #expect(log.entries.isEmpty)
        time.advance(seconds: 601)
        #expect(comes { !log.entries.isEmpty })
        #expect(log.entries.first?.startMicroseconds == time.wallMicroseconds())
    }

    /// A session ends when its client has said nothing for ten minutes; each statement begins them anew.
    @Test func silentClientsAreEndedByTheWarehousesTime() throws {
        let scratch = try ScratchWarehouse { $0.time = time }
        var options = ServerOptions()
        options.port = 0
        options.idleTimeoutSeconds = 600
        options.log = ServerLog { _ in }
        let server = try WireServer(warehouse: scratch.warehouse, options: options)
        defer { server.shutDown(graceSeconds: 1) }
        let client = try WireClient(
            ServerAddress("postgres://dev@127.0.0.1:\(server.port)/dev?sslmode=disable"))
        defer { client.close() }
        for _ in 0..<3 {
            try client.execute("select 1", Rows())
            time.advance(seconds: 599)
        }
        try client.execute("select 1", Rows())
        #expect(scratch.warehouse.sessions.all.count == 1)
        // The session may begin to wait for its client only after the first of them.
        let isOver = comes {
            time.advance(seconds: 600)
            return scratch.warehouse.sessions.all.isEmpty
        }
        #expect(isOver)
        #expect(throws: SQLError.self) { try client.execute("select 1", Rows()) }
    }

    /// A disk that refuses the history is left alone for a second.
    @Test func theHistoryTriesADiskAgainByTheWarehousesTime() throws {
        let before = SimulatedDisk()
        _ = try HistoryFiles(directory: "/h", fileSystem: before, limitBytes: 1 << 20, time: time)
        let fault = SimulatedDisk.Fault(operation: before.operationCount, kind: .diskFull, isPermanent: false)
        let disk = SimulatedDisk(fault: fault)
        let files = try HistoryFiles(directory: "/h", fileSystem: disk, limitBytes: 1 << 20, time: time)
        let record = HistoryRecord.connection(
            WarehouseLog.Connection(event: .began, microseconds: 0, session: 1, user: 1, client: ClientFacts()))
        files.append([record])
        #expect(files.failure?.microseconds == time.wallMicroseconds())
        files.append([record])
        #expect(try disk.list("/h").isEmpty)
        time.advance(seconds: 1)
        files.append([record])
        files.close()
        #expect(try disk.list("/h").count == 1)
    }

    private final class Rows: WireResultHandler {
        func begin(columns: [ResultColumn]) {}
        func row(_ values: [String?]) {}
        func end(tag: String) {}
        func notice(_ severity: String, _ message: String) {}
    }
}
