"""Reduction with NumPy of data that this process can read: exact if the rows fit in memory, otherwise by cells, split
where needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope import tally
from rocscope.sources.cells import (
    CELLS,
    DEEPEST,
    PASSES,
    SPLITS,
    Entries,
    bounds_of,
    halvings,
    slices_of,
    table_of,
    worst,
)
from rocscope.sources.column_batches import batches
from rocscope.sources.counters import PENDING, Counter, Grid, Losses, ScoredRows, Split
from rocscope.sources.exact_ranges import Collector, collectors_of_all, exact_tables, heavy
from rocscope.sources.source import BUDGET, ROW, Key, Reduced, Source
from rocscope.sources.usable_rows import Chunk, RowValidator, TableRequest, rows_that_fit
from rocscope.table import ScoreTable

Array = NDArray[Any]
SHARE = 0.01  # required precision of a slice's area, as a share of its standard error
CELL = 128  # peak number of bytes per cell, from the counting pass to the final table (measured: 116)
TIED = 0.5  # share of distinct scores in the first batch below which a check for ties pays off


def reduce_local(source: Source, request: TableRequest) -> Reduced:
    """Compute the tables of a source that this process can read."""
    fit = rows_that_fit(BUDGET if request.budget is None else request.budget, request, ROW)
    validator, buffer, levels = RowValidator(request), ChunkBuffer(), None
    collected: list[Collector] = []
    if source.rows is not None and source.rows > fit:
        levels, collected = Levels(request, source.once), collectors_of_all(source, request)
    for chunk in chunks(source, request, validator, step="pass 1"):
        if levels is None and buffer.rows + len(chunk) > fit:
            levels = Levels(request, source.once)
            for earlier in buffer.emptied():
                levels.count(earlier, len(validator.slices))
        if levels is None:
            buffer.add(chunk)
        else:
            levels.count(chunk, len(validator.slices))
            for collector in collected:
                collector.pick(chunk, levels.oriented(chunk.scores[collector.range.model])[0])
    labels = validator.settle()
    if levels is None:
        return exact_in_memory(buffer, validator, labels, request)
    levels.close(max(1, len(validator.slices)))
    if request.exact and not source.once:
        return exact_tables(source, request, validator, levels, labels, collected)
    while not source.once and levels.passes < PASSES and levels.split():
        refine_pass(source, request, validator, levels)
    return levels.reduced(validator, labels)


def refine_pass(source: Source, request: TableRequest, validator: RowValidator, levels: Levels) -> None:
    """Read the source again to count the cells being split."""
    again = RowValidator(request)
    again.slices = validator.slices
    levels.passes += 1
    for chunk in chunks(source, request, again, step=f"pass {levels.passes}"):
        levels.refine(chunk)
    levels.close_split()


def chunks(source: Source, request: TableRequest, validator: RowValidator, *, step: str) -> Iterator[Chunk]:
    """Yield the usable rows of a source and report progress."""
    for batch in batches(source, request.names):
        chunk = validator.take(batch)
        if request.progress is not None:
            request.progress(validator.rows, source.rows, step=step)
        yield chunk


# ---- exact tables in memory ----


class ChunkBuffer:
    """Buffer of chunks, kept until all have been read.

    `own` means that the arrays of a single chunk may be overwritten.
    """

    def __init__(self, *, own: bool = False) -> None:
        self.chunks: list[Chunk] = []
        self.rows = 0
        self.own = own

    def add(self, chunk: Chunk) -> None:
        """Append a chunk, with slice numbers in the narrowest sufficient type to save memory."""
        if chunk.slices is not None:
            chunk = chunk.numbered(np.int16 if int(chunk.slices.max(initial=0)) < 2**15 else np.int32)
        self.chunks.append(chunk)
        self.rows += len(chunk)

    def emptied(self) -> Iterator[Chunk]:
        """Yield the chunks one by one, removing each from the buffer."""
        while self.chunks:
            yield self.chunks.pop(0).numbered(np.int64)

    def whole(self) -> Chunk:
        """Concatenate all chunks and clear the buffer."""
        parts, self.chunks = self.chunks, []
        if len(parts) == 1:
            return parts[0]
        weights = None if parts[0].weights is None else _joined([p.weights for p in parts])
        slices = None if parts[0].slices is None else _joined([p.slices for p in parts])
        scores = tuple(_joined([part.scores[i] for part in parts]) for i in range(len(parts[0].scores)))
        return Chunk(_joined([p.mask for p in parts]), scores, weights, slices)


def _joined(parts: list[Any]) -> Array:
    if len({part.dtype for part in parts if len(part)}) > 1:
        kinds = {part.dtype.kind for part in parts if len(part)}
        if kinds <= {"i", "u"}:
            return np.concatenate(parts)
        parts = [part.astype(np.float64) for part in parts if len(part)]
    return np.concatenate([part for part in parts if len(part)] or parts[:1])


def exact_in_memory(
    buffer: ChunkBuffer, validator: RowValidator, labels: tuple[Any, Any], request: TableRequest
) -> Reduced:
    """Compute exact tables of rows in memory."""
    own = buffer.own or len(buffer.chunks) > 1  # concatenated rows are a copy of our own, which may be overwritten
    rows = buffer.whole()
    tables: dict[Key, ScoreTable] = {}
    whole: dict[str, ScoreTable] = {}
    if rows.slices is None:
        for i, name in enumerate(request.scores):
            tables[name,] = exact_table(rows.mask, rows.scores[i], rows.weights, labels, request, spent=own)
    else:
        order = np.argsort(rows.slices, kind="stable")  # radix sort for narrow integer types
        numbers = np.arange(len(validator.slices), dtype=rows.slices.dtype)
        ends = np.searchsorted(rows.slices, numbers, side="right", sorter=order).tolist()
        found = {name: _sliced(rows, i, order, ends, labels, request) for i, name in enumerate(request.scores)}
        whole = {name: all_rows for name, (_, all_rows) in found.items()}
        for key, number in in_order(validator.slices):
            if ends[number] > (ends[number - 1] if number else 0):
                tables |= {(*key, name): parts[number] for name, (parts, _) in found.items()}
    return Reduced(tables, dict(validator.left_out), validator.rows, 1, 0.0, True, whole=whole)


def _sliced(
    rows: Chunk, score: int, order: Array, ends: Sequence[int], labels: tuple[Any, Any], request: TableRequest
) -> tuple[list[ScoreTable], ScoreTable]:
    """Compute the tables of one score: those of the slices, in the order of their numbers, and that of all rows.

    Without weights, `group_parts` sorts the slices and all rows together.
    """
    scores, starts = rows.scores[score], [0, *ends[:-1]]
    if rows.weights is None:
        mask = rows.mask[order]
        how: dict[str, bool] = {"descending": request.higher_is_positive, "squares": request.sampled}
        made = tally.group_parts(scores[order], mask, ends, **how)
        if made is not None:
            groups = zip(made[0], starts, ends, strict=True)
            return [_table_of(one, mask[a:b], labels, request) for one, a, b in groups], _table_of(
                made[1], mask, labels, request
            )
    parts = []
    for start, end in zip(starts, ends, strict=True):
        at = order[start:end]
        weights = None if rows.weights is None else rows.weights[at]
        parts.append(exact_table(rows.mask[at], scores[at], weights, labels, request, spent=True))
    return parts, exact_table(rows.mask, scores, rows.weights, labels, request)


def in_order(slices: dict[tuple[Any, ...], int]) -> list[tuple[tuple[Any, ...], int]]:
    """Slices sorted by their values, missing ones last; in order of appearance if the values cannot be sorted."""

    def rank(item: tuple[tuple[Any, ...], int]) -> list[tuple[bool, Any]]:
        return [(value is None, 0 if value is None else value) for value in item[0]]

    try:
        return sorted(slices.items(), key=rank)
    except TypeError:
        return sorted(slices.items(), key=lambda item: [(value is None, str(value)) for value in item[0]])


def exact_table(
    mask: Array,
    scores: Array,
    weights: Array | None,
    labels: tuple[Any, Any],
    request: TableRequest,
    *,
    spent: bool = False,
) -> ScoreTable:
    """Build the table of validated rows; in a slice, all weights may be zero. For `spent`, see `tally.group`."""
    how: dict[str, bool] = {"descending": request.higher_is_positive, "squares": request.sampled, "spent": spent}
    return _table_of(tally.group(scores, mask, weights, **how), mask, labels, request)


def _table_of(found: tally.Groups, mask: Array, labels: tuple[Any, Any], request: TableRequest) -> ScoreTable:
    positives = int(np.count_nonzero(mask))
    return ScoreTable(
        found.scores,
        found.pos,
        found.neg,
        request.higher_is_positive,
        labels,
        found.pos_squares,
        found.neg_squares,
        (positives, len(mask) - positives),
    )


# ---- counting in cells ----


@dataclass
class Level:
    """The cells of one score column: an initial grid, then the splits of later passes."""

    grid: Grid
    losses: Losses
    splits: list[Split]
    done: list[Entries]  # entries of earlier levels, except cells that were split
    last: Entries | None = None
    at: Array | None = None

    @property
    def depth(self) -> int:
        """Depth of the cells of the last level."""
        return self.splits[-1].depth if self.splits else self.grid.depth

    @property
    def parts(self) -> list[Entries]:
        """All cells, each at its final depth."""
        assert self.last is not None
        return [*self.done, self.last]


class Levels:
    """The cells of all score columns, and the counts that they share."""

    def __init__(self, request: TableRequest, once: bool) -> None:
        self.request, self.once, self.passes = request, once, 1
        pending = PENDING // sharing(request)
        self._how: Any = {"weighted": request.weight is not None, "squares": request.sampled, "pending": pending}
        self.columns: list[Level] = []
        self.rows = np.zeros((2, 0), dtype=np.int64)
        self._whole = True
        self._pending: list[Level] = []

    def count(self, chunk: Chunk, many: int) -> None:
        """Count a chunk in the first pass."""
        many = max(1, many)
        if chunk.weights is not None and len(chunk):
            self._whole &= chunk.weights.dtype.kind in "iu"
        if not self.columns and len(chunk):
            self.columns = [self._level(score) for score in chunk.scores]
        self._count_rows(chunk, many)
        extents = chunk.extents or (None,) * len(chunk.scores)
        for level, scores, extent in zip(self.columns, chunk.scores, extents, strict=bool(self.columns)):
            oriented, true = self.oriented(scores)
            low, high = extent or (true.min(initial=np.inf), true.max(initial=-np.inf))
            ends = (float(low), float(high)) if self.request.higher_is_positive else (0.0 - high, 0.0 - low)
            level.grid.add(ScoredRows(oriented, chunk.mask, chunk.weights, chunk.slices, ends), many)
            level.losses.add(ScoredRows(true, chunk.mask, chunk.weights, chunk.slices, (low, high)), many)

    def _level(self, sample: Array) -> Level:
        part = sample[: 2**16]
        single = self.once or len(np.unique(part)) < TIED * len(part)
        most = min(CELLS, 1 << (room_for_parts((), self.request).bit_length() - 1))
        return Level(Grid(**self._how, single=single, cells=most), Losses(), [], [])

    def oriented(self, scores: Array) -> tuple[Array, Array]:
        """The scores oriented so that higher means positive, and the original scores, both as float64."""
        true = as_floats(scores)
        return (true, true) if self.request.higher_is_positive else (0.0 - true, true)

    def _count_rows(self, chunk: Chunk, many: int) -> None:
        if self.rows.shape[1] < many:
            self.rows = np.pad(self.rows, ((0, 0), (0, many - self.rows.shape[1])))
        up = chunk.mask.view(bool) if chunk.mask.dtype == np.uint8 else chunk.mask.astype(bool)
        if chunk.slices is None:
            positives = int(np.count_nonzero(up))
            self.rows[:, 0] += positives, len(up) - positives
        else:
            self.rows[0] += np.bincount(chunk.slices[up], minlength=self.rows.shape[1])
            self.rows[1] += np.bincount(chunk.slices[~up], minlength=self.rows.shape[1])

    def close(self, many: int) -> None:
        """Finish the first pass."""
        for level in self.columns:
            level.last, level.at = level.grid.entries()

    # ---- further passes ----

    def split(self) -> bool:
        """Choose the cells to split next; return False if every bound is small enough."""
        self._pending = [
            level for level in self.columns
            if self._split(level, self._worst(level), room_for_parts(level.parts, self.request))
        ]  # fmt: skip
        return bool(self._pending)

    def split_heavy(self, fit: int) -> bool:
        """Choose the cells with more rows than fit in memory; return False if there are none."""
        chosen = [heavy(level.last, fit) for level in self.columns if level.last is not None]
        pairs = zip(self.columns, chosen, strict=True)
        self._pending = [level for level, cells in pairs if self._split(level, cells, SPLITS)]
        return bool(self._pending)

    def _worst(self, level: Level) -> Array:
        last = level.last
        assert last is not None
        many = max(1, self.rows.shape[1])
        totals = totals_of(level.parts, many)
        targets = slice_targets(level.parts, totals, self.rows, self.request)
        return worst(last, totals, targets, bounds_of(level.done, totals))

    def _split(self, level: Level, chosen: Array, parts: int) -> bool:
        last, at = level.last, level.at
        assert last is not None and at is not None
        if not len(chosen) or level.depth >= DEEPEST or 2 * len(chosen) > parts:
            return False
        positions = at[chosen]
        above = level.splits[-1].size if level.splits else level.grid.slices * level.grid.width
        slot = np.full(above, -1, dtype=np.int32)
        slot[positions] = np.arange(len(positions), dtype=np.int32)
        steps = min(halvings(len(positions), parts), DEEPEST - level.depth)
        cells = np.ldexp(last.low[chosen], level.depth)
        counter = Counter(len(positions) << steps, **self._how, single=True)
        rest = np.ones(len(last), dtype=bool)
        rest[chosen] = False
        level.done.append(last.take(rest))
        owner = None if last.slices is None else last.slices[chosen]
        level.splits.append(Split(slot, owner, cells, level.depth + steps, steps, counter.size, counter))
        level.last = None
        return True

    def refine(self, chunk: Chunk) -> None:
        """Count a chunk of a later pass."""
        for level, scores in zip(self.columns, chunk.scores, strict=True):
            if level in self._pending:
                refine(level, self.oriented(scores)[0], chunk)

    def close_split(self) -> None:
        """Finish a later pass."""
        for level in self._pending:
            level.last, level.at = level.splits[-1].entries()

    # ---- final tables ----

    def reduced(self, validator: RowValidator, labels: tuple[Any, Any]) -> Reduced:
        """Build the tables of all columns and slices."""
        tables: dict[Key, ScoreTable] = {}
        slices = in_order(validator.slices) if self.request.by else [((), 0)]
        parts = [self._tables(level, labels) for level in self.columns]
        self._pending = []
        for key, number in slices:
            for name, tables_of_score in zip(self.request.scores, parts, strict=True):
                if self.rows[:, number].any():
                    tables[(*key, name)] = tables_of_score[number]
        bound = max((t.bound for t in tables.values()), default=0.0)
        exact = all(t.mixed is None for t in tables.values())
        return Reduced(tables, dict(validator.left_out), validator.rows, self.passes, bound, exact)

    def _tables(self, level: Level, labels: tuple[Any, Any]) -> list[ScoreTable]:
        higher, whole = self.request.higher_is_positive, self._whole
        return [
            table_of(
                entries, higher=higher, labels=labels, rows=(int(self.rows[0, i]), int(self.rows[1, i])),
                known=level.losses.known(i), whole=whole,
            )
            for i, entries in enumerate(slices_of(level.parts, self.rows.shape[1]))
        ]  # fmt: skip


def refine(level: Level, scores: Array, chunk: Chunk) -> None:
    """Count the rows that lie in the cells being split."""
    positions, rows, depth = level.grid.places(scores, chunk.slices), None, level.grid.depth
    for split in level.splits:
        inside, positions = split.narrowed(positions, scores, depth)
        scores, depth = scores[inside], split.depth
        rows = inside if rows is None else rows[inside]
    assert rows is not None
    weights = None if chunk.weights is None else chunk.weights[rows]
    counter = level.splits[-1].counter
    assert counter is not None
    counter.add(positions, chunk.mask[rows], weights, scores)


def sharing(request: TableRequest) -> int:
    """The number of score columns that share the memory of a pass.

    The limits allow for two without a reduction.
    """
    return max(1, len(request.scores) - 1)


def room_for_parts(cells: Sequence[Entries], request: TableRequest) -> int:
    """The maximum number of parts into which the cells of a score may be split, given slices, scores and budget.

    If the budget is exhausted, the bound reports the remaining uncertainty.
    """
    if not request.by and len(request.scores) <= 2:
        return SPLITS
    room = max(0, BUDGET if request.budget is None else request.budget) // CELL
    return min(SPLITS, (SPLITS // 2 + room) // sharing(request) - sum(map(len, cells)))


def slice_targets(
    parts: Sequence[Entries], totals: Array, rows: Array, request: TableRequest, *, share: float = SHARE
) -> Array:
    """The required bound of every slice: the tolerance, or a share of the slice's standard error if that is
    larger.
    """
    targets = np.full(totals.shape[1], request.tolerance)
    if request.by:
        wide = bounds_of(parts, totals) > request.tolerance
        for number, entries in enumerate(slices_of(parts, len(targets))):
            if wide[number]:
                targets[number] = max(request.tolerance, share * _error(entries, rows[:, number]))
    return targets


def _error(entries: Entries, rows: Array) -> float:
    """Estimate the standard error of a slice's area from its cells; 0 if it is undefined."""
    t = table_of(entries, higher=True, labels=(0, 1), rows=(int(rows[0]), int(rows[1])), known=None, whole=False)
    if not t.positives or not t.negatives:
        return 0.0
    # imported here because it is slow to load and not needed if the rows fit in memory
    from rocscope.intervals import auc_slopes, linear_variance

    spread = linear_variance(t, auc_slopes, tally.twice_u(t.pos, t.neg) / (2.0 * t.positives * t.negatives))
    return math.sqrt(spread) if spread > 0 else 0.0


def totals_of(parts: Sequence[Entries], many: int) -> Array:
    """The weights of positives and of negatives by slice."""
    return np.stack([
        np.sum([part.by_slice(part.pos, many) for part in parts], axis=0),
        np.sum([part.by_slice(part.neg, many) for part in parts], axis=0),
    ])  # fmt: skip


def as_floats(scores: Array) -> Array:
    """Convert scores to float64."""
    return scores.astype(np.float64, copy=False)
