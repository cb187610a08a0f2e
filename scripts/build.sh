#!/bin/bash
# Builds the release executables. Prints the folder they are in.
set -euo pipefail
cd "$(dirname "$0")/.."
swift build -c release --product redbarn "$@" </dev/null >&2
swift build -c release --show-bin-path </dev/null
