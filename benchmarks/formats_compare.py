#!/usr/bin/env python3
"""COPY of lineitem from Parquet files: Redbarn against DuckDB in turns, same files, same threads, a fresh directory or file
every time. DuckDB makes the files (snappy) from the .tbl files, once.

    benchmarks/formats_compare.py                    eight files of scale 1
    benchmarks/formats_compare.py --codec zstd --parts 1

DuckDB runs `insert into lineitem select * from read_parquet(...)` and a checkpoint.
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

MAKE = """
import duckdb, json, sys
data, folder, parts, codec, ddl = sys.argv[1:]
connection = duckdb.connect()
connection.execute(ddl)
connection.execute(f"copy lineitem from '{data}/lineitem.tbl' (delimiter '|', header false)")
rows = connection.execute("select count(*) from lineitem").fetchone()[0]
step = -(-rows // int(parts))
for part in range(int(parts)):
    connection.execute(f"copy (select * from lineitem limit {step} offset {part * step}) "
                       f"to '{folder}/lineitem.{part:02d}.parquet' (format parquet, compression {codec})")
"""

INSERT = """
import duckdb, sys, time
path, threads, files, ddl = sys.argv[1:]
connection = duckdb.connect(path, config={"threads": int(threads)})
connection.execute("set enable_progress_bar = false")
connection.execute(ddl)
started = time.perf_counter()
connection.execute(f"insert into lineitem select * from read_parquet('{files}*.parquet')")
connection.execute("checkpoint")
print(time.perf_counter() - started)
"""


def ddl(keys):
    if keys == "redshift":
        text = (ROOT / "benchmarks" / "tpch" / "ddl_redshift.sql").read_text()
        text = text[text.index("create table lineitem"):]
        return text[:text.index(";") + 1]
    columns = dict(plain_ddl())["lineitem"]
    return "create table lineitem (" + ", ".join(
        f"{name} {kind}{' not null' if strict else ''}" for name, kind, strict in columns) + ");"


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def redbarn(folder, files, options):
    output = run([binary(), "sql", str(folder / "warehouse"), "--workers", str(options.threads), "--slices",
                  str(options.threads), "-q", "-c", ddl(options.keys), "-c", "\\timing on", "-c",
                  f"copy lineitem from '{files}' format as parquet"])
    times = [line for line in output.splitlines() if line.startswith("Time:")]
    return float(times[-1].split()[1]) / 1000


def duckdb(folder, files, options):
    return float(run([sys.executable, "-c", INSERT, str(folder / "copy.duckdb"), str(options.threads), files,
                      ddl("none")]).split()[-1])


def prepare(options, data, work):
    folder = work / f"parquet-{options.codec}-{options.parts}"
    if not (folder / "complete").exists():
        folder.mkdir(parents=True, exist_ok=True)
        run([sys.executable, "-c", MAKE, str(data), str(folder), str(options.parts), options.codec, ddl("none")])
        (folder / "complete").touch()
    for path in folder.glob("*.parquet"):
        path.read_bytes()  # both find the files in the system's cache
    return f"{folder}/lineitem."


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", default="1")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--keys", choices=["redshift", "none"], default="redshift")
    parser.add_argument("--codec", choices=["uncompressed", "snappy", "gzip", "zstd", "lz4_raw"], default="snappy")
    parser.add_argument("--parts", type=int, default=8, help="files")
    parser.add_argument("--data", help="folder of the .tbl files; made when missing")
    parser.add_argument("--work", help="folder for the Parquet files; kept when it is given")
    parser.add_argument("--json", help="file for the figures")
    options = parser.parse_args()
    data = options.data or run([str(ROOT / "datasets" / "tpch.sh"), options.scale]).strip()
    work = pathlib.Path(options.work or tempfile.mkdtemp(prefix="format-files-"))
    files = prepare(options, pathlib.Path(data), work)
    engines = [("redbarn", redbarn), ("duckdb", duckdb)]
    seconds = {name: [] for name, _ in engines}
    sizes = {}
    for _ in range(options.runs):
        for name, engine in engines:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="formats-compare-"))
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
    ratio = min(seconds["redbarn"]) / min(seconds["duckdb"])
    print(f"redbarn/duckdb: time {ratio:.3f}, size {sizes['redbarn'] / sizes['duckdb']:.3f}")
    print("data derived from TPC-H")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"seconds": seconds, "bytes": sizes, "time ratio": ratio}))


main()
