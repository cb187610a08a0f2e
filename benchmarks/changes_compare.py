#!/usr/bin/env python3
"""DELETE, UPDATE, scans of changed tables and VACUUM of lineitem: Redbarn against DuckDB in turns, on copies of loaded
databases, same threads, synchronised commits. See docs/bench.md."""

import argparse
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from engines import ROOT, binary, plain_ddl

DELETE = "delete from lineitem where l_orderkey % 10 = 3"
UPDATE = "update lineitem set l_quantity = l_quantity + 1 where l_orderkey % 100 = 3"
SCANS = [
    "select sum(l_extendedprice * l_discount) from lineitem where l_shipdate >= date '1994-01-01'"
    " and l_shipdate < date '1995-01-01' and l_discount between 0.05 and 0.07 and l_quantity < 24",
    "select l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice * (1 - l_discount)), count(*)"
    " from lineitem where l_shipdate <= date '1998-09-02' group by 1, 2",
    "select l_shipmode, count(*), max(l_commitdate) from lineitem group by 1",
    "select sum(l_extendedprice), min(l_partkey), max(l_suppkey) from lineitem",
]
# Reads every column: what is timed finds the table in the engine's cache.
WARM = (
    "select count(*), sum(length(l_comment)), sum(length(l_shipinstruct)), sum(length(l_shipmode)),"
    " sum(length(l_returnflag)), sum(length(l_linestatus)), sum(l_orderkey + l_partkey + l_suppkey + l_linenumber),"
    " sum(l_quantity + l_extendedprice + l_discount + l_tax), max(l_shipdate + l_linenumber),"
    " max(l_commitdate + l_linenumber), max(l_receiptdate + l_linenumber) from lineitem")
DUCKDB = """
import duckdb, sys, time
path, threads, statements = sys.argv[1], sys.argv[2], sys.argv[3:]
connection = duckdb.connect(path, config={"threads": int(threads)})
connection.execute("set enable_progress_bar = false")
for statement in statements:
    started = time.perf_counter()
    connection.execute(statement).fetchall()
    print((time.perf_counter() - started) * 1000)
"""


def table_text():
    text = (ROOT / "benchmarks" / "tpch" / "ddl_redshift.sql").read_text()
    return text[text.index("create table lineitem"):].strip()


def redbarn(folder, threads, statements):
    """Milliseconds of each statement."""
    command = [binary(), "sql", str(folder / "warehouse"), "--workers", str(threads), "--slices", str(threads), "-q",
               "-c", "\\timing on"]
    for statement in statements:
        command += ["-c", statement]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    times = [float(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("Time:")]
    if done.returncode != 0 or len(times) != len(statements):
        sys.exit(done.stderr)
    return times


def duckdb(folder, threads, statements):
    command = [sys.executable, "-c", DUCKDB, str(folder / "lineitem.duckdb"), str(threads)] + statements
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return [float(line) for line in done.stdout.split()]


ENGINES = {"redbarn": redbarn, "duckdb": duckdb}


def load(folder, data, threads):
    if not (folder / "redbarn").exists():
        (folder / "redbarn").mkdir(parents=True)
        redbarn(folder / "redbarn", threads, [table_text(), f"copy lineitem from '{data}' delimiter '|'"])
    if not (folder / "duckdb").exists():
        (folder / "duckdb").mkdir(parents=True)
        columns = dict(plain_ddl())["lineitem"]
        table = "create table lineitem (" + ", ".join(
            f"{name} {kind}{' not null' if strict else ''}" for name, kind, strict in columns) + ")"
        duckdb(folder / "duckdb", threads,
               [table, f"copy lineitem from '{data}' (delimiter '|', header false)", "checkpoint"])


def on_copy(engine, folder, threads, statements):
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="changes-", dir=folder))
    try:
        shutil.copytree(folder / engine, scratch / "copy")
        subprocess.run(["sync", "-f", str(scratch)], check=True)
        return ENGINES[engine](scratch / "copy", threads, statements)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def changes(folder, options):
    for title, statement in (("DELETE of 10 %", DELETE), ("UPDATE of 1 %", UPDATE)):
        times = {"redbarn": [], "duckdb": []}
        for _ in range(options.runs):
            for engine in times:
                times[engine].append(on_copy(engine, folder, options.threads, [WARM, WARM, statement])[-1])
        report(title, times)


def scans(folder, options):
    """Hot minimum of each scan on the clean table and with a tenth of the rows deleted."""
    def hot(times, skip):
        rows = [times[skip + index * len(SCANS):][:len(SCANS)] for index in range(4)]
        return [min(row[query] for row in rows) for query in range(len(SCANS))]

    for engine in ENGINES:
        clean = on_copy(engine, folder, options.threads, [WARM] + SCANS * 4)
        deleted = on_copy(engine, folder, options.threads, [WARM, DELETE] + SCANS * 4)
        ratios = [after / before for before, after in zip(hot(clean, 1), hot(deleted, 2))]
        print(f"scan with 10 % deleted / clean, {engine:8} geometric mean {statistics.geometric_mean(ratios):.3f} "
              f"({', '.join(f'{ratio:.2f}' for ratio in ratios)})")


def vacuum(folder, data, options):
    """VACUUM FULL after ten loads of scattered rows, against one COPY of all rows."""
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="vacuum-", dir=folder))
    try:
        with open(data, "rb") as lines:
            outputs = [open(scratch / f"part{index}.tbl", "wb") for index in range(10)]
            for number, line in enumerate(lines):
                outputs[number % 10].write(line)
            for output in outputs:
                output.close()
        fresh, vacuumed = [], []
        for run in range(options.runs):
            place = scratch / f"run{run}"
            (place / "fresh").mkdir(parents=True)
            fresh.append(redbarn(place / "fresh", options.threads,
                                 [table_text(), f"copy lineitem from '{data}' delimiter '|'"])[-1])
            (place / "parts").mkdir(parents=True)
            copies = [f"copy lineitem from '{scratch}/part{index}.tbl' delimiter '|'" for index in range(10)]
            vacuumed.append(redbarn(place / "parts", options.threads,
                                    [table_text()] + copies + ["vacuum full lineitem to 100 percent"])[-1])
            shutil.rmtree(place, ignore_errors=True)
        print(f"VACUUM FULL of 10 loads {min(vacuumed):.0f} ms, fresh COPY {min(fresh):.0f} ms, "
              f"ratio {min(vacuumed) / min(fresh):.3f}")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def report(title, times):
    ratio = min(times["redbarn"]) / min(times["duckdb"])
    print(f"{title}: " + ", ".join(
        f"{name} minimum {min(values):.0f} ms, median {statistics.median(values):.0f} ms"
        for name, values in times.items()) + f", ratio of minima {ratio:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", default="1")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--data", help="lineitem.tbl")
    parser.add_argument("--work", help="keeps the loaded databases for the next time")
    parser.add_argument("--only", choices=["changes", "scans", "vacuum"])
    options = parser.parse_args()
    data = options.data
    if not data:
        made = subprocess.run(
            [str(ROOT / "datasets" / "tpch.sh"), options.scale], check=True, capture_output=True, text=True).stdout
        data = pathlib.Path(made.strip()) / "lineitem.tbl"
    folder = pathlib.Path(options.work or tempfile.mkdtemp(prefix="changes-compare-"))
    try:
        load(folder, data, options.threads)
        if options.only in (None, "changes"):
            changes(folder, options)
        if options.only in (None, "scans"):
            scans(folder, options)
        if options.only in (None, "vacuum"):
            vacuum(folder, data, options)
    finally:
        if not options.work:
            shutil.rmtree(folder, ignore_errors=True)
    print("data derived from TPC-H")


main()
