"""Runs random concurrent transactions against a server and checks that their history is one that the isolation level allows.

usage: histories.py REDBARN [--level snapshot|serializable|both] [--transactions N] [--sessions N] [--seed N]

Three models share the tables: lists in a row (UPDATE appends an element, so the order of all versions is known), registers
(a block reads the value and replaces it by a new one), and sets (INSERT adds a row, so that phantoms show). From what the
transactions have read follows which came before which:
  ww  one list or register version replaces the other,      wr  one has read what the other wrote,
  rw  one has read what the other replaced or added to,     rt  one was acknowledged before the other began.
Forbidden at both levels: values of rolled-back or half-done transactions, lists that are no prefix of the last one, two
successors of one register version, own writes not seen, and each circle without two rw edges in a row (Fekete et al. 2005: what
snapshot isolation never has). At serializable: every circle of ww, wr and rw edges.
"""
import argparse
import collections
import os
import random
import shutil
import sys
import tempfile
import threading
import time

import psycopg

from server import Server, is_conflict

TABLES = 3
KEYS = 4
EPOCH = 400


class Transaction:
    __slots__ = ("number", "operations", "begun", "ended", "outcome")

    def __init__(self, number):
        self.number, self.operations, self.outcome = number, [], "open"
        self.begun = self.ended = 0

    def __repr__(self):
        words = " ".join(f"{kind} {where}{'=' if kind.startswith('read') else '<'}{value}" for kind, where, value in self.operations)
        return f"T{self.number} [{self.outcome}] {words}"


class Epoch:
    """Some hundred transactions over fresh rows, and the check of their history."""

    def __init__(self, server, level, rng, count, sessions, first):
        self.server, self.level, self.rng = server, level, rng
        self.sessions, self.first = sessions, first
        self.transactions = []
        self.lock = threading.Lock()
        self.left = count
        self.failures = []

    def prepare(self, connection):
        for table in range(TABLES):
            connection.execute(f"drop table if exists rows{table}")
            connection.execute(f"drop table if exists sets{table}")
            connection.execute(f"create table rows{table} (k integer, list varchar(20000), register integer)")
            connection.execute(f"create table sets{table} (k integer, element integer)")
            values = ", ".join(f"({key}, '', 0)" for key in range(KEYS))
            connection.execute(f"insert into rows{table} values {values}")

    def next_transaction(self):
        with self.lock:
            if self.left == 0:
                return None
            self.left -= 1
            made = Transaction(self.first + len(self.transactions) + 1)
            self.transactions.append(made)
            return made

    # MARK: Running

    def run(self):
        threads = [threading.Thread(target=self.work, args=(self.rng.random(),)) for _ in range(self.sessions)]
        keeper = threading.Thread(target=self.keep, args=(self.rng.random(),))
        for thread in threads + [keeper]:
            thread.start()
        for thread in threads + [keeper]:
            thread.join()

    def work(self, seed):
        rng = random.Random(seed)
        try:
            with self.server.connect(self.level) as connection:
                while transaction := self.next_transaction():
                    self.attempt(connection, transaction, rng)
        except Exception as error:  # pylint: disable=broad-except
            with self.lock:
                self.failures.append(f"a session ended: {error!r}")
                self.left = 0

    def keep(self, seed):
        """VACUUM moves rows while the others work; it must not change what anybody sees."""
        rng = random.Random(seed)
        with self.server.connect(self.level) as connection:
            while self.left:
                try:
                    connection.execute(f"vacuum full {rng.choice(['rows', 'sets'])}{rng.randrange(TABLES)} to 100 percent")
                except psycopg.Error as error:
                    if not is_conflict(error):
                        with self.lock:
                            self.failures.append(f"vacuum: {error}")
                time.sleep(0.05)

    def attempt(self, connection, transaction, rng):
        single = rng.random() < 0.25
        steps = 1 if single else rng.randint(2, 5)
        transaction.begun = time.monotonic_ns()
        try:
            if not single:
                connection.execute("begin")
            for step in range(steps):
                self.step(connection, transaction, rng, step, single)
            if not single and rng.random() < 0.05:
                connection.execute("rollback")
                transaction.outcome = "aborted"
            else:
                if not single:
                    connection.execute("commit")
                transaction.outcome = "committed"
        except psycopg.Error as error:
            transaction.outcome = "aborted"
            if not is_conflict(error):
                with self.lock:
                    self.failures.append(f"{transaction}: {error}")
            if not single:
                connection.execute("rollback")
        transaction.ended = time.monotonic_ns()

    def step(self, connection, transaction, rng, step, single):
        table, key = rng.randrange(TABLES), rng.randrange(KEYS)
        value = transaction.number * 8 + step
        operations = transaction.operations
        choice = rng.randrange(100)
        if choice < 25:
            rows = connection.execute(f"select list from rows{table} where k = {key}").fetchall()
            operations.append(("read list", (table, key), elements(rows[0][0])))
        elif choice < 35:
            for row in connection.execute(f"select k, list from rows{table}").fetchall():
                operations.append(("read list", (table, row[0]), elements(row[1])))
        elif choice < 55:
            operations.append(("append", (table, key), value))
            connection.execute(f"update rows{table} set list = list || '{value},' where k = {key}")
        elif choice < 70 and not single:
            row = connection.execute(f"select register from rows{table} where k = {key}").fetchone()
            operations.append(("read register", (table, key), row[0]))
            operations.append(("write", (table, key), value))
            connection.execute(f"update rows{table} set register = {value} where k = {key}")
        elif choice < 85:
            operations.append(("add", table, value))
            connection.execute(f"insert into sets{table} values ({key}, {value})")
        else:
            rows = connection.execute(f"select element from sets{table}").fetchall()
            operations.append(("read set", table, frozenset(row[0] for row in rows)))

    # MARK: Checking

    def check(self, connection, level):
        """Violations as texts."""
        last = Transaction(0)
        last.outcome, last.begun = "committed", time.monotonic_ns()
        last.ended = last.begun + 1
        for table in range(TABLES):
            for key, text, register in connection.execute(f"select k, list, register from rows{table}").fetchall():
                last.operations.append(("read list", (table, key), elements(text)))
                last.operations.append(("read register", (table, key), register))
            rows = connection.execute(f"select element from sets{table}").fetchall()
            if len(rows) != len({row[0] for row in rows}):
                self.failures.append(f"sets{table} has an element twice")
            last.operations.append(("read set", table, frozenset(row[0] for row in rows)))
        return self.failures + History(self.transactions + [last]).violations(level)


class History:
    def __init__(self, transactions):
        self.transactions = transactions
        self.problems = []
        self.dependencies = collections.defaultdict(dict)
        self.antidependencies = collections.defaultdict(dict)
        self.writers = {}
        for transaction in transactions:
            for kind, _, value in transaction.operations:
                if kind in ("append", "write", "add"):
                    self.writers[value] = transaction

    def order(self, first, second, why, anti=False):
        if first is None or second is None or first is second:
            return
        if first.outcome == second.outcome == "committed":
            edges = self.antidependencies if anti else self.dependencies
            edges[first.number].setdefault(second.number, why)

    def violations(self, level):
        self.lists()
        self.registers()
        self.sets()
        if not self.problems:
            self.circles(level)
        return self.problems

    def seen(self, transaction, value):
        """The committed or own writer of a value that was read."""
        writer = self.writers.get(value)
        if writer is None or writer.outcome != "committed" and writer is not transaction:
            self.problems.append(f"{transaction} has read {value}, which was rolled back: {writer}")
        return writer

    def lists(self):
        final = self.transactions[-1]
        last = {where: value for kind, where, value in final.operations if kind == "read list"}
        for where, value in last.items():
            for left, right in zip(value, value[1:]):
                self.order(self.writers.get(left), self.writers.get(right), f"ww list {where}")
        appended = collections.defaultdict(list)
        for transaction in self.transactions:
            for kind, where, value in transaction.operations:
                if kind == "append":
                    appended[transaction.number, where].append(value)
        for transaction, where, value, own in self.list_reads():
            if own and value[-len(own):] != tuple(own):
                self.problems.append(f"{transaction} does not see its own appends {own} in list {where}: {value}")
                continue
            before = value[:len(value) - len(own)]
            for element in before:
                self.seen(transaction, element)
            full = last[where]
            if before != full[:len(before)]:
                self.problems.append(f"{transaction}: list {where} is no prefix of {full}: {before}")
                continue
            if before:
                writer = self.writers[before[-1]]
                if appended[writer.number, where][-1] != before[-1]:
                    self.problems.append(f"{transaction} has read a half-done list {where} of {writer}: {before}")
                self.order(writer, transaction, f"wr list {where}")
            if len(full) > len(before):
                following = self.writers[full[len(before)]]
                self.order(transaction, following, f"rw list {where}", anti=True)
        for (number, where), values in appended.items():
            transaction = next_with(self.transactions, number)
            present = [value for value in values if value in last[where]]
            if transaction.outcome == "committed" and present != values:
                self.problems.append(f"{transaction}: {values} of list {where} are lost")

    def list_reads(self):
        """Each read with what the transaction itself had appended before."""
        for transaction in self.transactions:
            own = collections.defaultdict(list)
            for kind, where, value in transaction.operations:
                if kind == "append":
                    own[where].append(value)
                elif kind == "read list":
                    yield transaction, where, value, list(own[where])

    def registers(self):
        successor = {}
        writes = {}
        for transaction in self.transactions:
            own = {}
            for index, (kind, where, value) in enumerate(transaction.operations):
                if kind == "read register":
                    if where in own:
                        if own[where] != value:
                            self.problems.append(f"{transaction} does not see its own register {where}: {value}")
                        continue
                    if value:
                        writer = self.seen(transaction, value)
                        if writer is not None and writer is not transaction:
                            final = [v for k, w, v in writer.operations if k == "write" and w == where][-1]
                            if final != value:
                                self.problems.append(f"{transaction} has read a half-done register of {writer}: {value}")
                            self.order(writer, transaction, f"wr register {where}")
                    follows = [k for k, w, _ in transaction.operations[index + 1:] if w == where and k == "write"]
                    if follows and transaction.outcome == "committed":
                        known = successor.setdefault((where, value), transaction)
                        if known is not transaction:
                            self.problems.append(f"lost update of register {where}={value}: {known} and {transaction}")
                        writes[where, value] = transaction
                elif kind == "write":
                    own[where] = value
        for transaction in self.transactions:
            written = set()
            for kind, where, value in transaction.operations:
                if kind == "write":
                    written.add(where)
                elif kind == "read register" and where not in written:
                    following = writes.get((where, value))
                    self.order(transaction, following, f"rw register {where}", anti=True)
                    writer = self.writers.get(value)
                    self.order(writer, following, f"ww register {where}")

    def sets(self):
        added = collections.defaultdict(list)
        for transaction in self.transactions:
            for kind, where, value in transaction.operations:
                if kind == "add":
                    added[where].append((value, transaction))
        for transaction in self.transactions:
            own = set()
            for kind, where, value in transaction.operations:
                if kind == "add":
                    own.add((where, value))
                elif kind == "read set":
                    self.read_set(transaction, where, value, own, added[where])

    def read_set(self, transaction, where, value, own, added):
        for element in value:
            self.seen(transaction, element)
        for element, writer in added:
            if writer is transaction:
                if ((where, element) in own) != (element in value):
                    self.problems.append(f"{transaction} does not see its own element {element} rightly: {sorted(value)}")
            elif element in value:
                self.order(writer, transaction, f"wr set {where}")
            else:
                self.order(transaction, writer, f"rw set {where}", anti=True)
                if writer.outcome == "committed" and transaction.number == 0:
                    self.problems.append(f"{writer}: {element} of set {where} is lost")

    # MARK: Circles

    def circles(self, level):
        if level == "serializable":
            graph = {t.number: {} for t in self.transactions}
            for edges in (self.antidependencies, self.dependencies):
                for first, targets in edges.items():
                    graph[first].update(targets)
            self.report(graph, "no serial order explains")
        # Snapshot isolation: dependencies and real time; an antidependency counts together with the step behind it.
        steps = {t.number: dict(self.dependencies.get(t.number, {})) for t in self.transactions}
        self.real_time(steps)
        graph = {number: dict(targets) for number, targets in steps.items()}
        for first, targets in self.antidependencies.items():
            for middle, why in targets.items():
                for second, more in steps.get(middle, {}).items():
                    graph[first].setdefault(second, f"{why}, T{middle}, {more}")
        self.report(graph, "no snapshots explain")

    def real_time(self, graph):
        """A chain of moments: the end of a transaction leads to the next moment, and every moment to later beginnings."""
        events = []
        for transaction in self.transactions:
            if transaction.outcome == "committed":
                events.append((transaction.begun, 1, transaction.number))
                events.append((transaction.ended, 0, transaction.number))
        moment = None
        for index, (_, is_begin, number) in enumerate(sorted(events)):
            if is_begin:
                if moment is not None:
                    graph[moment][number] = "rt"
            else:
                made = f"moment {index}"
                graph[made] = {}
                if moment is not None:
                    graph[moment][made] = "rt"
                graph[number][made] = "rt"
                moment = made

    def report(self, graph, text):
        circle = find_circle(graph)
        if circle:
            by_number = {t.number: t for t in self.transactions}
            lines = [f"{text}:"]
            for number, why in circle:
                lines.append(f"  {by_number.get(number, number)}\n    --{why}-->")
            self.problems.append("\n".join(lines))


def next_with(transactions, number):
    return transactions[-1] if number == 0 else transactions[number - transactions[0].number]


def elements(text):
    return tuple(int(part) for part in text.split(",") if part)


def find_circle(graph):
    """A circle as (node, label of the edge to the next), or None. Depth first without recursion."""
    state = {}
    for root in graph:
        if root in state:
            continue
        path, stack = [], [(root, iter(graph[root].items()))]
        state[root] = 1
        path.append((root, None))
        while stack:
            node, targets = stack[-1]
            for target, why in targets:
                path[-1] = (node, why)
                if state.get(target) == 1:
                    start = next(i for i, (n, _) in enumerate(path) if n == target)
                    return path[start:]
                if target not in state:
                    state[target] = 1
                    stack.append((target, iter(graph.get(target, {}).items())))
                    path.append((target, None))
                    break
            else:
                state[node] = 2
                stack.pop()
                path.pop()
    return None


def run_level(options, level):
    folder = tempfile.mkdtemp(prefix="redbarn-histories-")
    problems, done, committed = [], 0, 0
    try:
        server = Server(options.redbarn, folder, "--slices", "2")
        server.start()
        try:
            rng = random.Random(f"{options.seed} {level}")
            with server.connect(level) as connection:
                while done < options.transactions and not problems:
                    epoch = Epoch(server, level, rng, min(EPOCH, options.transactions - done), options.sessions, done)
                    epoch.prepare(connection)
                    epoch.run()
                    problems = epoch.check(connection, level)
                    done += len(epoch.transactions)
                    committed += sum(t.outcome == "committed" for t in epoch.transactions)
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for problem in problems[:5]:
        print(f"{level}: {problem}")
    print(f"{level}: {done} transactions, {committed} committed, {len(problems)} problems")
    return not problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("redbarn")
    parser.add_argument("--level", default="both", choices=["snapshot", "serializable", "both"])
    parser.add_argument("--transactions", type=int, default=1000)
    parser.add_argument("--sessions", type=int, default=6)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    options.redbarn = os.path.realpath(options.redbarn)
    print(f"seed {options.seed}")
    levels = ["snapshot", "serializable"] if options.level == "both" else [options.level]
    results = [run_level(options, level) for level in levels]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
