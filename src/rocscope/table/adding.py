"""Sums of score tables, and tables on coarser cells."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import tally
from rocscope.errors import RocscopeError

if TYPE_CHECKING:
    from rocscope.table.scores import ScoreTable

WEIGHTS = ("pos", "neg", "pos_squares", "neg_squares")


def added(a: ScoreTable, b: ScoreTable) -> ScoreTable:
    """The table of the cases of both: whole numbers to the same bits in any order."""
    found = tally.merge(_groups(a), _groups(b), descending=a.higher_is_positive)
    several = [table.scores[table.mixed] for table in (a, b) if table.mixed is not None]
    mixed = np.isin(found.scores, np.concatenate(several)) if several else None
    rows = (a.rows[0] + b.rows[0], a.rows[1] + b.rows[1])
    return replace(a, **found._asdict(), rows=rows, mixed=mixed)


def _groups(table: ScoreTable) -> tally.Groups:
    return tally.Groups(table.scores, table.pos, table.neg, table.pos_squares, table.neg_squares, table.exponent)


def coarsened(table: ScoreTable, bits: int) -> ScoreTable:
    """The table on cells of width 2**-bits; a cell is named by the threshold that takes the whole of it.

    Multiplying by a power of two is exact, so the same cases fall into the same cell on every machine.
    """
    if not 0 <= bits <= 1000:
        raise RocscopeError(f"bits {bits}; 0 to 1000 halvings make cells of a width")
    scaled = np.ldexp(table.scores.astype(np.float64), bits)
    edge = np.ldexp(np.floor(scaled) if table.higher_is_positive else np.ceil(scaled), -bits)
    starts = np.flatnonzero(np.concatenate(([True], edge[1:] != edge[:-1])))
    several = np.diff(np.concatenate((starts, [len(edge)]))) > 1
    if table.mixed is not None:
        several |= np.logical_or.reduceat(table.mixed, starts)
    sums = {name: _reduced(getattr(table, name), starts) for name in WEIGHTS}
    return replace(table, scores=edge[starts] + 0.0, **sums, mixed=several)


def _reduced(weights: Any, starts: Any) -> Any:
    return None if weights is None else tally.segment_sums(weights, starts)
