#!/bin/sh
# Compares the plans of the TPC-H queries with the golden ones; --record writes them anew.
set -eu
cd "$(dirname "$0")/.."
configuration=${CONFIGURATION:-release}
data=$(datasets/tpch.sh 0.01)
swift build -c "$configuration" --product redbarn-slt >/dev/null
exec "$(swift build -c "$configuration" --show-bin-path)/redbarn-slt" --plans Tests/Plans --data "$data" "$@"
