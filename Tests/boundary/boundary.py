#!/usr/bin/env python3
"""Calls every function, operator and cast of Redbarn with extreme values, as constants, columns, groups, join keys and window
arguments, in a server that may die. See README.md.

    Tests/boundary/boundary.py .build/release/redbarn --seconds 60 [--seed 1] [--only NAME] [--all]
"""
import argparse
import collections
import random
import shutil
import sys
import tempfile
import time

import contexts
import trials
import values
import wire
from child import Child
from shapes import ANY, all_shapes

FINDINGS_OF_A_SHAPE = 3
ZONES = ["UTC", "UTC", "Pacific/Kiritimati", "America/Los_Angeles", "Asia/Kolkata"]


# Refused over tables, where all contexts but the first are; Tests/SQL has their records.
LEADERS = {"set_config"}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("redbarn")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="all values of all types of every argument, however long it takes")
    parser.add_argument("--only", help="shapes whose name contains this")
    parser.add_argument("--skip", action="append", default=[], help="a name to leave out")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="redbarn-boundary-")
    child = Child(options.redbarn, folder, "--slices", "2", "--workers", "2", "--memory", "1GB")
    try:
        failed = fuzz(child, options)
    finally:
        child.end()
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if failed else 0)


def prepare(child):
    """Rows to multiply others by, and only values that are values."""
    child.run("create table bn(n int)")
    child.run("insert into bn select * from generate_series(0, 70000)")
    child.run("create view bv as select 1 as k")
    plain, small = values.literals, values.small
    known = {}

    def valid(maker, variant):
        if (maker, variant) not in known:
            known[maker, variant] = [text for text in maker(variant) if not child.run(f"select {text}").state]
        return known[maker, variant]
    values.literals, values.small = (lambda variant: valid(plain, variant)), (lambda variant: valid(small, variant))


def plan(shapes, options, rng):
    """(shape, types, profile, values a place) for ever: rounds over all shapes; every type of "any" with --all."""
    if options.all:
        for shape in shapes:
            firsts = list(values.FAMILY) if ANY in shape.families else [None]
            for first in firsts:
                for profile in ("extreme", "small"):
                    yield shape, trials.choose_variants(shape, rng, first), profile, None
        return
    turn = 0
    while True:
        order = list(shapes)
        rng.shuffle(order)
        for shape in order:
            profile = "small" if rng.random() < 0.35 else "extreme"
            yield shape, trials.choose_variants(shape, rng), profile, 8 if turn == 0 else 40
        turn += 1


def fuzz(child, options):
    rng = random.Random(options.seed)
    start = time.monotonic()
    prepare(child)
    shapes = [shape for shape in all_shapes(child)
              if (not options.only or options.only in shape.name) and shape.name not in [*options.skip, *LEADERS]]
    if not shapes:
        sys.exit("nothing to call: svv_redshift_functions lists no such function")
    passed = failed = calls = 0
    counts = collections.Counter()
    covered = set()
    found = wire.run(child, rng, options.all) if not options.only else []
    for finding in found:
        print(finding, flush=True)
    failed += len(found)
    passed += not found
    for shape, variants, profile, width in plan(shapes, options, rng):
        if not options.all and time.monotonic() - start > options.seconds:
            break
        if counts[shape.name] >= FINDINGS_OF_A_SHAPE:
            continue
        child.set_zone(rng.choice(ZONES))
        trial = trials.Trial(child, shape, variants, profile, random.Random(rng.random()), width)
        contexts.run(trial)
        calls += trial.calls
        if trial.calls:
            covered.add(shape.title)
        for finding in trial.findings[:2]:
            print(f"{finding}", flush=True)
        counts[shape.name] += len(trial.findings)
        failed += bool(trial.findings)
        passed += not trial.findings
    missed = sorted({shape.title for shape in shapes} - covered)
    print(f"{len(covered)} of {len(covered) + len(missed)} shapes, {calls} calls, {child.statements} statements, {child.deaths} deaths, "
          f"{time.monotonic() - start:.0f} s, seed {options.seed}")
    if missed and options.all:
        print("not called: " + ", ".join(missed))
    print(f"{passed} passed, {failed} failed")
    return failed


if __name__ == "__main__":
    main()
