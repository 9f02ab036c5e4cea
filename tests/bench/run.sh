#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh: builds the release, the benchmarks in C and the peer in Go, measures all and prints
# the ratios; build/bench.json has the figures. See README.md.
set -eu

cd "$(dirname "$0")/../.."
. deploy/packages.sh
# shellcheck disable=SC2086 # one word a package
install_missing $build_packages libcmocka-dev python3
mkdir -p build
{
    cmake --preset release
    cmake --build --preset release --target fabricbind bench_scan bench_admission
    go build -C tests/bench/peer-go -o ../../../build/peer-go .
} >build/bench.log 2>&1 || {
    cat build/bench.log
    exit 1
}

echo 'the scanner against cJSON, the same look-ups on the same bodies'
build/release/tests/bench/bench_scan build/release/recorded
build/release/tests/bench/bench_scan --json build/release/recorded >build/bench-scan.json
printf '\nthe server against an extender in Go, the same bodies from the same client\n'
python3 tests/bench/server.py --binary build/release/fabricbind --peer build/peer-go \
    --recorded build/release/recorded/aws --snapshot tests/data/snapshots/aws \
    --work build/bench --scan build/bench-scan.json --json build/bench.json "$@"
printf '\nthe admission webhooks, CPU of a review without sockets and TLS\n'
mkdir -p build/bench-nodes
cp tests/data/snapshots/aws/nodes.json build/bench-nodes
build/release/tests/bench/bench_admission policies build/bench-nodes \
    build/release/recorded/admission/aws
