#!/bin/bash
# Every test: builds, Swift tests, SQL scripts in several shapes of warehouse, clients, plans, TPC-H answers. Ends with "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")/.."

passed=0
failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
: >"$scratch/failures"
say() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }

# Counts failures, and keeps what they printed for the end, where it is looked for: what, how many, log.
fail() {
    failed=$((failed + $2))
    {
        echo "FAILED: $1 ($2)"
        [ -z "${3:-}" ] || { grep -niE -A 12 'FAIL|✘|error:|Fatal|not ok|differ' "$3" || tail -20 "$3"; } |
            grep -vE '[0-9]+ passed, 0 failed' | cut -c 1-300 | tail -60
    } >>"$scratch/failures"
}

# Runs a step that counts as one test.
step() {
    local name=$1
    shift
    "$@" </dev/null 2>&1 | tee "$scratch/step.log"
    if [ "${PIPESTATUS[0]}" = 0 ]; then
        passed=$((passed + 1))
    else
        fail "$name" 1 "$scratch/step.log"
    fi
}

# Takes over the counts that a runner printed as "N passed, N failed" in its last such line.
count_from() {
    local line
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$1" | tail -1)
    if [ -z "$line" ]; then
        fail "no result in the output of $2" 1 "$1"
        return
    fi
    passed=$((passed + $(echo "$line" | cut -d' ' -f1)))
    local bad
    bad=$(echo "$line" | cut -d' ' -f3)
    [ "$bad" = 0 ] || fail "$2" "$bad" "$1"
}

finish() {
    [ ! -s "$scratch/failures" ] || { printf '\n== What failed (%s s)\n' "$SECONDS"; cat "$scratch/failures"; }
    printf '\n%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" = 0 ]
    exit
}

say "Set-up"
if ! scripts/prepare.sh; then
    fail "scripts/prepare.sh" 1
    finish
fi

say "Release build"
if ! bin=$(scripts/build.sh); then
    fail "scripts/build.sh" 1
    finish
fi
redbarn=$bin/redbarn

say "Format"
lint() {
    swift format lint --strict --parallel --recursive Sources Tests >"$scratch/lint.log" 2>&1 && return
    head -40 "$scratch/lint.log"
    echo "$(wc -l <"$scratch/lint.log") remarks; \"swift format -i --parallel --recursive Sources Tests\" repairs most"
    false
}
if swift format --version >/dev/null 2>&1 </dev/null; then
    step "swift format lint" lint
else
    echo "swift format is not in this toolchain: not checked"
fi

say "Swift tests"
swift build --build-tests </dev/null >"$scratch/build-tests.log" 2>&1
if [ $? != 0 ]; then
    fail "swift build --build-tests" 1 "$scratch/build-tests.log"
else
    swift test --skip-build </dev/null >"$scratch/swift-test.log" 2>&1
    status=$?
    grep -E '✘|error:|Fatal' "$scratch/swift-test.log" | head -60
    # "Test run with 312 tests in 40 suites passed" or "... failed after 3 seconds with 2 issues."
    tests=$(grep -oE 'Test run with [0-9]+ test' "$scratch/swift-test.log" | tail -1 | grep -oE '[0-9]+')
    tests=${tests:-0}
    bad=$(grep -E '✘ Test .* failed after' "$scratch/swift-test.log" | grep -vc 'Test run with')
    if [ $status != 0 ] && [ "$bad" = 0 ]; then bad=1; tail -20 "$scratch/swift-test.log"; fi
    [ "$tests" -ge "$bad" ] || tests=$bad
    echo "$tests Swift tests, $bad failed"
    passed=$((passed + tests - bad))
    if [ "$bad" != 0 ]; then
        { grep -E '✘|error:|Fatal' "$scratch/swift-test.log" || tail -20 "$scratch/swift-test.log"; } >"$scratch/swift-failures.log"
        fail "swift test" "$bad" "$scratch/swift-failures.log"
    fi
fi

say "Embedding example"
example() {
    "$(swift build --show-bin-path)/embedding-example" "$scratch/embedding" >"$scratch/embedding.out" &&
        diff Examples/Embedding/expected.txt "$scratch/embedding.out"
}
step "embedding example" example

say "SQL scripts"
if [ -x scripts/slt.sh ]; then
    scripts/slt.sh </dev/null 2>&1 | tee "$scratch/slt.log"
    count_from "$scratch/slt.log" scripts/slt.sh
fi

say "Isolation, crashes, damage"
runner=$(dirname "$redbarn")/redbarn-slt
"$runner" --damage 2000 </dev/null 2>&1 | tee "$scratch/damage.log"
count_from "$scratch/damage.log" "redbarn-slt --damage"
if python=$(scripts/test_python.sh); then
    "$python" Tests/Crash/histories.py "$redbarn" --transactions 1000 </dev/null 2>&1 | tee "$scratch/histories.log"
    count_from "$scratch/histories.log" histories.py
    "$python" Tests/Crash/ledger.py "$redbarn" --rounds 20 </dev/null 2>&1 | tee "$scratch/ledger.log"
    count_from "$scratch/ledger.log" ledger.py
    "$python" Tests/differential/random_changes.py --redbarn "$redbarn" --count 400 </dev/null 2>&1 |
        tee "$scratch/changes.log"
    count_from "$scratch/changes.log" random_changes.py
    for trial in restarts descriptors damaged_files; do
        "$python" "Tests/Crash/$trial.py" "$redbarn" </dev/null 2>&1 | tee "$scratch/$trial.log"
        count_from "$scratch/$trial.log" "$trial.py"
    done
else
    fail "no Python with duckdb and psycopg: histories, ledger, random changes and fuzzers are not run" 1
fi

say "Shell"
scripts/test_shell.sh "$redbarn" </dev/null 2>&1 | tee "$scratch/shell.log"
count_from "$scratch/shell.log" scripts/test_shell.sh
python3 Tests/Shell/typed_characters.py "$redbarn" </dev/null 2>&1 | tee "$scratch/typed.log"
count_from "$scratch/typed.log" Tests/Shell/typed_characters.py
Tests/Shell/wlm_check.sh "$redbarn" </dev/null 2>&1 | tee "$scratch/wlm.log"
count_from "$scratch/wlm.log" Tests/Shell/wlm_check.sh
python3 Tests/Shell/wlm_terminal.py "$redbarn" </dev/null 2>&1 | tee "$scratch/wlm-terminal.log"
count_from "$scratch/wlm-terminal.log" Tests/Shell/wlm_terminal.py
Tests/Shell/import_check.sh "$redbarn" </dev/null 2>&1 | tee "$scratch/import.log"
count_from "$scratch/import.log" Tests/Shell/import_check.sh

# A minute of installing, two of running; REDBARN_CLIENTS=0 leaves them out.
if [ "${REDBARN_CLIENTS:-1}" = 1 ]; then
    say "Clients"
    if python=$(Tests/Clients/prepare.sh 2>"$scratch/clients-prepare.log"); then
        PYTHON=$python Tests/Clients/run.sh "$redbarn" </dev/null 2>&1 | tee "$scratch/clients.log"
        count_from "$scratch/clients.log" Tests/Clients/run.sh
        if python=$(Tests/Clients/prepare.sh old 2>>"$scratch/clients-prepare.log"); then
            PYTHON=$python Tests/Clients/run.sh "$redbarn" psycopg2 psycopg3 asyncpg redshift pg8000 sqlalchemy </dev/null 2>&1 |
                tee "$scratch/clients-old.log"
            count_from "$scratch/clients-old.log" Tests/Clients/run.sh
        fi
    else
        fail "could not install the clients" 1 "$scratch/clients-prepare.log"
    fi
fi

# Behind the clients, who bring PostgreSQL.
if python=$(scripts/test_python.sh); then
    say "Fuzzers: against other engines and other worlds, and with extremes"
    alone=()
    ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || alone=(--alone)
    "$python" Tests/differential/fuzz.py "$redbarn" --count 4000 --seconds 150 "${alone[@]}" </dev/null 2>&1 | tee "$scratch/fuzz.log"
    count_from "$scratch/fuzz.log" fuzz.py
    "$python" Tests/boundary/boundary.py "$redbarn" --seconds 60 </dev/null 2>&1 | tee "$scratch/boundary.log"
    count_from "$scratch/boundary.log" boundary.py

    say "S3"
    "$python" Tests/S3/s3.py "$redbarn" </dev/null 2>&1 | tee "$scratch/s3.log"
    count_from "$scratch/s3.log" s3.py

    say "Workload management"
    "$python" Tests/Workload/wlm.py "$redbarn" --slack 3 </dev/null 2>&1 | tee "$scratch/workload.log"
    count_from "$scratch/workload.log" wlm.py

    say "Limits: planning, memory"
    # Beside nothing else, but on machines of any speed.
    "$python" Tests/Limits/planning_bombs.py "$redbarn" --slack 3 </dev/null 2>&1 | tee "$scratch/bombs.log"
    count_from "$scratch/bombs.log" planning_bombs.py
    "$python" Tests/Limits/memory_bound.py "$redbarn" </dev/null 2>&1 | tee "$scratch/memory.log"
    count_from "$scratch/memory.log" memory_bound.py
fi

say "Plans of TPC-H queries"
step "plans" scripts/plans.sh

say "TPC-H answers at scale 0.01"
if datasets/tpch.sh 0.01 >/dev/null </dev/null; then
    for slices in 1 2 8; do
        step "TPC-H at $slices slices" "$redbarn" bench tpch --scale 0.01 --runs 1 --slices "$slices"
    done
    step "TPC-H without keys" "$redbarn" bench tpch --scale 0.01 --runs 0 --slices 2 --keys none
    Tests/Shell/bench_mixed.sh "$redbarn" </dev/null 2>&1 | tee "$scratch/mixed.log"
    count_from "$scratch/mixed.log" Tests/Shell/bench_mixed.sh
else
    fail "could not make TPC-H data" 1
fi

finish
