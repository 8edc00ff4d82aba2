"""Two columns of codes counted against each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.numbers import Array
from rocscope.tally.exact_sums import roomy
from rocscope.tally.packed_keys import BLOCK, blocks

MANY = 2048
"""With this many rows per cell, building a table of pairs of cells pays off."""


def cross(actual_codes: Array, predicted_codes: Array, k: int, weights: Array | None = None) -> Array:
    """The k x k matrix of cases (or weights) by actual class (rows) and predicted class (columns).

    Counts are int64; integer weights are summed exactly, in Python integers when the total could exceed 2^62;
    float weights are summed in blocks, which keeps the relative rounding error near 1e-14, however many rows there are.

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
    if k == 2:
        return _two_by_two(actual_codes, predicted_codes)
    if k <= 16 and len(actual_codes) >= MANY * k * k:
        return _by_two_rows(actual_codes, predicted_codes, k)
    cells = np.zeros(k * k, dtype=np.int64)
    for _, cell_numbers in _cells(actual_codes, predicted_codes, k):
        cells += np.bincount(cell_numbers, minlength=k * k)
    return cells.reshape(k, k)


def _by_two_rows(actual: Array, predicted: Array, k: int) -> Array:
    """The matrix by counting two rows at a time: the cell numbers of neighbors, a byte each, read as one number.

    That is half as many numbers to count, and fewer of them add to the counter that the last one is still adding to.
    """
    even, size = len(actual) & ~1, 256 * k * k
    both, wide = np.zeros(size, dtype=np.int64), np.empty(BLOCK // 2, dtype=np.intp)
    for _, cell_numbers in _cells(actual[:even], predicted[:even], k):
        pairs = wide[: len(cell_numbers) // 2]
        pairs[:] = cell_numbers.view(np.uint16)  # otherwise bincount would allocate a wide copy in every iteration
        both += np.bincount(pairs, minlength=size)
    table = both.reshape(k * k, 256)
    cells: Array = table.sum(axis=1) + table.sum(axis=0)[: k * k]  # both members of each pair
    for row in range(even, len(actual)):
        cells[int(actual[row]) * k + int(predicted[row])] += 1
    return cells.reshape(k, k)


def _cells(actual: Array, predicted: Array, k: int) -> Iterator[tuple[slice, Array]]:
    """Block by block the rows and the flat cell number of each, in memory that the next block uses again."""
    narrow = np.dtype(np.uint8 if k <= 16 else np.uint16 if k <= 256 else np.int64)
    size = max(BLOCK, 4 * k * k)
    ours, other = (np.empty(min(size, len(actual)), dtype=narrow) for _ in range(2))
    for rows in blocks(len(actual), size):
        cell_numbers, guess = ours[: rows.stop - rows.start], other[: rows.stop - rows.start]
        np.copyto(cell_numbers, actual[rows], casting="unsafe")
        np.copyto(guess, predicted[rows], casting="unsafe")
        cell_numbers *= narrow.type(k)
        cell_numbers += guess
        yield rows, cell_numbers


def _two_by_two(actual: Array, predicted: Array) -> Array:
    positive, alarms, both = 0, 0, 0
    for rows in blocks(len(actual)):
        truth, guess = actual[rows].astype(np.uint8, copy=False), predicted[rows].astype(np.uint8, copy=False)
        positive += int(np.count_nonzero(truth))
        alarms += int(np.count_nonzero(guess))
        both += int(np.count_nonzero(truth & guess))
    return np.array([[len(actual) - positive - alarms + both, alarms - both], [positive - both, both]], dtype=np.int64)


def _weighted(actual: Array, predicted: Array, k: int, weights: Array) -> Array:
    cells = np.zeros(k * k, dtype=weights.dtype)
    kind = weights.dtype.kind
    if kind == "f" or (kind != "O" and float(weights.sum(dtype=np.float64)) < 2**52):
        for rows, cell_numbers in _cells(actual, predicted, k):
            totals = np.bincount(cell_numbers, weights=weights[rows], minlength=k * k)
            cells += totals.astype(weights.dtype, copy=False)
    else:
        for rows, cell_numbers in _cells(actual, predicted, k):
            np.add.at(cells, cell_numbers, weights[rows])
    return cells.reshape(k, k)
