"""What one model costs more or less than another, both at their thresholds, on the same cases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.decisions import Costs
from rocscope.estimate import Estimate, mover, undefined
from rocscope.estimate import paired_difference as paired
from rocscope.numbers import normal_quantile, normal_two_sided

Array = NDArray[Any]


def cost_difference(
    mask: Array,
    a: Array,
    b: Array,
    costs: Costs,
    *,
    level: float,
    per: float,
    weights: Array | None = None,
    clusters: Array | None = None,
) -> Estimate:
    """The expected cost of decisions a less that of decisions b, per `per` cases; both are arrays of flags.

    (1 - π)(C_FP - C_TN)(FPR_a - FPR_b) - π(C_FN - C_TP)(TPR_a - TPR_b), limits from those of the two paired
    differences (Newcombe), put together as sides of a triangle (Zou & Donner, Stat Med 2008;27:1693). The test swaps
    the two decisions of each case: z = Σd / sqrt(Σd²), d the difference of its costs; McNemar's when errors cost alike.
    With sampling weights or clusters the variance is the linearized one over cases or clusters, with limits no narrower
    than those of as many cases as the weights are worth.

    >>> y, a, b = (np.array(row) for row in ([1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0], [1, 0, 0, 1, 0, 0]))
    >>> print(cost_difference(y, a == 1, b == 1, Costs(fp=1, fn=5), level=0.95, per=6))
    −6.00 [−11.93, 3.92] p = 0.24
    """
    positive = mask == 1
    if weights is not None or clusters is not None:
        return _designed(positive, a, b, costs, level, per, weights, clusters)
    share = float(costs.prevalence) if costs.prevalence is not None else float(positive.mean())
    if not 0 < positive.sum() < len(mask):
        return undefined("one class only", level=level, method="newcombe-paired")
    alarm = (1 - share) * (float(costs.fp) - float(costs.tn))
    miss = share * (float(costs.fn) - float(costs.tp))
    more_alarms, more_found = (_rates(a[side], b[side], level) for side in (~positive, positive))
    value = alarm * more_alarms.value - miss * more_found.value
    below = math.hypot(alarm * (more_alarms.value - more_alarms.low), miss * (more_found.high - more_found.value))
    above = math.hypot(alarm * (more_alarms.high - more_alarms.value), miss * (more_found.value - more_found.low))
    z = _swapped(a, b, positive, alarm / (~positive).sum(), miss / positive.sum())
    why = "" if (a != b).any() else "all decisions are the same here; on other cases they may differ"
    return Estimate(
        per * value, per * (value - below), per * (value + above), level, "newcombe-paired", why,
        normal_two_sided(z), z,
    )  # fmt: skip


def _designed(
    positive: Array,
    a: Array,
    b: Array,
    costs: Costs,
    level: float,
    per: float,
    weights: Array | None,
    clusters: Array | None,
) -> Estimate:
    """With weights or clusters: ratios of weighted sums, and the variance of their influences summed by cluster."""
    weight = np.ones(len(a)) if weights is None else np.asarray(weights, dtype=np.float64)
    method = "linearized, clusters" if clusters is not None else "linearized, weights"
    if not 0 < positive.sum() < len(a):
        return undefined("one class only", level=level, method=method)
    gap, total = a.astype(np.float64) - b, float(weight.sum())
    share = float(costs.prevalence) if costs.prevalence is not None else float(weight[positive].sum()) / total
    by_class = (
        (positive, -share * (float(costs.fn) - float(costs.tp))),
        (~positive, (1 - share) * (float(costs.fp) - float(costs.tn))),
    )
    value, floor = 0.0, []
    influence: Array = np.zeros(len(a))
    for side, price in by_class:
        own = weight[side] / weight[side].sum()
        mean = float(own @ gap[side])
        value += price * mean
        influence[side] = price * own * (gap[side] - mean)
        cells = [float(own @ one) for one in ((a & b)[side], (a & ~b)[side], (b & ~a)[side])]
        cases = 1 / float(own @ own)
        rates = paired(*(cases * cell for cell in (*cells, max(0.0, 1 - sum(cells)))), level=level)
        floor.append(Estimate(mean, rates.low, rates.high))
    if clusters is not None:
        influence = np.bincount(np.unique(clusters, return_inverse=True)[1], influence)
    units = len(influence)
    se = math.sqrt(units / max(1, units - 1) * float(influence @ influence))
    low, high = mover(floor, [price for _, price in by_class])
    reach = normal_quantile(level) * se
    limits = min(low, value - reach), max(high, value + reach)
    why = "" if (a != b).any() else "all decisions are the same here; on other cases they may differ"
    z = value / se if se > 0 else 0.0
    return Estimate(
        per * value, per * limits[0], per * limits[1], level, method, why, normal_two_sided(z), z, se=per * se
    )  # fmt: skip


def cost_covariance(
    mask: Array, flags: Array, costs: Costs, *, per: float, weights: Array | None = None, clusters: Array | None = None
) -> Array:
    """The covariance of the expected costs of several models (rows of flags) on the same cases, per `per` cases.

    That of the rates of flagged positives and negatives, each times its price; summed by cluster where there are any.
    """
    positive = mask == 1
    weight = np.ones(len(mask)) if weights is None else np.asarray(weights, dtype=np.float64)
    share = float(costs.prevalence) if costs.prevalence is not None else float(weight[positive].sum() / weight.sum())
    influence: Array = np.zeros(flags.shape)
    for side, price in (
        (positive, -share * (float(costs.fn) - float(costs.tp))),
        (~positive, (1 - share) * (float(costs.fp) - float(costs.tn))),
    ):
        own = weight[side] / weight[side].sum()
        flagged = flags[:, side].astype(np.float64)
        influence[:, side] = price * own * (flagged - (flagged @ own)[:, None])
    if clusters is not None:
        codes = np.unique(clusters, return_inverse=True)[1]
        influence = np.stack([np.bincount(codes, one) for one in influence])
    units = influence.shape[1]
    return np.asarray(per * per * units / max(1, units - 1) * (influence @ influence.T))


def _rates(a: Array, b: Array, level: float) -> Estimate:
    both, first, second = (int(np.count_nonzero(one)) for one in (a & b, a & ~b, b & ~a))
    return paired(both, first, second, len(a) - both - first - second, level=level)


def _swapped(a: Array, b: Array, positive: Array, alarm: float, miss: float) -> float:
    """z of the swap test; 0 where no decision differs."""
    gap = a.astype(np.int8) - b.astype(np.int8)
    cost = np.where(positive, -miss * gap, alarm * gap)
    spread = math.sqrt(float((cost * cost).sum()))
    return float(cost.sum()) / spread if spread else 0.0
