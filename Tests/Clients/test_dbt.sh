#!/bin/bash
# dbt with dbt-redshift: the sample project in dbt/ is seeded, run (twice, for incremental models), snapshotted, tested,
# documented.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r dbt "$work/project"
cd "$work/project"
# The profile says nothing of encryption: the driver verifies by default, and this is what it trusts.
export SSL_CERT_FILE=$REDBARN_CERTIFICATE
export DBT_SEND_ANONYMOUS_USAGE_STATS=false DO_NOT_TRACK=1
dbt=$(dirname "$(command -v "${PYTHON:-python3}")")/dbt
run() { "$dbt" --no-use-colors "$@" --project-dir . --profiles-dir . ; }
ask() { psql -X -h 127.0.0.1 -p "$REDBARN_PORT" -U dev -d dev -Atc "$1"; }
expect() { [ "$1" = "$2" ] || { printf 'expected: %s\ngot:      %s\n' "$1" "$2"; exit 1; }; }
run debug
run seed
run run
run snapshot
run test
expect $'Ada|2|30.75\nGrüße 世界|1|5\nunknown|1|7.75' "$(ask 'select name, orders, revenue from dbt_shop.revenue order by 1')"
# New and changed rows.
cat >> seeds/orders_raw.csv <<'EOF'
5,2,100.00,2024-02-01 08:00:00,true
EOF
sed -i 's/^3,2,5.00/3,2,6.00/' seeds/orders_raw.csv
run seed
run run --select orders orders_merged
run snapshot
expect '5|144.5' "$(ask 'select count(*), sum(amount) from dbt_shop.orders_merged')"
expect '5|143.5' "$(ask 'select count(*), sum(amount) from dbt_shop.orders')"
expect '6|1' "$(ask 'select count(*), count(dbt_valid_to) from dbt_shop.orders_history')"
run run --full-refresh
run test
run docs generate
"${PYTHON:-python3}" - <<'EOF'
import json
catalog = json.load(open("target/catalog.json"))
assert not catalog["errors"], catalog["errors"]
nodes = catalog["nodes"]
columns = nodes["model.shop.orders"]["columns"]
assert list(columns) == ["id", "customer_id", "amount", "ordered_at", "paid"], columns
assert columns["ordered_at"]["type"] == "timestamp without time zone", columns
assert nodes["model.shop.customers"]["metadata"]["comment"] == 'One row a customer; it\'s "clean"', nodes
assert "model.shop.late" in nodes and len(nodes) == 8, sorted(nodes)
EOF
ask 'drop schema dbt_shop cascade; drop schema dbt_shop_raw cascade' >/dev/null
