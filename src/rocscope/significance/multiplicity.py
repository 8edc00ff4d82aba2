"""Many tests at once: p-values adjusted so that a fluke is not called a finding."""

from __future__ import annotations

from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.significance.inputs import Array, vector


def holm(ps: Any) -> list[float]:
    """The p-values adjusted by Holm's step-down, the default: the chance of any false alarm is controlled.

    The i-th smallest of m becomes the largest (m - j + 1) p_(j) for j <= i, at most 1; valid whatever the
    dependence between the tests. Reference: Holm, Scand J Stat 1979;6:65-70.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    values = _checked(ps)
    order = np.argsort(values, kind="stable")
    raised = np.maximum.accumulate(np.arange(len(values), 0, -1) * values[order])
    return _back(raised, order)


def settled(difference: Estimate, p_adjusted: float) -> bool:
    """Whether a difference is one: its interval leaves out 0, and so does what allows for the other looks.

    Of a single look the interval decides, where it and the p-value disagree; of several, the adjusted p-value must be
    small as well, or among many pairs some would be settled by chance.

    >>> one = Estimate(0.04, low=0.01, high=0.07, level=0.95, method="", p=0.02)
    >>> settled(one, p_adjusted=0.02), settled(one, p_adjusted=0.06)
    (True, False)
    """
    apart = bool(difference.low > 0 or difference.high < 0)
    several = difference.p is not None and p_adjusted > difference.p
    return apart and not (several and p_adjusted > 1 - difference.level)


def bonferroni(ps: Any) -> list[float]:
    """Each p-value times their number, at most 1: simple, and never stronger than Holm.

    Reference: Dunn, J Am Stat Assoc 1961;56:52-64.

    >>> bonferroni([0.01, 0.04, 0.5])
    [0.03, 0.12, 1.0]
    """
    values = _checked(ps)
    return [min(1.0, float(p)) for p in values * len(values)]


def benjamini_hochberg(ps: Any) -> list[float]:
    """The p-values adjusted so that the expected share of false alarms among the findings is controlled.

    The i-th smallest of m becomes the least m p_(j)/j for j >= i, at most 1; for independent or positively
    dependent tests. Reference: Benjamini & Hochberg, J R Stat Soc B 1995;57:289-300.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    values = _checked(ps)
    order = np.argsort(values, kind="stable")[::-1]
    lowered = np.minimum.accumulate(len(values) / np.arange(len(values), 0, -1) * values[order])
    return _back(lowered, order)


def _back(adjusted: Array, order: Any) -> list[float]:
    """The adjusted values in the order in which they came."""
    result = np.empty(len(order))
    result[order] = np.minimum(1.0, adjusted)
    return [float(p) for p in result]


def _checked(ps: Any) -> Array:
    if np.ndim(ps) == 1 and len(ps) == 0:
        return np.empty(0)
    values = vector("ps", ps)
    outside = np.flatnonzero((values < 0) | (values > 1))
    if outside.size:
        first = int(outside[0])
        raise RocscopeError(f"ps must be p-values from 0 to 1, but number {first} is {values[first]:g}")
    return values
