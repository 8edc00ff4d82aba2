"""Any measure of the catalogue along a table: against the threshold, or against another measure."""

from __future__ import annotations

from functools import partial

import numpy as np

from rocscope import measures
from rocscope.curves import threshold_rates
from rocscope.curves.curve import Array, Curve
from rocscope.errors import RocscopeError
from rocscope.numbers import floats
from rocscope.table import ScoreTable

BLOCK = 2**16


def sweep(table: ScoreTable, *names: str) -> Curve:
    """One or more measures at every threshold, each a column under the name asked for; NaN where undefined.

    Formulas run over the cumulative counts, so a sweep costs a few passes over the table.

    >>> sweep(ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]), "recall").recall
    array([0. , 0.5, 0.5, 1. , 1. ])
    """
    if not names:
        raise RocscopeError("a sweep needs a measure", hint='Say sweep(t, "f1")')
    wanted = {name.strip().lower(): measures.get(name) for name in names}
    columns = {name: np.empty(len(table) + 1) for name in wanted}
    for start in range(0, len(table) + 1, BLOCK):  # block by block, so that what comes between stays in the cache
        rows = slice(start, start + BLOCK)
        found = _cells(table, rows)
        for name, measure in wanted.items():
            columns[name][rows] = measure.value(found)
    reasons = [
        threshold_rates.why_missing(name, columns[name], partial(_reason, table, one)) for name, one in wanted.items()
    ]
    why = "; ".join(text for text in reasons if text)
    return Curve.of("sweep", table, columns, x="threshold", y=next(iter(wanted)), why=why)


def _cells(table: ScoreTable, rows: slice) -> dict[str, Array]:
    tp, fp = table.tp[rows], table.fp[rows]
    rest = {"fn": table.tp[-1] - tp, "tn": table.fp[-1] - fp}
    return {name: floats(cell) for name, cell in {"tp": tp, "fp": fp, **rest}.items()}


def _reason(table: ScoreTable, measure: measures.Measure, row: int) -> str:
    return measure.why({name: cell.item() for name, cell in _cells(table, slice(row, row + 1)).items()})


def trade(table: ScoreTable, x: str, y: str) -> Curve:
    """One measure against another, at every threshold.

    >>> c = trade(ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]), "recall", "accuracy")
    >>> c.x, c.y, c.accuracy
    ('recall', 'accuracy', array([0.5 , 0.75, 0.5 , 0.75, 0.5 ]))
    """
    from dataclasses import replace

    return replace(sweep(table, x, y), kind="trade", x=x.strip().lower(), y=y.strip().lower())
