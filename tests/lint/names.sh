#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# names.sh SOURCE_DIR: what is true of one cloud only stands in policies/, so no name of a
# provider, an instance type or a NIC resource of theirs stands in the code, not in a comment
# either.
set -eu

cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Sellers and their Kubernetes services, which name no policy but mean one.
printf '%s\n' amazon amazonaws microsoft google googleapis oracle eks aks gke oke >"$work/words"
for policy in policies/*.yaml; do
    awk '
    /^[ \t]*#/ { next }
    { sub(/[ \t]#.*/, "") }
    /^[A-Za-z]/ { section = $1 }
    /^provider:/ { print $2 }
    section == "shapes:" && /^  [^ ]/ {
        name = $0
        sub(/^  "?/, "", name)
        sub(/"?:( .*)?$/, "", name)
        sub(/"?: .*/, "", name)
        print name
    }
    section == "nics:" {
        rest = $0
        while (match(rest, /[A-Za-z0-9_.*-]+\/[A-Za-z0-9_.*-]*/)) {
            name = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH)
            if (name !~ /^\*/) {
                sub(/\*.*/, "", name)
                print name
            }
        }
    }' "$policy" >"$work/found"
    [ "$(wc -l <"$work/found")" -ge 2 ] || { echo "$policy: no names found in it"; exit 1; }
    cat "$work/found" >>"$work/words"
done

# One expression a word, bounded by what is no letter and no digit, dots taken literally.
LC_ALL=C sort -u "$work/words" | sed -e '/^$/d' -e 's/[].*+?(){}|^$\\[]/\\&/g' \
    -e 's/^/(^|[^A-Za-z0-9])/' -e 's/[A-Za-z0-9]$/&([^A-Za-z0-9]|$)/' >"$work/expressions"
if grep -rniE -f "$work/expressions" extender include; then
    echo 'the lines above name a provider, an instance type or a NIC resource: policies/ is the place'
    exit 1
fi
