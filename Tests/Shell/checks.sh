# For shell tests, which source it: counts, comparisons, and a folder that goes with the test.
passed=0
failed=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# check NAME EXPECTED ACTUAL
check() {
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n--- expected\n%s\n--- actual\n%s\n' "$1" "$2" "$3"
    fi
}
# contains NAME PART TEXT
contains() {
    case "$3" in
        *"$2"*) passed=$((passed + 1)) ;;
        *)
            failed=$((failed + 1))
            printf 'FAILED: %s\n--- expected to contain\n%s\n--- actual\n%s\n' "$1" "$2" "$3"
            ;;
    esac
}
