"""The tables of the migration pages: the right column runs, and equals the peer on the left where it is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocscope as rs

FOLDER = Path(__file__).parent.parent / "docs" / "migration"
CODE = re.compile(r"^`([^`]+)`$")


def rows(page: str, heading: str = "") -> Iterator[tuple[str, str]]:
    """The first two cells of each row of the tables, below a heading if one is given."""
    text = (FOLDER / page).read_text("utf-8").split(heading, 1)[1] if heading else (FOLDER / page).read_text("utf-8")
    for line in text.split("\n## ")[0].splitlines() if heading else text.splitlines():
        coded = line.startswith("| `") or "| `rs." in line
        cells = [cell.strip() for cell in line.strip("|").split("|")] if coded else []
        if len(cells) >= 2:
            yield cells[0], cells[1]


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    """The names that the pages use."""
    noise = np.random.default_rng(5)
    y = np.repeat([0, 1], [70, 50])
    s = np.round(1 / (1 + np.exp(-(1.4 * y - 0.7 + noise.normal(size=120)))), 2)
    s2 = np.round(1 / (1 + np.exp(-(0.9 * y - 0.4 + noise.normal(size=120)))), 2)
    p = (s >= 0.5).astype(int)
    yk = np.repeat(["a", "b", "c"], 40)
    P = noise.dirichlet([1, 1, 1], size=120)
    return {
        "rs": rs, "y": y, "s": s, "s1": s, "s2": s2, "p": p, "yk": yk, "P": P,
        "t": rs.ScoreTable.from_scores(y, s), "m": rs.Confusion.from_labels(y, p),
    }  # fmt: skip


RUN = [
    (page, there, found[1])
    for page in ("scikit-learn.md", "proc.md", "others.md")
    for there, here in rows(page)
    if (found := CODE.match(here)) and not found[1].startswith(("rocscope ", "--"))
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("page", "there", "here"), RUN, ids=[f"{page}: {there}" for page, there, _ in RUN])
def test_what_stands_on_the_right_runs(page: str, there: str, here: str, data: dict[str, Any]) -> None:
    if ".plot()" in here:
        pytest.importorskip("matplotlib").use("Agg")
    assert eval(here, dict(data)) is not None


def test_there_are_rows_to_run() -> None:
    assert len(RUN) > 45


def same(theirs: Any, ours: Any) -> None:
    """Equal: a text, a matrix or a number."""
    if isinstance(theirs, str):
        assert ours == theirs
    elif np.ndim(theirs):
        np.testing.assert_array_equal(ours, theirs)
    else:
        assert float(ours) == pytest.approx(float(theirs), abs=1e-12)


CURVES = ("roc_curve", "precision_recall_curve", "det_curve", "calibration_curve")


def coded(page: str, heading: str = "") -> list[tuple[str, str]]:
    """The rows of which both cells are code."""
    found = [(CODE.match(there), CODE.match(here)) for there, here in rows(page, heading)]
    return [(there[1], here[1]) for there, here in found if there and here]


SKLEARN = coded("scikit-learn.md")
SCALARS = [(there, here) for there, here in SKLEARN if not there.startswith((*CURVES, "cross_", "Tuned"))]


@pytest.mark.parametrize(("there", "here"), SCALARS, ids=[there for there, _ in SCALARS])
def test_rows_equal_scikit_learn(there: str, here: str, data: dict[str, Any]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    same(eval(there, {**vars(metrics), **data}), eval(here, dict(data)))


DRAWN = [("roc", ("fpr", "tpr")), ("pr", ("precision", "recall")), ("det", ("fpr", "fnr"))]


@pytest.mark.parametrize(("kind", "columns"), DRAWN)
def test_curves_equal_scikit_learn(kind: str, columns: tuple[str, str], data: dict[str, Any]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    call = {"roc": "roc_curve", "pr": "precision_recall_curve", "det": "det_curve"}[kind]
    theirs = getattr(metrics, call)(data["y"], data["s"], **({} if kind == "pr" else {"drop_intermediate": False}))
    ours = getattr(rs.curves, kind)(data["t"])
    for column, values in zip(columns, theirs, strict=False):
        mine = np.asarray(getattr(ours, column), dtype=float)
        points = {round(value, 12) for value in mine[np.isfinite(mine)].tolist()}
        known = np.asarray(values, dtype=float)[: -1 if kind == "pr" else None]  # the point (0, 1) is invented
        assert points >= {round(value, 12) for value in known.tolist()}


PYCM = coded("others.md", "## PyCM")


@pytest.mark.parametrize(("there", "here"), PYCM, ids=[there for there, _ in PYCM])
def test_rows_equal_pycm(there: str, here: str, data: dict[str, Any]) -> None:
    pycm = pytest.importorskip("pycm")
    cm = pycm.ConfusionMatrix(actual_vector=data["y"].tolist(), predict_vector=data["p"].tolist(), digit=12)
    assert float(eval(here, dict(data))) == pytest.approx(float(eval(there, {"cm": cm})), abs=1e-9)
