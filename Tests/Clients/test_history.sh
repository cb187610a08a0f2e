#!/bin/bash
# What the system tables tell of statements that ran: steps with rows on every slice, plans, loads, connections; and that
# it is still there after the server has been started again.
set -eu
directory=$(mktemp -d)
server=
trap '[ -z "$server" ] || { kill $server; wait $server; } 2>/dev/null; rm -rf "$directory"' EXIT
start() {
    "$REDBARN" serve "$directory/warehouse" --dev --port 0 --slices 2 >"$directory/log" 2>&1 &
    server=$!
    for _ in $(seq 100); do
        grep -q event=listening "$directory/log" && break
        sleep 0.1
    done
    port=$(sed -n 's/.*event=listening port=\([0-9]*\).*/\1/p' "$directory/log")
}
stop() {
    kill $server
    wait $server || true
    server=
}
ask() { PGAPPNAME=history psql -X -h 127.0.0.1 -p "$port" -U dev -d dev -Atq -v ON_ERROR_STOP=1 "$@"; }
expect() { [ "$1" = "$2" ] || { printf '%s\nexpected: %s\ngot:      %s\n' "$3" "$1" "$2"; exit 1; }; }
start
for number in $(seq 1000); do echo "$number|$((number % 10))"; done >"$directory/a.txt"
ask <<EOF
create table big (a int, k int) diststyle even;
create table small (k int, name varchar(20)) diststyle all;
copy big from '$directory/a.txt';
insert into small select k, 'name ' || k from big where a <= 5;
set query_group to 'nightly';
select /* marked */ s.name, sum(b.a) from big b join small s on s.k = b.k group by 1 order by 1;
EOF
ask -c "select 1 from big where password = 'x'" 2>/dev/null || true
ask -c "create user u password 'Hidden99Secret'" >/dev/null 2>&1 || true
for round in before after; do
    query=$(ask -c "select max(query) from stl_query where querytxt like 'select /* marked */%'")
    expect "nightly|0" "$(ask -c "select trim(label), aborted from stl_query where query = $query")" "stl_query, $round"
    # Every row of the table was read, on its own slice, and those without a match left the scan already.
    expect "1000|500" "$(ask -c "select sum(rows_pre_filter), sum(rows) from stl_scan
        where query = $query and trim(perm_table_name) = 'big'")" "stl_scan, $round"
    expect "2" "$(ask -c "select count(distinct slice) from stl_scan
        where query = $query and trim(perm_table_name) = 'big'")" "slices, $round"
    # a = 1..5 have the keys 1..5: 500 rows of big find one.
    expect "500" "$(ask -c "select sum(rows) from stl_hashjoin where query = $query")" "stl_hashjoin, $round"
    expect "5|5" "$(ask -c "select (select sum(rows) from stl_hash where query = $query),
        (select sum(rows) from stl_return where query = $query)")" "hash and return, $round"
    expect "t" "$(ask -c "select count(*) > 0 from stl_aggr a join stl_plan_info p using (query, segment, step)
        join stl_explain e using (query, nodeid) where query = $query and e.plannode like '%HashAggregate%'")" \
        "aggregate with its plan node, $round"
    expect "t" "$(ask -c "select sum(elapsed_time) > 0 and min(start_time) <= max(end_time) from svl_query_report
        where query = $query")" "svl_query_report, $round"
    expect "$(ask -c "select count(*) from svl_query_summary where query = $query")" \
        "$(ask -c "select count(*) from sys_query_detail where query_id = $query and trim(metrics_level) = 'step'")" \
        "sys_query_detail, $round"
    expect "success|5" "$(ask -c "select trim(status), returned_rows from sys_query_history where query_id = $query")" \
        "sys_query_history, $round"
    expect "failed|column" "$(ask -c "select trim(status), left(error_message, 6) from sys_query_history
        where query_text like 'select 1 from big where%'")" "failed statement, $round"
    expect "1000|big|completed" "$(ask -c "select loaded_rows, table_name, status from sys_load_history")" \
        "sys_load_history, $round"
    expect "1000" "$(ask -c "select sum(lines_scanned) from stl_load_commits")" "stl_load_commits, $round"
    expect "t" "$(ask -c "select count(*) >= 3 from stl_connection_log where trim(application_name) = 'history'
        and trim(event) = 'disconnecting session' and duration > 0")" "stl_connection_log, $round"
    expect "0" "$(ask -c "select count(*) from sys_query_text where text like '%Hidden' || '99%'")" "secrets, $round"
    if [ $round = before ]; then
        stop
        start
    fi
done
! grep -rq Hidden99Secret "$directory/warehouse/history" || { echo "a secret is in the history files"; exit 1; }
# A damaged end costs no more than itself.
stop
last=$(ls "$directory"/warehouse/history/* | tail -1)
truncate -s -3 "$last"
start
expect "1" "$(ask -c "select count(*) from stl_query where querytxt like 'select /* marked */%'")" "damaged history"
