#!/usr/bin/env python3
"""Compares a change of Redbarn with its base in one run: TPC-H's queries, one query for each kernel, planning.

    benchmarks/regress.py main                       this tree's build against a build of a git revision
    benchmarks/regress.py /path/to/redbarn           against another binary
    benchmarks/regress.py main --queries 'group_|q18' --runs 15

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


def queries(pattern):
    found = {name: query_text(name) for name in (f"q{number}" for number in range(1, 23))}
    found |= sections((ROOT / "benchmarks" / "workloads" / "kernels.sql").read_text())
    return {name: text for name, text in found.items() if re.search(pattern, name)}


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
        best = hot_minima(loops, name, options.runs)
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


def main():
    options = arguments()
    wanted = queries(options.queries)
    if not wanted:
        sys.exit(f"no query matches {options.queries}")
    data = options.data or str(ROOT / "datasets" / "data" / "tpch" / f"sf{options.scale}")
    subprocess.run([str(ROOT / "datasets" / "tpch.sh"), options.scale, data], check=True, stdout=subprocess.DEVNULL)
    programs = {"base": base_binary(options.base), "change": pathlib.Path(binary())}
    work = pathlib.Path(options.work or tempfile.mkdtemp(prefix="regress"))
    loops = {}
    try:
        seconds = {side: load(program, work / side, data, options) for side, program in programs.items()}
        loops = {
            side: RunLoop(program, work / side / "warehouse", wanted, options.threads)
            for side, program in programs.items()}
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
        if not options.work:
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
