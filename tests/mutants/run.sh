#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh [PATCH...]: puts one fault after the other into a copy of the tree and wants the test that
# its patch names to fail. Patches start with a line "# expect: <CTest name>". Prints one line a
# patch, "killed" or "FAILED" with the reason; exit 1 on any of the latter.
set -eu

cd "$(dirname "$0")/../.."
source=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
tree=$work/tree
build=$tree/build/mutants # where the program finds the policies of the tree
log=$work/log

[ $# -gt 0 ] || set -- tests/mutants/*.patch

expected() {
    sed -n 's/^# expect: *\([A-Za-z0-9_.-]*\) *$/\1/p' "$1" | head -n 1
}

# The target that a CTest name needs: a unit test is a program, all others run the real one.
target_of() {
    case $1 in
    unit.*) echo "test_${1#unit.}" ;;
    *) echo fabricbind ;;
    esac
}

run_test() {
    ctest --test-dir "$build" --tests-regex "^$(echo "$1" | sed 's/\./\\./g')\$" \
        --output-on-failure --no-tests=error
}

# verdict PATCH NAME: empty when the mutant was killed, else what went wrong.
verdict() {
    if [ -z "$2" ]; then
        echo 'no line "# expect: <test>"'
    elif ! patch -p1 -d "$tree" --batch --forward --reject-file=- <"$1" >"$log" 2>&1; then
        echo 'the patch no longer applies'
    elif ! cmake --build "$build" --target "$(target_of "$2")" >"$log" 2>&1; then
        echo 'the mutant does not compile'
    elif run_test "$2" >"$log" 2>&1; then
        echo "$2 passes all the same"
    elif grep -q 'No tests were found' "$log"; then
        echo "there is no test $2"
    fi
}

# Restores the files that a patch touched, with a new time, so that they are built again.
restore() {
    sed -n 's/^+++ b\/\([^[:space:]]*\).*/\1/p' "$1" | while read -r file; do
        cat "$source/$file" >"$tree/$file"
    done
}

mkdir "$tree"
tar -C "$source" --exclude=./build --exclude=./.git -cf - . | tar -C "$tree" -xf -
cmake -S "$tree" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1 \
    -DBUILD_TESTING=ON >"$log" 2>&1 || { cat "$log"; exit 1; }

# Without a fault every named test passes; else its failure would tell nothing.
names=$(for patch in "$@"; do expected "$patch"; done | LC_ALL=C sort -u)
for name in $names; do
    if ! { cmake --build "$build" --target "$(target_of "$name")" && run_test "$name"; } \
        >"$log" 2>&1; then
        cat "$log"
        echo "FAILED $name: does not pass without a mutant"
        exit 1
    fi
done

status=0
for patch in "$@"; do
    name=$(expected "$patch")
    why=$(verdict "$patch" "$name")
    if [ -z "$why" ]; then
        echo "killed $(basename "$patch" .patch) by $name"
    else
        echo "FAILED $(basename "$patch" .patch): $why"
        status=1
    fi
    restore "$patch"
done
exit $status
