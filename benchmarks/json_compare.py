#!/usr/bin/env python3
"""COPY of JSON lines: Redbarn against DuckDB's read_json with given columns, in turns, same files, same threads.

    benchmarks/json_compare.py                      lineitem as JSON lines
    benchmarks/json_compare.py --file wide          objects of 100 keys of which 10 are loaded

The files are made by DuckDB (lineitem) or by this script (wide) and kept with --work.
"""

import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from engines import ROOT, binary, plain_ddl

DUCKDB = """
import duckdb, json, sys, time
path, threads, ddl, table, columns, location = sys.argv[1:]
connection = duckdb.connect(path, config={"threads": int(threads)})
connection.execute("set enable_progress_bar = false")
connection.execute(ddl)
started = time.perf_counter()
connection.execute(
    f"insert into {table} select * from read_json('{location}', format = 'newline_delimited', columns = {columns})")
connection.execute("checkpoint")
print(time.perf_counter() - started)
"""

MAKE_LINEITEM = """
import duckdb, sys
ddl, source, target = sys.argv[1:]
connection = duckdb.connect()
connection.execute(ddl)
connection.execute(f"copy lineitem from '{source}' (delimiter '|', header false)")
connection.execute(f"copy lineitem to '{target}' (format json)")
"""


def lineitem(options, work):
    columns = [(name, kind) for name, kind, _ in dict(plain_ddl())["lineitem"]]
    ddl = "create table lineitem (" + ", ".join(f"{name} {kind}" for name, kind in columns) + ")"
    target = work / f"lineitem-{options.scale}.json"
    if not target.exists():
        made = subprocess.run(
            [str(ROOT / "datasets" / "tpch.sh"), options.scale], check=True, capture_output=True, text=True)
        source = pathlib.Path(made.stdout.strip()) / "lineitem.tbl"
        subprocess.run([sys.executable, "-c", MAKE_LINEITEM, ddl, str(source), str(target)], check=True)
    return "lineitem", ddl, columns, target


def wide(options, work):
    kinds = ["bigint", "varchar(40)", "double precision", "date", "bigint"]
    columns = [(f"key_{n * 10 + 3}", kinds[n % len(kinds)]) for n in range(10)]
    ddl = "create table wide (" + ", ".join(f"{name} {kind}" for name, kind in columns) + ")"
    target = work / f"wide-{options.scale}.json"
    if not target.exists():
        with open(target, "w") as out:
            for row in range(int(float(options.scale) * 500_000)):
                record = {}
                for key in range(100):
                    kind = kinds[key // 10 % len(kinds)]
                    record[f"key_{key}"] = (
                        row * (key + 1) if kind == "bigint" else f"text {row} of {key}" if kind.startswith("varchar")
                        else row / 8 if kind.startswith("double") else f"2026-{row % 12 + 1:02}-{row % 28 + 1:02}")
                out.write(json.dumps(record, separators=(",", ":")) + "\n")
    return "wide", ddl, columns, target


def redbarn(folder, work, options):
    table, ddl, _, location = work
    command = [binary(), "sql", str(folder / "warehouse"), "--workers", str(options.threads), "--slices",
               str(options.threads), "-q", "-c", ddl, "-c", "\\timing on", "-c",
               f"copy {table} from '{location}' format as json 'auto'"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    times = [line for line in done.stdout.splitlines() if line.startswith("Time:")]
    if done.returncode != 0 or not times:
        sys.exit(done.stderr)
    return float(times[-1].split()[1]) / 1000


def duckdb(folder, work, options):
    table, ddl, columns, location = work
    command = [sys.executable, "-c", DUCKDB, str(folder / "copy.duckdb"), str(options.threads), ddl, table,
               str({name: kind for name, kind in columns}), str(location)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return float(done.stdout.split()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", choices=["lineitem", "wide"], default="lineitem")
    parser.add_argument("--scale", default="1", help="of lineitem; of wide in units of 500,000 rows")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--work", help="folder for the JSON files; kept when it is given")
    options = parser.parse_args()
    work = pathlib.Path(options.work or tempfile.mkdtemp(prefix="json-files-"))
    work.mkdir(parents=True, exist_ok=True)
    job = (lineitem if options.file == "lineitem" else wide)(options, work)
    job[3].read_bytes()  # both find the file in the system's cache
    engines = [("redbarn", redbarn), ("duckdb", duckdb)]
    seconds = {name: [] for name, _ in engines}
    for _ in range(options.runs):
        for name, engine in engines:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="json-compare-"))
            try:
                seconds[name].append(engine(folder, job, options))
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            time.sleep(0.2)
    size = job[3].stat().st_size
    for name, values in seconds.items():
        print(f"{name:8} minimum {min(values):.3f} s, median {statistics.median(values):.3f} s, "
              f"{size / min(values) / 1e6:.0f} MB/s")
    print(f"redbarn/duckdb: time {min(seconds['redbarn']) / min(seconds['duckdb']):.3f}")
    if not options.work:
        shutil.rmtree(work, ignore_errors=True)


main()
