import Catalog
import Optimizer
import QueryPlan
import SQLTypes
import Testing

/// Subqueries in every place and of every kind become joins; the short and the general way both give valid plans.
@Suite struct SubqueryTests {
    private func kinds(_ sql: String, disabled: Set<String> = []) throws -> [PhysicalJoin.Kind] {
        try TPCHSchema.plan(sql, disabled: disabled).plan.joins.map(\.kind)
    }

    @Test(arguments: [
        "select (select count(*) from nation where n_regionkey = r_regionkey) from region",
        "select r_name from region where (select count(*) from nation where n_regionkey = r_regionkey) = 0",
        "select (select max(n_name) from nation where n_regionkey < r_regionkey) from region",
        "select (select n_name from nation where n_regionkey = r_regionkey order by n_name limit 1) from region",
        "select r_name from region where exists (select 1 from nation where n_regionkey = r_regionkey) "
            + "or r_regionkey = 1",
        "select r_name from region where r_regionkey not in (select n_regionkey from nation where n_name > r_name)",
        "select r_regionkey in (select n_regionkey from nation) from region",
        "select r_comment in (select n_comment from nation where n_regionkey = r_regionkey) from region",
        "select r_name from region where r_regionkey > all (select n_regionkey from nation where n_name = r_name)",
        "select r_name from region where r_regionkey <= any (select n_nationkey from nation)",
        """
        select r_name from region where r_regionkey in (select n_regionkey from nation where n_nationkey in
        (select s_nationkey from supplier where s_name = r_name))
        """,
        """
        select r_name, (select sum(x) from (select n_nationkey as x from nation where n_regionkey = r_regionkey
        union all select s_nationkey from supplier where s_nationkey = r_regionkey) u) from region
        """,
        """
        select r_name from region r left join nation n on n.n_regionkey = r.r_regionkey
        and n.n_nationkey in (select s_nationkey from supplier)
        """,
        "select r_name from region where exists (select 1 from nation)",
        "select r_name from region where not exists (select count(*) from nation where n_regionkey = r_regionkey)",
        """
        select c_name from customer c where c_acctbal > (
        select avg(o_totalprice) from orders where o_custkey = c_custkey
        and o_orderdate > (select min(o_orderdate) from orders o2 where o2.o_clerk = c.c_name))
        """,
        """
        select n_name, (select rank() over (order by count(*)) from supplier
        where s_nationkey = n_nationkey) from nation
        """,
    ])
    func bothWaysVerify(sql: String) throws {
        _ = try TPCHSchema.plan(sql)
        _ = try TPCHSchema.plan(sql, disabled: ["correlation_pull_up"])
        _ = try TPCHSchema.plan(sql, disabled: TPCHPlanTests.optionalPasses)
        _ = try TPCHSchema.plan(sql, disabled: TPCHPlanTests.optionalPasses.union(["correlation_pull_up"]))
    }

    @Test func countOfNothingIsZero() throws {
        let plan = try TPCHSchema.plan(
            "select r_name, (select count(*) from nation where n_regionkey = r_regionkey) from region"
        ).plan
        #expect(plan.joins.first?.kind == .left || plan.joins.first?.kind == .right)
        var hasDefault = false
        for node in plan.all {
            guard case .project(let columns) = node.operation else { continue }
            for column in columns { if case .caseWhen = column.expression { hasDefault = true } }
        }
        #expect(hasDefault)
    }

    @Test func nullableNotInIsNullAware() throws {
        let sql = "select r_name from region where r_comment not in (select n_name from nation)"
        #expect(try kinds(sql) == [.antiNullAware])
    }

    @Test func scalarOfSeveralRowsIsChecked() throws {
        #expect(
            try kinds("select (select n_name from nation where n_regionkey = r_regionkey) from region") == [.single])
        #expect(try kinds("select (select n_name from nation) from region") == [.single])
    }

    @Test func markJoinForDisjunctions() throws {
        let kinds = try kinds(
            "select r_name from region where r_name = 'ASIA' or r_regionkey in (select n_regionkey from nation)")
        guard case .mark(_, let nullAware)? = kinds.first else {
            Issue.record("expected a mark join")
            return
        }
        #expect(!nullAware)
    }

    @Test func outerJoinWithFilterOnItsInnerSide() throws {
        let sql = """
            select c_name from customer left join orders on o_custkey = c_custkey where o_totalprice > 100
            """
        #expect(try kinds(sql) == [.inner])
    }

    @Test func filterOnOneSideReachesTheOther() throws {
        let scans = try TPCHSchema.plan(
            "select 1 from orders, lineitem where o_orderkey = l_orderkey and l_orderkey = 5"
        ).plan.scans
        #expect(scans.count == 2)
        #expect(scans.allSatisfy { $0.conjuncts.count == 1 })
    }

    @Test func commonTableUsedOnceIsInlined() throws {
        let plan = try TPCHSchema.plan("with x as (select * from nation) select n_name from x where n_nationkey = 3")
            .plan
        #expect(plan.scans.first?.conjuncts.count == 1)
        #expect(plan.scans.first?.columns.count == 2)
    }

    @Test func manyRelationsAreOrderedGreedily() throws {
        var tables: [String] = []
        var conditions: [String] = []
        for index in 0..<30 {
            tables.append("nation n\(index)")
            if index > 0 { conditions.append("n\(index).n_nationkey = n\(index - 1).n_regionkey") }
        }
        let sql = "select 1 from \(tables.joined(separator: ", ")) where \(conditions.joined(separator: " and "))"
        let joins = try TPCHSchema.plan(sql).plan.joins
        #expect(joins.count == 29)
        #expect(joins.allSatisfy { $0.method != .nestedLoop })
    }
}
