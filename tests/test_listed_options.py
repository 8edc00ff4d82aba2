"""Every option that a command lists is accepted somewhere: calls that work, which together use all of them.

A new option is added to one of the calls, or the test fails with its name.
"""

from __future__ import annotations

import importlib
import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

Run = Callable[..., tuple[int, str, str]]
CASES = "--label y --score p"
TWO = "--label y --score p --score q"
CLASSES = "--label c --probability a=a --probability b=b --probability d=d"
MODELS = " ".join(f"--probability {model}:{model}_{label}={label}" for model in ("m", "n") for label in "abd")

LEARN = "cases.csv --target y --model nb --plan 3-fold --leave-out i --leave-out s"

CALLS: dict[str, list[str]] = {
    "evaluate": [
        f"cases.csv {CASES} --positive 1 --weight w --weights-are frequency --lower-is-positive --threshold 0.4",
        f"cases.csv {CASES} --choose youden --cross-fit 5 --seed 3 --level 0.9 --interval delong --unit loan --full",
        f"cases.csv {CASES} --cost-fp 1 --cost-fn 5 --prevalence 0.1 --cluster g --by s --by g --crossed",
        f"cases.csv {CASES} --gains tp=9,fp=-1 --bootstrap 200 --budget 1G --tolerance 1e-5 --exact",
        f"cases.csv {CASES} --pt 0.2 --format json --output found.json --force --delimiter , --encoding latin-1",
        f"cases.csv {CASES} --choose f1 --choose-on cases.csv --save-table t.scoretable.parquet",
        f"cases.csv {CASES} --card model=m --format hf --missing drop --infinite ends",
        f"cases.csv {CASES} --html found.html --embed-cases 5 --id i",
        f"cases.csv {CASES} --cost-column w --cost-fp 2",
        f"cases.csv {CASES} --cost-column w --cost-fp-column w --refer 'recall >= 0.9, precision >= 0.7'",
        "cases.csv --label y --predicted h --order 1,0",
        f"classes.csv {CLASSES} --cost-matrix costs.csv --reject 0.3",
        f"classes.csv {CLASSES} --threshold-of a=0.4",
        f"cases.csv {CASES} --fold f",
        "points.csv --positives 10 --negatives 20",
        f"cases.xlsx {CASES} --sheet Sheet1",
    ],
    "compare": [
        f"cases.csv {TWO} --positive 1 --weight w --weights-are frequency --lower-is-positive --threshold 0.4",
        f"cases.csv {TWO} --choose youden --cross-fit 5 --seed 3 --level 0.9 --interval delong --unit loan --full",
        f"cases.csv {TWO} --cost-fp 1 --cost-fn 5 --prevalence 0.1 --by s --by g --crossed --missing drop",
        f"cases.csv {TWO} --cluster g --gains tp=9,fp=-1 --budget 1G --tolerance 1e-5 --format dvc",
        f"cases.csv {TWO} --pt 0.2 --format json --output found.json --force --delimiter , --encoding latin-1",
        f"cases.csv {TWO} --choose f1 --choose-on cases.csv --save-table t.scoretable.parquet",
        f"cases.csv {TWO} --html found.html --embed-cases 5 --id i --format openmetrics",
        f"cases.csv {TWO} --test rank-swap --lower-is-positive-for q",
        f"cases.csv {TWO} --measure brier --bootstrap 200 --exact --margin 0.05",
        "cases.csv --label y --predicted h --predicted k",
        f"classes.csv --label c {MODELS} --cost-matrix costs.csv --reject 0.3",
        f"cases.csv {TWO} --fold f --infinite ends",
        f"cases.xlsx {TWO} --sheet Sheet1",
    ],
    "validate": [
        f"{LEARN} --model majority --positive 1 --seed 1 "
        "--test corrected-t --level 0.9 --delimiter , --encoding utf-8 --group g --weight w",
        f"{LEARN} --model majority --cost-fp 1 --cost-fn 5 --note nb:quick --seeds 2 --learning 0.5 --jobs 1 "
        "--run fits --full",
        f"{LEARN} --choose youden --inner 2-fold --memory",
        f"{LEARN} --model majority --test bayesian-t --margin 0.01",
        "--demo breast --model nb --model majority --plan 3-fold --measure f1 --format json --output v.json --force "
        "--html v.html",
        "cases.xlsx --target y --model nb --plan 3-fold --leave-out s --leave-out i --sheet Sheet1",
    ],
    "curve": [
        f"cases.csv {CASES} --positive 1 --weight w --weights-are frequency --lower-is-positive --kind pr --points 5",
        f"cases.csv {CASES} --at 0.5 --delimiter , --encoding utf-8 --format csv",
        f"cases.csv {CASES} --kind expected-cost --cost-fp 1 --cost-fn 5",
        f"cases.csv {CASES} --kind expected-cost --gains tp=9,fp=-1 --plot c.svg --force",
        "--shape poor",
        "points.csv --positives 10 --negatives 20",
        f"cases.xlsx {CASES} --sheet Sheet1",
    ],
}


@pytest.fixture
def files(run: Run) -> Run:
    """The command in a folder of its own, with small files."""
    rng = np.random.default_rng(6)
    n = 60
    y = np.tile([1, 0, 0], n // 3)
    p, q = (np.round(np.clip(0.3 * y + 0.7 * rng.random(n), 0, 1), 3) for _ in range(2))
    columns = {
        "i": np.arange(n), "y": y, "p": p, "q": q, "w": rng.integers(1, 4, n), "g": np.arange(n) // 4,
        "s": np.where(rng.random(n) < 0.5, "north", "south"), "f": np.arange(n) % 3, "h": (p > 0.5).astype(int),
        "k": (q > 0.5).astype(int),
    }  # fmt: skip
    rows = [list(columns), *(list(map(str, row)) for row in zip(*columns.values(), strict=True))]
    Path("cases.csv").write_text("\n".join(map(",".join, rows)) + "\n")
    _write_sheet(rows)
    actual = np.tile(["a", "b", "d"], n // 3)
    shares = {model: rng.dirichlet([1, 1, 1], n).round(4) + 3 * (actual[:, None] == ["a", "b", "d"]) for model in "amn"}
    lines = ["c,a,b,d,m_a,m_b,m_d,n_a,n_b,n_d"]
    for place, label in enumerate(actual):
        found = [shares[model][place] / shares[model][place].sum() for model in "amn"]
        lines.append(",".join([label, *(repr(float(one)) for row in found for one in row)]))
    Path("classes.csv").write_text("\n".join(lines) + "\n")
    Path("costs.csv").write_text("actual,a,b,d\na,0,1,2\nb,1,0,1\nd,4,1,0\n")
    Path("points.csv").write_text("threshold,tp,tn\n0.9,4,19\n0.5,8,15\n0.1,10,3\n")
    return run


def _write_sheet(rows: list[list[str]]) -> None:
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Sheet1"
    for place, row in enumerate(rows):
        sheet.append([cell if not place or not cell.replace(".", "").isdigit() else float(cell) for cell in row])
    book.save("cases.xlsx")


@pytest.mark.parametrize("command", CALLS)
def test_no_listed_option_is_always_refused(files: Run, command: str) -> None:
    listed = importlib.import_module(f"rocscope.cli.{command}").command.params
    known = {option: one.opts[0] for one in listed for option in one.opts if option.startswith("-")}
    used: set[str] = set()
    for call in CALLS[command]:
        words = shlex.split(call)
        code, _, problem = files(command, *words)
        assert code == 0, (call, problem)
        used |= {known[word] for word in words if word in known}
    assert set(known.values()) - used == set()


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_no_listed_format_is_always_refused(files: Run, command: str) -> None:
    listed = importlib.import_module(f"rocscope.cli.{command}").command.params
    formats = next(one for one in listed if "--format" in one.opts).type.choices
    asked = shlex.split(f"cases.csv {CASES if command == 'evaluate' else TWO}")
    for one in formats:
        card = ["--card", "model=m"] if one == "hf" else []
        assert files(command, *asked, "--format", one, *card)[0] == 0, one
