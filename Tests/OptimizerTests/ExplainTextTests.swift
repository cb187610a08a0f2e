import QueryPlan
import Testing

/// The shape of EXPLAIN's text; figures are left out because they are estimates.
@Suite struct ExplainTextTests {
    private func lines(_ sql: String) throws -> [String] {
        ExplainText.render(try TPCHSchema.plan(sql), verbose: false, actuals: nil).map { line in
            guard let start = line.firstRange(of: "  (cost=") else { return line }
            return String(line[..<start.lowerBound])
        }
    }

    @Test func topRowsOverAGroupedJoin() throws {
        let sql = """
            select o_orderdate, sum(l_extendedprice) from lineitem join orders on l_orderkey = o_orderkey
            where l_shipdate > date '1995-03-15' group by o_orderdate order by 2 desc limit 10
            """
        #expect(
            try lines(sql) == [
                "XN Limit",
                "  ->  XN Merge",
                "        Merge Key: sum(lineitem.l_extendedprice)",
                "        ->  XN Network",
                "              Send to leader",
                "              ->  XN Sort",
                "                    Sort Key: sum(lineitem.l_extendedprice)",
                "                    ->  XN HashAggregate",
                "                          ->  XN Hash Join DS_DIST_NONE",
                "                                Hash Cond: (\"outer\".l_orderkey = \"inner\".o_orderkey)",
                "                                ->  XN Seq Scan on lineitem",
                "                                      Filter: (l_shipdate > '1995-03-15'::date)",
                "                                ->  XN Hash",
                "                                      ->  XN Seq Scan on orders",
            ])
    }

    @Test func nestedLoopWarns() throws {
        let text = try lines("select 1 from region, nation where r_regionkey < n_regionkey")
        #expect(text.contains { $0.hasPrefix("----- Nested Loop Join in the query plan") })
        #expect(text.contains { $0.contains("XN Nested Loop") })
    }

    @Test func costsHaveTwoDecimalsAndSortsThePenalty() throws {
        let text = ExplainText.render(
            try TPCHSchema.plan("select n_name from nation order by 1"), verbose: false, actuals: nil)
        #expect(text[0].hasPrefix("XN Merge  (cost=1000000000000."))
        #expect(text.contains { $0.contains("XN Seq Scan on nation  (cost=0.00..0.25 rows=25 width=") })
    }

    @Test func actualsStandBehindEstimates() throws {
        let plan = try TPCHSchema.plan("select count(*) from nation")
        var actuals = ExplainActuals(totalMicroseconds: 1500)
        for node in plan.plan.all {
            actuals.steps[node.step] = .init(rows: 25, timeMicroseconds: 20, sliceRows: [12, 13])
        }
        let text = ExplainText.render(plan, verbose: false, actuals: actuals)
        #expect(text[0].contains("(actual time=0.020 ms rows=25 slices=12/13)"))
        #expect(text.last == "Total runtime: 1.500 ms")
    }
}
