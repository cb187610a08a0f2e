#!/bin/bash
# pgbench with scripts of its own: reads in all three query modes, and transactions that write.
set -eu
place=(-h 127.0.0.1 -p "$REDBARN_PORT" -U dev)
ask() { psql -X "${place[@]}" -d dev -Atqc "$1"; }
pgbench=$(command -v pgbench || ls /usr/lib/postgresql/*/bin/pgbench | tail -1)
scripts=$(mktemp -d)
trap 'rm -rf "$scripts"' EXIT
cat >"$scripts/read.sql" <<'EOF'
\set id random(1, 10000)
select id, name from pgbench_t where id = :id;
select count(*), sum(amount) from pgbench_t where id between :id and :id + 100;
EOF
cat >"$scripts/write.sql" <<'EOF'
\set id random(1, 10000)
begin;
insert into pgbench_w values (:client_id, :id);
select count(*) from pgbench_w where client = :client_id;
commit;
EOF
run() {
    local wanted=$1 output
    shift
    output=$("$pgbench" -n "${place[@]}" "$@" dev 2>&1) || { echo "$output"; exit 1; }
    grep -q "actually processed: $wanted/$wanted" <<<"$output" || { echo "$output"; exit 1; }
}
ask "drop table if exists pgbench_t; drop table if exists pgbench_w"
ask "create table pgbench_t as select g as id, 'name ' || g::varchar as name, g * 0.5 as amount
    from generate_series(1, 10000) g"
ask "create table pgbench_w (client int, id int)"
for mode in simple extended prepared; do run 400 -M $mode -f "$scripts/read.sql" -c 8 -j 2 -t 50; done
PGSSLMODE=require run 40 -M prepared -f "$scripts/read.sql" -c 4 -j 2 -t 10
run 40 -M prepared -f "$scripts/write.sql" -c 4 -j 2 -t 10
[ "$(ask 'select count(*) from pgbench_w')" = 40 ] || { echo "rows are missing"; exit 1; }
ask "drop table pgbench_t; drop table pgbench_w"
