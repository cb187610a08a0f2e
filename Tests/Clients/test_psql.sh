#!/bin/bash
# psql: simple queries, several statements, errors, scripts, cursors of its own, cancel.
set -eu
run() { psql -X -h 127.0.0.1 -p "$REDBARN_PORT" -U dev -d dev -v ON_ERROR_STOP=1 "$@"; }
expect() {
    local wanted=$1 got
    shift
    got=$("$@" 2>&1) || true
    if [ "$got" != "$wanted" ]; then
        printf 'expected: %s\ngot:      %s\n(%s)\n' "$wanted" "$got" "$*"
        exit 1
    fi
}
expect 1 run -Atc 'select 1'
expect 8.0.2 run -Atc 'show server_version'
expect $'1\n2' run -Atc 'select 1; select 2'
expect '' run -Atc ';'
expect 'a|b c|' run -Atc "select 'a', 'b c', null"
expect 'ERROR:  42P01' run -v VERBOSITY=sqlstate -c 'select * from missing_table'
expect $'ERROR:  syntax error at or near "selec"\nLINE 1: selec 1\n        ^\nHINT:  Did you mean SELECT?' run -c 'selec 1'
run -q <<'SQL'
create table psql_t (a int, b varchar(20), c decimal(10,2), d date);
insert into psql_t values (1, 'eins', 1.50, '2024-02-29'), (2, null, -2.25, null), (3, 'drei äöü', 0, '1999-12-31');
SQL
expect $'1|eins|1.50|2024-02-29\n2||-2.25|\n3|drei äöü|0.00|1999-12-31' run -Atc 'select * from psql_t order by a'
expect $'BEGIN\nDELETE 3\nROLLBACK' run -c 'begin' -c 'delete from psql_t' -c 'rollback'
expect 3 run -Atc 'select count(*) from psql_t'
expect $'BEGIN\nDECLARE CURSOR\n1\n2\n3\nCLOSE CURSOR\nCOMMIT' run -At -c 'begin' \
    -c 'declare c cursor for select a from psql_t order by a' -c 'fetch 2 from c' -c 'fetch all from c' -c 'close c' \
    -c 'commit'
expect 100000 bash -c "psql -X -h 127.0.0.1 -p $REDBARN_PORT -U dev -d dev -Atc 'select * from generate_series(1,100000) g' | wc -l"
expect 'psql: error: connection to server at "127.0.0.1", port '"$REDBARN_PORT"' failed: FATAL:  database "nope" does not exist' \
    env PGSSLMODE=disable psql -X -h 127.0.0.1 -p "$REDBARN_PORT" -U dev -d nope -c 'select 1'
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
printf 'a;b\n7;"sieben;"\n8;\n' >"$directory/in.csv"
expect 'COPY 2' run -c "\\copy psql_t (a, b) from '$directory/in.csv' with (format csv, header, delimiter ';')"
expect 'COPY 5' run -c "\\copy (select a, b from psql_t order by a) to '$directory/out.txt'"
expect $'1\teins\n2\t\\N\n3\tdrei äöü\n7\tsieben;\n8\t\\N' cat "$directory/out.txt"
expect $'COPY 1' bash -c "printf '9\\tneun\\n' | psql -X -h 127.0.0.1 -p $REDBARN_PORT -U dev -d dev -c '\\copy psql_t (a, b) from pstdin'"
expect $'a,b\n9,neun' run -c "copy (select a, b from psql_t where a = 9) to stdout csv header"
run -q -c 'drop table psql_t'

# Databases: connected to by name; each has its own tables.
run -q -c 'create database psql_d' -c 'create table psql_in (a int)' -c 'insert into psql_in values (1)'
inside() { psql -X -h 127.0.0.1 -p "$REDBARN_PORT" -U dev -d psql_d "$@"; }
inside -q -c 'create table psql_in (a int)' -c 'insert into psql_in values (2)'
expect 'psql_d|2' inside -Atc 'select current_database(), a from psql_in'
expect 'dev|1' run -Atc 'select current_database(), a from psql_in'
expect $'USE\n2\nRESET\n1' run -At -c 'use psql_d' -c 'select a from psql_in' -c 'reset use' -c 'select a from psql_in'
expect $'1\n2' run -Atc 'select a from psql_in union select a from psql_d.public.psql_in order by 1'
run -q -c 'drop table psql_in' -c 'drop database psql_d'
expect 'database "psql_d" does not exist' \
    sh -c "psql -X -h 127.0.0.1 -p $REDBARN_PORT -U dev -d psql_d -c '' 2>&1 | grep -o 'database \"psql_d.*' | sort -u"
