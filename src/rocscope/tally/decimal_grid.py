"""Scores on a grid are counted, not sorted: whole numbers of a small range, and decimals k / 10^d.

Rounded scores are common (0.123 in a CSV, shares of a hundred trees), and counting beats sorting there. A
sample is probed for the grid, then every row is verified: code = rint(score * 10^d) must give back code /
10^d == score, bit for bit. Equal scores have equal codes, and verified codes are equal only for equal scores,
so no tie is made or lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from rocscope.numbers import Array
from rocscope.tally.packed_keys import BLOCK, blocks

FEWEST = 2048
"""Below this many rows a sort costs less than the search for a grid."""

PROBES = 256
DECIMALS = 6


class DecimalGrid(NamedTuple):
    """The values (low + code) / scale for codes 0 <= code < size; scale is 1 for whole numbers."""

    low: int
    size: int
    scale: int
    dtype: np.dtype[Any]

    def values(self, codes: Array) -> Array:
        """The scores of the codes, in the type in which they came."""
        if self.dtype.kind != "f":
            wide = codes.astype(object) if self.low >= 2**62 else codes
            return (wide + self.low).astype(self.dtype)
        return ((codes + self.low) / self.scale).astype(self.dtype, copy=False)


def grid_of(scores: Array) -> DecimalGrid | None:
    """The grid that a sample of the scores lies on, if it has no more values than there are rows; else None.

    >>> grid_of(np.arange(3000) % 11 / 10)
    DecimalGrid(low=0, size=11, scale=10, dtype=dtype('float64'))
    """
    if len(scores) < FEWEST:
        return None
    scale = 1 if scores.dtype.kind != "f" else _decimal_scale(scores[probes(len(scores))])
    if scale == 0:
        return None
    ends = scores.min(), scores.max()
    if scores.dtype.kind == "f" and max(abs(float(end)) for end in ends) * scale >= 2**53:
        return None
    low, high = (int(end) if scale == 1 else round(float(end) * scale) for end in ends)
    size = high - low + 1
    return DecimalGrid(low, size, scale, scores.dtype) if size <= len(scores) else None


def probes(n: int) -> Array:
    """Rows to look at first: spread over all n, and without a period that the data could share."""
    return np.arange(PROBES) * 2654435761 % n


def _decimal_scale(sample: Array) -> int:
    """The least power of ten whose grid holds the sample, or 0: grids nest, so the finest is asked first."""
    if float(np.abs(sample).max()) * 10**DECIMALS >= 2**53 or not _on(sample, 10**DECIMALS):
        return 0
    scales: list[int] = [10**d for d in range(DECIMALS + 1)]
    return next(scale for scale in scales if _on(sample, scale))


def _on(sample: Array, scale: int) -> bool:
    near = np.rint(np.multiply(sample, scale, dtype=np.float64)) / scale
    return bool(np.array_equal(near.astype(sample.dtype), sample))


def grid_codes(scores: Array, grid: DecimalGrid) -> Iterator[tuple[slice, Array]]:
    """Block by block the rows and their codes; stops with an empty block where a score is not on the grid."""
    for rows in blocks(len(scores), max(BLOCK, 8 * grid.size)):
        part = scores[rows]
        codes = _decimal_codes(part, grid) if grid.dtype.kind == "f" else _whole_codes(part, grid)
        if codes is None:
            yield slice(0, 0), np.empty(0, dtype=np.int64)
            return
        yield rows, codes


def _whole_codes(part: Array, grid: DecimalGrid) -> Array:
    if grid.dtype == np.uint64:
        return (part - np.uint64(grid.low)).astype(np.int64)
    return np.subtract(part, grid.low, dtype=np.int64)


def _decimal_codes(part: Array, grid: DecimalGrid) -> Array | None:
    near = np.multiply(part, grid.scale, dtype=np.float64)
    np.rint(near, out=near)
    codes = near.astype(np.int64)
    near /= grid.scale
    if np.count_nonzero(near.astype(part.dtype, copy=False) == part) != len(part):
        return None
    codes -= grid.low
    return codes


def summed(scores: Array, mask: Array, columns: list[Array]) -> tuple[Array, list[Array]] | None:
    """Distinct scores rising, and over positives and over negatives the sum of each float64 column in turn.

    Without columns the rows are counted. None for scores on no small grid.
    """
    grid = grid_of(scores)
    if grid is None:
        return None
    size, each = 2 * grid.size, columns or (None,)
    sums: list[Array] = [np.zeros(size, dtype=np.float64 if columns else np.int64) for _ in each]
    seen = np.zeros(grid.size, dtype=bool)  # a score may be present with weight 0
    for rows, codes in grid_codes(scores, grid):
        if not len(codes):
            return None
        if columns:
            seen[codes] = True
        codes <<= 1
        codes |= mask[rows]
        for total, column in zip(sums, each, strict=True):
            total += np.bincount(codes, None if column is None else column[rows], size)
    used = np.flatnonzero(seen if columns else sums[0].reshape(-1, 2).any(axis=1))
    return grid.values(used), [found.reshape(-1, 2)[used, label] for found in sums for label in (1, 0)]
