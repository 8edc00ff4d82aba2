"""Exact areas of data larger than memory: the order inside cells is counted by ranges of values, as many rows at a time
as fit.

The cells of a first pass give the number of rows in each range. A range is read and its rows are sorted; its
contributions to U and to average precision follow from the totals of the cells on both sides of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocscope import tally
from rocscope.sources.cells import PASSES, Entries, slices_of
from rocscope.sources.source import BUDGET, Key, Reduced, Source
from rocscope.sources.usable_rows import Chunk, RowValidator, TableRequest
from rocscope.tally import blocks, ordered, sort

if TYPE_CHECKING:
    from rocscope.sources.certified import Levels
    from rocscope.sources.engines.certified import Cells
    from rocscope.sources.engines.query import Query
    from rocscope.sources.engines.survey import Survey

Array = NDArray[Any]
LEAN, HEAVY = 8, 72
"""The bytes that a row of a range takes: the key, which is sorted in place; with weights, everything that `tally.group`
needs."""

PIECE = 2**20
"""Sorted keys are read in blocks of this size."""


class Range(NamedTuple):
    """The rows of one score column with low <= score < high."""

    model: int
    low: float
    high: float
    rows: int


def rows_in_range(request: TableRequest, *, lean: bool) -> int:
    """The maximum number of rows of a range in memory."""
    budget = BUDGET if request.budget is None else request.budget
    return max(1024, int(budget * 0.75) // (LEAN if lean else HEAVY))


def heavy(entries: Entries, fit: int) -> Array:
    """The positions of all entries of cells with several scores whose rows, over all slices, do not fit in
    memory.
    """
    edges, position = np.unique(entries.low, return_inverse=True)
    rows = np.bincount(position, entries.rows, len(edges))
    several = np.bincount(position, _several(entries), len(edges)) > 0
    return np.flatnonzero((several & (rows > fit))[position])


def _several(entries: Entries) -> Array:
    """Which cells may hold several scores."""
    return np.ones(len(entries), dtype=bool) if entries.single is None else ~entries.single


def planned(entries: Entries, model: int, fit: int) -> tuple[list[Range], Array]:
    """Ranges of at most `fit` rows that cover all cells, and the positions of ties that are too large to
    read.
    """
    edges, first, position = np.unique(entries.low, return_index=True, return_inverse=True)
    rows = np.bincount(position, entries.rows, len(edges)).astype(np.int64)
    tied = (np.bincount(position, _several(entries), len(edges)) == 0) & (rows > fit // 8)
    ends = entries.high[first]
    ranges: list[Range] = []
    start = 0
    while start < len(edges):
        if tied[start]:
            start += 1
            continue
        stop, total = start, 0
        walls = np.flatnonzero(tied[start:])
        wall = start + int(walls[0]) if len(walls) else len(edges)
        sums = np.cumsum(rows[start:wall])
        stop = start + max(1, int(np.searchsorted(sums, fit, side="right")))
        total = int(sums[stop - start - 1])
        ranges.append(Range(model, float(edges[start]), float(ends[stop - 1]), total))
        start = stop
    return ranges, np.flatnonzero(tied[position])


def together(ranges: Sequence[Range], fit: int) -> Iterator[list[Range]]:
    """Combine ranges of all columns into groups that fit in one pass."""
    group: list[Range] = []
    for span in ranges:
        if group and sum(r.rows for r in group) + span.rows > fit:
            yield group
            group = []
        group.append(span)
    if group:
        yield group


# ---- rows read by this process ----


def exact_tables(
    source: Source,
    request: TableRequest,
    validator: RowValidator,
    levels: Levels,
    labels: tuple[Any, Any],
    collected: Sequence[Collector] = (),
) -> Reduced:
    """Compute tables on cells with exact areas: the rows are read once more for each group of ranges that fits the
    budget.

    `collected` holds the rows of all columns if all of them fit; they are then not read again.
    """
    from rocscope.sources.certified import chunks, refine_pass

    lean = is_lean(request)
    fit = rows_in_range(request, lean=lean)
    while not collected and levels.passes < PASSES and levels.split_heavy(fit):
        refine_pass(source, request, validator, levels)
    entries = [Entries.chain(level.parts) for level in levels.columns]
    contributions = RangeContributions(
        request, levels.reduced(validator, labels), entries, validator.slices if request.by else {(): 0}
    )
    for collector in collected:
        collector.settle(contributions)
    ranges: list[Range] = []
    for model, cells in enumerate(entries if not collected else ()):
        spans, ties = planned(cells, model, fit)
        ranges += spans
        contributions.add_ties(model, cells.take(ties))
    for several in together(ranges, fit):
        collectors = [Collector(span, lean=lean) for span in several]
        again = RowValidator(request)
        again.slices = validator.slices
        levels.passes += 1
        for chunk in chunks(source, request, again, step=f"pass {levels.passes}"):
            for collector in collectors:
                collector.pick(chunk, levels.oriented(chunk.scores[collector.range.model])[0])
        for collector in collectors:
            collector.settle(contributions)
    return contributions.reduced(levels.passes)


def is_lean(request: TableRequest) -> bool:
    """Whether a row consists of a score and a label only."""
    return request.weight is None and not request.by


def collectors_of_all(source: Source, request: TableRequest) -> list[Collector]:
    """One unbounded range per column if exact areas are requested and the rows of all columns fit, else
    nothing.
    """
    if not request.exact or source.once or source.rows is None or not is_lean(request):
        return []
    if source.rows * len(request.scores) > rows_in_range(request, lean=True):
        return []
    ranges = (Range(model, -np.inf, np.inf, source.rows) for model in range(len(request.scores)))
    return [Collector(range_, lean=True) for range_ in ranges]


class Collector:
    """The rows of one range: packed keys without weights and slices, otherwise chunks.

    A key has 63 bits of the score and one of the label. Negative scores are stored from the end of the array, others
    from its start, so that each side has a bit to spare.
    """

    def __init__(self, span: Range, *, lean: bool) -> None:
        self.range, self.lean = span, lean
        self.keys = np.empty(span.rows if lean else 0, dtype=np.uint64)
        self.chunks: list[Chunk] = []
        self.upper, self.lower = 0, len(self.keys)

    def pick(self, chunk: Chunk, scores: Array) -> None:
        """Keep the rows that lie in the range."""
        inside: Any = np.s_[:]
        if np.isfinite(self.range.low):
            inside = scores >= self.range.low
            inside &= scores < self.range.high
        mask, scores = chunk.mask[inside], scores[inside]
        if not len(scores):
            return
        if self.lean:
            self._pack(mask, scores)
            return
        weights = None if chunk.weights is None else chunk.weights[inside]
        slices = None if chunk.slices is None else chunk.slices[inside]
        self.chunks.append(Chunk(mask, (scores,), weights, slices))

    def _pack(self, mask: Array, scores: Array) -> None:
        """Store rows as integers that sort like their scores, with the label in the last bit."""
        keys = ordered(scores)
        below = keys < 0
        if below.any():
            self.lower -= self._put(keys[below], mask[below], self.lower - int(np.count_nonzero(below)))
            keys, mask = keys[~below], mask[~below]
        self.upper += self._put(keys, mask, self.upper)

    def _put(self, keys: Array, mask: Array, at: int) -> int:
        """Store signed keys of one sign with their labels; shifting in the label shifts out the sign bit."""
        part = self.keys[at : at + len(keys)]
        np.left_shift(keys.view(np.uint64), 1, out=part)
        part |= mask
        return len(keys)

    def settle(self, contributions: RangeContributions) -> None:
        """Sort the collected rows and add their contributions."""
        if self.lean:
            keys, self.keys = self.keys, np.empty(0, dtype=np.uint64)
            below = contributions.below(self.range)
            for part in (keys[self.lower :], keys[: self.upper]):
                sort(part)
                below = contributions.add_sorted(self.range.model, part, below)
        elif self.chunks:
            from rocscope.sources.certified import ChunkBuffer

            buffer = ChunkBuffer()
            buffer.chunks, self.chunks = self.chunks, []
            contributions.add_rows(self.range.model, buffer.whole())


# ---- running sums ----


@dataclass
class RangeSums:
    """Contributions of ranges to one table: twice U, and the sum of precisions at the positives."""

    low: Array  # edges of the cells, ascending
    pos: Array  # positives below each edge, and the total
    neg: Array
    twice_u: int | float = 0
    precisions: float = 0.0

    @classmethod
    def of(cls, entries: Entries) -> RangeSums:
        """Start with the totals of cells and no contributions."""
        order = np.argsort(entries.low, kind="stable")
        pos, neg = (np.concatenate(([0], np.cumsum(side[order]))) for side in (entries.pos, entries.neg))
        return cls(entries.low[order], pos, neg)

    def below(self, score: float) -> tuple[Any, Any]:
        """The positives and negatives in the cells below that of a score."""
        position = max(0, int(np.searchsorted(self.low, score, side="right")) - 1)
        return self.pos[position].item(), self.neg[position].item()

    def add(self, pos: Array, neg: Array, below: tuple[Any, Any]) -> None:
        """Add distinct scores in ascending order, given the positives and negatives below the first."""
        self.twice_u += tally.twice_u(pos[::-1], neg[::-1]) + 2 * below[1] * tally.total(pos)
        up = float(self.pos[-1]) - float(below[0])
        down = float(self.neg[-1]) - float(below[1])
        for rows in blocks(len(pos)):
            hits, alarms = pos[rows].astype(np.float64), neg[rows].astype(np.float64)
            at_hits = up - (np.cumsum(hits) - hits)  # at or above each score
            at_all = at_hits + (down - (np.cumsum(alarms) - alarms))
            used = hits > 0
            self.precisions += float((hits[used] * at_hits[used] / at_all[used]).sum())
            up, down = up - float(hits.sum()), down - float(alarms.sum())

    def add_keys(self, keys: Array, below: tuple[int, int]) -> tuple[int, int]:
        """Add sorted packed keys, given the counts below the first; return the counts below the next."""
        labels = (keys & np.uint64(1)).astype(bool)
        scores = keys >> np.uint64(1)
        begins = scores[1:] != scores[:-1]
        if begins.all():
            positives = self._add_untied(np.flatnonzero(labels), len(keys), below)
        else:
            starts = np.flatnonzero(np.concatenate(([True], begins)))
            pos = np.add.reduceat(labels, starts, dtype=np.int64)
            self.add(pos, np.diff(starts, append=len(keys)) - pos, below)
            positives = int(pos.sum())
        return below[0] + positives, below[1] + len(keys) - positives

    def _add_untied(self, positions: Array, rows: int, below: tuple[int, int]) -> int:
        """Add sorted scores without ties, positive at `positions`; return the number of positives."""
        before = np.arange(len(positions))
        self.twice_u += 2 * (int(positions.sum()) - int(before.sum()) + below[1] * len(positions))
        hits = float(self.pos[-1] - below[0]) - before
        alarms = float(self.neg[-1] - below[1]) - (positions - before)
        self.precisions += float((hits / (hits + alarms)).sum())
        return len(positions)


def _ascending(entries: Entries) -> Entries:
    """Sort entries of all levels by slice."""
    assert entries.slices is not None
    return entries.take(np.argsort(entries.slices, kind="stable"))


class RangeContributions:
    """Contributions of ranges for every score column and slice."""

    def __init__(
        self, request: TableRequest, reduced: Reduced, entries: Sequence[Entries], slices: dict[tuple[Any, ...], int]
    ) -> None:
        self.base = reduced
        self.keys: dict[tuple[int, int], Key] = {}
        self.found: dict[tuple[int, int], RangeSums] = {}
        for model, name in enumerate(request.scores):
            numbers = {number: key for key, number in slices.items()}
            sorted_values = entries[model] if entries[model].slices is None else _ascending(entries[model])
            for number, part in enumerate(slices_of([sorted_values], len(numbers))):
                self.keys[model, number] = (*numbers[number], name)
                self.found[model, number] = RangeSums.of(part)

    def add_ties(self, model: int, ties: Entries) -> None:
        """Add cells of one distinct score, whose rows need not be read."""
        for i in range(len(ties)):
            sums = self.found[model, 0 if ties.slices is None else int(ties.slices[i])]
            pos, neg = (side[i : i + 1].astype(np.result_type(side, np.int64)) for side in (ties.pos, ties.neg))
            sums.add(pos, neg, sums.below(float(ties.low[i])))

    def add_rows(self, model: int, rows: Chunk) -> None:
        """Add the rows of a range, with any slices and weights."""
        numbers = np.zeros(len(rows), dtype=np.int64) if rows.slices is None else rows.slices
        for number in np.unique(numbers).tolist():
            at = np.flatnonzero(numbers == number)
            weights = None if rows.weights is None else rows.weights[at]
            group = tally.group(rows.scores[0][at], rows.mask[at], weights, descending=False)
            if len(group.scores):
                sums = self.found[model, number]
                sums.add(group.pos, group.neg, sums.below(float(group.scores[0])))

    def below(self, span: Range) -> tuple[Any, Any]:
        """The positives and negatives below a range, without slices."""
        return self.found[span.model, 0].below(span.low)

    def add_sorted(self, model: int, keys: Array, below: tuple[Any, Any]) -> tuple[Any, Any]:
        """Add sorted packed keys without slices and weights, given the counts below them.

        Returns the counts below the next.
        """
        sums, start = self.found[model, 0], 0
        while start < len(keys):
            stop = min(start + PIECE, len(keys))
            if stop < len(keys):  # do not split a tie
                stop = int(np.searchsorted(keys, keys[stop - 1] | np.uint64(1), side="right"))
            below = sums.add_keys(keys[start:stop], below)
            start = stop
        return below

    def reduced(self, passes: int) -> Reduced:
        """The tables with their exact areas."""
        tables = dict(self.base.tables)
        for at, key in self.keys.items():
            t = tables.get(key)
            if t is None or t.known is None or t.mixed is None:
                continue
            share = self.found[at].precisions / float(t.positives) if t.positives else None
            tables[key] = replace(t, known=replace(t.known, twice_u=self.found[at].twice_u, average_precision=share))
        return replace(self.base, tables=tables, passes=passes, bound=0.0, exact=True)


# ---- rows read by an engine ----


def exact_in_engine(query: Query, survey: Survey, columns: list[Cells]) -> Reduced:
    """Compute exact tables through an engine: every range is a query that returns its rows."""
    from rocscope.sources.engines.certified import reduced_of, rows_between, split_heavy

    fit = rows_in_range(query.request, lean=False)
    while survey.passes < PASSES and split_heavy(columns, query, survey, fit):
        pass
    entries = [column.entries() for column in columns]
    contributions = RangeContributions(query.request, reduced_of(columns, query, survey), entries, survey.slices)
    for model, cells in enumerate(entries):
        ranges, ties = planned(cells, model, fit)
        contributions.add_ties(model, cells.take(ties))
        depth = columns[model].depth
        for span in ranges:
            survey.passes += 1
            first, beyond = (int(np.ldexp(edge, depth)) for edge in (span.low, span.high))
            contributions.add_rows(model, rows_between(query, survey, model, (depth, first, beyond - 1)))
    return contributions.reduced(survey.passes)
