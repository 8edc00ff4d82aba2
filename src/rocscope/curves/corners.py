"""The corners of a table's convex hull as rows of its curves: what cost, calibration and thinning are made from."""

from __future__ import annotations

import numpy as np

from rocscope.curves.cached import once
from rocscope.curves.curve import Array
from rocscope.numbers import FITS
from rocscope.table import ScoreTable
from rocscope.tally.sums import distinct

LONG = 2**14
STEP, PARTS = 2**8, 2**4  # rows between two of an even sample, and how many parts such a run falls into


@once
def corners(table: ScoreTable) -> Array:
    """The rows of `along` that are corners of the ROC convex hull, "predict nothing" and "predict all" included.

    >>> t = ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])
    >>> corners(t)
    array([0, 1, 2, 3])
    """
    if not table.positives or not table.negatives:  # no ROC curve: one block of one class
        return np.array([0, len(table)] if len(table) else [0])
    from rocscope.hull import hull

    rows = distinct([table.position(point.threshold) for point in hull(outline(table)).points])
    rows[0], rows[-1] = 0, len(table)  # scores of weight 0 at an end belong to it
    rows.flags.writeable = False
    return rows


@once
def outline(table: ScoreTable) -> ScoreTable:
    """A table of far fewer thresholds with the same convex hull; the table itself where it is short or not of counts.

    What lies on or under the hull of an even sample of the curve is no corner. Most runs between two rows of the sample
    are told by the upper left corner of their box, the others row by row.

    >>> t = ScoreTable.from_scores([1, 0] * 8192, np.arange(16384.0))
    >>> len(outline(t)) < 200
    True
    """
    if not long_counts(table):
        return table
    rows = _first_reached(table, _above_sample(table))
    pos, neg = (np.diff(sums[rows]) for sums in (table.tp, table.fp))
    return ScoreTable(
        table.scores[rows[1:] - 1], pos, neg, table.higher_is_positive, table.labels,
        rows=table.rows, exponent=table.exponent,
    )  # fmt: skip


def long_counts(table: ScoreTable) -> bool:
    """Whether a table is long, of both classes, and of counts whose products fit int64."""
    whole = table.pos.dtype == table.neg.dtype == np.int64
    return bool(whole and len(table) >= LONG and 0 < table.positives * table.negatives < FITS)


def _above_sample(table: ScoreTable) -> Array:
    """The corners of the hull of an even sample of rows, and all rows above that hull."""
    from rocscope.hull.corners import curve_corners

    sample = np.append(np.arange(0, len(table), STEP), len(table))
    found = sample[curve_corners(table.fp[sample], table.tp[sample])]
    rows, step = sample[:-1], STEP
    while True:
        segment = np.searchsorted(found, rows, side="right") - 1  # the side of the hull over these rows
        last = np.minimum(rows + step, len(table)) - 1
        high = _above(table, table.fp[rows], table.tp[last], found[segment], found[segment + 1])
        if step == 1:
            return np.sort(np.concatenate((found, rows[high])))
        step //= PARTS
        rows = (rows[high][:, None] + step * np.arange(PARTS)).ravel()
        rows = rows[rows < len(table)]


def _above(table: ScoreTable, fp: Array, tp: Array, left: Array, right: Array) -> Array:
    """Whether points lie above the straight line from one row of the curve to another, in whole numbers."""
    run, rise = table.fp[right] - table.fp[left], table.tp[right] - table.tp[left]
    return np.asarray((tp - table.tp[left]) * run > (fp - table.fp[left]) * rise)


def _first_reached(table: ScoreTable, rows: Array) -> Array:
    """The rows in order, each but the ends moved to the first with the same counts: scores of weight 0 repeat one."""
    inner = rows[1:-1]
    again = (table.tp[inner] == table.tp[inner - 1]) & (table.fp[inner] == table.fp[inner - 1])
    if not again.any():
        return rows
    first = (np.searchsorted(sums, sums[inner], side="left") for sums in (table.tp, table.fp))
    return distinct([0], np.maximum(*first), [len(table)])
