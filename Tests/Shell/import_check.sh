#!/bin/bash
# Checks `redbarn import`: what it finds in files, what it prints, what it runs. Ends with "N passed, N failed".
# Usage: Tests/Shell/import_check.sh [REDBARN]
set -uo pipefail
cd "$(dirname "$0")/../.."
redbarn=${1:-.build/release/redbarn}
. Tests/Shell/checks.sh
case $redbarn in /*) ;; *) redbarn=$PWD/$redbarn ;; esac
export REDBARN_HISTORY=/dev/null
fixtures=$PWD/Tests/Fixtures/BulkTransfer

# run ARGUMENT ...: what is printed, without the test's folder, and the exit code when it is not 0
run() {
    (cd "$folder" && "$redbarn" import "$@" 2>&1) | sed "s#$folder/##g; s#$fixtures/#FIXTURES/#g"
    local code=${PIPESTATUS[0]}
    [ "$code" = 0 ] || echo "exit $code"
}
types() { run "$@" | sed -n 's/^    \([^ ]*\)  *\(.*[^,]\),*$/\1 \2/p' | paste -sd ';'; }

cat >"$folder/Sales 2026.csv" <<'CSV'
Order ID,Customer,Zip,Unit-Price,Paid,Sold on,At,order,Order ID
1,"Barn, red",04109,12.50,true,2026-01-01,2026-01-01 10:00:00,7,x
2,Hay,10115,0.99,false,2026-01-02,2026-01-02 11:30:00.5,70000,y
3,,00001,100,true,,2026-01-03 00:00:00,,z
CSV
check "CSV: names, types, codes, a header" '-- CSV, 9 columns; types from all 3 rows
CREATE TABLE sales_2026 (
    order_id    SMALLINT,
    customer    VARCHAR(16),
    zip         VARCHAR(8),
    unit_price  DECIMAL(18,2),
    paid        BOOLEAN,
    sold_on     DATE,
    "at"        TIMESTAMP,
    "order"     INTEGER,
    order_id_2  VARCHAR(8)
);
COPY sales_2026 FROM '"'Sales 2026.csv'"' CSV IGNOREHEADER 1;' "$(run "Sales 2026.csv")"

gzip -c "$folder/Sales 2026.csv" >"$folder/packed.csv.gz"
contains "gzip" "COPY packed FROM 'packed.csv.gz' CSV IGNOREHEADER 1 GZIP;" "$(run packed.csv.gz)"

printf '1|2026-01-05|a;b\n2|2026-02-05|c;d\n' >"$folder/bars.tbl"
check "another delimiter, no header" "column1 SMALLINT;column2 DATE;column3 VARCHAR(8)" "$(types bars.tbl)"
contains "its options" "CSV DELIMITER '|';" "$(run bars.tbl)"
printf 'a\tb\nx y\t1\nz\t2\n' >"$folder/tabs.tsv"
contains "tabs" "CSV DELIMITER '\\t' IGNOREHEADER 1;" "$(run tabs.tsv)"
check "a delimiter that is given" "column1 VARCHAR(16);column2 VARCHAR(8)" "$(types --no-header --delimiter ';' bars.tbl)"

printf 'n,m\n1,NULL\nNULL,2.5\n' >"$folder/nulls.csv"
contains "texts for NULL" "CSV IGNOREHEADER 1 NULL AS 'NULL';" "$(run nulls.csv)"
check "types beside NULL" "n SMALLINT;m DECIMAL(18,1)" "$(types nulls.csv)"
printf 'v\n1e5\nNaN\n-Infinity\n' >"$folder/floats.csv"
check "NaN among floating-point numbers" "COPY floats FROM 'floats.csv' CSV IGNOREHEADER 1;" "$(run floats.csv | tail -1)"
printf 'd\n31/12/2025\n01/02/2026\n' >"$folder/dates.csv"
contains "dates with the day first" "DATEFORMAT 'DD/MM/YYYY'" "$(run dates.csv)"
printf 'big,huge,e,w\n3000000000,99999999999999999999,1e-3,+4912345\n1,2,2.5,5\n' >"$folder/numbers.csv"
check "large numbers, exponents, a plus" \
    "big BIGINT;huge DECIMAL(38,0);e DOUBLE PRECISION;w VARCHAR(16)" "$(types numbers.csv)"
printf 'name,town\nann,bonn\nbob,rome\n' >"$folder/texts.csv"
contains "a header above texts" "IGNOREHEADER 1" "$(run texts.csv)"
printf 'ann,bonn\nbob,bonn\nann,rome\n' >"$folder/plain.csv"
check "texts without a header" "column1 VARCHAR(8);column2 VARCHAR(8)" "$(types plain.csv)"

cat >"$folder/events.json" <<'JSON'
{"id": 1, "userName": "ann", "score": 1.5, "at": "2026-01-01T10:00:00Z", "tags": ["a", "b"], "code": "007"}
{"id": 20000000000, "userName": null, "extra": true, "code": "12"}
JSON
check "JSON lines" 'id BIGINT;username VARCHAR(8);score DECIMAL(18,1);"at" TIMESTAMPTZ;tags VARCHAR(16);code VARCHAR(8);extra BOOLEAN' \
    "$(types events.json)"
contains "its options" "FORMAT AS JSON 'auto ignorecase' TIMEFORMAT 'auto';" "$(run events.json)"

contains "Avro" "FORMAT AS AVRO 'auto ignorecase'" "$(run "$fixtures/orders_snappy.avro")"
check "Avro's types" "id BIGINT" "$(types "$fixtures/orders_snappy.avro" | cut -d';' -f1)"
contains "ORC" "COPY columns_zlib FROM 'FIXTURES/columns_zlib.orc' FORMAT AS ORC;" "$(run "$fixtures/columns_zlib.orc")"
contains "ORC's types" '"day" DATE' "$(types "$fixtures/columns_zlib.orc")"

shop=$folder/shop
contains "--run tells the rows" "-- 3 rows in" "$(run --run --warehouse shop "Sales 2026.csv")"
ask() { "$redbarn" sql "$shop" --format csv -t -c "$1" 2>&1; }
check "--run loads" "3,113.49,2026-01-02" "$(ask 'select count(*), sum(unit_price), max(sold_on) from sales_2026')"
check "codes keep their zeros" "00001" "$(ask 'select min(zip) from sales_2026')"
contains "a table that is there" 'already exists' "$(run --run -w shop "Sales 2026.csv")"
printf '1|2026-01-06|e\n' >"$folder/bars2.tbl"
run --run -w shop --table raw_bars bars.tbl bars2.tbl >/dev/null
check "several files, and a name" "3,2026-02-05" "$(ask 'select count(*), max(column2) from raw_bars')"
for file in events.json nulls.csv dates.csv numbers.csv packed.csv.gz tabs.tsv; do
    check "$file loads" 0 "$(run --run -w shop "$file" >/dev/null; run --run -w shop --table again_"${file%%.*}" "$file" | grep -c exit)"
done
check "JSON's values" "20000000000,2026-01-01 10:00:00+00" "$(ask 'select max(id), max(at) from events')"
check "texts for NULL are NULL" "1,1" "$(ask 'select count(n), count(m) from again_nulls')"
check "the day was first" "2025-12-31" "$(ask 'select min(d) from dates')"
for file in orders_snappy.avro columns_zlib.orc columns_snappy.orc; do
    check "$file loads" "" "$(run --run -w shop "$fixtures/$file" | grep exit)"
done
check "rows of ORC" 1200 "$(ask 'select count(*) from columns_zlib')"

printf 'a,b\n1,2\n3\n' >"$folder/ragged.csv"
contains "records that are unlike the others" "cannot be read as the others" "$(run ragged.csv)"
run --run -w shop ragged.csv >/dev/null
check "a failed run leaves nothing" 0 "$(ask "select count(*) from pg_table_def where tablename = 'ragged'")"
printf '[\n  {"a": 1},\n  {"a": 2}\n]\n' >"$folder/array.json"
contains "one array around all records" "is one JSON array" "$(run array.json)"
check "what is not there" "redbarn: ERROR:  The specified path '$folder/none.csv' does not exist" \
    "$("$redbarn" import "$folder/none.csv" 2>&1 | head -1)"
printf '' >"$folder/empty.csv"
contains "an empty file" "there is nothing in the files" "$(run empty.csv)"
contains "--run without a warehouse" "--run needs --warehouse DIR" "$(run --run bars.tbl)"
contains "help" "redbarn import --run --warehouse shop" "$(run --help)"

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
