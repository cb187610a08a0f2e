import Binder
import QueryPlan
import SQLTypes
import Testing

@Suite struct TypeRuleTests {
    static let ddl = """
        create table t (
          s smallint, i integer, b bigint, d82 decimal(8,2), d122 decimal(12,2), d3010 decimal(30,10), r real,
          f double precision, c char(10), v varchar(20), dt date, ts timestamp, tz timestamptz, tm time, bo boolean);
        """

    static func decimal(_ precision: Int, _ scale: Int) -> SQLType { .decimal(precision: precision, scale: scale) }

    /// Redshift's table of results of arithmetic, and its precision rules.
    static let arithmetic: [(String, SQLType)] = [
        ("s + s", .smallint), ("s + i", .integer), ("i + b", .bigint), ("i / i", .integer),
        ("d82 / d82", decimal(17, 9)), ("d82 + d122", decimal(13, 2)), ("d82 * d122", decimal(21, 4)),
        ("i + d82", decimal(13, 2)), ("d122 * (1 - d122)", decimal(26, 4)), ("r + i", .double), ("r + r", .real),
        ("f * d82", .double), ("i ^ 2", .double), ("-d82", decimal(8, 2)), ("i % 3", .integer),
        ("d3010 * d3010", decimal(38, 20)), ("dt + 1", .date), ("dt - dt", .integer), ("ts - ts", .interval),
        ("dt + interval '1 day'", .timestamp), ("dt + tm", .timestamp), ("tz + interval '1 hour'", .timestamptz),
        ("interval '1 day' * 2", .interval), ("c || v", .varchar(30)), ("i || v", .varchar(31)), ("1.5", decimal(2, 1)),
        ("3000000000", .bigint), ("1e3", .double), ("v + v", .varchar(40)), ("i & 3", .integer),
    ]

    static let functions: [(String, SQLType)] = [
        ("sum(s)", .bigint), ("sum(d82)", decimal(38, 2)), ("sum(f)", .double), ("avg(i)", .bigint),
        ("avg(d122)", decimal(38, 2)), ("count(*)", .bigint), ("min(v)", .varchar(20)), ("max(dt)", .date),
        ("stddev(i)", .double), ("bool_or(bo)", .boolean), ("listagg(v, ',')", .varchar(65_535)),
        ("median(f)", .double), ("percentile_cont(0.5) within group (order by ts)", .timestamp),
        ("approximate count(distinct v)", .bigint),
        ("row_number() over (order by max(i))", .bigint), ("sum(sum(i)) over ()", .bigint),
    ]

    static let scalars: [(String, SQLType)] = [
        ("length(c)", .integer), ("substring(v, 1, 3)", .varchar(20)), ("upper(c)", .char(10)),
        ("extract(year from dt)", .integer), ("extract(epoch from ts)", .bigint), ("date_part('second', ts)", .double),
        ("date_trunc('month', dt)", .timestamp), ("date_trunc('month', tz)", .timestamptz),
        ("dateadd(month, 1, dt)", .timestamp), ("datediff(day, dt, ts)", .bigint), ("last_day(ts)", .date),
        ("trunc(ts)", .date), ("round(d82, 1)", decimal(8, 2)), ("round(i)", .integer), ("abs(d82)", decimal(8, 2)),
        ("ceil(d82)", decimal(7, 0)), ("coalesce(i, b)", .bigint), ("nvl(d82, d122)", decimal(12, 2)),
        ("nullif(v, '')", .varchar(20)), ("decode(i, 1, 'one', 'other')", .varchar(5)),
        ("case when bo then 1 else 2.5 end", decimal(11, 1)), ("greatest(dt, ts)", .timestamp),
        ("to_char(i, '999')", .varchar(256)), ("to_date(v, 'YYYY')", .date), ("position('a' in v)", .integer),
        ("i::varchar", .varchar(256)), ("ts at time zone 'UTC'", .timestamptz), ("tz at time zone 'UTC'", .timestamp),
        ("convert_timezone('UTC', 'CET', ts)", .timestamp), ("getdate()", .timestamp), ("current_date", .date),
        ("sysdate", .timestamp), ("nvl2(i, v, c)", .varchar(20)), ("dt between '2020-01-01' and sysdate", .boolean),
    ]

    @Test func arithmeticResults() throws { try check(Self.arithmetic) }
    @Test func scalarFunctionResults() throws { try check(Self.scalars) }
    @Test func aggregateResults() throws { try check(Self.functions) }

    private func check(_ cases: [(String, SQLType)]) throws {
        let fixture = try BinderFixture(Self.ddl)
        for (expression, type) in cases {
            do {
                let found = try fixture.types("select \(expression) from t")
                #expect(found == [type], "\(expression)")
            } catch { Issue.record("\(expression): \(error)") }
        }
    }

    /// The binder's own promise: what it says about a projection is what the expression has.
    @Test func unknownNeverLeaves() throws {
        let fixture = try BinderFixture(Self.ddl)
        #expect(try fixture.types("select 'abc', null") == [.varchar(3), .text])
        #expect(try fixture.types("select 'a' union select 'abc'") == [.varchar(3)])
        #expect(try fixture.types("select null union select 1") == [.integer])
        #expect(try fixture.types("select 'abc' union all select v from t") == [.varchar(20)])
    }

    @Test func columnLabels() throws {
        let fixture = try BinderFixture(Self.ddl)
        let names = try fixture.names(
            """
            select i, t.v, count(*), avg(i), nvl(i, 1), datediff(day, dt, dt), i::bigint, 1, case when bo then 1 end,
              extract(year from dt), trim(v), i + 1
            from t group by i, v, dt, bo
            """)
        #expect(
            names == [
                "i", "v", "count", "avg", "coalesce", "date_diff", "i", "?column?", "case", "date_part", "btrim",
                "?column?",
            ])
    }
}
