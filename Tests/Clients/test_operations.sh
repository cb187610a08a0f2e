#!/bin/bash
# What docs/operations.md and scripts/service tell an operator to do, step by step in a scratch root: the configuration
# file, the unit's command and its end, the files that the Dockerfile copies and the packages that it installs.
set -eu
cd ../..
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill $server 2>/dev/null; rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }
wait_for() {
    for _ in $(seq 100); do
        grep -q "$1" "$work/log" && return
        sleep 0.1
    done
    cat "$work/log"
    fail "no $1"
}

# The unit's ExecStart with the example of the configuration, whose paths are those of a root of our own.
mkdir -p "$work/etc/redbarn" "$work/var/lib/redbarn" "$work/usr/local/bin"
ln -s "$REDBARN" "$work/usr/local/bin/redbarn"
sed -e "s|= /|= $work/|" -e 's/^port = .*/port = 0/' -e 's/^http-port = .*/http-port = 0/' scripts/service/redbarn.conf \
    >"$work/etc/redbarn/redbarn.conf"
(umask 077; echo "dev:Secret123" >"$work/etc/redbarn/users.conf")
start=$(sed -n "s|^ExecStart=||p" scripts/service/redbarn.service | sed "s| /| $work/|g; s|^/|$work/|")
$start 2>"$work/log" &
server=$!
wait_for event=listening
port=$(sed -n 's/.*event=listening port=\([0-9]*\).*/\1/p' "$work/log")
http=$(sed -n 's/.*http_port=\([0-9]*\).*/\1/p' "$work/log")
ask() { PGPASSWORD=Secret123 psql -X "host=127.0.0.1 port=$port user=dev dbname=dev $1" -Atc "$2"; }
[ "$(ask sslmode=require 'select 40 + 2')" = 42 ] || fail "no answer over TLS"
ask sslmode=disable 'select 1' 2>&1 | grep -q 'sslmode=require' || fail "a plain connection is not told what to set"
[ "$(ask "sslmode=verify-full sslrootcert=$work/var/lib/redbarn/warehouse/server/server.crt" 'select 1')" = 1 ] ||
    fail "the certificate does not name 127.0.0.1"
"${PYTHON:-python3}" -c "
import urllib.request
assert urllib.request.urlopen('http://127.0.0.1:$http/healthz').read() == b'ok\n'"
# Every name of the table of docs/operations.md is an option.
help=$("$REDBARN" serve --help-hidden)
for name in $(sed -n '/^| name | meaning/,/^$/p' docs/operations.md | tail -n +3 | cut -d'|' -f2 | tr -d '\`,'); do
    grep -q -e "--$name" -e "--no-$name" <<<"$help" || fail "docs/operations.md names the option $name, which there is not"
done
# SIGHUP is ignored, SIGTERM ends with 0.
kill -HUP $server
sleep 0.3
kill -0 $server || fail "SIGHUP has ended the server"
kill -TERM $server
code=0
wait $server || code=$?
server=
[ $code = 0 ] || fail "SIGTERM: exit code $code"
grep -q event=shutdown "$work/log" || fail "the end is not in the log"
# A wrong option ends the start with a message that names it.
echo "no-such-option = 1" >>"$work/etc/redbarn/redbarn.conf"
if $start 2>"$work/log"; then fail "a wrong name in the configuration is accepted"; fi
grep -q no-such-option "$work/log" || fail "a wrong name in the configuration is not named"

if command -v systemd-analyze >/dev/null; then
    sed "s|/usr/local|$work/usr/local|; s|^User=.*||; s|^Group=.*||" scripts/service/redbarn.service >"$work/redbarn.service"
    systemd-analyze verify "$work/redbarn.service" 2>&1 | grep -i redbarn && fail "systemd does not take the unit"
fi

# The Dockerfile: what it copies is a whole package, what it installs has all libraries of the program.
mkdir "$work/context"
grep '^COPY' scripts/service/Dockerfile | grep -v -e --from -e service/ | while read -r _ files; do
    for file in ${files% *}; do cp -r "$file" "$work/context/"; done
done
if command -v swift >/dev/null; then
    mkdir -p "$work/scratch"
    [ ! -d .build/checkouts ] || cp -r .build/checkouts .build/repositories .build/workspace-state.json "$work/scratch/"
    (cd "$work/context" && swift package --scratch-path "$work/scratch" describe >"$work/describe" 2>&1) ||
        { cat "$work/describe"; fail "the Dockerfile copies too little"; }
fi
if command -v dpkg >/dev/null; then
    installed=$(grep '^RUN apt-get' scripts/service/Dockerfile | tail -1)
    for library in $(objdump -p "$REDBARN" | sed -n 's/ *NEEDED *//p' | grep -v -e '^libswift' -e '^libFoundation' -e '^lib_Foundation' \
        -e '^libdispatch' -e '^libBlocks' -e '^libc\.' -e '^libm\.' -e '^libgcc_s' -e '^libstdc++' -e '^ld-'); do
        owner=$(dpkg -S "*/$library" 2>/dev/null | head -1 | cut -d: -f1)
        grep -q -w "$owner" <<<"$installed" || fail "the Dockerfile does not install $owner for $library"
    done
fi
