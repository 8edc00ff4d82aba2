"""Cells, rates and any measure along a table as float64, and the reasons for missing values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import nan

import numpy as np

from rocscope import measures
from rocscope.curves.curve import Array, Curve
from rocscope.errors import RocscopeError
from rocscope.numbers import floats
from rocscope.table import ScoreTable, once
from rocscope.tally import blocks

PIECE = 2**13  # scores per block: fits in the processor cache, and too small for BLAS to start its threads
WIDE = 2**15  # scores per block where BLAS is not used
BLOCK = 2**16


def over(part: Array, whole: float) -> Array:
    """Each part as a share of the whole; NaN everywhere if the whole is 0."""
    if not whole:
        return np.full(len(part), nan)
    if part.dtype == object:
        return np.array([value / whole for value in part.tolist()], dtype=np.float64)
    return np.asarray(part / np.float64(whole))


def tpr(table: ScoreTable) -> Array:
    """True positive rate at every threshold. The last sum is the whole, so that the curve ends at exactly 1."""
    return over(table.tp, table.tp[-1])


def fpr(table: ScoreTable) -> Array:
    """False positive rate at every threshold."""
    return over(table.fp, table.fp[-1])


def fnr(table: ScoreTable) -> Array:
    """False negative rate at every threshold."""
    return over(table.tp[-1] - table.tp, table.tp[-1])


def cells(table: ScoreTable, rows: slice = slice(None)) -> dict[str, Array]:
    """The counts tp, fp, fn and tn at every threshold or at some, as float64; complements are taken before rounding."""
    tp, fp = table.tp[rows], table.fp[rows]
    return {"tp": floats(tp), "fp": floats(fp), "fn": floats(table.tp[-1] - tp), "tn": floats(table.fp[-1] - fp)}


def flagged(table: ScoreTable) -> Array:
    """The share of cases predicted positive at every threshold."""
    both = floats(table.tp) + floats(table.fp)
    return over(both, both[-1])


def class_sums(table: ScoreTable, bounds: Array) -> tuple[Array, Array]:
    """The positives and the negatives in each run of rows between consecutive bounds."""
    if table.exact:
        up, down = (floats(np.diff(sums[bounds])) for sums in (table.tp, table.fp))
    else:
        up, down = (run_sums(bounds, column.__getitem__) for column in (table.pos, table.neg))
    return up, down


@once
def _one_each(table: ScoreTable) -> bool:
    """Whether every score is that of one case: some scores may have no weight."""
    if not table.exact or len(table) != table.positives + table.negatives:
        return False
    return all(((table.pos[rows] > 0) | (table.neg[rows] > 0)).all() for rows in blocks(len(table)))


def score_sums(table: ScoreTable, bounds: Array) -> Array:
    """The sum of the scores of all cases in runs of rows."""
    if _one_each(table):
        return run_sums(bounds, table.scores.__getitem__)
    return run_sums(bounds, lambda rows: (table.pos[rows] + table.neg[rows]) * floats(table.scores[rows]))


def run_sums(bounds: Array, column: Callable[[slice], Array]) -> Array:
    """The sums of a column over runs of rows, each from one of the rising bounds to the next.

    The column is given by its parts, so that none is made as long as the table.

    >>> run_sums(np.array([0, 2, 2, 5]), lambda rows: np.arange(10)[rows]).tolist()
    [1.0, 0.0, 9.0]
    """
    sums, offset = np.zeros(len(bounds) - 1), int(bounds[0])
    for block in blocks(int(bounds[-1]) - offset, WIDE):
        start, stop = block.start + offset, block.stop + offset
        first, last = np.searchsorted(bounds, start, side="right") - 1, np.searchsorted(bounds, stop)
        begins = np.maximum(bounds[first:last], start) - start
        full = np.flatnonzero(np.diff(begins, append=stop - start))  # skip empty runs
        sums[first + full] += np.add.reduceat(floats(column(slice(start, stop))), begins[full])
    return sums


def prevalence(table: ScoreTable) -> float:
    """The share of positives."""
    return float(table.positives / (table.positives + table.negatives))


def one_class(table: ScoreTable, *, positives: str = "", negatives: str = "") -> str:
    """Why columns are undefined when a class is absent: `positives` names those that need positives, and so on."""
    reasons = []
    if positives and not table.tp[-1]:
        reasons.append(f"no positives: {positives} is undefined")
    if negatives and not table.fp[-1]:
        reasons.append(f"no negatives: {negatives} is undefined")
    return "; ".join(reasons)


def why_missing(name: str, values: Array, reason: Callable[[int], str]) -> str:
    """A sentence on how many values are undefined, where the first one is, and why; '' if there are none."""
    lost = np.isnan(values)
    if not lost.any():
        return ""
    first = int(lost.argmax())
    count = int(np.count_nonzero(lost))
    where = f"at all {count}" if count == len(values) else f"at {count} of {len(values)}"
    return f"{name} is undefined {where} points, first at row {first}: {reason(first)}"


def harmonic(start: Array, count: Array) -> Array:
    """1/(start + 1) + ... + 1/(start + count), also between whole numbers; as a difference of digammas.

    From 50 on by their asymptotic series, where a plain difference would lose digits.

    >>> harmonic(np.array([2.0]), np.array([2.0])).round(12)
    array([0.58333333])
    """
    from scipy.special import digamma

    a, b = start + 1, start + count + 1
    small = a < 50
    u, v = 1 / (a * a), 1 / (b * b)
    near = np.log1p(count / a) + count / (2 * a * b)
    near += (u - v) / 12 - (u * u - v * v) / 120 + (u * u * u - v * v * v) / 252
    near[small] = digamma(b[small]) - digamma(a[small])
    return np.asarray(near)


# ---- curves of any measure in the catalog ----


def sweep(table: ScoreTable, *names: str) -> Curve:
    """One or more measures at every threshold, each as a column under the requested name; NaN where undefined.

    Formulas run over the cumulative counts, so a sweep costs a few passes over the table.

    >>> sweep(ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]), "recall").recall
    array([0. , 0.5, 0.5, 1. , 1. ])
    """
    if not names:
        raise RocscopeError("a sweep requires at least one measure", hint='Write sweep(t, "f1")')
    wanted = {str(name).strip().lower(): measures.get(name) for name in names}
    columns = {name: np.empty(len(table) + 1) for name in wanted}
    for start in range(0, len(table) + 1, BLOCK):  # in blocks, so that intermediate results stay in the processor cache
        rows = slice(start, start + BLOCK)
        counts = cells(table, rows)
        for name, measure in wanted.items():
            columns[name][rows] = measure.value(counts)
    reasons = [
        why_missing(name, columns[name], partial(_reason, table, wanted_measure))
        for name, wanted_measure in wanted.items()
    ]
    why = "; ".join(text for text in reasons if text)
    return Curve.of("sweep", table, columns, x="threshold", y=next(iter(wanted)), why=why)


def _reason(table: ScoreTable, measure: measures.Measure, row: int) -> str:
    return measure.why({name: cell.item() for name, cell in cells(table, slice(row, row + 1)).items()})


def trade(table: ScoreTable, x: str, y: str) -> Curve:
    """One measure against another, at every threshold.

    >>> c = trade(ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]), "recall", "accuracy")
    >>> c.x, c.y, c.accuracy
    ('recall', 'accuracy', array([0.5 , 0.75, 0.5 , 0.75, 0.5 ]))
    """
    return replace(sweep(table, x, y), kind="trade", x=x.strip().lower(), y=y.strip().lower())
