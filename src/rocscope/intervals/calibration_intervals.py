"""Intervals for calibration: in the large, slope and intercept, and the distances ICI, E50, E90 and ECE.

Slope and intercept are estimated by a logistic regression of the outcome on the logit of the probability, with Wald
limits; with sampling weights or clusters, their variance is the sandwich estimate from the scores of the cases
(clusters). Calibration in the large has score limits, which are Wilson's if all probabilities are equal. A distance
from perfect calibration cannot be negative, so chance alone increases it: for a perfectly calibrated model, the
estimated ICI and ECE are above 0, and those of resamples are larger still. Here, the gap of each bin, or at each fitted
score, has a standard error; the upper limit adds z standard errors of the mean gap, and the lower one also subtracts
what chance adds to the size of a gap that is as small as the data allow. E50 and E90 are quantiles of such limits along
the curve: for E50, with the mean of the standard errors of a gap and of the mean gap; and for the lower limit of E90,
where chance selects the largest gaps, with Bonferroni's z for as many gaps as the curve has parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocscope import curves
from rocscope.curves import ScoreCells, Smoothed
from rocscope.estimate import Estimate, undefined
from rocscope.intervals.paired_cases import PairedCases
from rocscope.numbers import NORMAL, checked_level, crossing, expits, floats, logits, normal_quantile
from rocscope.record import record
from rocscope.table import ScoreTable

if TYPE_CHECKING:
    from rocscope.multiclass import ClassRanking, ClassScores

Array = NDArray[Any]
Clusters = tuple[PairedCases, Array, int]
ECE_BINS = 10  # of the error of each class
MEAN_SIZE = math.sqrt(2 / math.pi)  # of a normal gap around 0, in its standard error
SPREAD_OF_SIZE = math.sqrt(1 - 2 / math.pi)
FAR = 700.0  # search limit in logits; no float probability is further from 1/2


def calibration(
    t: ScoreTable, *, level: float = 0.95, clusters: Clusters | None = None, bins: int = 10
) -> Mapping[str, Estimate]:
    """All measures of calibration with their intervals, by their names in the catalog of `curves`.

    For clustered cases, `clusters` holds the rows of the table, the cluster of each, and the number of clusters. For
    the coverage in simulated samples of 50 to 2,000 cases, see docs/coverage.md. References: Cox 1958, Biometrika
    45:562-565 (slope, intercept); White 1982, Econometrica 50:1-25 (the sandwich).

    >>> t = ScoreTable.from_scores([1, 0, 1, 0, 1, 0], [0.9, 0.7, 0.6, 0.4, 0.3, 0.2])
    >>> for name, one in calibration(t).items():
    ...     print(name, one)
    calibration_in_the_large −0.09 [−2.10, 1.88]
    calibration_slope 0.72 [−0.89, 2.33]
    calibration_intercept −0.08 [−1.81, 1.66]
    ici 0.15 [0.00, 0.53]
    e50 0.12 [0.00, 0.66]
    e90 0.40 [0.00, 1.00]
    ece_10 0.42 [0.00, 0.86]
    """
    level = checked_level(level)
    cells = _Cells(t, clusters)
    estimates = {"calibration_in_the_large": _in_the_large(t, cells, level), **_line(t, cells, level)}
    estimates |= _distances(t, cells, level)
    return MappingProxyType(estimates | {f"ece_{bins}": _ece(t, cells, level, bins)})


@record(eq=False)
class _Cells:
    """The cases in cells of adjacent scores, with the variation of their weights or the similarity of cases in a
    cluster.
    """

    table: ScoreTable
    clusters: Clusters | None

    @cached_property
    def curve(self) -> Smoothed:
        return curves.smoothed(self.table)

    @cached_property
    def scores(self) -> ScoreCells:
        return curves.score_cells(self.table)

    @cached_property
    def squares(self) -> tuple[Array, Array]:
        return self.scores.squares(self.table)

    @cached_property
    def logits(self) -> Array:
        return logits(self.scores.score)

    @cached_property
    def _codes(self) -> tuple[Array, Array, Array, int]:
        """Cell, class, weight and cluster of each row, and then the number of clusters."""
        assert self.clusters is not None
        rows, codes, many = self.clusters
        weights = np.ones(len(rows)) if rows.weights is None else floats(rows.weights)
        return self.scores.cell[rows.places[0]], rows.mask == 1, np.stack((weights, codes)), many

    def spread(self, up: Array, down: Array) -> Array:
        """The sums of squared contributions of cases or clusters, from slopes (quantities x cells) of positives
        and negatives.

        The result is the matrix of sums of products of the quantities.
        """
        if self.clusters is None:
            first, second = self.squares
            many = float(sum(self.table.rows)) if self.table.weighted else float(self.scores.weight.sum())
            squares = (up * first) @ up.T + (down * second) @ down.T
        else:
            cell, positive, (weights, codes), many = self._codes
            each = np.where(positive, up[:, cell], down[:, cell]) * weights
            sums = np.stack([np.bincount(codes.astype(np.int64), row, many) for row in each])
            squares = sums @ sums.T
        return np.asarray(squares * many / max(many - 1.0, 1.0))

    def effect(self, up: Array, down: Array) -> float:
        """How much more a sum over cases varies than with independent cases; at least 1."""
        if self.clusters is None:
            return 1.0
        alone = _Cells(self.table, None).spread(up[None], down[None])[0, 0]
        return max(1.0, float(self.spread(up[None], down[None])[0, 0] / alone)) if alone > 0 else 1.0


# ---- logistic calibration line ----


def _in_the_large(t: ScoreTable, cells: _Cells, level: float) -> Estimate:
    """The limits where observed and expected positives differ by z standard deviations: Wilson's limits, case by
    case.
    """
    name, method = "calibration_in_the_large", "score"
    value = curves.calibration_in_the_large(t)
    if math.isnan(value):
        return undefined(curves.get(name).why(t), level=level, method=method)
    chance = expits(value + cells.logits)
    effect = _dispersion(cells, chance)
    seen, z, weight = float(t.positives), normal_quantile(level), cells.scores.weight

    def deviation(shift: float) -> float:
        share = expits(shift + cells.logits)
        spread = math.sqrt(max(float(weight @ (share * (1 - share))) * effect, 1e-300))
        return (float(weight @ share) - seen) / spread

    step = max(1.0, 2 * z)
    limits = []
    for side in (-1, 1):
        end = value
        while abs(deviation(end + side * step)) < z and abs(end) < FAR:
            end += side * step
        low, high = sorted((value, end + side * step))
        limits.append(crossing(deviation, side * z, low, high))
    information = float(weight @ (chance * (1 - chance)))
    return Estimate(value, limits[0], limits[1], level, method, se=math.sqrt(effect / information))


def _dispersion(cells: _Cells, chance: Array) -> float:
    """How much more the residuals of cases, or clusters, vary than those of independent cases would.

    It is at least what the weights imply (1 without weights): residuals also vary if the slope is not 1.
    """
    common = chance * (1 - chance)
    expected = float(cells.scores.weight @ common)
    seen = float(cells.spread((1 - chance)[None], -chance[None])[0, 0])
    return max(float(sum(cells.squares) @ common), seen) / expected


def _line(t: ScoreTable, cells: _Cells, level: float) -> dict[str, Estimate]:
    """Estimate slope and intercept jointly, with Wald limits."""
    fit, names = curves.calibration_fit(t), ("calibration_intercept", "calibration_slope")
    robust = cells.clusters is not None or t.weighted
    method = "Wald, sandwich" if robust else "Wald"
    if math.isnan(fit.slope):
        lost = undefined(fit.why, level=level, method=method)
        return {"calibration_slope": lost, "calibration_intercept": lost}
    x, weight = cells.logits, cells.scores.weight
    chance = expits(fit.intercept + fit.slope * x)
    both = np.stack((np.ones(len(x)), x))
    try:
        bread = np.linalg.inv((both * weight * chance * (1 - chance)) @ both.T)
    except np.linalg.LinAlgError:  # weights so unequal that a single score dominates
        lost = undefined("the logistic fit has no standard error", level=level, method=method)
        return {"calibration_slope": lost, "calibration_intercept": lost}
    variance = bread @ cells.spread(both * (1 - chance), -both * chance) @ bread if robust else bread
    z, estimates = normal_quantile(level), {}
    for name, value, square in zip(names, (fit.intercept, fit.slope), np.diag(variance).tolist(), strict=True):
        se = math.sqrt(square)
        estimates[name] = Estimate(value, value - z * se, value + z * se, level, method, se=se)
    return {name: estimates[name] for name in reversed(names)}


# ---- distances from perfect calibration ----


@record(slots=True)
class _Gaps:
    """Estimated gaps: their sizes and standard errors."""

    size: Array
    se: Array

    @property
    def excess(self) -> Array:
        """What chance adds to the size of a gap that is one standard error closer to 0 than observed."""
        return self._added(np.maximum(self._distance - 1, 0))

    @property
    def least_excess(self) -> Array:
        """What chance adds to the size of a gap as large as observed: less than it does, because the observed
        size contains it already.
        """
        return self._added(self._distance)

    @property
    def _distance(self) -> Array:
        return np.asarray(np.divide(self.size, self.se, out=np.full(len(self.size), 9.0), where=self.se > 0))

    def _added(self, distance: Array) -> Array:
        """E|X| - |d| of a normal X around d = 2φ(d) - 2d(1 - Φ(d)), in standard errors."""
        above = [NORMAL.pdf(d) - d * NORMAL.cdf(-d) for d in np.minimum(distance, 9.0).tolist()]
        return 2 * np.array(above) * self.se


def _share_with_half(share: Array, cases: Array) -> Array:
    """Shrink a proportion toward 1/2 by the weight of one case, so that none has zero variance."""
    return np.asarray((share * cases + 0.5) / (cases + 1))


def _distances(t: ScoreTable, cells: _Cells, level: float) -> dict[str, Estimate]:
    """ICI, E50 and E90 of the smoothed curve."""
    method, names = "normal, smoothed curve", ("ici", "e50", "e90")
    if reason := curves.get("ici").why(t):
        return {name: undefined(reason, level=level, method=method) for name in names}
    curve, z = cells.curve, normal_quantile(level)
    squares = sum(cells.squares)
    worth = curve.weight * curve.weight / squares  # effective number of cases in each cell
    local = 1 / np.maximum(curve.weights**2 @ (1 / worth), 1e-300)
    likely = _share_with_half(curve.fitted, curve.drawn(local))
    noise = likely * (1 - likely) / worth
    sizes, total = np.abs(curve.gaps), curve.weight.sum()
    share = curve.weight / total
    ici = curves.ici(t)
    pull = curve.gathered(share * np.where(curve.gaps < 0, -1.0, 1.0)) @ curve.weights
    each = (sizes - ici) / total
    effect = cells.effect(pull / curve.weight * (1 - likely) + each, -pull / curve.weight * likely + each)
    gaps = _Gaps(np.abs(curve.weights @ curve.observed - curve.anchors), np.sqrt(curve.weights**2 @ noise * effect))
    se = math.sqrt(effect * float(pull**2 @ noise + squares @ each**2))
    excess, error = curve.drawn(gaps.excess), curve.drawn(gaps.se)
    estimates = {"ici": _limits(ici, se, float(excess @ share), z, level, method)}
    many = NORMAL.inv_cdf(1 - (1 - level) / 2 / max(1.0, curve.parameters))
    steps = {"e50": (0.5, z * (error + se) / 2, z * (error + se) / 2), "e90": (0.9, many * error, z * error)}
    for name, (part, down, up) in steps.items():
        bands = sizes, np.maximum(sizes - excess - down, 0), np.minimum(sizes + up, 1)
        value, low, high = (curves.gap_quantile(band, curve.weight, part) for band in bands)
        estimates[name] = Estimate(value, low, high, level, method)
    return estimates


def _ece(t: ScoreTable, cells: _Cells, level: float, bins: int) -> Estimate:
    """The binned calibration error, with bins of equal width."""
    binned = _binned(t, cells, bins)
    return _limits(binned.value, binned.se, binned.excess, normal_quantile(level), level, "normal, bins")


class _Binned(NamedTuple):
    """The binned calibration error, its standard error, what chance adds to it, at most and at least, and its mean if
    the probabilities are right.
    """

    value: float
    se: float
    excess: float
    least_excess: float
    chance: float


def _binned(t: ScoreTable, cells: _Cells, bins: int) -> _Binned:
    value = float(curves.get(f"ece_{bins}")(t))
    score_cells, total = cells.scores, float(cells.scores.weight.sum())
    bin_index = np.clip(np.searchsorted(np.arange(bins + 1) / bins, score_cells.score, side="right") - 1, 0, bins - 1)
    squares = sum(cells.squares)
    weight, stated, seen, square, expected = (
        np.bincount(bin_index, column, bins)
        for column in (
            score_cells.weight,
            score_cells.weight * score_cells.score,
            score_cells.weight * score_cells.observed,
            squares,
            squares * score_cells.score * (1 - score_cells.score),
        )
    )
    full = weight > 0
    weight, stated, seen, square = (column[full] for column in (weight, stated, seen, square))
    bin_index = np.cumsum(full)[bin_index] - 1
    worth = weight * weight / square
    likely = _share_with_half(seen / weight, worth)
    gap = (stated - seen) / weight
    sign = np.where(gap < 0, -1.0, 1.0)
    up, down = sign[bin_index] * (score_cells.score - 1) - value, sign[bin_index] * score_cells.score - value
    effect = cells.effect(up / total, down / total)
    middle = sign[bin_index] * (score_cells.score - likely[bin_index]) - value
    spread = squares @ (likely * (1 - likely))[bin_index] + squares @ middle**2
    gaps = _Gaps(np.abs(gap), np.sqrt(likely * (1 - likely) / worth * effect))
    chance = float(np.sqrt(effect * expected).sum()) * MEAN_SIZE / total
    excess, least_excess = (float(each @ weight / total) for each in (gaps.excess, gaps.least_excess))
    return _Binned(value, math.sqrt(effect * float(spread)) / total, excess, least_excess, chance)


def classwise_ece(scores: ClassRanking, *, level: float = 0.95) -> Estimate:
    """The mean calibration error (10 bins) of the classes that occur, each against the rest, with its interval.

    The standard errors of the classes are combined according to how their gaps vary together over the cases; added sums
    do not show this, so all gaps are assumed to move together, which gives the widest limits. The limits are truncated
    at 0 only at the end: if those of each class were truncated first, their mean would exclude 0 as soon as one class
    does so by chance. The lower limit is 0 unless the error is larger than chance alone would make it for calibrated
    probabilities: with many classes and few cases in each bin, the part due to chance is known less precisely than the
    mean. The smallest amount that chance adds, which is nearly certain in a mean over many bins, is subtracted from the
    upper limit.
    Reference: Kull et al., NeurIPS 2019:12295-12305.

    >>> from rocscope.multiclass import ClassScores
    >>> c = ClassScores.of(["a", "b", "c", "a"], [[.8, .1, .1], [.2, .7, .1], [.1, .3, .6], [.5, .3, .2]])
    >>> print(classwise_ece(c))
    0.23 [0.00, 0.39]
    """
    from rocscope.multiclass import ClassScores, ClassSums

    level = checked_level(level)
    tables = [table for table in scores.tables().values() if table.positives]
    parts = [_binned(t, _Cells(t, None), ECE_BINS) for t in tables]
    mean = _Binned(*np.mean(parts, axis=0).tolist())
    value, se = mean.value, mean.se
    if isinstance(scores, ClassScores):
        gaps = ClassGaps(scores)
        gaps.add(scores)
        se *= gaps.together
    elif isinstance(scores, ClassSums) and scores.products is not None:
        se *= scores.products.gaps
    z, method = normal_quantile(level), "normal, bins, mean over classes"
    estimate = _limits(value, se, mean.excess, z, level, method, least_excess=mean.least_excess)
    # if the truth is 0, only the lower limit can be wrong: it may be so with probability 1 - level
    alone = mean.chance + NORMAL.inv_cdf(level) * SPREAD_OF_SIZE * se
    return replace(estimate, low=0.0) if value <= alone else estimate


class ClassGaps:
    """The joint variation of the calibration errors of several classes, in one pass over cases whose tables are known.

    >>> from rocscope.multiclass import ClassScores
    >>> c = ClassScores.of(["a", "b", "b"], [[.8, .2], [.4, .6], [.7, .3]])
    >>> gaps = ClassGaps(c)
    >>> gaps.add(c)
    >>> gaps.together  # of two classes one is the mirror image of the other
    1.0
    """

    def __init__(self, scores: ClassRanking) -> None:
        tables = enumerate(scores.tables().values())
        self._signs = {at: _bin_signs(table) for at, table in tables if table.positives}
        self._alone, self._joint = dict.fromkeys(self._signs, 0.0), 0.0

    def add(self, cases: ClassScores) -> None:
        """Add the contributions of some of the cases."""
        mass = np.ones(len(cases.codes)) if cases.weights is None else floats(cases.weights)
        moved = np.zeros(len(mass))
        for at, (signs, value) in self._signs.items():
            stated = floats(cases.scores[:, at])
            each = mass * (signs[_bins(stated)] * (stated - (cases.codes == at)) - value)
            self._alone[at] += float(each @ each)
            moved += each
        self._joint += float(moved @ moved)

    @property
    def together(self) -> float:
        """The standard error of the mean over all classes, divided by the mean of their standard errors; at most 1."""
        apart = sum(math.sqrt(square) for square in self._alone.values())
        return min(1.0, math.sqrt(self._joint) / apart) if apart > 0 else 1.0


def _bins(stated: Array) -> Array:
    """The bin of each probability: of equal width, a bound in the upper one."""
    return np.clip(np.searchsorted(np.arange(ECE_BINS + 1) / ECE_BINS, stated, side="right") - 1, 0, ECE_BINS - 1)


def _bin_signs(t: ScoreTable) -> tuple[Array, float]:
    """Of each bin whether more is stated than seen, and the calibration error."""
    cells = curves.score_cells(t)
    gap = np.bincount(_bins(cells.score), cells.weight * (cells.score - cells.observed), ECE_BINS)
    return np.where(gap < 0, -1.0, 1.0), float(curves.get(f"ece_{ECE_BINS}")(t))


def _limits(
    value: float, se: float, excess: float, z: float, level: float, method: str, least_excess: float = 0.0
) -> Estimate:
    low, high = max(0.0, value - excess - z * se), min(1.0, value - least_excess + z * se)
    return Estimate(value, min(low, value), max(high, value), level, method, se=se)


def _interval_of(name: str) -> Callable[..., Estimate]:
    def interval(t: ScoreTable, *, level: float = 0.95, **_: Any) -> Estimate:
        return calibration(t, level=level)[name]

    return interval


def _ece_alone(t: ScoreTable, *, level: float = 0.95, **_: Any) -> Estimate:
    """Only the ECE, for each of many classes: the smoothed curve would take ten times as long."""
    return _ece(t, _Cells(t, None), checked_level(level), 10)


for _name in ("calibration_in_the_large", "calibration_slope", "calibration_intercept", "ici", "e50", "e90"):
    curves.attach(_name, interval=_interval_of(_name))
curves.attach("ece_10", interval=_ece_alone)
