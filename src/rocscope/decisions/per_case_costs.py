"""Costs that differ from case to case: a table weighted by the costs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rocscope import tally
from rocscope.decisions.costs import Costs
from rocscope.decisions.criterion_of_counts import Cells
from rocscope.decisions.operating_points import Optima, optima
from rocscope.decisions.search import best_rows
from rocscope.decisions.threshold_rules import criterion
from rocscope.errors import RocscopeError
from rocscope.numbers import Array
from rocscope.table import Counts, ScoreTable, cells_at

MOST_DECIMALS = 6


def best_per_case(
    y: Any,
    score: Any,
    *,
    cost_fp: Any,
    cost_fn: Any,
    positive: Any = None,
    higher_is_positive: bool = True,
) -> Optima:
    """Every threshold with the least total cost, where each case has its own cost of a false alarm and of a miss.

    A positive case weighs what missing it costs, a negative what flagging it costs; the total cost at a threshold is
    the weight of its errors. Amounts with up to six decimals are added exactly. `counts` are cases, `value` is the
    cost per case. Costs are one number or one per case.

    >>> found = best_per_case([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1], cost_fp=5, cost_fn=[100, 0, 3, 0])
    >>> [point.threshold for point in found], found.value
    ([0.9], 0.75)
    """
    t = ScoreTable.from_scores(y, score, positive=positive, higher_is_positive=higher_is_positive)
    mask, _ = tally.binary(y, positive)
    weights = np.where(mask, _amounts(cost_fn, mask, "cost_fn"), _amounts(cost_fp, mask, "cost_fp"))
    if not weights.any():
        free = criterion("cost", Costs(fp=0, fn=0))[1]
        return optima(t, np.arange(len(t) + 1), free, rule="cost per case")
    units, size = _whole(weights)
    priced = ScoreTable.from_scores(
        y, score, positive=positive, weights=units, weights_are="frequency", higher_is_positive=higher_is_positive
    )
    # the priced table's counts at the thresholds of the table of cases; scores that cost nothing are not in it
    places = np.concatenate(([0], np.cumsum(np.isin(t.scores, priced.scores))))
    total = float(t.positives + t.negatives) * size

    def along(rows: Any) -> Cells:
        return cells_at(priced, places[rows])

    def shown(c: Counts) -> tuple[float, str]:
        # the counts identify the row: flagged cases only grow along the curve
        at = priced.along()[int(places[np.searchsorted(t.tp + t.fp, c.tp + c.fp)])]
        value = float((at.fp + at.fn) / total)
        return value, f"cost {value:.6g} per case"

    judged = replace(criterion("cost", Costs(fp=1, fn=1))[1], shown=shown)
    rows = best_rows(judged, along, len(t) + 1, exact=priced.exact)
    return optima(t, rows, judged, rule="cost per case")


def _amounts(values: Any, mask: Array, name: str) -> Array:
    array = np.asarray(values, dtype=np.float64) if np.ndim(values) == 0 else np.asarray(tally.numeric(values, name))
    if array.ndim == 0 and not np.isfinite(array):
        raise RocscopeError(f"{name} is {values}; a finite cost is needed")
    if array.ndim and len(array) != len(mask):
        raise RocscopeError(
            f"{name} has {len(array)} rows, but there are {len(mask)}", hint="One cost per case, or one number"
        )
    if (array < 0).any():
        row = "" if array.ndim == 0 else f" at row {int(np.argmax(array < 0))}"
        raise RocscopeError(f"{name} is negative{row}; a cost is 0 or more")
    return np.broadcast_to(array, mask.shape)


def _whole(amounts: Array) -> tuple[Array, int]:
    """The amounts in whole units of 1 / size where they are short decimals, else as they are with size 1."""
    if amounts.dtype.kind in "iu":
        return amounts, 1
    for size in (10**places for places in range(MOST_DECIMALS + 1)):
        units = np.rint(amounts * size)
        # k / 10^d is rounded once, so it gives the amount back exactly when the amount prints as that decimal
        if units.max() < 2**53 and np.array_equal(units / size, amounts):
            return units.astype(np.int64), size
    return amounts, 1
