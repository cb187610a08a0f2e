import SQLTypes
import Testing

@testable import TestSupport
@testable import Warehouse

/// STV_EXEC_STATE and SVV_QUERY_STATE, from another session while a query runs.
struct RunningQueryTests {
    @Test func endedSegmentsAreShown() throws {
        let scratch = try ScratchWarehouse()
        let runner = try scratch.warehouse.connect(), watcher = try scratch.warehouse.connect()
        try watcher.query(
            """
            create table digit (d int);
            insert into digit values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
            create table n as select a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d as k
            from digit a, digit b, digit c, digit e, digit f
            """)
        #expect(try watcher.column("select count(*) from stv_exec_state") == ["0"])
        let started = StartedStatement(
            sql: "",
            """
            with x as (select k % 7 as g, count(*) as c from n group by 1)
            select count(*) from x, n a, n b where a.k <> b.k + x.c
            """, runner)
        let scans = "select count(*) from stv_exec_state where label like 'scan%name=n%' and rows > 1000"
        #expect(try comes { try watcher.column(scans) != ["0"] })
        let steps = "select count(*) from svv_query_state where label like 'aggr%' and rows > 0"
        #expect(try watcher.column(steps) != ["0"])
        runner.cancel()
        guard case .failure? = started.result(seconds: 20) else {
            Issue.record("it was cancelled")
            return
        }
        #expect(try watcher.column("select count(*) from stv_exec_state") == ["0"])
    }
}
