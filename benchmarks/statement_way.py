#!/usr/bin/env python3
"""Short statements of 16 clients, by superuser and plain user, simple and prepared: one build of redbarn against another.

    benchmarks/statement_way.py BASE NEW [--rounds 5] [--seconds 3] [--clients 16]

Starts a server of each build, runs every measurement in turn and prints the medians of statements a second with their
ratio to the base's superuser. Needs psycopg 3 and pgbench.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

import psycopg

SCRIPTS = {
    "point query": "\\set id random(1, 100000)\nSELECT a, c FROM t WHERE id = :id;\n",
    "join": "\\set id random(1, 1000)\nSELECT count(*), max(u.c) FROM t, u WHERE t.k = u.k AND t.id = :id;\n",
}


def start(program, folder):
    folder.mkdir()
    log = folder / "log"
    users = folder / "users"
    users.write_text("dev:Secret123\nplain:Secret123\n")
    with open(log, "w") as output:
        process = subprocess.Popen(
            [program, "serve", str(folder / "warehouse"), "--host", "127.0.0.1", "--port", "0", "--allow-plaintext",
             "--users", str(users), "--no-auto-analyze", "--no-auto-vacuum"], stderr=output, stdout=output)
    for _ in range(100):
        found = re.search(r"event=listening port=(\d+)", log.read_text())
        if found:
            return int(found.group(1)), process
        time.sleep(0.1)
    raise SystemExit(log.read_text())


def prepare(port):
    with psycopg.connect(f"host=127.0.0.1 port={port} user=dev password=Secret123 dbname=dev sslmode=disable",
                         autocommit=True) as connection:
        for statement in [
            "create table n(i int)", "insert into n values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)",
            "create table t as select x.i + 10*y.i + 100*z.i + 1000*v.i + 10000*w.i + 1 as id, x.i as k, y.i as a,"
            " 'row ' || z.i as c from n x, n y, n z, n v, n w",
            "create table u as select i as k, 'name ' || i as c from n",
            "grant select on t, u to plain", "analyze t", "analyze u",
        ]:
            connection.execute(statement)


def rate(port, user, mode, script, options):
    command = ["pgbench", "-n", "-h", "127.0.0.1", "-p", str(port), "-U", user, "-M", mode, "-c", str(options.clients),
               "-j", "2", "-T", str(options.seconds), "-f", script, "dev"]
    output = subprocess.run(command, capture_output=True, text=True,
                            env=dict(os.environ, PGSSLMODE="disable", PGPASSWORD="Secret123",
                                     # Repeats of a query are to run, not to be looked up.
                                     PGOPTIONS="-c enable_result_cache_for_session=off"))
    found = re.search(r"tps = ([0-9.]+) \(without", output.stdout)
    if not found:
        raise SystemExit(output.stdout + output.stderr)
    return float(found.group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--clients", type=int, default=16)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        servers = {name: start(program, folder / name) for name, program in
                   (("base", options.base), ("new", options.new))}
        try:
            for port, _ in servers.values():
                prepare(port)
            for name, text in SCRIPTS.items():
                script = folder / "script.sql"
                script.write_text(text)
                for mode in ("simple", "prepared"):
                    rates = {}
                    for _ in range(options.rounds):
                        for server, (port, _) in servers.items():
                            for user in ("dev", "plain"):
                                rates.setdefault((server, user), []).append(rate(port, user, mode, script, options))
                    medians = {key: statistics.median(values) for key, values in rates.items()}
                    base = medians["base", "dev"]
                    cells = "  ".join(f"{server} {user} {value:8.0f} ({value / base:.2f})"
                                      for (server, user), value in medians.items())
                    print(f"{name}, {mode}: {cells}", flush=True)
        finally:
            for _, process in servers.values():
                process.terminate()
                process.wait()


if __name__ == "__main__":
    main()
