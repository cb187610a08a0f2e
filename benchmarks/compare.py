#!/usr/bin/env python3
"""Runs the queries derived from TPC-H on Redbarn and its peers, interleaved in one session on the same files.

Every engine is a process of its own, so that peak memory can be told apart. Each round runs one query on every engine in
turn; the figure of a query is the minimum over the rounds after the first. Results are fetched. Engines that are not
installed are left out with a note: `datasets/venv.sh duckdb datafusion pyarrow chdb tableauhyperapi` installs them.

    benchmarks/compare.py --scale 1 --runs 5 --threads 2 --engines redbarn,duckdb --html report.html --json report.json
    benchmarks/compare.py --engines redbarn,redbarn-nokeys,duckdb,hyper      with AWS's usual keys and without any
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import platform
import shutil
import subprocess
import sys

from engines import ENGINES, ROOT, Redbarn, folder_bytes
from report import html_report, text_table


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", default="1")
    parser.add_argument("--runs", type=int, default=5, help="hot runs of each query")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--queries", default="1-22")
    parser.add_argument("--data", help="folder of the .tbl files; made when missing")
    parser.add_argument("--work", help="folder for the engines' databases; kept and reused when it is given")
    parser.add_argument("--memory", help="memory of Redbarn, such as 1GB")
    parser.add_argument("--json")
    parser.add_argument("--html")
    return parser.parse_args()


def query_names(text):
    names = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        names += [f"q{number}" for number in range(int(first), int(last or first) + 1)]
    return names


class Runner:
    """A long-lived process that answers query names with timings."""

    def __init__(self, kind, folder, data, threads, memory=None):
        self.kind, self.folder, self.data, self.threads = kind, folder, data, threads
        self.engine = kind(folder, data, threads)
        self.engine.memory = memory
        if issubclass(kind, Redbarn):
            self.engine.open()
            self.process = self.engine.process
        else:
            self.process = subprocess.Popen(
                self.worker("run"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            self.process.stdout.readline()
        self.reset_peak()

    def worker(self, action):
        script = ROOT / "benchmarks" / "worker.py"
        return [sys.executable, str(script), self.kind.name, str(self.folder), str(self.data), str(self.threads), action]

    @classmethod
    def load(cls, kind, folder, data, threads):
        if issubclass(kind, Redbarn):
            engine = kind(folder, data, threads)
            engine.load()
            return engine.load_seconds
        runner = cls.__new__(cls)
        runner.kind, runner.folder, runner.data, runner.threads = kind, folder, data, threads
        done = subprocess.run(runner.worker("load"), capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "loading failed")
        return json.loads(done.stdout)["seconds"]

    def ask(self, name):
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": "the process ended"}

    def processes(self):
        """This process and its children: Hyper works in a child."""
        found, open_ids = [], [self.process.pid]
        while open_ids:
            identifier = open_ids.pop()
            found.append(identifier)
            try:
                for task in pathlib.Path(f"/proc/{identifier}/task").iterdir():
                    open_ids += [int(child) for child in (task / "children").read_text().split()]
            except OSError:
                pass
        return found

    def reset_peak(self):
        for identifier in self.processes():
            try:
                pathlib.Path(f"/proc/{identifier}/clear_refs").write_text("5")
            except OSError:
                pass

    def peak_bytes(self):
        total = 0
        for identifier in self.processes():
            try:
                for line in pathlib.Path(f"/proc/{identifier}/status").read_text().splitlines():
                    if line.startswith("VmHWM:"):
                        total += int(line.split()[1]) * 1024
            except OSError:
                pass
        return total

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


def prepare(options, work):
    """Data and a loaded database for each engine that is installed."""
    data = options.data or str(ROOT / "datasets" / "data" / "tpch" / f"sf{options.scale}")
    subprocess.run([str(ROOT / "datasets" / "tpch.sh"), options.scale, data], check=True, stdout=subprocess.DEVNULL)
    facts = {}
    for name in options.engines.split(","):
        kind = ENGINES.get(name)
        if kind is None:
            sys.exit(f"no engine {name}; there are {', '.join(ENGINES)}")
        if not kind.is_installed():
            print(f"{name}: not installed, left out", file=sys.stderr)
            continue
        folder = work / name
        record = folder / "load-seconds"
        if not record.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            print(f"{name}: loading ...", file=sys.stderr)
            try:
                seconds = Runner.load(kind, folder, data, options.threads)
            except Exception as error:
                print(f"{name}: left out, loading failed: {error}", file=sys.stderr)
                continue
            record.write_text(str(seconds))
        facts[name] = {
            "version": kind.version(), "load_seconds": float(record.read_text()),
            "disk_bytes": folder_bytes(folder), "queries": {},
        }
    return facts, data


def measure(options, facts, data, work):
    runners = {
        name: Runner(ENGINES[name], work / name, data, options.threads, options.memory) for name in facts}
    for query in query_names(options.queries):
        for name in facts:
            facts[name]["queries"][query] = {"cold_ms": None, "hot_ms": [], "rows": None}
        for turn in range(options.runs + 1):
            for name, runner in runners.items():
                result = runner.ask(query)
                record = facts[name]["queries"][query]
                if "error" in result:
                    record["error"] = result["error"]
                elif turn == 0:
                    record["cold_ms"], record["rows"] = result["ms"], result["rows"]
                else:
                    record["hot_ms"].append(result["ms"])
        print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for name, runner in runners.items():
        facts[name]["peak_rss_bytes"] = runner.peak_bytes()
        runner.close()


def ratios(own, peers):
    """Of an engine to the fastest of some for each query; with one of them, also of what is measured once."""
    by_query, times = {}, [0, 0]
    for query, record in own["queries"].items():
        others = [peer["queries"][query]["hot_ms"] for peer in peers]
        others = [min(hot) for hot in others if hot]
        if record["hot_ms"] and others:
            pair = min(record["hot_ms"]), min(others)
            times = [sum(both) for both in zip(times, pair)]
            by_query[query] = pair[0] / pair[1]
    if not by_query:
        return None
    result = {
        "queries": by_query, "geometric_mean": math.exp(sum(map(math.log, by_query.values())) / len(by_query)),
        "worst": max(by_query.values()), "total": times[0] / times[1],
    }
    if len(peers) == 1:
        for name, key in ("load", "load_seconds"), ("disk", "disk_bytes"), ("memory", "peak_rss_bytes"):
            result[name] = own[key] / max(peers[0][key], 1e-9)
    return result


def summary(facts):
    """Ratios of Redbarn with and without keys to each peer and to the faster of them: below 1 is faster or smaller."""
    peers = {name: record for name, record in facts.items() if not issubclass(ENGINES[name], Redbarn)}
    wanted = {name: [record] for name, record in peers.items()}
    if len(peers) > 1:
        wanted["fastest"] = list(peers.values())
    found = {
        f"{own}/{name}": ratios(facts[own], records)
        for own in facts if own not in peers for name, records in wanted.items()}
    return {title: record for title, record in found.items() if record}


def main():
    options = arguments()
    work = pathlib.Path(options.work) if options.work else ROOT / "benchmarks" / "results" / f"compare-{os.getpid()}"
    work.mkdir(parents=True, exist_ok=True)
    try:
        facts, data = prepare(options, work)
        measure(options, facts, data, work)
    finally:
        if not options.work:
            shutil.rmtree(work, ignore_errors=True)
    report = {
        "note": "queries and data derived from TPC-H; not comparable to published TPC-H results",
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "scale": options.scale, "threads": options.threads, "runs": options.runs,
        "machine": {"processor": processor(), "system": platform.platform(), "cpus": os.cpu_count()},
        "engines": facts, "ratios": summary(facts),
    }
    print(text_table(report))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(report, indent=1) + "\n")
    if options.html:
        pathlib.Path(options.html).write_text(html_report(report))


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


main()
