"""Sums and differences of proportions from the limits of each: Newcombe's score intervals, and MOVER in general."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rocscope.estimate.estimate import Estimate, undefined
from rocscope.estimate.proportions import checked_counts, proportion
from rocscope.numbers import checked_cases, checked_level, normal_two_sided


def difference(k1: float, n1: float, k2: float, n2: float, *, level: float = 0.95) -> Estimate:
    """The difference k1/n1 - k2/n2 between two independent samples, with its interval and the pooled z-test.

    Low = d - sqrt((p1 - l1)² + (u2 - p2)²), high = d + sqrt((u1 - p1)² + (p2 - l2)²), from the Wilson limits
    l, u of each. `statistic` is z = d / sqrt(p(1 - p)(1/n1 + 1/n2)), where p is the pooled proportion.
    Reference: Newcombe, Stat Med 1998;17:873-890, method 10 (hybrid score).

    >>> print(difference(40, 50, 30, 50))
    0.20 [0.02, 0.36] p = 0.029
    """
    level = checked_level(level)
    k1, n1 = checked_counts(k1, n1)
    k2, n2 = checked_counts(k2, n2)
    if n1 == 0 or n2 == 0:
        return undefined("undefined: a sample contains no cases", level=level, method="newcombe")
    first, second = proportion(k1, n1, level=level), proportion(k2, n2, level=level)
    low, high = _within(mover((first, second), (1, -1)))
    z, why = _pooled_z(k1, n1, k2, n2)
    p = normal_two_sided(z)
    return Estimate(first.value - second.value, low, high, level, "newcombe", why, p, z)


def _pooled_z(k1: float, n1: float, k2: float, n2: float) -> tuple[float, str]:
    pooled = (k1 + k2) / (n1 + n2)
    se = math.sqrt(pooled * (1 - pooled) * (1 / n1 + 1 / n2))
    if se == 0:
        return 0.0, f"both proportions are {pooled:g}: no difference was observed"
    return (k1 / n1 - k2 / n2) / se, ""


def paired_difference(a: float, b: float, c: float, d: float, *, level: float = 0.95) -> Estimate:
    """The difference p1 - p2 = (b - c)/n between two classifiers on the same cases, with its interval.

    Both classifiers are correct on `a` cases, only the first on `b`, only the second on `c`, neither on `d`. The limits
    are the hybrid score limits of `difference` with the correlation phi between the two proportions, which is
    continuity-corrected if it is positive, and 0 if a margin is empty. The test of no difference is
    `significance.mcnemar(b, c)`. Reference: Newcombe, Stat Med 1998;17:2635-2650, method 10.

    >>> print(paired_difference(20, 9, 2, 9))
    0.17 [0.01, 0.32]
    """
    level = checked_level(level)
    a, b, c, d = (checked_cases(name, cell) for name, cell in zip("abcd", (a, b, c, d), strict=True))
    n = a + b + c + d
    if n == 0:
        return undefined("undefined: there are no cases", level=level, method="newcombe-paired")
    first, second = proportion(a + b, n, level=level), proportion(a + c, n, level=level)
    low, high = _within(mover((first, second), (1, -1), correlation=_corrected_phi(a, b, c, d)))
    value = (b - c) / n
    return Estimate(value, min(low, value), max(high, value), level, "newcombe-paired")


def _corrected_phi(a: float, b: float, c: float, d: float) -> float:
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    if margins == 0:
        return 0.0
    cross, half = a * d - b * c, (a + b + c + d) / 2
    shrunk = max(cross - half, 0.0) if cross > 0 else cross
    return float(shrunk / math.sqrt(margins))


def _within(limits: tuple[float, float]) -> tuple[float, float]:
    return max(-1.0, limits[0]), min(1.0, limits[1])


def between(first: Estimate, second: Estimate) -> Estimate:
    """The difference between two independent estimates, with limits combined from those of each.

    low = d - sqrt((v1 - l1)² + (u2 - v2)²), high = d + sqrt((u1 - v1)² + (v2 - l2)²).

    >>> print(between(Estimate(0.8, 0.7, 0.88), Estimate(0.6, 0.5, 0.7)))
    0.20 [0.06, 0.33]
    """
    value = first.value - second.value
    low = value - math.hypot(first.value - first.low, second.high - second.value)
    high = value + math.hypot(first.high - first.value, second.value - second.low)
    why = first.why or (f"baseline: {second.why}" if second.why else "")
    return Estimate(value, low, high, first.level, "newcombe, two samples", why)


def mover(parts: Sequence[Estimate], factors: Sequence[float], *, correlation: float = 0.0) -> tuple[float, float]:
    """The limits of Σ factor_i · part_i from the limits of the parts (MOVER).

    low = v - sqrt(Σ d_i² + 2 r Σ ± d_i d_j), d_i = |factor_i| times the distance from part i to the limit that lowers
    the sum, and correspondingly for the upper limit; `correlation` is that of every two parts, with the opposite sign
    where their factors differ in sign. If the limits of the parts are valid with few cases, so are those of the sum.
    Reference: Zou & Donner, Stat Med 2008;27:1693-1702; with Wilson's limits and factors 1 and -1 it is Newcombe 1998,
    method 10.

    >>> recall, specificity = proportion(5, 5), proportion(85, 95)
    >>> [round(limit, 3) for limit in mover((recall, specificity), (0.5, 0.5))]
    [0.727, 0.971]
    """
    terms = list(zip(parts, factors, strict=True))
    value = sum(factor * part.value for part, factor in terms)
    below = [factor * (part.value - (part.low if factor > 0 else part.high)) for part, factor in terms]
    above = [factor * ((part.high if factor > 0 else part.low) - part.value) for part, factor in terms]
    return value - _side(below, factors, correlation), value + _side(above, factors, correlation)


def _side(distances: Sequence[float], factors: Sequence[float], correlation: float) -> float:
    signed = [math.copysign(distance, factor) for distance, factor in zip(distances, factors, strict=True)]
    squares = sum(distance * distance for distance in distances)
    return math.sqrt(max(0.0, (1 - correlation) * squares + correlation * sum(signed) ** 2))
