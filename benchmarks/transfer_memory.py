#!/usr/bin/env python3
"""Peak memory of COPY and UNLOAD of lineitem in each format, in a process of its own with --memory 1GB.

    benchmarks/transfer_memory.py                               eighteen million rows, the size of scale 3
    benchmarks/transfer_memory.py --copies 10 --formats parquet,csv
    benchmarks/transfer_memory.py --files 1                     PARALLEL OFF: one file, read by all workers

The rows are those of scale 1 so many times. What is shown is the process's largest resident set, libraries and all.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from engines import ROOT, binary, folder_bytes, plain_ddl

# What UNLOAD and COPY say for the same files.
FORMATS = {
    "text": ("", ""),
    "csv": ("csv", "csv"),
    "gzip": ("csv gzip", "csv gzip"),
    "zstd": ("csv zstd", "csv zstd"),
    "json": ("json", "json 'auto'"),
    "parquet": ("parquet", "parquet"),
}
KEYS = "distkey (l_orderkey) sortkey (l_shipdate, l_orderkey)"


def table_text(name, keys=""):
    columns = dict(plain_ddl())["lineitem"]
    return f"create table {name} (" + ", ".join(
        f"{column} {kind}{' not null' if strict else ''}" for column, kind, strict in columns) + f") {keys};"


def run(work, options, *statements):
    """Seconds of the last statement, peak bytes of the process."""
    command = [binary(), "sql", str(work / "warehouse"), "--workers", str(options.threads), "--slices",
               str(options.threads), "--memory", options.memory, "-q", "-c", "\\timing on"]
    for statement in statements:
        command += ["-c", statement]
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        output.seek(0)
        text = output.read()
    if status != 0:
        sys.exit(text)
    times = [line for line in text.splitlines() if line.startswith("Time:")]
    return float(times[-1].split()[1]) / 1000, usage.ru_maxrss << 10


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copies", type=int, default=3, help="of the rows of scale 1")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", default="1GB")
    parser.add_argument("--formats", default=",".join(FORMATS), help="comma-separated")
    parser.add_argument("--files", choices=["1", "slices"], default="slices")
    parser.add_argument("--data", help="folder of the .tbl files of scale 1; made when missing")
    options = parser.parse_args()
    data = options.data or subprocess.run(
        [str(ROOT / "datasets" / "tpch.sh"), "1"], check=True, capture_output=True, text=True).stdout.strip()
    work = pathlib.Path(tempfile.mkdtemp(prefix="transfer-memory-"))
    parallel = "" if options.files == "slices" else "parallel off"
    try:
        loads = [f"copy lineitem from '{data}/lineitem.tbl' delimiter '|'"] * options.copies
        seconds, peak = run(work, options, table_text("lineitem"), *loads)
        print(f"{'tbl':8} COPY {seconds:7.1f} s, peak {peak >> 20:5} MB (the last of {options.copies})", flush=True)
        for form in options.formats.split(","):
            unload, copy = FORMATS[form]
            target = work / "files"
            target.mkdir()
            out, out_peak = run(
                work, options, f"unload ('select * from lineitem') to '{target}/x_' {unload} {parallel}")
            size = folder_bytes(target)
            back, back_peak = run(
                work, options, "drop table if exists loaded", table_text("loaded", KEYS),
                f"copy loaded from '{target}/x_' {copy}")
            shutil.rmtree(target)
            print(f"{form:8} UNLOAD {out:7.1f} s, peak {out_peak >> 20:5} MB; COPY {back:7.1f} s, "
                  f"peak {back_peak >> 20:5} MB; {size / 1e6:.0f} MB of files", flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print("data derived from TPC-H")


main()
