#!/usr/bin/env python3
"""What the physical design of tables does: TPC-H's 22 queries over three designs and three numbers of slices.

    benchmarks/design.py --scale 1 --html report.html

Designs: `none` (no keys at all), `redshift` (AWS's usual keys, ddl_redshift.sql) and `clustered` (the same with the large tables
by order). Every design is loaded with 2, 8 and 32 slices of one node; all are open at the same time and take turns,
query by query. The figure is the hot minimum; the page colours it by its ratio to the best design of the query.
"""

import argparse
import html
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from engines import ROOT, TABLES, binary, folder_bytes, query_text
from run_loop import RunLoop, hot_minima

DESIGNS = {"none": "ddl_plain.sql", "redshift": "ddl_redshift.sql", "clustered": "ddl_redshift.sql"}
# The design with the least total time: both large tables by order, so that they are joined and grouped where their rows
# stand. All else is as AWS has it.
CLUSTERED = {
    "sortkey (l_shipdate, l_orderkey)": "sortkey (l_orderkey)",
    "sortkey (o_orderdate, o_orderkey)": "sortkey (o_orderkey)",
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", default="1")
    parser.add_argument("--data", help="folder of the .tbl files; made when missing")
    parser.add_argument("--work", help="folder for the warehouses; kept and reused when it is given")
    parser.add_argument("--designs", default=",".join(DESIGNS))
    parser.add_argument("--slices", default="2,8,32")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--html")
    return parser.parse_args()


def definitions(design):
    text = (ROOT / "benchmarks" / "tpch" / DESIGNS[design]).read_text()
    for usual, own in CLUSTERED.items() if design == "clustered" else ():
        if usual not in text:
            sys.exit(f"{DESIGNS[design]} has no {usual}")
        text = text.replace(usual, own)
    return text


def load(folder, design, slices, data, threads):
    """Seconds of all COPY statements together."""
    record = folder / "load-seconds"
    if not record.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        command = [binary(), "sql", str(folder / "warehouse"), "--workers", str(threads), "--slices", str(slices), "-q"]
        subprocess.run(command + ["-f", "/dev/stdin"], input=definitions(design), text=True, check=True)
        start = time.perf_counter()
        copies = [part for table in TABLES for part in ("-c", f"copy {table} from '{data}/{table}.tbl' delimiter '|'")]
        subprocess.run(command + copies, check=True, stderr=subprocess.DEVNULL)
        record.write_text(str(time.perf_counter() - start))
    return float(record.read_text())


def measure(loops, queries, runs):
    """query -> design -> milliseconds"""
    figures = {}
    for query in queries:
        figures[query] = hot_minima(loops, query, runs)
        print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return figures


def rows(figures, facts):
    """Title, a figure for each design and how it is written."""
    result = [(query, line, "{:.2f}") for query, line in figures.items()]
    names = list(facts)
    logs = {name: sum(math.log(line[name] / min(line.values())) for line in figures.values()) for name in names}
    result.append(("geometric mean of ratios to the best", {n: math.exp(logs[n] / len(figures)) for n in names}, "{:.3f}"))
    result.append(("total ms", {name: sum(line[name] for line in figures.values()) for name in names}, "{:.1f}"))
    result.append(("load s", {name: facts[name]["load"] for name in names}, "{:.1f}"))
    result.append(("disk MB", {name: facts[name]["disk"] / 1e6 for name in names}, "{:.1f}"))
    return result


def text_table(table):
    names = list(table[0][1])
    lines = [["query, ms"] + names] + [[title] + [form.format(line[n]) for n in names] for title, line, form in table]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join("  ".join(
        cell.rjust(width) if index else cell.ljust(width) for index, (cell, width) in enumerate(zip(line, widths)))
        for line in lines)


def colour(ratio):
    """From white for the best to red for four times its time."""
    heat = min(math.log(max(ratio, 1)) / math.log(4), 1)
    return "#%02x%02x%02x" % (255 - int(heat * 60), 255 - int(heat * 200), 255 - int(heat * 210))


def page(table, options):
    names = list(table[0][1])
    body = []
    for title, line, form in table:
        best = min(line.values())
        cells = "".join(f"<td style='background:{colour(line[n] / best)}'>{form.format(line[n])}</td>" for n in names)
        body.append(f"<tr><th>{html.escape(title)}</th>{cells}</tr>")
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Designs of tables, TPC-H scale {options.scale}</title>
<style>body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem }} td {{ text-align: right; padding: 0 .6rem }}
th {{ text-align: left; padding: 0 .6rem; font-weight: 500 }}</style></head><body>
<h1>Designs of tables, TPC-H scale {options.scale}</h1>
<p>Hot minimum of {options.runs} runs in turns, {options.threads} threads, milliseconds; the colour is the ratio to the best design
of the line. Queries and data derived from TPC-H; not comparable to published TPC-H results.</p>
<table><tr><th></th>{head}</tr>{''.join(body)}</table></body></html>
"""


def main():
    options = arguments()
    data = options.data or str(ROOT / "datasets" / "data" / "tpch" / f"sf{options.scale}")
    subprocess.run([str(ROOT / "datasets" / "tpch.sh"), options.scale, data], check=True, stdout=subprocess.DEVNULL)
    queries = {name: query_text(name) for name in (f"q{number}" for number in range(1, 23))}
    work = pathlib.Path(options.work or tempfile.mkdtemp(prefix="design"))
    facts, loops = {}, {}
    try:
        for design in options.designs.split(","):
            for slices in map(int, options.slices.split(",")):
                name = f"{design} x{slices}"
                folder = work / name.replace(" ", "-")
                seconds = load(folder, design, slices, data, options.threads)
                facts[name] = {"load": seconds, "disk": folder_bytes(folder)}
                loops[name] = RunLoop(binary(), folder / "warehouse", queries, options.threads)
        table = rows(measure(loops, queries, options.runs), facts)
        print(text_table(table))
        if options.html:
            pathlib.Path(options.html).write_text(page(table, options))
    finally:
        for loop in loops.values():
            loop.close()
        if not options.work:
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
