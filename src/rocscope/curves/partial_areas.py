"""Parts of the area under the ROC curve, and the area of a drawn polyline."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from math import isfinite

import numpy as np

from rocscope.curves import threshold_rates
from rocscope.curves.curve import Array
from rocscope.curves.declaration import statistic
from rocscope.errors import RocscopeError, Undefined
from rocscope.numbers import fraction
from rocscope.table import ScoreTable

Range = tuple[float, float]


@statistic(
    "partial_auc", title="partial AUC", aka=("pauc",),
    formula="area under the ROC curve for FPR from e1 to e2 (or left of it for TPR from t1 to t2)",
    latex=r"\int_{e_1}^{e_2} ROC(u)\,du", chance="(e2^2 - e1^2) / 2, and 0.5 once corrected",
    says="The part of the ROC area in the range of false alarms (or of hits) that is of use.",
    prefer="when only few false alarms (or only high recall) can be tolerated",
    cite="McClish 1989, Medical Decision Making 9:190-195", options={"fpr": (0, 0.1)},
)  # fmt: skip
def partial_auc(
    table: ScoreTable, *, fpr: Range | None = None, tpr: Range | None = None, corrected: bool = False
) -> float:
    """The ROC area for FPR in a range, or for TPR in a range (then between the curve and the line FPR = 1).

    Ends are interpolated on the ROC polyline. Corrected: (1 + (A - min) / (max - min)) / 2 with the area of the
    diagonal as min and of the perfect curve as max, so that guessing is 0.5; undefined below the diagonal.

    >>> t = ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])
    >>> round(partial_auc(t, fpr=(0, 0.5)), 12), round(partial_auc(t, fpr=(0, 0.5), corrected=True), 12)
    (0.333333333333, 0.777777777778)
    """
    if (fpr is None) == (tpr is None):
        raise RocscopeError("a partial AUC needs one range", hint="Say fpr=(0, 0.1), or tpr=(0.8, 1)")
    low, high = _range("fpr", fpr) if fpr is not None else _range("tpr", tpr)  # type: ignore[arg-type]
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
    # Guessing must come out as 0.5, so a difference that is rounding noise is none.
    above = 0.0 if abs(area - least) <= 1e-15 else area - least
    if above < 0:
        raise Undefined(f"below the diagonal ({area:.6g} < {least:.6g}): the correction is undefined")
    return (1 + above / (most - least)) / 2


def _range(name: str, given: Range) -> tuple[float, float]:
    try:
        low, high = (float(value) for value in given)
    except (TypeError, ValueError):
        raise RocscopeError(f"{name} is {given!r}; a range such as (0, 0.1) is needed") from None
    if not 0 <= low < high <= 1:
        raise RocscopeError(f"{name} from {low:g} to {high:g}; a range inside 0 to 1 is needed")
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
    says="The part of the ROC area where false alarms are few enough and hits many enough at once.",
    prefer="when a threshold is of use only with FPR below f and TPR above t",
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
        raise RocscopeError(f"fpr at most {fpr}; a limit above 0 and up to 1 is needed")
    if not 0 <= tpr < 1:
        raise RocscopeError(f"tpr at least {tpr}; a limit from 0 to below 1 is needed")
    return float(fpr), float(tpr)


def polyline_area(points: Iterable[tuple[float, float]]) -> float:
    """The area under a drawn polyline, by trapezoids and exactly: decimals are read as they print.

    sum (x2 - x1) (y1 + y2) / 2. Points of a parameter sweep that run back and forth have no such area: refused.

    >>> polyline_area([(0, 0.6), (0.4, 0.6), (0.4, 0.8), (0.6, 0.8), (0.6, 1), (1, 1)])
    0.8
    """
    exact = [(_decimal(i, x), _decimal(i, y)) for i, (x, y) in enumerate(points)]
    if len(exact) < 2:
        raise RocscopeError(f"{len(exact)} points; an area needs at least 2")
    twice = Fraction(0)
    for i, ((x1, y1), (x2, y2)) in enumerate(pairwise(exact)):
        if x2 < x1:
            raise RocscopeError(
                f"x falls from {float(x1):g} to {float(x2):g} at point {i + 1}: no area under such a line",
                hint="Points of a parameter sweep have a hull: hull({'name': (fpr, tpr), ...}).area",
            )
        twice += (x2 - x1) * (y1 + y2)
    return float(twice / 2)


def _decimal(index: int, value: float) -> Fraction:
    if isinstance(value, int | Fraction):
        return Fraction(value)
    if not isfinite(value):
        raise RocscopeError(f"point {index} has {value}; finite numbers are needed")
    return fraction(float(value))
