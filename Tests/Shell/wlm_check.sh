#!/bin/bash
# Checks `redbarn wlm check` and `redbarn wlm simulate`: tables, faults with their place, exit codes. Ends with "N passed, N failed".
# Usage: Tests/Shell/wlm_check.sh [REDBARN]
set -uo pipefail
cd "$(dirname "$0")/../.."
redbarn=${1:-.build/release/redbarn}
. Tests/Shell/checks.sh

# run TEXT [OPTION ...]: what is printed for a configuration, and the exit code
run() {
    local text=$1
    shift
    printf '%s' "$text" >"$folder/wlm.json"
    (cd "$folder" && "$redbarn" wlm check "$@" wlm.json 2>&1)
    echo "exit $?"
}
case $redbarn in /*) ;; *) redbarn=$PWD/$redbarn ;; esac

check "automatic" 'Automatic: 2 queues, a lane for short queries, as long as experience says

  class  queue          slots  priority  scaling  rules  statements
  100    etl            auto   highest   auto     -      user group is etl, load
  101    Default queue  auto   normal    off      -      all others
exit 0' "$(run '[{"name": "etl", "user_group": ["etl", "load"], "priority": "highest", "concurrency_scaling": "auto"},
    {"auto_wlm": true}]')"

check "manual, with memory and rules" 'Manual: 3 queues, 14 of 50 slots, a lane for short queries, up to 5000 ms

  class  queue          slots  memory  per slot  time limit  scaling  rules  statements
  6      Queue 1        4      25 %    1000 MB   20000 ms    off      1      query group like report*
  7      Queue 2        5      40 %    1280 MB   -           off      -      user group is dba; role is admin
  8      Default queue  5      35 %    1120 MB   -           off      -      all others

Rules
  Queue 1  no_cross  nested_loop_join_row_count > 100 and query_execution_time > 1.5  abort
exit 0' "$(run '[{"query_group": ["report*"], "query_group_wild_card": 1, "query_concurrency": 4,
      "max_execution_time": 20000, "memory_percent_to_use": 25,
      "rules": [{"rule_name": "no_cross", "action": "abort", "predicate": [
        {"metric_name": "nested_loop_join_row_count", "operator": ">", "value": 100},
        {"metric_name": "query_execution_time", "operator": ">", "value": 1.5}]}]},
    {"user_role": ["admin"], "user_group": ["dba"], "memory_percent_to_use": 40},
    {"memory_percent_to_use": 35}, {"short_query_queue": true, "max_execution_time": 5000}]' --memory 16000MB)"

check "a fault with its place" 'wlm.json:2:4: a queue has no property "query_concurency"
    {"query_concurency": 5}
     ^
hint: Did you mean "query_concurrency"?
exit 1' "$(run '[
  {"query_concurency": 5}
]')"

check "a fault behind characters of several bytes" 'wlm.json:1:41: "query_concurrency" is a whole number from 1 to 50, not 51
  {"name": "äöü", "query_concurrency": 51}
                                       ^
exit 1' "$(run '{"name": "äöü", "query_concurrency": 51}')"

check "an empty text" 'wlm.json:1:1: the text ends where a value is expected
exit 1' "$(run '')"

check "bytes that are no text" 'wlm.json:1:3: the text is not valid UTF-8
  {"�"}
    ^
exit 1' "$(run "$(printf '{"\xff"}')")"

check "standard input" 'Manual: 1 queue, 5 of 50 slots, no lane for short queries' \
    "$(echo '[{}, {"short_query_queue": false}]' | "$redbarn" wlm check - | head -1)"
check "the name of standard input" '-:1:1: a configuration is an array of queues, not 5' \
    "$(echo 5 | "$redbarn" wlm check - 2>&1 | head -1)"
check "a missing file" 'ERROR:  could not open file "/nothing": No such file or directory
1' "$("$redbarn" wlm check /nothing 2>&1; echo $?)"
check "help" 1 "$("$redbarn" wlm check --help | grep -c 'redbarn wlm check --memory 16GB queues.json')"

simulate() { (cd "$folder" && "$redbarn" wlm simulate "$@" 2>&1); echo "exit $?"; }
printf '[{"query_group": ["a"], "query_concurrency": 1}, {}, {"short_query_queue": false}]' >"$folder/wlm.json"
printf 'arrival_seconds,run_seconds,query_group\n0,2,a\n0.5,1,a\n1,4,b\n' >"$folder/trace.csv"
# Two statements on one slot: the second waits 1.5 s. On two cores nobody is slower for the others.
check "a trace" '3 statements on 2 cores: 5 s of simulated time
  6      Queue 1        2           0.000       1.500  1.500  1.500  2.000     2.500  2.500  2.500  0        0
  7      Default queue  1           0.000       0.000  0.000  0.000  4.000     4.000  4.000  4.000  0        0
exit 0' "$(simulate wlm.json --cores 2 --trace trace.csv | sed 's/ in [0-9.]* s$//' | grep -E '^3 st|^  [67] |^exit')"
check "a trace, again and again" 9 "$(simulate wlm.json --trace trace.csv --statements 9 --json |
    grep -oE '"completed": [0-9]+' | cut -d' ' -f2)"
printf 'arrival_seconds,run_seconds\n0,x\n' >"$folder/trace.csv"
check "a fault of a trace" 'trace.csv:2: run_seconds is a number from 0.0 to 8640000.0, not "x"
exit 1' "$(simulate wlm.json --trace trace.csv)"
check "a workload that is made up" 'Checks: no statement and no slot lost, none exceeded or idle, first come first served, nobody starved
exit 0' "$(simulate --statements 3000 --cores 32 | tail -2)"

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
