"""The difference in cost between two models, each at its own threshold, on the same cases."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.decisions import Costs
from rocscope.estimate import Estimate, mover, undefined
from rocscope.estimate import paired_difference as paired
from rocscope.numbers import normal_quantile, normal_two_sided, student_quantile

Array = NDArray[Any]
Prices = tuple[tuple[Array, float], tuple[Array, float]]


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
    """The difference in expected cost of decisions a minus decisions b, per `per` cases; both are arrays of flags.

    (1 - π)(C_FP - C_TN)(FPR_a - FPR_b) - π(C_FN - C_TP)(TPR_a - TPR_b), with limits computed from the limits of the two
    paired differences (Newcombe), combined by the Pythagorean rule (Zou & Donner, Stat Med 2008;27:1693). The test
    swaps the two decisions of each case: z = Σd / sqrt(Σd²), where d is the difference between the costs of a case;
    this is McNemar's test when all errors cost the same. With sampling weights or clusters, the variance is linearized
    over cases or clusters (with Student's t for the number of clusters), and the limits are no narrower than those for
    the effective number of cases; z and the p-value correspond to these limits.

    >>> y, a, b = (np.array(row) for row in ([1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0], [1, 0, 0, 1, 0, 0]))
    >>> print(cost_difference(y, a == 1, b == 1, Costs(fp=1, fn=5), level=0.95, per=6))
    −6.00 [−11.93, 3.92] p = 0.24
    """
    positive, plain = mask == 1, weights is None and clusters is None
    linear = "linearized, clusters" if clusters is not None else "linearized, weights"
    method = "newcombe-paired" if plain else linear
    if not 0 < positive.sum() < len(mask):
        return undefined("all cases belong to one class", level=level, method=method)
    weight = np.ones(len(mask)) if weights is None else np.asarray(weights, dtype=np.float64)
    prices = _prices(positive, weight, costs)
    difference = _swapped(a, b, prices, level) if plain else _linearized(a, b, prices, weight, clusters, level)
    why = "" if (a != b).any() else "all decisions are the same on these cases; on other cases they may differ"
    value, low, high = (per * number for number in (difference.value, difference.low, difference.high))
    se, z = None if difference.se is None else per * difference.se, difference.statistic
    assert z is not None
    return Estimate(value, low, high, level, method, why, normal_two_sided(z), z, se=se)


def _prices(positive: Array, weight: Array, costs: Costs) -> Prices:
    """The number of cases of each class, and the cost per case overall of flagging all of them rather than
    none.
    """
    share = float(costs.prevalence) if costs.prevalence is not None else float(weight[positive].sum() / weight.sum())
    hit, alarm = -share * (float(costs.fn) - float(costs.tp)), (1 - share) * (float(costs.fp) - float(costs.tn))
    return (positive, hit), (~positive, alarm)


def _swapped(a: Array, b: Array, prices: Prices, level: float) -> Estimate:
    """Combine the limits of the paired differences in each class, and return z of the swap test."""
    gap = a.astype(np.int8) - b.astype(np.int8)
    rates, cost = [], np.zeros(len(a))
    for side, price in prices:
        both, first, second = (int(np.count_nonzero(flags[side])) for flags in (a & b, a & ~b, b & ~a))
        rates.append(paired(both, first, second, int(side.sum()) - both - first - second, level=level))
        cost[side] = price / side.sum() * gap[side]
    more_found, more_alarms = rates
    hit, alarm = prices[0][1], prices[1][1]
    value = alarm * more_alarms.value + hit * more_found.value
    below = math.hypot(alarm * (more_alarms.value - more_alarms.low), hit * (more_found.high - more_found.value))
    above = math.hypot(alarm * (more_alarms.high - more_alarms.value), hit * (more_found.value - more_found.low))
    spread = math.sqrt(float((cost * cost).sum()))
    z = float(cost.sum()) / spread if spread else 0.0  # 0 if no decision differs
    return Estimate(value, value - below, value + above, statistic=z)


def _linearized(a: Array, b: Array, prices: Prices, weight: Array, clusters: Array | None, level: float) -> Estimate:
    """With weights or clusters: ratios of weighted sums, with the variance of their influences summed by cluster."""
    gap, value, floor = a.astype(np.float64) - b, 0.0, []
    for side, price in prices:
        own = weight[side] / weight[side].sum()
        mean = float(own @ gap[side])
        value += price * mean
        cells = [float(own @ flags) for flags in ((a & b)[side], (a & ~b)[side], (b & ~a)[side])]
        cases = 1 / float(own @ own)
        rates = paired(*(cases * cell for cell in (*cells, max(0.0, 1 - sum(cells)))), level=level)
        floor.append(Estimate(mean, rates.low, rates.high))
    influence = _influences(gap[None], prices, weight, clusters)[0]
    units = len(influence)
    se = math.sqrt(units / max(1, units - 1) * float(influence @ influence))
    low, high = mover(floor, [price for _, price in prices])
    reach = se * (normal_quantile(level) if clusters is None else student_quantile(level, max(1, units - 1)))
    estimate = Estimate(value, min(low, value - reach), max(high, value + reach), level, se=se)
    return replace(estimate, statistic=z_of_limits(estimate))


def z_of_limits(estimate: Estimate) -> float:
    """The difference in units of the standard error that its limits imply on the side of 0: beyond z if they
    exclude 0.
    """
    reach = estimate.value - estimate.low if estimate.value > 0 else estimate.high - estimate.value
    return normal_quantile(estimate.level) * estimate.value / reach if estimate.value and reach > 0 else 0.0


def _influences(flags: Array, prices: Prices, weight: Array, clusters: Array | None) -> Array:
    """The influence of each case, or cluster, on the cost of each row of flags."""
    influence: Array = np.zeros(flags.shape)
    for side, price in prices:
        own = weight[side] / weight[side].sum()
        flagged = flags[:, side].astype(np.float64)
        influence[:, side] = price * own * (flagged - (flagged @ own)[:, None])
    if clusters is None:
        return influence
    codes = np.unique(clusters, return_inverse=True)[1]
    return np.stack([np.bincount(codes, row) for row in influence])


def cost_covariance(
    mask: Array, flags: Array, costs: Costs, *, per: float, weights: Array | None = None, clusters: Array | None = None
) -> Array:
    """The covariance of the expected costs of several models (rows of flags) on the same cases, per `per` cases.

    It is the covariance of the rates of flagged positives and negatives, each multiplied by its cost, and summed by
    cluster if there are clusters.
    """
    weight = np.ones(len(mask)) if weights is None else np.asarray(weights, dtype=np.float64)
    influence = _influences(flags, _prices(mask == 1, weight, costs), weight, clusters)
    units = influence.shape[1]
    return np.asarray(per * per * units / max(1, units - 1) * (influence @ influence.T))
