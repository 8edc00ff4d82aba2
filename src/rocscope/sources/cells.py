"""Dyadic cells of scores, their refinement, and the tables built from them.

A score s lies in the cell floor(s * 2^k). Multiplying by a power of two is exact on every machine and in every engine,
and cells nest: cells of depth k + j divide those of depth k into 2^j parts. If low scores mean positive, the cells are
those of -s, so that a cell is always identified by the threshold that flags all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.record import record
from rocscope.table import Known, ScoreTable

Array = NDArray[Any]

CELLS = 2**20
"""Cells of a first pass, over the whole range of the scores."""

FEWEST = 64
"""The minimum number of cells of a slice in the first pass: ten thousand slices together have no more cells than
one."""

SPLITS = 2**21
"""The maximum total number of parts in a refinement pass."""

STEP = 20
"""The maximum number of halvings in a pass."""

DEEPEST = 1000
"""2^-1000 is the narrowest cell: with narrower ones, products would exceed the range of floats."""

PASSES = 8
"""The maximum number of passes over the data; the remaining bound is reported."""


@record
class Entries:
    """Cells and their contents: the lower edge and depth of each cell, and the weight of each class in it.

    `single` flags cells that hold one distinct score, which `first` contains (both None if this was not determined);
    `slices` is the slice of each cell, in ascending order (None without slices); `counted` is the number of rows of
    each cell if it is not the sum of both classes. Millions of cells are kept while the rows are read again, so the
    types are narrow.
    """

    low: Array
    depth: Array
    pos: Array
    neg: Array
    slices: Array | None = None
    single: Array | None = None
    first: Array | None = None
    counted: Array | None = None
    pos_squares: Array | None = None
    neg_squares: Array | None = None

    def __len__(self) -> int:
        return len(self.low)

    def take(self, rows: Any) -> Entries:
        """The selected entries."""
        return Entries(*(None if column is None else column[rows] for column in self._columns()))  # type: ignore[arg-type]

    def _columns(self) -> tuple[Array | None, ...]:
        return (
            self.low, self.depth, self.pos, self.neg, self.slices, self.single, self.first, self.counted,
            self.pos_squares, self.neg_squares,
        )  # fmt: skip

    @classmethod
    def chain(cls, parts: Sequence[Entries]) -> Entries:
        """Concatenate the entries of all parts."""
        parts = [part for part in parts if len(part)] or list(parts[:1])
        if len(parts) == 1:
            return parts[0]
        looked = any(part.single is not None for part in parts)
        columns = zip(*(part._with_singles()._columns() if looked else part._columns() for part in parts), strict=True)
        return cls(*(None if column[0] is None else np.concatenate(column) for column in columns))  # type: ignore[arg-type]

    def _with_singles(self) -> Entries:
        """The entries with `single` and `first` filled in.

        If they were not determined, no cell counts as single.
        """
        if self.single is not None:
            return self
        return replace(self, single=np.zeros(len(self), dtype=bool), first=np.full(len(self), np.nan))

    @property
    def high(self) -> Array:
        """Upper edges."""
        with np.errstate(over="ignore"):
            return np.asarray(self.low + np.ldexp(1.0, -self.depth.astype(np.int32)))

    @property
    def rows(self) -> Array:
        """Number of rows in each cell."""
        return self.pos + self.neg if self.counted is None else self.counted

    @property
    def pairs(self) -> Array:
        """Number of pairs of a positive and a negative whose order is unknown because they share a cell."""
        products = self.pos.astype(np.float64)
        products *= self.neg
        if self.single is not None:
            products[self.single] = 0.0
        return products

    def by_slice(self, values: Array, many: int) -> Array:
        """Sum the values by slice."""
        if self.slices is None:
            return np.array([values.sum(dtype=np.float64)])
        return np.bincount(self.slices, values, many)


def slices_of(parts: Sequence[Entries], many: int) -> Iterator[Entries]:
    """Yield the entries of each slice, given parts sorted by slice."""
    if all(part.slices is None for part in parts):
        yield Entries.chain(parts)
        return
    numbers = np.arange(many + 1)
    ends = [np.searchsorted(part.slices, numbers) for part in parts if part.slices is not None]
    for number in range(many):
        ranges = zip(parts, ends, strict=True)
        yield Entries.chain([part.take(slice(at[number], at[number + 1])) for part, at in ranges])


def depth_of(low: float, high: float, cells: int = CELLS) -> int:
    """The greatest depth at which a range of scores spans at most `cells` + 1 cells.

    >>> depth_of(0.0, 1.0), depth_of(-20.0, 20.0), depth_of(3.0, 3.0)
    (20, 14, 51)
    """
    largest = max(abs(low), abs(high))
    finest = DEEPEST if largest == 0 else min(DEEPEST, 52 - int(np.floor(np.log2(largest))))
    if high <= low:
        return finest
    depth = min(finest, int(np.floor(np.log2(cells) - np.log2(high - low))) + 1 if high - low < np.inf else -1004)
    while span(low, high, depth) > cells + 1:
        depth -= 1
    return depth


def span(low: float, high: float, depth: int) -> int:
    """The number of cells of a given depth that a range touches."""
    return int(cell_of(high, depth)) - int(cell_of(low, depth)) + 1


def cell_of(score: float, depth: int) -> float:
    """The cell of one score."""
    cell = float(np.floor(np.ldexp(score, depth)))
    return -1.0 if score < 0 and cell == 0 else cell


def cells_of(scores: Array, depth: int, *, out: Array | None = None) -> Array:
    """The cell of every score, as whole floats."""
    cells: Array = np.multiply(scores, 2.0**depth, out=out)
    np.floor(cells, out=cells)
    if depth < 0:  # the product of a small negative score underflows to 0, but its cell is -1
        nothing = np.flatnonzero(cells == 0)
        cells[nothing[scores[nothing] < 0]] = -1.0
    return cells


def edges(cells: Array, depth: int) -> Array:
    """The lower edges of cells."""
    return np.ldexp(np.asarray(cells, dtype=np.float64), -depth) + 0.0


# ---- selection of cells to split ----


def worst(last: Entries, totals: Array, targets: Array, settled: Array) -> Array:
    """The positions of the cells to split so that the others contribute at most half the target of their slice.

    `totals` are positives and negatives by slice, `targets` the required bound by slice, and `settled` the contribution
    to the bound of cells that will not be split any more. Slices that already meet their target need no split.
    """
    scale = 2 * np.maximum(totals[0] * totals[1], 1e-300)
    pairs = last.pairs
    pairs /= scale[0] if last.slices is None else scale[last.slices]
    wide = settled + last.by_slice(pairs, len(targets)) > targets
    if not wide.any():
        return np.empty(0, dtype=np.int64)
    if last.slices is None:
        order = np.argsort(pairs)
        # keep the smallest cells whole as long as their sum is small
        kept = np.cumsum(pairs[order]) + settled[0] <= targets[0] / 2
        return np.sort(order[~kept & (pairs[order] > 0)])
    order = np.lexsort((pairs, last.slices))
    slices, sums = last.slices[order], np.cumsum(pairs[order])
    starts = np.searchsorted(slices, np.arange(len(targets)))
    before = np.concatenate(([0.0], sums))[starts] - settled
    kept = sums - before[slices] <= targets[slices] / 2
    return np.sort(order[~kept & wide[slices] & (pairs[order] > 0)])


def halvings(chosen: int, parts: int = SPLITS) -> int:
    """How often the chosen cells can be halved without exceeding `parts` parts in total."""
    return int(max(1, min(STEP, np.floor(np.log2(max(1, parts) / max(1, chosen))))))


def needed_halvings(open_: Array, targets: Array) -> int:
    """How often evenly filled cells must be halved to reach half the target, plus one.

    >>> needed_halvings(np.array([3e-6]), np.array([1e-6]))
    4
    """
    worst_ratio = float(np.max(2 * open_ / targets, initial=1.0))
    return int(np.ceil(np.log2(max(worst_ratio, 1.0)))) + 1


# ---- conversion to a table ----


def bounds_of(parts: Sequence[Entries], totals: Array) -> Array:
    """The contribution of the cells to the bound on the AUC of each slice."""
    many = totals.shape[1]
    pairs = np.sum([part.by_slice(part.pairs, many) for part in parts], axis=0) if parts else np.zeros(many)
    product = totals[0] * totals[1]
    return np.asarray(np.divide(pairs, 2 * product, out=np.zeros_like(pairs), where=product > 0))


def table_of(
    entries: Entries,
    *,
    higher: bool,
    labels: tuple[Any, Any],
    rows: tuple[int, int],
    known: Known | None,
    whole: bool,
) -> ScoreTable:
    """Build the score table from the entries of one slice."""
    used = _from_the_top(entries)
    del entries
    exact = used.single is not None and bool(used.single.all())
    names = _oriented(used, used.low, higher)
    ends = None if exact else _oriented(used, used.high, higher)
    mixed = None if exact else np.ones(len(used), dtype=bool) if used.single is None else ~used.single
    weights = [used.pos, used.neg, used.pos_squares, used.neg_squares]
    typed = [None if weight is None else _whole(weight) if whole else weight.astype(np.float64) for weight in weights]
    return ScoreTable(
        names,
        typed[0],
        typed[1],
        higher,
        labels,
        typed[2],
        typed[3],
        rows,
        mixed=mixed,
        ends=ends,
        known=None if exact else known,
    )


def _oriented(used: Entries, edge: Array, higher: bool) -> Array:
    """The single score of each entry, or an edge of its cell, in the original direction of the scores."""
    scores = edge if used.single is None or used.first is None else np.where(used.single, used.first, edge)
    return np.asarray(scores + 0.0 if higher else 0.0 - scores)


def _from_the_top(entries: Entries) -> Entries:
    """The entries with nonzero weight, highest scores first; as views if they are already sorted."""
    filled = (entries.pos != 0) | (entries.neg != 0)
    if not filled.all():
        entries = entries.take(np.flatnonzero(filled))
    low = entries.low
    ascending = len(low) < 2 or bool((low[1:] >= low[:-1]).all())
    return entries.take(np.s_[::-1] if ascending else np.argsort(-low, kind="stable"))


def _whole(sums: Array) -> Array:
    """Convert whole sums to int64; sums beyond 2^53 were rounded and remain floats."""
    if sums.dtype.kind in "iu":
        return sums.astype(np.int64)
    return sums.astype(np.int64) if not len(sums) or float(sums.sum()) < 2**53 else sums
