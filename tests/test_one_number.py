"""One number, one place: a statistic asked in different ways gives the same number.

A table is exact (counts), weighted (decimals) or certified (cells that carry what was counted case by case). Whole
numbers agree to the last bit, decimals to 1e-12.
"""

from __future__ import annotations

import copy
import math
import pickle
import re
from dataclasses import replace

import numpy as np
import pytest

import rocscope as rs
from rocscope import RocscopeError, ScoreTable, curves, intervals
from rocscope.sklearn import average_precision_score, brier_score_loss, log_loss, roc_auc_score

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


STATISTICS = [reading for reading in curves.catalogue() if reading.kind == "statistic"]


@pytest.mark.parametrize("reading", STATISTICS, ids=lambda reading: reading.name)
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_the_attribute_is_the_function(table: ScoreTable, reading: curves.Reading) -> None:
    try:
        wanted = reading(table)
    except RocscopeError as refused:  # cells of several scores have no such number
        with pytest.raises(RocscopeError, match=re.escape(str(refused))):
            getattr(table, reading.name)
        return
    for name in (reading.name, *reading.aka):
        assert same(getattr(table, name), wanted, exact=True) and same(table.value(name), wanted, exact=True), name
    named = getattr(curves, reading.name, None)
    assert named is None or same(named(table, **reading.options), wanted, exact=True)


@pytest.mark.parametrize("kind", ["exact", "weighted"])
@pytest.mark.parametrize("name", ["auc", "average_precision", "brier", "log_loss"])
def test_evaluation_interval_drop_in_and_document_agree(name: str, kind: str) -> None:
    table, weights = TABLES[kind], WEIGHTS if kind == "weighted" else None
    wanted, ev = getattr(table, name), rs.evaluate(Y, SCORE, weights=weights)
    drop_in = {"auc": roc_auc_score, "average_precision": average_precision_score, "brier": brier_score_loss}
    asked = {
        "table of the evaluation": getattr(ev.table, name),
        "interval": float(intervals.of(table, name)),
        "drop-in": float(drop_in.get(name, log_loss)(Y, SCORE, sample_weight=weights)),
        "document": next(row["value"] for row in ev.to_dict()["areas"] if row["name"] == name),
    }
    exact = table.exact and name == "auc"  # other numbers are sums of decimals, taken in different orders
    assert {way: value for way, value in asked.items() if not same(value, wanted, exact=exact)} == {}


def test_an_unknown_statistic_gets_a_hint() -> None:
    with pytest.raises(AttributeError, match=r"ScoreTable has no 'acu'\. Did you mean 'auc'"):
        _ = EXACT.acu  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"ScoreTable has no 'roc'\. Ask curves\.roc"):
        _ = EXACT.roc  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(EXACT)) == EXACT and copy.copy(EXACT) == EXACT
