"""Bands for curves: pointwise and simultaneous for ROC and PR, rates at fixed rates, and the CORP consistency band."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope import curves, hull
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate, undefined, wilson_limits
from rocscope.intervals.bootstrap_intervals import check_replicates, joined_blocks
from rocscope.intervals.influence import effective_sizes
from rocscope.intervals.resamples import CellCounts, cells_along, resampled, runs, seeds
from rocscope.intervals.statistics import hits_at, table_of
from rocscope.numbers import checked_level, checked_share, floats, normal_quantile, one_of, order_statistic
from rocscope.record import record
from rocscope.table import ScoreTable

Array = NDArray[Any]
SIMULTANEOUS = ("ks", "sup", "working-hotelling")
MOST_POINTS = 500
FEW_EVENTS = 3.5  # up to three, of weights too


@record(slots=True)
class Band:
    """A curve with its band: at each `x`, `y` lies between `low` and `high`; all are arrays of equal length.

    `simultaneous` is True if the level holds for the whole curve, and False if it holds for each point separately. A
    band around the points of a curve also has `left` and `right`, the horizontal limits, and `thresholds`. `why`
    explains what is unusual, if anything.
    """

    kind: str
    method: str
    level: float
    simultaneous: bool
    x: Array
    y: Array
    low: Array
    high: Array
    left: Array | None = None
    right: Array | None = None
    thresholds: Array | None = None
    why: str = ""

    def __len__(self) -> int:
        return len(self.x)

    def __repr__(self) -> str:
        whole = "simultaneous" if self.simultaneous else "pointwise"
        reason = f", {self.why}" if self.why else ""
        return f"Band({self.kind}: {len(self):,} points, {whole} {self.level:g}, {self.method}{reason})"


# ---- ROC ----


def roc_points(t: ScoreTable, *, level: float = 0.95, joint: bool = True) -> Band:
    """The ROC curve with a rectangle around each of its points: Wilson's limits for TPR and FPR.

    With `joint`, each side has level sqrt(level), so that the rectangle as a whole contains the true point at the
    level; otherwise each side has the level itself. The level holds for every point separately, not for the curve as a
    whole. Reference: Wilson, J Am Stat Assoc 1927;22:209-212.

    >>> roc_points(ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.3, 0.2]))
    Band(roc: 7 points, pointwise 0.95, wilson rectangle)
    """
    level, curve, size = checked_level(level), curves.roc(t), effective_sizes(t)
    _two_classes(t)
    side = math.sqrt(level) if joint else level
    low, high = wilson_limits(curve.tpr * size.positives, size.positives, level=side)
    left, right = wilson_limits(curve.fpr * size.negatives, size.negatives, level=side)
    return Band(
        "roc", "wilson rectangle", level, False, curve.fpr, curve.tpr, low, high, left, right, t.thresholds
    )  # fmt: skip


def roc_band(t: ScoreTable, *, method: str = "ks", level: float = 0.95, n: int = 1999, seed: int = 0) -> Band:
    """The ROC curve with a band that contains the whole true curve at the level.

    With "ks" (the default), both distribution functions are off by at most the Kolmogorov quantiles d_P, d_N at level
    sqrt(level), so the curve lies between TPR(x - d_N) - d_P and TPR(x + d_N) + d_P: the band is exact for continuous
    scores with any distribution, is conservative, and never has width 0. "sup" bootstraps the largest studentized
    distance over the observed FPR. "working-hotelling" puts a band around the fitted binormal curve. Reference:
    Campbell, Stat Med 1994;13:499-508.

    >>> band = roc_band(ScoreTable.from_scores([1] * 10 + [0] * 10, range(20, 0, -1)))
    >>> band, float(band.low[-1].round(4))
    (Band(roc: 11 points, simultaneous 0.95, ks), 0.555)
    """
    level = checked_level(level)
    one_of("ROC band", method, SIMULTANEOUS)
    _two_classes(t)
    if method == "ks":
        return _ks(t, level)
    return _sup(t, level, n, seed) if method == "sup" else _working_hotelling(t, level)


def _two_classes(t: ScoreTable) -> None:
    for total, name in ((t.positives, "positives"), (t.negatives, "negatives")):
        if not total:
            raise RocscopeError(f"a band of the ROC curve requires both classes, but there are no {name}")


def ks_distances(t: ScoreTable, level: float) -> tuple[float, float]:
    """The joint error bounds of the distribution functions of positives and negatives at the level.

    These are the two-sided Kolmogorov quantiles at sqrt(level) for the (effective) class sizes; 0.444979 for 10 at
    0.95.
    """
    from scipy.stats import kstwo

    size, each = effective_sizes(t), math.sqrt(level)
    return tuple(float(kstwo.ppf(each, max(1, math.floor(count)))) for count in size)  # type: ignore[return-value]


def _ks(t: ScoreTable, level: float) -> Band:
    up, down = ks_distances(t, level)
    curve = curves.roc(t)
    x = np.unique(np.concatenate((curve.fpr, [0.0, 1.0])))
    y = upper_step(curve.fpr, curve.tpr, x)
    high = np.minimum(1.0, upper_step(curve.fpr, curve.tpr, x + down) + up)
    low = np.maximum(0.0, lower_step(curve.fpr, curve.tpr, x - down) - up)
    few = min(effective_sizes(t)) < 2
    why = "a class has a single case, so the band is almost the whole square" if few else ""
    return Band("roc", "ks", level, True, x, y, low, high, why=why)


def upper_step(fpr: Array, tpr: Array, x: Array) -> Array:
    """The largest TPR of thresholds whose FPR is at most x; 0 below all of them."""
    index = np.searchsorted(fpr, x + 1e-12, side="right") - 1
    return np.where(index >= 0, tpr[np.maximum(index, 0)], 0.0)


def lower_step(fpr: Array, tpr: Array, x: Array) -> Array:
    """The smallest TPR of thresholds whose FPR is at least x, the curve from below; 0 if x is negative."""
    index = np.minimum(np.searchsorted(fpr, x - 1e-12, side="left"), len(fpr) - 1)
    return np.where(x < 0, 0.0, tpr[index])


def _grid(fpr: Array) -> Array:
    """The observed false positive rates, thinned evenly if there are very many."""
    x = np.unique(fpr)
    return x if len(x) <= MOST_POINTS else x[np.linspace(0, len(x) - 1, MOST_POINTS).round().astype(int)]


def _sup(t: ScoreTable, level: float, n: int, seed: int) -> Band:
    check_replicates(n, level)
    curve, size = curves.roc(t), effective_sizes(t)
    x = _grid(curve.fpr)
    y = upper_step(curve.fpr, curve.tpr, x)
    drawn = joined_blocks(_curves_at(t, x, n, seed), n)
    z = normal_quantile(level)
    centre = (y * size.positives + z * z / 2) / (size.positives + z * z)
    spread = np.maximum(drawn.std(axis=0, ddof=1), np.sqrt(centre * (1 - centre) / (size.positives + z * z)))
    reach = order_statistic(np.sort((np.abs(drawn - y) / spread).max(axis=1)), level)
    low, high = np.maximum(0.0, y - reach * spread), np.minimum(1.0, y + reach * spread)
    return Band("roc", f"sup, {n} resamples", level, True, x, y, low, high)


def _curves_at(t: ScoreTable, x: Array, n: int, seed: int) -> Iterator[Array]:
    """The TPR of resampled curves at false positive rates x, block by block (replicates x rates)."""
    for pos, neg in resampled(CellCounts.of(t, runs), n, seed=seed):
        cells = cells_along(pos, neg)
        sides = zip(cells["fp"] / max(1, int(t.negatives)), cells["tp"] / max(1, int(t.positives)), strict=True)
        yield np.stack([upper_step(alarms, hits, x) for alarms, hits in sides])


def _working_hotelling(t: ScoreTable, level: float) -> Band:
    """Φ(a + b z_x ± sqrt(χ²_2) se), se² = v_a + 2 z v_ab + z² v_b of the binormal fit."""
    from scipy.special import chdtri, ndtr, ndtri

    fit = curves.binormal(t)
    if fit.why:
        raise RocscopeError(f"there is no binormal curve for the band: {fit.why}", hint="Use method='ks'")
    spread = np.array(fit.covariance)
    x = np.linspace(0.0, 1.0, 101)[1:-1]
    z = ndtri(x)
    se = np.sqrt(spread[0, 0] + 2 * z * spread[0, 1] + z * z * spread[1, 1])
    reach = math.sqrt(float(chdtri(2, 1 - level)))
    middle = fit.a + fit.b * z
    limits = ndtr(middle), ndtr(middle - reach * se), ndtr(middle + reach * se)
    return Band("roc", "working-hotelling", level, True, x, *limits, why=fit.hook)


# ---- PR ----


def pr_band(t: ScoreTable, *, level: float = 0.95, prevalence: float | None = None) -> Band:
    """The PR curve with a simultaneous band, derived from the KS rectangles of the ROC curve.

    At each threshold, TPR and FPR lie within d_P and d_N (see `roc_band`); precision = πTPR/(πTPR + (1 - π)FPR) is
    largest at the upper left corner and smallest at the lower right one; recall is TPR. The prevalence is that of the
    sample or a given one, and is treated as known. Reference: Campbell, Stat Med 1994;13:499-508.

    >>> pr_band(ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.3, 0.2]), prevalence=0.1)
    Band(pr: 6 points, simultaneous 0.95, ks rectangles, at prevalence 0.1)
    """
    level = checked_level(level)
    _two_classes(t)
    share = float(t.positives) / (float(t.positives) + float(t.negatives))
    if prevalence is not None:
        share = checked_share("prevalence", prevalence, hint="2 % is 0.02")
    up, down = ks_distances(t, level)
    curve = curves.roc(t)
    tpr, fpr = curve.tpr[1:], curve.fpr[1:]  # precision is undefined where nothing is flagged
    left, right = np.maximum(0.0, tpr - up), np.minimum(1.0, tpr + up)
    few, many = np.maximum(0.0, fpr - down), np.minimum(1.0, fpr + down)
    high, low = _precision(right, few, share), _precision(left, many, share)
    why = f"at prevalence {share:.4g}"
    return Band(
        "pr", "ks rectangles", level, True, tpr, _precision(tpr, fpr, share), low, high, left, right,
        t.thresholds[1:], why,
    )  # fmt: skip


def _precision(tpr: Array, fpr: Array, share: float) -> Array:
    flagged = share * tpr + (1 - share) * fpr
    return np.where(flagged > 0, share * tpr / np.where(flagged > 0, flagged, 1.0), 1.0)


# ---- one rate at a fixed value of the other ----


def sensitivity_at(t: ScoreTable, specificity: float, *, level: float = 0.95, n: int = 1999, seed: int = 0) -> Estimate:
    """The sensitivity at the last threshold with at least the given specificity, with its interval.

    Bootstrap II: in each resample the threshold is determined again, and TPR~ = (k + z²/2)/(P + z²); the limits are the
    mean of TPR~ ± z standard deviations, truncated to [0, 1], and no narrower than those for up to three hits or misses
    at a known threshold, by the Poisson distribution. References: Zhou & Qin, Stat Med 2005;24:465-477; Brown, Cai &
    DasGupta, Stat Sci 2001;16:101-133.

    >>> t = ScoreTable.from_scores([1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [0.95, 0.9, 0.8, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3, 0.1])
    >>> print(sensitivity_at(t, 0.8))
    0.80 [0.32, 0.99]
    """
    share = 1 - _rate("specificity", specificity)
    return _rate_at(t, share, level=checked_level(level), n=n, seed=seed)


def specificity_at(t: ScoreTable, sensitivity: float, *, level: float = 0.95, n: int = 1999, seed: int = 0) -> Estimate:
    """The specificity at the first threshold with at least the given sensitivity, with its interval.

    This is `sensitivity_at` with the classes exchanged. Reference: Zhou & Qin, Stat Med 2005;24:465-477.

    >>> t = ScoreTable.from_scores([1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [0.95, 0.9, 0.8, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3, 0.1])
    >>> print(specificity_at(t, 0.8))
    0.80 [0.41, 0.99]
    """
    share = 1 - _rate("sensitivity", sensitivity)
    return _rate_at(t.swap(), share, level=checked_level(level), n=n, seed=seed)


def _rate(name: str, value: float) -> float:
    if value in (0, 1):
        return float(value)
    return checked_share(name, value, hint="90 % is 0.9")


def _rate_at(t: ScoreTable, share: float, *, level: float, n: int, seed: int) -> Estimate:
    check_replicates(n, level)
    method = f"btii, {n} resamples"
    if not t.positives or not t.negatives:
        return undefined("a rate at a fixed rate requires both classes", level=level, method=method)
    cells, rate_at = CellCounts.of(t, runs), hits_at(share)
    value = float(rate_at(cells.pos[None, :], cells.neg[None, :])[0])
    z, size = normal_quantile(level), float(cells.positives)
    drawn = joined_blocks((rate_at(pos, neg) for pos, neg in resampled(cells, n, seed=seed)), n)
    shrunk = (drawn * size + z * z / 2) / (size + z * z)
    middle, half = float(shrunk.mean()), z * float(shrunk.std(ddof=1))
    if half == 0:  # no resample differs: the threshold is certain, the rate is not
        limits = [float(limit) for limit in wilson_limits(value * size, size, level=level)]
        why = "every resample gives the same rate; Wilson's interval at the threshold is used instead"
        return Estimate(value, limits[0], limits[1], level, method, why)
    hits, misses = value * size, (1 - value) * size
    low = max(0.0, min(middle - half, value, _share_of_few(hits, level) / size))
    high = min(1.0, max(middle + half, value, 1 - _share_of_few(misses, level) / size))
    return Estimate(value, low, high, level, method, se=float(drawn.std(ddof=1)))


def _share_of_few(count: float, level: float) -> float:
    """The lower Poisson limit of up to three events at the level; the count itself if there are more or none."""
    from scipy.special import gammaincinv

    return float(gammaincinv(count, 1 - level)) if 0 < count <= FEW_EVENTS else count


# ---- calibration ----


def calibration_band(t: ScoreTable, *, level: float = 0.95, n: int = 999, seed: int = 0) -> Band:
    """The CORP reliability curve with its consistency band: where it would lie if the probabilities were correct.

    Outcomes are drawn with the stated probabilities, y ~ s, and calibrated by PAV each time; `low` and `high` are
    pointwise quantiles at each score, and `y` is the observed calibrated probability. If there are many scores, they
    are first pooled into 500. Reference: Dimitriadis, Gneiting & Jordan, Proc Natl Acad Sci 2021;118:e2016191118.

    >>> t = ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.3, 0.2])
    >>> calibration_band(t, n=99)
    Band(calibration: 6 points, pointwise 0.95, consistency, 99 draws)
    """
    level = checked_level(level)
    check_replicates(n, level)
    if reason := curves.get("brier").why(t):
        raise RocscopeError(reason)
    if t.weighted or not t.exact:
        raise RocscopeError("a consistency band requires individual cases, not sums of weights")
    pooled = _pooled_scores(t)
    cases, shares = pooled.pos + pooled.neg, floats(pooled.scores)
    generator = seeds(seed)[0]
    drawn = np.empty((n, len(pooled)))
    for row in drawn:
        hits = generator.binomial(cases, shares)
        row[:] = hull.pav(table_of(pooled, hits, cases - hits)).values
    drawn.sort(axis=0)
    low, high = (np.quantile(drawn, q, axis=0, method="weibull") for q in ((1 - level) / 2, (1 + level) / 2))
    seen = np.asarray(hull.pav(pooled).values)
    turn = slice(None, None, -1)  # in ascending order of probability, as plotted
    return Band(
        "calibration", f"consistency, {n} draws", level, False, shares[turn], seen[turn], low[turn], high[turn],
        thresholds=pooled.scores[turn],
    )  # fmt: skip


def _pooled_scores(t: ScoreTable) -> ScoreTable:
    """The table with adjacent scores pooled to at most 500 of about equal size, each at its mean score."""
    if len(t) <= MOST_POINTS:
        return t
    cases = t.pos + t.neg
    which = np.minimum((np.cumsum(cases) - cases) * MOST_POINTS // int(cases.sum()), MOST_POINTS - 1)
    starts = np.flatnonzero(np.concatenate(([True], which[1:] != which[:-1])))
    sums = np.add.reduceat(floats(t.scores) * cases, starts)
    pos, neg = np.add.reduceat(t.pos, starts), np.add.reduceat(t.neg, starts)
    return ScoreTable(sums / (pos + neg), pos, neg, t.higher_is_positive, t.labels, rows=t.rows)
