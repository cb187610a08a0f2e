"""Statements made to take long or much memory before they give a row, or while they give one."""
import os


class Bomb:
    """A statement with what must be there before it. `seconds`: it must also succeed within this time in a release build."""

    def __init__(self, name, text, setup=(), seconds=None, folder_needed=False):
        self.name, self.text, self.setup, self.seconds = name, text, list(setup), seconds
        self.folder_needed = folder_needed


TERMS = 100_000


def ors(term, count=TERMS, word=" or "):
    return word.join(term(number) for number in range(count))


def flat_lists():
    """Long, but flat: these are to be planned in linear time."""
    table = "select count(*) from bomb where "
    numbers = ",".join(str(number) for number in range(TERMS))
    words = ",".join(f"'w{number}'" for number in range(TERMS))
    yield Bomb("or of equalities", table + ors(lambda n: f"a={n}"), seconds=1)
    yield Bomb("or of two columns", table + ors(lambda n: f"a={n} or b={n}", TERMS // 2), seconds=1)
    yield Bomb("or of comparisons", table + ors(lambda n: f"a<{-n}"), seconds=1)
    yield Bomb("and of inequalities", table + ors(lambda n: f"a<>{n + 9}", word=" and "), seconds=1)
    # Planned only: compiling 100,000 patterns takes another second.
    yield Bomb("or of likes", "explain " + table + ors(lambda n: f"s like 'x{n}%'"), seconds=1)
    yield Bomb("or of likes in the middle", "explain " + table + ors(lambda n: f"s like '%x{n}%y%'"), seconds=1)
    yield Bomb("or of pairs", table + ors(lambda n: f"(a={n} and b={n + 1})", TERMS // 2), seconds=1)
    yield Bomb("or of pairs with a common part", table + ors(lambda n: f"(b=1 and a={n})", TERMS // 2), seconds=1)
    yield Bomb("or of sums", table + ors(lambda n: f"a+b={n}"), seconds=1)
    yield Bomb("or of the same term", table + ors(lambda n: "a=1"), seconds=1)
    yield Bomb("not of ors", table + "not (" + ors(lambda n: f"a={n}") + ")", seconds=1)
    yield Bomb("in list of numbers", table + f"a in ({numbers})", seconds=1)
    yield Bomb("in list of words", table + f"s in ({words})", seconds=1)
    yield Bomb("not in list of numbers", table + f"a not in ({numbers})", seconds=1)
    yield Bomb("in list of expressions", table + f"a in ({','.join(f'b+{n}' for n in range(TERMS))})", seconds=1)
    yield Bomb("in lists in or", table + ors(lambda n: f"a in ({n},{n + 1},{n + 2})", TERMS // 3), seconds=1)
    yield Bomb("or over a join",
               "select count(*) from bomb x join bomb y on x.a=y.a where " + ors(lambda n: f"(x.a={n} or y.b={n})", TERMS // 2), seconds=1)
    yield Bomb("or in a select list", "select " + ors(lambda n: f"a={n}") + " from bomb", seconds=1)
    yield Bomb("or in a left join",
               "select count(*) from bomb x left join bomb y on x.a=y.a and (" + ors(lambda n: f"y.b={n}") + ")", seconds=1)
    yield Bomb("or in having", "select a, count(*) from bomb group by a having " + ors(lambda n: f"count(*)={n + 3}"), seconds=1)
    yield Bomb("case of many branches",
               "select case " + " ".join(f"when a={n} then {n}" for n in range(TERMS // 2)) + " end from bomb")
    yield Bomb("decode of many branches",
               "select decode(a, " + ", ".join(f"{n}, {n}" for n in range(10_000)) + ", 0) from bomb")
    yield Bomb("greatest of many", "select greatest(" + ",".join(f"a+{n}" for n in range(30_000)) + ") from bomb")
    yield Bomb("coalesce of many", "select coalesce(" + ",".join(f"nullif(a,{n})" for n in range(30_000)) + ") from bomb")
    yield Bomb("values of many rows", "select count(*) from (values " + ",".join(f"({n},'x{n}')" for n in range(TERMS)) + ") v(x,y)")
    yield Bomb("insert of many rows", "insert into bomb values " + ",".join(f"({n},{n},'{n}')" for n in range(TERMS)))
    yield Bomb("select list of 1,600", "select " + ",".join(f"a+{n} as c{n}" for n in range(1_600)) + " from bomb")


def trees():
    """As tall as the parser lets them be, and taller."""
    yield Bomb("sum of 900", "select " + "+".join(["a"] * 900) + " from bomb")
    yield Bomb("sum of 100,000", "select " + "+".join(["a"] * TERMS) + " from bomb")
    yield Bomb("concatenation of 900", "select " + "||".join(["s"] * 900) + " from bomb")
    yield Bomb("concatenation of 100,000", "select " + "||".join(["s"] * TERMS) + " from bomb")
    for name, opening, closing in [
        ("parentheses", "(", ")"), ("signs", "- ", ""), ("not", "not ", ""), ("functions", "abs(", ")"), ("case", "case when a=1 then ", " end"),
        ("casts", "cast(", " as bigint)"), ("subqueries", "(select ", ")"), ("arrays", "array(", ")"), ("exists", "exists(select ", ")"),
        ("brackets", "[", "]"), ("in", "1 in (", ")"), ("between", "1 between 0 and (", ")"), ("coalesce", "coalesce(1,", ")"),
    ]:
        for depth in [240, 100_000]:
            inner = "a=1" if name == "not" else "1"
            yield Bomb(f"{depth:,} nested {name}", "select " + opening * depth + inner + closing * depth + " from bomb")
    yield Bomb("100,000 nested comments", "select " + "/*" * TERMS + "*/" * TERMS + " 1")
    yield Bomb("200 derived tables", "select * from " + "(select a from " * 90 + "bomb" + ") x" * 90)
    yield Bomb("50 nested correlated subqueries", correlated(50))
    yield Bomb("12 nested correlated exists", nested_exists(12))
    yield Bomb("aliases that double themselves", doubling(30))
    yield Bomb("decodes that double their operand", "select " + "decode(" * 200 + "a" + ",1,2,3,4,5)" * 200 + " from bomb")
    yield Bomb("filter through sums of sums", "select * from " + "(select x+x as x from " * 80 + "(select a as x from bomb) q" + ") q" * 80
               + " where x > 0")
    yield Bomb("16 MB of blanks", "select" + " " * 16_000_000 + "1")
    yield Bomb("8 MB of signs", "select 1" + "+1" * 4_000_000)
    yield Bomb("16 MB of semicolons", ";" * 16_000_000 + "select 1")
    yield Bomb("2,000,000 numbers", "select 1 where 1 in (" + "7," * 2_000_000 + "1)")
    yield Bomb("one word of 8 MB", "select " + "x" * 8_000_000)


def correlated(depth):
    text = "select max(b) from bomb t0 where t0.a=1"
    for level in range(depth):
        text = f"select max(b) from bomb u{level} where u{level}.a = ({text} and t0.b < u{level}.b)" if level == 0 else \
            f"select max(b) from bomb u{level} where u{level}.a = ({text})"
    return text


def nested_exists(depth):
    text = f"select 1 from bomb t{depth} where t{depth}.a = t0.a"
    for level in range(depth - 1, 0, -1):
        text = f"select 1 from bomb t{level} where t{level}.b = t{level - 1}.b and exists ({text} and t{level + 1}.b <> t{level}.a)"
    return f"select count(*) from bomb t0 where exists ({text})"


def doubling(depth):
    return "select 1 as x0, " + ", ".join(f"x{n}+x{n} as x{n + 1}" for n in range(depth)) + " from bomb"


def relations():
    """Many relations: views of views, common tables, joins, set operations."""
    late = " with no schema binding"
    for name, select in [
        ("self-joined", "select x.a, y.b from {0} x join {0} y on x.a=y.a"),
        ("self-united", "select a, b from {0} union all select a, b from {0}"),
        ("grouped", "select x.a, sum(y.b) b from {0} x, {0} y where x.b=y.b group by x.a"),
        ("correlated", "select a, (select max(y.b) from {0} y where y.a=x.a) b from {0} x"),
        ("in where", "select a, b from {0} x where a in (select a from {0}) and exists (select 1 from {0} y where y.b=x.b)"),
        ("tripled", "select x.a, z.b from {0} x left join {0} y on x.a=y.a full join {0} z on z.a=x.a"),
    ]:
        word = name.replace(" ", "_").replace("-", "_")
        setup = [f"create view public.{word}_0 as select a, b from public.bomb"]
        for level in range(1, 29):
            setup.append(f"create view public.{word}_{level} as " + select.format(f"public.{word}_{level - 1}") + late)
        for level in [6, 9, 12, 18, 28]:
            yield Bomb(f"views {name}, {level} levels", f"select count(*) from public.{word}_{level}", setup)
            setup = []
    wide = ", ".join(f"c{n} integer" for n in range(1_500))
    setup = [f"create table public.wide_0 ({wide})"]
    for level in range(1, 25):
        setup.append(f"create view public.wide_{level} as select x.* from public.wide_{level - 1} x"
                     f" join public.wide_{level - 1} y on x.c0=y.c0" + late)
    yield Bomb("views of 1,500 columns, 5 levels", "select * from public.wide_5", setup)
    yield Bomb("views of 1,500 columns, 24 levels", "select * from public.wide_24")
    yield Bomb("explain of a deep view", "explain select count(*) from public.self_joined_28")
    yield Bomb("create table as of a deep view", "create table nothing as select * from public.self_joined_28")
    yield Bomb("insert from a deep view", "insert into bomb(a) select a from public.self_joined_28")
    yield Bomb("delete by a deep view", "delete from bomb where a in (select a from public.self_joined_28)")
    yield Bomb("view of a deep view", "create or replace view public.deepest as select * from public.self_joined_28")
    yield Bomb("prepare of a deep view", "prepare deepest as select * from public.self_joined_28")
    yield Bomb("cursor over a deep view", "declare deepest cursor for select * from public.self_joined_28")
    for count in [300, 5_000]:
        chain = "with t0 as (select a, b from bomb)" + "".join(
            f", t{n} as (select a+1 as a, b from t{n - 1})" for n in range(1, count))
        yield Bomb(f"chain of {count:,} common tables", chain + f" select count(*) from t{count - 1}")
    for count in [12, 30, 200]:
        chain = "with t0 as (select a, b from bomb)" + "".join(
            f", t{n} as (select x.a, y.b from t{n - 1} x join t{n - 1} y on x.a=y.a)" for n in range(1, count))
        yield Bomb(f"chain of {count} doubled common tables", chain + f" select count(*) from t{count - 1}")
    yield Bomb("5,000 common tables, all used", "with " + ", ".join(f"t{n} as (select {n} as a)" for n in range(5_000))
               + " select count(*) from " + ", ".join(f"t{n}" for n in range(5_000)))
    for count in [400, 5_000]:
        yield Bomb(f"{count:,} unions", " union ".join(f"select {n} as a" for n in range(count)))
        yield Bomb(f"{count:,} unions of tables", " union all ".join(["select a, b, s from bomb"] * count))
    for count in [60, 500, 5_000]:
        yield Bomb(f"{count:,} joins in a chain", "select count(*) from bomb t0" + "".join(
            f" join bomb t{n} on t{n}.a=t{n - 1}.a" for n in range(1, count)))
        yield Bomb(f"{count:,} joins by commas", "select count(*) from " + ", ".join(f"bomb t{n}" for n in range(count))
                   + " where " + " and ".join(f"t{n}.a=t0.a" for n in range(1, count)))
        yield Bomb(f"{count:,} outer joins", "select count(*) from bomb t0" + "".join(
            f" left join bomb t{n} on t{n}.a=t{n - 1}.b and t{n}.b>{n}" for n in range(1, count)))
    yield Bomb("40 joins, all with all", "select count(*) from " + ", ".join(f"bomb t{n}" for n in range(40)) + " where "
               + " and ".join(f"t{n}.a=t{m}.b" for n in range(40) for m in range(n)))
    yield Bomb("1,600 scalar subqueries", "select " + ", ".join(f"(select max(b) from bomb x where x.a=y.a+{n})" for n in range(1_600)) + " from bomb y")
    yield Bomb("3,000 subqueries in or", "select count(*) from bomb y where " + " or ".join(
        f"exists (select 1 from bomb x where x.a=y.b+{n})" for n in range(3_000)))
    yield Bomb("1,600 window functions", "select " + ", ".join(
        f"sum(a) over (partition by b+{n} order by a rows unbounded preceding)" for n in range(1_600)) + " from bomb")
    yield Bomb("1,600 aggregates", "select " + ", ".join(f"sum(a+{n}), count(distinct a*{n})" for n in range(800)) + " from bomb")
    yield Bomb("cube of 12", "select count(*) from (select 1 from bomb group by cube(" + ",".join(f"a+{n}" for n in range(12)) + ")) x")
    yield Bomb("4,000 grouping sets", "select count(*) from bomb group by grouping sets (" + ",".join(["(a),(b)"] * 2_000) + ")")
    yield Bomb("cubes multiplied", "select 1 from bomb group by " + ", ".join(f"cube(a+{n},b+{n})" for n in range(30)))
    yield Bomb("group by of 1,600", "select count(*) from bomb group by " + ",".join(f"a+{n}" for n in range(1_600)))
    yield Bomb("order by of 1,600", "select a from bomb order by " + ",".join(f"a%{n + 1}" for n in range(1_600)))


def running():
    """Cheap to plan, and endless to run."""
    yield Bomb("three series", "select count(*) from generate_series(1,1000000) a, generate_series(1,1000000) b, generate_series(1,1000000) c")
    yield Bomb("one long series", "select count(*) from generate_series(1, 100000000000) a")
    yield Bomb("ordered long series", "select a from generate_series(1, 100000000) a order by -a")
    yield Bomb("attributes three times", "select count(*) from pg_attribute a, pg_attribute b, pg_attribute c where a.attnum<>b.attnum+c.attnum")
    yield Bomb("attributes and types", "select count(*) from pg_attribute a join pg_type b on a.atttypid<>b.oid join pg_class c on c.oid<>a.attrelid"
               " join pg_attribute d on d.attname<>a.attname")
    yield Bomb("information schema", "select count(*) from information_schema.columns a, information_schema.columns b, svv_columns c"
               " where a.column_name<>b.column_name and c.table_name<>a.table_name")
    yield Bomb("catalog functions per row", "select count(pg_last_copy_count()+pg_backend_pid()) from pg_attribute a, pg_attribute b")
    yield Bomb("privileges per row", "select count(*) from pg_class a, pg_attribute b, pg_attribute c where has_table_privilege(a.oid,'select')"
               " and c.attnum<>b.attnum")
    yield Bomb("definitions per row", "select count(pg_get_viewdef(a.oid)) from pg_class a, pg_attribute b, pg_attribute c")
    yield Bomb("regular expressions", "select count(*) from bomb a, bomb b, bomb c, bomb d, bomb e where"
               " regexp_count(repeat(a.s,200), '(a*)*b') > 0 or a.a*b.a*c.a*d.a*e.a=77")
    yield Bomb("repeated text", "select count(distinct repeat(a.s||b.s||c.s, 10000)) from bomb a, bomb b, bomb c")
    yield Bomb("list of everything", "select length(listagg(a.s, ',') within group (order by a.s)) from bomb a, bomb b, bomb c, bomb d")
    yield Bomb("recursive common table", "with recursive t(n) as (select 1 union all select n+1 from t) select count(*) from t")
    yield Bomb("copy of a pipe without a writer", "copy bomb from '{folder}/pipe' csv", folder_needed=True)
    yield Bomb("copy of a pipe with a silent writer", "copy bomb from '{folder}/held' csv", folder_needed=True)
    yield Bomb("copy by a manifest that is a pipe", "copy bomb from '{folder}/held' manifest csv", folder_needed=True)


def all_bombs(folder):
    for group in [flat_lists, trees, relations, running]:
        for bomb in group():
            bomb.text = bomb.text.replace("{folder}", folder) if bomb.folder_needed else bomb.text
            yield group.__name__, bomb


def make_pipes(folder):
    """Two pipes: one that nobody opens, one whose writer says nothing."""
    for name in ["pipe", "held"]:
        os.mkfifo(os.path.join(folder, name))
    return os.open(os.path.join(folder, "held"), os.O_RDWR)
