"""Counts of a table at some of its thresholds, and results cached with the table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from rocscope.numbers import floats
from rocscope.table.score_table import ScoreTable
from rocscope.tally import blocks

Array = NDArray[Any]
Found = TypeVar("Found")
MANY = 2**13  # runs per block: fits in the processor cache, and is below 10,000, where BLAS starts its threads


def cells_of(tp: Any, fp: Any, positives: Any, negatives: Any) -> dict[str, Any]:
    """The four cells and the totals for given numbers of flagged positives and negatives; arrays of any shape."""
    totals = {"positives": positives, "negatives": negatives}
    return {"tp": tp, "fp": fp, "fn": positives - tp, "tn": negatives - fp, **totals}


def cells_at(t: ScoreTable, rows: Any) -> dict[str, Any]:
    """The four cells at some rows of `t.along()`, without computing all rows.

    >>> t = ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
    >>> {name: int(cell) for name, cell in cells_at(t, 1).items()}
    {'tp': 1, 'fp': 0, 'fn': 1, 'tn': 2, 'positives': 2, 'negatives': 2}
    """
    totals = (t.positives, t.negatives) if t.exact else (t.tp[-1], t.fp[-1])
    return cells_of(t.tp[rows], t.fp[rows], *totals)


def thresholds_at(t: ScoreTable, rows: Any) -> Any:
    """The thresholds of some rows of `t.along()`, "predict nothing" being the first.

    >>> thresholds_at(ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]), [0, 2])
    array([inf,  3.])
    """
    rows = np.asarray(rows, dtype=np.int64)
    thresholds = np.full(len(rows), math.inf if t.higher_is_positive else -math.inf)
    thresholds[rows > 0] = t.scores[rows[rows > 0] - 1]
    return thresholds


def once(function: Callable[[ScoreTable], Found]) -> Callable[[ScoreTable], Found]:
    """The function with its result cached on the table, like a cached property.

    >>> calls = []
    >>> size = once(lambda table: calls.append(1) or len(table))
    >>> t = ScoreTable.from_scores([1, 0], [0.8, 0.4])
    >>> size(t), size(t), len(calls)
    (2, 2, 1)
    """
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def kept(table: ScoreTable) -> Found:
        stored: dict[str, Any] = table.__dict__
        if name not in stored:
            stored[name] = function(table)
        return stored[name]  # type: ignore[no-any-return]

    return kept


# ---- runs of scores ----


class ScoreRun(NamedTuple):
    """A run of neighboring scores: their rows, their weights, and the cumulative totals.

    If an entry represents several scores with one slope, `each` gives their number.
    """

    rows: slice
    pos: Array
    neg: Array
    hits: Array
    alarms: Array
    each: Array | None = None

    @property
    def both(self) -> Array:
        """The entries that consist of one score with both positives and negatives."""
        found = (self.pos > 0) & (self.neg > 0)
        return np.flatnonzero(found if self.each is None else found & (self.each == 1))


def entries(t: ScoreTable, marks: Array) -> ScoreRun:
    """The scores between consecutive given rows, combined into entries with integer weights."""
    hits, alarms = floats(t.tp[marks]), floats(t.fp[marks])
    rows = slice(int(marks[0]), int(marks[-1]))
    return ScoreRun(rows, np.diff(hits), np.diff(alarms), hits[1:], alarms[1:], np.diff(marks))


def class_runs(t: ScoreTable) -> Iterator[ScoreRun]:
    """Runs of scores with only negatives, then with only positives, many at a time, from the last scores up.

    A score with both classes forms a run of its own. Quantities that depend only on the order of the cases are the same
    for all positives of a run, and for all its negatives: without ties, this leaves at most half as many entries as
    scores. The weights are integers.

    >>> t = ScoreTable.from_scores([1, 0, 0, 1, 1, 0, 1], [7, 6, 5, 4, 3, 2, 2])
    >>> (runs,) = class_runs(t)
    >>> runs.pos.tolist(), runs.neg.tolist(), runs.each.tolist()
    ([1.0, 2.0, 1.0], [0.0, 2.0, 1.0], [1, 4, 1])
    """
    bounds = _bounds(t)
    for part in reversed(list(blocks(len(bounds) - 1, MANY))):
        yield entries(t, bounds[part.start : part.stop + 1])


@once
def _bounds(t: ScoreTable) -> Array:
    """The rows where runs begin, and the end."""
    index = np.int32 if len(t) < 2**31 else np.int64
    found = [np.zeros(1, dtype=index)]
    for part in blocks(len(t) - 1):
        rows = slice(part.start, part.stop + 1)
        hit = t.pos[rows] > 0
        both = hit & (t.neg[rows] > 0)
        begins = hit[:-1] & ~hit[1:]
        if both.any():
            begins |= both[:-1] | both[1:]
        found.append((np.flatnonzero(begins) + (part.start + 1)).astype(index))
    return np.concatenate([*found, np.array([len(t)], dtype=index)])
