#!/bin/sh
# The wheel alone in an empty environment: every command works, or names the extra it needs.   tools/bare.sh [folder]
set -eu
cd "$(dirname "$0")/.."
venv=${1:-.venv-bare}
python3 -m venv "$venv"
"$venv/bin/pip" install -qq --disable-pip-version-check --no-input .
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rocscope=$(cd "$venv/bin" && pwd)/rocscope
python=$(cd "$venv/bin" && pwd)/python
readme=$(pwd)
cd "$work"
failed=0
try() { # expected exit code, words that must be printed, command
    code=$1 says=$2; shift 2
    "$rocscope" "$@" >out.txt 2>&1 && got=0 || got=$?
    if [ "$got" != "$code" ] || ! grep -q "$says" out.txt || grep -q Traceback out.txt; then
        echo "rocscope $*: exit $got, expected $code and '$says'"; tail -n 3 out.txt; failed=1
    fi
}
"$rocscope" demo --data >loans.csv
columns="--label outcome --positive default --score boosting"
try 0 Recommended demo
try 0 recall matrix 7 7 3 13
# shellcheck disable=SC2086  (a list of options)
{
    try 0 AUC evaluate loans.csv $columns
    try 0 boosting compare loans.csv $columns --score logistic
    try 0 AUC curve loans.csv $columns
    try 2 'rocscope\[plot\]' curve loans.csv $columns --plot roc.svg
    try 0 boosting hull loans.csv $columns
    try 0 met gate loans.csv $columns --require "auc >= 0.5"
    try 0 AUC evaluate loans.csv $columns --save-table day.scoretable.parquet
    try 0 report.html evaluate loans.csv $columns --html report.html
}
try 0 AUC merge day.scoretable.parquet
try 2 'rocscope\[validate\]' validate --demo
try 2 'rocscope\[serve\]' serve --no-browser
try 0 cases power --auc 0.8 --against 0.7
try 0 formula explain precision 7 7 3 13
try 0 recall measures recall
try 0 AUC trace --example five-points
try 0 iris examples
try 0 "exercise --seed 17" exercise --seed 17
# shellcheck disable=SC2086
try 2 'rocscope\[validate\]' calibrate loans.csv $columns --output calibrated.csv
mkdir newcomer
(cd newcomer && "$python" "$readme/tools/newcomer.py" "$readme/README.md") || failed=1
[ "$failed" = 0 ] && echo "the bare install runs every command, and every command of the README"
exit "$failed"
