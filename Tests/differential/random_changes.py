#!/usr/bin/env python3
"""Random INSERT, UPDATE, DELETE, MERGE, TRUNCATE, ALTER TABLE and transaction blocks, in Redbarn and in DuckDB (both from PyPI:
duckdb, psycopg): the tables must be the same after every block, and so must the counts of changed rows.

    Tests/differential/random_changes.py --redbarn .build/release/redbarn --seed 1 --count 1000

Between blocks Redbarn's tables are vacuumed and its server is killed and started again now and then. A failure is printed with
its seed and the statements since the tables were made.
"""
import argparse
import os
import random
import shutil
import sys
import tempfile

import psycopg

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from comparison import same_rows  # noqa: E402
from data import Column as TableColumn, Table, decide_design, literal  # noqa: E402
from engines import DuckDB, Server, answer_of  # noqa: E402
from expressions import Expressions, Scope  # noqa: E402
from sqltypes import BIGINT, BOOLEAN, DATE, INTEGER, SMALLINT, Type, decimal  # noqa: E402
from trees import Column  # noqa: E402
from values import maker  # noqa: E402

TYPES = [INTEGER, INTEGER, SMALLINT, BIGINT, decimal(10, 2), decimal(20, 4), Type("varchar", 20), Type("varchar", 20), DATE, BOOLEAN]


def random_tables(rng):
    tables = []
    for number in range(rng.randint(2, 4)):
        columns = [TableColumn("k", INTEGER)] + [TableColumn(f"c{index}", rng.choice(TYPES)) for index in range(rng.randint(2, 5))]
        count, spread, nulls = rng.choice([0, 1, 5, 20, 60, 200]), rng.choice([2, 5, 30]), rng.choice([0, 0.1, 0.4])
        makers = [lambda _, spread=spread: rng.randint(-spread, spread)]
        makers += [maker(rng, column, count, False) for column in columns[1:]]
        rows = [[None if rng.random() < nulls else make(index) for make in makers] for index in range(count)]
        for index, column in enumerate(columns):
            column.measure(rng, [row[index] for row in rows])
            # What is stored changes.
            column.clean = column.type.category != "text"
        table = Table(f"t{number}", columns, rows)
        table.columns, table.makers = columns, makers
        decide_design(rng, table)
        tables.append(table)
    return tables


def both(text):
    """The same for both systems."""
    return text, text


class Difference(Exception):
    pass


class Change:
    """Statements that both systems define alike, as (Redbarn's, DuckDB's) text: every target row has at most one partner in UPDATE
    and MERGE."""

    def __init__(self, rng, tables):
        self.rng, self.tables = rng, tables
        self.expressions = Expressions(rng)

    def make(self, may_truncate):
        kinds = [self.insert] * 3 + [self.insert_select] * 2 + [self.update] * 4 + [self.update_from] * 2
        kinds += [self.delete] * 2 + [self.delete_using, self.merge, self.merge, self.alter]
        if may_truncate:
            kinds.append(self.truncate)
        return self.rng.choice(kinds)(self.rng.choice(self.tables))

    # MARK: Parts, as a text for each dialect

    def scope(self, table, alias):
        return Scope([Column(alias, column.name, column.type, column.clean, column) for column in table.columns], 1)

    def portable(self, make):
        while True:
            tree = make()
            if tree.supports("D"):
                return tree.render("R"), tree.render("D")

    def expression(self, scope, type):
        texts = self.portable(lambda: self.expressions.expression(scope, type.category, self.rng.choice([1, 1, 2])))
        if type.category == "text":
            return tuple(f"substring({text}, 1, 4)" for text in texts)
        return texts

    def condition(self, scope):
        return self.portable(lambda: self.expressions.condition(scope, 2))

    def values(self, table, dialect):
        """One row of constants; the same in both dialects for the same state of `rng`."""
        values = [None if self.rng.random() < 0.1 else make(self.rng.randrange(100)) for make in table.makers]
        return "(" + ", ".join(literal(value, column.type, dialect) for value, column in zip(values, table.columns)) + ")"

    def pair(self, make):
        state = self.rng.getstate()
        first = make("R")
        self.rng.setstate(state)
        return first, make("D")

    # MARK: Statements

    def insert(self, table):
        count = self.rng.choice([1, 1, 2, 5, 40])
        rows = self.pair(lambda dialect: ", ".join(self.values(table, dialect) for _ in range(count)))
        return tuple(f"insert into {table.name} values {text}" for text in rows)

    def insert_select(self, table):
        source = self.rng.choice(self.tables)
        scope = self.scope(source, "s")
        items = [self.expression(scope, column.type) for column in table.columns]
        condition = self.condition(scope)
        return tuple(f"insert into {table.name} select {', '.join(item[side] for item in items)} from {source.name} s "
                     f"where {condition[side]} and s.k < 4" for side in (0, 1))

    def assignments(self, table, scope):
        columns = self.rng.sample(table.columns, self.rng.randint(1, min(2, len(table.columns))))
        parts = [(column.name, self.expression(scope, column.type)) for column in columns]
        return tuple(", ".join(f"{name} = {texts[side]}" for name, texts in parts) for side in (0, 1))

    def update(self, table):
        scope = self.scope(table, table.name)
        changes = self.assignments(table, scope)
        condition = self.condition(scope) if self.rng.random() < 0.9 else ("true", "true")
        return tuple(f"update {table.name} set {changes[side]} where {condition[side]}" for side in (0, 1))

    def partner(self):
        source = self.rng.choice(self.tables)
        column = next((column.name for column in source.columns[1:] if column.type == INTEGER), "k")
        return f"(select k, max({column}) as m, count(*) as n from {source.name} where k is not null group by k)"

    def update_from(self, table):
        scope = Scope(self.scope(table, table.name).leaves + [Column("s", "m", INTEGER, True), Column("s", "n", BIGINT, True)], 1)
        changes, partner = self.assignments(table, scope), self.partner()
        return tuple(f"update {table.name} set {text} from {partner} s where {table.name}.k = s.k" for text in changes)

    def delete(self, table):
        scope = self.scope(table, table.name)
        one, other = self.condition(scope), self.condition(scope)
        return tuple(f"delete from {table.name} where {one[side]} and {other[side]}" for side in (0, 1))

    def delete_using(self, table):
        source = self.rng.choice([other for other in self.tables if other is not table])
        condition = self.condition(self.scope(source, "s"))
        return tuple(f"delete from {table.name} using {source.name} s where {table.name}.k = s.k and {text} and s.k % 3 = 0"
                     for text in condition)

    def merge(self, table):
        """The source is a table, as Redshift wants it."""
        made = [f"drop table if exists staged; create table staged as select k, m from {self.partner()} p"]
        values = ", ".join("staged.k" if column.name == "k" else "staged.m" if column.type == INTEGER else "null" for column in table.columns)
        integers = [column.name for column in table.columns if column.type == INTEGER and column.name != "k"]
        matched = "delete" if self.rng.random() < 0.3 or not integers else f"update set {self.rng.choice(integers)} = staged.m"
        made.append(f"merge into {table.name} using staged on {table.name}.k = staged.k when matched then {matched} "
                    f"when not matched then insert values ({values})")
        return both("; ".join(made))

    def alter(self, table):
        added = [column for column in table.columns if column.name.startswith("added")]
        if added:
            place = table.columns.index(added[0])
            table.columns = table.columns[:place] + table.columns[place + 1:]
            table.makers = table.makers[:place] + table.makers[place + 1:]
            return both(f"alter table {table.name} drop column {added[0].name}")
        column = TableColumn(f"added{self.rng.randrange(100)}", INTEGER)
        table.columns = table.columns + [column]
        table.makers = table.makers + [lambda _: self.rng.randint(-5, 5)]
        return both(f"alter table {table.name} add column {column.name} integer default {self.rng.randint(-5, 5)}")

    def truncate(self, table):
        return both(f"truncate {table.name}")


class Pair:
    def __init__(self, redbarn, rng, tables):
        self.rng, self.tables = rng, tables
        self.folder = tempfile.mkdtemp(prefix="redbarn-changes-")
        self.server = Server(redbarn, self.folder, "--slices", rng.choice(["1", "2", "3"]))
        self.server.start()
        self.connection = self.server.connect()
        self.duck = DuckDB()
        self.done = []
        self.refused = 0
        for table in tables:
            self.duck.connection.execute(table.definition("D"))
            self.redbarn(table.definition("R"))
            for text in table.insertions("D"):
                self.duck.connection.execute(text)
            for text in table.insertions("R"):
                self.redbarn(text)

    def close(self):
        self.duck.stop()
        self.connection.close()
        self.server.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def redbarn(self, text):
        self.done.append(text)
        cursor = self.connection.execute(text)
        while cursor.nextset():
            pass
        return cursor

    def both(self, texts):
        """None, or the error of one of them; Redbarn's alone is a difference unless it is about the values."""
        failure, count = None, None
        try:
            count = self.redbarn(texts[0]).rowcount
        except psycopg.OperationalError as error:
            if error.sqlstate is None:
                raise Difference(f"the connection ended: {error}") from error
            failure = error
        except psycopg.Error as error:
            failure = error
        try:
            result = None
            for part in texts[1].split("; "):
                result = self.duck.connection.execute(part)
            expected = result.fetchone() if result and result.description else None
        except self.duck.errors as error:
            self.refused += 1
            return failure or error
        if failure:
            if failure.sqlstate[:2] == "22":
                self.refused += 1
                return failure
            raise Difference(f"Redbarn refuses what DuckDB does: {failure}")
        changes = texts[0].split("; ")[-1].startswith(("insert", "update", "delete", "merge"))
        if changes and expected is not None and count != expected[0]:
            raise Difference(f"Redbarn has changed {count} rows, DuckDB {expected[0]}")
        return None

    def compare(self):
        for table in self.tables:
            left = answer_of(self.connection, f"select * from {table.name}").rows
            right = self.duck.run(f"select * from {table.name}").rows
            if not same_rows([column.type for column in table.columns], left, right, False):
                missing = [row for row in right if row not in left][:5]
                surplus = [row for row in left if row not in right][:5]
                raise Difference(f"{table.name}: Redbarn {len(left)} rows, DuckDB {len(right)}\n  only in DuckDB: {missing}\n"
                                 f"  only in Redbarn: {surplus}")
            count = self.connection.execute(f"select count(*) from {table.name}").fetchone()[0]
            if count != len(left):
                raise Difference(f"{table.name}: count(*) is {count}, rows are {len(left)}")

    # MARK: Blocks

    def block(self):
        """One statement or a block of several; the number of statements."""
        change = Change(self.rng, self.tables)
        before = [(list(table.columns), list(table.makers)) for table in self.tables]
        is_single = self.rng.random() < 0.4
        count = 1 if is_single else self.rng.randint(2, 6)
        ends = "rollback" if self.rng.random() < 0.3 and not is_single else "commit"
        truncates = is_single and self.rng.random() < 0.1
        if truncates:
            self.both(change.truncate(self.rng.choice(self.tables)))
            return 1
        self.both(both("begin"))
        for _ in range(count):
            if self.both(change.make(False)):
                ends = "rollback"
                break
            if self.rng.random() < 0.2:
                self.compare()
        self.both(both(ends))
        if ends == "rollback":
            for table, (columns, makers) in zip(self.tables, before):
                table.columns, table.makers = columns, makers
        return count

    def disturb(self):
        choice = self.rng.randrange(40)
        if choice < 2:
            self.redbarn(f"vacuum {self.rng.choice(['full', 'delete only', 'sort only'])} {self.rng.choice(self.tables).name}")
        elif choice == 2:
            self.done.append("-- killed")
            self.server.kill()
            self.connection.close()
            self.server.start()
            self.connection = self.server.connect()
        else:
            return
        self.compare()

    def trim(self):
        """Keeps tables small."""
        for table in self.tables:
            if self.duck.connection.execute(f"select count(*) from {table.name}").fetchone()[0] > 2000:
                self.both(both(f"delete from {table.name} where k % 2 = 0 or k is null or k > 3"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--redbarn", default=".build/release/redbarn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300, help="statements")
    parser.add_argument("--per-tables", type=int, default=60, help="statements for one set of tables")
    parser.add_argument("--keep-going", type=int, default=5, help="stop after so many differences")
    options = parser.parse_args()
    done = failures = group = refused = 0
    while done < options.count and failures < options.keep_going:
        seed = options.seed * 1_000_003 + group
        group += 1
        rng = random.Random(seed)
        pair = Pair(options.redbarn, rng, random_tables(rng))
        start = done
        try:
            while done < options.count and done - start < options.per_tables:
                done += pair.block()
                pair.compare()
                pair.disturb()
                pair.trim()
        except (Difference, AssertionError) as difference:
            failures += 1
            text = ";\n".join(statement.replace("; ", ";\n") for statement in pair.done)
            print(f"-- seed {seed}\n{text};\n-- {difference}\n")
        finally:
            refused += pair.refused
            pair.close()
    print(f"{refused} statements were refused by one of both")
    print(f"{max(0, done - failures)} passed, {failures} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
