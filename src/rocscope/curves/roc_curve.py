"""ROC and its relatives: the curve, DET, KS, and the areas and numbers that depend only on the order of the scores."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from math import exp, inf, isfinite, nan, pi, sqrt
from typing import Any

import numpy as np

from rocscope import tally
from rocscope.curves import threshold_rates
from rocscope.curves.curve import Array
from rocscope.curves.declaration import Columns, curve, statistic
from rocscope.errors import RocscopeError, Undefined
from rocscope.hull import corner_rows
from rocscope.numbers import NORMAL, fraction
from rocscope.table import ScoreTable

FAWCETT = "Fawcett 2006, Pattern Recognition Letters 27:861-874"
RUN = 2**8  # rows per run; the counts at the ends of a run bound the gap inside it
HANLEY = "Hanley & McNeil 1982, Radiology 143:29-36"
Range = tuple[float, float]


@curve(
    "roc", title="ROC curve", columns=("fpr", "tpr"),
    formula="x = FP / N, y = TP / P, at every threshold",
    latex=r"\left(\frac{FP}{N}, \frac{TP}{P}\right)",
    chance="the diagonal",
    says="The true positive rate against the false positive rate, at every threshold.",
    prefer="to see the whole ranking, regardless of prevalence",
    cite=FAWCETT, linear=True,
)  # fmt: skip
def roc(table: ScoreTable) -> Columns:
    """The ROC curve: fpr and tpr at every threshold; tied cases form a diagonal segment.

    >>> r = roc(ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1]))
    >>> r.fpr, r.tpr
    (array([0. , 0. , 0.5, 1. ]), array([0. , 0.33333333, 1. , 1. ]))
    """
    columns = {"fpr": threshold_rates.fpr(table), "tpr": threshold_rates.tpr(table)}
    return columns, threshold_rates.one_class(table, positives="tpr", negatives="fpr")


@curve(
    "det", title="DET curve", columns=("fpr", "fnr", "probit_fpr", "probit_fnr"),
    formula="x = FP / N, y = FN / P, both axes on the normal deviate scale when drawn",
    latex=r"\left(\Phi^{-1}\frac{FP}{N}, \Phi^{-1}\frac{FN}{P}\right)",
    chance="the descending diagonal",
    says="The two error rates against each other; normally distributed scores give a straight line.",
    prefer="when both error rates are small, as in speaker recognition",
    cite="Martin et al. 1997, Eurospeech, 1895-1898", linear=True,
)  # fmt: skip
def det(table: ScoreTable) -> Columns:
    """The detection error trade-off: fpr and fnr at every threshold, and both as normal deviates (±inf at 0 and 1).

    >>> det(ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])).fnr
    array([1. , 0.5, 0.5, 0. , 0. ])
    """
    from scipy.special import ndtri

    false_alarms, misses = threshold_rates.fpr(table), threshold_rates.fnr(table)
    columns = {"fpr": false_alarms, "fnr": misses, "probit_fpr": ndtri(false_alarms), "probit_fnr": ndtri(misses)}
    return columns, threshold_rates.one_class(table, positives="fnr", negatives="fpr")


@curve(
    "ks", title="KS plot", columns=("tpr", "fpr", "gap"), x="threshold", y="gap",
    formula="TPR and FPR against the threshold, and TPR - FPR",
    latex=r"\frac{TP}{P} - \frac{FP}{N}", low=-1.0, chance="0",
    says="The shares of positives and of negatives at or above each score, and the distance between them.",
    prefer="to see where the two classes are farthest apart, as in credit scoring",
    cite="Hand 2012, International Statistical Review 80:400-414", aka=("ks_plot",),
)  # fmt: skip
def ks(table: ScoreTable) -> Columns:
    """The two cumulative distributions: tpr and fpr at every threshold, and the gap between them.

    >>> ks(ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])).gap
    array([0. , 0.5, 0. , 0.5, 0. ])
    """
    hits, alarms = threshold_rates.tpr(table), threshold_rates.fpr(table)
    why = threshold_rates.one_class(table, positives="tpr", negatives="fpr")
    return {"tpr": hits, "fpr": alarms, "gap": hits - alarms}, why


# ---- areas ----


def _exact_auc(table: ScoreTable) -> Fraction:
    return Fraction(int(table.twice_u), 2 * table.positives * table.negatives)


def _auc_bounds(table: ScoreTable) -> tuple[float, float]:
    value = auc(table)
    return max(value - table.bound, 0.0), min(value + table.bound, 1.0)


@statistic(
    "auc", title="ROC AUC", aka=("roc_auc", "auroc", "c_statistic", "area"),
    formula="P(score of a positive > score of a negative) + P(equal) / 2",
    latex=r"P(S_+ > S_-) + \tfrac{1}{2} P(S_+ = S_-)",
    chance="0.5",
    says="The probability that a random positive scores above a random negative, ties counting one half.",
    prefer="to assess a ranking independently of threshold and prevalence; with a PR curve when positives are rare",
    cite=HANLEY, fraction=_exact_auc, bounds=_auc_bounds,
)  # fmt: skip
def auc(table: ScoreTable) -> float:
    """The area under the ROC curve; for counts, computed in exact integers with a single division.

    >>> auc(ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1]))
    0.8333333333333334
    """
    wins, losses = _wins_and_losses(table)
    return float(wins / (wins + losses))


def _wins_and_losses(table: ScoreTable) -> tuple[int | float, int | float]:
    """Twice the pairs ranked right and wrong, ties shared; as counted case by case where a certified table knows them.

    Their sum is 2 P N, but for decimals rather than that product: the same roundings above and below keep their ratio
    within [0, 1].
    """
    wins, certified = table.twice_u, table.known is not None and table.known.twice_u is not None
    if table.exact or certified:
        return wins, max(2 * table.positives * table.negatives - wins, 0)
    return wins, tally.twice_u(table.pos[::-1], table.neg[::-1])


def auc_of(y: Any, score: Any, *, positive: Any = None, higher_is_positive: bool = True) -> float:
    """The area under the ROC curve directly from labels and scores, without a table: one sort, exact integers.

    It is the same number as `auc(ScoreTable.from_scores(y, score))`, computed in about two thirds of the time.

    >>> auc_of([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])
    0.8333333333333334
    """
    mask, _ = tally.binary(y, positive)
    values = tally.numeric(score)
    if len(mask) != len(values):
        raise RocscopeError(
            f"there are {len(mask)} labels, but {len(values)} scores", hint="Give one score for each label"
        )
    twice, positives, negatives = tally.auc_counts(values, mask)
    if not positives or not negatives:
        return nan
    area = twice / (2 * positives * negatives)
    return area if higher_is_positive else (2 * positives * negatives - twice) / (2 * positives * negatives)


@statistic(
    "gini", title="Gini coefficient", aka=("somers_d", "accuracy_ratio"), formula="2 AUC - 1",
    latex=r"2\,AUC - 1", low=-1.0, chance="0",
    says="The AUC rescaled so that guessing is 0 and a perfect ranking is 1.",
    prefer="where it is customary, as in credit scoring; it carries the same information as the AUC",
    cite="Somers 1962, American Sociological Review 27:799-811",
    fraction=lambda table: 2 * _exact_auc(table) - 1,
)  # fmt: skip
def gini(table: ScoreTable) -> float:
    """The Gini coefficient, which is also Somers' D of the scores given the class.

    >>> round(gini(ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])), 12)
    0.666666666667
    """
    wins, losses = _wins_and_losses(table)
    return float((wins - losses) / (wins + losses))


@statistic(
    "cohen_d", title="AUC as Cohen's d", aka=("auc_d",), formula="sqrt(2) * probit(AUC)",
    latex=r"\sqrt{2}\,\Phi^{-1}(AUC)", low=-inf, high=inf, best=inf, chance="0",
    says="How many standard deviations apart two normal score distributions with this AUC would be.",
    prefer="to compare a classifier with effect sizes from studies",
    cite="Ruscio 2008, Psychological Methods 13:19-30",
)  # fmt: skip
def cohen_d(table: ScoreTable) -> float:
    """The AUC as a standardized mean difference; infinite, with the reason, at AUC 0 and 1.

    >>> round(cohen_d(ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])), 6)
    1.368141
    """
    area = auc(table)
    if area in (0.0, 1.0):
        raise Undefined(f"the ranking is perfect (AUC {area:g}): d is infinite", value=inf if area else -inf)
    return sqrt(2) * NORMAL.inv_cdf(area)


@statistic(
    "auc_odds", title="AUC as odds", aka=("generalised_odds",), formula="AUC / (1 - AUC)",
    latex=r"\frac{AUC}{1 - AUC}", high=inf, best=inf, chance="1",
    says="How many pairs of a positive and a negative are ranked correctly for each one ranked incorrectly.",
    prefer="to explain an AUC: 9 pairs ranked correctly for each one ranked incorrectly, instead of 0.9",
    cite="Agresti 1980, Biometrics 36:59-67",
)  # fmt: skip
def auc_odds(table: ScoreTable) -> float:
    """The odds that a random pair is ranked correctly, with ties counted as half; infinite, with the reason, at AUC 1.

    >>> auc_odds(ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1]))
    5.0
    """
    wins, losses = _wins_and_losses(table)
    if not losses:
        raise Undefined("the ranking is perfect (AUC 1): the odds are infinite", value=inf)
    return float(wins / losses)


@statistic(
    "auc_odds_ratio", title="AUC as odds ratio",
    formula="exp(d * pi / sqrt(3)), d = sqrt(2) * probit(AUC)",
    latex=r"e^{d \pi / \sqrt{3}},\; d = \sqrt{2}\,\Phi^{-1}(AUC)",
    high=inf, best=inf, chance="1",
    says="The odds ratio of a binary test that separates the classes equally well.",
    prefer="to compare a classifier with odds ratios from studies",
    cite="Chinn 2000, Statistics in Medicine 19:3127-3131",
)  # fmt: skip
def auc_odds_ratio(table: ScoreTable) -> float:
    """The AUC as an odds ratio, via Cohen's d; infinite or 0, with the reason, at AUC 1 and 0.

    >>> round(auc_odds_ratio(ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])), 4)
    11.9596
    """
    d = cohen_d(table)
    if abs(d) == inf:
        reason = f"the ranking is perfect (AUC {d > 0:d}): the odds ratio is {'infinite' if d > 0 else 'at its end, 0'}"
        raise Undefined(reason, value=inf if d > 0 else 0.0)
    return exp(d * pi / sqrt(3))


# ---- statistics of the curve ----


def _largest_gap(table: ScoreTable) -> Fraction:
    gaps = table.tp.astype(object) * table.negatives - table.fp.astype(object) * table.positives
    return Fraction(int(max(abs(gap) for gap in gaps.tolist())), table.positives * table.negatives)


@statistic(
    "ks_statistic", title="KS statistic", aka=("kolmogorov_smirnov", "ks_distance"),
    formula="max over thresholds of |TPR - FPR|",
    latex=r"\max_\rho |TPR(\rho) - FPR(\rho)|",
    chance="0 in the long run, above it in any sample",
    says="The largest distance between the score distributions of the two classes.",
    prefer="where it is customary, as in credit scoring; it reflects a single threshold",
    cite="Hand 2012, International Statistical Review 80:400-414", fraction=_largest_gap,
)  # fmt: skip
def ks_statistic(table: ScoreTable) -> float:
    """The largest distance between the two cumulative distributions, in either direction.

    >>> ks_statistic(ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    0.5
    """
    positives, negatives = table.positives, table.negatives
    if _gaps_fit(table):
        row = largest_gap_row(table)
        return float(abs(int(table.tp[row]) * negatives - int(table.fp[row]) * positives) / (positives * negatives))
    return float(np.abs(threshold_rates.tpr(table) - threshold_rates.fpr(table)).max())


def _gaps_fit(table: ScoreTable) -> bool:
    return bool(table.tp.dtype == np.int64 and table.positives * table.negatives < 2**62)


def largest_gap_row(table: ScoreTable) -> int:
    """The first row of the ROC curve at which its two rates are farthest apart.

    Counts only rise, so the ends of a run of rows bound the gap inside it, and few runs need to be searched.
    """
    if not _gaps_fit(table):
        return int(np.abs(threshold_rates.tpr(table) - threshold_rates.fpr(table)).argmax())
    up, down, last = table.tp, table.fp, len(table)

    def gap(above: Array, below: Array) -> Array:
        return np.asarray(up[above] * table.negatives - down[below] * table.positives)

    firsts = np.arange(0, last + 1, RUN)
    ends = np.minimum(firsts + RUN, last)
    most = np.maximum(gap(ends, firsts), -gap(firsts, ends))
    open_runs = firsts[most >= np.abs(gap(firsts, firsts)).max()]
    rows = np.minimum((open_runs[:, None] + np.arange(RUN)).ravel(), last)
    return int(rows[np.abs(gap(rows, rows)).argmax()])


@statistic(
    "equal_error_rate", title="equal error rate", aka=("eer",),
    formula="FPR where FPR = FNR on the ROC polyline",
    latex=r"FPR(\rho^*) = FNR(\rho^*)", best=0.0, chance="0.5",
    says="The error rate at the point where misses and false alarms are equally frequent.",
    prefer="in biometrics; elsewhere, choose a point by its costs",
    cite="Martin et al. 1997, Eurospeech, 1895-1898",
)  # fmt: skip
def equal_error_rate(table: ScoreTable, *, on: str = "curve") -> float:
    """The point where the ROC curve, joined by straight lines, crosses FPR = FNR; on="hull" uses the hull.

    A mixture of thresholds can reach the crossing of the hull.

    >>> equal_error_rate(ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    0.5
    """
    if on not in ("curve", "hull"):
        raise RocscopeError(f"on must be 'curve' or 'hull', not '{on}'")
    alarms, misses = threshold_rates.fpr(table), threshold_rates.fnr(table)
    if on == "hull":
        rows = corner_rows(table)
        alarms, misses = alarms[rows], misses[rows]
    return _crossing(alarms, misses)


def _crossing(alarms: Array, misses: Array) -> float:
    """Where rising alarms meet falling misses: their difference grows from -1 to 1, so there is one place."""
    after = int(np.argmax(alarms >= misses))
    a, b = alarms[after - 1] - misses[after - 1], alarms[after] - misses[after]
    share = float(-a / (b - a))
    return float(alarms[after - 1] + share * (alarms[after] - alarms[after - 1]))


# ---- partial areas, and the area under a drawn polyline ----


@statistic(
    "partial_auc", title="partial AUC", aka=("pauc",),
    formula="area under the ROC curve for FPR from e1 to e2 (or left of it for TPR from t1 to t2)",
    latex=r"\int_{e_1}^{e_2} ROC(u)\,du", chance="(e2^2 - e1^2) / 2, and 0.5 once corrected",
    says="The part of the ROC area in the range of false alarms (or of hits) that matters in practice.",
    prefer="when only few false alarms, or only high recall, are acceptable",
    cite="McClish 1989, Medical Decision Making 9:190-195", options={"fpr": (0, 0.1)},
)  # fmt: skip
def partial_auc(
    table: ScoreTable, *, fpr: Range | None = None, tpr: Range | None = None, corrected: bool = False
) -> float:
    """The ROC area for FPR in a range, or for TPR in a range (then between the curve and the line FPR = 1).

    The ends of the range are interpolated on the ROC polyline. The corrected area is (1 + (A - min) / (max - min)) / 2,
    where min is the area of the diagonal and max that of the perfect curve, so that guessing gives 0.5; it is undefined
    below the diagonal.

    >>> t = ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])
    >>> round(partial_auc(t, fpr=(0, 0.5)), 12), round(partial_auc(t, fpr=(0, 0.5), corrected=True), 12)
    (0.333333333333, 0.777777777778)
    """
    if (fpr is None) == (tpr is None):
        raise RocscopeError("a partial AUC requires exactly one range", hint="Give fpr=(0, 0.1), or tpr=(0.8, 1)")
    low, high = rate_range("fpr", fpr) if fpr is not None else rate_range("tpr", tpr)  # type: ignore[arg-type]
    x, y = (
        (threshold_rates.fpr(table), threshold_rates.tpr(table))
        if fpr is not None
        else (threshold_rates.tpr(table), 1 - threshold_rates.fpr(table))
    )
    most = high - low
    area = min(_area_between(x, y, low, high), most)
    if not corrected:
        return area
    least = (high**2 - low**2) / 2 if fpr is not None else (2 - low - high) * most / 2
    # A random classifier must give exactly 0.5, so a difference within rounding error counts as zero.
    above = 0.0 if abs(area - least) <= 1e-15 else area - least
    if above < 0:
        raise Undefined(f"below the diagonal ({area:.6g} < {least:.6g}): the correction is undefined")
    return (1 + above / (most - least)) / 2


def rate_range(name: str, given: Range) -> tuple[float, float]:
    """A checked range of rates between 0 and 1."""
    try:
        low, high = (float(value) for value in given)
    except (TypeError, ValueError, OverflowError):
        raise RocscopeError(f"{name} must be a range such as (0, 0.1), not {given!r}") from None
    if not 0 <= low < high <= 1:
        raise RocscopeError(f"{name} must be a range of positive width within 0 to 1, not from {low:g} to {high:g}")
    return low, high


def _clipped(x: Array, y: Array, low: float, high: float) -> tuple[Array, Array, Array]:
    """The widths of a polyline's pieces inside a range of x, and y at their ends."""
    left, right = np.maximum(x[:-1], low), np.minimum(x[1:], high)
    inside = right > left
    x0, x1, y0, y1 = x[:-1][inside], x[1:][inside], y[:-1][inside], y[1:][inside]
    slope = (y1 - y0) / (x1 - x0)
    left, right = left[inside], right[inside]
    return right - left, y0 + slope * (left - x0), y1 - slope * (x1 - right)


def _area_between(x: Array, y: Array, low: float, high: float) -> float:
    width, first, last = _clipped(x, y, low, high)
    return float((width * (first + last)).sum() / 2)


@statistic(
    "two_way_partial_auc", title="two-way partial AUC", aka=("tpauc",),
    formula="area under the ROC curve with FPR <= f and above TPR = t",
    latex=r"\int_0^{f} \max(ROC(u) - t, 0)\,du",
    chance="max(f - t, 0)^2 / 2",
    says="The part of the ROC area with sufficiently few false alarms and sufficiently many hits.",
    prefer="when a threshold is useful only with FPR below f and TPR above t",
    cite="Yang, Lu, Lyu & Hu 2019, Statistical Methods in Medical Research 28:184-195",
    options={"fpr": 0.5, "tpr": 0.5},
)  # fmt: skip
def two_way_partial_auc(table: ScoreTable, *, fpr: float, tpr: float, normalised: bool = False) -> float:
    """The ROC area with FPR at most `fpr` and TPR at least `tpr`; normalized by its largest value f (1 - t).

    Guessing gives `two_way_chance(fpr, tpr)`.

    >>> t = ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])
    >>> round(two_way_partial_auc(t, fpr=0.5, tpr=0.5), 12)
    0.09375
    """
    most, least = _two_way_corner(fpr, tpr)
    width, first, last = _clipped(threshold_rates.fpr(table), threshold_rates.tpr(table), 0.0, most)
    low, high = first - least, last - least
    rise = np.where(last > first, last - first, 1.0)
    whole, cut = width * (low + high) / 2, width * high**2 / (2 * rise)
    area = float(np.where(low >= 0, whole, np.where(high > 0, cut, 0.0)).sum())
    room = most * (1 - least)
    return min(area, room) / (room if normalised else 1.0)


def two_way_chance(fpr: float, tpr: float) -> float:
    """The two-way partial AUC of guessing, max(f - t, 0)^2 / 2.

    >>> round(two_way_chance(0.5, 0.2), 12)
    0.045
    """
    most, least = _two_way_corner(fpr, tpr)
    return max(most - least, 0.0) ** 2 / 2


def _two_way_corner(fpr: float, tpr: float) -> tuple[float, float]:
    if not 0 < fpr <= 1:
        raise RocscopeError(f"fpr must be greater than 0 and at most 1, not {fpr}")
    if not 0 <= tpr < 1:
        raise RocscopeError(f"tpr must be at least 0 and less than 1, not {tpr}")
    return float(fpr), float(tpr)


def polyline_area(points: Iterable[tuple[float, float]]) -> float:
    """The exact area under a drawn polyline, by trapezoids; decimals are read as printed.

    sum (x2 - x1) (y1 + y2) / 2. Points of a parameter sweep that go back and forth have no such area and are refused.

    >>> polyline_area([(0, 0.6), (0.4, 0.6), (0.4, 0.8), (0.6, 0.8), (0.6, 1), (1, 1)])
    0.8
    """
    exact = [(_decimal(i, x), _decimal(i, y)) for i, (x, y) in enumerate(points)]
    if len(exact) < 2:
        raise RocscopeError(f"an area requires at least 2 points, not {len(exact)}")
    twice = Fraction(0)
    for i, ((x1, y1), (x2, y2)) in enumerate(pairwise(exact)):
        if x2 < x1:
            raise RocscopeError(
                f"x must not decrease, but it falls from {float(x1):g} to {float(x2):g} at point {i + 1}",
                hint="For the points of a parameter sweep, use hull({'name': (fpr, tpr), ...}).area",
            )
        twice += (x2 - x1) * (y1 + y2)
    return float(twice / 2)


def _decimal(index: int, value: float) -> Fraction:
    if isinstance(value, int | Fraction):
        return Fraction(value)
    if not isfinite(value):
        raise RocscopeError(f"points must be finite numbers, but point {index} has {value}")
    return fraction(float(value))
