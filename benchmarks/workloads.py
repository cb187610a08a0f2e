#!/usr/bin/env python3
"""Compares Redbarn with DuckDB on workloads beyond TPC-H's 22 queries, and checks that the answers are equal.

Suites: `mixed` (joins, groupings, windows, strings over TPC-H tables), `wide` (a table of 100 columns with skewed strings, in
the way of ClickBench) and `tpcds` (the 99 queries; data and queries are named on the command line, they are not part of
this project). Both engines load the same files; for each query they take turns in long-lived processes with the same
number of threads. The figure is the hot minimum. Ratios below 1: Redbarn is faster. See docs/bench.md.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import time

import wide_table
from run_loop import RunLoop, sections

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "benchmarks" / "workloads"
BINARY = os.environ.get("REDBARN", str(ROOT / ".build" / "release" / "redbarn"))
SUITES = ["mixed", "wide", "tpcds"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", required=True, help="folder that keeps the loaded databases")
    parser.add_argument("--suites", default="mixed,wide", help=f"of {', '.join(SUITES)}")
    parser.add_argument("--queries", help="regular expression of the names to run")
    parser.add_argument("--tpch", default=str(ROOT / "datasets/data/tpch/sf1"), help="folder with the .tbl files")
    parser.add_argument("--tpcds-data", help="folder with the .csv files, with headings")
    parser.add_argument("--tpcds", help="folder with ddl_plain.sql, ddl_redshift.sql and queries/qNN.sql")
    parser.add_argument("--wide-rows", type=int, default=2_000_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=20, help="no further runs of a query after so long")
    parser.add_argument("--no-check", action="store_true", help="do not compare the answers")
    parser.add_argument("--markdown", help="write the table for docs/performance.md here")
    parser.add_argument("--json", help="write the figures here")
    return parser.parse_args()


class Suite:
    """Tables, their files and the queries of one workload."""

    def __init__(self, name, options):
        self.name = name
        self.options = options
        self.work = pathlib.Path(options.work)
        self.warehouse = self.work / f"redbarn-{name}"
        self.database = self.work / f"duckdb-{name}.db"

    def read(self, path):
        return pathlib.Path(path).read_text()

    def definitions(self):
        """(for Redbarn, for DuckDB)"""
        if self.name == "mixed":
            folder = ROOT / "benchmarks" / "tpch"
        elif self.name == "wide":
            return [wide_table.definition() + ";"] * 2
        else:
            folder = pathlib.Path(self.options.tpcds)
        return self.read(folder / "ddl_redshift.sql"), self.read(folder / "ddl_plain.sql")

    def files(self):
        """(table, file, COPY options of Redbarn, COPY options of DuckDB)"""
        if self.name == "mixed":
            for path in sorted(pathlib.Path(self.options.tpch).glob("*.tbl")):
                yield path.stem, path, "delimiter '|'", "(delimiter '|', header false)"
        elif self.name == "wide":
            path = self.work / "hits.csv"
            if not path.exists():
                wide_table.write(path, self.options.wide_rows, self.options.threads)
            yield "hits", path, "csv delimiter '|'", "(format csv, delimiter '|', header false, nullstr '\\N')"
        else:
            defined = set(re.findall(r"create table (\w+)", self.definitions()[1]))
            for path in sorted(pathlib.Path(self.options.tpcds_data).glob("*.csv")):
                if path.stem in defined:
                    yield path.stem, path, "csv ignoreheader 1 emptyasnull", "(format csv, header true)"

    def queries(self):
        """name -> SQL"""
        if self.name == "tpcds":
            folder = pathlib.Path(self.options.tpcds) / "queries"
            return {path.stem: path.read_text().strip().rstrip(";") for path in sorted(folder.glob("q*.sql"))}
        text = self.read(FOLDER / f"{self.name}.sql").replace("{ninety_sums}", wide_table.ninety_sums())
        return sections(text)

    def load(self):
        self.load_redbarn(BINARY, self.warehouse)
        self.load_duckdb()

    def load_redbarn(self, program, warehouse):
        """Seconds; a warehouse that is loaded already is used as it is."""
        record = warehouse / "loaded"
        if not record.exists():
            script = self.definitions()[0] + "".join(
                f"\ncopy {table} from '{path}' {options};" for table, path, options, _ in self.files())
            started = time.perf_counter()
            subprocess.run(
                [str(program), "sql", str(warehouse), "-q", "-v", "ON_ERROR_STOP=on", "-f", "/dev/stdin"],
                input=script + "\nanalyze;", text=True, check=True, stdout=subprocess.DEVNULL)
            record.write_text(f"{time.perf_counter() - started:.2f} s\n")
        return float(record.read_text().split()[0])

    def load_duckdb(self):
        import duckdb

        if self.database.exists():
            return
        connection = duckdb.connect(str(self.database), config={"threads": self.options.threads})
        try:
            for statement in re.sub(r"--.*", "", self.definitions()[1]).split(";"):
                if statement.strip():
                    connection.execute(statement)
            for table, path, _, options in self.files():
                connection.execute(f"copy {table} from '{path}' {options}")
            connection.execute("checkpoint")
            connection.execute("analyze")
            connection.close()
        except BaseException:
            connection.close()
            self.database.unlink()
            raise


class Redbarn(RunLoop):
    """`redbarn bench run-loop` with a suite's queries."""

    def __init__(self, suite, threads):
        super().__init__(BINARY, suite.warehouse, suite.queries(), threads)


class DuckDB:
    """In this process; fetched rows are Python values, Redbarn's are Swift values."""

    def __init__(self, suite, threads):
        import duckdb

        self.connection = duckdb.connect(str(suite.database), read_only=True, config={"threads": threads})
        self.queries = suite.queries()

    def run(self, name):
        started = time.perf_counter()
        self.connection.execute(self.queries[name]).fetchall()
        return (time.perf_counter() - started) * 1000

    def rows(self, name):
        return self.connection.execute(self.queries[name]).fetchall()

    def close(self):
        self.connection.close()


def cell(value):
    """Numbers as floats, everything else as text without trailing blanks."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "t" if value else "f"
    try:
        number = float(value)
        return number if math.isfinite(number) else str(number)
    except (TypeError, ValueError):
        text = str(value).rstrip()
        return re.sub(r"^(\d{4}-\d\d-\d\d) 00:00:00$", r"\1", text)


def close(left, right):
    """Averages and divisions of decimals have other scales in Redshift: six digits of two, but at least a hundredth."""
    if isinstance(left, float) and isinstance(right, float):
        return abs(left - right) <= max(1e-4 * max(abs(left), abs(right)), 0.0101)
    return left == right


def difference(ours, theirs):
    """nil text when the rows are equal, as bags."""
    ours = [[cell(value) for value in row] for row in ours]
    theirs = [[cell(value) for value in row] for row in theirs]
    if len(ours) != len(theirs):
        return f"{len(ours)} rows, not {len(theirs)}"
    key = lambda row: [(isinstance(value, float), round(value, 1) if isinstance(value, float) else value) for value in row]
    for compare in (lambda rows: rows, lambda rows: sorted(rows, key=key)):
        pairs = list(zip(compare(ours), compare(theirs)))
        wrong = [pair for pair in pairs if len(pair[0]) != len(pair[1]) or not all(map(close, *pair))]
        if not wrong:
            return None
    return f"{len(wrong)} of {len(ours)} rows differ, first {wrong[0][0]} not {wrong[0][1]}"


Figure = collections.namedtuple("Figure", "suite name ours theirs plan note")


def measure(suite, options):
    ours, theirs = Redbarn(suite, options.threads), DuckDB(suite, options.threads)
    figures = []
    for name in suite.queries():
        if options.queries and not re.search(options.queries, name):
            continue
        note, best = "", [math.inf, math.inf]
        try:
            if not options.no_check:
                note = difference(ours.rows(name), theirs.rows(name)) or ""
            started = time.perf_counter()
            for turn in range(options.runs + 1):
                if turn > 2 and time.perf_counter() - started > options.seconds:
                    break
                times = ours.run(name), theirs.run(name)
                if turn > 0:
                    best = [min(pair) for pair in zip(best, times)]
            figures.append(Figure(suite.name, name, best[0], best[1], ours.plan(name), note))
        except Exception as error:  # a failure is a result
            figures.append(Figure(suite.name, name, math.nan, math.nan, 0, f"failed: {str(error)[:200]}"))
        print(line(figures[-1]), file=sys.stderr, flush=True)
    ours.close()
    theirs.close()
    return figures


def ratio(figure):
    return figure.ours / figure.theirs


def line(figure):
    return (f"{figure.suite:6} {figure.name:28} {figure.ours:9.2f} {figure.theirs:9.2f} {ratio(figure):6.3f} "
            f"plan {figure.plan:5.2f}  {figure.note}")


def mean(figures):
    known = [ratio(figure) for figure in figures if ratio(figure) > 0]
    return math.exp(sum(map(math.log, known)) / len(known)) if known else math.nan


def markdown(figures):
    lines = []
    for name in dict.fromkeys(figure.suite for figure in figures):
        part = sorted((figure for figure in figures if figure.suite == name), key=lambda figure: -ratio(figure))
        lines += [f"### {name}: geometric mean {mean(part):.2f}", "", "| query | Redbarn ms | DuckDB ms | ratio |",
                  "|---|---|---|---|"]
        lines += [f"| {figure.name} | {figure.ours:.1f} | {figure.theirs:.1f} | {ratio(figure):.2f} |" for figure in part]
        lines.append("")
    return "\n".join(lines)


def main():
    options = arguments()
    pathlib.Path(options.work).mkdir(parents=True, exist_ok=True)
    figures = []
    for name in options.suites.split(","):
        suite = Suite(name, options)
        suite.load()
        figures += measure(suite, options)
    figures.sort(key=lambda figure: -ratio(figure) if ratio(figure) > 0 else -math.inf)
    print("suite  query                          redbarn    duckdb  ratio (sorted)")
    for figure in figures:
        print(line(figure))
    for name in options.suites.split(","):
        part = [figure for figure in figures if figure.suite == name and ratio(figure) > 0]
        if part:
            print(f"{name}: geometric mean {mean(part):.3f}, worst {max(map(ratio, part)):.3f}, slower than DuckDB "
                  f"{sum(ratio(figure) > 1 for figure in part)} of {len(part)}")
    if options.markdown:
        pathlib.Path(options.markdown).write_text(markdown(figures))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps([figure._asdict() for figure in figures], indent=1) + "\n")


if __name__ == "__main__":
    main()
