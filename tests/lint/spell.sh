#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# spell.sh SOURCE_DIR: no common misspelling in what people read. spell-words.txt lists what is
# meant as it stands.
set -eu

cd "$1"
codespell --quiet-level 2 --ignore-words tests/lint/spell-words.txt \
    --skip './build,./.git,./tests/data,./tests/fuzz/corpus,./LICENSE,*.pyc,go.sum' .
