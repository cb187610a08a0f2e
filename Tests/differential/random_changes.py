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

import duckdb
import psycopg

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Crash"))
from random_queries import Generator, Table, definition, insertions, literal, normal, random_tables, random_value  # noqa: E402
from server import Server  # noqa: E402


class Difference(Exception):
    pass


class Change:
    """Statements that both systems define alike: every target row has at most one partner in UPDATE and MERGE."""

    def __init__(self, rng, tables):
        self.rng, self.tables = rng, tables
        self.generator = Generator(rng, tables)

    def make(self, may_truncate):
        kinds = [self.insert] * 3 + [self.insert_select] * 2 + [self.update] * 4 + [self.update_from] * 2
        kinds += [self.delete] * 2 + [self.delete_using, self.merge, self.merge, self.alter]
        if may_truncate:
            kinds.append(self.truncate)
        return self.rng.choice(kinds)(self.rng.choice(self.tables))

    def values(self, table):
        return "(" + ", ".join(
            literal(None if self.rng.random() < 0.1 else random_value(self.rng, kind, 5)) for _, kind, _ in table.columns) + ")"

    def expression(self, scope, kind, depth=1):
        text = self.generator.expression(scope, kind, depth)
        return f"substring({text}, 1, 12)" if kind == "text" else text

    def insert(self, table):
        rows = ", ".join(self.values(table) for _ in range(self.rng.choice([1, 1, 2, 5, 40])))
        return f"insert into {table.name} values {rows}"

    def insert_select(self, table):
        source = self.rng.choice(self.tables)
        scope = [("s", source.columns)]
        items = ", ".join(self.expression(scope, kind, 2) for _, kind, _ in table.columns)
        return f"insert into {table.name} select {items} from {source.name} s where {self.generator.condition(scope, 1)} and s.k < 4"

    def assignments(self, table, scope):
        columns = self.rng.sample(table.columns, self.rng.randint(1, min(2, len(table.columns))))
        return ", ".join(f"{name} = {self.expression(scope, kind)}" for name, kind, _ in columns)

    def update(self, table):
        scope = [(table.name, table.columns)]
        condition = f" where {self.generator.condition(scope)}" if self.rng.random() < 0.9 else ""
        return f"update {table.name} set {self.assignments(table, scope)}{condition}"

    def partner(self):
        source = self.rng.choice(self.tables)
        column = next((name for name, kind, _ in source.columns[1:] if kind == "int"), "k")
        return f"(select k, max({column}) as m, count(*) as n from {source.name} where k is not null group by k)"

    def update_from(self, table):
        scope = [(table.name, table.columns), ("s", [("m", "int", ""), ("n", "int", "")])]
        return (f"update {table.name} set {self.assignments(table, scope)} from {self.partner()} s "
                f"where {table.name}.k = s.k")

    def delete(self, table):
        scope = [(table.name, table.columns)]
        return f"delete from {table.name} where {self.generator.condition(scope)} and {self.generator.condition(scope, 1)}"

    def delete_using(self, table):
        source = self.rng.choice(self.tables)
        scope = [("s", source.columns)]
        return (f"delete from {table.name} using {source.name} s where {table.name}.k = s.k "
                f"and {self.generator.condition(scope, 1)} and s.k % 3 = 0")

    def merge(self, table):
        """The source is a table, as Redshift wants it."""
        made = [f"drop table if exists staged; create table staged as select k, m from {self.partner()} p"]
        values = ", ".join("staged.k" if name == "k" else "staged.m" if kind == "int" else "null" for name, kind, _ in table.columns)
        integers = [name for name, kind, _ in table.columns if kind == "int" and name != "k"]
        matched = "delete" if self.rng.random() < 0.3 or not integers else f"update set {self.rng.choice(integers)} = staged.m"
        made.append(f"merge into {table.name} using staged on {table.name}.k = staged.k when matched then {matched} "
                    f"when not matched then insert values ({values})")
        return "; ".join(made)

    def alter(self, table):
        added = [name for name, _, _ in table.columns if name.startswith("added")]
        if added:
            table.columns = [column for column in table.columns if column[0] != added[0]]
            return f"alter table {table.name} drop column {added[0]}"
        name = f"added{self.rng.randrange(100)}"
        table.columns = table.columns + [(name, "int", "integer")]
        return f"alter table {table.name} add column {name} integer default {self.rng.randint(-5, 5)}"

    def truncate(self, table):
        return f"truncate {table.name}"


class Pair:
    def __init__(self, redbarn, rng, tables):
        self.rng, self.tables = rng, tables
        self.folder = tempfile.mkdtemp(prefix="redbarn-changes-")
        self.server = Server(redbarn, self.folder, "--slices", rng.choice(["1", "2", "3"]))
        self.server.start()
        self.connection = self.server.connect()
        self.duck = duckdb.connect()
        self.done = []
        self.refused = 0
        for table in tables:
            self.duck.execute(definition(table, rng, False))
            self.redbarn(definition(table, rng, True))
            for text in insertions(table):
                self.duck.execute(text)
                self.redbarn(text)

    def close(self):
        self.connection.close()
        self.server.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def redbarn(self, text):
        self.done.append(text)
        cursor = self.connection.execute(text)
        while cursor.nextset():
            pass
        return cursor

    def both(self, text):
        """None, or the error of one of them; Redbarn's alone is a difference."""
        failure, count = None, None
        try:
            count = self.redbarn(text).rowcount
        except psycopg.OperationalError as error:
            if error.sqlstate is None:
                raise Difference(f"the connection ended: {error}") from error
            failure = error
        except psycopg.Error as error:
            failure = error
        try:
            result = None
            for part in text.split("; "):
                result = self.duck.execute(part)
            expected = result.fetchone() if result and result.description else None
        except duckdb.Error as error:
            self.refused += 1
            return failure or error
        if failure:
            raise Difference(f"Redbarn refuses what DuckDB does: {failure}")
        changes = text.split("; ")[-1].startswith(("insert", "update", "delete", "merge"))
        if changes and expected is not None and count != expected[0]:
            raise Difference(f"Redbarn has changed {count} rows, DuckDB {expected[0]}")
        return None

    def compare(self):
        for table in self.tables:
            left = rows(self.connection.execute(f"select * from {table.name}").fetchall())
            right = rows(self.duck.execute(f"select * from {table.name}").fetchall())
            if left != right:
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
        before = [list(table.columns) for table in self.tables]
        is_single = self.rng.random() < 0.4
        count = 1 if is_single else self.rng.randint(2, 6)
        ends = "rollback" if self.rng.random() < 0.3 and not is_single else "commit"
        truncates = is_single and self.rng.random() < 0.1
        if truncates:
            self.both(change.truncate(self.rng.choice(self.tables)))
            return 1
        self.both("begin")
        for _ in range(count):
            if self.both(change.make(False)):
                ends = "rollback"
                break
            if self.rng.random() < 0.2:
                self.compare()
        self.both(ends)
        if ends == "rollback":
            for table, columns in zip(self.tables, before):
                table.columns = columns
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
            if self.duck.execute(f"select count(*) from {table.name}").fetchone()[0] > 2000:
                self.both(f"delete from {table.name} where k % 2 = 0 or k is null or k > 3")


def rows(found):
    return sorted(tuple(normal(value) for value in row) for row in found)


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
    print(f"{refused} statements were refused by DuckDB")
    print(f"{max(0, done - failures)} passed, {failures} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
