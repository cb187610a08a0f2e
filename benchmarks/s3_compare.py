#!/usr/bin/env python3
"""COPY of lineitem from SeaweedFS against COPY of the same local files, in turns, and what the server itself gives.

    benchmarks/s3_compare.py                         eight files of text, and eight of Parquet
    benchmarks/s3_compare.py --formats parquet --runs 5

"only read" is two clients that read all objects whole, one after the other, and throw the bytes away: no COPY can be
faster. Server and clients share the machine's processors.
"""

import argparse
import concurrent.futures
import http.client
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

from engines import ROOT, binary, plain_ddl

sys.path.insert(0, str(ROOT / "Tests" / "S3"))
from stores import ACCESS, SECRET, SeaweedFS  # noqa: E402

MAKE = """
import duckdb, sys
data, folder, form, ddl = sys.argv[1:]
connection = duckdb.connect()
connection.execute(ddl)
connection.execute(f"copy lineitem from '{data}/lineitem.tbl' (delimiter '|', header false)")
rows = connection.execute("select count(*) from lineitem").fetchone()[0]
step = -(-rows // 8)
options = "(format parquet, compression snappy)" if form == "parquet" else "(format csv, delimiter '|', header false)"
for part in range(8):
    connection.execute(f"copy (select * from lineitem limit {step} offset {part * step}) "
                       f"to '{folder}/lineitem.{part}' {options}")
"""
KEYS = f"access_key_id '{ACCESS}' secret_access_key '{SECRET}'"
OPTIONS = {"text": "delimiter '|'", "parquet": "format as parquet"}


def ddl():
    columns = dict(plain_ddl())["lineitem"]
    return "create table lineitem (" + ", ".join(f"{name} {kind}" for name, kind, _ in columns) + ");"


def copy_seconds(endpoint, location, form, options):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="s3-compare-"))
    try:
        command = [binary(), "sql", str(folder / "warehouse"), "--workers", str(options.threads), "--slices",
                   str(options.threads), "--s3-endpoint", endpoint, "-q", "-c", ddl(), "-c", "\\timing on", "-c",
                   f"copy lineitem from '{location}' {KEYS if location.startswith('s3:') else ''} {OPTIONS[form]}"]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        times = [line for line in done.stdout.splitlines() if line.startswith("Time:")]
        if done.returncode != 0 or not times:
            sys.exit(done.stderr)
        return float(times[-1].split()[1]) / 1000
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def read_seconds(store, keys, threads):
    """Presigned, so that nothing is signed meanwhile."""
    urls = [urllib.parse.urlsplit(store.client.generate_presigned_url(
        "get_object", Params={"Bucket": "bench", "Key": key})) for key in keys]

    def read(url):
        connection = http.client.HTTPConnection(url.hostname, url.port)
        connection.request("GET", f"{url.path}?{url.query}")
        answer = connection.getresponse()
        assert answer.status == 200, answer.status
        buffer = bytearray(1 << 20)
        count = 0
        while some := answer.readinto(buffer):
            count += some
        return count

    started = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        count = sum(pool.map(read, urls))
    return time.perf_counter() - started, count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", default="1")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--formats", default="text,parquet", help="comma-separated")
    options = parser.parse_args()
    data = subprocess.run([str(ROOT / "datasets" / "tpch.sh"), options.scale], check=True, capture_output=True,
                          text=True).stdout.strip()
    work = pathlib.Path(tempfile.mkdtemp(prefix="s3-files-"))
    store = SeaweedFS(str(work / "weed"))
    try:
        store.client.create_bucket(Bucket="bench")
        for form in options.formats.split(","):
            files = work / form
            files.mkdir()
            subprocess.run([sys.executable, "-c", MAKE, data, str(files), form, ddl()], check=True)
            keys = []
            for path in sorted(files.iterdir()):
                keys.append(f"{form}/{path.name}")
                store.client.upload_file(str(path), "bench", keys[-1])
                path.read_bytes()  # in the system's cache
            local, remote, only = [], [], []
            for _ in range(options.runs):
                local.append(copy_seconds(store.endpoint, f"{files}/lineitem.", form, options))
                remote.append(copy_seconds(store.endpoint, f"s3://bench/{form}/lineitem.", form, options))
                seconds, count = read_seconds(store, keys, options.threads)
                only.append(seconds)
            print(f"{form:8} local {min(local):.3f} s, S3 {min(remote):.3f} s: ratio {min(remote) / min(local):.2f}; "
                  f"only read {min(only):.3f} s ({count / min(only) / 1e6:.0f} MB/s): "
                  f"{min(only) / min(local):.2f} of local, "
                  f"S3 is {min(remote) / (min(local) + min(only)):.2f} of local and only read together", flush=True)
            shutil.rmtree(files)
    finally:
        store.stop()
        shutil.rmtree(work, ignore_errors=True)
    print("data derived from TPC-H")


main()
