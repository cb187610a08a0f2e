#!/bin/bash
# Checks `redbarn bench mixed` at scale 0.01: classes, queues, comparison, reports, exit codes. Ends with "N passed, N failed".
# Usage: Tests/Shell/bench_mixed.sh [REDBARN]
set -uo pipefail
cd "$(dirname "$0")/../.."
redbarn=${1:-.build/release/redbarn}
. Tests/Shell/checks.sh

printf '[{"name": "heavy", "query_group": ["heavy"], "query_concurrency": 1}, {"query_concurrency": 4}, {"short_query_queue": false}]' >"$folder/wlm.json"
output=$("$redbarn" bench mixed --scale 0.01 --streams 3 --queries 1,6,14 --clients 4 --rate 20 --loads 1 --seconds 4 --turn 1 \
    --idle 1 --wlm "$folder/wlm.json" --compare none --json "$folder/a.json" --html "$folder/a.html" 2>&1)
check "exit code" 0 $?
contains "classes" "│ load " "$output"
contains "the dashboards alone" "dashboards alone" "$output"
contains "the comparison" "heavy, $folder/wlm.json to none: throughput" "$output"
contains "the ratio to the idle machine" "none: p95 of dashboards is" "$output"
check "the figures agree with the settings" "" "$(python3 - "$folder/a.json" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
one, other = report["configurations"]
classes = {c["class"]: c for c in one["classes"]}
others = {c["class"]: c for c in other["classes"]}
for run in (one, other):
    if abs(run["seconds"] - 4) > 0.01: print("seconds", run["seconds"])
if set(classes) != {"heavy", "dashboard", "load"} or set(others) != set(classes): print("classes", classes)
# 20 a second for 4 seconds, by chance: five times the root of 80 is 45.
for side in (classes, others):
    if not 35 <= side["dashboard"]["statements"] <= 125: print("arrivals", side["dashboard"])
    for figures in side.values():
        if figures["errors"]: print(figures["errors"])
        latency = figures["latency_ms"]
        if not 0 < latency["p50"] <= latency["p95"] <= latency["p99"] <= latency["max"]: print(latency)
        if figures["queued_ms"]["max"] > latency["max"]: print("waited longer than it took", figures)
# Both have the same arrivals; three streams share one slot, and without it nobody waits.
if classes["dashboard"]["statements"] != others["dashboard"]["statements"]: print("not the same arrivals")
if classes["heavy"]["queued_ms"]["p95"] <= 0: print("three streams on one slot do not wait")
if others["heavy"]["queued_ms"]["max"] > 1: print("wait without queues", others["heavy"])
PYTHON
)"
check "histograms" 3 "$(grep -c '<svg' "$folder/a.html")"
check "a wrong configuration" 1 "$(echo '[{"slots": 1}]' >"$folder/bad.json"
    "$redbarn" bench mixed --compare "$folder/bad.json" >/dev/null 2>&1; echo $?)"
check "nothing to do" 1 "$("$redbarn" bench mixed --streams 0 --clients 0 >/dev/null 2>&1; echo $?)"
check "it leaves nothing behind" "" "$(mkdir "$folder/temporary"
    TMPDIR=$folder/temporary "$redbarn" bench mixed --scale 0.01 --streams 0 --rate 50 --seconds 0.5 --idle 0 >/dev/null 2>&1
    ls "$folder/temporary")"

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
