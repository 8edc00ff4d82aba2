"""Sums of score tables, and tables on coarser cells.

An entry that stands for several scores covers those from its score up to, not including, its end. Where such cells of
two tables overlap they become one: dyadic cells nest, so that is the coarser of the two, in whatever order they add.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.table.certified_areas import Known, known_of

if TYPE_CHECKING:
    from rocscope.table.score_table import ScoreTable

WEIGHTS = ("pos", "neg", "pos_squares", "neg_squares")
DEEPEST = 1000


def added(a: ScoreTable, b: ScoreTable) -> ScoreTable:
    """The table of the cases of both: whole numbers to the same bits in any order."""
    found = tally.merge(_groups(a), _groups(b), descending=a.higher_is_positive)
    rows = (a.rows[0] + b.rows[0], a.rows[1] + b.rows[1])
    both = replace(a, **found._asdict(), rows=rows, mixed=None, ends=None, known=_known(a, b))
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
    held = whole.scores[::-1] if whole.higher_is_positive else whole.scores
    rising = np.searchsorted(held, part.scores.astype(held.dtype, copy=False))
    return len(whole) - 1 - rising if whole.higher_is_positive else rising


def cell_ends(table: ScoreTable) -> Any:
    """The end of every entry: of a cell as kept, or else the next entry; of one score the score itself."""
    scores, far = table.scores.astype(np.float64), np.inf if table.higher_is_positive else -np.inf
    ends = np.concatenate(([far], scores[:-1])) if table.ends is None else table.ends  # the next more positive entry
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
    sums = {name: _flipped(_reduced(_flipped(getattr(table, name)), first)) for name in WEIGHTS}
    scores = table.scores[::-1][first][::-1]
    ends = (sign * np.maximum.reduceat(high, first))[::-1]
    return replace(table, scores=scores, ends=ends, mixed=mixed[::-1], **sums)


def coarsened(table: ScoreTable, bits: int) -> ScoreTable:
    """The table on cells of width 2**-bits; a cell is named by the threshold that takes the whole of it.

    Multiplying by a power of two is exact, so the same cases fall into the same cell on every machine. A score alone in
    its cell keeps its own name.
    """
    if not -DEEPEST <= bits <= DEEPEST:
        raise RocscopeError(f"bits {bits}; -{DEEPEST} to {DEEPEST} halvings make cells of a width")
    scores, higher = table.scores.astype(np.float64), table.higher_is_positive
    with np.errstate(over="ignore", under="ignore"):
        scaled = np.ldexp(scores, bits)
        whole = np.floor(scaled) if higher else np.ceil(scaled)
        edge, next_edge = np.ldexp(whole, -bits), np.ldexp(whole + (1 if higher else -1), -bits)
    fine = ~np.isfinite(scaled)  # too fine a cell for so large a score: it stays alone
    edge, next_edge = np.where(fine, scores, edge), np.where(fine, scores, next_edge)
    starts = np.flatnonzero(np.concatenate(([True], edge[1:] != edge[:-1])))
    several = np.diff(np.concatenate((starts, [len(edge)]))) > 1
    if table.mixed is not None:
        several |= np.logical_or.reduceat(table.mixed, starts)
    sums = {name: _reduced(getattr(table, name), starts) for name in WEIGHTS}
    far = next_edge[starts]
    if table.mixed is not None:  # a cell that was coarser already stays as it is
        most = np.maximum if higher else np.minimum
        far = most(far, most.reduceat(cell_ends(table), starts))
    names = np.where(several, edge[starts] + 0.0, scores[starts])
    ends = np.where(several, far, names)
    return _joined(replace(table, scores=names, **sums, mixed=several, ends=ends, known=known_of(table)))


def _reduced(weights: Any, starts: Any) -> Any:
    return None if weights is None else tally.segment_sums(weights, starts)


def _flipped(array: Any) -> Any:
    return None if array is None else array[::-1]
