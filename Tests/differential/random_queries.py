#!/usr/bin/env python3
"""Random queries over random tables, in Redbarn and in DuckDB (PyPI): results are compared as multisets.

    Tests/differential/random_queries.py --redbarn .build/release/redbarn --seed 1 --count 500

Each failure is printed with its seed, reduced by leaving out clauses while it still fails. Only what both systems
define alike is generated: no integer division, no order of NULLs left open, no empty texts.
"""
import argparse
import csv
import io
import os
import random
import shutil
import subprocess
import sys
import tempfile
from decimal import Decimal, InvalidOperation

import duckdb

WORDS = ["a", "b", "ab", "Abc", "zeta", "x y", "100%", "under_score", "äö", "q"]
KINDS = {"int": ["integer", "smallint", "bigint"], "dec": ["decimal(10,2)", "decimal(20,4)"],
         "text": ["varchar(20)"], "date": ["date"], "bool": ["boolean"]}


class Table:
    def __init__(self, name, columns, rows):
        self.name, self.columns, self.rows = name, columns, rows


def literal(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value)


def random_value(rng, kind, spread):
    if kind == "int":
        return rng.randint(-spread, spread)
    if kind == "dec":
        return Decimal(rng.randint(-spread * 100, spread * 100)) / 100
    if kind == "text":
        return rng.choice(WORDS)
    if kind == "date":
        return "2024-%02d-%02d" % (rng.randint(1, 12), rng.randint(1, 28))
    return rng.random() < 0.5


def random_tables(rng):
    tables = []
    for number in range(rng.randint(2, 4)):
        columns = [("k", "int", "integer")]
        for index in range(rng.randint(2, 5)):
            kind = rng.choice(["int", "int", "dec", "text", "date", "bool"])
            columns.append((f"c{index}", kind, rng.choice(KINDS[kind])))
        spread = rng.choice([2, 5, 30])
        nulls = rng.choice([0, 0.1, 0.4])
        rows = []
        for _ in range(rng.choice([0, 1, 5, 20, 60, 200])):
            rows.append([None if rng.random() < nulls else random_value(rng, kind, spread) for _, kind, _ in columns])
        tables.append(Table(f"t{number}", columns, rows))
    return tables


def definition(table, rng, design):
    columns = ", ".join(f"{name} {kind}" for name, _, kind in table.columns)
    text = f"create table {table.name} ({columns})"
    if design:
        text += rng.choice(["", " diststyle even", " diststyle all", " distkey (k)", " distkey (k) sortkey (k)",
                            " sortkey (c0, k)"])
    return text


def insertions(table):
    for start in range(0, len(table.rows), 100):
        rows = ", ".join("(" + ", ".join(literal(v) for v in row) + ")" for row in table.rows[start:start + 100])
        yield f"insert into {table.name} values {rows}"


class Query:
    """A SELECT as its parts, so that parts can be left out."""

    def __init__(self):
        self.items, self.source, self.where, self.group, self.having = [], "", [], [], ""
        self.distinct, self.limit, self.tail = False, "", ""

    def text(self):
        parts = ["select " + ("distinct " if self.distinct else "") + ", ".join(self.items), "from " + self.source]
        if self.where:
            parts.append("where " + " and ".join(f"({c})" for c in self.where))
        if self.group:
            parts.append("group by " + ", ".join(self.group))
        if self.having:
            parts.append("having " + self.having)
        text = "\n".join(parts)
        if self.tail:
            text += "\n" + self.tail
        if self.limit:
            order = ", ".join(f"{i + 1} nulls last" for i in range(len(self.items)))
            text = f"select * from ({text}) o order by {order} limit {self.limit}"
        return text

    def smaller(self):
        """Variants with one part less."""
        for index in range(len(self.where)):
            copy = self.copy()
            del copy.where[index]
            yield copy
        for name, empty in (("having", ""), ("limit", ""), ("tail", ""), ("distinct", False)):
            if getattr(self, name):
                copy = self.copy()
                setattr(copy, name, empty)
                yield copy
        if len(self.items) > 1 and not self.tail:
            for index in range(len(self.items)):
                copy = self.copy()
                del copy.items[index]
                yield copy

    def copy(self):
        copy = Query()
        copy.__dict__.update({k: list(v) if isinstance(v, list) else v for k, v in self.__dict__.items()})
        return copy


class Generator:
    def __init__(self, rng, tables):
        self.rng, self.tables, self.aliases = rng, tables, 0

    def alias(self):
        self.aliases += 1
        return f"x{self.aliases}"

    def column(self, scope, kind):
        choices = [f"{alias}.{name}" for alias, columns in scope for name, k, _ in columns if k == kind]
        return self.rng.choice(choices) if choices else None

    def expression(self, scope, kind, depth=0):
        rng = self.rng
        column = self.column(scope, kind)
        if column and (depth > 2 or rng.random() < 0.5):
            return column
        if depth > 2 or rng.random() < 0.25:
            value = random_value(rng, kind, 5)
            return f"date {literal(value)}" if kind == "date" else literal(value)
        again = lambda k: self.expression(scope, k, depth + 1)
        if kind in ("int", "dec"):
            choice = rng.randrange(6)
            if choice < 2:
                return f"({again(kind)} {rng.choice('+-')} {again(kind)})"
            if choice == 2:
                return f"({again(kind)} * {rng.randint(-3, 3)})"
            if choice == 3:
                return f"coalesce({again(kind)}, {again(kind)})"
            if choice == 4 and kind == "int":
                return rng.choice([f"length({again('text')})", f"({again('int')} % 7)", f"abs({again('int')})"])
            return f"case when {self.condition(scope, depth + 1)} then {again(kind)} else {again(kind)} end"
        if kind == "text":
            return rng.choice([
                f"({again('text')} || {again('text')})", f"upper({again('text')})", f"substring({again('text')}, 1, 2)",
                f"coalesce({again('text')}, 'none')", f"nullif({again('text')}, 'a')",
                f"case when {self.condition(scope, depth + 1)} then {again('text')} end"])
        if kind == "date":
            return f"greatest({again('date')}, {again('date')})"
        return self.condition(scope, depth + 1)

    def condition(self, scope, depth=0):
        rng = self.rng
        if depth < 2 and rng.random() < 0.3:
            word = rng.choice(["and", "or"])
            return f"({self.condition(scope, depth + 1)} {word} {self.condition(scope, depth + 1)})"
        if depth < 2 and rng.random() < 0.1:
            return f"(not {self.condition(scope, depth + 1)})"
        kind = rng.choice(["int", "int", "dec", "text", "date", "bool"])
        left = self.column(scope, kind) or self.expression(scope, kind, 3)
        choice = rng.randrange(8)
        if choice == 0:
            return f"{left} is {rng.choice(['', 'not '])}null"
        if choice == 1 and kind != "bool":
            values = ", ".join(self.expression([], kind, 3) for _ in range(rng.randint(1, 4)))
            return f"{left} {rng.choice(['', 'not '])}in ({values})"
        if choice == 2 and kind != "bool":
            return f"{left} between {self.expression(scope, kind, 3)} and {self.expression(scope, kind, 3)}"
        if choice == 3 and kind == "text":
            return f"{left} {rng.choice(['', 'not '])}like '{rng.choice(['a%', '%b', '%e%', '_', '%', 'Ab_'])}'"
        if choice == 4 and depth < 2:
            return self.subquery_condition(scope, depth)
        if kind == "bool":
            return left
        return f"{left} {rng.choice(['=', '=', '<>', '<', '<=', '>', '>='])} {self.expression(scope, kind, 2)}"

    def subquery_condition(self, scope, depth):
        rng = self.rng
        table, alias = rng.choice(self.tables), self.alias()
        inner = [(alias, table.columns)]
        where = self.condition(inner + scope, depth + 2)
        outer = self.column(scope, "int")
        if outer and rng.random() < 0.6:
            where = f"{self.column(inner, 'int')} = {outer} and {where}"
        source = f"from {table.name} {alias} where {where}"
        choice = rng.randrange(4)
        if choice == 0 or not outer:
            return f"{rng.choice(['', 'not '])}exists (select 1 {source})"
        if choice == 1:
            return f"{outer} {rng.choice(['', 'not '])}in (select {self.column(inner, 'int')} {source})"
        if choice == 2:
            function = rng.choice(["max", "min", "count", "sum"])
            symbol = rng.choice(["=", "<", ">="])
            return f"{outer} {symbol} (select {function}({self.column(inner, 'int')}) {source})"
        symbol = rng.choice(["> all", "= any", "<= any", "<> all"])
        return f"{outer} {symbol} (select {self.column(inner, 'int')} {source})"

    def source(self):
        rng = self.rng
        table, alias = rng.choice(self.tables), self.alias()
        text, scope = f"{table.name} {alias}", [(alias, table.columns)]
        for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
            table, alias = rng.choice(self.tables), self.alias()
            joined = [(alias, table.columns)]
            right = f"{table.name} {alias}"
            if rng.random() < 0.2:
                right = (f"(select k, max(c0) as c0, count(*) as c1 from {table.name} group by k) {alias}")
                joined = [(alias, [("k", "int", ""), table.columns[1], ("c1", "int", "")])]
                if table.columns[1][1] == "bool":
                    right, joined = f"{table.name} {alias}", [(alias, table.columns)]
            condition = f"{self.column(scope, 'int')} = {self.column(joined, 'int')}"
            kind = rng.choice(["join", "join", "left join", "right join", "full join"])
            if rng.random() < 0.3 and kind != "full join":
                condition += " and " + self.condition(scope + joined, 1).replace("exists", "exists")
                if "select" in condition:
                    condition = condition.split(" and ")[0]
            text += f" {kind} {right} on {condition}"
            scope = scope + joined
        return text, scope

    def query(self):
        rng = self.rng
        query = Query()
        query.source, scope = self.source()
        for _ in range(rng.choice([0, 1, 1, 2])):
            query.where.append(self.condition(scope))
        kinds = [rng.choice(["int", "dec", "text", "date", "int"]) for _ in range(rng.randint(1, 4))]
        shape = rng.randrange(5)
        if shape <= 1:
            query.items = [self.expression(scope, kind) for kind in kinds]
            query.distinct = rng.random() < 0.2
        elif shape == 2:
            query.items = [self.aggregate(scope) for _ in range(rng.randint(1, 4))]
        elif shape == 3:
            keys = [c for c in {self.column(scope, kind) for kind in kinds[:2]} if c] or [self.column(scope, "int")]
            query.group = sorted(keys)
            query.items = query.group + [self.aggregate(scope) for _ in range(rng.randint(1, 3))]
            if rng.random() < 0.3:
                query.having = f"count(*) {rng.choice(['>', '<', '='])} {rng.randint(1, 4)}"
        else:
            column, key = self.column(scope, "int"), self.column(scope, "int")
            query.items = [column, key, f"count(*) over (partition by {key})", f"max({column}) over (partition by {key})",
                           f"rank() over (partition by {key} order by {column} nulls last)"]
        if shape <= 1 and rng.random() < 0.25 and not query.distinct:
            other_source, other_scope = self.source()
            word = rng.choice(["union", "union all", "intersect", "except"])
            items = ", ".join(self.expression(other_scope, kind) for kind in kinds)
            query.tail = f"{word} select {items} from {other_source} where {self.condition(other_scope)}"
        if rng.random() < 0.2:
            query.limit = str(rng.randint(0, 10))
        return query

    def aggregate(self, scope):
        rng = self.rng
        kind = rng.choice(["int", "dec", "text", "date"])
        argument = self.expression(scope, kind, 2)
        choice = rng.randrange(6)
        if choice == 0:
            return "count(*)"
        if choice == 1:
            return f"count({'distinct ' if rng.random() < 0.5 else ''}{argument})"
        if choice == 2 and kind in ("int", "dec"):
            return f"sum({'distinct ' if rng.random() < 0.2 else ''}{argument})"
        return f"{rng.choice(['min', 'max'])}({argument})"


def normal(value):
    """One form for values of both systems."""
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "t" if value else "f"
    text = str(value)
    if text in ("True", "true"):
        return "t"
    if text in ("False", "false"):
        return "f"
    if text.endswith(" 00:00:00"):
        text = text[:10]
    try:
        number = Decimal(text)
        return format(number.normalize() + 0, "f") if number.is_finite() else text
    except InvalidOperation:
        return text.rstrip(" ")


class Pair:
    def __init__(self, redbarn, tables, rng, slices):
        self.redbarn = redbarn
        self.folder = tempfile.mkdtemp(prefix="redbarn-random-")
        self.warehouse = os.path.join(self.folder, "warehouse")
        self.slices = slices
        self.refused = 0
        self.duck = duckdb.connect()
        script = []
        for table in tables:
            self.duck.execute(definition(table, rng, False))
            script.append(definition(table, rng, True))
            for text in insertions(table):
                self.duck.execute(text)
                script.append(text)
        self.setup = ";\n".join(script) + ";\n"
        ran = self.shell(self.setup)
        if ran.returncode != 0 or "ERROR" in ran.stderr:
            raise SystemExit("set-up failed:\n" + ran.stderr + "\n" + self.setup)

    def shell(self, text):
        return subprocess.run([self.redbarn, "sql", self.warehouse, "--format", "csv"], input=text,
                              capture_output=True, text=True, timeout=60)

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def difference(self, text):
        """None when both agree, else what is different."""
        try:
            expected = sorted(tuple(normal(v) for v in row) for row in self.duck.execute(text).fetchall())
        except duckdb.Error:
            expected = None
        try:
            ran = self.shell(text + ";\n")
        except subprocess.TimeoutExpired:
            return "Redbarn did not finish in 60 s"
        if ran.returncode < 0 or "Fatal error" in ran.stderr or "crashed" in ran.stderr:
            return "Redbarn crashed:\n" + ran.stderr[:3000]
        failed = "ERROR" in ran.stderr
        if expected is None:
            self.refused += 1
            return None
        if failed:
            return "Redbarn: " + ran.stderr.strip()
        rows = list(csv.reader(io.StringIO(ran.stdout)))[1:]
        actual = sorted(tuple(normal(v) for v in row) for row in rows if row)
        if expected and expected[0] == ("",) or actual and actual[0] == ("",):
            expected = [r for r in expected if r != ("",)]
            actual = [r for r in actual if r != ("",)]
        if expected == actual:
            return None
        missing = [r for r in expected if r not in actual][:5]
        surplus = [r for r in actual if r not in expected][:5]
        return (f"rows: DuckDB {len(expected)}, Redbarn {len(actual)}\n  only in DuckDB: {missing}\n"
                f"  only in Redbarn: {surplus}")


def reduce(pair, query):
    """Leaves parts out as long as the difference stays."""
    changed = True
    while changed:
        changed = False
        for smaller in query.smaller():
            if pair.difference(smaller.text()):
                query, changed = smaller, True
                break
    return query


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--redbarn", default=".build/release/redbarn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--per-tables", type=int, default=25, help="queries for one set of tables")
    parser.add_argument("--keep-going", type=int, default=5, help="stop after so many differences")
    options = parser.parse_args()
    failures = done = refused = 0
    group = 0
    while done < options.count and failures < options.keep_going:
        seed = options.seed * 1_000_003 + group
        group += 1
        rng = random.Random(seed)
        tables = random_tables(rng)
        pair = Pair(options.redbarn, tables, rng, 2)
        for number in range(options.per_tables):
            if done >= options.count or failures >= options.keep_going:
                break
            query = Generator(rng, tables).query()
            done += 1
            if pair.difference(query.text()) is None:
                continue
            failures += 1
            small = reduce(pair, query)
            print(f"-- seed {seed}, query {number}\n{pair.setup}{small.text()};\n-- {pair.difference(small.text())}\n")
        refused += pair.refused
        pair.close()
    print(f"{refused} queries were refused by DuckDB")
    print(f"{done - failures} passed, {failures} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
