#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh: installs what the tests need, builds every preset, runs every test and gate. The last
# line is "N passed, N failed", with ", N skipped" where there was reason to; exit 1 when one
# failed or none ran. Logs stay in build/logs.
set -u
exec </dev/null

cd "$(dirname "$0")/.." || exit 1
. deploy/packages.sh

test_packages='libcmocka-dev clang clang-format clang-tidy libclang-rt-14-dev gcovr codespell
    python3 python3-jsonpatch libxml2-utils binutils patch'
logs=build/logs
passed=0
failed=0
skipped=0
failures=''

pass() {
    passed=$((passed + 1))
}

# fail NAME [REASON]
fail() {
    failed=$((failed + 1))
    failures="$failures $1"
    echo "FAILED: $1${2:+: $2}"
}

# skip NAME REASON
skip() {
    skipped=$((skipped + 1))
    echo "skipped: $1: $2"
}

show_log() {
    echo "--- $1"
    cat "$1"
    echo "---"
}

# gate NAME COMMAND...: one check, passed when the command succeeds; shows its output when not.
gate() {
    name=$1
    shift
    if "$@" >"$logs/$name.log" 2>&1; then
        pass
        echo "passed: $name"
        return 0
    fi
    show_log "$logs/$name.log"
    fail "$name"
    return 1
}

# build PRESET [-DVARIABLE=...]
build() {
    preset=$1
    gate "build.$preset" configure_and_build "$@"
}

# shellcheck disable=SC2317 # called by gate
configure_and_build() {
    cmake --preset "$@" && cmake --build --preset "$1" -- -k 0
}

# count_junit PRESET: adds the cases of a JUnit report to the counts, and names those that did
# not pass. Returns 1 when there is no readable report.
count_junit() {
    report=$logs/ctest.$1.xml
    [ -s "$report" ] || return 1
    # Only a test that says so itself was skipped; one whose program is missing has failed.
    cases=$(awk '
    /^[ \t]*<testcase name="/ {
        split($0, quoted, "\"")
        name = quoted[2]
        result = $0
        sub(/.* status="/, "", result)
        sub(/".*/, "", result)
        if (result == "notrun") {
            getline
            result = /<skipped message="SKIP_/ ? "skipped" : "fail"
        }
        print name, result
    }' "$report")
    [ -n "$cases" ] || return 1
    while read -r name result; do
        case $result in
        run) pass ;;
        disabled) skip "$1: $name" 'disabled' ;;
        skipped) skip "$1: $name" 'it says that it cannot run here' ;;
        *) fail "$1:$name" ;;
        esac
    done <<END
$cases
END
}

# run_tests PRESET [COMMAND PREFIX...]: the tests of a preset, each counted.
run_tests() {
    preset=$1
    shift
    before=$failed
    rm -f "$logs/ctest.$preset.xml"
    code=0
    "$@" ctest --preset "$preset" --parallel "$(nproc)" \
        --output-junit "$PWD/$logs/ctest.$preset.xml" >"$logs/ctest.$preset.log" 2>&1 || code=$?
    [ $code -eq 0 ] || show_log "$logs/ctest.$preset.log"
    if ! count_junit "$preset"; then
        fail "$preset:ctest"
    elif [ $code -ne 0 ] && [ "$failed" -eq "$before" ]; then
        fail "$preset:ctest"
    fi
    sed -n '/tests passed/s/^/'"$preset"': /p' "$logs/ctest.$preset.log"
}

# runs SANITIZER [COMMAND PREFIX...]: does a program built with it start on this machine?
runs() {
    sanitizer=$1
    shift
    printf 'int main(void)\n{\n    return 0;\n}\n' >"$logs/probe.c"
    gcc "-fsanitize=$sanitizer" -o "$logs/probe" "$logs/probe.c" &&
        "$@" "$logs/probe"
}

# Kernels that randomize much put memory where the sanitizers of these compilers want their own.
find_prefix() {
    for sanitizer in address thread; do
        runs $sanitizer && continue
        prefix="setarch $(uname -m) -R"
    done >"$logs/probe.log" 2>&1
}

run_mutants() {
    if ! ls tests/mutants/*.patch >/dev/null 2>&1; then
        fail mutants
        return
    fi
    sh tests/mutants/run.sh >"$logs/mutants.log" 2>&1
    code=$?
    before=$failed
    while read -r word name rest; do
        case $word in
        killed) pass ;;
        FAILED) fail "mutant:${name%:}" "$rest" ;;
        esac
    done <"$logs/mutants.log"
    if [ $code -ne 0 ]; then
        show_log "$logs/mutants.log"
        [ "$failed" -gt "$before" ] || fail mutants
    fi
    echo "mutants: $(grep -c '^killed ' "$logs/mutants.log") killed"
}

# has_go: is there a Go that the modules of the tests are written for?
has_go() {
    case $(go env GOVERSION 2>/dev/null) in
    go1.2[6-9]* | go1.[3-9][0-9]*) return 0 ;;
    *) return 1 ;;
    esac
}

# go_gate NAME MODULE [FLAG...]: the tests of a module of Go's, where there is a Go for them. With
# the flag -v those that skip themselves are counted by name.
go_gate() {
    name=$1
    module=$2
    shift 2
    if ! has_go; then
        skip "$name" 'Go 1.26 is not installed'
        return
    fi
    gate "$name" go -C "$module" test "$@" ./...
    count_skipped "$name"
}

# count_skipped NAME: the tests that skipped themselves in the log of a gate.
count_skipped() {
    name=$1
    sed -n 's/^ *--- SKIP: \([^ ]*\).*/\1/p' "$logs/$name.log" >"$logs/$name.skipped"
    while read -r test; do
        skip "$name:$test" 'it says that it cannot run here'
    done <"$logs/$name.skipped"
}

# The pods that integration.parity left behind against the schema of core/v1, the program driven as
# Volcano's scheduler drives an extender, a real API server with the program beside it (built the
# first time, which takes minutes), and the extender that benchmarks compare it with.
run_go() {
    export PODS="$PWD/build/dev/parity"
    export FB_BIN="$PWD/build/dev/fabricbind" FB_RECORDED="$PWD/build/dev/recorded"
    go_gate schema tests/schema
    go_gate volcanorules tests/e2e/volcanorules
    go_gate cluster tests/e2e/cluster -v -timeout 45m
    go_gate peer tests/bench/peer-go
}

# The program of a sanitizer beside an API server, in those tests that its README lists.
cluster_part='TestGangWithoutAnnotation|TestUsersOwnValuesDoNotSurvive|TestChoiceSurvivesARestart'
cluster_part="$cluster_part|TestOutageOfTheAPIServer|TestForgedReviews|TestWhatIsNoReview"
cluster_part="$cluster_part|TestReplicasRaceForTheSecret"

# run_cluster PRESET [COMMAND PREFIX...]
run_cluster() {
    preset=$1
    shift
    name=cluster.$preset
    if ! has_go; then
        skip "$name" 'Go 1.26 is not installed'
        return
    fi
    FB_BIN="$PWD/build/$preset/fabricbind"
    gate "$name" "$@" go -C tests/e2e/cluster test -v -timeout 30m -run "$cluster_part" ./program
    count_skipped "$name"
}

finish() {
    for name in $failures; do
        echo "failed: $name"
    done
    line="$passed passed, $failed failed"
    [ $skipped -eq 0 ] || line="$line, $skipped skipped"
    echo "$line"
    [ $failed -eq 0 ] && [ $passed -gt 0 ]
    exit
}

# shellcheck disable=SC2086 # one word a package
install_missing $build_packages $test_packages || { fail packages; finish; }
mkdir -p $logs
prefix=''
find_prefix

build dev && run_tests dev
run_go
build release -DFB_WERROR=ON && run_tests release
# shellcheck disable=SC2086 # a command and its arguments, or nothing
build asan && run_tests asan $prefix && run_cluster asan $prefix
# shellcheck disable=SC2086
if runs thread $prefix >"$logs/probe.log" 2>&1; then
    build tsan && run_tests tsan $prefix && run_cluster tsan $prefix
else
    build tsan
    skip tsan 'programs built with -fsanitize=thread do not start on this machine'
fi
build tidy
# shellcheck disable=SC2086
build fuzz && run_tests fuzz $prefix
gate coverage sh tests/coverage.sh
sed -n '/^lines:/p; /^branches:/p' "$logs/coverage.log"
run_mutants
finish
