#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# long.sh SOURCE_DIR: no C file over 450 lines. Long functions are clang-tidy's to find.
set -eu

cd "$1"
find include extender tests -name '*.[ch]' -exec wc -l {} + | awk '
$2 != "total" && $1 > 450 { print $2 ": " $1 " lines, 450 are the most"; bad = 1 }
END { exit bad }'
