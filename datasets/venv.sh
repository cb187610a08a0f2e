#!/bin/bash
# Makes a private Python environment under datasets/data/.venv and installs packages into it. Prints its bin folder.
# Usage: datasets/venv.sh PACKAGE...
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
venv=$here/data/.venv
if [ ! -x "$venv/bin/pip" ]; then
    mkdir -p "$here/data"
    python3 -m venv "$venv" </dev/null >&2 || {
        echo "python3 -m venv failed; on Debian: apt-get install python3-venv" >&2
        exit 1
    }
fi
[ $# = 0 ] || "$venv/bin/pip" install -q --disable-pip-version-check "$@" </dev/null >&2
echo "$venv/bin"
