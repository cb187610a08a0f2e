import Platform
import SQLTypes
import Testing

@testable import TestSupport
@testable import Warehouse

/// Two warehouses in one process do not know of each other.
struct TwoWarehousesTests {
    private let first: ScratchWarehouse
    private let second: ScratchWarehouse
    private var both: [Warehouse] { [first.warehouse, second.warehouse] }

    init() throws {
        first = try ScratchWarehouse()
        second = try ScratchWarehouse()
    }

    @Test func settingsAndUsersAreTheirOwn() throws {
        let sessions = try both.map { try $0.connect() }
        try sessions[0].query("set query_group to 'nightly'; create user ann password 'Secret123'")
        #expect(try sessions[0].column("show query_group") == ["nightly"])
        #expect(try sessions[1].column("show query_group") != ["nightly"])
        #expect(try sessions[0].column("select count(*) from pg_user where usename = 'ann'") == ["1"])
        #expect(try sessions[1].column("select count(*) from pg_user where usename = 'ann'") == ["0"])
    }

    @Test func eachHasItsOwnHistoryAndNumbers() throws {
        let sessions = try both.map { try $0.connect() }
        #expect(sessions[0].number == sessions[1].number)
        try sessions[0].query("select 'only here', count(*) from stv_slices")
        let question = "select count(*) from stl_query where querytxt like 'select ''only%'"
        #expect(try sessions[0].column(question) == ["1"])
        #expect(try sessions[1].column(question) == ["0"])
        let last = "select max(query) from stl_query"
        #expect(try sessions[0].column(last) == ["2"])
        #expect(try sessions[1].column(last) == ["1"])
    }

    /// The same text has a plan of its own in each, and what one defines leaves the other's plans alone.
    @Test func plansAreTheirOwn() throws {
        let sessions = try both.map { try $0.connect() }
        try sessions[0].query("create table t (a int); insert into t values (1)")
        try sessions[1].query("create table t (a varchar(10), b int); insert into t values ('one', 2)")
        for _ in 0..<3 {
            #expect(try sessions[0].column("select a from t") == ["1"])
            #expect(try sessions[1].column("select a from t") == ["one"])
        }
        try sessions[0].query("drop table t")
        #expect(throws: SQLError.self) { try sessions[0].query("select a from t") }
        #expect(try sessions[1].column("select a from t") == ["one"])
    }

    /// Sessions of the same number, each waiting for a lock of its own warehouse.
    @Test func aCancelReachesItsOwnWarehouseOnly() throws {
        let holders = try both.map { try $0.connect() }
        let waiters = try both.map { try $0.connect() }
        for holder in holders { try holder.query("create table t (a int); begin; lock t") }
        let started = waiters.map { StartedStatement(sql: "", "insert into t values (1)", $0) }
        for (statement, warehouse) in zip(started, both) { #expect(try statement.waitsForLock(warehouse)) }
        try first.warehouse.connect().query("select pg_cancel_backend(\(waiters[0].number))")
        let ended = try #require(started[0].result(seconds: 20))
        #expect(throws: SQLError.self) { try ended.get() }
        #expect(started[1].result(seconds: 0) == nil)
        for holder in holders { try holder.query("commit") }
        let other = try #require(started[1].result(seconds: 20))
        #expect(throws: Never.self) { _ = try other.get() }
    }

    @Test func aRefusalOfMemoryIsOneWarehousesOwn() throws {
        let sessions = try both.map { try $0.connect() }
        // All that there is for statements, and for what is never refused.
        let taken = first.warehouse.budget.limit * 2
        first.warehouse.budget.reserveAlways(taken)
        defer { first.warehouse.budget.release(taken) }
        // Values that cannot be divided into partitions.
        let median = "select case when median(n) = 500000.5 then 'yes' end from generate_series(1, 1000000) as n"
        let error = #expect(throws: SQLError.self) { try sessions[0].query(median) }
        #expect(error?.state.code == "53200")
        #expect(try sessions[1].column(median) == ["yes"])
    }

    /// The same seed makes the same numbers, in each warehouse for itself.
    @Test func randomnessIsPassedIn() throws {
        let seeded = try (0..<2).map { _ in try ScratchWarehouse { $0.random = SeededRandom(seed: 7) } }
        let numbers = try seeded.map { try $0.warehouse.connect().column("select random()") }
        #expect(numbers[0] == numbers[1])
        #expect(try seeded[0].warehouse.connect().column("select random()") != numbers[0])
    }
}
