#!/bin/bash
# Runs the public test suite of a driver or tool, from a checkout of its repository, against a scratch server.
#
#   suites.sh REDBARN redshift_connector CHECKOUT [PYTEST ARGUMENTS]    github.com/aws/amazon-redshift-python-driver
#   suites.sh REDBARN sqlalchemy CHECKOUT [...]                         github.com/sqlalchemy-redshift/sqlalchemy-redshift
#   suites.sh REDBARN dbt CHECKOUT [...]                                github.com/dbt-labs/dbt-adapters
#
# What needs AWS (plug-ins, IAM, S3) is left out. The last line is pytest's count; --report names a file for the failures.
set -eu
redbarn=$(realpath "${1:?usage: suites.sh REDBARN SUITE CHECKOUT}")
suite=${2:?}
checkout=$(realpath "${3:?}")
shift 3
cd "$(dirname "$0")/../.."
environment=$PWD/.build/suites-venv
if ! cmp -s Tests/Clients/suites.txt "$environment/suites.txt"; then
    [ -d "$environment" ] || python3 -m venv "$environment"
    "$environment/bin/pip" install -q --disable-pip-version-check -r Tests/Clients/suites.txt </dev/null >&2
    cp Tests/Clients/suites.txt "$environment/suites.txt"
fi
work=$(mktemp -d)
log="$work/server.log"
# With passwords, because tests log in as users that they have made.
(umask 077; echo "dev:Secret123" >"$work/users.conf")
export PGPASSWORD=Secret123
"$redbarn" serve "$work/warehouse" --users "$work/users.conf" --allow-plaintext --host 127.0.0.1 --port 0 >"$log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null; cp "$log" /tmp/redbarn-suite.log; rm -rf "$work"' EXIT
for _ in $(seq 100); do
    grep -q event=listening "$log" && break
    sleep 0.1
done
port=$(sed -n 's/.*event=listening port=\([0-9]*\).*/\1/p' "$log" | head -1)
[ -n "$port" ] || { cat "$log"; exit 1; }
ask() { psql -X -q -h 127.0.0.1 -p "$port" -U dev -d dev -v ON_ERROR_STOP=1 "$@"; }
cp -r "$checkout" "$work/suite"
# The server's certificate is its own: these clients verify it by default.
export SSL_CERT_FILE="$work/warehouse/server/server.crt"
export DBT_SEND_ANONYMOUS_USAGE_STATS=false DO_NOT_TRACK=1
case $suite in
redshift_connector)
    ask -c "CREATE USER awsuser PASSWORD 'Awsuser12' CREATEUSER"
    cd "$work/suite"
    rm -rf redshift_connector
    sed -i "s/--port 5439/--port $port/" test/integration/datatype/_generate_test_datatype_tables.py
    cat >test/config.ini <<INI
[ci-cluster]
database = dev
host = localhost
test_user = dev
test_password = Secret123
region = us-east-1
cluster_identifier = redbarn
[default-test]
port = $port
ssl = True
sslmode = verify-ca
[cluster-setup]
groups = group1,group2
INI
    "$environment/bin/python" -m pytest -q -o addopts= -p no:cacheprovider test/integration \
        --ignore=test/integration/plugin --ignore=test/integration/test_idp_token_auth_integration.py "$@"
    ;;
sqlalchemy)
    cd "$work/suite"
    export REDSHIFT_HOST=127.0.0.1 REDSHIFT_PORT=$port REDSHIFT_USERNAME=dev REDSHIFT_DATABASE=dev
    cp "$SSL_CERT_FILE" sqlalchemy_redshift/redshift-ca-bundle.crt
    "$environment/bin/python" -m pytest -q -o addopts= -p no:cacheprovider tests --dbdriver psycopg2 --dbdriver redshift_connector "$@"
    ;;
dbt)
    cd "$work/suite/dbt-redshift"
    export REDSHIFT_TEST_HOST=127.0.0.1 REDSHIFT_TEST_PORT=$port REDSHIFT_TEST_DBNAME=dev REDSHIFT_TEST_USER=dev
    export REDSHIFT_TEST_PASS=Secret123 REDSHIFT_TEST_REGION=us-east-1
    export DBT_TEST_USER_1=dbt_test_user_1 DBT_TEST_USER_2=dbt_test_user_2 DBT_TEST_USER_3=dbt_test_user_3
    export DBT_TEST_GROUP_1=dbt_test_group_1
    for number in 1 2 3; do ask -c "CREATE USER dbt_test_user_$number PASSWORD 'Dbt_test_$number'"; done
    ask -c "CREATE GROUP dbt_test_group_1"
    "$environment/bin/python" -m pytest -q -o addopts= -p no:cacheprovider tests/functional --ignore=tests/functional/test_type_oid_mapping.py \
        --ignore=tests/functional/functions "$@"
    ;;
*)
    echo "no suite $suite"
    exit 2
    ;;
esac
