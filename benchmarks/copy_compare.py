#!/usr/bin/env python3
"""COPY of lineitem.tbl: Redbarn against DuckDB in turns, same file, same threads, a fresh directory or file every time."""

import argparse
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from engines import ROOT, binary, folder_bytes, plain_ddl

DUCKDB = """
import duckdb, sys, time
path, data, threads, ddl = sys.argv[1:]
connection = duckdb.connect(path, config={"threads": int(threads)})
connection.execute("set enable_progress_bar = false")
connection.execute(ddl)
started = time.perf_counter()
connection.execute(f"copy lineitem from '{data}' (delimiter '|', header false)")
connection.execute("checkpoint")
print(time.perf_counter() - started)
"""


def table_text(keys):
    if keys == "redshift":
        text = (ROOT / "benchmarks" / "tpch" / "ddl_redshift.sql").read_text()
        return text[text.index("create table lineitem"):].strip()
    columns = dict(plain_ddl())["lineitem"]
    return "create table lineitem (" + ", ".join(
        f"{name} {kind}{' not null' if strict else ''}" for name, kind, strict in columns) + ");"


def redbarn(folder, data, threads, keys):
    command = [binary(), "sql", str(folder / "warehouse"), "--workers", str(threads), "--slices", str(threads), "-q",
               "-c", table_text(keys), "-c", "\\timing on", "-c", f"copy lineitem from '{data}' delimiter '|'"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    times = [line for line in done.stdout.splitlines() if line.startswith("Time:")]
    if done.returncode != 0 or not times:
        sys.exit(done.stderr)
    return float(times[-1].split()[1]) / 1000


def duckdb(folder, data, threads, _):
    path = folder / "lineitem.duckdb"
    command = [sys.executable, "-c", DUCKDB, str(path), str(data), str(threads), table_text("none")]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", default="1")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--keys", choices=["redshift", "none"], default="redshift")
    parser.add_argument("--data", help="lineitem.tbl")
    options = parser.parse_args()
    data = options.data
    if not data:
        folder = subprocess.run(
            [str(ROOT / "datasets" / "tpch.sh"), options.scale], check=True, capture_output=True, text=True).stdout
        data = pathlib.Path(folder.strip()) / "lineitem.tbl"
    pathlib.Path(data).read_bytes()  # both find the file in the system's cache
    seconds = {"redbarn": [], "duckdb": []}
    sizes = {}
    for _ in range(options.runs):
        for name, engine in (("redbarn", redbarn), ("duckdb", duckdb)):
            folder = pathlib.Path(tempfile.mkdtemp(prefix="copy-compare-"))
            try:
                seconds[name].append(engine(folder, data, options.threads, options.keys))
                sizes[name] = folder_bytes(folder)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            time.sleep(0.2)
    for name, values in seconds.items():
        print(f"{name:8} minimum {min(values):.3f} s, median {statistics.median(values):.3f} s, "
              f"{sizes[name] / 1e6:.1f} MB on disk")
    print(f"redbarn/duckdb: time {min(seconds['redbarn']) / min(seconds['duckdb']):.3f}, "
          f"size {sizes['redbarn'] / sizes['duckdb']:.3f}")
    print("data derived from TPC-H")


main()
