"""Statistics of a table made linear: how much one more case at each score moves them, and the variance that follows."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocscope.table import ScoreTable

Array = NDArray[Any]


class Slopes(NamedTuple):
    """The derivative of a statistic by the weight of the positives, and of the negatives, at each score."""

    up: Array
    down: Array


class Sizes(NamedTuple):
    """How many cases the classes count for: (Σw)²/Σw² with sampling weights, else their number."""

    positives: float
    negatives: float


def floats(values: Any) -> Array:
    """float64 of counts, weights or Python integers of any size."""
    return np.asarray(values, dtype=np.float64)


def sizes(t: ScoreTable) -> Sizes:
    """The effective number of positives and negatives (Kish)."""
    up, down = float(t.positives), float(t.negatives)
    if not t.weighted:
        return Sizes(up, down)
    squares = (float(floats(t.pos_squares).sum()), float(floats(t.neg_squares).sum()))
    return Sizes(*(x * x / square if square else 0.0 for x, square in zip((up, down), squares, strict=True)))


def why_no_spread(t: ScoreTable) -> str:
    """'' when both classes have the two cases that a variance needs, else which has not."""
    for count, name in zip(_units(t), ("positive", "negative"), strict=True):
        if not count > 1:
            return f"one {name} alone has no spread: the variance needs two of each class"
    return ""


def _units(t: ScoreTable) -> tuple[float, float]:
    """The numbers of cases whose spread is seen: rows with sampling weights, else the counts themselves."""
    return (float(t.rows[0]), float(t.rows[1])) if t.weighted else (float(t.positives), float(t.negatives))


def variance(t: ScoreTable, slopes: Slopes, *, stratified: bool = True) -> float:
    """The linearised variance of a statistic: Σ w² (slope - mean slope)², by class or over all cases.

    Stratified (the default) the class sizes are fixed and each class is centred by itself, with its n/(n - 1); else
    cases are drawn whatever their class. For the AUC and weights of 1 this is DeLong's variance. NaN with fewer than
    two cases (of a class).
    """
    up, down = _units(t)
    if why_no_spread(t) if stratified else not up + down > 1:
        return math.nan
    first, second = centred(t, slopes, stratified=stratified)
    squares = _squares(t)
    spread = float(squares[0] @ first**2), float(squares[1] @ second**2)
    if stratified:
        return spread[0] * up / (up - 1) + spread[1] * down / (down - 1)
    return (spread[0] + spread[1]) * (up + down) / (up + down - 1)


def centred(t: ScoreTable, slopes: Slopes, *, stratified: bool = True) -> Slopes:
    """The slopes less their mean over the cases of the class, or over all cases: the influence of one case."""
    pos, neg = floats(t.pos), floats(t.neg)
    sums = float(pos @ slopes.up), float(neg @ slopes.down)
    totals = float(pos.sum()), float(neg.sum())
    if stratified:
        return Slopes(slopes.up - sums[0] / totals[0], slopes.down - sums[1] / totals[1])
    mean = (sums[0] + sums[1]) / (totals[0] + totals[1])
    return Slopes(slopes.up - mean, slopes.down - mean)


def _squares(t: ScoreTable) -> tuple[Array, Array]:
    if t.weighted:
        return floats(t.pos_squares), floats(t.neg_squares)
    return floats(t.pos), floats(t.neg)


def skewness(t: ScoreTable, slopes: Slopes, *, stratified: bool = True) -> float:
    """The acceleration of the BCa interval: Σu³ / (6 (Σu²)^1.5) over the influence values u of all cases."""
    up, down = centred(t, slopes, stratified=stratified)
    pos, neg = floats(t.pos), floats(t.neg)
    squares = float(pos @ up**2 + neg @ down**2)
    cubes = float(pos @ up**3 + neg @ down**3)
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0


def _until(values: Array) -> Array:
    """The sum of the entries strictly before each, in table order."""
    return np.cumsum(values) - values


def _from(values: Array) -> Array:
    """The sum of each entry and all after it."""
    return np.cumsum(values[::-1])[::-1]


# ---- AUC ----


def placements(t: ScoreTable) -> Slopes:
    """V: the share of negatives that a positive at each score beats; W: of positives that beat a negative there.

    Ties count one half. Whole numbers until the one division, so nothing overflows or is lost before it.
    DeLong, DeLong & Clarke-Pearson, Biometrics 1988;44:837-845.
    """
    pos, neg = (_roomy(weights) for weights in (t.pos, t.neg))
    beaten = 2 * neg.sum() - 2 * np.cumsum(neg) + neg
    beating = 2 * np.cumsum(pos) - pos
    return Slopes(floats(beaten) / (2 * floats(neg.sum())), floats(beating) / (2 * floats(pos.sum())))


def _roomy(weights: Any) -> Array:
    """Weights whose doubled sums fit their type: int64 below 2^61, Python integers as they are, else float64."""
    if weights.dtype == np.int64 and float(weights.sum(dtype=np.float64)) >= 2**61:
        return floats(weights)
    return np.asarray(weights)


def auc_slopes(t: ScoreTable) -> Slopes:
    """The derivative of the AUC by each weight, up to a constant per class: V/P and W/N."""
    above, below = placements(t)
    return Slopes(above / float(t.positives), below / float(t.negatives))


# ---- precision and recall ----


def average_precision_slopes(t: ScoreTable) -> Slopes:
    """The derivative of AP = (1/P) Σ p_g T_g/(T_g + F_g) by each weight, T and F counting the group itself."""
    pos, neg = floats(t.pos), floats(t.neg)
    hits, alarms = np.cumsum(pos), np.cumsum(neg)
    flagged, total = hits + alarms, float(pos.sum())
    precision = hits / flagged
    value = float(pos @ precision) / total
    more = _from(pos * alarms / flagged**2)  # one more hit here raises the precision of all that follow
    less = -_from(pos * hits / flagged**2)
    return Slopes((precision - value + more) / total, less / total)


def pr_area_slopes(t: ScoreTable) -> Slopes:
    """The derivative of the exact PR area (1/P) Σ ∫_0^p (T + x)/(T + x + F + xn/p) dx by each weight.

    With S = T + F above the group, h = n/p, c = 1 + h, E = S + cp and L = log(E/S) the integrals of 1/D, 1/D², x/D²
    and x²/D², D = S + cx, are closed forms; the first group (S = 0) has the piece p²/(p + n).
    """
    pos, neg = floats(t.pos), floats(t.neg)
    adds = np.flatnonzero(pos > 0)
    p, n = pos[adds], neg[adds]
    tp, fp = _until(pos)[adds], _until(neg)[adds]
    above, size = tp + fp, p + n
    first = above == 0
    start = np.where(first, 1.0, above)
    c, end = size / p, start + size
    log = np.log1p(size / start)
    flat, tilt = size / (c * start * end), (log - size / end) / c**2
    bend = (size - 2 * start * log + start * (size / end)) / c**3
    turn = tp * tilt + bend  # ∫ (T + x) x / D²
    own_up = np.where(first, (p * p + 2 * p * n) / size**2, (tp + p) / end + n / p**2 * turn)
    own_down = np.where(first, -(p * p) / size**2, -turn / p)
    by_hits = np.where(first, 0.0, fp * flat + (c - 1) * tilt)
    by_alarms = np.where(first, 0.0, -(tp * flat + tilt))
    piece = np.where(first, p * p / size, (tp * log + (size - start * log) / c) / c)
    total = float(pos.sum())
    value = float(piece.sum()) / total
    up, down = (_spread(own, later, adds, len(pos)) for own, later in ((own_up, by_hits), (own_down, by_alarms)))
    return Slopes((up - value) / total, down / total)


def _spread(own: Array, later: Array, places: Array, size: int) -> Array:
    """What one more case at each score does to its own group and to all later ones."""
    mine, others = np.zeros(size), np.zeros(size)
    mine[places], others[places] = own, later
    return mine + _from(others) - others


# ---- means over cases ----


def mean_slopes(t: ScoreTable, of_positive: Array, of_negative: Array) -> Slopes:
    """The derivative of a mean over cases of a loss known for a positive and a negative at each score."""
    pos, neg = floats(t.pos), floats(t.neg)
    total = float(pos.sum() + neg.sum())
    used_up, used_down = np.where(pos > 0, of_positive, 0.0), np.where(neg > 0, of_negative, 0.0)
    mean = float(pos @ used_up + neg @ used_down) / total
    return Slopes((used_up - mean) / total, (used_down - mean) / total)
