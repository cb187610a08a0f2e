#!/bin/bash
# Prints a Python interpreter that has the packages of Tests/requirements.txt: $PYTHON, python3, or one in .build/test-venv,
# which is made when it is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
has_packages() { "$1" -c 'import boto3, cryptography, duckdb, moto.server, psycopg' >/dev/null 2>&1; }
venv=.build/test-venv/bin/python
for candidate in "${PYTHON:-}" python3 "$venv"; do
    if [ -n "$candidate" ] && has_packages "$candidate"; then
        echo "$candidate"
        exit
    fi
done
python3 -m venv .build/test-venv >&2
"$venv" -m pip install --quiet --requirement Tests/requirements.txt >&2
has_packages "$venv"
echo "$venv"
