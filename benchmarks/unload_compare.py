#!/usr/bin/env python3
"""UNLOAD of a TPC-H table against DuckDB's COPY TO, in turns, same rows, same threads, a fresh folder every time.

    benchmarks/unload_compare.py                                lineitem to text, CSV, gzip CSV, JSON, and Parquet when it is there
    benchmarks/unload_compare.py --formats csv,gzip --runs 5

Both have loaded the table before, and begin with nothing in memory of their own; times are those of the statements.
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

from engines import ROOT, binary, folder_bytes, plain_ddl

# What UNLOAD and COPY TO say for the same files.
FORMATS = {
    "text": ("", "(format csv, delimiter '|', header false)"),
    "csv": ("csv header", "(format csv, header true)"),
    "gzip": ("csv header gzip", "(format csv, header true, compression gzip)"),
    "json": ("json", "(format json)"),
    "parquet": ("parquet", "(format parquet, compression snappy)"),
}

LOAD = """
import duckdb, sys
path, threads, ddl, table, data = sys.argv[1:]
connection = duckdb.connect(path, config={"threads": int(threads)})
connection.execute(ddl)
connection.execute(f"copy {table} from '{data}' (delimiter '|', header false)")
"""

DUCKDB = """
import duckdb, sys, time
path, threads, table, target, options = sys.argv[1:]
connection = duckdb.connect(path, config={"threads": int(threads)}, read_only=True)
connection.execute("set enable_progress_bar = false")
started = time.perf_counter()
connection.execute(f"copy {table} to '{target}' {options}")
print(time.perf_counter() - started)
"""


def table_text(table):
    columns = dict(plain_ddl())[table]
    return f"create table {table} (" + ", ".join(
        f"{name} {kind}{' not null' if strict else ''}" for name, kind, strict in columns) + ");"


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def redbarn_command(work, options):
    return [binary(), "sql", str(work / "warehouse"), "--workers", str(options.threads), "--slices",
            str(options.threads), "-q"]


def prepare(work, data, options):
    location = str(data / f"{options.table}.tbl")
    run(redbarn_command(work, options) + [
        "-c", table_text(options.table), "-c", f"copy {options.table} from '{location}' delimiter '|'"])
    run([sys.executable, "-c", LOAD, str(work / "table.duckdb"), str(options.threads),
         table_text(options.table), options.table, location])


def redbarn(work, target, form, options):
    output = run(redbarn_command(work, options) + [
        "-c", "\\timing on",
        "-c", f"unload ('select * from {options.table}') to '{target}/x_' {FORMATS[form][0]}"])
    times = [line for line in output.splitlines() if line.startswith("Time:")]
    return float(times[-1].split()[1]) / 1000


def duckdb(work, target, form, options):
    return float(run([
        sys.executable, "-c", DUCKDB, str(work / "table.duckdb"), str(options.threads), options.table,
        str(target / "x"), FORMATS[form][1]]).split()[-1])


def knows(work, form, options):
    done = subprocess.run(
        redbarn_command(work, options) + [
            "-c", f"unload ('select 1 as a') to '{work}/probe_{form}_' {FORMATS[form][0]}"],
        capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", default="1")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--table", default="lineitem")
    parser.add_argument("--formats", default=",".join(FORMATS), help="comma-separated")
    parser.add_argument("--data", help="folder of the .tbl files; made when missing")
    parser.add_argument("--json", action="store_true", help="print figures as JSON")
    options = parser.parse_args()
    data = options.data or subprocess.run(
        [str(ROOT / "datasets" / "tpch.sh"), options.scale], check=True, capture_output=True, text=True).stdout.strip()
    work = pathlib.Path(tempfile.mkdtemp(prefix="unload-compare-"))
    figures = {}
    try:
        prepare(work, pathlib.Path(data), options)
        for form in options.formats.split(","):
            if not knows(work, form, options):
                print(f"{form:8} not written by this version", file=sys.stderr)
                continue
            seconds = {"redbarn": [], "duckdb": []}
            sizes = {}
            for _ in range(options.runs):
                for name, engine in (("redbarn", redbarn), ("duckdb", duckdb)):
                    target = pathlib.Path(tempfile.mkdtemp(prefix="out-", dir=work))
                    seconds[name].append(engine(work, target, form, options))
                    sizes[name] = folder_bytes(target)
                    shutil.rmtree(target)
                    time.sleep(0.2)
            figures[form] = {
                name: {"minimum": min(values), "median": statistics.median(values), "bytes": sizes[name]}
                for name, values in seconds.items()}
            mine, theirs = figures[form]["redbarn"], figures[form]["duckdb"]
            if not options.json:
                print(f"{form:8} redbarn {mine['minimum']:.3f} s, duckdb {theirs['minimum']:.3f} s: "
                      f"time {mine['minimum'] / theirs['minimum']:.3f}, size {mine['bytes'] / theirs['bytes']:.3f}")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    if options.json:
        print(json.dumps(figures, indent=2))
    print("data derived from TPC-H")


main()
