"""Counting rows by cell: dense arrays of counts that cover the range of the scores seen so far."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocscope.sources.background import BackgroundWorker
from rocscope.sources.cells import CELLS, FEWEST, Entries, cell_of, cells_of, depth_of, edges, span
from rocscope.table import Known
from rocscope.tally import blocks

Array = NDArray[Any]
PIECE = 2**15  # rows per block, so that intermediate results stay in the processor cache
FOLD = 16  # number of probabilities multiplied before a logarithm is taken
SMALLEST = 2.0**-1022  # smallest normal float; a smaller product has lost precision
PENDING = 2**21
"""The number of rows counted at a time; for each batch, an array with one count per cell is added."""


class ScoredRows(NamedTuple):
    """Rows of one score column: labels 0 and 1, optional weights and slices, and the range of the scores."""

    scores: Array
    mask: Array
    weights: Array | None
    slices: Array | None
    ends: tuple[float, float]

    def pieces(self) -> Iterator[ScoredRows]:
        """Yield the rows in blocks small enough to stay in the processor cache between steps."""
        for rows in blocks(len(self.scores), PIECE):
            weights, slices = (None if column is None else column[rows] for column in (self.weights, self.slices))
            yield ScoredRows(self.scores[rows], self.mask[rows], weights, slices, self.ends)


class RowBuffer:
    """Buffer of rows to be counted: 2 * place + label, in the type that NumPy counts without a copy."""

    def __init__(self, room: int, *, weighted: bool) -> None:
        self.rows = 0
        self.slots = np.empty(room, dtype=np.intp)
        self.weights = np.empty(room) if weighted else None

    @property
    def full(self) -> bool:
        """Whether the buffer is full."""
        return self.rows == len(self.slots)

    def take(self, positions: Array, mask: Array, weights: Array | None, start: int) -> int:
        """Store the rows from `start` on that fit; return the first row that does not."""
        stop = min(len(positions), start + len(self.slots) - self.rows)
        end = self.rows + stop - start
        part = self.slots[self.rows : end]
        np.left_shift(positions[start:stop], 1, out=part)
        part += mask[start:stop]
        if self.weights is not None and weights is not None:
            self.weights[self.rows : end] = weights[start:stop]
        self.rows = end
        return stop


class Counter:
    """The weight of each class at each place, and which places hold one distinct score.

    A place is cell + cells * slice. `single` is determined only on request: it costs as much as the counting.
    """

    def __init__(self, size: int, *, weighted: bool, squares: bool, single: bool, pending: int = PENDING) -> None:
        self.size, self.pending = size, pending
        self.counts = np.zeros(2 * size, dtype=np.int64)
        self.sums = np.zeros(2 * size) if weighted else None
        self.squares = np.zeros(2 * size) if squares else None
        self.first = np.full(size, np.nan) if single else None
        self.several = np.zeros(size, dtype=bool) if single else None
        self._buffer: RowBuffer | None = None
        self._spare: RowBuffer | None = None
        self._worker = BackgroundWorker()

    def add(self, positions: Array, mask: Array, weights: Array | None, scores: Array) -> None:
        """Count rows; `scores` are needed to determine which places hold one distinct score."""
        self.look(positions, scores)
        start = 0
        while start < len(positions):
            if self._buffer is None:
                self._buffer = RowBuffer(max(self.pending, self.size), weighted=self.sums is not None)
            start = self._buffer.take(positions, mask, weights, start)
            if self._buffer.full:
                self._begin()

    def flush(self) -> None:
        """Count all buffered rows."""
        self._begin()
        self._worker.finish()
        self._buffer = self._spare = None

    def _begin(self) -> None:
        """Start counting the buffered rows in the background, while the next rows are prepared."""
        self._worker.finish()
        if self._buffer is not None and self._buffer.rows:
            buffer, self._buffer = self._buffer, self._spare
            self._spare = buffer  # reused for new rows after these have been counted
            self._worker.do(self._add_up, buffer)

    def _add_up(self, buffer: RowBuffer) -> None:
        slots = buffer.slots[: buffer.rows]
        self.counts += np.bincount(slots, minlength=2 * self.size)
        if self.sums is not None and buffer.weights is not None:
            weights = buffer.weights[: buffer.rows]
            self.sums += np.bincount(slots, weights, 2 * self.size)
            if self.squares is not None:
                self.squares += np.bincount(slots, weights * weights, 2 * self.size)
        buffer.rows = 0

    def look(self, positions: Array, scores: Array) -> None:
        """Update which places hold one distinct score."""
        if self.first is None or self.several is None:
            return
        known = self.first[positions]
        fresh = np.isnan(known)
        if fresh.any():
            self.first[positions[fresh]] = scores[fresh]
            known = self.first[positions]
        other = known != scores
        if other.any():
            self.several[positions[other]] = True

    def moved(self, positions: Array, size: int) -> Counter:
        """The same counts with every place renumbered; several places may be merged into one."""
        self.flush()
        counter = Counter(
            size, weighted=self.sums is not None, squares=self.squares is not None, single=self.first is not None,
            pending=self.pending,
        )  # fmt: skip
        used = np.flatnonzero((self.counts[0::2] != 0) | (self.counts[1::2] != 0))
        slots = (2 * positions[used][:, None] + np.arange(2)).ravel()
        old = (2 * used[:, None] + np.arange(2)).ravel()
        np.add.at(counter.counts, slots, self.counts[old])
        for mine, theirs in ((self.sums, counter.sums), (self.squares, counter.squares)):
            if mine is not None and theirs is not None:
                np.add.at(theirs, slots, mine[old])
        if self.first is not None and counter.several is not None and self.several is not None:
            counter.look(positions[used], self.first[used])
            counter.several[positions[used][self.several[used]]] = True
        return counter

    def entries(self, low: Array, depth: int, slices: Array | None, at: Array) -> Entries:
        """The places `at` as entries with the given edges and slices."""
        weights = self.counts if self.sums is None else self.sums
        pos, neg = weights[2 * at + 1], weights[2 * at]
        counted = None if self.sums is None else self.counts[2 * at] + self.counts[2 * at + 1]
        if self.sums is None and int(self.counts.max(initial=0)) < 2**30:
            pos, neg = pos.astype(np.int32), neg.astype(np.int32)
        squares = self.squares
        return Entries(
            low, np.full(len(at), depth, dtype=np.int16), pos, neg, slices,
            None if self.several is None else ~self.several[at], None if self.first is None else self.first[at],
            counted, None if squares is None else squares[2 * at + 1], None if squares is None else squares[2 * at],
        )  # fmt: skip

    def used(self) -> Array:
        """The places that hold at least one row."""
        self.flush()
        return np.flatnonzero((self.counts[0::2] != 0) | (self.counts[1::2] != 0))


class Grid:
    """The cells of one score column over the range seen so far, for every slice; coarser as that range grows.

    The final depth depends only on the whole range and the number of slices, not on the order of rows.
    """

    def __init__(
        self, *, weighted: bool, squares: bool, single: bool, cells: int = CELLS, pending: int = PENDING
    ) -> None:
        self._how: Any = {"weighted": weighted, "squares": squares, "single": single, "pending": pending}
        self.cells = cells
        self.low, self.high = math.inf, -math.inf
        self.depth = 0
        self.base = 0
        self.width = 0
        self.slices = 1
        self.counter: Counter | None = None
        self._scratch = np.empty(PIECE)

    def add(self, cases: ScoredRows, many: int) -> None:
        """Count scores, oriented so that higher means positive, of the given number of slices."""
        if not len(cases.scores):
            return
        self._reach(*cases.ends, many)
        assert self.counter is not None
        for piece in cases.pieces():
            positions = self.places(piece.scores, piece.slices)
            self.counter.add(positions, piece.mask, piece.weights, piece.scores)

    def places(self, scores: Array, slices: Array | None) -> Array:
        """The place of every score."""
        cells = cells_of(scores, self.depth, out=self._scratch[: len(scores)] if len(scores) <= PIECE else None)
        if self.base:
            cells -= self.base
        positions: Any = cells.astype(np.int64 if self.slices * self.width >= 2**30 else np.int32)
        if slices is not None:
            positions += (slices * self.width).astype(positions.dtype)
        return np.asarray(positions)

    def _reach(self, low: float, high: float, many: int) -> None:
        if low >= 0 and high <= 1 and self.counter is None:
            low, high = 0.0, 1.0  # probably probabilities, so cover the whole range at once
        if low >= self.low and high <= self.high and many <= self.slices:
            return
        low, high = min(low, self.low), max(high, self.high)
        slices = 1 << (max(many, self.slices) - 1).bit_length()
        room = max(self.cells // slices, FEWEST)
        depth = depth_of(low, high, room)
        base, width = int(cell_of(low, depth)), span(low, high, depth)
        if self.counter is None:
            self.counter = Counter(slices * width, **self._how)
        else:
            self.counter = self.counter.moved(self._renumbered(depth, base, width), slices * width)
        self.low, self.high = low, high
        self.depth, self.base, self.width, self.slices = depth, base, width, slices

    def _renumbered(self, depth: int, base: int, width: int) -> Array:
        cells = np.floor(np.ldexp(np.arange(self.width) + float(self.base), depth - self.depth)) - base
        cells = np.clip(cells, 0, width - 1).astype(np.int64)  # cells outside the range are empty
        return np.asarray((np.arange(self.slices)[:, None] * width + cells).ravel())

    def entries(self) -> tuple[Entries, Array]:
        """The contents of the cells, and the place of each."""
        if self.counter is None:
            none, positions = np.empty(0), np.empty(0, dtype=np.int64)
            return Entries(none, none.astype(np.int16), none, none), positions
        counter, self.counter = self.counter, None  # releases the memory for the following steps
        at = counter.used()
        slices, cells = np.divmod(at, self.width)
        low = edges(cells + float(self.base), self.depth)
        return counter.entries(low, self.depth, slices.astype(np.int32) if self.slices > 1 else None, at), at


@dataclass
class Split:
    """Cells of the previous level, each divided into 2^halvings parts."""

    slot: Array  # cell index in the level above -> index among the split cells, or -1
    owner: Array | None  # slice of each split cell, if there are slices
    cell: Array  # cell number of each split cell
    depth: int  # depth of the parts
    halvings: int
    size: int  # number of parts
    counter: Counter | None

    def narrowed(self, positions: Array, scores: Array, above: int) -> tuple[Array, Array]:
        """Which rows lie in split cells, and their places among the parts."""
        slots = self.slot[positions]
        rows = np.flatnonzero(slots >= 0)
        scores = scores[rows]
        parts = cells_of(scores, self.depth) - cells_of(scores, above) * 2.0**self.halvings
        return rows, (slots[rows].astype(np.int64) << self.halvings) + parts.astype(np.int64)

    def entries(self) -> tuple[Entries, Array]:
        """The contents of the parts, and the place of each."""
        assert self.counter is not None
        counter, self.counter = self.counter, None
        at = counter.used()
        parent, part = at >> self.halvings, at & ((1 << self.halvings) - 1)
        low = edges(self.cell[parent], self.depth - self.halvings)
        low += part * math.ldexp(1.0, -self.depth)
        return counter.entries(low, self.depth, None if self.owner is None else self.owner[parent], at), at


class Losses:
    """Sums over cases by slice that cells cannot provide: for the Brier score, the log loss and the range."""

    def __init__(self) -> None:
        self.low, self.high = np.empty(0), np.empty(0)
        self.sums = np.zeros((0, 6))
        # allocated once: new memory in every step would take longer than the step itself
        self._scratch = np.empty((2, PIECE))

    def add(self, cases: ScoredRows, many: int) -> None:
        """Add the losses of rows with their exact scores, of the given number of slices."""
        self._room(many)
        if not len(cases.scores):
            return
        if cases.slices is None:
            self.low[0], self.high[0] = min(self.low[0], cases.ends[0]), max(self.high[0], cases.ends[1])
        else:
            np.minimum.at(self.low, cases.slices, cases.scores)
            np.maximum.at(self.high, cases.slices, cases.scores)
        fine = (self.low >= 0) & (self.high <= 1)
        if not fine.any():
            return
        for piece in cases.pieces():
            if piece.weights is None and piece.slices is None:
                self._add_plain(piece.scores, piece.mask)
            else:
                self._add(piece if piece.slices is None else _kept(piece, fine[piece.slices]))

    def _add_plain(self, scores: Array, mask: Array) -> None:
        """The hot path: no weights and no slices."""
        whole = len(scores) - len(scores) % FOLD
        if not whole or not self._add_folded(scores[:whole], mask[:whole]):
            whole = 0
        if whole < len(scores):
            self._add_each(scores[whole:], mask[whole:])

    def _add_folded(self, scores: Array, mask: Array) -> bool:
        """Add rows in whole folds, with one logarithm per product of a fold; return False if a product underflows.

        A product of 16 factors of at most 1 has at most 15 rounding errors, no more than 16 logarithms would have.
        """
        up, down = self._scratch[0, : len(scores)], self._scratch[1, : len(scores)]
        np.copyto(down, mask)
        np.subtract(1.0, down, out=down)
        np.maximum(scores, down, out=up)  # probability predicted for positives, 1 for negatives
        np.multiply(scores, down, out=down)  # probability predicted for negatives, 0 for positives
        hits = np.multiply.reduce(up.reshape(FOLD, -1), axis=0)
        np.subtract(1.0, up, out=up)
        squares = [float(np.einsum("i,i->", missed, missed)) for missed in (up, down)]
        np.subtract(1.0, down, out=down)
        products = (hits, np.multiply.reduce(down.reshape(FOLD, -1), axis=0))
        if min(float(product.min()) for product in products) < SMALLEST:
            return False
        self.sums[0, :4] += *squares, *(-float(np.log(product, out=product).sum()) for product in products)
        return True

    def _add_each(self, scores: Array, mask: Array) -> None:
        """Add rows one by one, counting probabilities of 0 separately."""
        positive = mask.astype(np.float64)
        given = 1.0 - positive
        given -= scores
        np.abs(given, out=given)  # probability assigned to the actual class
        misses = 1.0 - given
        if given.min() == 0:
            lost = given == 0
            shocked = np.count_nonzero(mask[lost])
            self.sums[0, 4:] += shocked, np.count_nonzero(lost) - shocked
            given[lost] = 1.0
        np.log(given, out=given)
        misses *= misses
        both, up = float(misses.sum()), float(given.sum())
        hits, losses = float((misses * positive).sum()), float((given * positive).sum())
        self.sums[0, :4] += hits, both - hits, -losses, losses - up

    def _room(self, many: int) -> None:
        more = many - len(self.low)
        if more > 0:
            self.low = np.concatenate((self.low, np.full(more, np.inf)))
            self.high = np.concatenate((self.high, np.full(more, -np.inf)))
            self.sums = np.concatenate((self.sums, np.zeros((more, 6))))

    def _add(self, cases: ScoredRows) -> None:
        scores, mask, weights, slices, _ = cases
        given = np.abs(1.0 - mask - scores)  # probability assigned to the actual class
        misses = 1.0 - given
        misses *= misses
        lost = given == 0
        surprised = bool(lost.any())
        if surprised:
            given[lost] = 1.0
        surprise = np.log(given, out=given)
        columns = [misses, surprise, *([lost.astype(np.float64)] if surprised else [])]
        positive = mask.astype(np.float64) if weights is None else mask * weights.astype(np.float64)
        for i, column in enumerate(columns):
            sign = -1.0 if i == 1 else 1.0
            if slices is None:
                up = column @ positive
                both = column.sum() if weights is None else column @ weights
                self.sums[0, 2 * i : 2 * i + 2] += sign * up, sign * (both - up)
            else:
                size = len(self.low)
                up = np.bincount(slices, column * positive, size)
                both = np.bincount(slices, column if weights is None else column * weights, size)
                self.sums[:, 2 * i] += sign * up
                self.sums[:, 2 * i + 1] += sign * (both - up)

    def known(self, at: int) -> Known:
        """The sums of one slice."""
        low, high = float(self.low[at]), float(self.high[at])
        if low < 0 or high > 1:
            return Known(low, high)
        sums = [float(max(0.0, value)) for value in self.sums[at]]
        return Known(low, high, (sums[0], sums[1]), (sums[2], sums[3]), (sums[4], sums[5]))


def _kept(cases: ScoredRows, kept: Array) -> ScoredRows:
    """The cases of slices whose scores are probabilities."""
    if kept.all():
        return cases
    weights, slices = (None if column is None else column[kept] for column in (cases.weights, cases.slices))
    return ScoredRows(cases.scores[kept], cases.mask[kept], weights, slices, cases.ends)
