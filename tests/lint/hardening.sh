#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hardening.sh PROGRAM: position independent, read-only after relocation, bound at start, no
# executable stack.
set -eu

program=$1
status=0
need() {
    if ! printf '%s\n' "$2" | grep -qE "$3"; then
        echo "$program: not $1"
        status=1
    fi
}
header=$(readelf -hW "$program")
segments=$(readelf -lW "$program")
dynamic=$(readelf -dW "$program")
need 'position independent' "$header" 'Type:[[:space:]]+DYN'
need 'position independent (PIE)' "$dynamic" 'FLAGS_1.*PIE'
need 'read-only after relocation (RELRO)' "$segments" 'GNU_RELRO'
need 'bound at start (BIND_NOW)' "$dynamic" 'BIND_NOW|FLAGS_1.*NOW'
need 'free of an executable stack' "$segments" 'GNU_STACK.*RW '
exit $status
