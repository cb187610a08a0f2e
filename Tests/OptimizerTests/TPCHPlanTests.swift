import Catalog
import Optimizer
import QueryPlan
import SQLTypes
import Testing

/// What the plans of TPC-H must look like with statistics of scale factor 1. Plans are verified after every pass.
@Suite struct TPCHPlanTests {
    static let optionalPasses = Set(Optimizer.passes.filter { !$0.isRequired }.map(\.name))

    @Test(arguments: TPCHQueries.all.map(\.number))
    func plansVerify(number: Int) throws {
        let sql = TPCHQueries.text(number)
        let plan = try TPCHSchema.plan(sql)
        #expect(plan.plan.distribution == .leader)
        _ = try TPCHSchema.plan(sql, disabled: Self.optionalPasses)
        _ = try TPCHSchema.plan(sql, disabled: ["correlation_pull_up"])
        for name in Self.optionalPasses { _ = try TPCHSchema.plan(sql, disabled: [name]) }
    }

    struct NoStatistics: StatisticsProvider {
        func statistics(of table: ObjectID) -> TableStatistics? { nil }
    }

    @Test(arguments: TPCHQueries.all.map(\.number))
    func plansWithoutStatistics(number: Int) throws {
        let optimizer = Optimizer(
            shape: ClusterShape(nodes: 2, slicesPerNode: 2), statistics: NoStatistics(),
            settings: OptimizerSettings(verifiesPlans: true))
        _ = try optimizer.optimize(try TPCHSchema.bind(TPCHQueries.text(number)))
    }

    private func joins(_ number: Int) throws -> [PhysicalJoin] {
        try TPCHSchema.plan(TPCHQueries.text(number)).plan.joins
    }

    /// One join per relation but the first, a nested loop only where the query compares without equality.
    @Test(arguments: [
        (2, 9), (3, 2), (4, 1), (5, 5), (7, 5), (8, 7), (9, 5), (10, 3), (12, 1), (13, 1), (14, 1), (16, 2), (17, 3),
        (18, 3), (19, 1), (20, 5), (21, 5), (22, 2),
    ])
    func joinCount(number: Int, count: Int) throws {
        #expect(try joins(number).count == count)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21])
    func noCartesianProducts(number: Int) throws {
        #expect(try joins(number).allSatisfy { $0.method != .nestedLoop })
    }

    @Test func existsBecomesSemiJoinBuiltOnTheSmallSide() throws {
        let join = try #require(try joins(4).first)
        #expect(join.kind == .rightSemi)
        #expect(join.keys.count == 1)
        #expect(join.residual.isEmpty)
    }

    @Test func inequalityCorrelationStaysResidual() throws {
        let joins = try joins(21)
        for kind in [[PhysicalJoin.Kind.semi, .rightSemi], [.anti, .rightAnti]] {
            let join = try #require(joins.first { kind.contains($0.kind) })
            #expect(join.keys.count == 1)
            #expect(join.residual.count == 1)
        }
        #expect(joins.filter { $0.kind == .inner }.count == 3)
    }

    @Test(arguments: [(2, 1), (17, 1), (20, 2)])
    func correlatedScalarBecomesGroupedAggregate(number: Int, keys: Int) throws {
        let plan = try TPCHSchema.plan(TPCHQueries.text(number)).plan
        #expect(plan.aggregates.contains { $0.groups.count == keys && $0.method == .hash })
        #expect(plan.joins.allSatisfy { $0.kind != .left && $0.kind != .single })
    }

    @Test(arguments: [(3, 1), (18, 1)])
    func dependentGroupKeysBecomeAnyValue(number: Int, keys: Int) throws {
        let aggregates = try TPCHSchema.plan(TPCHQueries.text(number)).plan.aggregates
        let aggregate = try #require(aggregates.first)
        #expect(aggregate.groups.count == keys)
        #expect(aggregate.aggregates.contains { $0.call.function == .anyValue })
    }

    /// Customers' strings are joined to finished groups: no second grouping where the key is among the columns, and one
    /// by fewer rows where it is not.
    @Test func wholeTablesAreJoinedAfterGrouping() throws {
        let byKey = try TPCHSchema.plan(TPCHQueries.text(10)).plan
        #expect(byKey.aggregates.count == 1)
        #expect(byKey.aggregates[0].aggregates.count == 1)
        let top = try #require(byKey.joins.first)
        #expect(top.keys.count == 1)

        let names = "select c_name, c_phone, sum(o_totalprice) from orders, customer where c_custkey = o_custkey"
        let byName = try TPCHSchema.plan(names + " group by 1, 2").plan
        #expect(byName.aggregates.count == 2)
        // A filter on the other table selects rows; a median cannot be put together again.
        let filtered = try TPCHSchema.plan(names + " and c_mktsegment = 'BUILDING' group by 1, 2").plan
        #expect(filtered.aggregates.count == 1)
        for (function, count) in [("avg", 2), ("median", 1), ("stddev_samp", 1)] {
            let sql =
                "select c_name, c_phone, \(function)(o_totalprice) from orders, customer"
                + " where c_custkey = o_custkey group by 1, 2"
            #expect(try TPCHSchema.plan(sql).plan.aggregates.count == count)
        }
    }

    /// EXISTS with an inequality asks for the extremes of each key, unless the kept side is small (Q21) or there is
    /// more to compare.
    @Test func inequalitiesOfExistsAskForExtremes() throws {
        let inequality = "b.l_orderkey = a.l_orderkey and b.l_suppkey <> a.l_suppkey"
        for (kept, condition, groups) in [
            ("lineitem", inequality, 1), ("lineitem", inequality + " and b.l_tax < a.l_tax", 0),
            ("lineitem where l_orderkey < 100", inequality, 0),
        ] {
            let inner = "select 1 from lineitem b where \(condition)"
            let plan = try TPCHSchema.plan("select l_suppkey from (select * from \(kept)) a where exists (\(inner))")
                .plan
            #expect(plan.aggregates.count == groups, "\(kept) \(condition)")
        }
    }

    /// Groups that no branch of an OR wants are not made.
    @Test func disjunctionsOverGroupsFilterTheirInput() throws {
        let sql =
            "select * from (select o_orderdate, sum(o_totalprice) as total from orders group by 1)"
            + " where (o_orderdate = '1995-01-01' and total > 5) or o_orderdate = '1996-01-01'"
        let scan = try #require(try TPCHSchema.plan(sql).plan.scans.first)
        #expect(scan.conjuncts.count == 1)
    }

    @Test func disjunctionsGiveTableFilters() throws {
        for (number, table) in [(19, "part"), (19, "lineitem"), (7, "nation")] {
            let scans = try TPCHSchema.plan(TPCHQueries.text(number)).plan.scans
            for scan in scans where scan.table.name == table { #expect(!scan.conjuncts.isEmpty) }
        }
        let scan = try #require(
            try TPCHSchema.plan(TPCHQueries.text(19)).plan.scans.first { $0.table.name == "lineitem" })
        #expect(scan.conjuncts.contains { $0.isEquality })
    }

    @Test func notInOverNotNullColumnsIsAPlainAntiJoin() throws {
        let kinds = try joins(16).map(\.kind)
        #expect(kinds.contains { $0 == .anti || $0 == .rightAnti })
        #expect(!kinds.contains(.antiNullAware))
    }

    @Test func sortKeyComparesPlainColumns() throws {
        let scan = try #require(try TPCHSchema.plan(TPCHQueries.text(6)).plan.scans.first)
        #expect(scan.conjuncts.count == 5)
        #expect(scan.conjuncts.allSatisfy { $0.comparesColumnWithConstant })
        #expect(scan.columns.count == 4)
    }

    @Test func colocatedJoinsMoveNothing() throws {
        #expect(try joins(4).first?.label == DistributionLabel.none)
        let labels = try joins(5).map(\.label)
        #expect(labels.contains(.none))
        #expect(!labels.contains(.distributeBoth))
    }

    @Test func orderWithLimitIsTopRowsOnSlices() throws {
        var kinds: [String] = []
        var node: PhysicalPlan? = try TPCHSchema.plan(TPCHQueries.text(3)).plan
        while let current = node {
            switch current.operation {
            case .limit: kinds.append("limit")
            case .gather(let merge): kinds.append(merge.isEmpty ? "gather" : "merge")
            case .topN(_, let count, let offset): kinds.append("top \(count) \(offset)")
            default: break
            }
            node = current.children.first
        }
        #expect(kinds == ["limit", "merge", "top 10 0"])
    }
}

extension PhysicalPlan {
    var all: [PhysicalPlan] { [self] + children.flatMap(\.all) }
    var joins: [PhysicalJoin] { all.compactMap { if case .join(let join) = $0.operation { join } else { nil } } }
    var aggregates: [PhysicalAggregate] {
        all.compactMap { if case .aggregate(let aggregate) = $0.operation { aggregate } else { nil } }
    }
    var scans: [PhysicalTableScan] {
        all.compactMap { if case .tableScan(let scan) = $0.operation { scan } else { nil } }
    }
}

extension BoundExpression {
    var isEquality: Bool { if case .comparison(.equal, _, _) = self { true } else { false } }
    var comparesColumnWithConstant: Bool {
        if case .comparison(_, .column, .constant) = self { true } else { false }
    }
}
