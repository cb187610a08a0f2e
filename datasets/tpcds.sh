#!/bin/bash
# Makes the TPC-DS tables as CSV files with the tpcgen-cli package. Prints the folder.
# Usage: datasets/tpcds.sh SCALE [FOLDER]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scale=${1:?usage: datasets/tpcds.sh SCALE [FOLDER]}
folder=${2:-$here/data/tpcds/sf$scale}

if [ ! -s "$folder/web_site.csv" ]; then
    bin=$("$here/venv.sh" tpcgen-cli==4.0.0)
    # Under another name until it is whole, so that an interrupted run leaves no half of a table behind.
    partial=$folder.partial.$$
    trap 'rm -rf "$partial"' EXIT
    mkdir -p "$partial" "$folder"
    "$bin/tpcgen-cli" tpcds csv -s "$scale" --output-dir "$partial" </dev/null >&2
    mv "$partial"/*.csv "$folder"/
fi
echo "$folder"
