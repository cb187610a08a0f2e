#!/usr/bin/env python3
"""Compares a change of Redbarn with its base in one run: TPC-H's queries, one query for each kernel, planning.

    benchmarks/regress.py main                       this tree's build against a build of a git revision
    benchmarks/regress.py /path/to/redbarn           against another binary
    benchmarks/regress.py main --queries 'group_|q18' --runs 15
    benchmarks/regress.py main --suite wide --work DIR         a suite of benchmarks/workloads.py, see there
    benchmarks/regress.py main --suite tpcds --work DIR --tpcds FOLDER --tpcds-data FOLDER

Both binaries load the same files into a warehouse of their own and take turns, query by query; the figure is the hot
minimum, below 1 the change is faster. A revision is built once in a worktree below `.build/base`. Where the processor counts
instructions for `perf stat`, --instructions prints their ratio as well: it tells small changes from noise. The exit code
is 1 when a query is slower than --limit.
"""

import argparse
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from engines import ROOT, binary, query_text
from run_loop import RunLoop, hot_minima, sections
from workloads import SUITES, Suite


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", help="a git revision, or the path of a binary")
    parser.add_argument("--scale", default="1")
    parser.add_argument("--data", help="folder of the .tbl files; made when missing")
    parser.add_argument("--work", help="folder for the warehouses; kept and reused when it is given")
    parser.add_argument("--keys", choices=["redshift", "none"], default="redshift")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--queries", default="", help="a regular expression for the names wanted")
    parser.add_argument("--limit", type=float, default=math.inf, help="the largest ratio that is no failure")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--suite", choices=["tpch", *SUITES], default="tpch", help="tpch: TPC-H and the kernels")
    parser.add_argument("--tpcds-data", help="folder with the .csv files, with headings")
    parser.add_argument("--tpcds", help="folder with ddl_plain.sql, ddl_redshift.sql and queries/qNN.sql")
    parser.add_argument("--wide-rows", type=int, default=2_000_000)
    return parser.parse_args()


def base_binary(base):
    if pathlib.Path(base).is_file():
        return pathlib.Path(base)
    commit = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--verify", base + "^{commit}"], capture_output=True, text=True)
    if commit.returncode != 0:
        sys.exit(f"{base}: neither a file nor a git revision")
    folder = ROOT / ".build" / "base" / commit.stdout.strip()[:12]
    built = folder / ".build" / "release" / "redbarn"
    if not built.exists():
        print(f"building {base} in {folder} ...", file=sys.stderr)
        if not folder.exists():
            subprocess.run(["git", "-C", str(ROOT), "worktree", "add", "--detach", str(folder), base], check=True)
        subprocess.run([str(folder / "scripts" / "build.sh")], cwd=folder, check=True, stdout=sys.stderr)
    return built


def load(program, folder, data, options):
    """Seconds; the warehouse of an earlier run is used as it is."""
    record = folder / "load-seconds"
    if not record.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        report = folder / "load.json"
        done = subprocess.run(
            [str(program), "bench", "tpch", "--scale", options.scale, "--data", data, "--warehouse",
             str(folder / "warehouse"), "--runs", "0", "--queries", "6", "--keys", options.keys, "--workers",
             str(options.threads), "--slices", str(options.threads), "--assets", str(ROOT), "--json", str(report)],
            capture_output=True, text=True)
        if not report.exists():
            sys.exit(done.stderr)
        record.write_text(str(json.loads(report.read_text())["load"]["seconds"]))
    return float(record.read_text())


def instructions(loop, name, runs):
    """Of one run in user space; None where the processor does not tell."""
    counts = []
    for times in (1, 1 + runs):
        done = subprocess.run(
            ["perf", "stat", "-x", ",", "-e", "instructions:u", *loop.command], input=f"{name}\n" * times, text=True,
            capture_output=True)
        found = re.search(r"^(\d+),", done.stderr, re.M)
        if not found:
            return None
        counts.append(int(found.group(1)))
    return (counts[1] - counts[0]) / runs


def measure(loops, names, options):
    """Prints a line for each query; the ratios of run times and of planning."""
    times, plans = {}, {}
    print(f"{'query':28} {'base ms':>9} {'change ms':>9} {'ratio':>7} {'plan':>7}" + " instructions" * options.instructions)
    for name in names:
        try:
            best = hot_minima(loops, name, options.runs)
        except RuntimeError as error:  # what only one of the two can run
            print(f"{name:28} {str(error)[:100]}", flush=True)
            continue
        planned = {side: min(loop.plan(name) for _ in range(3)) for side, loop in loops.items()}
        times[name] = best["change"] / best["base"]
        plans[name] = planned["change"] / max(planned["base"], 1e-6)
        line = f"{name:28} {best['base']:9.2f} {best['change']:9.2f} {times[name]:7.3f} {plans[name]:7.2f}"
        if options.instructions:
            counts = [instructions(loops[side], name, 3) for side in ("base", "change")]
            line += f" {counts[1] / counts[0]:12.4f}" if all(counts) else f" {'not counted':>12}"
        print(line, flush=True)
    return times, plans


def mean(ratios):
    return math.exp(sum(map(math.log, ratios.values())) / len(ratios))


class TPCH:
    """TPC-H's queries and the kernels over its tables."""

    def __init__(self, options):
        self.options = options
        subprocess.run(
            [str(ROOT / "datasets" / "tpch.sh"), options.scale, options.tpch], check=True, stdout=subprocess.DEVNULL)

    def queries(self):
        found = {name: query_text(name) for name in (f"q{number}" for number in range(1, 23))}
        return found | sections((ROOT / "benchmarks" / "workloads" / "kernels.sql").read_text())

    def load_redbarn(self, program, warehouse):
        return load(program, warehouse.parent, self.options.tpch, self.options)


def suite(options, work):
    options.tpch = options.data or str(ROOT / "datasets" / "data" / "tpch" / f"sf{options.scale}")
    if options.suite == "tpch":
        return TPCH(options)
    options.work = str(work)
    return Suite(options.suite, options)


def main():
    options = arguments()
    programs = {"base": base_binary(options.base), "change": pathlib.Path(binary())}
    kept = options.work
    work = pathlib.Path(kept or tempfile.mkdtemp(prefix="regress"))
    work.mkdir(parents=True, exist_ok=True)
    load_of = suite(options, work)
    wanted = {name: text for name, text in load_of.queries().items() if re.search(options.queries, name)}
    if not wanted:
        sys.exit(f"no query matches {options.queries}")
    loops = {}
    try:
        folders = {side: work / side / ("warehouse" if options.suite == "tpch" else options.suite) for side in programs}
        for folder in folders.values():
            folder.parent.mkdir(parents=True, exist_ok=True)
        seconds = {side: load_of.load_redbarn(program, folders[side]) for side, program in programs.items()}
        loops = {
            side: RunLoop(program, folders[side], wanted, options.threads) for side, program in programs.items()}
        times, plans = measure(loops, wanted, options)
        print(f"geometric mean {mean(times):.3f}, planning {mean(plans):.3f}, "
              f"load {seconds['change'] / seconds['base']:.3f} (one load each, not in turns)")
        slower = [name for name, ratio in times.items() if ratio > options.limit]
        if slower:
            print("slower than the limit: " + ", ".join(slower))
        return 1 if slower else 0
    finally:
        for loop in loops.values():
            loop.close()
        if not kept:
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
