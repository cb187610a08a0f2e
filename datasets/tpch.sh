#!/bin/bash
# Makes the TPC-H tables as .tbl files with the tpchgen-cli package. Prints the folder.
# Usage: datasets/tpch.sh SCALE [FOLDER]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scale=${1:?usage: datasets/tpch.sh SCALE [FOLDER]}
folder=${2:-$here/data/tpch/sf$scale}

complete() {
    local table
    for table in region nation supplier customer part partsupp orders lineitem; do
        [ -s "$folder/$table.tbl" ] || return 1
    done
}

if ! complete; then
    bin=$("$here/venv.sh" tpchgen-cli==4.0.0)
    mkdir -p "$(dirname "$folder")"
    # Under another name until it is whole, so that an interrupted run leaves no half of a table behind.
    partial=$folder.partial.$$
    trap 'rm -rf "$partial"' EXIT
    mkdir -p "$partial" "$folder"
    "$bin/tpchgen-cli" tbl -s "$scale" --output-dir "$partial" </dev/null >&2
    mv "$partial"/*.tbl "$folder"/
fi
echo "$folder"
