#!/usr/bin/env python3
"""Round trips, short queries, one-row commits (synced) and large results over the wire: Redbarn against PostgreSQL on the same machine.

    benchmarks/wire.py .build/release/redbarn [--rounds 5] [--seconds 3] [--rows 5000000] [--only INSERT]

Starts both servers over scratch directories, runs every measurement in turn (Redbarn, PostgreSQL, Redbarn, ...) and
prints medians with their ratio. Needs psycopg 3 and PostgreSQL's programs (--pg-bin; Debian: postgresql-15).
"""
import argparse
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

import psycopg

SHORT_QUERIES = r"""\set id random(1, 100000)
SELECT a, c FROM t WHERE id = :id;
"""
COMMITS = r"""\set id random(1, 1000000000)
INSERT INTO commits VALUES (:id, 'one row of many');
"""


class Server:
    def __init__(self, name, port, user, database):
        self.name, self.port, self.user, self.database = name, port, user, database

    @property
    def options(self):
        """Repeats of a query are to run, not to be looked up."""
        return "-c enable_result_cache_for_session=off" if self.name == "redbarn" else ""

    def connect(self):
        return psycopg.connect(
            f"host=127.0.0.1 port={self.port} user={self.user} dbname={self.database} sslmode=disable",
            autocommit=True, options=self.options)


def start_redbarn(program, folder):
    log = open(folder / "redbarn.log", "w")
    process = subprocess.Popen(
        [program, "serve", str(folder / "warehouse"), "--dev", "--port", "0"], stderr=log, stdout=log)
    for _ in range(100):
        found = re.search(r"event=listening port=(\d+)", (folder / "redbarn.log").read_text())
        if found:
            return Server("redbarn", int(found.group(1)), "dev", "dev"), process
        time.sleep(0.1)
    raise SystemExit((folder / "redbarn.log").read_text())


def start_postgres(programs, folder):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    data = folder / "pg"
    # PostgreSQL refuses to run as root.
    prefix = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    if prefix:
        os.chmod(folder, 0o755)
        data.mkdir()
        shutil.chown(data, "postgres")
    quiet = {"stdout": subprocess.DEVNULL, "check": True}
    subprocess.run(prefix + [f"{programs}/initdb", "-D", str(data), "-A", "trust", "-U", "dev"], **quiet)
    control = prefix + [f"{programs}/pg_ctl", "-D", str(data), "-w", "-l", str(data / "log")]
    options = f"-p {port} -k {data} -c shared_buffers=1GB"
    subprocess.run(control + ["-o", options, "start"], **quiet)
    return Server("postgresql", port, "dev", "postgres"), control + ["-m", "fast", "stop"]


def load(server, rows):
    series = f"generate_series(1, {rows}) g"
    small = "generate_series(1, 100000) g"
    with server.connect() as connection:
        run = connection.execute
        run("create table commits (id int, note varchar(40))")
        if server.name == "redbarn":
            run("create table t (id int sortkey, a int, b float8, c varchar(64))")
            run(f"insert into t select g::int, mod(g * 7919, 1000)::int, g * 1.5::float8, md5(g::varchar) from {small}")
            run("create table big (id bigint, a int, b float8, d date, c varchar(32))")
            run("insert into big select g, mod(g, 1000)::int, g * 0.5::float8, date '2020-01-01' + mod(g, 1000)::int, "
                f"'name ' || g::varchar from {series}")
        else:
            run("create table t (id int primary key, a int, b float8, c varchar(64))")
            run(f"insert into t select g, mod(g * 7919, 1000), g * 1.5::float8, md5(g::varchar) from {small}")
            run("create table big (id bigint, a int, b float8, d date, c varchar(32))")
            run("insert into big select g, mod(g, 1000), g * 0.5::float8, date '2020-01-01' + mod(g, 1000), "
                f"'name ' || g::varchar from {series}")
            run("vacuum analyze")


def round_trips(server, seconds):
    with server.connect() as connection:
        cursor = connection.cursor()
        for _ in range(20):
            cursor.execute("select 1", prepare=True)
        count, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            for _ in range(100):
                cursor.execute("select 1", prepare=True)
                cursor.fetchall()
            count += 100
        return count / (time.perf_counter() - start)


def short_queries(server, seconds, mode, script, clients=16):
    result = subprocess.run(
        ["pgbench", "-h", "127.0.0.1", "-p", str(server.port), "-U", server.user, "-n", "-M", mode, "-c", str(clients), "-j",
         "2", "-T", str(seconds), "-f", str(script), server.database], capture_output=True, text=True,
        env=dict(os.environ, PGOPTIONS=server.options))
    found = re.search(r"^tps = ([\d.]+)", result.stdout, re.M)
    if not found:
        raise SystemExit(result.stdout + result.stderr)
    return float(found.group(1))


def large_result(server, rows):
    with server.connect() as connection:
        start = time.perf_counter()
        cursor = connection.cursor(binary=True)
        cursor.execute("select id, a, b, d, c from big")
        got = 0
        while block := cursor.fetchmany(10000):
            got += len(block)
        assert got == rows, got
        return rows / (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("redbarn")
    parser.add_argument("--pg-bin", default="/usr/lib/postgresql/15/bin")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--only", default="", help="a part of the names of the measures wanted")
    given = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="wire"))
    stop = None
    process = None
    try:
        redbarn, process = start_redbarn(given.redbarn, folder)
        postgres, stop = start_postgres(given.pg_bin, folder)
        script = folder / "short.sql"
        script.write_text(SHORT_QUERIES)
        commits = folder / "commits.sql"
        commits.write_text(COMMITS)
        for server in (redbarn, postgres):
            load(server, given.rows)
        measures = {"select 1, prepared, round trips/s": lambda s: round_trips(s, given.seconds)}
        for mode in ("simple", "extended", "prepared"):
            measures[f"16 clients, {mode}, queries/s"] = (
                lambda s, mode=mode: short_queries(s, given.seconds, mode, script))
        measures["8 clients, one-row INSERT, commits/s"] = (
            lambda s: short_queries(s, given.seconds, "simple", commits, clients=8))
        if given.rows:
            measures[f"{given.rows} rows x 5 columns, binary, rows/s"] = lambda s: large_result(s, given.rows)
        print(f"{'':48} {'redbarn':>12} {'postgresql':>12} {'ratio':>6}")
        for name, measure in measures.items():
            if given.only not in name:
                continue
            rounds = given.rounds if "rows x" not in name else min(given.rounds, 3)
            results = [(measure(redbarn), measure(postgres)) for _ in range(rounds)]
            ours, theirs = (statistics.median(column) for column in zip(*results))
            print(f"{name:48} {ours:12,.0f} {theirs:12,.0f} {ours / theirs:6.2f}", flush=True)
    finally:
        if process:
            process.terminate()
            process.wait()
        if stop:
            subprocess.run(stop, stdout=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
