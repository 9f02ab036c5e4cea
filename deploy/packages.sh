#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sourced by quickstart.sh and tests/run.sh: the packages of Debian 12 that fabricbind is built
# with, and how those that are missing come onto the machine.

# shellcheck disable=SC2034 # read by those who source this
build_packages='curl gcc g++ cmake ninja-build pkg-config libcjson-dev libcurl4-openssl-dev
    libgnutls28-dev libmicrohttpd-dev libssl-dev libyaml-dev uthash-dev'

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        env "$@"
    else
        sudo env "$@"
    fi
}

# install_missing PACKAGE...: touches the network only when one of them is not installed.
install_missing() {
    missing=''
    for package in "$@"; do
        state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=''
        [ "$state" = installed ] || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    echo "installing:$missing"
    as_root DEBIAN_FRONTEND=noninteractive apt-get -qq update || return 1
    # shellcheck disable=SC2086 # one word a package
    as_root DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
        -o Dpkg::Use-Pty=0 install $missing
}
