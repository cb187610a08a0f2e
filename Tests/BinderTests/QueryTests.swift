import Binder
import Catalog
import QueryPlan
import SQLTypes
import Testing

@Suite struct QueryTests {
    private func fixture() throws -> BinderFixture { try BinderFixture(ErrorTests.ddl) }

    static let accepted: [String] = [
        "select o_total * 2 as double_total, double_total + 1 as more from orders",
        "select o_status as s, count(*) as n from orders group by s having n > 1 order by n desc, 1",
        "select o_status, sum(o_total) over (partition by o_status order by o_date rows unbounded "
            + "preceding) from orders",
        "select o_id, row_number() over (order by o_date) as r from orders qualify r = 1",
        "select o_status from orders order by o_total desc nulls last limit 3 offset 1",
        "select top 5 * from orders",
        "select * exclude (o_flag) from orders",
        "select * from orders join items using (o_id)",
        "select o_id from orders full join items using (o_id) where o_id > 1",
        "select * from orders natural join items",
        "select o.* from orders o left join items i on o.o_id = i.o_id and i.i_name like 'a%'",
        "with a as (select o_id as x from orders), b as (select x from a union all select 1) "
            + "select * from a, b where a.x = b.x",
        "select (select max(i_id) from items where items.o_id = orders.o_id) from orders",
        "select o_status, (select count(*) from items where i_name = o_status) from orders group by o_status",
        "select 1 from orders where (o_id, o_status) in (select o_id, i_name from items)",
        "select 1 from orders where (o_id, 1) = (2, 3) or (o_id, o_total) < (1, 2)",
        "select 1 from orders where (o_id, o_status) in ((1, 'a'), (2, 'b'))",
        "select 1 from orders where o_total > all (select i_id from items) and exists (select 1 from items)",
        "select o_status, o_flag, grouping(o_status), sum(o_total) from orders group by rollup (o_status, o_flag)",
        "select o_status, count(*) from orders group by grouping sets ((o_status), ()), o_flag",
        "select o_status, count(distinct o_id), listagg(o_status, ',') within group (order by "
            + "o_id) from orders group by 1",
        "select 1 intersect select 2 union select 3",
        "select * from (select 1 as a union all select 2.5) x order by a + 1",
        "select 1 as a union select 2 order by a limit 1",
        "select id + 1 from v where o_total between 1 and 2.505",
        "select sum(o_total) / count(*) from orders",
        "select distinct o_status as s from orders order by s",
        "select max(o_total) filter_free from orders having count(*) > 3",
        "select lag(o_total) ignore nulls over (partition by o_status order by o_date) from orders",
        "select coalesce(o_status, 'none'), nullif(o_id, 0), nvl2(o_id, 'a', 'b'), decode(o_id, 1, "
            + "'x', null, 'y') from orders",
        "select date_trunc('month', o_date), extract(dow from o_date), datediff(month, o_date, "
            + "current_date) from orders",
        "select o_status from orders group by all",
        "select sum(case when o_flag then 1 else 0 end) from orders where o_flag is true and not o_flag is unknown",
        "select substring(o_status from 1 for 2), trim(both 'x' from o_status), charindex('a', o_status) from orders",
        "select o_date + interval '1 month' as d from orders where o_date > current_date - 30",
        "explain select * from orders",
        "delete from orders using items where orders.o_id = items.o_id",
        "update orders set o_total = o_total * 1.1, o_status = default where o_id = 1",
        "create table copy as select * from orders",
        "select * into temp table fresh from orders",
        "create view w (a) as select o_id from orders",
        "insert into orders select * from orders",
        "insert into items values (1, default, 'x'), (2, 3, null)",
        "insert into items default values",
        "analyze orders (o_id)", "vacuum full orders", "truncate orders", "begin", "commit",
        "set "
            + "search_path to public",
        "copy items (i_id, i_name) from '/data/items' csv", "comment on column orders.o_id is 'x'",
        "alter table items add column extra int default 3",
    ]

    @Test(arguments: accepted)
    func binds(_ sql: String) throws {
        do { _ = try fixture().bind(sql) } catch { Issue.record("\(sql): \(error)") }
    }

    @Test func intersectBindsTighter() throws {
        guard case .setOperation(let union) = try fixture().query("select 1 union select 2 intersect select 3").plan
        else { return }
        #expect(union.kind == .union)
    }

    @Test func usingColumnsComeFirstAndOnce() throws {
        #expect(try fixture().names("select * from items join orders using (o_id)").first == "o_id")
        #expect(try fixture().names("select * from items join orders using (o_id)").count == 7)
    }

    @Test func correlatedColumnsAreListed() throws {
        let expressions = try fixture().expressions(
            """
            select (select count(*) from items where items.o_id = orders.o_id
              and exists (select 1 from items i where i.i_id = orders.o_id)) from orders
            """)
        guard case .subquery(let subquery)? = expressions.first else {
            Issue.record("no subquery")
            return
        }
        #expect(subquery.outerColumns.map(\.name) == ["o_id"])
    }

    @Test func everyUseOfACommonTableHasItsOwnColumns() throws {
        let plan = try fixture().query("with a as (select o_id from orders) select * from a x, a y").plan
        guard case .with(let with) = plan, case .project(_, .join(let join)) = with.body,
            case .withReference(let left) = join.left, case .withReference(let right) = join.right
        else {
            Issue.record("\(plan)")
            return
        }
        #expect(left.columns[0].id != right.columns[0].id)
        #expect(left.sources == right.sources)
    }

    @Test func insertFillsTheRow() throws {
        guard case .insert(let insert) = try fixture().bind("insert into ids (note) values ('a')") else { return }
        #expect(insert.source.outputs.map(\.name) == ["id", "gen", "note"])
        #expect(insert.identityColumns == [0, 1])
    }

    @Test func viewsRememberWhatTheyRead() throws {
        let fixture = try fixture()
        let bound = try fixture.bind("create view w as select * from v, items")
        guard case .createView(let view) = bound else { return }
        let names = view.definition.dependencies.compactMap { fixture.catalog.relation(id: $0)?.name }
        #expect(Set(names) == ["v", "items"])
    }

    @Test func parametersTakeTypesFromTheContext() throws {
        let fixture = try fixture()
        guard case .query(let query) = try fixture.bind("select $2 from orders where o_date = $1") else { return }
        #expect(query.outputs[0].type.isString)
        let condition = try fixture.condition("select 1 from orders where o_date = $1")
        #expect(condition.map { "\($0)" }?.contains("date") == true)
    }
}
