#!/bin/bash
# Every \d command of psql 15, and what some of them say.
set -eu
run() { psql -X -h 127.0.0.1 -p "$REDBARN_PORT" -U dev -d dev "$@"; }
fail() { echo "$*"; exit 1; }
run -q <<'SQL'
create schema describe_s;
create table describe_s.t1 (
    id int not null primary key, b varchar(20) default 'x', c decimal(10,2), d date, constraint t1_b unique (b))
    distkey(id) sortkey(id, d);
create table describe_s.t2 (id bigint identity(1,1), t1_id int references describe_s.t1(id), "Mixed Name" varchar)
    diststyle all;
create view describe_s.v1 as select id, b from describe_s.t1;
create view describe_s.v2 as select * from describe_s.t1 with no schema binding;
comment on table describe_s.t1 is 'the first';
comment on column describe_s.t1.b is 'a column';
set search_path to describe_s;
SQL
commands=(
    '\d' '\d t1' '\d+ t1' '\d v1' '\d+ v1' '\d v2' '\d describe_s.t2' '\d pg_class' '\dS' '\d+' '\d t*' '\da' '\dA' '\dA+'
    '\dAc' '\dAf' '\dAo' '\dAp' '\db' '\db+' '\dc' '\dC' '\dC+' '\dd' '\dD' '\dD+' '\ddp' '\dE' '\dE+' '\des' '\des+'
    '\det' '\det+' '\deu' '\deu+' '\dew' '\dew+' '\df' '\df+' '\dfa' '\dfn' '\dfp' '\dft' '\dfw' '\dF' '\dF+' '\dFd'
    '\dFd+' '\dFp' '\dFp+' '\dFt' '\dFt+' '\dg' '\dg+' '\di' '\di+' '\dl' '\dl+' '\dL' '\dL+' '\dm' '\dm+' '\dn' '\dn+'
    '\dnS' '\do' '\do+' '\dO' '\dO+' '\dp' '\dp t1' '\dP' '\dPt' '\dPi' '\drds' '\dRp' '\dRs' '\ds' '\ds+' '\dt' '\dt+'
    '\dtS' '\dt *.*' '\dt describe_s.*' '\dT' '\dT+' '\dTS' '\du' '\du+' '\dv' '\dv+' '\dx' '\dX' '\dy' '\dconfig'
    '\dconfig s*' '\l' '\l+' '\z' '\sv v1' '\sv+ v1')
export PGOPTIONS='-c search_path=describe_s'
for command in "${commands[@]}"; do
    output=$(run -v VERBOSITY=terse -c "$command" 2>&1) || true
    if grep -q '^ERROR\|^psql' <<<"$output"; then fail "$command: $output"; fi
done
says() {
    local command=$1 text
    shift
    output=$(run -A -c "$command" 2>&1)
    for text in "$@"; do grep -qF "$text" <<<"$output" || fail "$command does not say \"$text\": $output"; done
}
says '\d t1' 'id|integer||not null|' "b|character varying(20)|||'x'" '"t1_pkey" PRIMARY KEY, btree (id)' \
    '"t1_b" UNIQUE CONSTRAINT, btree (b)'
says '\dt+' 'describe_s|t1|table|dev' 'the first'
says '\dv' 'describe_s|v1|view|dev'
says '\d+ t1' 'a column'
says '\d+ v1' 'View definition:'
says '\dn' 'describe_s|dev' 'public|'
says '\du' 'dev|'
says '\l' 'dev|dev|UTF8'
run -qc 'drop schema describe_s cascade' 2>/dev/null
