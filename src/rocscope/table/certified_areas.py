"""Known: sums over the cases themselves, carried beside a table whose entries stand for several scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from rocscope.table.score_table import ScoreTable

Pair = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Known:
    """What a table on cells would lose, counted case by case while the cells were filled.

    `low` and `high` are the least and the greatest score. Pairs are (positives, negatives): `squares` Σ w (s - y)²,
    `losses` Σ -w log of the probability given to what happened, without the `surprises`, the weight of the cases
    to which it gave 0. They add up like the table does, and are NaN where scores are no probabilities. `twice_u` (twice
    the Mann-Whitney U) and `average_precision` are known when the order inside the cells was counted too; they do not
    add, so a sum of tables knows neither.
    """

    low: float
    high: float
    squares: Pair = (math.nan, math.nan)
    losses: Pair = (math.nan, math.nan)
    surprises: Pair = (math.nan, math.nan)
    twice_u: int | float | None = None
    average_precision: float | None = None

    def __add__(self, other: Known) -> Known:
        return Known(
            min(self.low, other.low),
            max(self.high, other.high),
            _both(self.squares, other.squares),
            _both(self.losses, other.losses),
            _both(self.surprises, other.surprises),
        )

    def scaled(self, by: Pair) -> Known:
        """The sums when positives and negatives count so many times as much."""
        squares, losses, surprises = (
            (pair[0] * by[0], pair[1] * by[1]) for pair in (self.squares, self.losses, self.surprises)
        )
        wins = None if self.twice_u is None else self.twice_u * by[0] * by[1]
        return Known(self.low, self.high, squares, losses, surprises, wins)


def _both(a: Pair, b: Pair) -> Pair:
    return a[0] + b[0], a[1] + b[1]


def known_of(table: ScoreTable) -> Known | None:
    """The sums of a table: those that it carries, or those that its own scores give when every entry is one score."""
    if table.known is not None:
        return table.known
    if not len(table) or (table.mixed is not None and table.mixed.any()):
        return None
    return known_of_groups(table.scores, table.pos, table.neg)


def known_of_groups(scores: Any, pos: Any, neg: Any) -> Known:
    """The sums of scores with the weight of the positives and the negatives at each.

    >>> known_of_groups(np.array([0.5, 0.0]), np.array([1, 0]), np.array([1, 2])).squares
    (0.25, 0.25)
    """
    values = np.asarray(scores, dtype=np.float64)
    low, high = float(values.min()), float(values.max())
    if low < 0 or high > 1:
        return Known(low, high)
    up, down = np.asarray(pos, dtype=np.float64), np.asarray(neg, dtype=np.float64)
    zero, one = values == 0, values == 1
    losses = -np.log(np.where(zero, 1.0, values)), -np.log1p(-np.where(one, 0.0, values))
    # (a * b).sum() rather than a @ b: BLAS would wake its threads for each of many small batches
    return Known(
        low,
        high,
        (float((up * (1 - values) ** 2).sum()), float((down * values**2).sum())),
        (float((up * losses[0]).sum()), float((down * losses[1]).sum())),
        (float(up[zero].sum()), float(down[one].sum())),
    )
