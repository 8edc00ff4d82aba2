"""Fewer points for drawing: which rows of a curve to keep so that nobody sees, or measures, a difference."""

from __future__ import annotations

import heapq
from itertools import pairwise

import numpy as np

from rocscope.curves.corners import corners
from rocscope.curves.curve import Array, Curve
from rocscope.curves.declaration import declared
from rocscope.errors import RocscopeError
from rocscope.table import ScoreTable

AREA = 1e-5


def kept_rows(curve: Curve, points: int, *, area: float = AREA) -> Array:
    """The rows of a thinned curve.

    On curves that are straight in the counts, rows on a straight piece go without loss, found in whole numbers. Then
    the Douglas-Peucker order adds the rows that stand out most, from the hull's corners on, until there are `points`
    and the drawn area is right to `area`. Rows next to undefined ones stay.
    """
    if points < 2:
        raise RocscopeError(f"{points} points; a curve needs at least 2")
    fixed, open_rows = _ends(curve), _drawn(curve)
    rows = _bends(curve.table) if _straight(curve) else np.arange(len(curve))
    rows = rows[open_rows[rows]]
    if _on_table(curve) and curve.table is not None:
        fixed = np.union1d(fixed, corners(curve.table))
    if len(rows) > points:
        rows = _standing_out(*_unit(curve, rows), np.isin(rows, fixed), rows, points, area)
    return np.union1d(rows, _ends(curve))


def _drawn(curve: Curve) -> Array:
    x, y = curve.xy
    return np.isfinite(x) & np.isfinite(y)


def _ends(curve: Curve) -> Array:
    """First and last row, and both sides of every change between defined and undefined."""
    turns = np.flatnonzero(np.diff(_drawn(curve).astype(np.int8)))
    return np.unique(np.concatenate(([0, len(curve) - 1], turns, turns + 1)))


def _on_table(curve: Curve) -> bool:
    """Whether the rows of the curve are the rows of its table."""
    return curve.table is not None and len(curve) == len(curve.table) + 1 and curve.steps


def _straight(curve: Curve) -> bool:
    facts = declared().get(curve.kind)
    return facts is not None and facts.linear and _on_table(curve)


def _bends(table: ScoreTable | None) -> Array:
    """Rows where the ROC curve changes its direction, by an exact test: neighbours' cross product is not 0."""
    assert table is not None  # _straight asked for it
    pos, neg = table.pos, table.neg
    if table.exact and int(pos.max(initial=0)) * int(neg.max(initial=0)) >= 2**62:
        pos, neg = pos.astype(object), neg.astype(object)
    turns = pos[:-1] * neg[1:] != pos[1:] * neg[:-1]
    return np.concatenate(([0], np.flatnonzero(turns) + 1, [len(table)]))


def _unit(curve: Curve, rows: Array) -> tuple[Array, Array]:
    """The drawn columns at these rows, on scales from 0 to 1."""
    return tuple(_scaled(column[rows]) for column in curve.xy)  # type: ignore[return-value]


def _scaled(values: Array) -> Array:
    low, high = values.min(), values.max()
    return np.asarray((values - low) / ((high - low) or 1.0))


def _standing_out(x: Array, y: Array, fixed: Array, rows: Array, points: int, within: float) -> Array:
    """The rows in Douglas-Peucker order until there are enough and the area is right, of those given."""
    pieces = np.diff(x) * (y[:-1] + y[1:]) / 2
    area = np.concatenate(([0.0], np.cumsum(pieces)))
    kept = sorted({0, len(x) - 1, *np.flatnonzero(fixed).tolist()})
    queue: list[tuple[float, int, int, int]] = []
    error = 0.0
    for first, last in pairwise(kept):
        error += _missing_area(x, y, area, first, last)
        _offer(queue, x, y, first, last)
    chosen = set(kept)
    while queue and (len(chosen) < points or abs(error) > within):
        _, first, best, last = heapq.heappop(queue)
        chosen.add(best)
        error -= _missing_area(x, y, area, first, last)
        for low, high in ((first, best), (best, last)):
            error += _missing_area(x, y, area, low, high)
            _offer(queue, x, y, low, high)
    return rows[sorted(chosen)]


def _missing_area(x: Array, y: Array, area: Array, first: int, last: int) -> float:
    """The area that a straight line from first to last leaves out."""
    return float(area[last] - area[first] - (x[last] - x[first]) * (y[first] + y[last]) / 2)


def _offer(queue: list[tuple[float, int, int, int]], x: Array, y: Array, first: int, last: int) -> None:
    """Put the row that stands furthest off the line between two others into the queue, if any does."""
    if last - first < 2:
        return
    run, rise = x[last] - x[first], y[last] - y[first]
    across, up = x[first + 1 : last] - x[first], y[first + 1 : last] - y[first]
    length = float(np.hypot(run, rise))
    off = np.abs(up * run - across * rise) / length if length else np.hypot(across, up)
    best = int(off.argmax())
    if off[best] > 0:
        heapq.heappush(queue, (-float(off[best]), first, first + 1 + best, last))
