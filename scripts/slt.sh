#!/bin/sh
# Runs the SQL tests in several worlds: other numbers of slices and other batch sizes must not change any result.
# usage: scripts/slt.sh [--quick] [--all] [path ...]     --quick: the default world only; --all: more worlds,
# among them one for each special way of the engine that is switched off
# RUNNER and WORLDS (one a line) in the environment take the place of the built redbarn-slt and the list below.
set -eu
cd "$(dirname "$0")/.."

worlds='
--slices=2
--slices=1
--slices=8
--batch-rows=1
--batch-rows=2048 --workers=1
--restart
--verify --slices=3
--spill
--disable=all'
case "${1:-}" in
--quick)
    worlds='
--slices=2'
    shift
    ;;
--all)
    # Each special way of the engine switched off by itself, too: the answers must be equal pairwise.
    for way in $(sed -n 's/^ *case [A-Za-z]* = "\([a-z_]*\)".*/\1/p; s/^ *case \([a-z]*\)$/\1/p' \
        Sources/VectorEngine/Execution/SpecialWay.swift); do
        worlds="$worlds
--disable=$way"
    done
    worlds="$worlds
--verify --spill --batch-rows=7
--verify --disable=all
--verify --batch-rows=1
--nodes=2 --slices=4
--batch-rows=3 --slices=3
--disable-pass=order_joins --disable-pass=push_down_filters"
    shift
    ;;
esac
[ $# -gt 0 ] || set -- Tests/SQL
worlds=${WORLDS:-$worlds}

runner=${RUNNER:-}
if [ -z "$runner" ]; then
    configuration=${CONFIGURATION:-release}
    swift build -c "$configuration" --product redbarn-slt >/dev/null
    runner=$(swift build -c "$configuration" --show-bin-path)/redbarn-slt
fi
report=$(mktemp)
trap 'rm -f "$report"' EXIT
passed=0
failed=0
old_ifs=$IFS
IFS='
'
for world in $worlds; do
    IFS=$old_ifs
    echo "== $world"
    # shellcheck disable=SC2086
    "$runner" $world "$@" >"$report" 2>&1 || true
    sed '$d' "$report"
    last=$(tail -n 1 "$report")
    echo "$last"
    case $last in
    *' passed, '*' failed') ;;
    *)
        echo "the runner did not finish" >&2
        exit 1
        ;;
    esac
    passed=$((passed + ${last%% passed*}))
    rest=${last#* passed, }
    failed=$((failed + ${rest%% failed*}))
    IFS='
'
done
echo "All worlds:"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
