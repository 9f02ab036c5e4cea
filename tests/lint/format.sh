#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# format.sh SOURCE_DIR: every C file is as clang-format would write it.
set -eu

cd "$1"
find include extender tests -name '*.[ch]' -exec clang-format --dry-run -Werror {} +
