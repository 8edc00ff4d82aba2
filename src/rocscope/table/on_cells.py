"""Tables on cells: sums of score tables, coarser cells, and what is counted case by case so that cells do not lose it.

An entry that stands for several scores covers those from its score up to, not including, its end. Where such cells of
two tables overlap they become one: dyadic cells nest, so that is the coarser of the two, in whatever order they add.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.numbers import floats
from rocscope.record import record

if TYPE_CHECKING:
    from rocscope.table.score_table import ScoreTable

Pair = tuple[float, float]
WEIGHTS = ("pos", "neg", "pos_squares", "neg_squares")
DEEPEST = 1000


@record(slots=True)
class Known:
    """The sums that a table of cells would lose, counted case by case while the cells were filled.

    `low` and `high` are the lowest and the highest score. Pairs are (positives, negatives): `squares` is Σ w (s - y)²,
    and `losses` is Σ -w log of the probability of the outcome, without the `surprises`, the weight of the cases in
    which that probability was 0. The sums can be added like the table, and are NaN if the scores are not probabilities.
    `twice_u` (twice the Mann-Whitney U) and `average_precision` are known when the order inside the cells was counted
    too; they cannot be added, so a sum of tables has neither.
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
        """The sums with positives and negatives multiplied by these factors."""
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
    values = floats(scores)
    low, high = float(values.min()), float(values.max())
    if low < 0 or high > 1:
        return Known(low, high)
    up, down = floats(pos), floats(neg)
    zero, certain = values == 0, values == 1
    losses = -np.log(np.where(zero, 1.0, values)), -np.log1p(-np.where(certain, 0.0, values))
    # (a * b).sum() rather than a @ b: BLAS would start its threads for each of many small batches
    return Known(
        low,
        high,
        (float((up * (1 - values) ** 2).sum()), float((down * values**2).sum())),
        (float((up * losses[0]).sum()), float((down * losses[1]).sum())),
        (float(up[zero].sum()), float(down[certain].sum())),
    )


# ---- sums of tables, and coarser cells ----


def added(a: ScoreTable, b: ScoreTable) -> ScoreTable:
    """The table of the cases of both: whole numbers to the same bits in any order."""
    merged = tally.merge(_groups(a), _groups(b), descending=a.higher_is_positive)
    rows = (a.rows[0] + b.rows[0], a.rows[1] + b.rows[1])
    both = replace(a, **merged._asdict(), rows=rows, mixed=None, ends=None, known=_known(a, b))
    if a.mixed is None and b.mixed is None:
        return both
    mixed, ends = np.zeros(len(both), dtype=bool), both.scores.astype(np.float64)
    further = np.maximum if a.higher_is_positive else np.minimum
    for table in (a, b):
        if table.mixed is not None:
            at = _places(both, table)
            mixed[at] |= table.mixed
            ends[at] = further(ends[at], cell_ends(table))
    return _joined(replace(both, mixed=mixed, ends=ends))


def _known(a: ScoreTable, b: ScoreTable) -> Known | None:
    """The sums over the cases of both, where a table carries them and the other has them too."""
    if a.known is None and b.known is None:
        return None
    if not len(a) or not len(b):
        return a.known or b.known
    first, second = known_of(a), known_of(b)
    return None if first is None or second is None else first + second


def _groups(table: ScoreTable) -> tally.Groups:
    return tally.Groups(table.scores, table.pos, table.neg, table.pos_squares, table.neg_squares)


def _places(whole: ScoreTable, part: ScoreTable) -> Any:
    """Where the scores of a part stand in the sum, whose scores hold all of them."""
    rising_scores = whole.scores[::-1] if whole.higher_is_positive else whole.scores
    rising = np.searchsorted(rising_scores, part.scores.astype(rising_scores.dtype, copy=False))
    return len(whole) - 1 - rising if whole.higher_is_positive else rising


def cell_ends(table: ScoreTable) -> Any:
    """The end of every entry: of a cell as kept, or else the next entry; of one score the score itself."""
    scores, far = table.scores.astype(np.float64), np.inf if table.higher_is_positive else -np.inf
    # the next entry toward the positive end
    ends = np.concatenate(([far], scores[:-1])) if table.ends is None else table.ends
    return np.where(table.mixed, ends, scores)


def _joined(table: ScoreTable) -> ScoreTable:
    """The table with entries that reach into each other made one."""
    sign = 1.0 if table.higher_is_positive else -1.0
    low, high = (sign * values[::-1].astype(np.float64) for values in (table.scores, table.ends))
    reach = np.maximum.accumulate(high)
    first = np.flatnonzero(np.concatenate(([True], low[1:] >= reach[:-1])))
    if len(first) == len(table):
        return table
    several = np.diff(np.concatenate((first, [len(low)]))) > 1
    mixed = np.logical_or.reduceat(table.mixed[::-1], first) | several
    sums = {name: reversed_column(_reduced(reversed_column(getattr(table, name)), first)) for name in WEIGHTS}
    scores = table.scores[::-1][first][::-1]
    ends = (sign * np.maximum.reduceat(high, first))[::-1]
    return replace(table, scores=scores, ends=ends, mixed=mixed[::-1], **sums)


def coarsened(table: ScoreTable, bits: int) -> ScoreTable:
    """The table on cells of width 2**-bits; a cell is named by the threshold that takes the whole of it.

    Multiplying by a power of two is exact, so the same cases fall into the same cell on every machine. A score alone in
    its cell keeps its own name.
    """
    if not -DEEPEST <= bits <= DEEPEST:
        raise RocscopeError(f"bits must be between -{DEEPEST} and {DEEPEST}, not {bits}")
    scores, higher = table.scores.astype(np.float64), table.higher_is_positive
    with np.errstate(over="ignore", under="ignore"):
        scaled = np.ldexp(scores, bits)
        whole = np.floor(scaled) if higher else np.ceil(scaled)
        edge, next_edge = np.ldexp(whole, -bits), np.ldexp(whole + (1 if higher else -1), -bits)
    fine = ~np.isfinite(scaled)  # the scaled score overflows, so it gets a cell of its own
    edge, next_edge = np.where(fine, scores, edge), np.where(fine, scores, next_edge)
    starts = np.flatnonzero(np.concatenate(([True], edge[1:] != edge[:-1])))
    several = np.diff(np.concatenate((starts, [len(edge)]))) > 1
    if table.mixed is not None:
        several |= np.logical_or.reduceat(table.mixed, starts)
    sums = {name: _reduced(getattr(table, name), starts) for name in WEIGHTS}
    far = next_edge[starts]
    if table.mixed is not None:  # a cell that is already coarser keeps its end
        most = np.maximum if higher else np.minimum
        far = most(far, most.reduceat(cell_ends(table), starts))
    names = np.where(several, edge[starts] + 0.0, scores[starts])
    ends = np.where(several, far, names)
    return _joined(replace(table, scores=names, **sums, mixed=several, ends=ends, known=known_of(table)))


def _reduced(weights: Any, starts: Any) -> Any:
    return None if weights is None else tally.segment_sums(weights, starts)


def reversed_column(array: Any) -> Any:
    """A column in the other order; None stays None."""
    return None if array is None else array[::-1]
