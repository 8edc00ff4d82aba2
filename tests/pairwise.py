"""Counts and pairs by their definitions, in Python's exact comparisons and integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from rocscope import tally


def pairs(scores: Any, mask: Any) -> int:
    """Twice the number of positive-negative pairs won, a tie counting one."""
    rows = list(zip(np.asarray(scores).tolist(), np.asarray(mask).tolist(), strict=True))
    positives, negatives = [s for s, y in rows if y], [s for s, y in rows if not y]
    return sum(2 * (p > n) + (p == n) for p in positives for n in negatives)


def by_score(scores: Any, mask: Any, weights: Any = None) -> dict[Any, list[Any]]:
    """The sums of each distinct score as [positive, negative], falling."""
    weights = [1] * len(scores) if weights is None else np.asarray(weights).tolist()
    found: dict[Any, list[Any]] = {}
    for s, y, w in zip(np.asarray(scores).tolist(), np.asarray(mask).tolist(), weights, strict=True):
        found.setdefault(s + 0, [0, 0])[1 - y] += w
    return {s: found[s] for s in sorted(found, reverse=True) if any(found[s])}


def check_counts(scores: Any, mask: Any) -> None:
    values = tally.numeric(scores)
    truth, expected = by_score(scores, mask), pairs(scores, mask)
    found = tally.group(values, mask)
    assert found.scores.dtype == values.dtype
    assert found.scores.tolist() == list(truth)
    assert found.pos.tolist() == [p for p, _ in truth.values()]
    assert found.neg.tolist() == [n for _, n in truth.values()]
    assert not np.signbit(found.scores[found.scores == 0]).any()
    rising = tally.group(values, mask, descending=False)
    assert [column.tolist()[::-1] for column in rising[:3]] == [column.tolist() for column in found[:3]]
    positives = int(np.count_nonzero(mask))
    assert tally.auc_counts(values, mask) == (expected, positives, len(mask) - positives)
    assert tally.twice_u(found.pos, found.neg) == expected
