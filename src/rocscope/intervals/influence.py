"""Linearized statistics of a table: the influence of one more case at each score, and the resulting variance.

Slopes are made piece by piece of the table, so that a million scores stay in the processor's cache.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocscope.curves import Loss
from rocscope.numbers import beyond_log, floats
from rocscope.table import ScoreRun, ScoreTable, class_runs, entries

Array = NDArray[Any]
PIECE = 2**13  # fits in the processor cache, and is below 10,000, where BLAS starts its threads for every dot product


class Slopes(NamedTuple):
    """The derivatives of a statistic with respect to the weights of positives and negatives at each score."""

    up: Array
    down: Array


class EffectiveSizes(NamedTuple):
    """The effective numbers of positives and negatives: (Σw)²/Σw² with sampling weights, otherwise the counts."""

    positives: float
    negatives: float


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
    """The class that lacks the two cases a variance needs; '' if neither class does."""
    for count, name in zip(units(t), ("positive", "negative"), strict=True):
        if not count > 1:
            return f"there is only one {name}; the variance can be estimated only from at least two cases of each class"
    return ""


def units(t: ScoreTable) -> tuple[float, float]:
    """The numbers of cases that the variance is based on: rows with sampling weights, else the counts
    themselves.
    """
    return (float(t.rows[0]), float(t.rows[1])) if t.weighted else (float(t.positives), float(t.negatives))


# ---- statistics computed from slopes ----


def linear_variance(t: ScoreTable, linear: Linear, value: float, *, stratified: bool = True) -> float:
    """The linearized variance of a statistic: Σ w² (slope - mean slope)², by class or over all cases.

    If stratified (the default), the class sizes are fixed and each class is centered by itself, with the factor n/(n -
    1); otherwise cases are drawn regardless of class, and the slopes, which are those of a ratio, already have mean 0.
    For the AUC and weights of 1, this is DeLong's variance. NaN if there are fewer than two cases (of a class).
    """
    up, down = units(t)
    if why_no_spread(t) if stratified else not up + down > 1:
        return math.nan
    sums = np.zeros((2, 4))  # per class: Σw·slope, ΣS, ΣS·slope, ΣS·slope²
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
    whole = Slopes(np.empty(len(t)), np.empty(len(t)))
    for piece, slopes in linear(t, value):
        up, down = slopes if piece.each is None else (np.repeat(slope, piece.each) for slope in slopes)
        whole.up[piece.rows], whole.down[piece.rows] = up, down
    return whole


# ---- blocks of rows ----


def pieces(t: ScoreTable, *, backwards: bool = False) -> Iterator[ScoreRun]:
    """Yield the table in pieces, from the most positive scores down or from the last up."""
    starts = np.arange(0, len(t), PIECE)
    sums = _exact_sums(t) if t.exact else _added_up(t, starts)
    for start in (starts[::-1] if backwards else starts).tolist():
        rows = slice(start, min(start + PIECE, len(t)))
        yield ScoreRun(rows, floats(t.pos[rows]), floats(t.neg[rows]), *sums(rows))


def hit_pieces(t: ScoreTable) -> Iterator[ScoreRun]:
    """The table in pieces from the last up, scores of negatives alone put together with one of positives after them.

    That is for statistics that only see how many negatives are above each positive. A score that both classes have
    stands alone.
    """
    if t.weighted or not t.exact:
        yield from pieces(t, backwards=True)
        return
    for start in range((len(t) - 1) // PIECE * PIECE, -1, -PIECE):
        rows = slice(start, min(start + PIECE, len(t)))
        hit = t.pos[rows] > 0
        both = hit[1:] & (t.neg[start + 1 : rows.stop] > 0)
        begins = hit[:-1] | both if both.any() else hit[:-1]
        yield entries(t, np.concatenate(([start], np.flatnonzero(begins) + (start + 1), [rows.stop])))


def run_pieces(t: ScoreTable) -> Iterator[ScoreRun]:
    """Yield the table in pieces from the last up, also merging positives that no negative separates (`class_runs`)."""
    return pieces(t, backwards=True) if t.weighted or not t.exact else class_runs(t)


Sums = Callable[[slice], tuple[Array, Array]]
"""The cumulative positives and negatives at some rows."""


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
    """The sum of each entry and all after it; `after` is the sum beyond the last."""
    sums = np.empty_like(values)
    np.cumsum(values[::-1], out=sums[::-1])
    sums += after
    return sums


# ---- AUC ----


def auc_slopes(t: ScoreTable, value: float) -> Iterator[tuple[ScoreRun, Slopes]]:
    """(V - A)/P and (W - A)/N from the placements V and W of the cases (see `placements`)."""
    up, down = float(t.positives), float(t.negatives)
    for piece in run_pieces(t):
        beats, beaten, both = down - piece.alarms, piece.hits - piece.pos, piece.both
        beats[both] += piece.neg[both] / 2
        beaten[both] += piece.pos[both] / 2
        for placed, rest, own in ((beats, down, up), (beaten, up, down)):
            placed /= rest
            placed -= value
            placed /= own
        yield piece, Slopes(beats, beaten)


def placements(t: ScoreTable) -> Slopes:
    """The placement values V (negatives ranked below a positive at each score) and W (positives ranked above a
    negative).

    Ties count one half. Halves of counts are exact in floating point, so the only rounding is that of the final
    division. DeLong, DeLong & Clarke-Pearson, Biometrics 1988;44:837-845.
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

    One more case changes the piece of its own group, and those of all groups that follow.
    """
    total, more, less = float(t.positives), 0.0, 0.0
    for piece in run_pieces(t):
        both = piece.both
        own, tied, by_hits, by_alarms = _pr_group(piece, both)
        raised, lowered = _from(by_hits, more), _from(by_alarms, less)
        more, less = float(raised[0]), float(lowered[0])
        own -= value
        own += raised
        own -= by_hits
        own /= total
        lowered[both] += (tied - by_alarms)[both]
        lowered /= total
        yield piece, Slopes(own, lowered)


def _pr_group(piece: ScoreRun, both: Array) -> tuple[Array, Array, Array, Array]:
    """How a group's piece of the PR area changes with its own p, its own n (of `both`), and with T and F above it.

    With S = T + F above the group, c = (p + n)/p, E = S + p + n and L = log(E/S) the integrals of 1/D², x/D² and
    x²/D², D = S + cx, are closed forms, simple ones where n = 0; the first group (S = 0) has the piece p²/(p + n).
    """
    p, n, tied = piece.pos, piece.neg[both], np.zeros(len(piece.pos))
    tp, fp, size = piece.hits - p, piece.alarms.copy(), p.copy()
    fp[both] -= n
    size[both] += n
    start = tp + fp
    nothing = np.flatnonzero(start == 0)
    start[nothing] = 1.0
    end = start + size
    r, own = size / start, piece.hits / end
    beyond, bent, flat = beyond_log(r), r * size / end, p / (start * end)
    tilt = bent - beyond  # ∫ x / D² = L - r / (1 + r) for r = E/S - 1
    by_hits, by_alarms = fp * flat, tp * -flat
    if len(both):
        c = size[both] / p[both]
        tilt[both] /= c * c
        bend = start[both] * (2 * beyond - bent)[both] / (c * c * c)
        turn = tp[both] * tilt[both] + bend  # ∫ (T + x) x / D²
        own[both] += n / p[both] ** 2 * turn
        tied[both] = -turn / p[both]
        by_hits[both] += n / p[both] * tilt[both]
    by_alarms -= tilt
    by_hits[nothing] = by_alarms[nothing] = 0.0
    first = nothing[p[nothing] > 0]
    share = p[first] / size[first]
    own[first], tied[first] = share * (2 - share), -share * share
    return own, tied, by_hits, by_alarms


# ---- means over cases ----


def mean_slopes(loss: Loss) -> Linear:
    """The slopes of a mean over cases of a loss determined by score and class."""

    def linear(t: ScoreTable, value: float) -> Iterator[tuple[ScoreRun, Slopes]]:
        total = float(t.positives) + float(t.negatives)
        for piece in pieces(t):
            # ignore an infinite loss at a score where the class has no cases
            losses = loss.finite(floats(t.scores[piece.rows]))
            up, down = (np.where(w > 0, lost - value, 0.0) for w, lost in zip(piece[1:3], losses, strict=True))
            yield piece, Slopes(up / total, down / total)

    return linear
