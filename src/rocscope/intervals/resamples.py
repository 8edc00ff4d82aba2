"""Resampled tables by the block: sort once, then draw counts, never rows.

A resample of cases changes only how many cases each score has, so a replicate is a row of counts over the cells of a
table. Where scores tie, or a statistic does not look inside runs of one class, cells are few and their counts are drawn
at once (multinomial); with thousands of cases of a class they are looked up (`poisson_counts`), otherwise drawn cases
are counted. Blocks of replicates are bounded in memory. With many cases each part of the replicates has generators of
its own, so that all cores draw and the numbers are the same on any number of them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rocscope.errors import RocscopeError
from rocscope.intervals.paired_cases import PairedCases
from rocscope.numbers import checked_whole
from rocscope.record import record
from rocscope.table import ScoreTable, cells_of
from rocscope.tally import cores, mapped

if TYPE_CHECKING:
    from rocscope.intervals.poisson_counts import PoissonCounts, Workspace

Array = NDArray[Any]
Layout = Callable[[ScoreTable], Array]
BLOCK = 2**15  # numbers per array of a block: fits in the processor cache (twice as fast as 2^17)
LARGE_BLOCK = 2**16  # the same for many cases, where fewer iterations matter more than the cache
MANY = 2**11  # number of cases of a class from which counts are drawn by table lookup (`PoissonCounts`)
PART = 128  # number of replicates drawn from the same generators
DRAW_PER_CELL = 16  # number of drawn cases that take as long as one multinomial cell


# ---- assignment of scores to cells ----


def every(t: ScoreTable) -> Array:
    """Make each score a separate cell."""
    return np.arange(len(t))


def runs(t: ScoreTable) -> Array:
    """Make one cell of adjacent scores of one class, which piecewise linear curves do not distinguish."""
    kind = (t.pos > 0) + 2 * (t.neg > 0).astype(np.int8)
    return _numbered((kind[1:] != kind[:-1]) | (kind[1:] == 3))


def negative_runs(t: ScoreTable) -> Array:
    """Make one cell of adjacent scores with only negatives; each score with positives is a separate cell."""
    holds = t.pos > 0
    return _numbered(holds[1:] | holds[:-1])


def cut_at(threshold: float) -> Layout:
    """Make two cells: predicted positive at the threshold, and not."""

    def layout(t: ScoreTable) -> Array:
        return (np.arange(len(t)) >= t.position(threshold)).astype(np.int64)

    return layout


def _numbered(fresh: Array) -> Array:
    return np.concatenate(([0], np.cumsum(fresh)))


# ---- resamples of one table ----


@record
class CellCounts:
    """The numbers of positives and negatives in each cell, in table order."""

    pos: Array
    neg: Array

    @classmethod
    def of(cls, t: ScoreTable, layout: Layout = every) -> CellCounts:
        """The cells of a table of counts; sums of sampling weights cannot be resampled without their rows."""
        if t.weighted or not t.exact:
            raise RocscopeError(
                "a table of weights does not contain the cases to resample",
                hint="Give the rows: intervals.bootstrap_rows(y, score, statistic, weights=...)",
            )
        if t.pos.dtype == object or t.neg.dtype == object:
            raise RocscopeError(
                "more than 2^62 cases cannot be resampled", hint="Use a closed form, which needs no resampling"
            )
        cell = layout(t)
        return cls(*(_by_cell(weights, cell) for weights in (t.pos, t.neg)))

    def __len__(self) -> int:
        return len(self.pos)

    @cached_property
    def positives(self) -> int:
        """The total number of positives."""
        return int(self.pos.sum())

    @cached_property
    def negatives(self) -> int:
        """The total number of negatives."""
        return int(self.neg.sum())


def _by_cell(weights: Array, cell: Array) -> Array:
    """Sum over adjacent scores that share a cell; a cell without scores is 0."""
    size = int(cell[-1]) + 1 if len(cell) else 0
    starts = np.flatnonzero(np.concatenate(([True], cell[1:] != cell[:-1])))
    if size == len(weights) == len(starts):
        return weights
    sums = np.zeros(size, dtype=weights.dtype)
    sums[cell[starts]] = np.add.reduceat(weights, starts)
    return sums


def seeds(seed: Any, part: int | None = None) -> list[np.random.Generator]:
    """Three generators from one integer: for positives, negatives, and class sizes.

    Different ones for each part.
    """
    key = () if part is None else (part,)
    children = np.random.SeedSequence(checked_whole("seed", seed, least=0), spawn_key=key).spawn(3)
    return [np.random.Generator(np.random.SFC64(child)) for child in children]


@record(slots=True)
class Part:
    """Some of the replicates, and the generators that draw them: those of the seed, or of this part alone."""

    replicates: int
    seed: int
    place: int | None = None

    def generators(self) -> list[np.random.Generator]:
        """For positives, negatives and class sizes."""
        return seeds(self.seed, self.place)


def parts_of(n: int, seed: int, *, many: bool) -> list[Part]:
    """Split the replicates into parts with separate generators if there are many cases, so that any core may draw
    them.
    """
    if not many:
        return [Part(n, seed)]
    return [Part(min(PART, n - start), seed, place) for place, start in enumerate(range(0, n, PART))]


def resampled(cells: CellCounts, n: int, *, seed: int = 0, stratified: bool = True) -> Iterator[tuple[Array, Array]]:
    """Blocks of the counts of positives and negatives (replicates x cells) in n resamples.

    If stratified, each class keeps its size; otherwise all cases are drawn together and the class sizes vary.
    """
    drawn = Resampling(cells, stratified=stratified)
    return (block for part in drawn.parts(n, seed) for block in drawn.blocks(part))


def resampled_values(
    cells: CellCounts, values: Callable[[Array, Array], Array], n: int, *, seed: int = 0, stratified: bool = True
) -> Iterator[Array]:
    """Apply a function to the blocks of `resampled`, in order; on all cores if there are many cases."""
    drawn = Resampling(cells, stratified=stratified)

    def of_part(part: Part) -> Iterator[Array]:
        return (values(pos, neg) for pos, neg in drawn.blocks(part, kept=False))

    return on_all_cores(of_part, drawn.parts(n, seed))


def on_all_cores(work: Callable[[Part], Iterator[Any]], parts: Sequence[Part]) -> Iterator[Any]:
    """Apply a function to each part and return the results in order."""
    if len(parts) == 1:
        return work(parts[0])
    made = mapped(lambda part: list(work(part)), parts, workers=min(cores(), len(parts)))
    return (block for blocks in made for block in blocks)


class Resampling:
    """The cases of both classes, ready to be drawn."""

    def __init__(self, cells: CellCounts, *, stratified: bool) -> None:
        self.cells, self.stratified = cells, stratified
        self.total = cells.positives + cells.negatives
        self.share = cells.positives / self.total if self.total else 0.0
        spread = 0.0 if stratified else self.total * self.share * (1 - self.share)
        self.sides = Side(cells.pos, spread), Side(cells.neg, spread)
        self._own = threading.local()

    def parts(self, n: int, seed: int) -> list[Part]:
        """The n replicates in parts."""
        return parts_of(n, seed, many=any(side.many for side in self.sides))

    def blocks(self, part: Part, *, kept: bool = True) -> Iterator[tuple[Array, Array]]:
        """Yield the counts of one part (replicates x cells).

        If the blocks need not be kept, each one overwrites the previous one.
        """
        for_positives, for_negatives, for_sizes = part.generators()
        positives, negatives = self.cells.positives, self.cells.negatives
        spaces = (None, None) if kept else self._workspaces()
        for block in block_sizes(part.replicates, self.work, BLOCK if part.place is None else LARGE_BLOCK):
            up = np.full(block, positives) if self.stratified else for_sizes.binomial(self.total, self.share, block)
            down = np.full(block, negatives) if self.stratified else self.total - up
            pos = self.sides[0].draw(for_positives, up, spaces[0])
            yield pos, self.sides[1].draw(for_negatives, down, spaces[1])

    def _workspaces(self) -> tuple[Workspace, Workspace]:
        """The workspaces of this thread, for both classes."""
        from rocscope.intervals.poisson_counts import Workspace

        if not hasattr(self._own, "spaces"):
            self._own.spaces = Workspace(), Workspace()
        found: tuple[Workspace, Workspace] = self._own.spaces
        return found

    @property
    def work(self) -> int:
        """How many numbers one replicate requires."""
        return max(len(self.cells), *(side.work for side in self.sides))


def block_sizes(n: int, width: int, numbers: int = BLOCK) -> Iterator[int]:
    """The number of replicates in each block."""
    most = max(1, numbers // max(1, width))
    for start in range(0, n, most):
        yield min(most, n - start)


class Side:
    """The cases of one class, ready to be drawn with replacement; `spread` is the variance of the number drawn."""

    def __init__(self, counts: Array, spread: float = 0.0) -> None:
        self.size, self.total = len(counts), int(counts.sum())
        self.filled = np.flatnonzero(counts)
        self.few = DRAW_PER_CELL * len(self.filled) < self.total
        self.many = not self.few and self.total >= MANY
        self.shares = counts[self.filled] / max(1, self.total)
        self.poisson = _poisson_counts(counts, spread) if self.many else None
        self.cell_of = None if self.few or self.many else np.repeat(self.filled, counts[self.filled])

    @property
    def work(self) -> int:
        """How many numbers one replicate requires."""
        return self.total if self.cell_of is not None else len(self.filled)

    def draw(self, generator: np.random.Generator, sizes: Array, space: Workspace | None = None) -> Array:
        """Counts per cell of `sizes` cases each."""
        if not self.total:
            return np.zeros((len(sizes), self.size), dtype=np.int64)
        if self.poisson is not None:
            return self.poisson.draw(generator, sizes, space)
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
        cells = self.cell_of.take(generator.integers(0, self.total, int(sizes.sum())))
        if len(sizes) > 1:
            cells += np.repeat(np.arange(len(sizes)) * self.size, sizes)
        return np.bincount(cells, minlength=len(sizes) * self.size).reshape(len(sizes), self.size)


def _poisson_counts(counts: Array, spread: float) -> PoissonCounts:
    from rocscope.intervals.poisson_counts import PoissonCounts  # loaded lazily: few commands resample that many cases

    return PoissonCounts(counts, spread)


def cells_along(pos: Array, neg: Array) -> dict[str, Array]:
    """The four cells after each cell of each replicate (replicates x thresholds), starting with "predict
    nothing".
    """
    tp, fp = np.zeros((2, len(pos), pos.shape[1] + 1))
    for sums, counts in ((tp, pos), (fp, neg)):
        sums[:, 1:] = counts
        np.cumsum(sums, axis=1, out=sums)  # in place: conversion while summing would take 2.6 times as long
    return cells_of(tp, fp, tp[:, -1:], fp[:, -1:])


# ---- rows: several models, clusters or weights ----


def multiplicities(
    rows: Any, n: int, *, seed: int = 0, stratified: bool = True, clusters: tuple[Array, int] | None = None
) -> Iterator[Array]:
    """The number of times that each row, or its whole cluster, was drawn in n resamples, in blocks (replicates x rows).

    For stratified resamples, give `PairedCases`; otherwise, the number of rows is enough.
    """
    drawn = RowDraws(rows, stratified=stratified, clusters=clusters)
    return (block for part in drawn.parts(n, seed) for block in drawn.blocks(part))


class RowDraws:
    """Rows ready to be drawn: by class, from all rows, or by whole clusters."""

    def __init__(self, rows: Any, *, stratified: bool, clusters: tuple[Array, int] | None) -> None:
        self.size, self.clusters = len(rows), clusters
        self.sides = rows.sides if stratified and clusters is None else None
        kinds = [self.size if clusters is None else clusters[1]] if self.sides is None else map(len, self.sides)
        self.units = [Side(np.ones(many, dtype=np.int64)) for many in kinds]

    def parts(self, n: int, seed: int) -> list[Part]:
        """The n replicates in parts."""
        return parts_of(n, seed, many=any(unit.many for unit in self.units))

    def blocks(self, part: Part) -> Iterator[Array]:
        """Yield how often each row is drawn in the replicates of one part."""
        generators = part.generators()
        for block in block_sizes(part.replicates, self.size, BLOCK if part.place is None else LARGE_BLOCK):
            found = [
                unit.draw(generator, np.full(block, unit.total))
                for unit, generator in zip(self.units, generators, strict=False)
            ]
            if self.clusters is not None:
                yield found[0][:, self.clusters[0]]
            elif self.sides is not None:
                counts = np.empty((block, self.size), dtype=np.int64)
                for side, drawn in zip(self.sides, found, strict=True):
                    counts[:, side] = drawn
                yield counts
            else:
                yield found[0]


class Scattered:
    """The cells of one model's rows: converts multiplicities of rows to counts (or weights) per cell."""

    def __init__(self, rows: PairedCases, model: int, layout: Layout) -> None:
        cell_of_score = layout(rows.table(model))
        self.size = int(cell_of_score[-1]) + 1
        cell = cell_of_score[rows.places[model]]
        self.sides = [CellSums(side, cell[side], self.size, rows.weights) for side in rows.sides]

    def counts(self, drawn: Array) -> tuple[Array, Array]:
        """Positives and negatives per cell of each replicate."""
        return self.sides[0].counts(drawn), self.sides[1].counts(drawn)


class CellSums:
    """Cases in the order of their cells, so that the content of a cell is a sum over neighbors.

    `cases` are the columns to be counted, `cell` is the cell of each, and `weights` are those of all columns.
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
