"""Resampled tables by the block: sort once, then draw counts, never rows.

A resample of cases changes only how many cases each score has, so a replicate is a row of counts over the cells of a
table. Where scores tie, or a statistic does not look inside runs of one class, cells are few and their counts are drawn
at once (multinomial); otherwise drawn cases are counted. Blocks of replicates are bounded in memory, and the numbers do
not depend on the size of the blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.errors import RocscopeError
from rocscope.intervals.paired_cases import PairedCases
from rocscope.numbers import checked_whole
from rocscope.record import record
from rocscope.table import ScoreTable, cells_of

Array = NDArray[Any]
Layout = Callable[[ScoreTable], Array]
BLOCK = 2**15  # numbers per array of a block: they stay in the processor's cache (twice as fast as 2^17)
CHUNK = 2**14  # cases drawn at once where there are more: their counts stay in the processor's cache
DRAW_PER_CELL = 16  # a multinomial cell costs as much as so many drawn cases


# ---- which scores share a cell ----


def every(t: ScoreTable) -> Array:
    """Each score its own cell."""
    return np.arange(len(t))


def runs(t: ScoreTable) -> Array:
    """One cell for neighboring scores of one class: what curves of straight pieces do not tell apart."""
    kind = (t.pos > 0) + 2 * (t.neg > 0).astype(np.int8)
    return _numbered((kind[1:] != kind[:-1]) | (kind[1:] == 3))


def negative_runs(t: ScoreTable) -> Array:
    """One cell for neighboring scores of negatives alone, each score with positives its own cell."""
    holds = t.pos > 0
    return _numbered(holds[1:] | holds[:-1])


def cut_at(threshold: float) -> Layout:
    """Two cells: predicted positive at the threshold, and not."""

    def layout(t: ScoreTable) -> Array:
        return (np.arange(len(t)) >= t.position(threshold)).astype(np.int64)

    return layout


def _numbered(fresh: Array) -> Array:
    return np.concatenate(([0], np.cumsum(fresh)))


# ---- one table ----


@record
class CellCounts:
    """The number of positives and negatives in each cell, in table order."""

    pos: Array
    neg: Array

    @classmethod
    def of(cls, t: ScoreTable, layout: Layout = every) -> CellCounts:
        """The cells of a table of counts; sums of sampling weights cannot be resampled without their rows."""
        if t.weighted or not t.exact:
            raise RocscopeError(
                "a table of weights does not show which cases to resample",
                hint="Give the rows: intervals.bootstrap_rows(y, score, statistic, weights=...)",
            )
        if t.pos.dtype == object or t.neg.dtype == object:
            raise RocscopeError("more cases than 2^62 cannot be resampled", hint="Closed forms need no resampling")
        place = layout(t)
        return cls(*(_by_cell(weights, place) for weights in (t.pos, t.neg)))

    def __len__(self) -> int:
        return len(self.pos)

    @cached_property
    def positives(self) -> int:
        """All positives."""
        return int(self.pos.sum())

    @cached_property
    def negatives(self) -> int:
        """All negatives."""
        return int(self.neg.sum())


def _by_cell(weights: Array, place: Array) -> Array:
    """Sums over the cells that neighboring scores share; a cell that no score is in has none."""
    size = int(place[-1]) + 1 if len(place) else 0
    starts = np.flatnonzero(np.concatenate(([True], place[1:] != place[:-1])))
    if size == len(weights) == len(starts):
        return weights
    sums = np.zeros(size, dtype=weights.dtype)
    sums[place[starts]] = np.add.reduceat(weights, starts)
    return sums


def seeds(seed: Any) -> list[np.random.Generator]:
    """Three generators from one whole number: for positives, negatives, and class sizes."""
    children = np.random.SeedSequence(checked_whole("seed", seed, least=0)).spawn(3)
    return [np.random.Generator(np.random.SFC64(child)) for child in children]


def resampled(
    cells: CellCounts, n: int, *, seed: int = 0, stratified: bool = True
) -> Iterator[tuple[Array, Array]]:
    """n replicates as blocks of counts (replicates x cells) of positives and of negatives.

    Stratified, each class keeps its size; otherwise all cases are drawn alike and the class sizes vary.
    """
    for_positives, for_negatives, for_sizes = seeds(seed)
    sides = Side(cells.pos), Side(cells.neg)
    total = cells.positives + cells.negatives
    share = cells.positives / total if total else 0.0
    for block in block_sizes(n, max(len(cells), *(side.work for side in sides))):
        up = np.full(block, cells.positives) if stratified else for_sizes.binomial(total, share, block)
        down = np.full(block, cells.negatives) if stratified else total - up
        yield sides[0].draw(for_positives, up), sides[1].draw(for_negatives, down)


def block_sizes(n: int, width: int) -> Iterator[int]:
    """How many replicates each block holds."""
    most = max(1, BLOCK // max(1, width))
    for start in range(0, n, most):
        yield min(most, n - start)


class Side:
    """The cases of one class, ready to be drawn with replacement."""

    def __init__(self, counts: Array) -> None:
        self.size, self.total = len(counts), int(counts.sum())
        self.filled = np.flatnonzero(counts)
        self.few = DRAW_PER_CELL * len(self.filled) < self.total
        self.shares = counts[self.filled] / max(1, self.total)
        self.cell_of = None if self.few else np.repeat(self.filled, counts[self.filled])

    @property
    def work(self) -> int:
        """How many numbers one replicate needs."""
        return len(self.filled) if self.few else self.total

    def draw(self, generator: np.random.Generator, sizes: Array) -> Array:
        """Counts per cell of `sizes` cases each."""
        if not self.total:
            return np.zeros((len(sizes), self.size), dtype=np.int64)
        return self._by_cell(generator, sizes) if self.few else self._by_case(generator, sizes)

    def _by_cell(self, generator: np.random.Generator, sizes: Array) -> Array:
        drawn = generator.multinomial(sizes, self.shares)
        if len(self.filled) == self.size:
            return drawn
        counts = np.zeros((len(sizes), self.size), dtype=np.int64)
        counts[:, self.filled] = drawn
        return counts

    def _by_case(self, generator: np.random.Generator, sizes: Array) -> Array:
        assert self.cell_of is not None
        if self.total > CHUNK:
            counts = np.zeros((len(sizes), self.size), dtype=np.int64)
            for row, size in zip(counts, sizes.tolist(), strict=True):
                self._in_chunks(generator, size, row)
            return counts
        cells = self.cell_of.take(generator.integers(0, self.total, int(sizes.sum())))
        if len(sizes) > 1:
            cells += np.repeat(np.arange(len(sizes)) * self.size, sizes)
        return np.bincount(cells, minlength=len(sizes) * self.size).reshape(len(sizes), self.size)

    def _in_chunks(self, generator: np.random.Generator, size: int, counts: Array) -> None:
        """First how many cases of each chunk are drawn, then which: the same distribution, nearer memory."""
        assert self.cell_of is not None
        starts = range(0, self.total, CHUNK)
        lengths = [min(CHUNK, self.total - start) for start in starts]
        for start, length, many in zip(
            starts, lengths, generator.multinomial(size, np.array(lengths) / self.total).tolist(), strict=True
        ):
            cell_of = self.cell_of[start : start + length]
            first, last = int(cell_of[0]), int(cell_of[-1])
            cells = cell_of.take(_places(generator, length, many))
            cells -= first
            counts[first : last + 1] += np.bincount(cells, minlength=last - first + 1)


def _places(generator: np.random.Generator, below: int, many: int) -> Array:
    """Whole numbers from 0 to below: raw bits where below is a power of two up to 2^16."""
    if below & (below - 1) or below > 2**16:
        return generator.integers(0, below, many)
    words: Any = generator.bit_generator.random_raw(many // 4 + 1)
    words &= np.uint64((below - 1) * 0x0001000100010001)  # four numbers in each word
    return np.asarray(words.view(np.uint16)[:many], dtype=np.int64)


def cells_along(pos: Array, neg: Array) -> dict[str, Array]:
    """The four cells after each cell of each replicate (replicates x thresholds), "predict nothing" first."""
    tp, fp = np.zeros((2, len(pos), pos.shape[1] + 1))
    np.cumsum(pos, axis=1, dtype=np.float64, out=tp[:, 1:])
    np.cumsum(neg, axis=1, dtype=np.float64, out=fp[:, 1:])
    return cells_of(tp, fp, tp[:, -1:], fp[:, -1:])


# ---- rows, for several models, clusters or weights ----


def multiplicities(
    rows: Any, n: int, *, seed: int = 0, stratified: bool = True, clusters: tuple[Array, int] | None = None
) -> Iterator[Array]:
    """n replicates as blocks (replicates x rows): how often each row was drawn, or its whole cluster.

    Stratified resamples need `PairedCases`; of anything else the number of rows is enough.
    """
    first, second, _ = seeds(seed)
    for block in block_sizes(n, len(rows)):
        if clusters is not None:
            yield _drawn(first, clusters[1], block)[:, clusters[0]]
        elif stratified:
            counts = np.empty((block, len(rows)), dtype=np.int64)
            counts[:, rows.positives] = _drawn(first, len(rows.positives), block)
            counts[:, rows.negatives] = _drawn(second, len(rows.negatives), block)
            yield counts
        else:
            yield _drawn(first, len(rows), block)


def _drawn(generator: np.random.Generator, size: int, block: int) -> Array:
    """How often each of `size` things is drawn in `size` draws."""
    draws = generator.integers(0, size, (block, size)) if size else np.zeros((block, 0), dtype=np.int64)
    draws += (np.arange(block) * size)[:, None]
    return np.bincount(draws.ravel(), minlength=block * size).reshape(block, size)


class Scattered:
    """Where the rows of one model fall: multiplicities of rows become counts (or weights) per cell."""

    def __init__(self, rows: PairedCases, model: int, layout: Layout) -> None:
        place = layout(rows.table(model))
        self.size = int(place[-1]) + 1
        cell = place[rows.places[model]]
        self.sides = [
            CellSums(side, cell[side], self.size, rows.weights) for side in rows.sides
        ]

    def counts(self, drawn: Array) -> tuple[Array, Array]:
        """Positives and negatives per cell of each replicate."""
        return self.sides[0].counts(drawn), self.sides[1].counts(drawn)


class CellSums:
    """Cases in the order of the cells they fall into, so that what a cell holds is a sum of neighbors.

    `cases` are the columns of the counts to come, `cell` is that of each of them, `weights` those of all columns.
    """

    def __init__(self, cases: Array, cell: Array, size: int, weights: Array | None = None) -> None:
        order = np.argsort(cell, kind="stable")
        self.cases, ordered, self.size = cases[order], cell[order], size
        fresh = np.concatenate(([True], ordered[1:] != ordered[:-1])) if len(ordered) else np.zeros(0, dtype=bool)
        self.starts = np.flatnonzero(fresh)
        self.filled = ordered[self.starts]
        self.weights = None if weights is None else weights[self.cases].astype(np.float64)

    def counts(self, drawn: Array) -> Array:
        """The number (or weight) in each cell of each replicate, from how often each case was drawn."""
        mine = drawn[:, self.cases]
        if self.weights is not None:
            mine = mine * self.weights
        counts = np.zeros((len(drawn), self.size), dtype=mine.dtype)
        if len(self.cases):
            tied = len(self.filled) < len(self.cases)
            counts[:, self.filled] = np.add.reduceat(mine, self.starts, axis=1) if tied else mine
        return counts
