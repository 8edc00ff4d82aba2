#!/bin/sh
# What the tests need beside Python packages: Chromium for the page, a Java that Spark supports, PostgreSQL.
# Root on Debian gets them with apt; anybody else is told their names, and the tests that need them are skipped.
set -eu
java_major() { java -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1; }
browser=yes java=yes postgres=yes
command -v chromium >/dev/null 2>&1 || browser=
{ command -v java >/dev/null 2>&1 && [ "$(java_major)" -ge 17 ]; } || java=
{ command -v initdb || ls /usr/lib/postgresql/*/bin/initdb; } >/dev/null 2>&1 || postgres=
[ -n "$browser" ] && [ -n "$java" ] && [ -n "$postgres" ] && exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "not installed:${browser:- chromium}${java:- a Java from 17 on}${postgres:- postgresql}; the tests that need them are skipped" \
        | sed 's/yes//g' >&2
    exit 0
fi
apt-get update -qq >/dev/null
wanted=
[ -n "$browser" ] || wanted="chromium"
[ -n "$postgres" ] || wanted="$wanted postgresql"
if [ -z "$java" ]; then  # 17 in Debian 12, 21 in Debian 13: Spark supports both
    newest=$(apt-cache search --names-only '^openjdk-(17|21)-jre-headless$' | cut -d ' ' -f 1 | sort | tail -n 1)
    wanted="$wanted ${newest:-openjdk-17-jre-headless}"
fi
echo "installing $wanted for the tests" >&2
# shellcheck disable=SC2086  (a list of names)
DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $wanted >/dev/null
