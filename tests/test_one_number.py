"""One number, one place: a statistic asked in different ways gives the same number.

A table is exact (counts), weighted (decimals) or certified (cells that carry what was counted case by case). Whole
numbers agree to the last bit, decimals to 1e-12.
"""

from __future__ import annotations

import copy
import math
import pickle
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import rocscope as rs
import rocscope.sklearn as drop_in
from rocscope import RocscopeError, ScoreTable, curves, intervals
from rocscope.numbers import from_json

RNG = np.random.default_rng(13)
Y = RNG.random(400) < 0.4
SCORE = np.clip(np.round(0.3 + 0.25 * Y + 0.2 * RNG.standard_normal(400), 3), 0.001, 0.999)
WEIGHTS = RNG.random(400) + 0.1

EXACT = ScoreTable.from_scores(Y, SCORE)
WEIGHTED = ScoreTable.from_scores(Y, SCORE, weights=WEIGHTS)


def certified(table: ScoreTable) -> ScoreTable:
    """The table on cells, with the areas counted case by case as engines and large files count them."""
    cells = table.coarse(6)
    assert cells.known is not None
    known = replace(cells.known, twice_u=table.twice_u, average_precision=curves.average_precision(table))
    return replace(cells, known=known)


TABLES = {
    "exact": EXACT,
    "weighted": WEIGHTED,
    "certified": certified(EXACT),
    "certified weighted": certified(WEIGHTED),
}
OF_AUC = ["auc", "gini", "cohen_d", "auc_odds", "auc_odds_ratio"]


def same(a: float, b: float, *, exact: bool) -> bool:
    """The same bits for whole numbers, 1e-12 for decimals."""
    return a == b or (math.isnan(a) and math.isnan(b)) or (not exact and math.isclose(a, b, rel_tol=1e-12))


@pytest.mark.parametrize("kind", ["exact", "weighted"])
@pytest.mark.parametrize("name", [*OF_AUC, "average_precision", "brier", "log_loss"])
def test_a_certified_table_keeps_the_exact_number(name: str, kind: str) -> None:
    table = TABLES[kind]
    found, wanted = curves.get(name)(certified(table)), curves.get(name)(table)
    assert same(found, wanted, exact=table.exact and name in OF_AUC)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_what_follows_from_the_auc_follows_from_this_auc(table: ScoreTable) -> None:
    area = curves.auc(table)
    assert math.isclose(curves.gini(table), 2 * area - 1, rel_tol=1e-12)
    assert math.isclose(curves.auc_odds(table), area / (1 - area), rel_tol=1e-12)


STATISTICS = [reading for reading in curves.catalog() if reading.kind == "statistic"]


@pytest.mark.parametrize("reading", STATISTICS, ids=lambda reading: reading.name)
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_the_attribute_is_the_function(table: ScoreTable, reading: curves.Reading) -> None:
    try:
        wanted = reading(table)
    except RocscopeError as refused:  # cells of several scores have no such number
        with pytest.raises(RocscopeError, match=re.escape(str(refused))):
            table.value(reading.name, **reading.options)
        return
    for name in (reading.name, *reading.aka):
        assert same(table.value(name, **reading.options), wanted, exact=True), name
        assert reading.required or same(getattr(table, name), wanted, exact=True), name
    named = getattr(curves, reading.name, None)
    assert named is None or same(named(table, **reading.options), wanted, exact=True)


def evaluated(kind: str) -> rs.Evaluation:
    """The evaluation of the cases, or of the table itself where it stands for cases that are gone."""
    weights = WEIGHTS if kind == "weighted" else None
    found = rs.evaluate(TABLES[kind]) if kind.startswith("certified") else rs.evaluate(Y, SCORE, weights=weights)
    assert isinstance(found, rs.Evaluation)
    return found


EVALUATIONS = {kind: evaluated(kind) for kind in TABLES}
DOCUMENTS = {kind: one.to_dict() for kind, one in EVALUATIONS.items()}


def in_document(document: dict[str, Any]) -> dict[str, list[float]]:
    """Every statistic that a results document tells, under its name; some of them it tells twice."""
    found: dict[str, list[float]] = {}
    calibration = document["calibration"] or {"estimates": []}
    for row in (*document["areas"], *calibration["estimates"]):
        found.setdefault(row["name"], []).append(from_json(row["value"]))
    for name in calibration.keys() - {"estimates", "tests"}:
        found.setdefault(name, []).append(from_json(calibration[name]))
    return found


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("reading", STATISTICS, ids=lambda reading: reading.name)
def test_every_way_to_ask_gives_the_same_number(reading: curves.Reading, kind: str) -> None:
    table, name, ev = TABLES[kind], reading.name, EVALUATIONS[kind]
    ways: dict[str, Any] = {
        "interval": lambda: float(intervals.of(table, name, **reading.options)),
        "statistic": lambda: intervals.statistic_of(name, **reading.options).value(table),
        "table of the evaluation": lambda: ev.table.value(name, **reading.options),
    }
    if not reading.required:
        ways["evaluation"] = lambda: float(ev.area(name))
    try:
        wanted = reading(table)
    except RocscopeError as refused:  # cells of several scores have no such number, whoever asks
        for ask in ways.values():
            with pytest.raises(RocscopeError, match=re.escape(str(refused))):
                ask()
        return
    told = {way: ask() for way, ask in ways.items()}
    told |= {f"document, {i}": value for i, value in enumerate(in_document(DOCUMENTS[kind]).get(name, []))}
    assert {way: value for way, value in told.items() if not same(value, wanted, exact=table.exact)} == {}


def test_documents_tell_statistics_to_compare() -> None:
    names = {name for document in DOCUMENTS.values() for name in in_document(document)}
    assert names >= {"auc", "average_precision", "brier", "log_loss", "ici", "ece_10", "calibration_slope"}


DROP_INS: dict[str, Callable[..., Any]] = {
    "auc": drop_in.roc_auc_score,
    "average_precision": drop_in.average_precision_score,
    "brier": drop_in.brier_score_loss,
    "log_loss": drop_in.log_loss,
    "brier_skill": drop_in.d2_brier_score,
    "log_loss_skill": drop_in.d2_log_loss_score,
    "partial_auc": lambda y, s, **more: drop_in.roc_auc_score(y, s, max_fpr=0.1, **more),
    "pr_trapezoid": lambda y, s, **more: -np.trapezoid(*drop_in.precision_recall_curve(y, s, **more)[:2]),
    "ks_statistic": lambda y, s, **more: np.subtract(*drop_in.roc_curve(y, s, **more)[1::-1]).max(),
}


@pytest.mark.parametrize("kind", ["exact", "weighted"])
@pytest.mark.parametrize("name", DROP_INS)
def test_the_drop_in_agrees(name: str, kind: str) -> None:
    table, weights = TABLES[kind], WEIGHTS if kind == "weighted" else None
    wanted = curves.partial_auc(table, fpr=(0, 0.1), corrected=True) if name == "partial_auc" else table.value(name)
    found = float(DROP_INS[name](Y, SCORE, sample_weight=weights))
    # other numbers than the area of counts are sums of decimals, taken in different orders
    assert same(found, wanted, exact=table.exact and name == "auc")


WITH_KERNEL = [reading.name for reading in STATISTICS if reading.kernel is not None]


@pytest.mark.parametrize("name", WITH_KERNEL)
def test_the_kernel_of_resamples_computes_the_statistic(name: str) -> None:
    found = intervals.statistic_of(name)
    cells = intervals.CellCounts.of(EXACT, found.layout)
    value = found.prepare(EXACT)(cells.pos[None, :], cells.neg[None, :])[0]
    assert same(float(value), EXACT.value(name), exact=name == "auc")


@pytest.mark.parametrize("name", [reading.name for reading in STATISTICS if reading.influence is not None])
def test_the_influence_of_a_statistic_is_its_derivative(name: str) -> None:
    """A little more weight at one score moves the statistic by as much as the slope there says."""
    reading, small = curves.get(name), 1e-5
    assert reading.influence is not None
    slopes = {run.rows.start: found for run, found in reading.influence(WEIGHTED, reading(WEIGHTED))}
    assert list(slopes) == [0]  # so few scores are one run
    for at in np.flatnonzero(WEIGHTED.pos)[::25].tolist():
        moved = []
        for sign in (1, -1):
            pos = np.array(WEIGHTED.pos)
            pos[at] += sign * small
            moved.append(reading(replace(WEIGHTED, pos=pos)))
        assert (moved[0] - moved[1]) / (2 * small) == pytest.approx(slopes[0].up[at], rel=1e-4, abs=1e-8)


def test_an_unknown_statistic_gets_a_hint() -> None:
    with pytest.raises(AttributeError, match=r"ScoreTable has no 'acu'\. Did you mean 'auc'"):
        _ = EXACT.acu  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"ScoreTable has no 'roc'\. Use curves\.roc"):
        _ = EXACT.roc  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(EXACT)) == EXACT and copy.copy(EXACT) == EXACT
