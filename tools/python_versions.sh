#!/bin/sh
# What rocscope[all] needs can be installed as wheels on each Python that it promises: resolved, nothing is installed.
# uv resolves as each Python would; pip before 24 asks the Python that runs it which releases fit.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-.venv/bin/python}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" - >"$folder/needed.txt" <<'PYTHON'
import tomllib
project = tomllib.load(open("pyproject.toml", "rb"))["project"]
extras = project["optional-dependencies"]
for requirement in (*project["dependencies"], *(r for name in ("symbolic", "validate", "plot", "excel", "serve") for r in extras[name])):
    print(requirement)
PYTHON
"$python" -m pip install -qq --disable-pip-version-check --no-input --target "$folder/uv" uv
failed=0
for version in ${1:-3.11 3.12 3.13 3.14}; do
    if "$folder/uv/bin/uv" pip compile --quiet --no-cache --no-header --no-annotate --only-binary :all: \
        --python-version "$version" "$folder/needed.txt" >"$folder/$version.txt"; then
        "$python" - "$folder/$version.txt" "$version" <<'PYTHON'
import sys
resolved = dict(line.split("==") for line in open(sys.argv[1]).read().split())
core = ("numpy", "scipy", "narwhals", "duckdb", "scikit-learn", "matplotlib")
print(f"Python {sys.argv[2]}: {len(resolved)} distributions;", ", ".join(f"{name} {resolved[name]}" for name in core))
PYTHON
    else
        echo "Python $version: no set of wheels fits"; failed=1
    fi
done
exit "$failed"
