#!/bin/sh
# What rocscope[all] needs can be installed as wheels on each Python that it promises: resolved, nothing is installed.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-.venv/bin/python}
needed=$("$python" - <<'PYTHON'
import tomllib
project = tomllib.load(open("pyproject.toml", "rb"))["project"]
extras = project["optional-dependencies"]
parts = [*project["dependencies"], *(one for name in ("symbolic", "validate", "plot", "excel", "serve") for one in extras[name])]
print("\n".join(parts))
PYTHON
)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo "$needed" >"$folder/needed.txt"
failed=0
for version in ${1:-3.11 3.12 3.13 3.14}; do
    if "$python" -m pip install -qq --disable-pip-version-check --no-input --dry-run --ignore-installed --only-binary=:all: \
        --python-version "$version" --implementation cp --target "$folder/none" --report "$folder/$version.json" -r "$folder/needed.txt"; then
        "$python" - "$folder/$version.json" "$version" <<'PYTHON'
import json, sys
found = json.load(open(sys.argv[1]))["install"]
shown = {one["metadata"]["name"].lower(): one["metadata"]["version"] for one in found}
core = ("numpy", "scipy", "narwhals", "duckdb", "scikit-learn", "matplotlib")
print(f"Python {sys.argv[2]}: {len(found)} distributions;", ", ".join(f"{name} {shown[name]}" for name in core))
PYTHON
    else
        echo "Python $version: no set of wheels fits"; failed=1
    fi
done
exit "$failed"
