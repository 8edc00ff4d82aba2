"""Multiple tests: p-values adjusted so that chance results are not taken as findings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.numbers import checked_level, normal_quantile, normal_two_sided, order_statistic, student_two_sided
from rocscope.record import record
from rocscope.significance.inputs import Array, vector


def holm(ps: Any) -> list[float]:
    """The p-values adjusted by Holm's step-down method, the default, which controls the family-wise error rate.

    The i-th smallest of m p-values becomes the largest (m - j + 1) p_(j) for j <= i, but at most 1; this is valid
    whatever the dependence between the tests. Reference: Holm, Scand J Stat 1979;6:65-70.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    values = _checked(ps)
    order = np.argsort(values, kind="stable")
    raised = np.maximum.accumulate(np.arange(len(values), 0, -1) * values[order])
    return _back(raised, order)


def holm_defined(ps: Iterable[float | None]) -> list[float]:
    """The p-values adjusted by Holm's method, in the original order; NaN where there is no test.

    >>> holm_defined([0.01, None, 0.04])
    [0.02, nan, 0.04]
    """
    given = list(ps)
    known = [p for p in given if p is not None]
    adjusted = iter(holm(known) if known else ())
    return [math.nan if p is None else next(adjusted) for p in given]


def settled(difference: Estimate, p_adjusted: float) -> bool:
    """Whether a difference is settled: its interval excludes 0, even after adjustment for other comparisons.

    For a single comparison, the interval decides if it disagrees with the p-value; with several, the adjusted p-value
    must be small as well, because otherwise some of many pairs would be settled by chance.

    >>> one = Estimate(0.04, low=0.01, high=0.07, level=0.95, method="", p=0.02)
    >>> settled(one, p_adjusted=0.02), settled(one, p_adjusted=0.06)
    (True, False)
    """
    apart = bool(difference.low > 0 or difference.high < 0)
    several = difference.p is not None and p_adjusted > difference.p
    return apart and not (several and p_adjusted > 1 - difference.level)


def bonferroni(ps: Any) -> list[float]:
    """The p-values multiplied by the number of tests, at most 1: simple, but never more powerful than Holm's method.

    Reference: Dunn, J Am Stat Assoc 1961;56:52-64.

    >>> bonferroni([0.01, 0.04, 0.5])
    [0.03, 0.12, 1.0]
    """
    values = _checked(ps)
    return [min(1.0, float(p)) for p in values * len(values)]


def benjamini_hochberg(ps: Any) -> list[float]:
    """The p-values adjusted to control the false discovery rate.

    The i-th smallest of m p-values becomes the smallest m p_(j)/j for j >= i, but at most 1; this is valid for
    independent or positively dependent tests. Reference: Benjamini & Hochberg, J R Stat Soc B 1995;57:289-300.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    values = _checked(ps)
    order = np.argsort(values, kind="stable")[::-1]
    lowered = np.minimum.accumulate(len(values) / np.arange(len(values), 0, -1) * values[order])
    return _back(lowered, order)


# ---- simultaneous inference for all pairs of models ----

DRAWS = 10_000
UNSEEN = 1e-10  # share of the other variances below which the variance of a difference counts as zero


@record(slots=True)
class LargestDifference:
    """The distribution of the largest |difference| / standard error over all pairs of equally good models.

    `critical` is its quantile at the level: limits at that many standard errors hold for all pairs together. `df` are
    the degrees of freedom of each of the `pairs` differences.
    """

    critical: float
    level: float
    drawn: Array
    pairs: int = 1
    df: float = math.inf

    def p(self, t: float) -> float:
        """The p-value adjusted for all pairs: how often the largest difference would be at least this large.

        It is never above Bonferroni's p-value, which is close to it when hardly any draw is that large.

        >>> round(max_t([[1, 0.5], [0.5, 1]]).p(1.96), 3)
        0.05
        """
        if not len(self.drawn):
            return normal_two_sided(t)
        drawn = (1 + np.count_nonzero(self.drawn >= abs(t))) / (1 + len(self.drawn))
        return float(min(drawn, self.pairs * student_two_sided(t, self.df)))


def degrees_of_freedom(sizes: Sequence[float]) -> float:
    """Welch's degrees of freedom for a variance that is the sum of 1/size over several sizes.

    >>> [round(degrees_of_freedom(sizes), 1) for sizes in ((20, 20), (10, 500), (12,))]
    [38.0, 9.4, 11.0]
    """
    inverse = [1 / max(1.0, size) for size in sizes]
    parts = (share**2 / max(1e-9, size - 1) for share, size in zip(inverse, sizes, strict=True))
    return max(1.0, float(sum(inverse) ** 2 / sum(parts)))


def max_t(
    covariance: Any, *, df: float = math.inf, level: float = 0.95, n: int = DRAWS, seed: int = 0
) -> LargestDifference:
    """Simultaneous limits for all pairs of models: the max-|T| method, from the covariance of their values.

    Normal values with that covariance are drawn n times; the largest |difference| in standard errors is kept from each
    draw. With two models, it is |z| itself; with independent models of equal variance, it is Tukey's range divided by
    the square root of 2. If the covariance was estimated with `df` degrees of freedom, all values of a draw are scaled
    together as in Student's t. Differences without variance are left out. Reference: Hothorn, Bretz & Westfall, Biom J
    2008;50:346-363.

    >>> round(max_t([[1, 0.5], [0.5, 1]]).critical, 4)
    1.96
    >>> 2.3 < max_t([[1, 0, 0], [0, 1, 0], [0, 0, 1]]).critical < 2.4
    True
    """
    level, spread = checked_level(level), np.asarray(covariance, dtype=np.float64)
    if spread.ndim != 2 or spread.shape[0] != spread.shape[1] or not np.isfinite(spread).all():
        raise RocscopeError("the covariance must be a square matrix of finite numbers")
    pairs = np.array(list(combinations(range(len(spread)), 2))).reshape(-1, 2)
    own = spread[pairs[:, 0], pairs[:, 0]] + spread[pairs[:, 1], pairs[:, 1]]
    freed = own - 2 * spread[pairs[:, 0], pairs[:, 1]]
    seen = freed > UNSEEN * own
    pairs, freed = pairs[seen], freed[seen]
    if len(pairs) < 2:
        return LargestDifference(normal_quantile(level), level, np.empty(0))
    values, vectors = np.linalg.eigh(spread)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    generator, largest = np.random.default_rng(seed), []
    for _ in range(0, n, 500):  # in batches, so that 190 pairs of 20 models stay within a megabyte
        drawn = generator.standard_normal((500, len(spread))) @ root.T
        if math.isfinite(df):
            drawn /= np.sqrt(generator.chisquare(df, (500, 1)) / df)
        largest.append((np.abs(drawn[:, pairs[:, 0]] - drawn[:, pairs[:, 1]]) / np.sqrt(freed)).max(axis=1))
    ordered = np.sort(np.concatenate(largest))
    critical = max(normal_quantile(level), order_statistic(ordered, level))
    return LargestDifference(critical, level, ordered, len(pairs), df)


def _back(adjusted: Array, order: Any) -> list[float]:
    """The adjusted values in the order in which they came."""
    result = np.empty(len(order))
    result[order] = np.minimum(1.0, adjusted)
    return [float(p) for p in result]


def _checked(ps: Any) -> Array:
    if isinstance(ps, list | tuple | np.ndarray) and getattr(ps, "ndim", 1) == 1 and len(ps) == 0:
        return np.empty(0)
    values = vector("ps", ps)
    outside = np.flatnonzero((values < 0) | (values > 1))
    if outside.size:
        first = int(outside[0])
        raise RocscopeError(f"ps must be p-values from 0 to 1, but number {first} is {values[first]:g}")
    return values
