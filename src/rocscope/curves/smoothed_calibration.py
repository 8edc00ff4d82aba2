"""The smoothed calibration curve (LOWESS), and how far the probabilities lie from it: ICI, E50, E90; the smooth ECE.

How it works: a straight line is fitted around each of about a hundred scores, to the two thirds of the cases that lie
nearest, with tricube weights (Cleveland 1979); between them the curve is straight. The fit is linear in the outcomes,
so the weight of each case in each fitted value is kept: intervals follow from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import floor
from typing import Any

import numpy as np

from rocscope.curves import threshold_rates
from rocscope.curves.curve import Array, Curve
from rocscope.curves.declaration import curve, statistic
from rocscope.numbers import bisected, floats
from rocscope.record import record
from rocscope.table import ScoreTable, once
from rocscope.tally import distinct

AUSTIN = "Austin & Steyerberg 2019, Statistics in Medicine 38:4051-4065"
SPAN = 2 / 3  # share of the cases in each local fit, as in R's lowess and val.prob
STEP = 0.01  # minimum distance between fitted scores, as a share of the score range, as in R's lowess
GRID = 2**14  # number of grid intervals from 0 to 1 on which residuals are smoothed for the smooth ECE
# maximum number of distinct scores; above it, neighbors are merged at their mean, which changes the ICI by < 1e-6
CELLS = 2**12


@record(slots=True, eq=False)
class ScoreCells:
    """Cells of neighboring scores of a table, in ascending order.

    Scores are in order, so a cell is a run of rows of the table: `bounds` are the rows where runs begin, followed by
    the end. `score` is the mean score of each cell, `weight` its cases and `observed` its share of positives.
    """

    bounds: Array
    score: Array
    weight: Array
    observed: Array

    @property
    def cell(self) -> Array:
        """The cell of each row of the table."""
        return np.repeat(np.arange(len(self.score))[::-1], np.diff(self.bounds))

    def squares(self, table: ScoreTable) -> tuple[Array, Array]:
        """The squared weights of the positives and of the negatives in each cell; without weights, their numbers."""
        if table.weighted:
            columns = (table.pos_squares, table.neg_squares)
            up, down = (threshold_rates.run_sums(self.bounds, one.__getitem__) for one in columns)
        else:
            up, down = threshold_rates.class_sums(table, self.bounds)
        return up[::-1], down[::-1]


@record(slots=True, eq=False)
class Smoothed:
    """The smoothed curve of a table: the mean `score` and the `weight` and `observed` share of its cells, and the fit.

    Row j of `weights` has the weight of each cell in the value fitted at anchor j; a cell lies between the anchors
    `left` and `left` + 1, at the fraction `share` of the distance between them. `fitted` is kept within [0, 1].
    """

    score: Array
    weight: Array
    observed: Array
    anchors: Array
    weights: Array
    left: Array
    share: Array
    fitted: Array

    @property
    def gaps(self) -> Array:
        """The fitted frequency minus the probability in each cell."""
        return np.asarray(self.fitted - self.score)

    @property
    def parameters(self) -> float:
        """The effective number of parameters of the curve: the sum of the weights of cells in their own values."""
        right, own = np.minimum(self.left + 1, len(self.anchors) - 1), np.arange(len(self.score))
        shares = (1 - self.share) * self.weights[self.left, own] + self.share * self.weights[right, own]
        return float(shares.sum())

    def drawn(self, heights: Array) -> Array:
        """The piecewise linear function with these heights at the anchors, evaluated at each cell."""
        right = np.minimum(self.left + 1, len(self.anchors) - 1)
        return np.asarray((1 - self.share) * heights[self.left] + self.share * heights[right])

    def gathered(self, parts: Array) -> Array:
        """The transpose of `drawn`: the values of the cells, divided between the two nearest anchors and summed."""
        right, size = np.minimum(self.left + 1, len(self.anchors) - 1), len(self.anchors)
        left = np.bincount(self.left, (1 - self.share) * parts, size)
        return np.asarray(left + np.bincount(right, self.share * parts, size))


@once
def score_cells(table: ScoreTable) -> ScoreCells:
    """The distinct scores of a table; if there are more than 4,096, neighbors are combined."""
    bounds = _bounds(table)
    positives, negatives = (sums[::-1] for sums in threshold_rates.class_sums(table, bounds))
    weight = positives + negatives
    return ScoreCells(bounds, threshold_rates.score_sums(table, bounds)[::-1] / weight, weight, positives / weight)


@once
def smoothed(table: ScoreTable) -> Smoothed:
    """The smoothed calibration curve of a table."""
    cells = score_cells(table)
    score, weight, observed = cells.score, cells.weight, cells.observed
    anchors = _anchors(score)
    cases = float(sum(table.rows)) if table.weighted else weight.sum()
    nearest = max(2, floor(SPAN * cases + 1e-7)) * weight.sum() / cases
    widths = _widths(score, weight, anchors, nearest)
    weights = np.zeros((len(anchors), len(score)))
    at, reach = score[anchors], 0.999 * widths
    low, high = (np.searchsorted(score, at + side * 1.001 * reach) for side in (-1, 1))
    windows = map(slice, np.maximum(0, low - 1).tolist(), (high + 1).tolist())
    for row, part, middle, width in zip(weights, windows, at.tolist(), widths.tolist(), strict=True):
        _fill_line(row[part], score[part], weight[part], middle, width, 0.001 * (score[-1] - score[0]))
    left = np.clip(np.searchsorted(anchors, np.arange(len(score)), side="right") - 1, 0, max(0, len(anchors) - 2))
    right = np.minimum(left + 1, len(anchors) - 1)
    span = score[anchors[right]] - score[anchors[left]]
    share = (score - score[anchors[left]]) / np.where(span > 0, span, 1.0)
    fit = Smoothed(score, weight, observed, score[anchors], weights, left, share, observed)
    return replace(fit, fitted=np.clip(fit.drawn(weights @ observed), 0.0, 1.0))


def _bounds(table: ScoreTable) -> Array:
    """Where cells begin, and the end: each score its own, or runs of equally many cases where there are too many.

    A score belongs to the cell that its middle case falls into, counted from the lowest score.
    """
    if len(table) <= CELLS:
        return np.arange(len(table) + 1)

    def flagged(rows: Any) -> Array:
        return floats(table.tp[rows] + table.fp[rows])

    shares = np.arange(CELLS, -1, -1) / CELLS
    shares[-1] = -1.0  # forces the lowest score into the lowest cell regardless of rounding
    wanted = 2 * flagged([-1])[0] * (1 - shares)
    ends = bisected(lambda at: flagged(at) + flagged(at + 1), len(table), wanted)
    return distinct([0], ends)


def _anchors(score: Array) -> Array:
    """The cells at which lines are fitted: the first, the last, and as R's lowess steps from one to the next."""
    step, last, anchors = STEP * (score[-1] - score[0]), 0, [0]
    while last < len(score) - 1:
        last = max(last + 1, int(np.searchsorted(score, score[last] + step, side="right")) - 1)
        anchors.append(last)
    return np.array(anchors)


def _widths(score: Array, weight: Array, anchors: Array, nearest: float) -> Array:
    """How far from each anchor the cells reach that hold the nearest cases, all anchors at once.

    The cell at the rim is on the left or on the right: on each side bisection finds the first that holds enough.
    """
    sums = np.concatenate(([0.0], np.cumsum(weight)))
    last, at = len(score) - 1, score[anchors]
    enough = np.nextafter(np.full(len(anchors), nearest * (1 - 1e-12)), 0.0)

    def up_to(place: Array, side: int) -> Array:
        """The distance of cells on one side."""
        return np.asarray(side * (score[np.clip(place, 0, last)] - at))

    def rim(distance: Array, side: int) -> Array:
        """The last cell on a side that is not further; what was rounded away is put right."""
        found = np.searchsorted(score, at + side * distance, side="right" if side > 0 else "left") - (side > 0)
        for _ in range(2):
            found -= side * (up_to(found, side) > distance)
        for _ in range(2):
            beyond = found + side
            found += side * ((beyond >= 0) & (beyond <= last) & (up_to(beyond, side) <= distance))
        return np.asarray(np.clip(found, 0, last))

    def held(steps: Array, side: int) -> Array:
        """The cases up to the cell so many steps away on a side, and as far on the other."""
        place = np.clip(anchors + side * steps, 0, last)
        other = rim(up_to(place, side), -side)
        low, high = (other, place) if side > 0 else (place, other)
        return np.asarray(sums[high + 1] - sums[low])

    widths = np.full((2, len(anchors)), np.inf)
    for row, side in zip(widths, (-1, 1), strict=True):
        steps = bisected(lambda at, side=side: held(at, side), last + 1, enough)  # type: ignore[misc]
        found = steps <= last
        row[found] = up_to(anchors + side * steps, side)[found]
    return np.asarray(np.minimum(np.maximum(at - score[0], score[-1] - at), widths.min(axis=0)))


def _fill_line(row: Array, score: Array, weight: Array, at: float, width: float, narrow: float) -> None:
    """Write the weight of each cell in the line fitted around a score; the cells are those that the width reaches."""
    near = score - at
    distance = np.abs(near)
    np.copyto(row, weight, where=distance <= 0.999 * width)
    if width > 0:
        part = np.minimum(distance / width, 1.0)
        part[distance <= 0.001 * width] = 0.0
        kernel = 1 - part * part * part  # multiplication takes a tenth of the time of a power
        for _ in range(3):
            row *= kernel
    row /= row.sum()
    mean = float(row @ score)
    np.subtract(score, mean, out=near)
    spread = float(row @ near**2)
    if spread**0.5 > narrow:
        near *= (at - mean) / spread
        near += 1
        row *= near


@curve(
    "smooth_calibration", title="smoothed calibration curve",
    columns=("score", "observed", "count"), x="score", y="observed",
    formula="LOWESS of the outcome on the probability, span 2/3",
    latex=r"\hat f(s), \text{LOWESS}",
    chance="constant, equal to the prevalence",
    says="How often cases with about this probability are positive, smoothed over the nearest two thirds of the cases.",
    prefer="to see where probabilities are too high or too low, without bins",
    cite="Cleveland 1979, Journal of the American Statistical Association 74:829-836",
    needs_probabilities=True,
)  # fmt: skip
def smooth_calibration(table: ScoreTable) -> Curve:
    """The smoothed calibration curve, in ascending order of the scores: LOWESS with span 2/3 and without robustness
    steps.

    This is the curve of R's lowess(score, outcome, iter = 0), as drawn by val.prob in the R package rms, limited to [0,
    1].

    >>> t = ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.8, 0.9])
    >>> smooth_calibration(t).observed.round(3).tolist()
    [0.0, 0.367, 0.45, 0.411, 0.796, 1.0]
    """
    fit = smoothed(table)
    columns = {"score": fit.score, "observed": fit.fitted, "count": fit.weight}
    return Curve("smooth_calibration", fit.score.copy(), columns, x="score", y="observed", steps=False, table=table)


def gap_quantile(sizes: Array, weight: Array, share: float) -> float:
    """The gap that the given share of the cases does not exceed; the midpoint if two qualify."""
    order = np.argsort(sizes, kind="stable")
    ordered, above = sizes[order], np.cumsum(weight[order])
    wanted = share * above[-1]
    low = min(int(np.searchsorted(above, wanted * (1 - 1e-12))), len(order) - 1)
    high = min(int(np.searchsorted(above, wanted * (1 + 1e-12), side="right")), len(order) - 1)
    return float((ordered[low] + ordered[high]) / 2)


@statistic(
    "ici", title="ICI", aka=("integrated_calibration_index", "eavg"),
    formula="mean of |smoothed observed frequency - probability| over the cases",
    latex=r"\frac{1}{n} \sum_i |\hat f(s_i) - s_i|",
    best=0.0,
    says="The mean distance between a probability and the smoothed observed frequency.",
    prefer="as a single number for calibration, in the unit of the probabilities",
    cite=AUSTIN, needs_probabilities=True,
)  # fmt: skip
def ici(table: ScoreTable) -> float:
    """The integrated calibration index: the mean distance between the probabilities and `smooth_calibration`.

    >>> round(ici(ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.8, 0.9])), 4)
    0.085
    """
    fit = smoothed(table)
    return float(np.abs(fit.gaps) @ fit.weight / fit.weight.sum())


@statistic(
    "e50", title="E50",
    formula="median of |smoothed observed frequency - probability| over the cases",
    latex=r"\operatorname{median}_i |\hat f(s_i) - s_i|",
    best=0.0,
    says="The distance between probability and smoothed observed frequency that half of the cases do not exceed.",
    prefer="alongside the ICI",
    cite=AUSTIN, needs_probabilities=True,
)  # fmt: skip
def e50(table: ScoreTable) -> float:
    """The median distance of the probabilities from the smoothed calibration curve.

    >>> round(e50(ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.8, 0.9])), 4)
    0.0835
    """
    fit = smoothed(table)
    return gap_quantile(np.abs(fit.gaps), fit.weight, 0.5)


@statistic(
    "e90", title="E90",
    formula="90th percentile of |smoothed observed frequency - probability| over the cases",
    latex=r"q_{0.9} |\hat f(s_i) - s_i|",
    best=0.0,
    says="The distance between probability and smoothed observed frequency that 90 % of the cases do not exceed.",
    prefer="alongside the ICI, for the worst-calibrated cases",
    cite=AUSTIN, needs_probabilities=True,
)  # fmt: skip
def e90(table: ScoreTable) -> float:
    """The 90th percentile of the distance of the probabilities from the smoothed calibration curve.

    >>> round(e90(ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.8, 0.9])), 4)
    0.1893
    """
    fit = smoothed(table)
    return gap_quantile(np.abs(fit.gaps), fit.weight, 0.9)


# ---- smooth ECE ----


@statistic(
    "smooth_ece", title="smooth ECE", aka=("smece",),
    formula="mean absolute residual after smoothing with a reflected Gaussian whose width equals the result",
    latex=r"smECE_{\sigma^*},\; smECE_\sigma = \int_0^1 \left|\frac{1}{n}\sum_i K_\sigma(t, s_i)(y_i - s_i)\right| dt"
    r" ,\; smECE_{\sigma^*} = \sigma^*",
    best=0.0,
    says="The mean distance between predicted and observed frequency, smoothed instead of binned.",
    prefer="as a single number for calibration: it uses no bins, and small changes in the scores change it little",
    cite="Blasiok & Nakkiran 2024, ICLR", needs="cases", needs_probabilities=True,
)  # fmt: skip
def smooth_ece(table: ScoreTable) -> float:
    """The smooth expected calibration error, with the width at the fixed point smECE(sigma) = sigma.

    smECE(sigma) = integral over [0, 1] of |mean K_sigma(t, s_i)(y_i - s_i)|, K a Gaussian reflected at 0 and 1. The
    residuals are put on a grid of 2**14 cells, which changes the result by less than 1e-5.

    >>> round(smooth_ece(ScoreTable.from_scores([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8])), 4)
    0.1319
    """
    smoothed = _smoother(_residuals(table))
    return _fixed_point(smoothed)


def _residuals(table: ScoreTable) -> Array:
    """The mean residual y - s of the cases, shared out to the two nearest grid points."""
    scores = floats(table.scores)
    pos, neg = floats(table.pos), floats(table.neg)
    mass = (pos * (1 - scores) - neg * scores) / (pos + neg).sum()
    position = scores * GRID
    left = np.minimum(position.astype(np.int64), GRID - 1)
    right_share = position - left
    masses = np.bincount(left, mass * (1 - right_share), GRID + 1)
    return np.asarray(masses + np.bincount(left + 1, mass * right_share, GRID + 1))


def _smoother(mass: Array) -> Callable[[float], float]:
    """The function sigma -> smECE(sigma).

    Reflection at both ends makes smoothing a product in the cosine series: coefficient k shrinks by
    exp(-(pi k sigma)^2 / 2), so one transform serves every sigma.
    """
    mirrored = np.concatenate((mass, mass[-2:0:-1]))
    mirrored[[0, GRID]] *= 2  # the ends are their own mirror images and must be counted twice
    series = np.fft.rfft(mirrored)
    damping = (np.pi * np.arange(GRID + 1)) ** 2 / 2

    def smoothed(sigma: float) -> float:
        sizes = np.abs(np.fft.irfft(series * np.exp(-damping * sigma**2), 2 * GRID)[: GRID + 1])
        return float(sizes.sum() - (sizes[0] + sizes[-1]) / 2)

    return smoothed


def _fixed_point(smoothed: Callable[[float], float]) -> float:
    """Where the falling function smECE(sigma) meets sigma: false position, the end that stays halved (Illinois)."""
    low, high = 0.0, 1.0
    above, below = smoothed(low) - low, smoothed(high) - high
    for _ in range(100):
        if above <= 0 or below >= 0:  # calibrated at every score, or completely wrong
            return low if above <= 0 else high
        middle = (low * below - high * above) / (below - above)
        gap = smoothed(middle) - middle
        if abs(gap) < 1e-10:
            return middle
        if gap > 0:
            low, above, below = middle, gap, below / 2
        else:
            high, below, above = middle, gap, above / 2
    return (low + high) / 2
