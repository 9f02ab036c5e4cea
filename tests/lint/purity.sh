#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# purity.sh LIBRARY SYMBOLS: the core calls nothing but what SYMBOLS lists, and what decides
# whether a pod fits has no floating-point instruction. Meant for the release build: a debug
# build has assert.
set -eu

library=$1
symbols=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# A symbol undefined in one member may be defined in another.
nm "$library" | awk 'NF == 3 { print $3 }' | LC_ALL=C sort -u >"$work/defined"
nm --undefined-only "$library" | awk '$1 == "U" { print $2 }' | LC_ALL=C sort -u >"$work/used"
sed 's/#.*//' "$symbols" | tr -s ' ' '\n' | LC_ALL=C sort -u >"$work/allowed"
[ -s "$work/used" ] || { echo "$library: no symbol was found: this test is broken"; status=1; }
LC_ALL=C comm -23 "$work/used" "$work/defined" | LC_ALL=C comm -23 - "$work/allowed" >"$work/extra"
if [ -s "$work/extra" ]; then
    echo "$library needs what the core must not:"
    cat "$work/extra"
    status=1
fi

case $(uname -m) in
x86_64 | i?86)
    # Arithmetic, comparison and conversion in SSE and AVX, and all of x87. Moves and packed
    # integers are how compilers copy and clear structures.
    float='v?(add|sub|mul|div|sqrt|rsqrt|rcp|min|max|round|h?add|h?sub|addsub|dp)[sp][sd]'
    float="$float|v?cvt[a-z0-9]+|v?u?comis[sd]|v?cmp[a-z]*[sp][sd]|v?fn?m(add|sub)[0-9]+[sp][sd]"
    float="$float|f[a-z0-9]+"
    ;;
aarch64 | arm64)
    float='f(add|n?mul|div|n?madd|n?msub|ml[as]|sqrt|neg|abs|max|min|cmp|ccmp|cvt|rint|csel)[a-z0-9]*'
    float="$float|[su]cvtf"
    ;;
*)
    echo "no list of floating-point instructions for $(uname -m)"
    exit 1
    ;;
esac

# Mnemonics that match, with the function they stand in.
float_in() {
    objdump -d --no-show-raw-insn -w "$1" | awk -v float="^($float)$" '
    /^[0-9a-f]+ <.*>:$/ { function_name = $2; next }
    $1 !~ /^[0-9a-f]+:$/ { next }
    {
        i = 2
        while ($i ~ /^(lock|rep|repz|repnz|data16|bnd|notrack|[c-gs]s)$/)
            i++
        if ($i ~ float)
            print "  " function_name " " $0
    }'
}

(cd "$work" && ar x "$library")
for noun in quantity ratio resources need fit pack; do
    ls "$work/$noun".c.o "$work/$noun"_*.c.o >"$work/members" 2>/dev/null || true
    if [ ! -s "$work/members" ]; then
        echo "$library: no member for $noun"
        status=1
    fi
    while read -r member; do
        found=$(float_in "$member")
        [ -z "$found" ] && continue
        printf '%s has floating-point instructions:\n%s\n' "${member##*/}" "$found"
        status=1
    done <"$work/members"
done
# The score is a double: where none is seen there, none would be seen elsewhere.
if [ -z "$(float_in "$work/score.c.o")" ]; then
    echo 'no floating-point instruction in score: this test is broken'
    status=1
fi
exit $status
