"""The top of the ranking against counting by hand; capacities as rules."""

from __future__ import annotations

import numpy as np
import pytest

import rocscope as rs
from rocscope.errors import RocscopeError

RNG = np.random.default_rng(5)
Y = (RNG.random(500) < 0.2).astype(int)
S = (RNG.normal(size=500) + Y).round(1)


@pytest.mark.parametrize(("rule", "most"), [("top 5 %", 25), ("top 12.5%", 62), ("top 40", 40), ("TOP 0", 0)])
def test_a_capacity_is_a_rule(rule: str, most: int) -> None:
    ev = rs.evaluate(Y, S, choose=rule)
    assert isinstance(ev, rs.Evaluation) and ev.point is not None
    counts, threshold = ev.point.counts, ev.point.threshold
    assert counts.tp + counts.fp == (threshold <= S).sum() <= most
    below = S[threshold > S]
    assert (below.max() <= S).sum() > most  # the next threshold flags too many
    assert not ev.point.optimistic and ev.selection is None  # no label was used
    assert ev.point.chosen == rule


def test_ties_at_the_capacity_are_said() -> None:
    found = rs.decisions.best(rs.ScoreTable.from_scores([1, 1, 0, 1], [0.9, 0.5, 0.5, 0.5]), "top 2")
    assert found[0].counts.tp == 1 and "3 cases share that score" in found.note


@pytest.mark.parametrize("rule", ["top 2.5", "top five", "top"])
def test_other_texts_are_no_capacity(rule: str) -> None:
    with pytest.raises(RocscopeError, match=r"not a number of cases|no rule or measure"):
        _ = rs.evaluate(Y, S, choose=rule).point


def test_costs_beside_a_capacity_price_it() -> None:
    ev = rs.evaluate(Y, S, choose="top 10 %", costs=rs.Costs(fp=1, fn=5))
    assert isinstance(ev, rs.Evaluation) and ev.cost is not None and ev.point is not None
    counts = ev.point.counts
    assert ev.cost.value == pytest.approx(1000 * (counts.fp + 5 * counts.fn) / 500)
    with pytest.raises(RocscopeError, match="takes no costs or condition"):
        rs.decisions.best(ev.table, "top 5 %", where="recall >= 0.1")


@pytest.mark.parametrize("weights", [None, RNG.integers(1, 4, 500).astype(float)])
def test_the_table_is_counted_by_hand(weights: np.ndarray | None) -> None:
    ev = rs.evaluate(Y, S, weights=weights)
    found, weight = ev.to_dict()["top"], np.ones(500) if weights is None else weights
    assert [row["share"] for row in found["shares"]] == [0.05, 0.1, 0.15, 0.2, 0.3, 0.5]
    for row in found["shares"]:
        flagged = row["threshold"] <= S
        assert row["counts"]["tp"] == weight[flagged & (Y == 1)].sum()
        assert row["counts"]["tp"] + row["counts"]["fp"] <= row["share"] * weight.sum()
        precision = weight[flagged & (Y == 1)].sum() / weight[flagged].sum()
        assert row["precision"]["value"] == pytest.approx(precision, abs=1e-12)
        assert row["precision"]["low"] < precision < row["precision"]["high"]
        assert row["lift"]["value"] == pytest.approx(precision / (weight[Y == 1].sum() / weight.sum()), abs=1e-12)
    assert sum(row["cases"] for row in found["deciles"]) == weight.sum()
    assert sum(row["positives"] for row in found["deciles"]) == weight[Y == 1].sum()
    last = found["deciles"][-1]
    assert last["recall"] == 1 and last["gap"] == 0


def test_the_distance_is_that_of_scipy() -> None:
    from scipy.stats import ks_2samp

    found = rs.evaluate(Y, S).to_dict()["top"]["ks"]
    assert found["value"] == pytest.approx(ks_2samp(S[Y == 1], S[Y == 0]).statistic, abs=1e-12)
    at = found["threshold"]
    assert (S[Y == 1] >= at).mean() - (S[Y == 0] >= at).mean() == pytest.approx(found["value"], abs=1e-12)


def test_one_class_has_no_table() -> None:
    assert rs.evaluate([1, 1], [0.1, 0.2], positive=1).to_dict()["top"] is None
