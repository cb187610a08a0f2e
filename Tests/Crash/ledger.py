"""Kills a server under mixed load with SIGKILL and compares what is there afterwards with a ledger of acknowledged commits.

usage: ledger.py REDBARN [--rounds N] [--workers N] [--seed N] [--keep]

Each worker writes into a shared table, under its own name, and into a table of its own, and keeps a ledger of what both must
hold. A statement or block without an answer when the server dies may have happened as a whole or not at all; everything that was
acknowledged is there, everything that failed or was rolled back is not. Beside them the cluster is resized and snapshots are
saved. After each kill `redbarn doctor` must find no damage, in the warehouse and in each snapshot.
"""
import argparse
import collections
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import psycopg

from server import Server, is_conflict


class Keeper:
    """Saves snapshots and resizes the cluster beside the load, until the server dies."""

    def __init__(self, server, seed):
        self.server, self.rng = server, random.Random(seed)
        self.problems = []
        self.names = 0
        self.resizes = 0

    def run(self):
        try:
            with self.server.connect() as connection:
                while True:
                    self.step(connection)
                    time.sleep(0.02)
        except psycopg.OperationalError:
            pass
        except Exception as error:  # pylint: disable=broad-except
            self.problems.append(f"keeper: {error!r}")

    def step(self, connection):
        choice = self.rng.randrange(10)
        try:
            if choice < 7:
                connection.execute(f"resize cluster to {self.rng.randint(1, 2)} nodes {self.rng.randint(1, 3)} slices")
                self.resizes += 1
            elif choice < 9:
                self.names += 1
                connection.execute(f"create snapshot s{self.names}")
            else:
                connection.execute(f"drop snapshot if exists s{self.rng.randint(1, self.names + 1)}")
        except psycopg.errors.ObjectInUse:
            pass  # Somebody is in a block.

    def check(self, connection):
        """Each snapshot is a warehouse without damage."""
        for name, in connection.execute("select trim(name) from stv_snapshots").fetchall():
            path = os.path.join(self.server.warehouse, "snapshots", name)
            ran = subprocess.run([self.server.redbarn, "doctor", path], capture_output=True, text=True, timeout=120)
            if ran.returncode:
                self.problems.append(f"snapshot {name}: {ran.stdout}{ran.stderr}")
            connection.execute(f"drop snapshot {name}")


class Ledger:
    """What one worker's rows are: of the shared table by key, and of its own table, None while there is none."""

    def __init__(self):
        self.shared = {}
        self.columns = []
        self.own = None
        self.next_key = 1

    def copy(self):
        made = Ledger()
        made.shared, made.columns, made.own, made.next_key = dict(self.shared), self.columns, self.own, self.next_key
        return made

    def keys(self, count):
        first = self.next_key
        self.next_key += count
        return range(first, first + count)

    def same_rows(self, other):
        return self.shared == other.shared and self.own == other.own and (self.own is None or self.columns == other.columns)


class Worker:
    def __init__(self, server, number, seed, folder):
        self.server, self.number, self.folder = server, number, folder
        self.rng = random.Random(seed)
        self.ledger = Ledger()
        self.pending = None
        self.is_calm = False
        self.problems = []
        self.files = []
        self.acknowledged = collections.Counter()

    # MARK: Load

    def run(self):
        """Until the server dies."""
        self.pending = None
        try:
            with self.server.connect() as connection:
                while not self.problems:
                    self.step(connection)
        except psycopg.OperationalError:
            pass
        except Exception as error:  # pylint: disable=broad-except
            self.problems.append(f"worker {self.number}: {error!r}")

    def step(self, connection):
        for path in self.files:
            os.remove(path)
        self.files = []
        after = self.ledger.copy()
        # A resize waits for nobody's block.
        count = 1 if self.is_calm else self.rng.choice([1, 1, 1, 2, 3, 5])
        names, statements = [], []
        for _ in range(count):
            name = self.rng.choice(
                ["insert", "insert", "insert", "rows", "update", "update", "delete", "copy", "create", "fill", "alter", "drop",
                 "truncate", "ctas", "select", "vacuum"])
            if count > 1 and name in ("truncate", "vacuum"):
                continue
            made = getattr(self, name)(after)
            if made:
                names.append(name)
                statements += made
        if not statements:
            return
        if count > 1:
            statements = ["begin"] + statements
        rolls_back = count > 1 and self.rng.random() < 0.15
        try:
            for statement in statements:
                self.pending = after if count == 1 else None
                connection.execute(statement)
            if count > 1:
                self.pending = None if rolls_back else after
                connection.execute("rollback" if rolls_back else "commit")
            if not rolls_back:
                self.ledger = after
                self.acknowledged.update(names)
            self.pending = None
        except psycopg.OperationalError as error:
            if error.sqlstate is None or error.sqlstate.startswith("57"):
                raise
            self.refused(connection, error, statements)
        except psycopg.Error as error:
            self.refused(connection, error, statements)

    def refused(self, connection, error, statements):
        self.pending = None
        if not is_conflict(error):
            self.problems.append(f"worker {self.number}: {error} in {statements}")
        connection.execute("rollback")

    def value(self):
        return self.rng.choice(["a", "some text", "x" * 50, "", "ü€"]) + str(self.rng.randrange(1000))

    def insert(self, after):
        (key,) = after.keys(1)
        after.shared[key] = self.value()
        return [f"insert into shared values ({self.number}, {key}, '{after.shared[key]}')"]

    def rows(self, after):
        values = []
        for key in after.keys(self.rng.choice([10, 200])):
            after.shared[key] = self.value()
            values.append(f"({self.number}, {key}, '{after.shared[key]}')")
        return ["insert into shared values " + ", ".join(values)]

    def some(self, after):
        """A condition on keys, and the keys that it holds for."""
        modulus = self.rng.choice([2, 7, 50])
        rest = self.rng.randrange(modulus)
        return f"w = {self.number} and k % {modulus} = {rest}", [k for k in after.shared if k % modulus == rest]

    def update(self, after):
        condition, keys = self.some(after)
        new = self.value()
        for key in keys:
            after.shared[key] = new
        return [f"update shared set v = '{new}' where {condition}"]

    def delete(self, after):
        condition, keys = self.some(after)
        for key in keys:
            del after.shared[key]
        return [f"delete from shared where {condition}"]

    def copy(self, after):
        keys = after.keys(self.rng.choice([5, 2000]))
        # A block may have several of them, whose files are all written before it begins.
        path = os.path.join(self.folder, f"rows{self.number}-{keys[0]}.txt")
        self.files.append(path)
        with open(path, "w", encoding="utf-8") as file:
            for key in keys:
                after.shared[key] = f"copied {key % 13}"
                file.write(f"{self.number}|{key}|{after.shared[key]}\n")
        return [f"copy shared from '{path}'"]

    def create(self, after):
        if after.own is not None:
            return None
        after.own, after.columns = [], []
        style = self.rng.choice(["distkey (k)", "diststyle all", "diststyle even sortkey (k)", ""])
        return [f"create table own{self.number} (k integer, v varchar(100)) {style}"]

    def fill(self, after):
        if after.own is None:
            return None
        key = after.keys(1)[0]
        after.own = after.own + [(key, "own") + tuple(7 if name == "seven" else None for name in after.columns)]
        return [f"insert into own{self.number} (k, v) values ({key}, 'own')"]

    def alter(self, after):
        if after.own is None:
            return None
        if "seven" in after.columns:
            place = 2 + after.columns.index("seven")
            after.columns = [name for name in after.columns if name != "seven"]
            after.own = [row[:place] + row[place + 1:] for row in after.own]
            return [f"alter table own{self.number} drop column seven"]
        after.columns = after.columns + ["seven"]
        after.own = [row + (7,) for row in after.own]
        return [f"alter table own{self.number} add column seven integer default 7"]

    def drop(self, after):
        if after.own is None:
            return None
        after.own, after.columns = None, []
        return [f"drop table own{self.number}"]

    def truncate(self, after):
        if after.own is None:
            return None
        after.own = []
        return [f"truncate own{self.number}"]

    def ctas(self, after):
        if after.own is not None:
            return None
        after.columns = []
        after.own = [(k, v) for k, v in after.shared.items()]
        return [f"create table own{self.number} as select k, v from shared where w = {self.number}"]

    def select(self, _):
        return [f"select count(*) from shared where w = {self.number}"]

    def vacuum(self, _):
        return [self.rng.choice(["vacuum shared", "vacuum full shared to 100 percent", "vacuum delete only shared"])]

    # MARK: Comparison

    def present(self, connection):
        """What the warehouse holds."""
        found = self.ledger.copy()
        rows = connection.execute(f"select k, v from shared where w = {self.number}").fetchall()
        found.shared = dict(rows)
        if len(rows) != len(found.shared):
            self.problems.append(f"worker {self.number}: rows are there twice")
        if connection.execute(f"select count(*) from shared where w = {self.number}").fetchone()[0] != len(rows):
            self.problems.append(f"worker {self.number}: count(*) differs from the rows")
        try:
            cursor = connection.execute(f"select * from own{self.number}")
            found.own = sorted(cursor.fetchall(), key=repr)
            found.columns = [column.name for column in cursor.description[2:]]
        except psycopg.errors.UndefinedTable:
            found.own, found.columns = None, []
        return found

    def compare(self, connection):
        found = self.present(connection)
        allowed = [self.ledger] + ([self.pending] if self.pending else [])
        for state in allowed:
            if state.own is not None:
                state.own = sorted(state.own, key=repr)
        for state in allowed:
            if state.same_rows(found):
                self.ledger = state
                # Keys of a lost statement are not used again.
                self.ledger.next_key = max(s.next_key for s in allowed)
                return
        self.problems.append(f"worker {self.number}: " + difference(self.ledger, self.pending, found))


def difference(ledger, pending, found):
    lines = []
    for name, state in [("ledger", ledger), ("with the open commit", pending)]:
        if state is None:
            continue
        lost = sorted(k for k in state.shared if k not in found.shared)[:10]
        more = sorted(k for k in found.shared if k not in state.shared)[:10]
        other = [(k, state.shared[k], found.shared[k]) for k in state.shared if k in found.shared and state.shared[k] != found.shared[k]][:5]
        own = "" if state.own == found.own else f", own table {str(state.own)[:200]} is {str(found.own)[:200]}"
        lines.append(f"against the {name}: {len(state.shared)} rows, {len(found.shared)} found; lost {lost}, added {more}, "
                     f"changed {other}{own}")
    return "\n  ".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("redbarn")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--keep", action="store_true", help="leave the folder when something is wrong")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    folder = tempfile.mkdtemp(prefix="redbarn-ledger-")
    server = Server(options.redbarn, folder, "--slices", "2")
    print(f"seed {options.seed}")
    workers = [Worker(server, number, rng.random(), folder) for number in range(options.workers)]
    keeper = Keeper(server, rng.random())
    problems, passed, slowest = [], 0, 0.0
    try:
        server.start()
        with server.connect() as connection:
            connection.execute("create table shared (w integer, k integer, v varchar(100)) distkey (k) sortkey (k)")
        for number in range(options.rounds):
            for worker in workers:
                worker.is_calm = number % 3 == 1
            threads = [threading.Thread(target=worker.run) for worker in workers + [keeper]]
            for thread in threads:
                thread.start()
            time.sleep(rng.uniform(0.1, 1.2))
            server.kill()
            for thread in threads:
                thread.join()
            report, is_clean = server.doctor()
            if not is_clean:
                problems.append(f"round {number}: doctor says\n{report}")
            started = time.monotonic()
            server.start()
            slowest = max(slowest, time.monotonic() - started)
            with server.connect() as connection:
                for worker in workers:
                    worker.compare(connection)
                    problems += [f"round {number}: {problem}" for problem in worker.problems]
                    if len(worker.ledger.shared) > 20_000:
                        connection.execute(f"delete from shared where w = {worker.number}")
                        worker.ledger.shared = {}
                keeper.check(connection)
                problems += [f"round {number}: {problem}" for problem in keeper.problems]
            if problems:
                break
            passed += 1
    except (AssertionError, psycopg.Error) as error:
        problems.append(f"round {passed}: {error}")
    finally:
        server.stop()
        if problems and options.keep:
            print(f"the warehouse is in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    for problem in problems[:10]:
        print(problem)
    total = collections.Counter()
    for worker in workers:
        total += worker.acknowledged
    print(f"{sum(total.values())} acknowledged statements ({', '.join(f'{n} {c}' for n, c in sorted(total.items()))}); "
          f"{keeper.resizes} resizes, {keeper.names} snapshots, slowest start {slowest:.2f} s")
    print(f"{passed} passed, {1 if problems else 0} failed")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
