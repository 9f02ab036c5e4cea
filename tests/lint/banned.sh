#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# banned.sh FILE...: no object, library or program calls what the house does not use. Looked for in
# the object code: no macro hides a call, no comment looks like one.
set -eu

banned='strcpy|strcat|sprintf|vsprintf|strtok|gmtime|localtime|atoi|rand'
status=0
for file in "$@"; do
    symbols=$(nm --undefined-only "$file")
    if printf '%s\n' "$symbols" | grep -wE "U (__)?($banned)(_chk)?"; then
        echo "$file calls what is banned"
        status=1
    fi
done
exit $status
