import Platform
import SQLTypes
import Testing

@testable import Warehouse

/// What kept results take, and when they go; that answers stay right is for `Tests/SQL/result_cache.slt`.
struct ResultCacheTests {
    private let scratch: ScratchWarehouse
    private let session: Session
    private var results: ResultCache { scratch.warehouse.results }
    private var budget: MemoryBudget { scratch.warehouse.budget }

    init() throws {
        scratch = try ScratchWarehouse()
        session = try scratch.warehouse.connect()
        try session.query(
            """
            create table digit (d int);
            insert into digit values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
            create table n as select a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d as k
            from digit a, digit b, digit c, digit e, digit f
            """)
    }

    private func hits() throws -> Int? {
        Int(try session.column("select count(*) from sys_query_history where result_cache_hit")[0])
    }

    @Test func theirBytesAreTheBudgets() throws {
        #expect(results.byteCount == 0)
        let before = budget.cached
        #expect(try session.query("select k from n where k < 1000").rows.count == 1000)
        #expect(results.byteCount >= 4_000)
        #expect(budget.cached - before >= results.byteCount)
        results.removeAll()
        #expect(results.byteCount == 0)
        #expect(try session.query("select k from n where k < 1000").rows.count == 1000)
        #expect(try hits() == 0)
    }

    @Test func theyMakeWayForOthers() throws {
        for limit in 1...20 { try session.query("select k as c\(limit) from n where k < \(limit * 100)") }
        let held = results.byteCount
        #expect(held > 0)
        results.giveBack(held / 2)
        #expect(results.byteCount <= held - held / 2)
        // The newest are left.
        try session.query("select k as c20 from n where k < 2000")
        #expect(try hits() == 1)
        #expect(throws: MemoryExhausted.self) { try budget.reserve(budget.limit) }
        #expect(results.byteCount == 0)
    }

    @Test func largeOnesAreNotKept() throws {
        #expect(results.largestBytes <= 1 << 20)
        for _ in 0..<2 {
            let rows = try session.query("select a.k, b.k from n a, n b where a.k < 200 and b.k < 1000").rows
            #expect(rows.count == 200_000)
        }
        #expect(try hits() == 0)
    }

    /// Of short statements whose values never come again few are kept; one that does brings them back.
    @Test func valuesThatNeverComeAgain() throws {
        let shape = StatementShape()
        for _ in 0..<16 {
            #expect(shape.mayRepeat())
            shape.noteKept()
        }
        // Nobody knows yet how long it takes.
        #expect(shape.mayRepeat())
        shape.add(nanoseconds: 50_000, peakBytes: 0)
        let tries = (0..<256).count { _ in shape.mayRepeat() }
        #expect((3...5).contains(tries))
        shape.noteFound()
        #expect(shape.mayRepeat())
        let long = StatementShape()
        long.add(nanoseconds: 50_000_000, peakBytes: 0)
        for _ in 0..<100 {
            #expect(long.mayRepeat())
            long.noteKept()
        }
    }

    @Test func allTogetherAreBounded() throws {
        for limit in 0..<400 {
            try session.query(
                "select k as c\(limit), k + 1, k + 2 from n where k between \(limit) and \(limit + 2_000)")
        }
        #expect(results.byteCount <= budget.limit / 32)
        #expect(results.byteCount > 0)
    }
}
