"""The function table: what can be called with what, and how each dialect writes it. `None` for PostgreSQL or DuckDB: the answer is
not defined alike there (see README.md), so that only Redbarn itself is asked.

A template is a text for str.format, or a function of the call (for templates that depend on types) that gives one.
"""
from sqltypes import (
    BIGINT, BOOLEAN, DOUBLE, DUCKDB, INEXACT, INTEGER, POSTGRES, REDBARN, TEXT, arithmetic, capped, decimal, total, widest)

SAME = object()


class Form:
    """`arguments`: categories, or functions of (random, type of the first argument) that make a literal."""

    def __init__(self, name, arguments, result, redbarn, postgres=SAME, duckdb=SAME, weight=1, clean=False):
        self.name, self.arguments, self.result, self.weight, self.clean = name, arguments, result, weight, clean
        self.templates = {REDBARN: redbarn, POSTGRES: redbarn if postgres is SAME else postgres,
                          DUCKDB: redbarn if duckdb is SAME else duckdb}
        self.exact_floats = False

    def template(self, dialect):
        return self.templates[dialect]

    def type(self, types):
        return self.result(types) if callable(self.result) else self.result


class Constant:
    """An argument that must be a constant: a choice of these values, all of one type."""

    def __init__(self, type, *values):
        self.type, self.values = type, values


def number(*values):
    return Constant(INTEGER, *values)


def words(*values):
    return Constant(TEXT, *values)


def same(types):
    return widest(types)


def first(types):
    return types[0]


SCALARS = {}


def add(category, *forms):
    SCALARS.setdefault(category, []).extend(forms)


ANY = ["int", "dec", "float", "bool", "text", "date", "time", "timestamp", "timestamptz"]
ORDERED = ["int", "int", "dec", "dec", "float", "bool", "text", "text", "date", "time", "timestamp", "timestamptz"]

# MARK: Any type

for kind in ANY:
    add(kind, Form("case", ["bool", kind, kind], lambda types: widest(types[1:]), "case when {0} then {1} else {2} end", weight=3,
                   clean="arguments"),
        Form("case-null", ["bool", kind], lambda types: types[1], "case when {0} then {1} end", clean="arguments"),
        Form("case-two", ["bool", kind, "bool", kind, kind], lambda types: widest([types[1], types[3], types[4]]),
             "case when {0} then {1} when {2} then {3} else {4} end", clean="arguments"),
        Form("coalesce", [kind, kind], same, "coalesce({0}, {1})", weight=2, clean="arguments"),
        Form("nvl2", ["int", kind, kind], lambda types: widest(types[1:]), "nvl2({0}, {1}, {2})",
             "case when {0} is not null then {1} else {2} end", "case when {0} is not null then {1} else {2} end", clean="arguments"),
        Form("case-of", ["int", "int", kind, kind], lambda types: widest(types[2:]), "case {0} when {1} then {2} else {3} end",
             clean="arguments"),
        Form("decode", ["int", "int", kind, kind], lambda types: widest(types[2:]), "decode({0}, {1}, {2}, {3})",
             "case when {0} is not distinct from {1} then {2} else {3} end",
             "case when {0} is not distinct from {1} then {2} else {3} end", clean="arguments"),
        Form("nullif", [kind, kind], first, "nullif({0}, {1})", "case when {0:c} = {1:c} then null else {0} end",
             "case when {0:c} = {1:c} then null else {0} end", clean="arguments"))
    if kind not in ("bool", "text"):
        add(kind, Form("greatest", [kind, kind], same, "greatest({0}, {1})"), Form("least", [kind, kind], same, "least({0}, {1})"))

for kind in ORDERED:
    for operator in ("=", "<>", "<", "<=", ">", ">="):
        add("bool", Form("compare", [kind, kind], BOOLEAN, "({0} " + operator + " {1})", "({0:c} " + operator + " {1:c})",
                         "({0:c} " + operator + " {1:c})", weight=1.5))
    add("bool", Form("is-null", [kind], BOOLEAN, "({0} is null)", weight=2), Form("not-null", [kind], BOOLEAN, "({0} is not null)"))
    if kind != "bool":
        for word in ("", "not "):
            add("bool",
                Form("between", [kind, kind, kind], BOOLEAN, "({0} " + word + "between {1} and {2})",
                     "({0:c} " + word + "between {1:c} and {2:c})", "({0:c} " + word + "between {1:c} and {2:c})"),
                Form("in", [kind, kind, kind], BOOLEAN, "({0} " + word + "in ({rest}))", "({0:c} " + word + "in ({rest:c}))",
                     "({0:c} " + word + "in ({rest:c}))"),
                Form("in", [kind, kind, kind, kind, kind, kind], BOOLEAN, "({0} " + word + "in ({rest}))",
                     "({0:c} " + word + "in ({rest:c}))", "({0:c} " + word + "in ({rest:c}))"))
for kind in ("char", "timetz"):
    for operator in ("=", "<>", "<", ">="):
        add("bool", Form("compare-" + kind, [kind, kind], BOOLEAN, "({0} " + operator + " {1})",
                         SAME if kind == "char" else None, SAME if kind == "char" else None))
    add("bool", Form("is-null", [kind], BOOLEAN, "({0} is null)"))

for operator in ("=", "<", "<=", ">"):
    add("bool", Form("compare-interval", ["interval", "interval"], BOOLEAN, "({0} " + operator + " {1})", SAME, None, weight=2))

# MARK: Booleans

for operator in ("=", "<", ">="):
    add("bool", Form("compare-mixed", ["int", "dec"], BOOLEAN, "({0} " + operator + " {1})"),
        Form("compare-mixed", ["dec", "int"], BOOLEAN, "({0} " + operator + " {1})"),
        Form("compare-mixed", ["int", "float"], BOOLEAN, "({0} " + operator + " {1})"),
        Form("compare-mixed", ["date", "timestamp"], BOOLEAN, "({0} " + operator + " {1})"))
add("bool", Form("and", ["bool", "bool"], BOOLEAN, "({0} and {1})", weight=12), Form("or", ["bool", "bool"], BOOLEAN, "({0} or {1})",
    weight=12), Form("not", ["bool"], BOOLEAN, "(not {0})", weight=8),
    Form("or-three", ["bool", "bool", "bool"], BOOLEAN, "({0} or {1} or {2})", weight=3),
    Form("row-equals", ["int", "text", "int", "text"], BOOLEAN, "(({0}, {1}) = ({2}, {3}))", "(({0:c}, {1:c}) = ({2:c}, {3:c}))", None))
for test in ("is true", "is not true", "is false", "is not false", "is unknown", "is not unknown"):
    add("bool", Form("is-truth", ["bool"], BOOLEAN, "({0} " + test + ")", SAME,
                     "({0} " + test.replace("unknown", "null") + ")", weight=2))
PATTERNS = words("a%", "%b", "%a%", "_", "%", "", "Ab_", "a_c", "%common%", "k1%", "%9", "__", "%b%a%", "100%", "a", "x y%", "%ä%", "k%_7")
for word in ("like", "not like", "ilike"):
    add("bool", Form("like", ["text", PATTERNS], BOOLEAN, "({0} " + word + " {1})", weight=2))
add("bool", Form("like-any", ["text", "text"], BOOLEAN, "({0} like {1})"),
    Form("similar", ["text", words("a%", "(a|b)%", "[a-c]+", "%(x|y)_", "k[0-9]*", "_{2,3}")], BOOLEAN, "({0} similar to {1})", SAME, None),
    Form("regex", ["text", words("^a", "b$", "[0-9]+", "^(ab|k)", "a.c", "x*y", "^$", "[^a-z]")], BOOLEAN, "({0} ~ {1})", SAME,
         None),
    # Redshift's classes are of ASCII.
    Form("regex-class", ["text", words("[[:alpha:]]", "^[[:digit:]]+$", "[[:space:]]")], BOOLEAN, "({0} ~ {1})", None, None),
    Form("regex-not", ["text", words("^a", "b$", "[0-9]+")], BOOLEAN, "({0} !~ {1})", SAME, None))

# MARK: Numbers

NONZERO = number(1, 2, 3, 7, -1, -2, 10, 1000)
for symbol in "+-*":
    add("int", Form("arithmetic", ["int", "int"], lambda types, s=symbol: arithmetic(s, *types), "({0} " + symbol + " {1})", weight=3))
    add("dec", Form("arithmetic", ["dec", "dec"], lambda types, s=symbol: arithmetic(s, *types), "({0} " + symbol + " {1})", weight=3,
                    postgres=lambda call, s=symbol: scaled(call, "({0} " + s + " {1})"),
                    duckdb=lambda call, s=symbol: scaled(call, "({0} " + s + " {1})")),
        Form("arithmetic-mixed", ["dec", "int"], lambda types, s=symbol: arithmetic(s, *types), "({0} " + symbol + " {1})",
             postgres=lambda call, s=symbol: scaled(call, "({0} " + s + " {1})"),
             duckdb=lambda call, s=symbol: scaled(call, "({0} " + s + " {1})")))
    add("float", Form("arithmetic-float", ["float", "float"], lambda types: arithmetic("+", *types), "({0} " + symbol + " {1})", weight=2),
        Form("arithmetic-mixed", ["float", "int"], lambda types: arithmetic("+", *types), "({0} " + symbol + " {1})"))


def scaled(call, template):
    return template if call.type.precision < 38 or call.type.scale < 30 else None


def divided(call):
    """Redbarn rounds the quotient to its type's scale."""
    scale = call.type.scale
    return "round(round({0}::numeric, " + str(max(scale + 20, 45)) + ") / {1}, " + str(scale) + ")"


add("int", Form("divide", ["int", NONZERO], lambda types: arithmetic("/", *types), "({0} / {1})", SAME, "({0} // {1})"),
    Form("divide", ["int", "int"], lambda types: arithmetic("/", *types), "({0} / nullif({1}, 0))", SAME, "({0} // nullif({1}, 0))"),
    Form("modulo", ["int", NONZERO], lambda types: arithmetic("%", *types), "({0} % {1})", weight=2),
    Form("modulo", ["int", "int"], lambda types: arithmetic("%", *types), "mod({0}, nullif({1}, 0))"),
    Form("negate", ["int"], first, "(- {0})"), Form("abs", ["int"], first, "abs({0})"),
    Form("bits", ["int", "int"], same, "({0} & {1})"), Form("bits", ["int", "int"], same, "({0} | {1})"),
    Form("bits", ["int", "int"], same, "({0} # {1})", SAME, "xor({0}, {1})"),
    Form("to-int", ["dec"], INTEGER, "({0})::integer", SAME, None), Form("to-bigint", ["int"], BIGINT, "({0})::bigint", weight=2),
    Form("to-bigint", ["dec"], BIGINT, "({0})::bigint", SAME, None),
    Form("to-int", ["float"], INTEGER, "({0})::integer", SAME, None), Form("to-int", ["bool"], INTEGER, "({0})::integer"))
add("dec", Form("divide", ["dec", "dec"], lambda types: arithmetic("/", *types), "({0} / nullif({1}, 0))",
                lambda call: divided(call).replace("{1}", "nullif({1}, 0)"), None),
    Form("divide", ["dec", NONZERO], lambda types: arithmetic("/", *types), "({0} / {1})", divided, None),
    Form("modulo", ["dec", "dec"], lambda types: arithmetic("%", *types), "({0} % nullif({1}, 0))", SAME, None),
    Form("negate", ["dec"], first, "(- {0})"), Form("abs", ["dec"], first, "abs({0})"),
    Form("round", ["dec", number(0, 1, 2, 3)], first, "round({0}, {1})", SAME, None, weight=2),
    Form("round", ["dec", number(-1, -2)], first, "round({0}, {1})", SAME, None),
    Form("trunc", ["dec", number(0, 1, 2)], first, "trunc({0}, {1})", SAME, None),
    Form("ceil", ["dec"], lambda types: capped(types[0].precision - types[0].scale + 1, 0), "ceil({0})", SAME, None),
    Form("floor", ["dec"], lambda types: capped(types[0].precision - types[0].scale + 1, 0), "floor({0})", SAME, None),
    Form("sign", ["dec"], decimal(1, 0), "sign({0})", SAME, None),
    Form("to-decimal", ["int"], decimal(19, 0), "({0})::{t}"), Form("to-decimal", ["int"], decimal(20, 2), "({0})::{t}"),
    Form("to-decimal", ["dec"], decimal(10, 1), "({0})::{t}", SAME, None),
    Form("to-decimal", ["dec"], decimal(38, 4), "({0})::{t}", SAME, None),
    Form("to-decimal", ["float"], decimal(20, 4), "({0})::{t}", SAME, None))
add("float", Form("negate", ["float"], first, "(- {0})"), Form("abs", ["float"], first, "abs({0})"),
    Form("to-double", ["int"], DOUBLE, "({0})::double precision", weight=2),
    Form("floor", ["float"], DOUBLE, "floor({0})"), Form("ceil", ["float"], DOUBLE, "ceil({0})"))
# Results that libraries round in their own ways: compared with a tolerance and never used in conditions.
INEXACT_FORMS = [
    Form("sqrt", ["float"], INEXACT, "sqrt(abs({0}))"), Form("cbrt", ["float"], INEXACT, "cbrt({0})"),
    Form("ln", ["float"], INEXACT, "ln(abs({0}) + 1)"), Form("sin", ["float"], INEXACT, "atan({0})"),
    Form("to-double", ["dec"], INEXACT, "({0})::double precision"), Form("divide", ["float", "float"], INEXACT, "({0} / nullif({1}, 0))"),
    Form("power", ["int", number(0, 1, 2)], INEXACT, "power({0}, {1})"),
    Form("exp", ["int"], INEXACT, "exp(({0} % 20))"), Form("round", ["float", number(0, 1, 2)], INEXACT, "round({0}, {1})", None, None),
]
# MARK: Aggregates

SUMMABLE = ["int", "dec", "float"]
AGGREGATES = [Form("count-star", [], BIGINT, "count(*)", weight=6)]
for kind in ANY + ["char", "timetz"]:
    compared_forms = ["count(distinct {0:c})"] * 2 if kind != "timetz" else [None, None]
    AGGREGATES += [Form("count", [kind], BIGINT, "count({0})"),
                   Form("count-distinct", [kind], BIGINT, "count(distinct {0})", *compared_forms)]
    if kind not in ("bool", "timetz"):
        AGGREGATES += [
            Form("min", [kind], first, "min({0})", "min({0:c})", "min({0:c})", clean="arguments", weight=1.5),
            Form("max", [kind], first, "max({0})", "max({0:c})", "max({0:c})", clean="arguments", weight=1.5)]
for kind in ("int", "dec"):
    # Elsewhere the sum of BIGINT is wider.
    narrow = "::bigint" if kind == "int" else ""
    for name, text, weight in (("sum", "sum({0})", 3), ("sum-distinct", "sum(distinct {0})", 1)):
        AGGREGATES.append(Form(name, [kind], lambda types: total(types[0]), text, text + narrow, text + narrow, weight=weight))
AGGREGATES += [
    Form("avg", ["int"], BIGINT, "avg({0})", "div(sum({0})::numeric, nullif(count({0}), 0))::bigint", "(sum({0}) // nullif(count({0}), 0))::bigint", weight=2),
    Form("avg", ["dec"], lambda types: total(types[0]), "avg({0})",
         lambda call: divided(call).replace("{0}::numeric", "sum({0})").replace("{1}", "nullif(count({0}), 0)"), None,
         weight=2),
    Form("avg", ["float"], INEXACT, "avg({0})"), Form("sum", ["float"], INEXACT, "sum({0})", weight=2),
    # Of small numbers: Redbarn adds in DOUBLE PRECISION, PostgreSQL exactly.
    Form("deviation", ["int"], INEXACT, "stddev_samp({0} % 1000)", SAME, None),
    Form("deviation", ["dec"], INEXACT, "var_pop({0} % 1000)", SAME, None),
    Form("bool-and", ["bool"], BOOLEAN, "bool_and({0})", weight=2), Form("bool-or", ["bool"], BOOLEAN, "bool_or({0})", weight=2),
    Form("bit-and", ["int"], first, "bit_and({0})"), Form("bit-or", ["int"], first, "bit_or({0})"),
    Form("listagg", ["text", words(",", "", " | ")], TEXT, "listagg({0}, {1}) within group (order by {0})",
         None, None), Form("listagg", ["int", words(",", "; ")], TEXT, "listagg({0}, {1}) within group (order by {0})",
                           "string_agg({0}::text, {1} order by {0})", "string_agg({0}::text, {1} order by {0})"),
]
PERCENTILES = []
for kind in SUMMABLE:
    PERCENTILES += [
        Form("percentile", [kind, Constant(decimal(2, 1), "0.0", "0.3", "0.5", "1.0")], INEXACT,
             "percentile_cont({1}) within group (order by {0})", SAME, None),
        Form("median", [kind], INEXACT, "median({0})", "percentile_cont(0.5) within group (order by {0})", None)]
for kind in ["int", "dec", "date"]:
    PERCENTILES.append(Form("percentile-disc", [kind, Constant(decimal(2, 1), "0.0", "0.3", "0.5", "1.0")], first,
                            "percentile_disc({1}) within group (order by {0})", SAME, None))

# MARK: Window functions (those that need an order of rows, and those that rank peers)

RANKS = [Form("rank", [], BIGINT, "rank()"), Form("dense-rank", [], BIGINT, "dense_rank()"),
         Form("percent-rank", [], INEXACT, "percent_rank()"), Form("cume-dist", [], INEXACT, "cume_dist()")]
POSITIONS = [Form("row-number", [], BIGINT, "row_number()", weight=2), Form("ntile", [number(1, 2, 3, 7, 100)], BIGINT, "ntile({0})")]
NEIGHBOURS, FRAMED = [], []
for kind in ANY + ["char"]:
    for word in ("lag", "lead"):
        NEIGHBOURS += [
            Form("neighbour-default", [kind, number(1, 2, 5), kind], lambda types: widest([types[0], types[2]]),
                 word + "({0}, {1}, {2})", SAME, None if kind == "dec" else SAME, clean="arguments"),
            Form("neighbour", [kind], first, word + "({0})", clean="arguments"),
            Form("neighbour", [kind, number(0, 1, 2, 5, 3000)], first, word + "({0}, {1})", clean="arguments"),
            Form("neighbour-nulls", [kind], first, word + "({0}) ignore nulls", None, word + "({0} ignore nulls)", clean="arguments")]
    for word in ("first_value", "last_value"):
        FRAMED += [Form("edge", [kind], first, word + "({0})", clean="arguments"),
                   Form("edge-nulls", [kind], first, word + "({0} ignore nulls)", None, clean="arguments")]
    FRAMED.append(Form("nth", [kind, number(1, 2, 3, 10)], first, "nth_value({0}, {1})", clean="arguments"))
OVER_FRAMES = [form for form in AGGREGATES if form.name in ("count-star", "count", "min", "max", "sum", "avg", "bool-and", "bool-or")]
OVER_FRAMES = [form for form in OVER_FRAMES if form.name != "avg" or form.arguments != ["dec"]]
