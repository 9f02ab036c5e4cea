#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shell.sh SOURCE_DIR: every script parses in the shell that its first line names, and is clean
# where shellcheck is installed.
set -eu

cd "$1"
status=0
seen=0
for file in .ci/run $(find deploy tests -path tests/data -prune -o -type f -print | LC_ALL=C sort); do
    case $(head -n 1 "$file" | tr -d '\0') in
    '#!/bin/sh'*) shell='sh' ;;
    '#!/usr/bin/env bash'* | '#!/bin/bash'*) shell='bash' ;;
    *) continue ;;
    esac
    seen=$((seen + 1))
    "$shell" -n "$file" || status=1
    if command -v shellcheck >/dev/null 2>&1; then
        shellcheck -x "$file" || status=1
    fi
done
[ "$seen" -gt 0 ] || { echo 'no script was found: this test is broken'; status=1; }
exit $status
