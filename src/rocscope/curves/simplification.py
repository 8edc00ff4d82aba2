"""Fewer points for drawing: which rows of a curve to keep so that no difference is seen or measured."""

from __future__ import annotations

import heapq
from itertools import pairwise

import numpy as np

from rocscope import tally
from rocscope.curves import threshold_rates
from rocscope.curves.curve import Array, Curve
from rocscope.curves.declaration import DECLARED
from rocscope.curves.roc_curve import roc
from rocscope.errors import RocscopeError
from rocscope.hull import corner_rows
from rocscope.table import ScoreTable, thresholds_at
from rocscope.tally import distinct

AREA = 1e-5
LONG = 2**14


def long_counts(table: ScoreTable) -> bool:
    """Whether a table is long, of both classes, and of counts whose products fit int64."""
    whole = table.pos.dtype == table.neg.dtype == np.int64
    return bool(whole and len(table) >= LONG and 0 < table.positives * table.negatives < 2**62)


def kept_rows(curve: Curve, points: int, *, area: float = AREA) -> Array:
    """The rows of a thinned curve.

    On curves that are straight in the counts, rows on a straight piece go without loss, found in whole numbers. Then
    the Douglas-Peucker order adds the rows that stand out most, from the hull's corners on, until there are `points`
    and the drawn area is right to `area`. Rows next to undefined ones stay.
    """
    if points < 2:
        raise RocscopeError(f"{points} points; a curve needs at least 2")
    if curve.kind == "roc" and curve.table is not None and _on_table(curve) and long_counts(curve.table):
        return roc_rows(curve.table, points, area=area)
    drawn = _drawn(curve)
    fixed = ends = _ends(drawn)
    rows = _bends(curve.table) if _straight(curve) else np.arange(len(curve))
    rows = rows[drawn[rows]]
    if _on_table(curve) and curve.table is not None:
        fixed = distinct(fixed, corner_rows(curve.table))
    if len(rows) > points:
        begin = np.flatnonzero(np.isin(rows, fixed)).tolist()
        rows = rows[_standing_out(_Line(*_unit(curve, rows)), [0, *begin, len(rows) - 1], points, area)]
    return distinct(rows, ends)


def thinned_roc(table: ScoreTable, points: int) -> Curve:
    """What `roc(table).thin(points)` gives; of a long table of counts without a column of all its rows."""
    if not long_counts(table):
        return roc(table).thin(points)
    rows = roc_rows(table, points)
    columns = {
        name: threshold_rates.over(sums[rows], sums[-1]) for name, sums in (("fpr", table.fp), ("tpr", table.tp))
    }
    thresholds = thresholds_at(table, rows)
    return Curve("roc", thresholds, columns, x="fpr", y="tpr", higher_is_positive=table.higher_is_positive)


def roc_rows(table: ScoreTable, points: int, *, area: float = AREA) -> Array:
    """The rows of a thinned ROC curve, computed from a long table of counts without making the curve.

    >>> t = ScoreTable.from_scores([1, 0] * 8192, np.arange(16384.0))
    >>> len(roc_rows(t, 5)) < 300
    True
    """
    return np.array(_standing_out(_Counted(table), corner_rows(table).tolist(), points, area))


def _drawn(curve: Curve) -> Array:
    x, y = curve.xy
    return np.isfinite(x) & np.isfinite(y)


def _ends(drawn: Array) -> Array:
    """First and last row, and both sides of every change between defined and undefined."""
    turns = np.flatnonzero(np.diff(drawn.astype(np.int8)))
    return distinct([0, len(drawn) - 1], turns, turns + 1)


def _on_table(curve: Curve) -> bool:
    """Whether the rows of the curve are the rows of its table."""
    return curve.table is not None and len(curve) == len(curve.table) + 1 and curve.steps


def _straight(curve: Curve) -> bool:
    facts = DECLARED.look_up(curve.kind)
    return facts is not None and facts.linear and _on_table(curve)


def _bends(table: ScoreTable | None) -> Array:
    """Rows where the ROC curve changes its direction, by an exact test: neighbors' cross product is not 0."""
    assert table is not None  # _straight asked for it
    moves = np.flatnonzero((table.pos > 0) | (table.neg > 0))  # scores of weight 0 stand still
    pos, neg = table.pos[moves], table.neg[moves]
    if table.exact and int(pos.max(initial=0)) * int(neg.max(initial=0)) >= 2**62:
        pos, neg = pos.astype(object), neg.astype(object)
    turns = pos[:-1] * neg[1:] != pos[1:] * neg[:-1]
    return distinct([0], moves[:-1][turns] + 1, [len(table)])


def _unit(curve: Curve, rows: Array) -> tuple[Array, Array]:
    """The drawn columns at these rows, on scales from 0 to 1."""
    return tuple(_scaled(column[rows]) for column in curve.xy)  # type: ignore[return-value]


def _scaled(values: Array) -> Array:
    low, high = values.min(), values.max()
    return np.asarray((values - low) / ((high - low) or 1.0))


class _Line:
    """A polyline given by its points: the area under it, and what stands off a straight line between two of them."""

    def __init__(self, x: Array, y: Array) -> None:
        self.x, self.y = x, y
        self.area = float((np.diff(x) * (y[:-1] + y[1:])).sum() / 2)

    def point(self, index: int) -> tuple[float, float]:
        """One of its points."""
        return float(self.x[index]), float(self.y[index])

    def furthest(self, first: int, last: int) -> tuple[float, int]:
        """How far off the line between two others a point stands at most, and which does."""
        if last - first < 2:
            return 0.0, first
        off, length = _off(self.x[first : last + 1], self.y[first : last + 1])
        off = off[1:-1] / length if length else off[1:-1]
        best = int(off.argmax())
        return float(off[best]), first + 1 + best


class _Counted:
    """The ROC curve of a table of counts as such a polyline, without a column of all its points."""

    def __init__(self, table: ScoreTable) -> None:
        totals = table.positives, table.negatives
        self.table, self.area = table, float(tally.twice_u(table.pos, table.neg, totals) / (2 * totals[0] * totals[1]))
        self.width, self.height = float(table.negatives), float(table.positives)

    def point(self, index: int) -> tuple[float, float]:
        """One of its points."""
        return float(self.table.fp[index] / self.width), float(self.table.tp[index] / self.height)

    def furthest(self, first: int, last: int) -> tuple[float, int]:
        """How far off the line between two others a point stands at most, and which does: one where the curve turns."""
        rows = first + self._outer(first, last)
        rows = rows[(rows > first) & (rows < last)]
        turns = _turns(self.table, rows)
        rows = rows[turns] if turns.any() else rows[:1]  # next to a score of weight 0 no turn is seen
        if not rows.size:
            return 0.0, first
        marks = np.concatenate(([first], rows, [last]))
        off, length = _off(self.table.fp[marks] / self.width, self.table.tp[marks] / self.height)
        far = off[1:-1] / length
        best = int(far.argmax())
        return float(far[best]), int(rows[best])

    def _outer(self, first: int, last: int) -> Array:
        """The rows from first on that are furthest off the line, but for rounding."""
        tp, fp = self.table.tp, self.table.fp
        run, rise = (float(fp[last] - fp[first]) / self.width, float(tp[last] - tp[first]) / self.height)
        off = np.multiply(tp[first : last + 1], run / self.height)
        off -= np.multiply(fp[first : last + 1], rise / self.width)
        line = (float(off[0]) + float(off[-1])) / 2  # the same at both ends
        off -= line
        near = max(float(off.max()), -float(off.min())) * (1 - 1e-9) - 1e-12
        return np.flatnonzero((off >= near) | (off <= -near))


def _off(x: Array, y: Array) -> tuple[Array, float]:
    """How far each point is off the line from the first to the last, times its length; and this, 0 for one point."""
    run, rise = x[-1] - x[0], y[-1] - y[0]
    across, up = x - x[0], y - y[0]
    length = float(np.hypot(run, rise))
    if not length:
        return np.hypot(across, up), 0.0
    up *= run
    across *= rise
    up -= across
    return np.abs(up, out=up), length


def _turns(table: ScoreTable, rows: Array) -> Array:
    """Whether the ROC curve changes its direction at inner rows."""
    pos, neg = table.pos, table.neg
    return np.asarray(pos[rows - 1] * neg[rows] != pos[rows] * neg[rows - 1])


def _standing_out(line: _Line | _Counted, begin: list[int], points: int, within: float) -> list[int]:
    """The points in Douglas-Peucker order until there are enough and the area is right, from some on."""
    kept = sorted(set(begin))
    queue: list[tuple[float, int, int, int]] = []
    missing = line.area
    for first, last in pairwise(kept):
        missing -= _under(line, first, last)
        _offer(queue, line, first, last)
    chosen = set(kept)
    while queue and (len(chosen) < points or abs(missing) > within):
        _, first, best, last = heapq.heappop(queue)
        chosen.add(best)
        missing += _under(line, first, last)
        for low, high in ((first, best), (best, last)):
            missing -= _under(line, low, high)
            _offer(queue, line, low, high)
    return sorted(chosen)


def _under(line: _Line | _Counted, first: int, last: int) -> float:
    """The area under a straight line between two points."""
    (x, y), (x2, y2) = line.point(first), line.point(last)
    return (x2 - x) * (y + y2) / 2


def _offer(queue: list[tuple[float, int, int, int]], line: _Line | _Counted, first: int, last: int) -> None:
    """Put the point that stands furthest off the line between two others into the queue, if any does."""
    off, best = line.furthest(first, last)
    if off > 0:
        heapq.heappush(queue, (-off, first, best, last))
