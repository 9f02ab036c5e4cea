#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# From a clone to answers: installs what is missing, builds the program, and asks it about the
# example cluster. Asks no questions; runs from any directory, as root or with sudo.
set -eu

cd "$(dirname "$0")/.."
. deploy/packages.sh

# shellcheck disable=SC2086 # one word a package
install_missing $build_packages

echo 'building build/release/fabricbind'
mkdir -p build
if ! { cmake --preset release -DBUILD_TESTING=OFF &&
    cmake --build --preset release; } >build/quickstart.log 2>&1; then
    cat build/quickstart.log
    echo 'the build failed: its output is above' >&2
    exit 1
fi

# show WANTED ARGUMENT...: shows a command line and its answer; WANTED lists the exit codes that
# are an answer.
show() {
    wanted=$1
    shift
    printf '\n$ build/release/fabricbind %s\n' "$*"
    code=0
    build/release/fabricbind "$@" || code=$?
    case " $wanted " in
    *" $code "*) ;;
    *)
        echo "exit code $code, where $wanted was expected" >&2
        exit 1
        ;;
    esac
}

examples=deploy/examples
show 0 nodes --config $examples/fabricbind.yaml --snapshot $examples/cluster
show 0 plan --config $examples/fabricbind.yaml --snapshot $examples/cluster \
    --job $examples/job-fits.yaml
show 1 plan --config $examples/fabricbind.yaml --snapshot $examples/cluster \
    --job $examples/job-too-big.yaml
show '0 1' check --config $examples/fabricbind.yaml --snapshot $examples/cluster
