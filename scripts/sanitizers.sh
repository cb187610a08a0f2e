#!/bin/sh
# Runs the SQL tests and the concurrency tests under a sanitizer, in a build of its own. A finding fails.
# usage: scripts/sanitizers.sh thread|address [path ...]     --all as the first path: the workloads and damage trials, too
#                                             --workload     Tests/Workload/wlm.py against a server built so, nothing else
set -eu
cd "$(dirname "$0")/.."
kind=${1:?"usage: scripts/sanitizers.sh thread|address [path ...]"}
shift
case $kind in thread | address) ;; *)
    echo "no such sanitizer: $kind (thread or address)" >&2
    exit 2
    ;;
esac
all=
product=redbarn-slt
case ${1:-} in
--all)
    all=1
    shift
    ;;
--workload)
    product=redbarn
    shift
    ;;
esac

scratch=.build/$kind
swift build --sanitize="$kind" --scratch-path "$scratch" --product "$product" >&2
runner=$(swift build --sanitize="$kind" --scratch-path "$scratch" --show-bin-path)/$product
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
# Findings go to files, so that a script whose process ends well has not passed silently.
export TSAN_OPTIONS="log_path=$reports/thread halt_on_error=0 exitcode=0 history_size=4 suppressions=$PWD/scripts/thread.suppressions ${TSAN_OPTIONS:-}"
export ASAN_OPTIONS="log_path=$reports/address detect_leaks=0 detect_stack_use_after_return=0 ${ASAN_OPTIONS:-}"

if [ "$product" = redbarn ]; then
    # Everything takes ten times as long or more.
    python3=$(scripts/test_python.sh)
    "$python3" Tests/Workload/wlm.py "$runner" --light --slack 20 "$@" | tee "$reports/output"
else
    [ $# -gt 0 ] || set -- Tests/SQL
    worlds='--slices=4 --workers=4 --timeout=3600
--spill --slices=3 --workers=4 --timeout=3600'
    if [ -n "$all" ]; then
        worlds="$worlds
--verify --slices=2 --timeout=3600
--disable=all --slices=4 --workers=4 --timeout=3600
--damage 300"
    fi
    RUNNER=$runner WORLDS=$worlds scripts/slt.sh "$@" | tee "$reports/output"
fi
last=$(tail -n 1 "$reports/output")
case $last in
*' passed, '*' failed') ;;
*)
    echo "$last" "the runner did not finish" >&2
    exit 1
    ;;
esac
passed=${last%% passed*}
failed=${last#* passed, }
failed=${failed%% failed*}
findings=$(find "$reports" -name 'thread.*' -o -name 'address.*' | wc -l)
if [ "$findings" -gt 0 ]; then
    find "$reports" \( -name 'thread.*' -o -name 'address.*' \) -exec cat {} +
    failed=$((failed + findings))
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
