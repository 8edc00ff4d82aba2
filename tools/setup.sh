#!/bin/sh
# Make the virtual environment that the Makefile works in:   tools/setup.sh VENV
# Needs a Python that is new enough. On Debian, where venv is a package of its own, root gets it with apt;
# anybody else is told its name.
set -eu
venv=$1

if [ -L "$venv" ]; then # emptying it would empty the folder it points to
    echo "$venv is a symbolic link: remove it, and run this again to make an environment of its own" >&2
    exit 1
fi

new_enough='import sys; sys.exit(sys.version_info < (3, 11))'
python=
for candidate in "${PYTHON:-python3}" python3.14 python3.13 python3.12 python3.11; do
    if command -v "$candidate" >/dev/null 2>&1 && "$candidate" -c "$new_enough" 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "rocscope needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3 ..." >&2
    exit 1
fi

if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        echo "installing $package" >&2
        apt-get update -qq >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y "$package" >/dev/null
    else
        echo "$python cannot make virtual environments: install the package $package first" >&2
        exit 1
    fi
fi

"$python" -m venv --clear "$venv"
