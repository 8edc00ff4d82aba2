"""Labels that are missing by design: few labels and many predictions, another prevalence, partly verified cases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.intervals.influence import Array
from rocscope.numbers import checked_level, crossing, normal_quantile
from rocscope.table import ScoreTable


def prediction_powered_mean(y: Any, predicted: Any, unlabelled: Any, *, level: float = 0.95) -> Estimate:
    """The mean of y from few labelled cases and the predictions of many that have no label.

    λ mean(f_U) + mean(y - λ f_L) with λ = cov(y, f)/((1 + n/N) var f), kept within 0 and 1, and variance
    λ² var(f_U)/N + var(y - λ f_L)/n: right however bad the predictions are.
    Reference: Angelopoulos, Duchi & Zrnic 2023, PPI++.

    >>> print(prediction_powered_mean([1, 0, 1, 1, 0], [0.9, 0.2, 0.6, 0.8, 0.4], [0.7, 0.1, 0.9, 0.3] * 25))
    0.52 [0.23, 0.81]
    """
    level = checked_level(level)
    truth, seen, rest = _numbers("y", y), _numbers("predicted", predicted), _numbers("unlabelled", unlabelled)
    if len(truth) != len(seen):
        raise RocscopeError(f"{len(truth)} labels, but {len(seen)} predictions of these cases")
    if min(len(truth), len(rest)) < 2:
        raise RocscopeError("two labelled and two unlabelled cases are needed at least")
    n, m = len(truth), len(rest)
    both = np.concatenate((seen, rest))
    spread = float(both.var(ddof=1))
    trust = float(np.cov(truth, seen)[0, 1]) / ((1 + n / m) * spread) if spread else 0.0
    trust = min(1.0, max(0.0, trust))
    left = truth - trust * seen
    value = trust * float(rest.mean()) + float(left.mean())
    se = math.sqrt(trust**2 * float(rest.var(ddof=1)) / m + float(left.var(ddof=1)) / n)
    z = normal_quantile(level)
    return Estimate(value, value - z * se, value + z * se, level, f"prediction-powered, λ {trust:.3f}", se=se)


def label_shift(scores: Any, trained: float, *, level: float = 0.95) -> Estimate:
    """The share of positives among cases without labels, from calibrated probabilities of a model trained elsewhere.

    The q that makes the scores most likely when only the prevalence has moved from π: the fixed point of
    q <- mean of s q/π / (s q/π + (1 - s)(1 - q)/(1 - π)). Limits are those of the likelihood ratio.
    Reference: Saerens, Latinne & Decaestecker, Neural Comput 2002;14:21-41.

    >>> print(label_shift([0.9, 0.8, 0.3, 0.2, 0.2, 0.1], 0.5))
    0.31 [0.00, 0.89]
    """
    level = checked_level(level)
    s = _numbers("scores", scores)
    if not len(s) or s.min() < 0 or s.max() > 1:
        raise RocscopeError("label shift needs probabilities: scores from 0 to 1")
    if not 0 < trained < 1:
        raise RocscopeError(f"the prevalence in training is {trained}; it lies between 0 and 1")
    up, down = s / trained, (1 - s) / (1 - trained)

    def slope(q: float) -> float:
        mixed = q * up + (1 - q) * down
        return float(((up - down) / np.maximum(mixed, 1e-300)).sum())

    def likelihood(q: float) -> float:
        with np.errstate(divide="ignore"):
            return float(np.log(q * up + (1 - q) * down).sum())

    value = 0.0 if slope(0.0) <= 0 else 1.0 if slope(1.0) >= 0 else crossing(lambda q: -slope(q), 0.0, 0.0, 1.0)
    reach = likelihood(value) - normal_quantile(level) ** 2 / 2
    low = 0.0 if value == 0 or likelihood(0.0) >= reach else crossing(likelihood, reach, 0.0, value)
    high = 1.0 if value == 1 or likelihood(1.0) >= reach else crossing(lambda q: -likelihood(q), -reach, value, 1.0)
    return Estimate(value, low, high, level, "label shift, likelihood ratio")


def verified_table(
    y: Any, scores: Any, *, cells: int = 10, positive: Any = None, higher_is_positive: bool = True
) -> ScoreTable:
    """The score table of all cases when only some were verified, which ones depending on the score alone.

    Labels not known are None (or NaN). Verified cases get the weight 1/P(verified) of their cell of scores, so that
    they stand for the others there: rates are no longer those of the cases that somebody chose to verify.
    Cells are the distinct scores where there are at most `cells`, else so many of equal size.
    Reference: Begg & Greenes, Biometrics 1983;39:207-215.

    >>> y = [1] * 30 + [0] * 10 + [None] * 60 + [1] * 3 + [0] * 57 + [None] * 840
    >>> verified_table(y, [1] * 100 + [0] * 900).at(1).recall
    0.625
    """
    values = tally.numeric(scores)
    known = np.array([not _absent(one) for one in y], dtype=bool)
    if len(known) != len(values):
        raise RocscopeError(f"{len(known)} labels, but {len(values)} scores", hint="None where a label is not known")
    cell = _cells(values, cells)
    size = np.bincount(cell)
    seen = np.bincount(cell, known, len(size))
    unseen = np.flatnonzero((size > 0) & (seen == 0))
    if unseen.size:
        inside = values[cell == unseen[0]]
        raise RocscopeError(
            f"no case with a score from {inside.min():g} to {inside.max():g} was verified",
            hint="Take fewer cells, so that each has verified cases",
        )
    weights = (size / np.maximum(seen, 1))[cell]
    labels = [one for one, is_known in zip(y, known.tolist(), strict=True) if is_known]
    return ScoreTable.from_scores(
        labels, values[known], weights=weights[known], positive=positive, higher_is_positive=higher_is_positive
    )


def _absent(label: Any) -> bool:
    return label is None or (isinstance(label, float) and math.isnan(label))


def _cells(values: Array, cells: int) -> Array:
    if isinstance(cells, bool) or cells < 1:
        raise RocscopeError(f"{cells} cells; one at least")
    distinct, code = np.unique(values, return_inverse=True)
    if len(distinct) <= cells:
        return np.asarray(code)
    # equal scores stay together: a cell ends at the first score that reaches its share of the cases
    reached = np.cumsum(np.bincount(code)) / len(values)
    return np.asarray(np.minimum(np.ceil(reached * cells) - 1, cells - 1).astype(np.int64)[code])


def _numbers(name: str, values: Any) -> Array:
    return np.asarray(tally.numeric(values, name), dtype=np.float64)
