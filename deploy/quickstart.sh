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

# The daemon on the example cluster, asked what Volcano's scheduler once asked: 24 requests that
# were recorded while it placed a gang of two.
work=build/quickstart
rm -rf $work
mkdir -p $work
cmake -E chdir $work cmake -E tar xf ../../$examples/session.tar.xz
printf '\n$ build/release/fabricbind serve --config %s --snapshot %s &\n' \
    $examples/serve.yaml $examples/cluster
build/release/fabricbind serve --config $examples/serve.yaml --snapshot $examples/cluster \
    2>$work/serve.log &
daemon=$!
trap 'kill $daemon 2>/dev/null || true' EXIT

# port_of SERVER: the port that its log tells; nothing while it does not.
port_of() {
    sed -n 's/.*"listening","server":"'"$1"'".*"port":\([0-9]*\)}.*/\1/p' $work/serve.log
}

tries=0
until [ -n "$(port_of metrics)" ]; do
    tries=$((tries + 1))
    if [ $tries -gt 100 ] || ! kill -0 $daemon 2>/dev/null; then
        cat $work/serve.log
        echo 'the daemon did not start' >&2
        exit 1
    fi
    sleep 0.1
done
show 0 replay $work/session --url "http://127.0.0.1:$(port_of extender)"
url=http://127.0.0.1:$(port_of metrics)/metrics
printf '\n$ curl %s\n' "$url"
curl -sS "$url" >$work/metrics
grep -E '^fabricbind_(requests|decisions|ledger|nics|inventory_objects)' $work/metrics
kill $daemon
wait $daemon
printf '\nserve ended with exit code %s\n' $?
