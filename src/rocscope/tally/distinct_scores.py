"""Groups of equal scores: packed sort, counting on a grid, or - with weights - an order of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from itertools import pairwise
from time import perf_counter

import numpy as np

from rocscope.numbers import Array
from rocscope.tally import threads
from rocscope.tally.columns import squared
from rocscope.tally.decimal_grid import grid_of, summed
from rocscope.tally.exact_sums import Groups, roomy, segment_sums, twice_u
from rocscope.tally.packed_keys import BLOCK, MANY, Packing, blocks, order, packed, packed_halves, restored, sort

TRIAL = 1 << 18
"""The number of keys that are sorted and merged to see which is faster."""


def group(
    scores: Array,
    mask: Array,
    weights: Array | None = None,
    *,
    descending: bool = True,
    squares: bool = False,
    spent: bool = False,
) -> Groups:
    """The distinct scores, most positive first, with the weight of positives and negatives at each.

    `scores` are as returned by `numeric`, `mask` as by `binary` (1 for a positive), and `weights` as by `weights_of`.
    Scores are equal if they are equal in their original type; -0.0 is 0.0. A score whose weights are all zero is
    left out. Integer weights are summed exactly. Float weights are summed within their group alone, so a group's sum is
    accurate to rounding however large the others are; another order of the rows can change only its last bits. With
    `spent`, the memory of the scores may be overwritten.

    >>> scores, mask = np.array([0.8, 0.3, 0.8]), np.array([1, 0, 0], dtype=np.uint8)
    >>> group(scores, mask)[:3]
    (array([0.8, 0.3]), array([1, 0]), array([1, 1]))
    """
    if weights is None:
        values, (pos, neg) = _sums(scores, mask, [], descending, spent=spent)
        return Groups(values, pos, neg, *((pos, neg) if squares else (None, None)))
    return _weighted(scores, mask, weights, descending, squares)


def group_parts(
    scores: Array, mask: Array, ends: Sequence[int], *, descending: bool = True, squares: bool = False
) -> tuple[list[Groups], Groups] | None:
    """The groups of each part of the rows and of all together; None if they are not found by sorting.

    Each part begins where the previous one ends; the memory of the scores is overwritten. How it works: keys are sorted
    part by part, on all cores; all of them are then sorted or, where this processor does that faster, merged.

    >>> scores, mask = np.array([0.8, 0.3, 0.1, 0.8]), np.array([1, 0, 0, 0], dtype=np.uint8)
    >>> parts, whole = group_parts(scores, mask, [2, 4])
    >>> parts[1].scores, whole.pos, whole.neg
    (array([0.8, 0.1]), array([1, 0, 0]), array([1, 1, 1]))
    """
    made = None if grid_of(scores) is not None else packed(scores, mask, spent=True)
    if made is None:
        return None
    keys, how = made
    spans = [slice(start, end) for start, end in pairwise([0, *ends])]
    found: list[Groups | None] = [None] * len(spans)
    if descending:
        np.invert(keys, out=keys)

    def counted(part: Array) -> Groups:
        if descending:
            np.invert(part, out=part)
        values, (pos, neg) = _counts(part, how)
        return Groups(values, pos, neg, *((pos, neg) if squares else (None, None)))

    def grouped(first: int, step: int) -> None:
        for place in range(first, len(spans), step):
            part = keys[spans[place]]
            part.sort()
            found[place] = counted(part.copy())

    parts = threads.cores() if len(keys) >= MANY else 1
    threads.side_by_side([partial(grouped, first, parts) for first in range(parts)])
    if len(keys) >= MANY and merging_is_faster():
        keys.sort(kind="stable")  # a stable sort detects the sorted parts and merges them
    else:
        sort(keys)
    return [one for one in found if one is not None], counted(keys)


@cache
def merging_is_faster() -> bool:
    """Whether this processor merges sorted parts faster than it sorts.

    It does not if NumPy sorts with SIMD instructions. Either gives the same keys; the trial takes some milliseconds and
    is made once.
    """
    keys = np.random.default_rng(0).integers(0, 2**62, TRIAL)
    parts = np.sort(keys.reshape(16, -1), axis=1).reshape(-1)
    start = perf_counter()
    keys.sort()
    between = perf_counter()
    parts.sort(kind="stable")
    return perf_counter() - between < between - start


def auc_counts(scores: Array, mask: Array) -> tuple[int, int, int]:
    """The tuple (2U, positives, negatives) in Python integers, without building the groups: AUC = 2U / (2 P N).

    In ascending order, with negatives first among ties, the ranks of the positives sum to 0 + ... + (P-1) plus the
    negatives not above each; half of the tied pairs are subtracted: 2U = 2 sum(places) - P (P - 1) - sum over ties p q.

    >>> auc_counts(np.array([0.1, 0.4, 0.4]), np.array([0, 1, 0], dtype=np.uint8))  # AUC = 3 / (2 * 1 * 2)
    (3, 1, 2)
    """
    positives = int(np.count_nonzero(mask))
    negatives = len(mask) - positives
    on_grid = summed(scores, mask, [])
    if on_grid is not None:
        pos, neg = on_grid[1]
        return int(twice_u(pos[::-1], neg[::-1])), positives, negatives
    keyed = packed(scores, mask)
    if keyed is None or len(mask) >= 2**31:
        pos, neg = _sums(scores, mask, [], True)[1]
        return int(twice_u(pos, neg)), positives, negatives
    keys = keyed[0]
    sort(keys)
    positions, tied = _places(keys)
    return 2 * positions - positives * (positives - 1) - tied, positives, negatives


# ---- counts ----


def _places(keys: Array) -> tuple[int, int]:
    """The sum of the places of the positives in sorted packed keys, and the number of tied pairs."""
    positions, borders = 0, []
    steps = np.arange(min(BLOCK, len(keys)))
    for rows in blocks(len(keys)):
        part = keys[rows]
        labels = part & 1
        positions += int(np.dot(labels, steps[: len(part)])) + rows.start * int(labels.sum())
        # Keys differ only in the last bit if a negative is followed by a positive with the same score.
        after = keys[rows.start + 1 : rows.stop + 1]
        same = (part[: len(after)] ^ after) == 1
        if np.count_nonzero(same):
            borders.append(np.flatnonzero(same) + rows.start)
    if not borders:
        return positions, 0
    last = borders[0] if len(borders) == 1 else np.concatenate(borders)
    negatives = last + 1 - np.searchsorted(keys, keys[last], side="left")
    positives = np.searchsorted(keys, keys[last + 1], side="right") - last - 1
    return positions, int(np.dot(negatives, positives))


def _sorted_counts(keys: Array, how: Packing, descending: bool) -> tuple[Array, list[Array]]:
    """Distinct scores and counts of packed keys, which are used up."""
    _sort(keys, descending)
    return _counts(keys, how)


def _counts(keys: Array, how: Packing) -> tuple[Array, list[Array]]:
    """Distinct scores and counts of sorted keys, which are used up."""
    labels = _labels_off(keys)
    ends = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=ends[:-1])
    if np.count_nonzero(ends) == len(ends):
        return restored(keys, how), _apart(labels)
    last = np.flatnonzero(ends)
    seen = np.cumsum(labels, dtype=np.int32 if len(keys) < 2**31 else np.int64)
    pos = _differences(seen[last]).astype(np.int64, copy=False)
    values = restored(keys[last], how)
    neg = _differences(last)
    neg[0] += 1
    neg -= pos
    return values, [pos, neg]


def _apart(labels: Array) -> list[Array]:
    """Labels of one case each as positives and negatives."""
    return [labels.astype(np.int64), np.subtract(1, labels, dtype=np.int64)]


def _labels_off(keys: Array) -> Array:
    """The label bits of packed keys, which are shifted out of them."""
    labels = np.empty(len(keys), dtype=np.uint8)
    for rows in blocks(len(keys)):
        part = keys[rows]
        labels[rows] = part & 1
        part >>= 1
    return labels


def _differences(values: Array) -> Array:
    """Each value less the one before it, in place: from the end, block by block, so that no copy is made."""
    for rows in reversed(list(blocks(len(values) - 1))):
        values[rows.start + 1 : rows.stop + 1] -= values[rows]
    return values


def _sort(keys: Array, descending: bool) -> None:
    if descending:
        np.invert(keys, out=keys)
    sort(keys)
    if descending:
        np.invert(keys, out=keys)


# ---- weights ----


def _weighted(scores: Array, mask: Array, weights: Array, descending: bool, squares: bool) -> Groups:
    columns = [roomy(column) for column in ([weights, squared(weights)] if squares else [weights])]
    values, sums = _sums(scores, mask, columns, descending)
    kept = (sums[0] != 0) | (sums[1] != 0)
    if not kept.all():
        values, sums = values[kept], [column_sums[kept] for column_sums in sums]
    pos, neg, *rest = sums
    pos_squares, neg_squares = rest or (None, None)
    return Groups(values, pos, neg, pos_squares, neg_squares)


def _sums(
    scores: Array, mask: Array, columns: list[Array], descending: bool, *, spent: bool = False
) -> tuple[Array, list[Array]]:
    """Distinct scores, and over positives and over negatives the sum of each column in turn; without any, the rows."""
    step = -1 if descending else 1
    floats = _as_floats(columns)
    on_grid = None if floats is None else summed(scores, mask, floats)
    if on_grid is not None:
        values, sums = on_grid
        typed = (
            [column_sums.astype(columns[i // 2].dtype, copy=False) for i, column_sums in enumerate(sums)]
            if columns
            else sums
        )
        return np.ascontiguousarray(values[::step]), [
            np.ascontiguousarray(column_sums[::step]) for column_sums in typed
        ]
    keyed = packed(scores, mask, spent=spent)
    if keyed is not None:
        return _ordered_sums(*keyed, columns, descending)
    halves = [
        _ordered_sums(keys, how, [column[rows] for column in columns], descending)
        for rows, keys, how in packed_halves(scores, mask)
    ][::step]
    values = np.concatenate([half[0] for half in halves])
    return values, [np.concatenate(parts) for parts in zip(*(half[1] for half in halves), strict=True)]


def _as_floats(columns: list[Array]) -> list[Array] | None:
    """The columns as float64 when sums of them are exact in it or float anyway; else None."""
    if any(column.dtype.kind == "O" for column in columns):
        return None
    if any(column.dtype.kind != "f" and float(column.sum(dtype=np.float64)) >= 2**52 for column in columns):
        return None
    return [column.astype(np.float64, copy=False) for column in columns]


def _ordered_sums(keys: Array, how: Packing, columns: list[Array], descending: bool) -> tuple[Array, list[Array]]:
    if not columns:
        return _sorted_counts(keys, how, descending)
    if descending:
        np.invert(keys, out=keys)
    rows = order(keys)
    keys = keys.take(rows)
    if descending:
        np.invert(keys, out=keys)
    labels = _labels_off(keys)
    begins = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=begins[1:])
    starts = None if begins.all() else np.flatnonzero(begins)
    sums = []
    for column in columns:
        piece = column.take(rows)
        positives = piece * labels
        piece -= positives  # exact: the weight minus itself, or minus 0
        both = [positives, piece]
        sums += both if starts is None else [segment_sums(part, starts) for part in both]
    return restored(keys if starts is None else keys[starts], how), sums
