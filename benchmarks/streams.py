#!/usr/bin/env python3
"""Concurrent streams of the queries derived from TPC-H: `redbarn serve` with one connection per stream against DuckDB
with one connection per stream, in turns on the same files.

Every stream runs all queries in an order of its own and fetches the results. Beside them one more connection sends a
short query again and again; its latency shows whether short work gets through. Figures: queries per second of all
streams together and CPU time for them (the best rounds), the short query's median, 95th percentile and worst.

    benchmarks/streams.py --scale 1 --streams 8 --rounds 2 --threads 2 --data DIR --work DIR
"""

import argparse
import json
import math
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time

from engines import ENGINES, ROOT, binary, query_text

SHORT = "select o_totalprice, o_orderdate from orders where o_orderkey = {key}"
QUERIES = [f"q{number}" for number in range(1, 23)]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", default="1")
    parser.add_argument("--streams", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--engines", default="redbarn,duckdb")
    parser.add_argument("--memory", help="memory of each engine, such as 1GB")
    parser.add_argument("--data", help="folder of the .tbl files; made when missing")
    parser.add_argument("--work", help="folder for the databases; kept and reused when it is given")
    parser.add_argument("--json")
    return parser.parse_args()


class RedbarnServer:
    name = "redbarn"

    def __init__(self, folder, threads, memory):
        command = [binary(), "serve", str(folder / "warehouse"), "--dev", "--no-restart", "--port", "0",
                   "--workers", str(threads)]
        if memory:
            command += ["--memory", memory]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self.port = None
        for line in self.process.stderr:
            if found := re.search(r"port[=\":\s]+(\d+)", line):
                self.port = int(found[1])
                break
        if not self.port:
            sys.exit("redbarn serve did not start")
        threading.Thread(target=lambda: [None for _ in self.process.stderr], daemon=True).start()

    def connect(self):
        import psycopg

        connection = psycopg.connect(f"host=127.0.0.1 port={self.port} user=dev dbname=dev", autocommit=True)
        # Repeats of a query are to run, not to be looked up.
        connection.execute("set enable_result_cache_for_session to off")
        cursor = connection.cursor()
        return lambda sql: cursor.execute(sql).fetchall()

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak_bytes(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024

    def close(self):
        self.process.terminate()
        self.process.wait(30)


class DuckDBConnections:
    name = "duckdb"

    def __init__(self, folder, threads, memory):
        import duckdb

        settings = {"threads": threads}
        if memory:
            settings["memory_limit"] = memory
        self.database = duckdb.connect(str(folder / "tpch.duckdb"), config=settings)

    def connect(self):
        cursor = self.database.cursor()
        return lambda sql: cursor.execute(sql).fetchall()

    def cpu_seconds(self):
        return time.process_time()

    def peak_bytes(self):
        return None

    def close(self):
        self.database.close()


def one_round(engine, streams, largest_key):
    """Seconds for all streams, errors, latencies of the short query in milliseconds."""
    errors, latencies = [], []
    done = threading.Event()
    start = threading.Barrier(streams + 1)

    def stream(number):
        run = engine.connect()
        order = QUERIES[:]
        random.Random(number).shuffle(order)
        start.wait()
        for name in order:
            try:
                run(query_text(name))
            except Exception as error:
                errors.append(f"{name}: {str(error).splitlines()[0]}")

    def short():
        run, keys = engine.connect(), random.Random(0)
        while not done.is_set():
            began = time.perf_counter()
            try:
                run(SHORT.format(key=keys.randrange(1, largest_key)))
                latencies.append((time.perf_counter() - began) * 1000)
            except Exception as error:
                errors.append(f"short: {str(error).splitlines()[0]}")
            done.wait(0.02)

    threads = [threading.Thread(target=stream, args=(number,)) for number in range(streams)]
    beside = threading.Thread(target=short)
    for thread in threads + [beside]:
        thread.start()
    start.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - began
    done.set()
    beside.join()
    return seconds, errors, latencies


def prepare(options, work):
    data = options.data or str(ROOT / "datasets" / "data" / "tpch" / f"sf{options.scale}")
    subprocess.run([str(ROOT / "datasets" / "tpch.sh"), options.scale, data], check=True, stdout=subprocess.DEVNULL)
    for name in options.engines.split(","):
        folder = work / name
        if (folder / "load-seconds").exists():
            continue
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        print(f"{name}: loading ...", file=sys.stderr)
        engine = ENGINES[name](folder, data, options.threads)
        began = time.perf_counter()
        engine.load()
        (folder / "load-seconds").write_text(str(getattr(engine, "load_seconds", time.perf_counter() - began)))


def main():
    options = arguments()
    work = pathlib.Path(options.work) if options.work else ROOT / "benchmarks" / "results" / f"streams-{os.getpid()}"
    work.mkdir(parents=True, exist_ok=True)
    kinds = {kind.name: kind for kind in (RedbarnServer, DuckDBConnections)}
    largest_key = max(int(float(options.scale) * 6_000_000), 2)
    figures = {}
    try:
        prepare(options, work)
        engines = {
            name: kinds[name](work / name, options.threads, options.memory) for name in options.engines.split(",")}
        for name, engine in engines.items():
            warm = engine.connect()
            for query in QUERIES:
                warm(query_text(query))
            figures[name] = {"queries_per_second": 0, "cpu_seconds": math.inf, "errors": [], "short_ms": []}
        for _ in range(options.rounds):
            for name, engine in engines.items():
                before = engine.cpu_seconds()
                seconds, errors, latencies = one_round(engine, options.streams, largest_key)
                figure = figures[name]
                figure["cpu_seconds"] = min(figure["cpu_seconds"], engine.cpu_seconds() - before)
                figure["queries_per_second"] = max(
                    figure["queries_per_second"], options.streams * len(QUERIES) / seconds)
                figure["errors"] += errors
                figure["short_ms"] += latencies
        for name, engine in engines.items():
            figures[name]["peak_bytes"] = engine.peak_bytes()
            engine.close()
    finally:
        if not options.work:
            shutil.rmtree(work, ignore_errors=True)
    for name, figure in figures.items():
        short = sorted(figure["short_ms"])
        figure["short_ms"] = {
            "median": statistics.median(short), "p95": short[int(len(short) * 0.95)], "worst": short[-1],
            "count": len(short)}
        print(f"{name:8} {figure['queries_per_second']:8.1f} queries/s, {figure['cpu_seconds']:.1f} s of CPU, "
              f"{len(figure['errors'])} errors, short query: "
              + ", ".join(f"{key} {value:.1f}" for key, value in figure["short_ms"].items() if key != "count") + " ms"
              + (f", peak memory {figure['peak_bytes'] / 1e6:.0f} MB" if figure["peak_bytes"] else ""))
        for error in sorted(set(figure["errors"]))[:5]:
            print(f"         {error}")
    if len(figures) == 2:
        first, second = figures.values()
        print(f"throughput ratio {first['queries_per_second'] / second['queries_per_second']:.2f}, "
              f"short query median ratio {first['short_ms']['median'] / second['short_ms']['median']:.3f}")
    print("queries and data derived from TPC-H; not comparable to published TPC-H results")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=1) + "\n")


main()
