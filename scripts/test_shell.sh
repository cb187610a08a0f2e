#!/bin/bash
# Checks what scripts rely on in `redbarn sql`: output, exit codes, formats. Ends with "N passed, N failed".
# Usage: scripts/test_shell.sh [REDBARN]
set -uo pipefail
cd "$(dirname "$0")/.."
redbarn=${1:-.build/release/redbarn}
. Tests/Shell/checks.sh
house=$folder/house/that/is/new
export REDBARN_HISTORY=/dev/null

run() { "$redbarn" sql "$@" </dev/null 2>&1; }

mkdir -p "$folder/house/that"
check "a directory that is not there is created" "$(printf 'one\n1')" "$(run "$house" --format csv -c 'select 1 as one')"
check "data is there after reopening" "$(printf 'a,b\n1,x\n2,')" "$(
    run "$house" -q -c 'create table t (a int, b varchar(10))' >/dev/null
    run "$house" -q -c "insert into t values (1, 'x'), (2, null)" >/dev/null
    run "$house" --format csv -c 'select * from t order by a')"
check "csv quotes" "$(printf 'v\n"a,""b"')" "$(run "$house" --format csv -c "select 'a,\"b' as v")"
check "tsv" "$(printf 'a\tb\n1\tx\n2\t')" "$(run "$house" --format tsv -c 'select * from t order by a')"
check "json" "$(printf '[{"a": 1, "b": "x"},\n {"a": 2, "b": null}]')" \
    "$(run "$house" --format json -c 'select * from t order by a')"
check "markdown" "$(printf '| a | b |\n|---:|---|\n| 1 | x |\n| 2 | NULL |')" \
    "$(run "$house" --format markdown -c 'select * from t order by a')"
check "aligned" "$(printf '┌───┬──────┐\n│ a │ b    │\n├───┼──────┤\n│ 1 │ x    │\n│ 2 │ NULL │\n└───┴──────┘\n(2 rows)')" \
    "$(run "$house" -c 'select * from t order by a')"
contains "vertical" "b │ x" "$(run "$house" --format vertical -c 'select * from t order by a')"
contains "backslash commands with -c" "Distribution: AUTO" "$(run "$house" -c '\d t')"
contains "lists of tables" "│ t " "$(run "$house" -c '\dt')"
contains "no such relation" 'Did not find any relation named "nothing"' "$(run "$house" -c '\d nothing')"
check "variables" "$(printf 'v,w\n5,it'"'"'s')" \
    "$(run "$house" --format csv --set n=5 --set "s=it's" -c "select :n as v, :'s' as w")"
check "backslashes in variables" "$(printf 'w\n%s' 'a\nb')" \
    "$(run "$house" --format csv --set 's=a\nb' -c "select :'s' as w")"
check "escaped quotes hide semicolons" "$(printf "v,w\nit's; a,'")" \
    "$(printf '%s\n' "select 'it\\'s; a' as v, '\\'' as w;" | "$redbarn" sql "$house" --format csv 2>&1)"
check "casts are no variables" "$(printf 'v\n5')" "$(run "$house" --format csv --set int=9 -c "select '5'::int as v")"

error=$(run "$house" -c 'select nothing from t')
check "exit code of a failing -c" 1 "$(run "$house" -c 'select nothing from t' >/dev/null; echo $?)"
contains "error message" 'ERROR:  column "nothing" does not exist' "$error"
contains "caret" "$(printf 'LINE 1: select nothing from t\n               ^')" "$error"
check "errors go to standard error" "" "$("$redbarn" sql "$house" -c 'select nothing from t' 2>/dev/null)"

printf 'select 1 as a;\nselect 1/0;\nselect 2 as a;\n' >"$folder/script.sql"
check "a script goes on after errors" 0 "$(run "$house" -f "$folder/script.sql" >/dev/null; echo $?)"
check "ON_ERROR_STOP" 3 "$(run "$house" -v ON_ERROR_STOP=1 -f "$folder/script.sql" >/dev/null; echo $?)"
contains "place in a script" "script.sql:2: ERROR:  division by zero" "$(run "$house" -f "$folder/script.sql")"
check "a missing script" 1 "$(run "$house" -f "$folder/none.sql" >/dev/null; echo $?)"
check "unknown options" 1 "$(run "$house" --nonsense >/dev/null; echo $?)"
check "a file in place of a directory" 1 "$(run "$folder/script.sql" -c 'select 1' >/dev/null; echo $?)"

check "piped input" "$(printf 'a\n1\na\n2')" \
    "$(printf 'select 1 as a; select\n 2 as a\n' | "$redbarn" sql "$house" --format csv 2>&1)"
check "; in strings, names and comments" "$(printf 'a;b\n"x;y"\n')" \
    "$(printf -- '-- no; statement\nselect /* ; */ '"'x;y'"' as "a;b" -- ;\n;\n' | "$redbarn" sql "$house" --format csv 2>&1 | sed 's/^x;y$/"x;y"/')"
printf '\\i %s\n\\echo done\n' "$folder/inner.sql" >"$folder/outer.sql"
printf 'select 7 as seven;\n' >"$folder/inner.sql"
check "included files" "$(printf 'seven\n7\ndone')" "$(run "$house" --format csv -f "$folder/outer.sql")"
run "$house" --format csv -c "\\o $folder/out.csv" -c 'select 3 as three' -c '\o' -c '\echo back' >"$folder/rest"
check "output to a file" "$(printf 'three\n3')" "$(cat "$folder/out.csv")"
check "output back to the terminal" back "$(cat "$folder/rest")"
contains "timing" "Time: " "$(run "$house" -c '\timing on' -c 'select 1')"
check "\\pset" "$(printf 'a\n1')" "$(run "$house" -c '\pset format csv' -c 'select 1 as a')"
contains "queues" '0 waiting, 0 running' "$(run "$house" -c '\wlm')"
contains "help" '\timing' "$(run "$house" -c '\?')"
check "an unknown command" 1 "$(run "$house" -c '\nonsense' >/dev/null; echo $?)"
contains "shape" "(2 x 3 slices" "$(run "$folder/shaped" --nodes 2 --slices 3 -c '\conninfo')"
contains "the shape is kept" "(2 x 3 slices" "$(run "$folder/shaped" -c '\conninfo')"
check "a scratch warehouse is removed" "" \
    "$(mkdir "$folder/temporary"; TMPDIR=$folder/temporary run -c 'create table s (a int)' >/dev/null; ls "$folder/temporary")"
contains "an interrupt cancels a script" "canceling statement" "$(
    printf 'select sum(a.i * b.i) from n a, n b, n c, n d;\n' >"$folder/long.sql"
    run "$house" -q -c 'create table n as select a.a + b.a as i from t a, t b, t c, t d, t e, t f, t g' >/dev/null
    run "$house" -q -c 'insert into n select a.i from n a, n b' >/dev/null
    "$redbarn" sql "$house" -f "$folder/long.sql" 2>&1 </dev/null &
    process=$!
    sleep 1
    kill -INT $process
    wait $process)"

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
