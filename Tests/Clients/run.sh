#!/bin/bash
# Starts a server over a scratch warehouse and runs the client scripts against it.
set -u
cd "$(dirname "$0")"
redbarn=$(realpath "${1:?usage: run.sh REDBARN [CLIENT...]}" 2>/dev/null || echo "$OLDPWD/$1")
shift
directory=$(mktemp -d)
log="$directory/server.log"
"$redbarn" serve "$directory/warehouse" --dev --no-restart --port 0 >"$log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$directory"' EXIT
for _ in $(seq 100); do
    grep -q event=listening "$log" && break
    sleep 0.1
done
REDBARN_PORT=$(sed -n 's/.*event=listening port=\([0-9]*\).*/\1/p' "$log")
export REDBARN_PORT REDBARN_PID=$server REDBARN=$redbarn REDBARN_CERTIFICATE=$directory/warehouse/server/server.crt
[ -n "$REDBARN_PORT" ] || { cat "$log"; exit 1; }
clients=("$@")
[ ${#clients[@]} -gt 0 ] || clients=(psql describe shell history psycopg2 psycopg3 asyncpg redshift pg8000 sqlalchemy dbt awswrangler jdbc odbc metrics operations pgbench hostile random_messages)
passed=0
failed=0
for client in "${clients[@]}"; do
    if [ -f "test_$client.sh" ]; then command=(bash "test_$client.sh"); else command=("${PYTHON:-python3}" "test_$client.py"); fi
    if "${command[@]}" >"$directory/$client.out" 2>&1; then
        echo "ok     $client ($SECONDS s)"
        passed=$((passed + 1))
    else
        echo "FAILED $client"
        sed 's/^/       /' "$directory/$client.out" | tail -20
        failed=$((failed + 1))
    fi
    kill -0 $server 2>/dev/null || {
        echo "the server has ended"
        tail -20 "$log"
        failed=$((failed + 1))
        break
    }
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
