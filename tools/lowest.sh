#!/bin/sh
# The lowest versions that pyproject.toml promises, tried for real: a virtual environment with exactly these, and the tests
# of the core, the files and the command line in it.   tools/lowest.sh [folder of the environment]
set -eu
cd "$(dirname "$0")/.."
venv=${1:-.venv-lowest}
python3 -m venv "$venv"
lowest=$(python3 - <<'PYTHON'
import re, tomllib
project = tomllib.load(open("pyproject.toml", "rb"))["project"]
print(*(re.sub(r"([\w.-]+)>=([\d.]+).*", r"\1==\2.*", one) for one in project["dependencies"]))
PYTHON
)
echo "lowest versions: $lowest"
# shellcheck disable=SC2086  (a list of requirements)
"$venv/bin/pip" install -qq --disable-pip-version-check --no-input $lowest pytest pytest-xdist hypothesis jsonschema scikit-learn sympy pandas pyarrow
"$venv/bin/pip" install -qq --disable-pip-version-check --no-input --no-deps --editable .
"$venv/bin/pytest" -q -n 2 --dist loadfile -W ignore -p no:cacheprovider \
    tests/test_formula.py tests/test_measures.py tests/test_estimate.py tests/test_tally.py tests/test_table.py tests/test_hull.py \
    tests/test_decisions.py tests/test_streaming.py tests/test_gate.py tests/test_merge.py src/rocscope/measures src/rocscope/estimate \
    src/rocscope/curves src/rocscope/decisions
# the optional packages at their lowest, too, and what needs them
extras=$(python3 - <<'PYTHON'
import re, tomllib
extras = tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]
needed = [one for name in ("symbolic", "validate", "plot", "excel", "serve") for one in extras[name]]
print(*(re.sub(r"([\w.-]+)>=([\d.]+).*", r"\1==\2.*", one) for one in needed))
PYTHON
)
echo "lowest versions of the extras: $extras"
# shellcheck disable=SC2086
"$venv/bin/pip" install -qq --disable-pip-version-check --no-input $lowest $extras
here=$(pwd) python=$(cd "$venv/bin" && pwd)/python work=$(mktemp -d)
(cd "$work" && "$python" "$here/tools/lowest_extras.py")
rm -rf "$work"
