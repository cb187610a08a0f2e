#!/bin/bash
# redbarn sql over a connection: the same features as with a warehouse of its own.
set -eu
place="postgres://dev:any@127.0.0.1:$REDBARN_PORT/dev"
run() { "$REDBARN" sql "$@"; }
expect() {
    local wanted=$1 got
    shift
    got=$("$@" 2>&1) || true
    [ "$got" = "$wanted" ] || { printf 'expected: %s\ngot:      %s\n(%s)\n' "$wanted" "$got" "$*"; exit 1; }
}
for mode in disable prefer require; do
    expect 1 run "$place?sslmode=$mode" --format tsv -t -c 'select 1'
done
run "$place" -q -c "create table shell_t (id int primary key, name varchar(20), d decimal(10,2)) distkey(id) sortkey(id);
    insert into shell_t values (1, 'eins', 1.5), (2, null, -2); create view shell_v as select id from shell_t"
expect $'id,name,d\n1,eins,1.50\n2,,-2.00' run "$place" --format csv -c 'select * from shell_t order by id'
expect $'[{"id": 1, "name": "eins"},\n {"id": 2, "name": null}]' run "$place" --format json -c 'select id, name from shell_t order by id'
expect $'ERROR:  relation "missing" does not exist\nLINE 1: select * from missing\n                      ^' \
    run "$place" -c 'select * from missing'
expect $'1\n2' run "$place" --format tsv -t -c 'select id from shell_t order by 1'
expect 100000 bash -c "'$REDBARN' sql '$place' --format tsv -t -c 'select * from generate_series(1, 100000) g' | wc -l"
said() {
    local output
    output=$(run "$place" --format tsv -c "$1")
    shift
    for text in "$@"; do
        grep -qF "$text" <<<"$output" || { printf '%s is not in:\n%s\n' "$text" "$output"; exit 1; }
    done
}
said '\dt shell_*' $'public\tshell_t\ttable\tdev\t2'
said '\dv' $'public\tshell_v\tview\tdev'
said '\d shell_t' $'id\tinteger' $'name\tcharacter varying(20)' 'not null' 'KEY(id)' 'PRIMARY KEY (id)'
said '\d shell_v' 'View definition' 'select id from shell_t'
said '\dn' public
said '\l' $'dev\tdev\tUTF8'
said '\du' dev
said '\conninfo' '127.0.0.1' "$REDBARN_PORT"
printf 'begin;\ndelete from shell_t;\nrollback;\nselect count(*) as n from shell_t;\n' >/tmp/shell_$$.sql
expect $'n\n2' run "$place" --format tsv -q -f /tmp/shell_$$.sql
rm /tmp/shell_$$.sql
# Ctrl-C cancels the statement on the server.
timeout -s INT 1 "$REDBARN" sql "$place" -c \
    'select count(*) from generate_series(1, 200000) a, generate_series(1, 100000) b where a.a % 7 = b.b % 11' \
    >/dev/null 2>&1 || true
for _ in $(seq 50); do
    running=$(run "$place" --format tsv -t -c "select count(*) from stv_recents where status = 'Running'")
    [ "$running" = 1 ] && break
    sleep 0.1
done
[ "$running" = 1 ] || { echo "the statement still runs"; exit 1; }
expect 'redbarn: ERROR:  could not connect' bash -c "'$REDBARN' sql postgres://dev@127.0.0.1:1/dev -c 'select 1' 2>&1 | cut -c1-34"
run "$place" -q -c 'drop view shell_v; drop table shell_t'
