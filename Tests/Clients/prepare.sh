#!/bin/bash
# Installs the clients that are missing: psql, pgbench and pgjdbc from Debian, the Python clients from PyPI into a virtual
# environment under .build. Prints that environment's interpreter. With "old": of versions that are years old.
set -euo pipefail
cd "$(dirname "$0")/../.."

missing=()
command -v psql >/dev/null || missing+=(postgresql-client)
command -v pgbench >/dev/null || ls /usr/lib/postgresql/*/bin/pgbench >/dev/null 2>&1 || missing+=(postgresql)
[ -e /usr/share/java/postgresql.jar ] || missing+=(libpostgresql-jdbc-java)
{ [ -e /usr/lib/x86_64-linux-gnu/odbc/psqlodbcw.so ] || [ -e /usr/lib/aarch64-linux-gnu/odbc/psqlodbcw.so ]; } || missing+=(odbc-postgresql)
python3 -c 'import ctypes; ctypes.CDLL("libodbc.so.2")' 2>/dev/null || missing+=(unixodbc)
# A source file is started as it is, which takes the compiler.
command -v javac >/dev/null || missing+=(default-jdk-headless)
command -v openssl >/dev/null || missing+=(openssl)
python3 -c 'import venv, ensurepip' 2>/dev/null || missing+=(python3-venv)
if [ ${#missing[@]} -gt 0 ]; then
    as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo)
    export DEBIAN_FRONTEND=noninteractive
    {
        "${as_root[@]}" apt-get update -q
        "${as_root[@]}" apt-get install -q -y --no-install-recommends "${missing[@]}"
    } </dev/null >&2
fi

environment=.build/clients-venv
requirements=Tests/Clients/requirements.txt
if [ "${1:-}" = old ]; then
    environment=.build/clients-old-venv
    requirements=Tests/Clients/requirements-old.txt
fi
stamp=$environment/requirements.txt
if ! cmp -s $requirements "$stamp"; then
    rm -rf "$environment"
    python3 -m venv "$environment"
    "$environment/bin/pip" install -q --disable-pip-version-check -r $requirements </dev/null >&2
    cp $requirements "$stamp"
fi
realpath -s "$environment/bin/python"
