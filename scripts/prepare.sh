#!/bin/bash
# Installs what building and testing need from Debian, only what is missing. Swift itself is assumed.
set -euo pipefail

if ! command -v swift >/dev/null; then
    echo "Swift 6.2 or newer is needed: https://www.swift.org/install/linux/" >&2
    exit 1
fi

missing=()
need() {  # need PACKAGE TEST...
    local package=$1
    shift
    "$@" >/dev/null 2>&1 || missing+=("$package")
}
header() { [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ]; }

need libzstd-dev header zstd.h
need libsnappy-dev header snappy-c.h
need zlib1g-dev header zlib.h
need libbz2-dev header bzlib.h
need libedit-dev header editline/readline.h
need libssl-dev header openssl/ssl.h
# Its headers are in a folder of the machine's architecture.
need libcurl4-openssl-dev sh -c 'cat /usr/include/curl/curl.h /usr/include/*/curl/curl.h | grep -q .'
need pkg-config command -v pkg-config
need git command -v git
need python3 python3 --version
need python3-venv python3 -c 'import venv, ensurepip'

if [ ${#missing[@]} -gt 0 ]; then
    echo "Installing ${missing[*]} ..."
    as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo)
    export DEBIAN_FRONTEND=noninteractive
    "${as_root[@]}" apt-get update -q </dev/null
    "${as_root[@]}" apt-get install -q -y --no-install-recommends ca-certificates "${missing[@]}" </dev/null
fi
