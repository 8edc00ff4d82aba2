"""Any measure of the catalogue along a table: against the threshold, or against another measure."""

from __future__ import annotations

from rocscope import measures
from rocscope.curves import cells
from rocscope.curves.curve import Curve
from rocscope.errors import RocscopeError
from rocscope.table import ScoreTable


def sweep(table: ScoreTable, *names: str) -> Curve:
    """One or more measures at every threshold, each a column under its catalogue name; NaN where undefined.

    Formulas run over the cumulative counts, so a sweep costs a few passes over the table.

    >>> sweep(ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]), "recall").recall
    array([0. , 0.5, 0.5, 1. , 1. ])
    """
    if not names:
        raise RocscopeError("a sweep needs a measure", hint='Say sweep(t, "f1")')
    wanted = [measures.get(name) for name in names]
    found = cells.cells(table)
    columns, reasons = {}, []
    for measure in wanted:
        values = measure.value(found)
        columns[measure.name] = values

        def reason(row: int, measure: measures.Measure = measure) -> str:
            return measure.why({name: cell[row].item() for name, cell in found.items()})

        reasons.append(cells.why_missing(measure.name, values, reason))
    why = "; ".join(text for text in reasons if text)
    return Curve.of("sweep", table, columns, x="threshold", y=wanted[0].name, why=why)


def trade(table: ScoreTable, x: str, y: str) -> Curve:
    """One measure against another, at every threshold.

    >>> c = trade(ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]), "recall", "accuracy")
    >>> c.x, c.y, c.accuracy
    ('recall', 'accuracy', array([0.5 , 0.75, 0.5 , 0.75, 0.5 ]))
    """
    from dataclasses import replace

    names = [measures.get(name).name for name in (x, y)]
    return replace(sweep(table, *names), kind="trade", x=names[0], y=names[1])
