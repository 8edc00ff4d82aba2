#!/bin/sh
# Firefox for `make firefox`: root on Debian gets it with apt; anybody else is told its name.
set -eu
command -v firefox-esr >/dev/null 2>&1 && exit 0
command -v firefox >/dev/null 2>&1 && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "not installed: firefox-esr" >&2
    exit 1
fi
echo "installing firefox-esr" >&2
apt-get update -qq >/dev/null
DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends firefox-esr >/dev/null
