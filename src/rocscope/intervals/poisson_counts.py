"""Counts of cases drawn with replacement, without drawing most of the cases.

How it works. Poisson numbers, one for each cell with a mean in proportion to its cases, are a resample of as many cases
as they add up to: given their sum, they are multinomial. So cells get Poisson numbers that add up to a few cases less
than the resample asks for, and the cases still missing are drawn one by one: 4 √n of n. A Poisson number is looked up:
of 2^11 equally likely places in a table, each count has as many as its probability fills; the few places that are left
stand for what rounding cut off and are decided by a second draw. The counts are distributed as those of drawn cases,
to the precision of floats. Where the numbers add up to too much, that resample is drawn anew, case by case.
Measured: 5 to 6 times as fast as drawing and counting 10,000 or 1,000,000 cases.
Reference: Devroye 1986, Non-Uniform Random Variate Generation, chapter XI.2 (multinomial from Poisson numbers).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
PLACES = 2**11  # number of entries per lookup table, a power of two up to 2^16
LARGEST = 64  # maximum number of cases in a cell whose counts are looked up; NumPy draws the counts of larger cells
UNSURE = 255  # marks a table entry that does not determine the count
ROOM = 4.0  # standard deviations by which the expected sum of the Poisson counts stays below the size of the resample
FINE = 46  # number of random bits in a second draw; with the table index as integer part they still fit in a float
FOURFOLD = 0x0001000100010001  # repeats 16 bits four times in a 64-bit word


class Workspace:
    """Reusable arrays: allocating new memory takes as long as the drawing."""

    def __init__(self) -> None:
        self._arrays: dict[str, Array] = {}

    def array(self, name: str, rows: int, columns: int, dtype: Any = np.int64) -> Array:
        """The array of that name with its last content, initially zeros."""
        known = self._arrays.get(name)
        if known is None or len(known) < rows:
            known = self._arrays[name] = np.zeros((rows, columns), dtype=dtype)
        return known[:rows]


class PoissonCounts:
    """Cells of cases of one class, ready to be drawn with replacement.

    `spread` is the variance of the sizes of the resamples, 0 if all have the original number of cases.
    """

    def __init__(self, counts: Array, spread: float = 0.0) -> None:
        self.size, self.total = len(counts), int(counts.sum())
        filled = np.flatnonzero(counts)
        cases = counts[filled]
        rate = max(0.0, 1 - ROOM * math.sqrt(self.total + spread) / self.total)
        large = cases > LARGEST
        kinds, self.kind = np.unique(np.where(large, 0, cases), return_inverse=True)
        self.filled, self.large, self.means = _evenly(filled), filled[large], cases[large] * rate
        self.table, self.rest = _tables(kinds * rate)
        self.offset = self.kind * PLACES
        self.cell_of = np.repeat(filled, cases)

    def draw(self, generator: np.random.Generator, sizes: Array, space: Workspace | None = None) -> Array:
        """Counts per cell (resamples x cells) of `sizes` cases each.

        In a workspace, they are valid until the next draw.
        """
        counts = self._numbers(generator, len(sizes), space or Workspace())
        missing = sizes - counts.sum(1)
        for row in np.flatnonzero(missing < 0).tolist():
            counts[row], missing[row] = 0, sizes[row]
        cells = self.cell_of.take(generator.integers(0, self.total, int(missing.sum())))
        cells += np.repeat(np.arange(len(sizes)) * self.size, missing)
        np.add.at(counts.reshape(-1), cells, 1)
        return counts

    def _numbers(self, generator: np.random.Generator, resamples: int, space: Workspace) -> Array:
        """Draw a Poisson number for each cell of each resample."""
        width = len(self.kind)
        words: Any = generator.bit_generator.random_raw(resamples * width // 4 + 1)
        words &= np.uint64((PLACES - 1) * FOURFOLD)
        places = space.array("places", resamples, width)
        np.add(words.view(np.uint16)[: resamples * width].reshape(resamples, width), self.offset, out=places)
        found = space.array("found", resamples, width, np.uint8)
        # indices are always within the table; mode="raise" would make a copy
        self.table.take(places, out=found, mode="wrap")
        self._decide(generator, found.reshape(-1), width)
        if width == self.size:
            counts = places
            counts[...] = found
        elif resamples == 1:
            counts = space.array("counts", 1, self.size)
            counts[0, self.filled] = found[0].astype(np.int64)  # 2.5 times as fast as indexing in two dimensions
        else:
            counts = space.array("counts", resamples, self.size)
            counts[:, self.filled] = found
        if len(self.large):
            counts[:, self.large] = generator.poisson(self.means, (resamples, len(self.large)))
        return counts

    def _decide(self, generator: np.random.Generator, found: Array, width: int) -> None:
        """Draw the counts at table positions that represent the remainder lost by rounding."""
        unsure = np.flatnonzero(found == UNSURE)
        kind = self.kind[unsure % width]
        above = generator.integers(0, 2**FINE, len(unsure)) * 2.0**-FINE
        found[unsure] = np.searchsorted(self.rest, kind + above, side="right") - kind * UNSURE


def _evenly(columns: Array) -> Array | slice:
    """Columns as a slice if they are evenly spaced, which is three times as fast."""
    steps = np.diff(columns)
    if len(steps) and (steps == steps[0]).all():
        return slice(int(columns[0]), int(columns[-1]) + 1, int(steps[0]))
    return columns


def _tables(means: Array) -> tuple[Array, Array]:
    """For each mean a row of places with their counts; and the distribution of the unsure ones, one above the other."""
    counts = np.arange(UNSURE)
    logs = np.concatenate(([0.0], np.cumsum(np.log(counts[1:]))))
    exact: Array = PLACES * np.exp(counts * np.log(np.maximum(means, 1e-300))[:, None] - means[:, None] - logs)
    whole = np.floor(exact).astype(np.int64)
    table = np.full((len(means), PLACES), UNSURE, dtype=np.uint8)
    for row, many in zip(table, whole, strict=True):
        row[: many.sum()] = np.repeat(counts, many)
    rest: Array = np.cumsum(exact - whole, axis=1)
    rest /= np.maximum(rest[:, -1:], 1e-300)
    return table.reshape(-1), (rest + np.arange(len(means))[:, None]).reshape(-1)
