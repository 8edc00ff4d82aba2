"""Mean losses of the cases of a table and their spread, in one pass over the scores."""

from __future__ import annotations

from collections.abc import Callable
from math import fsum
from typing import NamedTuple

import numpy as np

from rocscope.curves.cached import once
from rocscope.curves.curve import Array
from rocscope.numbers import floats
from rocscope.table import ScoreTable
from rocscope.tally.packing import blocks

PIECE = 2**13  # scores at a time: within the cache, and too few for BLAS to wake its threads
WIDE = 2**15  # where BLAS has no part in it
LONG = 2**17  # scores from which on it pays to look for cases that stand alone
LEAST, MOST = 5e-324, 1 - 2.0**-53  # the numbers next to 0 and 1


class Loss(NamedTuple):
    """What a score costs, for a positive and for a negative; and for one case each, 1 where it is negative."""

    of_positive: Callable[[Array], Array]
    of_negative: Callable[[Array], Array]
    of_case: Callable[[Array, Array], Array]


def _log_of_case(scores: Array, negative: Array) -> Array:
    """-log of the probability given to what happened: one logarithm for a case, with 1 - s as exact as log1p has it.

    log(1 - s) = log g - ((g - 1) + s) / g for g = 1 - s as rounded: the second term is what rounding took.
    """
    given = np.abs(negative - scores)
    np.maximum(given, LEAST, out=given)
    taken: Array = given - 1
    taken += scores
    taken *= negative
    taken /= given
    taken -= np.log(given, out=given)
    return taken


SQUARES = Loss(lambda s: (1 - s) ** 2, lambda s: s**2, lambda s, negative: (1 - negative - s) ** 2)
# log 0 belongs to scores without such a case, where any finite number does
LOGS = Loss(lambda s: -np.log(np.maximum(s, LEAST)), lambda s: -np.log1p(-np.minimum(s, MOST)), _log_of_case)


class Losses(NamedTuple):
    """The mean loss, and sums over the cases of S, S (loss - centre), S (loss - centre)²: S are squared weights."""

    mean: float
    centre: float
    size: float
    first: float
    second: float

    def spread(self, about: float) -> float:
        """Σ S (loss - about)² over all cases."""
        off = about - self.centre
        return max(0.0, self.second - 2 * off * self.first + off * off * self.size)


@once
def squares(table: ScoreTable) -> Losses:
    """The squared errors of the probabilities."""
    return losses(table, SQUARES)


@once
def logs(table: ScoreTable) -> Losses:
    """The logarithmic losses; whether one of them has no end is for the caller to know."""
    return losses(table, LOGS)


def losses(table: ScoreTable, loss: Loss) -> Losses:
    """The losses of a table, summed up piece by piece.

    Squares are summed about the mean of an even sample, near enough to the mean of all to lose no digits.
    """
    centre = _sampled_mean(table, loss, len(table) // PIECE + 1)
    sums = np.array([_summed(table, rows, loss, centre) for rows in blocks(len(table), WIDE)])
    plain, first, second = (fsum(column) for column in sums.T.tolist())
    total = float(table.positives) + float(table.negatives)
    size = float(sum(column.sum(dtype=np.float64) for column in _squared(table))) if table.weighted else total
    return Losses(centre if len(table) < PIECE else centre + plain / total, centre, size, first, second)


def _summed(table: ScoreTable, rows: slice, loss: Loss, centre: float) -> tuple[float, float, float]:
    """Sums over the cases at some scores of w (loss - centre), S (loss - centre), S (loss - centre)²."""
    scores, plain, first, second = floats(table.scores[rows]), 0.0, 0.0, 0.0
    if len(table) >= LONG and not table.weighted and (table.pos[rows] + table.neg[rows] == 1).all():
        off = loss.of_case(scores, floats(table.neg[rows]))
        off -= centre
        plain = float(off.sum())
        return plain, plain, _dot(off, off)
    for weights, squared, of_one in zip((table.pos, table.neg), _squared(table), loss[:2], strict=True):
        weight, off = floats(weights[rows]), of_one(scores)
        off -= centre
        moved = _dot(weight, off)
        square = floats(squared[rows]) if table.weighted else weight
        plain, first = plain + moved, first + (_dot(square, off) if table.weighted else moved)
        off *= off
        second += _dot(square, off)
    return plain, first, second


def _dot(a: Array, b: Array) -> float:
    """The sum of products in this thread: BLAS would wake others for so few."""
    return float(np.einsum("i,i->", a, b))


def _squared(table: ScoreTable) -> tuple[Array, Array]:
    return (table.pos_squares, table.neg_squares) if table.weighted else (table.pos, table.neg)


def _sampled_mean(table: ScoreTable, loss: Loss, step: int) -> float:
    """The mean loss of the cases at every so manieth score; of all cases for a step of 1."""
    scores, pos, neg = (floats(column[::step]) for column in (table.scores, table.pos, table.neg))
    total = pos.sum() + neg.sum()
    if not total:
        return 0.0
    return float(((pos * loss.of_positive(scores)).sum() + (neg * loss.of_negative(scores)).sum()) / total)
