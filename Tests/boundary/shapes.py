"""What can be called: functions, operators and casts from the product's own catalogs, and the forms of the grammar."""
import values

ANY = '"any"'
OID_FAMILIES = {16: "boolean", 20: "bigint", 21: "smallint", 23: "integer", 25: "character varying", 26: "bigint", 700: "real",
                701: "double precision", 1042: "character", 1043: "character varying", 1082: "date", 1083: "time without time zone",
                1114: "timestamp without time zone", 1184: "timestamp with time zone", 1186: "interval",
                1188: "interval year to month", 1190: "interval day to second",
                1266: "time with time zone", 1700: "numeric", 2276: ANY, 2935: "hllsketch", 4000: "super", 6551: "binary varying"}
# Bare words, not calls.
WORDS = {"current_catalog", "current_date", "current_role", "current_schema", "current_timestamp", "current_user", "localtimestamp",
         "session_user", "sysdate", "user"}


class Shape:
    """A call with a place for each argument: `template` is filled by str.format."""

    def __init__(self, kind, name, families, template):
        self.kind, self.name, self.families, self.template = kind, name, families, template

    def hints(self):
        """For each argument the kind of text that such a function asks for, or None."""
        for part, kinds in values.HINTS:
            if part in self.name:
                texts = [index for index, family in enumerate(self.families) if family in ("character varying", ANY)]
                found = [None] * len(self.families)
                for place, kind in zip(texts, kinds):
                    found[place] = kind
                return found
        return [None] * len(self.families)

    @property
    def title(self):
        return f"{self.name}({', '.join(self.families)})"


def rows(child, sql):
    answer = child.run(sql)
    if answer.state:
        raise AssertionError(f"{answer.message}: {sql}")
    return [[value.decode() for value in row] for row in answer.rows]


def functions(child):
    kinds = {"regular function": "scalar", "aggregate function": "aggregate", "window function": "window",
             "table function": "table"}
    for name, kind, arguments in rows(
            child, "select distinct function_name, function_type, argument_type from svv_redshift_functions order by 1, 2, 3"):
        families = [part for part in arguments.split(", ") if part]
        places = ", ".join(f"{{{index}}}" for index in range(len(families)))
        template = name if name in WORDS else f"{name}({places})"
        if name in ("percentile_cont", "percentile_disc"):
            template = f"{name}({{1}}) within group (order by {{0}})"
        yield Shape(kinds[kind], name, families, template)


def operators(child):
    for name, left, right in rows(
            child, "select distinct oprname, oprleft, oprright from pg_operator order by 1, 2, 3"):
        sides = [OID_FAMILIES[int(side)] for side in (left, right) if side != "0"]
        yield Shape("operator", name, sides, f"({{0}}) {name} ({{1}})" if len(sides) == 2 else f"{name} ({{0}})")
    # Comparisons of one type stand in the catalog; these are of any two.
    for name in ("=", "<", ">="):
        yield Shape("operator", name, [ANY, ANY], f"({{0}}) {name} ({{1}})")


def casts(child):
    for source, target in rows(child, "select distinct castsource, casttarget from pg_cast order by 1, 2"):
        for variant in values.VARIANTS[OID_FAMILIES[int(target)]]:
            yield Shape("cast", f"::{variant}", [OID_FAMILIES[int(source)]], f"({{0}})::{variant}")
    for family in ("numeric", "character", "character varying"):
        for variant in values.VARIANTS[family]:
            yield Shape("cast", f"::{variant}", [family], f"({{0}})::{variant}")


FORMS = [
    ("between", [ANY, ANY, ANY], "({0}) between ({1}) and ({2})"), ("between symmetric", [ANY, ANY, ANY], "({0}) between symmetric ({1}) and ({2})"),
    ("in", [ANY, ANY, ANY], "({0}) in ({1}, {2})"), ("is null", [ANY], "({0}) is null"), ("is true", ["boolean"], "({0}) is not true"),
    ("is distinct from", [ANY, ANY], "({0}) is distinct from ({1})"), ("not", ["boolean"], "not ({0})"),
    ("and", ["boolean", "boolean"], "({0}) and ({1})"), ("or", ["boolean", "boolean"], "({0}) or ({1})"),
    ("case", [ANY, ANY], "case when ({0}) > ({1}) then ({0}) else ({1}) end"), ("case of", [ANY, ANY, "integer"], "case ({0}) when ({1}) then ({2}) else -1 end"),
    ("like escape", ["character varying"] * 3, "({0}) like ({1}) escape ({2})"), ("similar to", ["character varying"] * 2, "({0}) similar to ({1})"),
    ("at time zone", ["timestamp without time zone", "character varying"], "({0}) at time zone ({1})"),
    ("at time zone", ["timestamp with time zone", "character varying"], "({0}) at time zone ({1})"),
    ("trim from", ["character varying", "character varying"], "trim(both ({0}) from ({1}))"), ("substring from", ["character varying", "integer", "integer"], "substring(({0}) from ({1}) for ({2}))"),
    ("+", [ANY], "+ ({0})"), ("array", [ANY, ANY], "array[{0}, {1}]"), ("subscript", ["character varying", "integer"], "({0})[{1}]"),
    ("any of array", [ANY, ANY], "({0}) = any (array[{1}])"), ("::regclass", ["character varying"], "({0})::regclass"), ("::regtype", ["character varying"], "({0})::regtype"),
    ("approximate", [ANY], "approximate count(distinct {0})"),
]
PARTS = ["year", "quarter", "month", "week", "day", "dow", "doy", "hour", "second", "epoch", "microsecond", "timezone", "century", "millennium"]
MOMENTS = ["date", "time without time zone", "time with time zone", "timestamp without time zone", "timestamp with time zone", "interval"]


def forms():
    for name, families, template in FORMS:
        kind = "aggregate" if name == "approximate" else "form"
        yield Shape(kind, name, families, template)
    for part in PARTS:
        for moment in MOMENTS:
            yield Shape("form", f"extract {part}", [moment], f"extract({part} from {{0}})")
    # A star is DISTINCT, which has ways of its own.
    for name in ("count", "sum", "avg", "listagg"):
        yield Shape("aggregate", f"{name} distinct", [ANY], f"{name}(distinct {{0}})")


def all_shapes(child):
    return [*functions(child), *operators(child), *casts(child), *forms()]
