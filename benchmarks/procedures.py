#!/usr/bin/env python3
"""Loops of stored procedures against PL/pgSQL of PostgreSQL: both servers, the same bodies, medians and ratios.

    benchmarks/procedures.py REDBARN [--rounds 5] [--programs /usr/lib/postgresql/15/bin]

Needs psycopg 3 and PostgreSQL 15.
"""
import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time

import psycopg

import statement_way
import wire

LOOP = """
declare
  a int := 0; b bigint := 0; c int := 0;
begin
  for i in 1..1000000 loop
    a := i % 7;
    b := b + a * 2;
    if a > 3 then
      c := c + 1;
    end if;
  end loop;
  raise notice '% %', b, c;
end;
"""
TEXTS = """
declare
  s varchar(100); n int := 0;
begin
  for i in 1..100000 loop
    s := 'row ' || i;
    if substring(s, 5, 1) = '7' then
      n := n + length(s);
    end if;
  end loop;
  raise notice '%', n;
end;
"""
SELECTS = """
declare
  v int; total bigint := 0;
begin
  for i in 1..10000 loop
    select k into v from {table} where id = {id};
    total := total + v;
  end loop;
  raise notice '%', total;
end;
"""
BODIES = {
    "1,000,000 rounds, three assignments and an IF": LOOP,
    "100,000 rounds over texts": TEXTS,
    "10,000 SELECT INTO of a table of one row": SELECTS.format(table="one", id="1"),
    "10,000 SELECT INTO of a table of 1,000 rows": SELECTS.format(table="numbered", id="i % 1000 + 1"),
}


def prepare(connection):
    run = connection.execute
    run("create table one (id int, k int)")
    run("insert into one values (1, 5)")
    run("create table numbered (id int, k int)")
    run("insert into numbered select x.i + 10 * y.i + 100 * z.i + 1, x.i from "
        + ", ".join("(select 0 as i " + "".join(f"union all select {i} " for i in range(1, 10)) + f") {n}"
                    for n in "xyz"))
    for number, body in enumerate(BODIES.values()):
        run(f"create procedure p{number}() as $$ {body} $$ language plpgsql")


def measure(connections, rounds):
    for number, title in enumerate(BODIES):
        times = {name: [] for name in connections}
        for _ in range(rounds):
            for name, connection in connections.items():
                start = time.perf_counter()
                connection.execute(f"call p{number}()")
                times[name].append(time.perf_counter() - start)
        ours, theirs = (statistics.median(times[name]) for name in ("redbarn", "postgresql"))
        print(f"{title:50} {ours * 1e3:9.1f} ms {theirs * 1e3:9.1f} ms  {ours / theirs:6.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--programs", default="/usr/lib/postgresql/15/bin")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        server, stop = wire.start_postgres(options.programs, folder)
        port, process = statement_way.start(options.program, folder / "redbarn")
        try:
            ours = psycopg.connect(f"host=127.0.0.1 port={port} user=dev password=Secret123 dbname=dev sslmode=disable",
                                   autocommit=True)
            theirs = psycopg.connect(f"host=127.0.0.1 port={server.port} user=dev dbname=postgres", autocommit=True)
            connections = {"redbarn": ours, "postgresql": theirs}
            for connection in connections.values():
                prepare(connection)
            print(f"{'':50} {'redbarn':>12} {'postgresql':>12}   ratio")
            measure(connections, options.rounds)
        finally:
            process.terminate()
            process.wait()
            subprocess.run(stop, stdout=subprocess.DEVNULL, check=True)


if __name__ == "__main__":
    main()
