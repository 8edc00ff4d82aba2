"""What a table says at some of its thresholds, and what is kept with it once it was computed."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from rocscope.table.score_table import ScoreTable

Found = TypeVar("Found")


def cells_of(tp: Any, fp: Any, positives: Any, negatives: Any) -> dict[str, Any]:
    """The four cells and the totals for given numbers of flagged positives and negatives; arrays of any shape."""
    totals = {"positives": positives, "negatives": negatives}
    return {"tp": tp, "fp": fp, "fn": positives - tp, "tn": negatives - fp, **totals}


def cells_at(t: ScoreTable, rows: Any) -> dict[str, Any]:
    """The cells at some rows of `t.along()`, without computing all rows.

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
    found = np.full(len(rows), math.inf if t.higher_is_positive else -math.inf)
    found[rows > 0] = t.scores[rows[rows > 0] - 1]
    return found


def once(function: Callable[[ScoreTable], Found]) -> Callable[[ScoreTable], Found]:
    """The function with its result cached on the table, where cached properties are kept, too.

    >>> calls = []
    >>> size = once(lambda table: calls.append(1) or len(table))
    >>> t = ScoreTable.from_scores([1, 0], [0.8, 0.4])
    >>> size(t), size(t), len(calls)
    (2, 2, 1)
    """
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def kept(table: ScoreTable) -> Found:
        held: dict[str, Any] = table.__dict__
        if name not in held:
            held[name] = function(table)
        return held[name]  # type: ignore[no-any-return]

    return kept
