"""Statistics of a table made linear: how much one more case at each score moves them, and the variance that follows.

Slopes are made piece by piece of the table, so that a million scores stay in the processor's cache.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocscope.curves import Loss
from rocscope.numbers import floats
from rocscope.table import ScoreTable

Array = NDArray[Any]
PIECE = 2**13  # within the cache, and short of 10,000, from where on BLAS wakes its threads for every dot product


class Slopes(NamedTuple):
    """The derivative of a statistic by the weight of the positives, and of the negatives, at each score."""

    up: Array
    down: Array


class EffectiveSizes(NamedTuple):
    """How many cases the classes count for: (Σw)²/Σw² with sampling weights, else their number."""

    positives: float
    negatives: float


class ScoreRun(NamedTuple):
    """Some neighboring scores: their rows, weights, and the totals up to and with each of them.

    Where an entry stands for several scores with one slope, `each` says for how many.
    """

    rows: slice
    pos: Array
    neg: Array
    hits: Array
    alarms: Array
    each: Array | None = None


Linear = Callable[[ScoreTable, float], Iterator[tuple[ScoreRun, Slopes]]]
"""The slopes of a statistic with that value on a table, piece by piece. One more case of weight dw adds slope * dw."""


def effective_sizes(t: ScoreTable) -> EffectiveSizes:
    """The effective number of positives and negatives (Kish)."""
    up, down = float(t.positives), float(t.negatives)
    if not t.weighted:
        return EffectiveSizes(up, down)
    squares = (float(floats(t.pos_squares).sum()), float(floats(t.neg_squares).sum()))
    return EffectiveSizes(*(x * x / square if square else 0.0 for x, square in zip((up, down), squares, strict=True)))


def why_no_spread(t: ScoreTable) -> str:
    """'' when both classes have the two cases that a variance needs, else which has not."""
    for count, name in zip(units(t), ("positive", "negative"), strict=True):
        if not count > 1:
            return f"one {name} alone has no spread: the variance needs two cases of each class"
    return ""


def units(t: ScoreTable) -> tuple[float, float]:
    """The numbers of cases whose spread is seen: rows with sampling weights, else the counts themselves."""
    return (float(t.rows[0]), float(t.rows[1])) if t.weighted else (float(t.positives), float(t.negatives))


# ---- what follows from slopes ----


def linear_variance(t: ScoreTable, linear: Linear, value: float, *, stratified: bool = True) -> float:
    """The linearized variance of a statistic: Σ w² (slope - mean slope)², by class or over all cases.

    Stratified (the default) the class sizes are fixed and each class is centered by itself, with its n/(n - 1); else
    cases are drawn whatever their class, and the slopes, which are those of a ratio, have mean 0 as they are. For the
    AUC and weights of 1 this is DeLong's variance. NaN with fewer than two cases (of a class).
    """
    up, down = units(t)
    if why_no_spread(t) if stratified else not up + down > 1:
        return math.nan
    sums = np.zeros((2, 4))  # of each class: Σw·slope, ΣS, ΣS·slope, ΣS·slope²
    for piece, slopes in linear(t, value):
        for side, weight, squares, slope in zip(sums, piece[1:3], _squares(t, piece), slopes, strict=True):
            times = squares * slope
            linear_sum = times.sum()
            plain = (weight @ slope, squares.sum()) if t.weighted else (linear_sum, 0.0)
            side += (*plain, linear_sum, times @ slope)
    totals = float(t.positives), float(t.negatives)
    if not t.weighted:
        sums[:, 1] = totals
    if not stratified:
        return float(sums[:, 3].sum()) * (up + down) / (up + down - 1)
    spread = 0.0
    for (plain, square, linear_sum, quadratic), total, count in zip(sums, totals, (up, down), strict=True):
        mean = plain / total
        spread += max(0.0, quadratic - 2 * mean * linear_sum + mean * mean * square) * count / (count - 1)
    return float(spread)


def _squares(t: ScoreTable, piece: ScoreRun) -> tuple[Array, Array]:
    if t.weighted:
        return floats(t.pos_squares[piece.rows]), floats(t.neg_squares[piece.rows])
    return piece.pos, piece.neg


def skewness(sides: Iterable[tuple[Array, Array]], *, centered: bool = True) -> float:
    """The acceleration of the BCa interval: Σu³ / (6 (Σu²)^1.5) over the influence values u of all cases.

    `sides` are the values of some cases and how many cases have each; each side is taken about its own mean.
    """
    squares = cubes = 0.0
    for values, count in sides:
        total = float(count.sum())
        off = values - (count @ values) / total if centered and total else values
        squares += float(count @ off**2)
        cubes += float(count @ off**3)
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0


def collected(t: ScoreTable, linear: Linear, value: float) -> Slopes:
    """The slopes of a statistic at all scores."""
    found = Slopes(np.empty(len(t)), np.empty(len(t)))
    for piece, slopes in linear(t, value):
        up, down = slopes if piece.each is None else (np.repeat(one, piece.each) for one in slopes)
        found.up[piece.rows], found.down[piece.rows] = up, down
    return found


# ---- pieces ----


def pieces(t: ScoreTable, *, backwards: bool = False) -> Iterator[ScoreRun]:
    """The table in pieces, from the most positive scores down or from the last up."""
    starts = np.arange(0, len(t), PIECE)
    sums = _exact_sums(t) if t.exact else _added_up(t, starts)
    for start in (starts[::-1] if backwards else starts).tolist():
        rows = slice(start, min(start + PIECE, len(t)))
        yield ScoreRun(rows, floats(t.pos[rows]), floats(t.neg[rows]), *sums(rows))


def hit_pieces(t: ScoreTable) -> Iterator[ScoreRun]:
    """The table in pieces from the last up, scores without a positive put together with the next one that has some.

    That is for statistics that only see how many negatives are above each positive.
    """
    if t.weighted or not t.exact:
        yield from pieces(t, backwards=True)
        return
    for start in range((len(t) - 1) // PIECE * PIECE, -1, -PIECE):
        rows = slice(start, min(start + PIECE, len(t)))
        ends = np.flatnonzero(t.pos[rows.start : rows.stop - 1] > 0)  # the last row ends an entry in any case
        marks = np.concatenate(([start], ends + (start + 1), [rows.stop]))
        hits, alarms = floats(t.tp[marks]), floats(t.fp[marks])
        yield ScoreRun(rows, np.diff(hits), np.diff(alarms), hits[1:], alarms[1:], np.diff(marks))


Sums = Callable[[slice], tuple[Array, Array]]
"""The positives and the negatives up to and with each of some rows."""


def _exact_sums(t: ScoreTable) -> Sums:
    def sums(rows: slice) -> tuple[Array, Array]:
        after = slice(rows.start + 1, rows.stop + 1)
        return t.tp[after].astype(np.float64), t.fp[after].astype(np.float64)

    return sums


def _added_up(t: ScoreTable, starts: Array) -> Sums:
    """Sums of decimals, pairwise up to each piece: these keep more digits than one running sum."""
    columns = floats(t.pos), floats(t.neg)
    before = [_until(np.add.reduceat(weights, starts)) for weights in columns] if len(t) else []

    def sums(rows: slice) -> tuple[Array, Array]:
        hits, alarms = (np.cumsum(weights[rows]) for weights in columns)
        hits += before[0][rows.start // PIECE]
        alarms += before[1][rows.start // PIECE]
        return hits, alarms

    return sums


def _until(values: Array) -> Array:
    """The sum of the entries strictly before each."""
    return np.cumsum(values) - values


def _from(values: Array, after: float) -> Array:
    """The sum of each entry and all after it, `after` being what follows the last."""
    found = np.empty_like(values)
    np.cumsum(values[::-1], out=found[::-1])
    found += after
    return found


# ---- AUC ----


def auc_slopes(t: ScoreTable, value: float) -> Iterator[tuple[ScoreRun, Slopes]]:
    """(V - A)/P and (W - A)/N from the placements V and W of the cases (see `placements`)."""
    up, down = float(t.positives), float(t.negatives)
    for piece in pieces(t):
        beats, beaten = down - piece.alarms, piece.hits - piece.pos / 2
        beats += piece.neg / 2
        for places, others, own in ((beats, down, up), (beaten, up, down)):
            places /= others
            places -= value
            places /= own
        yield piece, Slopes(beats, beaten)


def placements(t: ScoreTable) -> Slopes:
    """V: the share of negatives that a positive at each score beats; W: of positives that beat a negative there.

    Ties count one half. Halves of counts are exact, so nothing is lost before the one division.
    DeLong, DeLong & Clarke-Pearson, Biometrics 1988;44:837-845.
    """
    pos, neg = floats(t.pos), floats(t.neg)
    up, down = float(t.positives), float(t.negatives)
    return Slopes((down - np.cumsum(neg) + neg / 2) / down, (np.cumsum(pos) - pos / 2) / up)


# ---- precision and recall ----


def average_precision_slopes(t: ScoreTable, value: float) -> Iterator[tuple[ScoreRun, Slopes]]:
    """The derivative of AP = (1/P) Σ p_g T_g/(T_g + F_g) by each weight, T and F counting the group itself.

    One more hit raises its own precision's share and the precision of all that follow; one more alarm lowers it.
    """
    total, more, less = float(t.positives), 0.0, 0.0
    for piece in hit_pieces(t):
        flagged = np.maximum(piece.hits + piece.alarms, 1e-300)
        share = piece.pos / (flagged * flagged)
        raised, lowered = _from(share * piece.alarms, more), _from(share * piece.hits, less)
        more, less = float(raised[0]), float(lowered[0])
        own = np.divide(piece.hits, flagged, out=flagged)
        own -= value
        own += raised
        own /= total
        lowered /= -total
        yield piece, Slopes(own, lowered)


def pr_area_slopes(t: ScoreTable, value: float) -> Iterator[tuple[ScoreRun, Slopes]]:
    """The derivative of the exact PR area (1/P) Σ ∫_0^p (T + x)/(T + x + F + xn/p) dx by each weight.

    With S = T + F above the group, h = n/p, c = 1 + h, E = S + cp and L = log(E/S) the integrals of 1/D², x/D² and
    x²/D², D = S + cx, are closed forms; the first group (S = 0) has the piece p²/(p + n).
    """
    total, more, less = float(t.positives), 0.0, 0.0
    for piece in pieces(t, backwards=True):
        adds = np.flatnonzero(piece.pos)
        own, later = _pr_group(*(column[adds] for column in piece[1:5]))
        found = []
        for mine, others, after in zip(own, later, (more, less), strict=True):
            wide = np.zeros((2, len(piece.pos)))
            wide[0, adds], wide[1, adds] = mine, others
            sums = _from(wide[1], after)
            found.append((wide[0] + sums - wide[1], float(sums[0])))
        (up, more), (down, less) = found
        yield piece, Slopes((up - value) / total, down / total)


def _pr_group(p: Array, n: Array, hits: Array, alarms: Array) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """How a group's piece of the PR area changes with its own p and n, and with T and F above it."""
    tp, fp, size = hits - p, alarms - n, p + n
    first = tp + fp == 0
    start = np.where(first, 1.0, tp + fp)
    c, end = size / p, start + size
    log = np.log1p(size / start)
    flat, tilt = p / (start * end), (log - size / end) / c**2
    bend = (size - 2 * start * log + start * (size / end)) / c**3
    turn = tp * tilt + bend  # ∫ (T + x) x / D²
    own_up = np.where(first, (p * p + 2 * p * n) / size**2, (tp + p) / end + n / p**2 * turn)
    own_down = np.where(first, -(p * p) / size**2, -turn / p)
    by_hits = np.where(first, 0.0, fp * flat + (c - 1) * tilt)
    by_alarms = np.where(first, 0.0, -(tp * flat + tilt))
    return (own_up, own_down), (by_hits, by_alarms)


# ---- means over cases ----


def mean_slopes(loss: Loss) -> Linear:
    """The slopes of a mean over cases of a loss that the score and the class decide."""

    def linear(t: ScoreTable, value: float) -> Iterator[tuple[ScoreRun, Slopes]]:
        total = float(t.positives) + float(t.negatives)
        for piece in pieces(t):
            # an infinite loss at a score that no case of the class has is no loss
            losses = loss.finite(floats(t.scores[piece.rows]))
            up, down = (np.where(w > 0, one - value, 0.0) for w, one in zip(piece[1:3], losses, strict=True))
            yield piece, Slopes(up / total, down / total)

    return linear
