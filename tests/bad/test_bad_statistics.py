"""B053, B056 and B058 of the list of bad inputs: resamples, groups and models that leave nothing to vary."""

from __future__ import annotations

import math

import numpy as np

import rocscope as rs
from rocscope import intervals, significance, splits

Y, S = [1, 0, 0, 0, 0, 0], [0.5, 0.8, 0.3, 0.2, 0.2, 0.1]


def test_b053_a_resample_with_one_class_only() -> None:
    """With one positive, a third of plain resamples have none: the limits are numbers all the same."""
    table = rs.ScoreTable.from_scores(Y, S)
    found = intervals.bootstrap(table, "auc", n=400, method="percentile", seed=0)
    assert found.value == 0.8 and not math.isnan(found.low) and 0 <= found.low <= found.high <= 1


def test_b056_groups_stay_on_one_side() -> None:
    y, groups = np.tile([0, 1], 20), np.repeat(np.arange(10), 4)
    for train, test in splits.plan("5-fold", y, groups=groups, seed=0):
        assert not set(groups[train]) & set(groups[test])
        assert len(set(train) | set(test)) == len(y)


def test_b058_two_identical_models() -> None:
    y, s = [1, 0, 1, 0, 1, 0], [0.9, 0.4, 0.6, 0.5, 0.3, 0.1]
    found = significance.delong(y, s, s)
    assert (found.value, found.p) == (0.0, 1.0) and found.low <= 0 <= found.high
    difference = rs.compare(y, {"a": s, "b": s}).differences[0].estimate
    assert (difference.value, difference.p) == (0.0, 1.0)
