"""Case-specific costs: a table weighted by the costs."""

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
from rocscope.record import record
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
    """All thresholds with the lowest total cost when each case has its own costs of a false alarm and a miss.

    A positive case is weighted by the cost of missing it, a negative by the cost of flagging it; the total cost at a
    threshold is the weight of its errors. Amounts with up to six decimals are added exactly. `counts` are numbers of
    cases, and `value` is the cost per case. Each cost is a single number or has one value per case.

    >>> found = best_per_case([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1], cost_fp=5, cost_fn=[100, 0, 3, 0])
    >>> [point.threshold for point in found], found.value
    ([0.9], 0.75)
    """
    mask, labels = tally.binary(y, positive)
    case_costs = CaseCosts.of(mask, score, fn=cost_fn, fp=cost_fp, higher_is_positive=higher_is_positive)
    t = ScoreTable.from_scores(mask, score, higher_is_positive=higher_is_positive).named(labels)
    return case_costs.best(t)


@record(slots=True, eq=False)
class CaseCosts:
    """Cases with their own costs: `miss` if a positive is not flagged, `alarm` if a negative is flagged.

    `clusters` is a pair of the cluster of each case and the number of clusters, or None.

    >>> held = CaseCosts.of(np.array([1, 0, 1]), [0.9, 0.8, 0.3], fn=[100, 20, 3], fp=5)
    >>> held.losses(held.flagged(0.8))
    array([0., 5., 3.])
    """

    mask: Array
    scores: Array
    miss: Array
    alarm: Array
    higher_is_positive: bool = True
    clusters: tuple[Array, int] | None = None

    @classmethod
    def of(
        cls, mask: Array, score: Any, *, fn: Any, fp: Any, higher_is_positive: bool = True,
        clusters: tuple[Array, int] | None = None,
    ) -> CaseCosts:  # fmt: skip
        """The costs (one number, or one for each case) after validation: none may be negative, missing or infinite."""
        scores = tally.numeric(score, "score")
        miss, alarm = _amounts(fn, mask, "cost_fn"), _amounts(fp, mask, "cost_fp")
        return cls(mask, scores, miss, alarm, higher_is_positive, clusters)

    @property
    def errors(self) -> Array:
        """The cost of the one possible error for each case."""
        return np.where(self.mask == 1, self.miss, self.alarm)

    def flagged(self, threshold: float) -> Array:
        """The cases that are flagged at a threshold."""
        return self.scores >= threshold if self.higher_is_positive else self.scores <= threshold

    def by_case(self) -> Array:
        """The cases that are flagged when each is decided by its own costs: probability >= alarm / (alarm + miss).

        The scores must be probabilities. A case whose miss costs nothing is not flagged. Elkan 2001, IJCAI, 973-978.
        """
        return np.asarray((self.scores * (self.alarm + self.miss) >= self.alarm) & (self.miss > 0))

    def losses(self, flagged: Array) -> Array:
        """The cost of each case: the cost of its error, or 0 if there is none."""
        return np.where(flagged == (self.mask == 1), 0.0, self.errors)

    def best(self, t: ScoreTable) -> Optima:
        """All thresholds with the lowest total cost for these cases."""
        weights = self.errors
        if not weights.any():
            free = criterion("cost", Costs(fp=0, fn=0))[1]
            return optima(t, np.arange(len(t) + 1), free, rule="cost per case")
        units, size = _whole(weights)
        priced = ScoreTable.from_scores(
            self.mask, self.scores, weights=units, weights_are="frequency", higher_is_positive=self.higher_is_positive
        )
        return _cheapest(t, priced, size)


def _cheapest(t: ScoreTable, priced: ScoreTable, size: int) -> Optima:
    """The thresholds of least cost of a table, from the one that is weighted by costs in units of 1 / size."""
    # counts of the priced table at the thresholds of the case table; it has no rows for scores whose cases cost nothing
    priced_rows = np.concatenate(([0], np.cumsum(np.isin(t.scores, priced.scores))))
    total = float(t.positives + t.negatives) * size

    def along(rows: Any) -> Cells:
        return cells_at(priced, priced_rows[rows])

    def shown(c: Counts) -> tuple[float, str]:
        # the number flagged identifies the row: it never decreases along the curve
        at = priced.along()[int(priced_rows[np.searchsorted(t.tp + t.fp, c.tp + c.fp)])]
        value = float((at.fp + at.fn) / total)
        return value, f"cost {value:.6g} per case"

    judged = replace(criterion("cost", Costs(fp=1, fn=1))[1], shown=shown)
    rows = best_rows(judged, along, len(t) + 1, exact=priced.exact)
    return optima(t, rows, judged, rule="cost per case")


def _amounts(values: Any, mask: Array, name: str) -> Array:
    array = np.asarray(values, dtype=np.float64) if np.ndim(values) == 0 else np.asarray(tally.numeric(values, name))
    if array.ndim == 0 and not np.isfinite(array):
        raise RocscopeError(f"{name} must be finite, not {values}")
    if array.ndim and len(array) != len(mask):
        raise RocscopeError(
            f"{name} has {len(array)} rows, but there are {len(mask)} cases",
            hint="Give one cost per case, or one number",
        )
    if (array < 0).any():
        row = "" if array.ndim == 0 else f" at row {int(np.argmax(array < 0))}"
        raise RocscopeError(f"{name} must be 0 or more, but it is negative{row}")
    return np.broadcast_to(array, mask.shape)


def _whole(amounts: Array) -> tuple[Array, int]:
    """The amounts in whole units of 1 / size where they are short decimals, else as they are with size 1."""
    if amounts.dtype.kind in "iu":
        return amounts, 1
    for size in (10**digits for digits in range(MOST_DECIMALS + 1)):
        units = np.rint(amounts * size)
        # k / 10^d is rounded once, so it equals the amount exactly if the amount prints as that decimal
        if units.max() < 2**53 and np.array_equal(units / size, amounts):
            return units.astype(np.int64), size
    return amounts, 1
