"""Sums over cases: of a number that each case has, and of what shows whether scores are probabilities.

Sums of disjoint cases add, in whatever order, so a mean and its spread need no more than one look at each case.
"""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.multiclass.case_losses import log_losses, loss_if, squared_losses
from rocscope.numbers import Array, floats
from rocscope.record import record

SUM_TOLERANCE = 1e-6  # tolerance for the sum of a row of probabilities; float32 softmax outputs are within it
MOST_DECIMALS = 6  # maximum number of decimals of rounded probabilities, for which the tolerance is larger
LOSSES = {"log_loss": log_losses, "brier": squared_losses}


@record(slots=True)
class CaseSums:
    """Sums over cases with value x and weight w: the sums of 1, w, w², wx, wx², w²x and w²x².

    `stated` holds the sums of w E(x) and of w E(x²) that the stated probabilities imply. Infinite numbers are counted,
    not added; `lost` is the row of the first one.

    >>> mean = CaseSums.of(np.array([0.0, 1.0]), np.ones(2)) + CaseSums.of(np.array([2.0]), np.ones(1))
    >>> mean.value, mean.cases, round(mean.variance, 4)
    (1.0, 3.0, 1.0)
    """

    rows: int = 0
    mass: float = 0.0
    mass_squares: float = 0.0
    total: float = 0.0
    squares: float = 0.0
    heavy_total: float = 0.0
    heavy_squares: float = 0.0
    stated: tuple[float, float] | None = None
    infinite: int = 0
    lost: int = -1

    @classmethod
    def of(
        cls, each: Array, mass: Array, *, stated: tuple[Array, Array] | None = None, repeats: Array | None = None,
        squares: Array | None = None,
    ) -> CaseSums:  # fmt: skip
        """The sums of a number for each case; `stated` gives its expected value and expected square for each case.

        `repeats` is the number of cases that each row represents; `mass` is then their total weight, and `squares` is
        the sum of their squared weights, which are assumed to be equal unless given.
        """
        wrong = ~np.isfinite(each)
        x = np.where(wrong, 0.0, each) if wrong.any() else floats(each)
        heavy, moment = squares, x * x
        if heavy is None:
            heavy = mass * mass if repeats is None else mass * mass / repeats
        expected = None if stated is None else (float(mass @ stated[0]), float(mass @ stated[1]))
        lost = int(wrong.argmax()) if wrong.any() else -1
        return cls(
            len(x) if repeats is None else int(repeats.sum()),
            float(mass.sum()), float(heavy.sum()), float(mass @ x), float(mass @ moment), float(heavy @ x),
            float(heavy @ moment), expected, int(wrong.sum()), lost,
        )  # fmt: skip

    def __add__(self, other: CaseSums) -> CaseSums:
        named = [field.name for field in fields(self) if field.name not in ("stated", "lost")]
        both = {name: getattr(self, name) + getattr(other, name) for name in named}
        stated = None
        if self.stated is not None and other.stated is not None:
            stated = (self.stated[0] + other.stated[0], self.stated[1] + other.stated[1])
        elif not self.rows or not other.rows:
            stated = self.stated if self.rows else other.stated
        lost = self.lost if self.lost >= 0 or other.lost < 0 else self.rows + other.lost
        return CaseSums(**both, stated=stated, lost=lost)

    @property
    def value(self) -> float:
        """The mean; infinite if any value is."""
        if self.infinite:
            return math.inf
        return self.total / self.mass if self.mass else math.nan

    @property
    def cases(self) -> float:
        """The effective number of cases: (Σ w)² / Σ w²."""
        return self.mass**2 / self.mass_squares if self.mass_squares else 0.0

    @property
    def variance(self) -> float:
        """The variance of the value over the cases."""
        if self.rows < 2:
            return 0.0
        centered = max(0.0, self.squares / self.mass - self.value**2)
        return centered * self.rows / (self.rows - 1)

    @property
    def spread(self) -> float:
        """The variance of the mean: Σ w² (x - mean)² / (Σ w)²."""
        if self.rows < 2:
            return 0.0
        v = self.value
        centered = max(0.0, self.heavy_squares - 2 * v * self.heavy_total + v * v * self.mass_squares)
        return centered / self.mass**2 * self.rows / (self.rows - 1)

    @property
    def expected(self) -> tuple[float, float] | None:
        """The mean and variance of the value of a case if the stated probabilities are correct."""
        if self.stated is None or not self.mass:
            return None
        mean = self.stated[0] / self.mass
        return mean, max(0.0, self.stated[1] / self.mass - mean * mean)


@record(slots=True)
class KnownMean:
    """Sums of a value that some cases lack (NaN): over the cases that have it, and the number of cases that do not.

    `zero_one` states that all are 0 or 1, so their mean is a share of cases.

    >>> half = KnownMean.of(np.array([0.0, 1.0, np.nan]), np.ones(3))
    >>> half.sums.value, half.left_out, (half + half).sums.rows
    (0.5, 1, 4)
    """

    sums: CaseSums
    left_out: int
    zero_one: bool

    @classmethod
    def of(cls, each: Array, mass: Array, *, repeats: Array | None = None, squares: Array | None = None) -> KnownMean:
        """The sums from the value and the weight of each case, or of each row that represents several cases."""
        known = np.isfinite(each)
        repeated, heavy = (None if column is None else column[known] for column in (repeats, squares))
        sums = CaseSums.of(each[known], mass[known], repeats=repeated, squares=heavy)
        lost = int((~known).sum() if repeats is None else repeats[~known].sum())
        return cls(sums, lost, bool(np.isin(each[known], (0.0, 1.0)).all()))

    def __add__(self, other: KnownMean) -> KnownMean:
        return KnownMean(self.sums + other.sums, self.left_out + other.left_out, self.zero_one and other.zero_one)


@record(slots=True, eq=False)
class CaseMoments:
    """Sums of several numbers x of each case, one for each model, and of their products, weighted by w and w².

    Sums of disjoint cases can be added, and they give the covariance of the means, so that models can be compared on
    the same cases.

    >>> day = CaseMoments.of(np.array([[0.0, 1.0, 2.0], [0.0, 2.0, 4.0]]), np.ones(3))
    >>> (day + day).means.tolist(), day.covariance.round(4).tolist()
    ([1.0, 2.0], [[0.3333, 0.6667], [0.6667, 1.3333]])
    """

    rows: int
    mass: float
    mass_squares: float
    totals: Array
    heavy_totals: Array
    products: Array

    @classmethod
    def of(cls, each: Array, mass: Array) -> CaseMoments:
        """The sums of an array of models x cases; if a number is not finite, there is no covariance."""
        heavy = mass * mass
        with np.errstate(invalid="ignore"):
            products = (each * heavy) @ each.T
        return cls(len(mass), float(mass.sum()), float(heavy.sum()), each @ mass, each @ heavy, products)

    def __add__(self, other: CaseMoments) -> CaseMoments:
        return CaseMoments(*(getattr(self, part.name) + getattr(other, part.name) for part in fields(self)))

    @property
    def means(self) -> Array:
        """The mean of each number."""
        return np.asarray(self.totals / self.mass)

    @property
    def covariance(self) -> Array:
        """The covariance of the means: Σ w² (x - mean)(x - mean)ᵀ / (Σ w)²."""
        if self.rows < 2:
            return np.full(self.products.shape, math.nan)
        with np.errstate(invalid="ignore"):  # of infinite losses
            mean = self.means
            cross = np.outer(self.heavy_totals, mean)
            centered = self.products - cross - cross.T + self.mass_squares * np.outer(mean, mean)
            return np.asarray(centered / self.mass**2 * self.rows / (self.rows - 1))


def loss_sums(name: str, codes: Array, probabilities: Array, mass: Array) -> CaseSums:
    """The sums of "log_loss" or "brier", with those to be expected from the stated probabilities."""
    losses = loss_if(probabilities, name)
    known = np.where(probabilities > 0, losses, 0.0)
    stated = (probabilities * known).sum(axis=1), (probabilities * known * known).sum(axis=1)
    return CaseSums.of(LOSSES[name](codes, probabilities), mass, stated=stated)


# ---- probabilities ----


@record(slots=True)
class ShareRange:
    """The range of scores and the worst row sum, which show whether they are class probabilities.

    >>> ShareRange.of(np.array([[0.5, 0.6, 0.1]])).why
    'probabilities do not sum to 1: row 0 sums to 1.2'
    """

    low: float = math.inf
    high: float = -math.inf
    off: float = 0.0
    tolerance: float = 0.0
    rows: int = 0
    worst: int = 0
    total: float = 1.0

    @classmethod
    def of(cls, scores: Any) -> ShareRange:
        """The range of a matrix with a row for each case."""
        if not len(scores):
            return cls()
        sums = floats(scores).sum(axis=1)
        off = np.abs(sums - 1)
        row = int(off.argmax())
        low, high = float(scores.min()), float(scores.max())
        return cls(low, high, float(off[row]), _tolerance(scores), len(scores), row, float(sums[row]))

    def __add__(self, other: ShareRange) -> ShareRange:
        if not self.rows or not other.rows:
            return self if self.rows else other
        worst = (self.worst, self.total) if self.off >= other.off else (self.rows + other.worst, other.total)
        return ShareRange(
            min(self.low, other.low), max(self.high, other.high), max(self.off, other.off),
            max(self.tolerance, other.tolerance), self.rows + other.rows, *worst,
        )  # fmt: skip

    @property
    def why(self) -> str:
        """The reason why the scores are not probabilities; empty if they are."""
        if self.low < 0 or self.high > 1:
            return f"probabilities from {self.low:g} to {self.high:g}; they must lie between 0 and 1"
        if self.off > self.tolerance:
            return f"probabilities do not sum to 1: row {self.worst} sums to {self.total:g}"
        return ""

    def check(self) -> None:
        """Raise an error that names the worst row if the scores are not probabilities."""
        if self.why:
            raise RocscopeError(self.why)


def _tolerance(scores: Any) -> float:
    """How far a sum may be from 1: with so many decimals printed, half a unit of the last one for each class."""
    sample = np.asarray(scores[:1000], dtype=np.float64)
    for decimals in range(1, MOST_DECIMALS + 1):
        if np.abs(sample - np.round(sample, decimals)).max() < 1e-12:
            return max(SUM_TOLERANCE, 0.5 * 10.0**-decimals * int(scores.shape[1]) + 1e-12)
    return SUM_TOLERANCE


def check_probabilities(scores: Any) -> None:
    """Raise an error that names the worst row if rows are not probabilities (outside 0 to 1, or not summing to 1)."""
    ShareRange.of(scores).check()


def are_probabilities(scores: Any) -> bool:
    """Whether every row contains class probabilities: from 0 to 1, with a sum of 1 up to rounding.

    >>> are_probabilities(np.array([[0.333, 0.333, 0.333]])), are_probabilities(np.array([[0.5, 0.6, 0.1]]))
    (True, False)
    """
    return not ShareRange.of(scores).why
