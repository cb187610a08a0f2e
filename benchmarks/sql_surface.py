#!/usr/bin/env python3
"""Figures of the SQL surface: recursion against DuckDB in the same run, planning of TPC-DS, a long history.

    benchmarks/sql_surface.py REDBARN [recursion] [planning --material DIR --warehouse DIR] [history] [--rounds 3]

`recursion`: a series of 1,000,000 steps, and the transitive closure of a tree and of a layered graph of
100,000 edges; both engines run the same text, in turns, with as many threads. `planning`: EXPLAIN,
which plans and does not run, of the 99 queries of TPC-DS over tables that benchmarks/tpcds_answers.py has loaded.
`history`: count(*) on STL_QUERY after a million statements of sixteen clients. Needs psycopg 3; duckdb; pgbench.
"""
import argparse
import os
import pathlib
import random
import re
import statistics
import subprocess
import tempfile
import time

import psycopg

SERIES = "with recursive r(n) as (select 1 union all select n + 1 from r where n < {depth}) select count(*), sum(n) from r"
CLOSURE = ("with recursive c(a, b) as (select a, b from {table} union all select c.a, e.b from c join {table} e on"
           " c.b = e.a) select count(*), sum(a), sum(b) from c")


class Server:
    def __init__(self, program, warehouse, threads):
        self.log = pathlib.Path(f"{warehouse}.log")
        with open(self.log, "w") as output:
            self.process = subprocess.Popen(
                [program, "serve", str(warehouse), "--dev", "--port", "0", "--workers", str(threads)],
                stdout=output, stderr=output)
        self.port = None
        for _ in range(200):
            found = re.search(r"event=listening port=(\d+)", self.log.read_text())
            if found:
                self.port = int(found.group(1))
                break
            time.sleep(0.1)
        if self.port is None:
            raise SystemExit(self.log.read_text())
        self.connection = psycopg.connect(f"host=127.0.0.1 port={self.port} user=dev dbname=dev", autocommit=True)

    def rows(self, text):
        cursor = self.connection.execute(text)
        return cursor.fetchall() if cursor.description else []

    def stop(self):
        self.connection.close()
        self.process.terminate()
        self.process.wait()


def timed(run):
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, [tuple(int(value) for value in row) for row in result]


def edges(count):
    """(from, to): a tree, each node below a random earlier one; and a graph of nodes in four layers, each of which has
    ten edges into the next."""
    draw = random.Random(1)
    tree = [(draw.randrange(node), node) for node in range(1, count + 1)]
    width = count // 30
    graph = [(layer * width + node, (layer + 1) * width + draw.randrange(width))
             for layer in range(3) for node in range(width) for _ in range(10)]
    return {"tree": tree, "graph": graph}


def recursion(given, folder):
    import duckdb
    server = Server(given.redbarn, folder / "recursion", given.threads)
    other = duckdb.connect(config={"threads": given.threads})
    server.rows("set enable_result_cache_for_session to off")
    for name, rows in edges(100_000).items():
        path = folder / f"{name}.csv"
        path.write_text("".join(f"{a},{b}\n" for a, b in rows))
        server.rows(f"create table {name}(a int, b int) distkey(a)")
        server.rows(f"copy {name} from '{path}' csv")
        server.rows(f"analyze {name}")
        other.execute(f"create table {name} as select * from read_csv('{path}', columns={{'a': 'int', 'b': 'int'}})")
    queries = {
        "series of 100,000 steps": SERIES.format(depth=100_000), "series of 1,000,000 steps": SERIES.format(depth=1_000_000),
        "closure of a tree of 100,000 edges": CLOSURE.format(table="tree"),
        "closure of a graph of 100,000 edges": CLOSURE.format(table="graph"),
    }
    print(f"{'':40} {'redbarn':>10} {'duckdb':>10} {'ratio':>7}")
    for name, text in queries.items():
        ours, theirs = [], []
        for _ in range(given.rounds):
            took, mine = timed(lambda: server.rows(text))
            ours.append(took)
            took, answer = timed(lambda: other.execute(text).fetchall())
            theirs.append(took)
            if mine != answer:
                raise SystemExit(f"{name}: {mine} is not {answer}")
        first, second = statistics.median(ours), statistics.median(theirs)
        print(f"{name:40} {first * 1000:8.1f} ms {second * 1000:7.1f} ms {first / second:7.2f}   {mine[0]}", flush=True)
    server.stop()


def planning(given, folder):
    server = Server(given.redbarn, given.warehouse, given.threads)
    server.rows("set enable_result_cache_for_session to off")
    times = []
    for path in sorted((given.material / "queries").glob("q*.sql")):
        found = []
        for _ in range(given.rounds):
            for text in path.read_text().split(";"):
                if text.strip():
                    start = time.perf_counter()
                    server.rows("explain " + text)
                    found.append(time.perf_counter() - start)
        times.append((min(found) * 1000, path.stem, len(path.read_text())))
    times.sort(reverse=True)
    for took, name, size in times[:5]:
        print(f"{name}: {took:.2f} ms, {size} characters")
    print(f"median of {len(times)}: {statistics.median(time for time, _, _ in times):.2f} ms")
    server.stop()


def history(given, folder):
    server = Server(given.redbarn, folder / "history", given.threads)
    server.rows("create table t(id int, a int)")
    server.rows("insert into t values (1, 2), (2, 3)")
    script = folder / "point.sql"
    script.write_text("select a from t where id = 1;\n")
    each = given.statements // 16
    start = time.perf_counter()
    subprocess.run(["pgbench", "-n", "-h", "127.0.0.1", "-p", str(server.port), "-U", "dev", "-c", "16", "-j", "2",
                    "-t", str(each), "-f", str(script), "dev"], check=True, capture_output=True,
                   env=dict(os.environ, PGSSLMODE="disable"))
    print(f"{each * 16} statements in {time.perf_counter() - start:.1f} s")
    for text in ["select count(*) from stl_query", "select count(*) from stl_query where userid > 1",
                 "select count(*) from sys_query_history"]:
        took = [timed(lambda: server.rows(text)) for _ in range(given.rounds)]
        print(f"{text}: {min(part for part, _ in took) * 1000:.1f} ms, {took[-1][1][0][0]}")
    server.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("redbarn")
    parser.add_argument("parts", nargs="*", default=["recursion"])
    parser.add_argument("--material", type=pathlib.Path)
    parser.add_argument("--warehouse", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--statements", type=int, default=1_000_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for part in given.parts:
            {"recursion": recursion, "planning": planning, "history": history}[part](given, pathlib.Path(folder))


if __name__ == "__main__":
    main()
