#!/usr/bin/env python3
"""Random queries over random tables: Redbarn must agree with PostgreSQL, with DuckDB, and with itself in other circumstances.

    Tests/differential/fuzz.py .build/release/redbarn --seconds 60 --seed 1

README.md says what is compared. Ends with "N passed, N failed".
"""
import argparse
import collections
import gc
import os
import random
import shutil
import signal
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from bench import Bench  # noqa: E402
from data import random_tables  # noqa: E402
from engines import DuckDB, Postgres, Redbarn  # noqa: E402
from jobs import run_jobs  # noqa: E402
from known import is_known  # noqa: E402
from oracles import ReferenceCheck, RewriteCheck, WorldCheck, anonymous, rewrites  # noqa: E402
from queries import Queries  # noqa: E402
from report import reproduction  # noqa: E402
from shrinker import Shrinker  # noqa: E402
from variants import with_other_constants  # noqa: E402
from worlds import SHAPES, known_worlds  # noqa: E402

# Most faults show on few rows; the ways for many rows need many.
SIZES = ["small"] * 3 + ["middle"] + ["small"] * 5 + ["middle"] + ["small"] * 2 + ["large"] + ["small"] * 3
QUERIES_EACH = {"small": 500, "middle": 150, "large": 60}


class Fuzzer:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        shapes = SHAPES if options.shapes == 0 else SHAPES[:options.shapes]
        self.warehouses = []
        for number, (nodes, slices, workers, memory) in enumerate(shapes):
            arguments = ["--nodes", str(nodes), "--slices", str(slices), "--workers", str(workers)]
            arguments += ["--memory", memory or "1GB", "--no-auto-vacuum", "--no-auto-analyze"]
            self.warehouses.append(Redbarn(options.redbarn, os.path.join(folder, f"redbarn{number}"), arguments))
        self.references = []
        if not options.alone:
            self.references = [DuckDB()]
            try:
                self.references.append(Postgres(os.path.join(folder, "postgres")))
            except FileNotFoundError as error:
                print(f"{error}: not asked")
        self.worlds = known_worlds(self.warehouses[0])
        self.bench = Bench(folder, self.warehouses, self.references)
        self.counts, self.errors = collections.Counter(), collections.Counter()
        self.samples, self.seen = {}, set()
        self.failures = self.said = 0

    def stop(self):
        for engine in self.warehouses + self.references:
            engine.stop()

    # MARK: One query

    def examine(self, rng, generator, query):
        """The first finding about a query, or None."""
        base = self.warehouses[0]
        answer = base.run(query.text("R"))
        self.counts["statements"] += 1
        if answer.state:
            message = f"{answer.state} {anonymous(answer.message)}"
            self.errors[message] += 1
            self.samples.setdefault(message, query.text("R"))
        was_compared = False
        for check, trees in self.checks(rng, generator, query):
            known = answer if len(trees) == 1 else None
            found = check.difference(trees, known)
            self.counts["statements"] += 1 if known else 2
            self.counts[f"{check.name.split(' ')[0]}{' skipped' if found == 'skipped' else ''}"] += 1
            if found == "skipped":
                continue
            if found is not None:
                return found
            was_compared = True
        self.counts["compared" if was_compared else "not compared"] += 1
        return None

    def checks(self, rng, generator, query):
        base = self.warehouses[0]
        able = [engine for engine in self.references
                if (engine.dialect == "D" or generator.work < 400_000) and query.supports(engine.dialect)]
        if len(able) == 2 and rng.random() < 0.7:
            able = [rng.choice(able)]
        for engine in able:
            yield ReferenceCheck(base, engine), (query,)
        other = rng.choice(self.warehouses[1:] + [base]) if len(self.warehouses) > 1 else base
        world = rng.choice(self.worlds) if other is base or rng.random() < 0.5 else ()
        if other is base and not self.worlds:
            world = ()
        yield WorldCheck(base, other, world), (query,)
        found = rewrites(query)
        if found and rng.random() < 0.5:
            rewrite, is_over_groups = rng.choice(found)
            scope = query.group_scope if is_over_groups else query.scope
            condition = generator.plain_expressions.condition(scope, 2)
            yield RewriteCheck(base, rewrite), (query, condition)

    # MARK: Runs

    def run(self):
        """A run that is told to end says what it did."""
        self.done, started = 0, time.monotonic()
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            self.examine_all(started)
        except KeyboardInterrupt:
            pass
        return self.done, time.monotonic() - started

    def examine_all(self, started):
        options, group = self.options, 0
        while self.failures < options.keep_going:
            if options.count and self.done >= options.count or options.seconds and time.monotonic() - started > options.seconds:
                break
            seed = options.seed * 1_000_003 + group if options.group is None else options.group
            group += 1
            self.say_progress(started)
            rng = random.Random(seed)
            size = SIZES[seed % len(SIZES)]
            tables = random_tables(rng, size)
            self.bench.revive()
            self.bench.load(tables, rng)
            generator = Queries(rng, tables)
            for number in range(QUERIES_EACH[size]):
                is_over = options.seconds and time.monotonic() - started > options.seconds
                if is_over or self.failures >= options.keep_going or options.count and self.done >= options.count:
                    break
                query, choices = generator.query(), random.Random(rng.random())
                variants = [query]
                if choices.random() < 0.15:
                    variants.append(with_other_constants(query, choices))
                for variant in variants:
                    self.done += 1
                    found = self.examine(choices, generator, variant)
                    if found is not None:
                        self.take(found, f"--seed {options.seed} --group {seed}, query {number}")
                        break
            if options.group is not None:
                break

    def say_progress(self, started):
        """A line every ten minutes."""
        seconds = time.monotonic() - started
        if seconds > 600 * (self.said + 1):
            self.said = int(seconds / 600)
            print(f"-- {self.done} queries in {seconds:.0f} s, {self.failures} findings\n", flush=True)

    def take(self, found, place):
        """Shrinks and prints a finding that is new."""
        before = found.signature()
        if is_known(found):
            self.counts["known differences"] += 1
            return
        if found.kind != "rows" and before in self.seen:
            self.counts["repeated findings"] += 1
            return
        self.bench.save()
        self.bench.revive()
        found = Shrinker(self.bench, self.options.shrink_seconds).shrink(found)
        signature = found.signature()
        if is_known(found):
            self.counts["known differences"] += 1
        elif signature in self.seen:
            self.counts["repeated findings"] += 1
        else:
            self.failures += 1
            print(f"-- FINDING {self.failures}: {signature}\n-- {place}\n{reproduction(found, self.bench)}\n", flush=True)
        self.seen |= {before, signature} if found.kind != "rows" else {signature}
        self.bench.revive()
        self.bench.restore()


def without_jobs(arguments):
    """The command line of one of the runs."""
    kept, is_value = [], False
    for argument in arguments:
        name = argument.split("=")[0]
        if not is_value and name not in ("--jobs", "--seed", "--count"):
            kept.append(argument)
        is_value = not is_value and argument in ("--jobs", "--seed", "--count")
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("redbarn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--count", type=int, default=0, help="queries")
    parser.add_argument("--group", type=int, help="only the tables of this number, as a finding tells it")
    parser.add_argument("--keep-going", type=int, default=5, help="stop after so many findings")
    parser.add_argument("--shrink-seconds", type=float, default=30)
    parser.add_argument("--shapes", type=int, default=0, help="so many warehouses of different shapes; 0 for all")
    parser.add_argument("--alone", action="store_true", help="without PostgreSQL and DuckDB")
    parser.add_argument("--jobs", type=int, default=1, help="so many runs beside each other, with seeds that follow")
    parser.add_argument("--errors", action="store_true", help="list what was refused")
    options = parser.parse_args()
    if not options.seconds and not options.count and options.group is None:
        options.seconds = 60
    if options.jobs > 1:
        sys.exit(1 if run_jobs(without_jobs(sys.argv), options.jobs, options.seed, options.count) else 0)
    # Trees of a query live long enough to be looked at by every collection, and have no cycles.
    gc.set_threshold(200_000, 20, 20)
    folder = tempfile.mkdtemp(prefix="redbarn-differential-")
    os.chmod(folder, 0o755)
    fuzzer = Fuzzer(options, folder)
    try:
        done, seconds = fuzzer.run()
    finally:
        fuzzer.stop()
        shutil.rmtree(folder, ignore_errors=True)
    if options.errors:
        for message, count in fuzzer.errors.most_common(60):
            print(f"{count:8} {message}\n         {fuzzer.samples[message][:400]}")
    print("; ".join(f"{name}: {count}" for name, count in sorted(fuzzer.counts.items())))
    print(f"{done} queries in {seconds:.0f} s, {done / max(seconds, 0.001):.0f} a second")
    print(f"{done - fuzzer.failures} passed, {fuzzer.failures} failed")
    sys.exit(1 if fuzzer.failures else 0)


if __name__ == "__main__":
    main()
