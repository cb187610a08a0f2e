#!/usr/bin/env python3
"""The three worked examples of docs/analytics.md: makes the data, runs the queries, draws a picture of each result.

usage: datasets/lake/analytics.py REDBARN [--pictures FOLDER] [--check duckdb] [--check postgresql]

REDBARN is the program, such as .build/release/redbarn. The warehouse and the data live in a temporary folder. With --check
every answer is compared, value by value, with that of the other engine, which must be there (`datasets/venv.sh duckdb
psycopg`; PostgreSQL's programs on the path).
"""
import argparse
import csv
import decimal
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import make_data
import pictures

HERE = pathlib.Path(__file__).resolve().parent
QUERIES = ["cohorts", "affinity", "series"]
TABLES = ["products", "orders", "order_items"]


def redbarn(program, warehouse, *arguments):
    command = [program, "sql", str(warehouse), "-q", *arguments]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def answers(program, data, folder):
    warehouse = folder / "warehouse"
    settings = [f"--set=products={data}/products.csv", f"--set=orders={data}/orders.csv",
                f"--set=items={data}/order_items.csv", "--set=ON_ERROR_STOP=1"]
    redbarn(program, warehouse, *settings, "-f", str(HERE / "load.sql"))
    return {name: list(csv.reader(io.StringIO(
        redbarn(program, warehouse, "--format=csv", "-f", str(HERE / f"{name}.sql"))))) for name in QUERIES}


DEFINITIONS = """
create schema gold;
create table gold.products (product_id int, product_name varchar(40));
create table gold.orders (order_id int, customer_id int, order_date date, order_amount decimal(10,2));
create table gold.order_items (order_id int, product_id int);
"""


def in_duckdb(data, folder):
    import duckdb
    connection = duckdb.connect()
    for statement in filter(str.strip, DEFINITIONS.split(";")):
        connection.execute(statement)
    for table in TABLES:
        connection.execute(f"copy gold.{table} from '{data}/{table}.csv' (header false)")
    # Quotients of decimals are floating-point numbers there.
    return {name: connection.execute(
        (HERE / f"{name}.sql").read_text().replace("datediff(month,", "datediff('month',")).fetchall()
        for name in QUERIES}


def in_postgresql(data, folder):
    """In a cluster of its own that only a socket in the folder reaches."""
    import psycopg
    cluster = folder / "postgresql"
    user = [] if os.geteuid() else ["setpriv", "--reuid=nobody", "--clear-groups"]
    if not os.geteuid():
        shutil.chown(folder, "nobody")
        folder.chmod(0o755)
    run = lambda *command: subprocess.run([*user, *command], check=True, stdout=subprocess.DEVNULL)
    run("initdb", "-D", str(cluster), "-U", "postgres", "-E", "UTF8", "--locale=C", "-N")
    run("pg_ctl", "-D", str(cluster), "-w", "-l", str(folder / "postgresql.log"), "-o",
        f"-c listen_addresses='' -k {folder}", "start")
    try:
        with psycopg.connect(host=str(folder), user="postgres", dbname="postgres") as connection:
            connection.execute(DEFINITIONS)
            for table in TABLES:
                with connection.cursor().copy(f"copy gold.{table} from stdin (format csv)") as copy:
                    copy.write((data / f"{table}.csv").read_bytes())
            months = r"((extract(year from \2) - extract(year from \1)) * 12 + extract(month from \2) - extract(month from \1))"
            return {name: connection.execute(re.sub(
                r"datediff\(month, (\w+), (\w+)\)", months, (HERE / f"{name}.sql").read_text())).fetchall()
                for name in QUERIES}
    finally:
        run("pg_ctl", "-D", str(cluster), "-m", "immediate", "stop")


def same(ours, theirs):
    """Numbers within half a unit of the second decimal, the last that the queries ask for."""
    if theirs is None:
        return ours == ""
    if isinstance(theirs, (int, float, decimal.Decimal)):
        return abs(decimal.Decimal(ours) - decimal.Decimal(theirs)) <= decimal.Decimal("0.0100001")
    return ours == str(theirs)


def compare(name, ours, theirs, engine):
    rows = ours[1:]
    wrong = [(a, b) for a, b in zip(rows, theirs) if not all(map(same, a, b))]
    if len(rows) != len(theirs) or wrong:
        sys.exit(f"{name}: {len(rows)} rows, {engine} {len(theirs)}; first differences {wrong[:3]}")
    print(f"{name}: {len(rows)} rows as {engine} has them")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("redbarn")
    parser.add_argument("--pictures", type=pathlib.Path)
    parser.add_argument("--check", action="append", default=[], choices=["duckdb", "postgresql"])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = folder / "data"
        make_data.main(data)
        ours = answers(given.redbarn, data, folder)
        for engine in given.check:
            theirs = {"duckdb": in_duckdb, "postgresql": in_postgresql}[engine](data, folder)
            for query in QUERIES:
                compare(query, ours[query], theirs[query], engine)
        if given.pictures:
            given.pictures.mkdir(parents=True, exist_ok=True)
            for query in QUERIES:
                path = given.pictures / f"{query}.svg"
                path.write_text(getattr(pictures, query)(ours[query]))
                print(path)


if __name__ == "__main__":
    main()
