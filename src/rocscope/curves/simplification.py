"""Fewer points for drawing: which rows of a curve to keep so that no difference is seen or measured."""

from __future__ import annotations

import heapq
import math
from itertools import pairwise
from operator import itemgetter

import numpy as np

from rocscope.curves import threshold_rates
from rocscope.curves.curve import Array, Curve
from rocscope.curves.declaration import DECLARED
from rocscope.curves.roc_curve import auc
from rocscope.errors import RocscopeError
from rocscope.hull import corner_rows
from rocscope.table import ScoreTable, thresholds_at
from rocscope.tally import blocks, distinct

AREA = 1e-5
FEW = 2**20


def kept_rows(curve: Curve, points: int, *, area: float = AREA) -> Array:
    """The rows that a thinned curve keeps.

    On curves that are straight in the counts, rows on a straight piece are dropped without loss, as determined in
    integers. Then, starting with the corners of the hull, the rows that stand out most (in the order of Douglas and
    Peucker) are added until there are `points` rows and the drawn area is accurate to `area`. Rows next to undefined
    ones are kept.
    """
    if points < 2:
        raise RocscopeError(f"points must be at least 2, not {points}")
    drawn = _drawn(curve)
    fixed = ends = _ends(drawn)
    rows = _bends(curve.table) if _straight(curve) else np.arange(len(curve))
    rows = rows[drawn[rows]]
    if _on_table(curve) and curve.table is not None:
        fixed = distinct(fixed, corner_rows(curve.table))
    if len(rows) > points:
        rows = _standing_out(rows, _Line(*_unit(curve, rows)), fixed, points, area)
    return distinct(rows, ends)


def thinned_roc(table: ScoreTable, points: int) -> Curve:
    """The same as `roc(table).thin(points)` for a table with both classes, without computing a column of all rows."""
    corners = corner_rows(table)  # computed first: its temporary memory is released before the bends are allocated
    rows, sides = _bends(table), (("fpr", table.fp), ("tpr", table.tp))
    if len(rows) > points:
        x, y = (_Rates(sums, rows) for _, sums in sides)
        few = len(rows) <= FEW  # for few rows, computing all rates at once is faster and takes little memory
        line = _Line(x[:], y[:], auc(table)) if few else _Line(x, y, auc(table))
        rows = _standing_out(rows, line, corners, points, AREA)
    columns = {name: threshold_rates.over(sums[rows], sums[-1]) for name, sums in sides}
    thresholds = thresholds_at(table, rows)
    return Curve("roc", thresholds, columns, x="fpr", y="tpr", higher_is_positive=table.higher_is_positive)


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
    assert table is not None  # guaranteed by _straight
    still = not all(((table.pos[part] > 0) | (table.neg[part] > 0)).all() for part in blocks(len(table)))
    # skip scores of weight 0, at which the curve does not move
    moves = np.flatnonzero((table.pos > 0) | (table.neg > 0)) if still else None
    pos, neg = (table.pos, table.neg) if moves is None else (table.pos[moves], table.neg[moves])
    if table.exact and int(pos.max(initial=0)) * int(neg.max(initial=0)) >= 2**62:
        pos, neg = pos.astype(object), neg.astype(object)
    if not len(table):
        return np.zeros(1, dtype=np.int64)
    single = moves is None and table.exact and len(table) == table.positives + table.negatives  # one case per score
    index = np.int32 if len(table) < 2**31 else np.int64
    # memory is committed only when written; collecting parts in a list would take twice as much
    bends, size = np.empty(len(pos) + 1, dtype=index), 1
    bends[0] = 0
    for part in blocks(len(pos) - 1):
        here, after = part, slice(part.start + 1, part.stop + 1)
        turns = pos[here] != pos[after] if single else pos[here] * neg[after] != pos[after] * neg[here]
        inner = np.flatnonzero(turns) + part.start
        inner = inner if moves is None else moves[inner]
        bends[size : size + len(inner)] = inner + 1  # ascending, strictly between the two end rows
        size += len(inner)
    bends[size] = len(table)
    return bends[: size + 1]


def _unit(curve: Curve, rows: Array) -> tuple[Array, Array]:
    """The drawn columns at these rows, on scales from 0 to 1."""
    return tuple(_scaled(column[rows]) for column in curve.xy)  # type: ignore[return-value]


def _scaled(values: Array) -> Array:
    low, high = values.min(), values.max()
    return np.asarray((values - low) / ((high - low) or 1.0))


class _Rates:
    """The rates of a table at some of its rows, computed where they are looked at."""

    def __init__(self, sums: Array, rows: Array) -> None:
        self.sums, self.rows, self.whole = sums, rows, sums[-1]

    def __getitem__(self, at: slice | Array) -> Array:
        return threshold_rates.over(self.sums[self.rows[at]], self.whole)


class _Line:
    """A polyline given by its points: the area under it, and what stands off a straight line between two of them."""

    def __init__(self, x: Array | _Rates, y: Array | _Rates, area: float | None = None) -> None:
        self.x, self.y = x, y
        self.seen: dict[int, tuple[float, float]] = {}
        if area is not None:
            self.area = area
            return
        whole = blocks(len(np.asarray(x)) - 1)  # in blocks, to avoid temporary columns as long as the line
        parts = (slice(part.start, part.stop + 1) for part in whole)
        self.area = sum(float(np.diff(x[part]) @ (y[part][:-1] + y[part][1:])) for part in parts) / 2

    def look_at(self, places: list[int]) -> None:
        """Keep some of its points, for `under`."""
        x, y = self.x[np.array(places)].tolist(), self.y[np.array(places)].tolist()
        self.seen.update(zip(places, zip(x, y, strict=True), strict=True))

    def under(self, first: int, last: int) -> float:
        """The area under a straight line between two points that were looked at."""
        (x, y), (x2, y2) = self.seen[first], self.seen[last]
        return (x2 - x) * (y + y2) / 2

    def furthest(self, first: int, last: int) -> tuple[float, int]:
        """How far off the line between two points that were looked at another stands at most, and which does."""
        ends, found = (self.seen[first], self.seen[last]), (-1.0, first)
        for part in blocks(last - first - 1):  # in blocks, to avoid temporary columns as long as the line
            inner = slice(first + 1 + part.start, first + 1 + part.stop)
            off = _off(self.x[inner], self.y[inner], *ends)
            best = int(off.argmax())
            found = max(found, (float(off[best]), inner.start + best), key=itemgetter(0))
        return max(found[0], 0.0) / (math.dist(*ends) or 1.0), found[1]


def _off(x: Array, y: Array, first: tuple[float, float], last: tuple[float, float]) -> Array:
    """How far each point is off the line between two others, times their distance; off the one point, if it is one."""
    run, rise = last[0] - first[0], last[1] - first[1]
    across, up = x - first[0], y - first[1]
    if not run and not rise:
        return np.hypot(across, up)
    up *= run
    across *= rise
    up -= across
    return np.abs(up, out=up)


def _standing_out(rows: Array, line: _Line, fixed: Array, points: int, within: float) -> Array:
    """The rows whose points on the line stand out, in Douglas-Peucker order, until enough and the area is right.

    The order begins with the ends and the fixed rows.
    """
    places = fixed.astype(rows.dtype)  # otherwise all rows would be converted
    positions = np.minimum(np.searchsorted(rows, places), len(rows) - 1)
    kept = sorted({0, *positions[rows[positions] == fixed].tolist(), len(rows) - 1})
    queue: list[tuple[float, int, int, int]] = []
    missing = line.area
    line.look_at(kept)
    for first, last in pairwise(kept):
        missing -= line.under(first, last)
        _offer(queue, line, first, last)
    chosen = set(kept)
    while queue and (len(chosen) < points or abs(missing) > within):
        _, first, best, last = heapq.heappop(queue)
        chosen.add(best)
        line.look_at([best])
        missing += line.under(first, last)
        for low, high in ((first, best), (best, last)):
            missing -= line.under(low, high)
            _offer(queue, line, low, high)
    return np.asarray(rows[sorted(chosen)])


def _offer(queue: list[tuple[float, int, int, int]], line: _Line, first: int, last: int) -> None:
    """Put the point that stands furthest off the line between two others into the queue, if any does."""
    off, best = line.furthest(first, last)
    if off > 0:
        heapq.heappush(queue, (-off, first, best, last))
