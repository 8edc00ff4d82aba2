"""The geometry of the hull: which points of a curve, or of a set of points, are corners of its upper hull.

Whole-number coordinates are decided exactly: in int64 where every product provably fits, in Python integers
beyond. Float coordinates (sums of float weights) count as collinear within their own rounding error.

How it works. Points under the chords of an even sample of the curve are not corners, and on a long curve most runs
between two points of the sample are represented by the upper left corner of their box (5 million points: 49 instead
of 90 ms; below LONG it does not pay). Rounds that delete every point under the chord of its neighbors do the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.numbers import FITS
from rocscope.table import ScoreTable, once
from rocscope.tally import distinct

Array = NDArray[Any]
Number = Any  # a Python integer, or a float when weights are floats

FEW = 600  # number of points below which the sequential algorithm is faster than another vectorized round
ROUNDS = 40
CELLS = 512
LONG = 2**21  # number of points from which pruning by boxes pays off
STEP, PARTS = 2**8, 2**4  # distance between sampled points, and the number of parts each such run is split into
EPSILON = float(np.finfo(np.float64).eps)


def curve_corners(x: Array, y: Array) -> Array:
    """The positions of the corners of the upper hull of a curve that never falls, both ends included.

    A point on or under the chord of two others is no corner, so whole rounds of such points can be deleted at once,
    and when a round finds none the rest is the hull. What is left after some rounds goes through the classic chain.
    Andrew 1979, Information Processing Letters 9:216.

    >>> curve_corners(np.array([0, 0, 1, 2, 2]), np.array([0, 1, 1, 1, 2])).tolist()
    [0, 1, 4]
    """
    if len(x) < 2:
        return np.arange(len(x))
    exact = x.dtype != np.float64 and y.dtype != np.float64
    fits = exact and x.dtype != object and y.dtype != object and int(x[-1]) * int(y[-1]) < FITS
    kept = _above_boxes(x, y) if fits and len(x) >= LONG else np.arange(len(x))
    kept = kept[_rising_then_running(x[kept], y[kept])] if len(kept) < len(x) else _rising_then_running(x, y)
    under = _under_exact if fits else _surely_under if exact else _under_rounded(x[-1], y[-1])
    kept, settled = _thinned(x, y, kept, under)
    if settled and (fits or not exact):
        return kept
    slack = None if exact else (float(x[-1]), float(y[-1]))
    return kept[chain(x[kept].tolist(), y[kept].tolist(), slack)]


def chain(x: Sequence[Number], y: Sequence[Number], slack: tuple[Number, Number] | None = None) -> list[int]:
    """The positions of the corners of the upper hull of points sorted by x, then y.

    `slack` is the width and height against which float coordinates were rounded, None for exact ones.
    """
    kept: list[int] = []
    for new in range(len(x)):
        while len(kept) > 1 and not _turns_right(x, y, kept[-2], kept[-1], new, slack):
            kept.pop()
        kept.append(new)
    return kept


def _turns_right(
    x: Sequence[Number], y: Sequence[Number], a: int, b: int, c: int, slack: tuple[Number, Number] | None
) -> bool:
    right, up = x[b] - x[a], y[b] - y[a]
    next_right, next_up = x[c] - x[b], y[c] - y[b]
    turn = right * next_up - up * next_right
    if slack is None:
        return bool(turn < 0)
    return bool(turn < -_rounding(slack, abs(right) + abs(next_right), abs(up) + abs(next_up)))


def _rounding(size: tuple[Number, Number], run: Any, rise: Any) -> Any:
    """How far rounding may move a cross product: each coordinate is off by a few units of its last place."""
    return 8 * EPSILON * (size[0] * rise + size[1] * run)


# ---- vectorized rounds ----

Test = Callable[[Array, Array, Array, Array], Array]
"""(run, rise) to a point and (run, rise) from it -> is it on or under the chord?"""


def _thinned(x: Array, y: Array, kept: Array, under: Test) -> tuple[Array, bool]:
    """The points that rounds of deletion leave, and whether the last round found nothing to delete."""
    if len(kept) > 8 * CELLS:
        kept = _above_sample(x, y, kept, under)
    for _ in range(ROUNDS):
        if len(kept) <= FEW:
            break
        run, rise = np.diff(x[kept]), np.diff(y[kept])
        gone = under(run[:-1], rise[:-1], run[1:], rise[1:])
        if not gone.any():
            return kept, True
        kept = kept[np.concatenate(([True], ~gone, [True]))]
    return kept, False


def _above_sample(x: Array, y: Array, kept: Array, under: Test) -> Array:
    """The points that lie above the hull of an even sample of them: mostly very few."""
    sample = np.linspace(0, len(kept) - 1, CELLS).astype(np.int64)
    positions = kept[sample]
    corners = sample[chain(x[positions].tolist(), y[positions].tolist())]
    sizes = np.diff(corners)
    left, right = np.repeat(kept[corners[:-1]], sizes), np.repeat(kept[corners[1:]], sizes)
    inner = kept[:-1]
    gone = under(x[inner] - x[left], y[inner] - y[left], x[right] - x[inner], y[right] - y[inner])
    gone[corners[:-1]] = False
    return np.concatenate((inner[~gone], kept[-1:]))


def _under_exact(run: Array, rise: Array, next_run: Array, next_rise: Array) -> Array:
    return run * next_rise >= rise * next_run


def _surely_under(run: Array, rise: Array, next_run: Array, next_rise: Array) -> Array:
    """Whole numbers too large for int64 products: only what floats decide beyond doubt is deleted."""
    a, b, c, d = (part.astype(np.float64) for part in (run, rise, next_run, next_rise))
    left, right = a * d, b * c
    return left - right > 8 * EPSILON * (left + right)


def _under_rounded(width: Number, height: Number) -> Test:
    def under(run: Array, rise: Array, next_run: Array, next_rise: Array) -> Array:
        turn = run * next_rise - rise * next_run
        return turn >= -_rounding((width, height), run + next_run, rise + next_rise)  # type: ignore[no-any-return]

    return under


def _rising_then_running(x: Array, y: Array) -> Array:
    """The ends and the points where the curve comes from below and goes on to the right: no other is a corner."""
    run, rise = x[1:] > x[:-1], y[1:] > y[:-1]
    moved = run | rise
    if moved.all():
        return np.concatenate(([0], np.flatnonzero(rise[:-1] & run[1:]) + 1, [len(x) - 1]))
    # repeated points would come between the two steps, so drop duplicates
    positions = np.flatnonzero(np.concatenate(([True], moved)))
    return positions if len(positions) < 3 else positions[_rising_then_running(x[positions], y[positions])]


# ---- boxes: a run of a long curve is bounded by one corner ----


def _above_boxes(x: Array, y: Array) -> Array:
    """The corners of the hull of an even sample of whole-number points, and all points above that hull."""
    sample = np.append(np.arange(0, len(x) - 1, STEP), len(x) - 1)
    corners = sample[curve_corners(x[sample], y[sample])]
    points, step = sample[:-1], STEP
    while True:
        side = np.searchsorted(corners, points, side="right") - 1  # hull edge above each point
        left, right, last = corners[side], corners[side + 1], np.minimum(points + step, len(x) - 1) - 1
        run, rise = x[right] - x[left], y[right] - y[left]
        above = points[(y[last] - y[left]) * run > (x[points] - x[left]) * rise]
        if step == 1:
            return _first_reached(x, y, np.sort(np.concatenate((corners, above))))
        step //= PARTS
        points = (above[:, None] + step * np.arange(PARTS)).ravel()
        points = points[points < len(x) - 1]


def _first_reached(x: Array, y: Array, points: Array) -> Array:
    """The points in order, each moved to the first that stands there: scores of weight 0 repeat one."""
    inner = points[1:]
    again = (y[inner] == y[inner - 1]) & (x[inner] == x[inner - 1])
    if not again.any():
        return points
    first = np.maximum(*(np.searchsorted(sums, sums[inner], side="left") for sums in (y, x)))
    return distinct([0], first)


# ---- corners of a table ----


@once
def corner_rows(t: ScoreTable) -> Array:
    """The rows of `t.along()` that are corners of the ROC hull, "predict nothing" and "predict everything" included.

    >>> corner_rows(ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1]))
    array([0, 1, 2, 3])
    """
    if not t.positives or not t.negatives:  # no ROC curve with a single class
        return np.array([0, len(t)] if len(t) else [0])
    rows = curve_corners(t.fp, t.tp)
    rows[0], rows[-1] = 0, len(t)  # include scores of weight 0 at either end
    rows.flags.writeable = False
    return rows
