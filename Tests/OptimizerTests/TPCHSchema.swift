import Binder
import Catalog
import Optimizer
import QueryPlan
import SQLSyntax
import SQLTypes

/// The TPC-H tables in memory with the statistics that scale factor 1 has by specification.
enum TPCHSchema {
    struct Column {
        var name: String
        var type: SQLType
        var distinct: Double
        var low: Datum = .null
        var high: Datum = .null
    }
    struct Table {
        var name: String
        var rows: Int64
        var key: [String]
        var distribution: String?
        var sortKey: [String]
        var columns: [Column]
    }
    static let money = SQLType.decimal(precision: 12, scale: 2)

    static func number(_ name: String, _ type: SQLType, _ distinct: Double, _ low: Int, _ high: Int) -> Column {
        Column(
            name: name, type: type, distinct: distinct, low: .integer(Int128(low)), high: .integer(Int128(high)))
    }
    static func text(_ name: String, _ type: SQLType, _ distinct: Double) -> Column {
        Column(name: name, type: type, distinct: distinct)
    }
    /// Days since 1970 of the first and last order date, 1992-01-01 and 1998-08-02.
    static let firstDay = 8035
    static let lastDay = 10440

    static let tables: [Table] = [
        Table(
            name: "region", rows: 5, key: ["r_regionkey"], distribution: nil, sortKey: ["r_regionkey"],
            columns: [
                number("r_regionkey", .integer, 5, 0, 4), text("r_name", .char(25), 5),
                text("r_comment", .varchar(152), 5),
            ]),
        Table(
            name: "nation", rows: 25, key: ["n_nationkey"], distribution: nil, sortKey: ["n_nationkey"],
            columns: [
                number("n_nationkey", .integer, 25, 0, 24), text("n_name", .char(25), 25),
                number("n_regionkey", .integer, 5, 0, 4), text("n_comment", .varchar(152), 25),
            ]),
        Table(
            name: "supplier", rows: 10_000, key: ["s_suppkey"], distribution: nil, sortKey: ["s_suppkey"],
            columns: [
                number("s_suppkey", .bigint, 10_000, 1, 10_000), text("s_name", .char(25), 10_000),
                text("s_address", .varchar(40), 10_000), number("s_nationkey", .integer, 25, 0, 24),
                text("s_phone", .char(15), 10_000), number("s_acctbal", money, 9955, -99_822, 999_901),
                text("s_comment", .varchar(101), 10_000),
            ]),
        Table(
            name: "customer", rows: 150_000, key: ["c_custkey"], distribution: "c_custkey", sortKey: ["c_custkey"],
            columns: [
                number("c_custkey", .bigint, 150_000, 1, 150_000), text("c_name", .varchar(25), 150_000),
                text("c_address", .varchar(40), 150_000), number("c_nationkey", .integer, 25, 0, 24),
                text("c_phone", .char(15), 150_000), number("c_acctbal", money, 140_000, -99_999, 999_999),
                text("c_mktsegment", .char(10), 5), text("c_comment", .varchar(117), 149_000),
            ]),
        Table(
            name: "part", rows: 200_000, key: ["p_partkey"], distribution: "p_partkey", sortKey: ["p_partkey"],
            columns: [
                number("p_partkey", .bigint, 200_000, 1, 200_000), text("p_name", .varchar(55), 200_000),
                text("p_mfgr", .char(25), 5), text("p_brand", .char(10), 25), text("p_type", .varchar(25), 150),
                number("p_size", .integer, 50, 1, 50), text("p_container", .char(10), 40),
                number("p_retailprice", money, 20_899, 90_100, 209_899), text("p_comment", .varchar(23), 130_000),
            ]),
        Table(
            name: "partsupp", rows: 800_000, key: ["ps_partkey", "ps_suppkey"], distribution: "ps_partkey",
            sortKey: ["ps_partkey"],
            columns: [
                number("ps_partkey", .bigint, 200_000, 1, 200_000), number("ps_suppkey", .bigint, 10_000, 1, 10_000),
                number("ps_availqty", .integer, 9999, 1, 9999), number("ps_supplycost", money, 99_865, 100, 100_000),
                text("ps_comment", .varchar(199), 790_000),
            ]),
        Table(
            name: "orders", rows: 1_500_000, key: ["o_orderkey"], distribution: "o_orderkey",
            sortKey: ["o_orderdate", "o_orderkey"],
            columns: [
                number("o_orderkey", .bigint, 1_500_000, 1, 6_000_000),
                number("o_custkey", .bigint, 99_996, 1, 149_999),
                text("o_orderstatus", .char(1), 3), number("o_totalprice", money, 1_460_000, 85_771, 55_528_516),
                number("o_orderdate", .date, 2406, firstDay, lastDay), text("o_orderpriority", .char(15), 5),
                text("o_clerk", .char(15), 1000), number("o_shippriority", .integer, 1, 0, 0),
                text("o_comment", .varchar(79), 1_480_000),
            ]),
        Table(
            name: "lineitem", rows: 6_001_215, key: ["l_orderkey", "l_linenumber"], distribution: "l_orderkey",
            sortKey: ["l_shipdate", "l_orderkey"],
            columns: [
                number("l_orderkey", .bigint, 1_500_000, 1, 6_000_000),
                number("l_partkey", .bigint, 200_000, 1, 200_000),
                number("l_suppkey", .bigint, 10_000, 1, 10_000), number("l_linenumber", .integer, 7, 1, 7),
                number("l_quantity", money, 50, 100, 5000),
                number("l_extendedprice", money, 930_000, 90_100, 10_494_950),
                number("l_discount", money, 11, 0, 10), number("l_tax", money, 9, 0, 8),
                text("l_returnflag", .char(1), 3), text("l_linestatus", .char(1), 2),
                number("l_shipdate", .date, 2526, firstDay + 1, lastDay + 121),
                number("l_commitdate", .date, 2466, firstDay + 30, lastDay + 90),
                number("l_receiptdate", .date, 2554, firstDay + 2, lastDay + 151),
                text("l_shipinstruct", .char(25), 4), text("l_shipmode", .char(10), 7),
                text("l_comment", .varchar(44), 4_500_000),
            ]),
    ]

    static func definition(_ table: Table, id: Int64) -> TableDefinition {
        let columns = table.columns.enumerated().map { index, column in
            ColumnDefinition(
                id: Int32(index), name: column.name, type: column.type, notNull: column.name != "r_comment")
        }
        func index(_ name: String) -> Int { table.columns.firstIndex { $0.name == name } ?? 0 }
        let key = TableConstraint(name: "\(table.name)_pkey", kind: .primaryKey, columns: table.key.map(index))
        return TableDefinition(
            id: ObjectID(id), schema: "public", name: table.name, columns: columns,
            distribution: table.distribution.map { .key(index($0)) } ?? .all,
            sortKey: .compound(table.sortKey.map(index)), constraints: [key])
    }

    static let catalog: CatalogSnapshot = {
        var catalog = CatalogSnapshot()
        for table in tables {
            let id = catalog.makeObjectID()
            catalog.put(.table(definition(table, id: id.raw)))
        }
        return catalog
    }()

    /// Statistics by table id.
    struct Statistics: StatisticsProvider {
        let byTable: [ObjectID: TableStatistics]
        init() {
            var byTable: [ObjectID: TableStatistics] = [:]
            for table in TPCHSchema.tables {
                guard let relation = TPCHSchema.catalog.relation(schema: "public", name: table.name) else { continue }
                let columns = table.columns.map {
                    ColumnStatistics(minimum: $0.low, maximum: $0.high, distinctCount: $0.distinct)
                }
                byTable[relation.id] = TableStatistics(rowCount: table.rows, columns: columns)
            }
            self.byTable = byTable
        }
        func statistics(of table: ObjectID) -> TableStatistics? { byTable[table] }
    }

    static func bind(_ sql: String) throws -> LogicalQuery {
        try Binder(catalog: catalog).bindQuery(try Parser.parseQuery(sql))
    }

    static func optimizer(disabled: Set<String> = []) -> Optimizer {
        Optimizer(
            shape: ClusterShape(nodes: 1, slicesPerNode: 2), statistics: Statistics(),
            settings: OptimizerSettings(disabledPasses: disabled, verifiesPlans: true))
    }

    static func plan(_ sql: String, disabled: Set<String> = []) throws -> PhysicalQuery {
        try optimizer(disabled: disabled).optimize(try bind(sql))
    }
}
