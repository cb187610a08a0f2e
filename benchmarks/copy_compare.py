#!/usr/bin/env python3
"""COPY of the TPC-H files: Redbarn against DuckDB in turns, same files, same threads, a fresh directory or file every time.

    benchmarks/copy_compare.py                                  lineitem.tbl
    benchmarks/copy_compare.py --tables all                     all eight tables, one after the other
    benchmarks/copy_compare.py --compression gzip --parts 8     lineitem in eight compressed files (1: in one)

Compressed files are made from the plain ones with the default level of gzip or zstd and kept with --work.
"""

import argparse
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from engines import ROOT, TABLES, binary, folder_bytes, plain_ddl

SUFFIXES = {"none": "", "gzip": ".gz", "zstd": ".zst"}

DUCKDB = """
import duckdb, json, sys, time
path, threads, work = sys.argv[1:]
connection = duckdb.connect(path, config={"threads": int(threads)})
connection.execute("set enable_progress_bar = false")
seconds = 0
for table, ddl, location in json.loads(work):
    connection.execute(ddl)
    started = time.perf_counter()
    connection.execute(f"copy {table} from '{location}' (delimiter '|', header false)")
    seconds += time.perf_counter() - started
started = time.perf_counter()
connection.execute("checkpoint")
print(seconds + time.perf_counter() - started)
"""


def table_text(table, keys):
    if keys == "redshift":
        text = (ROOT / "benchmarks" / "tpch" / "ddl_redshift.sql").read_text()
        text = text[text.index(f"create table {table}"):]
        return text[:text.index(";") + 1]
    columns = dict(plain_ddl())[table]
    return f"create table {table} (" + ", ".join(
        f"{name} {kind}{' not null' if strict else ''}" for name, kind, strict in columns) + ");"


def redbarn(folder, work, options):
    command = [binary(), "sql", str(folder / "warehouse"), "--workers", str(options.threads), "--slices",
               str(options.threads), "-q"]
    copies = []
    for table, location in work:
        command += ["-c", table_text(table, options.keys)]
        more = "" if options.compression == "none" else options.compression
        copies += ["-c", f"copy {table} from '{location}' delimiter '|' {more}"]
    done = subprocess.run(
        command + ["-c", "\\timing on"] + copies, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    times = [line for line in done.stdout.splitlines() if line.startswith("Time:")]
    if done.returncode != 0 or len(times) < len(work):
        sys.exit(done.stderr)
    return sum(float(line.split()[1]) for line in times[-len(work):]) / 1000


def duckdb(folder, work, options):
    import json

    suffix = SUFFIXES[options.compression]
    jobs = [(table, table_text(table, "none"), location if location.endswith((".tbl", suffix) if suffix else ".tbl")
             else location + f"*{suffix}") for table, location in work]
    command = [sys.executable, "-c", DUCKDB, str(folder / "copy.duckdb"), str(options.threads), json.dumps(jobs)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return float(done.stdout.split()[-1])


def prepare(options, data, work):
    """(table, what COPY reads) of each table: a file, or the common start of several files' names."""
    tables = TABLES if options.tables == "all" else options.tables.split(",")
    if options.compression == "none" and options.parts == 1:
        return [(table, str(data / f"{table}.tbl")) for table in tables]
    result = []
    packer = "cat" if options.compression == "none" else options.compression
    for table in tables:
        folder = work / f"{options.compression}-{options.parts}" / table
        if not (folder / "complete").exists():
            folder.mkdir(parents=True, exist_ok=True)
            subprocess.run(
                ["split", "-n", f"l/{options.parts}", "--numeric-suffixes",
                 f"--filter={packer} > $FILE{SUFFIXES[options.compression]}",
                 str(data / f"{table}.tbl"), f"{folder}/{table}.part."], check=True)
            (folder / "complete").touch()
        for path in folder.glob(f"{table}.part.*"):
            path.read_bytes()
        result.append((table, f"{folder}/{table}.part."))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", default="1")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--keys", choices=["redshift", "none"], default="redshift")
    parser.add_argument("--tables", default="lineitem", help="comma-separated, or all")
    parser.add_argument("--compression", choices=list(SUFFIXES), default="none")
    parser.add_argument("--parts", type=int, default=1, help="files of each table")
    parser.add_argument("--data", help="folder of the .tbl files; made when missing")
    parser.add_argument("--work", help="folder for compressed files; kept when it is given")
    options = parser.parse_args()
    data = options.data
    if not data:
        made = subprocess.run(
            [str(ROOT / "datasets" / "tpch.sh"), options.scale], check=True, capture_output=True, text=True)
        data = made.stdout.strip()
    data = pathlib.Path(data)
    work = pathlib.Path(options.work or tempfile.mkdtemp(prefix="copy-files-"))
    files = prepare(options, data, work)
    if options.compression == "none" and options.parts == 1:
        for _, path in files:
            pathlib.Path(path).read_bytes()  # both find the files in the system's cache
    engines = [("redbarn", redbarn), ("duckdb", duckdb)]
    seconds = {name: [] for name, _ in engines}
    sizes = {}
    for _ in range(options.runs):
        for name, engine in engines:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="copy-compare-"))
            try:
                seconds[name].append(engine(folder, files, options))
                sizes[name] = folder_bytes(folder)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            time.sleep(0.2)
    if not options.work:
        shutil.rmtree(work, ignore_errors=True)
    for name, values in seconds.items():
        print(f"{name:8} minimum {min(values):.3f} s, median {statistics.median(values):.3f} s, "
              f"{sizes[name] / 1e6:.1f} MB on disk")
    print(f"redbarn/duckdb: time {min(seconds['redbarn']) / min(seconds['duckdb']):.3f}, "
          f"size {sizes['redbarn'] / sizes['duckdb']:.3f}")
    print("data derived from TPC-H")


main()
