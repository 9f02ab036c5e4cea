#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# layers.sh SOURCE_DIR: includes go one way, host -> wire -> core, and every third-party header
# has one file that includes it.
set -eu

cd "$1"
files=$(find include extender -name '*.[ch]' | LC_ALL=C sort)
# shellcheck disable=SC2086 # names of the house have no spaces
grep -nE '^[[:space:]]*#[[:space:]]*include' $files /dev/null | awk -v files="$files" '
BEGIN {
    iso = " assert ctype errno float inttypes limits locale math setjmp signal stdalign stdarg" \
          " stdatomic stdbool stddef stdint stdio stdlib string time wchar wctype "
    core_may = " assert float inttypes limits math stdalign stdarg stdbool stddef stdint stdio" \
               " stdlib string "
    posix = " dirent fcntl fnmatch getopt langinfo libgen linux/tcp netdb netinet/in poll pthread" \
            " pwd termios unistd "
    owner["cjson/cJSON.h"] = "extender/wire/json.c"
    owner["curl/curl.h"] = "extender/host/transfer.c"
    owner["gnutls/abstract.h"] = "extender/host/server_tls.c"
    owner["microhttpd.h"] = "extender/host/server.c"
    owner["yaml.h"] = "extender/wire/yaml.c"
    rank["core"] = 0
    rank["wire"] = 1
    rank["host"] = 2
    n = split(files, all, "\n")
    for (i = 1; i <= n; i++)
        exists[all[i]] = 1
}
function fault(text) {
    print place ": " text
    bad = 1
}
# A contract belongs to the lowest room that has a source of its name; one without is of core.
function contract_room(noun) {
    if (exists["extender/core/" noun ".c"])
        return "core"
    if (exists["extender/wire/" noun ".c"])
        return "wire"
    return exists["extender/host/" noun ".c"] ? "host" : "core"
}
function room_of(file, part) {
    split(file, part, "/")
    if (part[1] == "extender")
        return part[2]
    sub(/\.h$/, "", part[3])
    return contract_room(part[3])
}
function check_own(file, room, name, noun, dir) {
    if (name ~ /^fabricbind\/[a-z0-9_]+\.h$/) {
        noun = substr(name, 12, length(name) - 13)
        if (!exists["include/" name])
            fault("no such contract: " name)
        else if (rank[contract_room(noun)] > rank[room])
            fault(room " includes " name ", a contract of " contract_room(noun))
        return
    }
    dir = file
    sub(/[^\/]*$/, "", dir)
    if (file ~ /^include\//)
        fault("a contract includes " name ", which is none")
    else if (name ~ /\// || !exists[dir name])
        fault(name " is no header of this room")
}
function check_angle(file, room, name, noun) {
    noun = name
    sub(/\.h$/, "", noun)
    if (name == "uthash.h") {
        if (file ~ /^include\// || room == "host")
            fault("uthash.h is for the sources of core and wire")
    } else if (index(iso, " " noun " ")) {
        if (room == "core" && !index(core_may, " " noun " "))
            fault("core does not include <" name ">")
    } else if (index(posix, " " noun " ") || name ~ /^sys\//) {
        if (room == "core")
            fault("core does not include <" name ">")
    } else
        check_third_party(file, room, name)
}
function check_third_party(file, room, name) {
    if (room == "core" || file ~ /^include\//)
        fault("<" name "> in core or in a contract")
    else if (name in owner && owner[name] != file)
        fault("<" name "> is included by " owner[name] " only")
    else
        owner[name] = file
}
{
    file = $0
    sub(/:.*/, "", file)
    place = $0
    sub(/:[^:]*$/, "", place)
    name = $0
    sub(/^[^"<]*/, "", name)
    kind = substr(name, 1, 1)
    name = substr(name, 2)
    sub(/[">].*/, "", name)
    match($0, /:[0-9]+:/)
    place = file substr($0, RSTART, RLENGTH - 1)
    seen++
    if (kind == "\"")
        check_own(file, room_of(file), name)
    else if (kind == "<")
        check_angle(file, room_of(file), name)
    else
        fault("an include whose name cannot be read")
}
END {
    if (!seen) {
        print "no include was found: this test is broken"
        bad = 1
    }
    exit bad
}'
