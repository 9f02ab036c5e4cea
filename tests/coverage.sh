#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# coverage.sh: how much of the core the unit tests alone run through. Fails under 95 % of lines or
# 85 % of branches, and on any mark that takes a line out of the count.
set -eu

cd "$(dirname "$0")/.."
build=build/coverage

if grep -rnE '(GCOV|GCOVR|LCOV)_EXCL' extender include tests --include='*.[ch]'; then
    echo 'lines are taken out of the count'
    exit 1
fi
# NDEBUG: the branch of an assertion that fails is none that a test could take. Some tests have
# threads, which count together.
cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_C_FLAGS_DEBUG='-O0 -g -DNDEBUG --coverage -fprofile-abs-path -fprofile-update=atomic' -DBUILD_TESTING=ON
cmake --build $build
find $build -name '*.gcda' -exec rm -f {} +
ctest --test-dir $build --label-regex '^unit$' --output-on-failure --no-tests=error \
    --parallel "$(nproc)"
gcovr --root . --filter 'extender/core/' --print-summary \
    --fail-under-line 95 --fail-under-branch 85 $build
