"""The tables of the migration pages: the right column runs, and equals the peer on the left where it is installed."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocscope as rs
from rocscope.estimate import Estimate

FOLDER = Path(__file__).parent.parent / "docs" / "migration"
ORACLES = Path(__file__).parent / "oracles"
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
    """The names that the pages use: 120 cases, the same for every peer."""
    with (ORACLES / "migration.csv").open(encoding="utf-8") as file:
        cases = list(csv.DictReader(file))
    y = np.array([int(row["y"]) for row in cases])
    s, s2 = (np.array([float(row[name]) for row in cases]) for name in ("s", "s2"))
    P = np.array([[float(row[name]) for name in "abc"] for row in cases])
    p = (s >= 0.5).astype(int)
    return {
        "rs": rs, "y": y, "s": s, "s1": s, "s2": s2, "p": p, "yk": np.array([row["yk"] for row in cases]), "P": P,
        "t": rs.ScoreTable.from_scores(y, s), "m": rs.Confusion.from_labels(y, p),
    }  # fmt: skip


PAGES = ("scikit-learn.md", "proc.md", "rocr.md", "pycm.md", "weka-orange.md", "torchmetrics.md")
RUN = [
    (page, there, found[1])
    for page in PAGES
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
    assert len(RUN) > 90


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


PYCM = coded("pycm.md")


@pytest.mark.parametrize(("there", "here"), PYCM, ids=[there for there, _ in PYCM])
def test_rows_equal_pycm(there: str, here: str, data: dict[str, Any]) -> None:
    pycm = pytest.importorskip("pycm")
    cm = pycm.ConfusionMatrix(actual_vector=data["y"].tolist(), predict_vector=data["p"].tolist(), digit=12)
    assert float(eval(here, dict(data))) == pytest.approx(float(eval(there, {"cm": cm})), abs=1e-9)


# ---- peers whose values are frozen: `make oracles` runs the left cells as they stand on the pages ----

FROZEN = {
    page: {row["there"]: row["numbers"] for key in keys for row in json.loads((ORACLES / name).read_text())[key]}
    for page, name, keys in (
        ("proc.md", "migration_r.json", ("proc",)),
        ("rocr.md", "migration_r.json", ("rocr",)),
        ("weka-orange.md", "migration_python.json", ("weka", "orange")),
        ("torchmetrics.md", "migration_python.json", ("torchmetrics",)),
    )
}
# what cannot be equal: random resamples, drawings, and other definitions, which the pages name
NOT_EQUAL = ("bootstrap", "venkatraman", "ci.se", "of = ", "plot(", "power.roc.test", "smooth(", "aucpr")
NOT_RUN = ("evalmod", "pauc", "auc(curves", "mmdata", "metric.", "BinaryAUROC(thresholds", "BootStrapper")
PEERS = [
    (page, there, here)
    for page in FROZEN
    for there, here in coded(page)
    if not any(part in there for part in NOT_EQUAL) and not there.startswith(NOT_RUN) and "rocscope " not in here
]


def numbers(value: Any) -> list[float]:
    """What a reader would compare: the numbers of an estimate, a test, a curve, the points of an optimum."""
    if isinstance(value, rs.decisions.Optima):
        points = [value[0].value] if value.rule == "cost" else [
            rate for point in value for rate in (point.counts.specificity, point.counts.recall)
        ]
        return [float(point) for point in points]
    if isinstance(value, rs.Counts):
        return [float(value.specificity), float(value.recall)]
    if isinstance(value, rs.curves.Curve):
        return np.asarray(value.columns[value.y], dtype=float).tolist()
    if isinstance(value, rs.ScoreTable):
        return [float(value.positives), float(value.negatives)]
    if isinstance(value, Estimate):
        return [value.statistic, value.p] if value.statistic is not None else [value.low, value.high]
    return np.ravel(np.asarray(value, dtype=float)).tolist()


@pytest.mark.parametrize(("page", "there", "here"), PEERS, ids=[f"{page}: {there}" for page, there, _ in PEERS])
def test_rows_equal_the_frozen_peer(page: str, there: str, here: str, data: dict[str, Any]) -> None:
    theirs, ours = FROZEN[page][there], eval(here, dict(data))
    assert theirs is not None
    mine = [float(ours)] if len(theirs) == 1 and isinstance(ours, Estimate) else numbers(ours)
    kept = [place for place, value in enumerate(theirs) if value is not None]  # undefined where nothing is flagged
    single = page == "torchmetrics.md"  # float32
    assert len(mine) == len(theirs) and len(theirs) - len(kept) <= 2
    np.testing.assert_allclose(
        [mine[place] for place in kept], [theirs[place] for place in kept], rtol=2e-7 if single else 1e-12, atol=1e-15
    )


def test_enough_rows_are_compared() -> None:
    assert len(PEERS) >= 55
