"""What the hull of one table shows about its scores: calibrated probabilities (PAV), and where the ranking is
reversed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rocscope.hull.corners import Array, corner_rows
from rocscope.numbers import FITS, plain, quotient
from rocscope.record import record
from rocscope.table import ScoreTable


class IsotonicBlock(NamedTuple):
    """Scores that share one calibrated probability, from the most positive score to the least."""

    start: Any
    end: Any
    pos: Any
    neg: Any
    probability: float

    @property
    def weight(self) -> Any:
        """The weight of the cases in the block."""
        return self.pos + self.neg

    @property
    def exact(self) -> Fraction:
        """The probability as a fraction."""
        return Fraction(self.pos) / Fraction(self.weight)


@record(slots=True)
class Isotonic:
    """Isotonic calibration: `blocks` run from the most positive down, and `values` are the calibrated probabilities of
    `scores`.
    """

    blocks: tuple[IsotonicBlock, ...]
    scores: Any
    values: Any

    def __repr__(self) -> str:
        return f"Isotonic({len(self.blocks)} blocks of {len(self.scores):,} scores)"


def pav(t: ScoreTable) -> Isotonic:
    """The calibrated probability of each score: the share of positives in its block of the hull.

    The blocks are the segments of the convex hull of the curve; p = positives / (positives + negatives) in each. These
    are the values of isotonic regression by pooling adjacent violators. Fawcett & Niculescu-Mizil 2007, Machine
    Learning 68:97.

    >>> t = ScoreTable(scores=np.array([0.9, 0.8, 0.7, 0.2]), pos=np.array([1, 0, 1, 0]), neg=np.array([0, 1, 0, 1]))
    >>> pav(t).values.tolist()
    [1.0, 0.5, 0.5, 0.0]
    """
    rows, pos, neg = pools(t)
    # entry i of the table lies between points i and i + 1 of the curve
    ends = ((t.scores[a].item(), t.scores[b - 1].item()) for a, b in pairwise(rows.tolist()))
    sides = zip(ends, pos.tolist(), neg.tolist(), strict=True)
    blocks = tuple(IsotonicBlock(*end, p, n, quotient(p, p + n)) for end, p, n in sides)
    values = np.repeat([block.probability for block in blocks], np.diff(rows))
    values.flags.writeable = False
    return Isotonic(blocks, t.scores, values)


def pools(t: ScoreTable) -> tuple[Array, Array, Array]:
    """The blocks of pooled scores, from the most positive down: the rows they end at, their positives and negatives."""
    rows = corner_rows(t)
    return rows, np.diff(t.tp[rows]), np.diff(t.fp[rows])


class Concavity(NamedTuple):
    """A section of the curve below its hull: the thresholds and rates of the corners, and the area lost."""

    start: Any
    end: Any
    fpr: tuple[float, float]
    tpr: tuple[float, float]
    area: float
    words: str


def concavities(t: ScoreTable) -> tuple[Concavity, ...]:
    """The sections of the curve below its hull, from the most positive scores down; () if there are none.

    The areas lost add up to the hull area minus the AUC. Flach & Wu 2005, Repairing concavities in ROC curves, IJCAI.

    >>> t = ScoreTable(scores=np.array([0.9, 0.8, 0.7, 0.2]), pos=np.array([1, 0, 1, 0]), neg=np.array([0, 1, 0, 1]))
    >>> [dip.words for dip in concavities(t)]
    ['Scores under 0.9 down to 0.7 rank worse than chance: the hull adds 0.125 to the area there.']
    """
    return tuple(_dips(t)) if t.positives and t.negatives else ()


def _dips(t: ScoreTable) -> Iterator[Concavity]:
    x, y = t.fp, t.tp
    whole = 2 * plain(x[-1]) * plain(y[-1])
    if t.exact and whole >= FITS:
        x, y = x.astype(object), y.astype(object)
    strips = (x[1:] - x[:-1]) * (y[1:] + y[:-1])
    for a, b in pairwise(corner_rows(t).tolist()):
        lost = (x[b] - x[a]) * (y[b] + y[a]) - strips[a:b].sum()
        # with float weights, a loss within rounding error is not a dip
        if b > a + 1 and lost > (0 if t.exact else 1e-12 * whole):
            yield _dip(t, a, b, quotient(plain(lost), whole))


def _dip(t: ScoreTable, a: int, b: int, area: float) -> Concavity:
    start, end = t.thresholds[a].item(), t.thresholds[b].item()
    fpr, tpr = (
        (quotient(plain(sums[a]), total), quotient(plain(sums[b]), total))
        for sums, total in ((t.fp, plain(t.fp[-1])), (t.tp, plain(t.tp[-1])))
    )
    side, way = ("under", "down") if t.higher_is_positive else ("over", "up")
    first = f"Scores {side} {start:g} {way}" if math.isfinite(start) else f"The first scores {way}"
    words = f"{first} to {end:g} rank worse than chance: the hull adds {area:.4g} to the area there."
    return Concavity(start, end, fpr, tpr, area, words)
