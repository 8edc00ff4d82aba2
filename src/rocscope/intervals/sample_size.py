"""Planning: the number of cases for an AUC, a difference between AUCs, or an interval width; and the power."""

from __future__ import annotations

import math

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.intervals.auc_intervals import LARGEST_SCALE, newcombe_variance, score_limits
from rocscope.intervals.influence import EffectiveSizes
from rocscope.numbers import NORMAL, checked_level, checked_share, checked_whole, normal_quantile
from rocscope.record import record

FEW = 30  # cases per class below which the formula is off by more than 0.03: simulated, or refused for a difference
MODERATE = 60  # below, the power of a comparison allows for the larger variance that its interval uses with few cases
PLENTY = 1_000
SAMPLES = 4_000
BLOCK = 500


@record(slots=True)
class StudyPlan:
    """A study plan: the numbers of positives and negatives, and the power (NaN if it is based on a width).

    `exact` is the number of positives before rounding up; `aim` describes the purpose of the plan.
    """

    positives: int
    negatives: int
    power: float
    exact: float
    aim: str

    @property
    def total(self) -> int:
        """The total number of cases."""
        return self.positives + self.negatives

    def __str__(self) -> str:
        power = "" if math.isnan(self.power) else f", power {self.power:.3f}"
        return f"{self.positives} positives and {self.negatives} negatives{power}: {self.aim}"


def size_for_auc(
    auc: float, against: float, *, power: float = 0.8, ratio: float = 1.0, level: float = 0.95
) -> StudyPlan:
    """The number of cases needed to show that an AUC differs from a given value, with the given power.

    P = [(z_{1-α/2} sqrt V(a0) + z_{1-β} sqrt V(a))/(a - a0)]², V(A) = [2A²/(1 + A) - A²] + [A/(2 - A) - A²]/ratio,
    with `ratio` negatives per positive. With fewer than 30 cases of a class, the formula is too optimistic (with 7
    cases of each class, for 0.9 against 0.5, it gives a power of 0.874 instead of 0.78). In that case, the power is
    that of 4,000 simulated samples of normal scores, assessed with the default interval, and cases are added until it
    is reached. Reference: Hanley & McNeil, Radiology 1982;143:29-36 (large-sample variance).

    >>> print(size_for_auc(0.8, 0.7))
    97 positives and 97 negatives, power 0.802: AUC 0.8 against 0.7 at level 0.95
    """
    area, other, ratio = _area("auc", auc), _area("against", against), _ratio(ratio)
    gap = _gap(area, other)
    exact = (_needed(_variance(other, ratio), _variance(area, ratio), power, level) / gap) ** 2
    positives = math.ceil(exact - 1e-9)
    negatives = math.ceil(positives * ratio - 1e-9)
    reached = power_for_auc(auc, against, positives=positives, negatives=negatives, level=level)
    while min(positives, negatives) < FEW and reached.power < power:
        positives += 1
        negatives = math.ceil(positives * ratio - 1e-9)
        reached = power_for_auc(auc, against, positives=positives, negatives=negatives, level=level)
    return StudyPlan(positives, negatives, reached.power, exact, f"AUC {area:g} against {other:g} at level {level:g}")


def power_for_auc(auc: float, against: float, *, positives: int, negatives: int, level: float = 0.95) -> StudyPlan:
    """The power to show, with the given number of cases, that an AUC differs from a given value; see `size_for_auc`.

    >>> print(power_for_auc(0.8, 0.7, positives=50, negatives=100))
    50 positives and 100 negatives, power 0.575: AUC 0.8 against 0.7 at level 0.95
    """
    area, other = _area("auc", auc), _area("against", against)
    up, down = checked_whole("positives", positives, least=1), checked_whole("negatives", negatives, least=1)
    power = (
        _simulated(area, other, up, down, checked_level(level))
        if min(up, down) < FEW
        else _power(abs(area - other), _variance(other, down / up) / up, _variance(area, down / up) / up, level)
    )
    return StudyPlan(up, down, power, float(up), f"AUC {area:g} against {other:g} at level {level:g}")


def size_for_difference(
    first: float,
    second: float,
    *,
    correlation: float = 0.5,
    power: float = 0.8,
    ratio: float = 1.0,
    level: float = 0.95,
) -> StudyPlan:
    """The number of cases needed to show that the AUCs of two models on the same cases differ, with the given power.

    Like `size_for_auc`, but with the variance of the difference, V(a) + V(b) - 2 r sqrt(V(a) V(b)); under the null
    hypothesis, both areas equal their mean. You state the correlation r of the two AUC estimates (0 for two samples).
    At least 30 cases of each class are planned, because with fewer the formula is too optimistic; below 60, the
    variance is at least the floor of `significance.delong`.
    Reference: Hanley & McNeil, Radiology 1983;148:839-843.

    >>> print(size_for_difference(0.85, 0.8, correlation=0.6))
    219 positives and 219 negatives, power 0.801: AUC 0.85 and 0.8, correlation 0.6, at level 0.95
    """
    a, b, ratio = _area("first", first), _area("second", second), _ratio(ratio)
    null, alternative = _paired_variances(a, b, correlation, ratio)
    exact = (_needed(null, alternative, power, level) / _gap(a, b)) ** 2
    positives = max(math.ceil(exact - 1e-9), FEW, math.ceil(FEW / ratio - 1e-9))
    while True:
        plan = power_for_difference(
            a, b, correlation=correlation, positives=positives, negatives=math.ceil(positives * ratio - 1e-9),
            level=level, exact=exact,
        )  # fmt: skip
        if plan.power >= power or min(plan.positives, plan.negatives) >= MODERATE:
            return plan
        positives += 1


def power_for_difference(
    first: float,
    second: float,
    *,
    correlation: float = 0.5,
    positives: int,
    negatives: int,
    level: float = 0.95,
    exact: float | None = None,
) -> StudyPlan:
    """The power to show, with the given number of cases, that the AUCs of two models differ; see `size_for_difference`.

    With fewer than 30 cases of a class, the computation is refused, because it would be too optimistic.

    >>> print(power_for_difference(0.85, 0.8, correlation=0.6, positives=100, negatives=100))
    100 positives and 100 negatives, power 0.475: AUC 0.85 and 0.8, correlation 0.6, at level 0.95
    """
    a, b = _area("first", first), _area("second", second)
    up, down = checked_whole("positives", positives, least=1), checked_whole("negatives", negatives, least=1)
    if min(up, down) < FEW:
        raise RocscopeError(
            f"a class of {min(up, down)} is too small to compute the power of a comparison of two models",
            hint=f"Plan for {FEW} or more cases of each class",
        )
    null, alternative = _paired_variances(a, b, correlation, down / up)
    aim = f"AUC {a:g} and {b:g}, correlation {correlation:g}, at level {level:g}"
    null /= up
    if min(up, down) < MODERATE:  # the interval is at least as wide as the areas and class sizes suggest
        size = EffectiveSizes(float(up), float(down))
        middles = (sum(score_limits(area, size, checked_level(level))) / 2 for area in (a, b))
        null = max(null, (1 - max(0.0, correlation)) * sum(newcombe_variance(middle, size) for middle in middles))
    return StudyPlan(up, down, _power(abs(a - b), null, alternative / up, level), exact or float(up), aim)


def size_for_width(auc: float, width: float, *, ratio: float = 1.0, level: float = 0.95) -> StudyPlan:
    """The number of cases with which the unscaled score interval for an AUC has at most the given width.

    This is the smallest number of positives, with `ratio` negatives for each, at which the interval by Newcombe's
    method 5 has that width. Reference: Newcombe, Stat Med 2006;25:559-573.

    >>> print(size_for_width(0.9, 0.10))
    83 positives and 83 negatives: AUC 0.9 in an interval of width 0.1 at level 0.95
    """
    area, ratio, level = _area("auc", auc), _ratio(ratio), checked_level(level)
    wanted = checked_share("width", width, hint="Give the width (high - low), such as 0.10")

    def wide(positives: int) -> bool:
        size = EffectiveSizes(float(positives), float(max(1, math.ceil(positives * ratio - 1e-9))))
        low, high = score_limits(area, size, level)
        return high - low > wanted

    most = 1
    while wide(most):
        most *= 2
    least = most // 2
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if wide(middle) else (least, middle)
    negatives = max(1, math.ceil(most * ratio - 1e-9))
    aim = f"AUC {area:g} in an interval of width {wanted:g} at level {level:g}"
    return StudyPlan(most, negatives, math.nan, float(most), aim)


# ---- helpers ----


def _variance(area: float, ratio: float) -> float:
    """The variance of an AUC times the number of positives, for many cases."""
    return (2 * area * area / (1 + area) - area * area) + (area / (2 - area) - area * area) / ratio


def _paired_variances(a: float, b: float, correlation: float, ratio: float) -> tuple[float, float]:
    """Of the difference without one (both at the mean) and as stated."""
    if not -1 < correlation < 1:
        raise RocscopeError(f"correlation must lie between -1 and 1, not {correlation!r}")
    both, first, second = _variance((a + b) / 2, ratio), _variance(a, ratio), _variance(b, ratio)
    return 2 * both * (1 - correlation), first + second - 2 * correlation * math.sqrt(first * second)


def _needed(null: float, alternative: float, power: float, level: float) -> float:
    level, power = checked_level(level), checked_share("power", power, hint="80 % is 0.8")
    return normal_quantile(level) * math.sqrt(null) + NORMAL.inv_cdf(power) * math.sqrt(alternative)


def _power(gap: float, null: float, alternative: float, level: float) -> float:
    return NORMAL.cdf((gap - normal_quantile(checked_level(level)) * math.sqrt(null)) / math.sqrt(alternative))


def _simulated(area: float, other: float, positives: int, negatives: int, level: float) -> float:
    """The share of samples of normal scores, equally spread in both classes, whose default interval leaves `other` out.

    The interval leaves it out where (A - θ)² > z² k V(θ): see `intervals.auc`. More than 1,000 cases of the larger
    class stand for all: beside fewer than 30 of the other they hardly vary.
    """
    positives, negatives = min(positives, PLENTY), min(negatives, PLENTY)
    generator, size = np.random.default_rng(0), EffectiveSizes(float(positives), float(negatives))
    shift, excluded = math.sqrt(2) * NORMAL.inv_cdf(area), 0
    reach = normal_quantile(level) ** 2 * newcombe_variance(other, size)
    for _ in range(0, SAMPLES, BLOCK):
        up = generator.normal(shift, 1.0, (BLOCK, positives, 1))
        wins = up > generator.normal(0.0, 1.0, (BLOCK, 1, negatives))
        above, below = wins.mean(axis=2), wins.mean(axis=1)
        areas = above.mean(axis=1)
        # a single case has no variance
        spread = sum(
            side.var(axis=1, ddof=1) / side.shape[1] if side.shape[1] > 1 else np.full(BLOCK, math.nan)
            for side in (above, below)
        )
        plain = np.array([newcombe_variance(value, size) for value in areas.tolist()])
        scale = np.divide(spread, plain, out=np.ones(BLOCK), where=(plain > 0) & (spread > 0))
        excluded += int(np.count_nonzero((areas - other) ** 2 > reach * np.clip(scale, 1.0, LARGEST_SCALE)))
    return excluded / SAMPLES


def _gap(area: float, other: float) -> float:
    if area == other:
        raise RocscopeError(f"both areas are {area:g}: no number of cases can show a difference")
    return abs(area - other)


def _area(name: str, value: float) -> float:
    return checked_share(name, value, hint="Give an AUC between 0 and 1, such as 0.8")


def _ratio(ratio: float) -> float:
    if not isinstance(ratio, int | float) or not 0 < ratio < math.inf:
        raise RocscopeError(
            f"ratio must be a positive number, not {ratio!r}", hint="Give the number of negatives per positive"
        )
    return float(ratio)
