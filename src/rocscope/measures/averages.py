"""Macro, micro and weighted averages over classes, made from any measure of one class."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError, did_you_mean
from rocscope.measures.measure import Measure
from rocscope.measures.of_matrix import actual, agreement, predicted, total
from rocscope.numbers import plain
from rocscope.record import record

AVERAGES = ("macro", "micro", "weighted")
EXACT_UP_TO = 100  # maximum number of classes for exact arithmetic


@record(slots=True)
class Average:
    """An average over classes: its value, the classes it covers, and the classes left out as undefined."""

    value: float
    over: tuple[int, ...]
    undefined: tuple[int, ...]
    exact: Fraction | None


def one_vs_rest(array: Any) -> dict[str, Any]:
    """The cells tp, fp, fn, tn of every class against the rest, along the last axis.

    >>> {name: list(cell) for name, cell in one_vs_rest(np.array([[3, 1], [2, 4]])).items()}["fn"]
    [np.int64(1), np.int64(2)]
    """
    hits = agreement(array)
    misses, alarms = actual(array) - hits, predicted(array) - hits
    rest = np.asarray(total(array))[..., None] - hits - misses - alarms
    return {"tp": hits, "fp": _not_below_0(alarms), "fn": _not_below_0(misses), "tn": _not_below_0(rest)}


def _not_below_0(cells: Any) -> Any:
    """Differences of float sums can end a rounding error below 0, where no count can be."""
    return np.maximum(cells, 0.0) if cells.dtype.kind == "f" else cells


def class_cells(array: Any, index: int) -> dict[str, Any]:
    """The four cells of one class against the rest, as plain numbers."""
    return {name: plain(cell[index]) for name, cell in one_vs_rest(array).items()}


def cells_by_class(array: Any) -> list[dict[str, Any]]:
    """The four cells of every class against the rest, as plain numbers; the sums of the matrix are computed once."""
    cells = one_vs_rest(array)
    return [dict(zip(cells, map(plain, one), strict=True)) for one in zip(*cells.values(), strict=True)]


def average(measure: Measure, array: Any, how: str, *, exact: bool | None = None) -> Average:
    """The macro, micro or weighted average of a measure over the classes of one k x k matrix.

    macro: the mean over classes. micro: the measure of the summed one-vs-rest counts. weighted: the mean weighted by
    support. Classes for which the measure is undefined are left out, and named in the result. With more than 100
    classes, the mean is computed in floating point unless the `exact` fraction is requested, because the sum of that
    many fractions has thousands of digits.
    """
    if how not in AVERAGES:
        raise RocscopeError(f"there is no average '{how}'", hint=did_you_mean(how, AVERAGES))
    if how == "micro":
        return _micro(measure, array)
    weights = [1] * len(array) if how == "macro" else [plain(n) for n in actual(array)]
    return _mean(measure, array, weights, exact=len(array) <= EXACT_UP_TO if exact is None else exact)


def _micro(measure: Measure, array: Any) -> Average:
    cells = {name: plain(cell.sum(-1)) for name, cell in one_vs_rest(array).items()}
    value = measure.value(cells)
    return Average(value, tuple(range(len(array))), (), _exact_or_none(measure, cells))


def _mean(measure: Measure, array: Any, weights: list[Any], *, exact: bool) -> Average:
    classes = cells_by_class(array)
    if exact or measure.formula is None:
        values = [measure.value(one) for one in classes]
    else:
        values = measure.value({name: cell.astype(np.float64) for name, cell in one_vs_rest(array).items()}).tolist()
    # a class without cases has weight 0 in a weighted average, so it is excluded even if its value is undefined
    part = [index for index in range(len(array)) if weights[index] > 0]
    over = tuple(index for index in part if not math.isnan(values[index]))
    undefined = tuple(index for index in part if math.isnan(values[index]))
    if not over:
        return Average(math.nan, over, undefined, None)
    fractions = [_exact_or_none(measure, classes[index]) for index in over] if exact else [None]
    if all(value is not None for value in fractions) and all(isinstance(weights[i], int) for i in over):
        mean = sum((e * weights[i] for e, i in zip(fractions, over, strict=True)), Fraction(0)) / sum(
            weights[i] for i in over
        )
        return Average(float(mean), over, undefined, mean)
    share = np.array([float(weights[i]) for i in over])
    return Average(float(np.array([values[i] for i in over]) @ share / share.sum()), over, undefined, None)


def _exact_or_none(measure: Measure, cells: dict[str, Any]) -> Fraction | None:
    if not all(isinstance(cell, int) for cell in cells.values()):
        return None
    try:
        return measure.exact(cells)
    except RocscopeError:
        return None
