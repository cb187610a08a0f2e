#!/usr/bin/env python3
"""The 99 queries of TPC-DS against reference answers: which differ, and where.

usage: benchmarks/tpcds_answers.py REDBARN MATERIAL [--scale 1] [--only 12,20] [--warehouse DIR] [--timeout SECONDS]

REDBARN is the program. MATERIAL is a folder with `ddl_redshift.sql`, `queries/q01.sql` ... and `answers_sf1/q01.csv` ...;
none of it is in the repository, for it derives from the TPC's templates. The tables are made by datasets/tpcds.sh and
loaded once into a warehouse beside them. Numbers may differ by one in ten thousand; rows are compared as a whole, ordered
as the query orders them. docs/tpcds.md explains the differences that are left.
"""
import argparse
import csv
import io
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOLERANCE = 1e-4


def redbarn(given, *arguments, timeout=None):
    command = [given.redbarn, "sql", str(given.warehouse), "-q", *arguments]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)


def load(given):
    """DDL, a COPY for each table, ANALYZE; a file in the warehouse's place says that it is whole."""
    done = pathlib.Path(f"{given.warehouse}.loaded")
    if done.exists():
        return
    data = pathlib.Path(subprocess.run([ROOT / "datasets/tpcds.sh", given.scale], check=True, capture_output=True,
                                       text=True).stdout.strip())
    definitions = (given.material / "ddl_redshift.sql").read_text()
    tables = re.findall(r"create table (\w+)", definitions)
    script = pathlib.Path(f"{given.warehouse}.sql")
    script.write_text(definitions + "".join(
        f"\ncopy {table} from '{data}/{table}.csv' csv ignoreheader 1 emptyasnull;\nanalyze {table};" for table in tables))
    run = redbarn(given, "-v", "ON_ERROR_STOP=1", "-f", str(script))
    if run.returncode:
        sys.exit(run.stdout[-2000:] + run.stderr[-2000:])
    done.touch()


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def same(ours, theirs):
    ours, theirs = ours.rstrip(" "), theirs.rstrip(" ")
    if ours == theirs:
        return True
    first, second = number(ours), number(theirs)
    if first is None or second is None:
        return False
    return abs(first - second) <= TOLERANCE * max(abs(first), abs(second), 1e-9)


def key(row):
    """Numbers by some digits, so that rows meet whose numbers differ a little."""
    return [f"{number(cell):.3g}" if number(cell) is not None else cell.rstrip(" ") for cell in row]


def compare(ours, theirs):
    """nil, or what is wrong: rows in their order; then in any order, as ties at equal sort keys come in any."""
    if len(ours) != len(theirs):
        return f"{len(ours)} rows, expected {len(theirs)}"
    def wrong(a, b):
        return [(x, y) for x, y in zip(a, b) if len(x) != len(y) or not all(map(same, x, y))]
    if not wrong(ours, theirs):
        return None
    left = wrong(sorted(ours, key=key), sorted(theirs, key=key))
    if not left:
        return None
    cells = [(a, b) for a, b in zip(*left[0]) if not same(a, b)]
    return f"{len(left)} of {len(ours)} rows differ, first cells {cells[:3]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("redbarn")
    parser.add_argument("material", type=pathlib.Path)
    parser.add_argument("--scale", default="1")
    parser.add_argument("--only", default="")
    parser.add_argument("--warehouse", type=pathlib.Path)
    parser.add_argument("--timeout", type=float, default=120)
    given = parser.parse_args()
    given.warehouse = given.warehouse or ROOT / f"datasets/data/tpcds/warehouse-sf{given.scale}"
    load(given)
    chosen = [int(text) for text in given.only.split(",") if text] or range(1, 100)
    equal, seconds = 0, 0.0
    for query in chosen:
        name = f"q{query:02}"
        begin = time.monotonic()
        try:
            run = redbarn(given, "--format=csv", "-f", str(given.material / f"queries/{name}.sql"), timeout=given.timeout)
            answer = list(csv.reader(io.StringIO(run.stdout)))[1:]
            expected = list(csv.reader((given.material / f"answers_sf{given.scale}/{name}.csv").open()))[1:]
            fault = run.stderr.strip()[:200] if run.returncode or "ERROR" in run.stderr else compare(answer, expected)
        except subprocess.TimeoutExpired:
            fault = f"not done after {given.timeout:.0f} s"
        seconds += time.monotonic() - begin
        equal += fault is None
        if fault:
            print(f"{name}: {fault}", flush=True)
    print(f"{equal} of {len(chosen)} equal, {seconds:.0f} s")


if __name__ == "__main__":
    main()
