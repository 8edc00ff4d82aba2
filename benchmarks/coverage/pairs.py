"""Two models on the same cases: the size of DeLong's test and the coverage of the interval of the difference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

import rocscope as rs
from benchmarks.coverage.areas import SEED, Tally, error_of, tallied
from benchmarks.coverage.models import SPREAD, Array, named

SIZES = ((10, 10), (10, 50), (25, 25), (100, 100))
EQUAL = (0.7, 0.8, 0.9, 0.95, 0.99)
UNEQUAL = ((0.8, 0.7), (0.9, 0.8), (0.95, 0.9), (0.99, 0.9))
CORRELATIONS = (0.0, 0.5, 0.9)
INTERVALS = ("floored", "delong")
ALPHA = 0.05
SWAPS = 999  # draws of the permutation test that is looked at beside DeLong's


@dataclass(frozen=True)
class Pair:
    """Two normal scores per case, correlated alike in both classes; the second may have more varied positives."""

    positives: int
    negatives: int
    first: float
    second: float
    correlation: float
    spread: float = 1.0

    @property
    def name(self) -> str:
        shape = "" if self.spread == 1 else ", unequal shapes"
        return f"{self.size}, AUC {self.first:g} and {self.second:g}, correlation {self.correlation:g}{shape}"

    @property
    def size(self) -> str:
        return f"{self.positives}/{self.negatives}"

    @property
    def gap(self) -> float:
        return self.first - self.second

    @property
    def critical(self) -> bool:
        """Equal areas of at most 0.8, where DeLong's test rejects most: they get more samples."""
        return self.first == self.second <= 0.8

    @property
    def seed(self) -> list[int]:
        parts = (self.first, self.second, self.correlation, self.spread)
        return [SEED, 100, self.positives, self.negatives, *(round(1e6 * x) for x in parts)]


def grid() -> tuple[Pair, ...]:
    """Pairs of equal areas, of equal areas with unlike shapes, and of unequal areas."""
    same = [Pair(*size, a, a, r) for size, a, r in product(SIZES, EQUAL, CORRELATIONS)]
    shaped = [Pair(*size, a, a, 0.5, SPREAD) for size, a in product(SIZES, (0.8, 0.95))]
    apart = [Pair(*size, a, b, r) for size, (a, b), r in product(SIZES, UNEQUAL, CORRELATIONS[1:])]
    return (*same, *shaped, *apart)


@dataclass(frozen=True)
class Outcome:
    """What DeLong's test and the two intervals did in one cell."""

    samples: int
    rejected: int
    swapped: int
    unseen: int
    tallies: dict[str, Tally]
    permuted: int = 0
    permuted_rejected: int = 0

    @property
    def size(self) -> float:
        return self.rejected / self.samples

    @property
    def error(self) -> float:
        return error_of(self.rejected, self.samples)

    @property
    def permuted_size(self) -> float:
        """The share of p <= 0.05 of the rank-swap permutation test; NaN where it was not run."""
        return self.permuted_rejected / self.permuted if self.permuted else math.nan


def scores(pair: Pair, samples: int) -> tuple[Array, Array, Array]:
    """The labels, and the scores of both models, samples x cases."""
    generator = np.random.default_rng(pair.seed)
    y = np.repeat([1, 0], [pair.positives, pair.negatives])
    shared, own = generator.normal(size=(2, samples, len(y)))
    other = pair.correlation * shared + math.sqrt(1 - pair.correlation**2) * own
    shift = named("binormal").solve(pair.first)
    width = math.sqrt((1 + pair.spread**2) / 2)
    second = y * width * named("binormal").solve(pair.second) + np.where(y == 1, pair.spread, 1.0) * other
    return y, y * shift + shared, second


def simulate(pair: Pair, samples: int, permuted: int = 0) -> Outcome:
    """The test and both intervals on the same samples; DeLong's own limits follow from its standard error.

    The first `permuted` samples are tested by rank-swap permutation too.
    """
    y, first, second = scores(pair, samples)
    found = [rs.significance.delong(y, a, b) for a, b in zip(first, second, strict=True)]
    p = np.array([one.p for one in found], dtype=float)
    floored = np.array([(one.value, one.low, one.high, one.se or math.nan) for one in found])
    half = rs.estimate.normal_quantile(0.95) * floored[:, 3]
    wald = floored.copy()
    wald[:, 1], wald[:, 2] = np.maximum(-1, wald[:, 0] - half), np.minimum(1, wald[:, 0] + half)
    width = floored[:, 2] - floored[:, 1]
    tallies = {
        name: tallied(rows, pair.gap, width, low=-1.0)
        for name, rows in zip(INTERVALS, (floored, wald), strict=True)
    }
    swapped = sum("rank swap" in one.method for one in found)
    unseen = sum(not one.se for one in found)
    beside = zip(first[:permuted], second[:permuted], strict=True)
    lesser = sum((rs.significance.rank_swap(y, a, b, draws=SWAPS).p or 0.0) <= ALPHA for a, b in beside)
    return Outcome(samples, int((p <= ALPHA).sum()), swapped, unseen, tallies, permuted, lesser)
