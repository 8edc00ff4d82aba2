"""Two columns of codes counted against each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.errors import RocscopeError
from rocscope.tally.packing import BLOCK, blocks
from rocscope.tally.sums import roomy

Array = NDArray[Any]

MANY = 2048
"""With so many rows per cell a table of pairs of cells is worth its making."""


def cross(actual_codes: Array, predicted_codes: Array, k: int, weights: Array | None = None) -> Array:
    """The k x k matrix of cases (or weights) by actual class (rows) and predicted class (columns).

    Counts are int64; integer weights are summed exactly, in Python integers when the total could pass 2^62;
    float weights are summed in blocks, which keeps rounding near 1e-14 relative however many rows there are.

    >>> cross(np.array([0, 1, 1]), np.array([0, 1, 0]), 2)
    array([[1, 0],
           [1, 1]])
    """
    if len(actual_codes) != len(predicted_codes):
        raise RocscopeError(f"actual has {len(actual_codes)} rows, but predicted has {len(predicted_codes)}")
    if len(actual_codes) and max(int(actual_codes.max()), int(predicted_codes.max())) >= k:
        raise RocscopeError(f"codes go beyond the {k} classes")
    if weights is not None:
        return _weighted(actual_codes, predicted_codes, k, roomy(weights))
    if k == 2 and actual_codes.dtype == predicted_codes.dtype == np.uint8:
        return _two_by_two(actual_codes, predicted_codes)
    if k <= 16 and len(actual_codes) >= MANY * k * k:
        return _by_two_rows(actual_codes, predicted_codes, k)
    cells = np.zeros(k * k, dtype=np.int64)
    for _, places in _cells(actual_codes, predicted_codes, k):
        cells += np.bincount(places, minlength=k * k)
    return cells.reshape(k, k)


def _by_two_rows(actual: Array, predicted: Array, k: int) -> Array:
    """The matrix by counting two rows at a time: the cell numbers of neighbours, a byte each, read as one number.

    That is half as many numbers to count, and fewer of them add to the counter that the last one is still adding to.
    """
    even, size = len(actual) & ~1, 256 * k * k
    both = np.zeros(size, dtype=np.int64)
    for _, places in _cells(actual[:even], predicted[:even], k, max(4 * BLOCK, 4 * size)):
        both += np.bincount(places.view(np.uint16), minlength=size)
    table = both.reshape(k * k, 256)
    cells: Array = table.sum(axis=1) + table.sum(axis=0)[: k * k]  # the one neighbour, and the other
    for row in range(even, len(actual)):
        cells[int(actual[row]) * k + int(predicted[row])] += 1
    return cells.reshape(k, k)


def _cells(actual: Array, predicted: Array, k: int, block: int = BLOCK) -> Iterator[tuple[slice, Array]]:
    """Block by block the rows and the flat cell number of each."""
    narrow = np.dtype(np.uint8 if k <= 16 else np.uint16 if k <= 256 else np.int64)
    for rows in blocks(len(actual), max(block, 4 * k * k)):
        places: Array = actual[rows].astype(narrow)
        places *= narrow.type(k)
        places += predicted[rows].astype(narrow, copy=False)
        yield rows, places


def _two_by_two(actual: Array, predicted: Array) -> Array:
    positive, alarms = int(np.count_nonzero(actual)), int(np.count_nonzero(predicted))
    both = int(np.count_nonzero(actual & predicted))
    return np.array(
        [[len(actual) - positive - alarms + both, alarms - both], [positive - both, both]], dtype=np.int64
    )


def _weighted(actual: Array, predicted: Array, k: int, weights: Array) -> Array:
    cells = np.zeros(k * k, dtype=weights.dtype)
    kind = weights.dtype.kind
    if kind == "f" or (kind != "O" and float(weights.sum(dtype=np.float64)) < 2**52):
        for rows, places in _cells(actual, predicted, k):
            found = np.bincount(places, weights=weights[rows], minlength=k * k)
            cells += found.astype(weights.dtype, copy=False)
    else:
        for rows, places in _cells(actual, predicted, k):
            np.add.at(cells, places, weights[rows])
    return cells.reshape(k, k)
