"""Sums by cell, and then by the parts of the cells that contribute most to the bound."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from rocscope.sources.cells import (
    CELLS,
    DEEPEST,
    FEWEST,
    PASSES,
    Entries,
    bounds_of,
    depth_of,
    edges,
    halvings,
    needed_halvings,
    slices_of,
    table_of,
    worst,
)
from rocscope.sources.certified import TIED, in_order, room_for_parts, slice_targets, totals_of
from rocscope.sources.column_batches import Column
from rocscope.sources.engines.collect import collect
from rocscope.sources.engines.query import Query
from rocscope.sources.engines.sums import collected_sums, summed, values_of
from rocscope.sources.engines.survey import Survey, slices_in, whole_numbers
from rocscope.sources.exact_ranges import heavy
from rocscope.sources.source import Key, Reduced
from rocscope.sources.usable_rows import Chunk
from rocscope.table import Known, ScoreTable

Array = NDArray[Any]
LISTED = 2000
"""The maximum number of cells named in a query; more are requested as one range."""
SAMPLE = 2**14
"""The number of rows inspected for ties."""
ENGINE_SHARE = 0.05
"""The share of its standard error to which the area of a slice must be known; more is costly, because every cell
of every slice is sent."""


@dataclass
class Cells:
    """The cells of one score column: the final ones of earlier passes, and the last ones, which can be split."""

    depth: int
    done: list[Entries]
    last: Entries
    cell: Array  # cell number of each entry of `last`
    known: list[Known]
    chosen: Array | None = None  # numbers of the cells to split
    steps: int = 0
    # (depth, cells that were split, number of halvings)
    history: list[tuple[int, Array, int]] = field(default_factory=list)

    @property
    def parts(self) -> list[Entries]:
        """All cells, each at its final depth."""
        return [*self.done, self.last]

    def entries(self) -> Entries:
        """Concatenate all cells."""
        return Entries.chain(self.parts)


def certified(query: Query, survey: Survey) -> list[Cells]:
    """The cells of every score, split until the bounds are small enough, unless exact areas follow."""
    columns = _first_cells(query, survey)
    if not query.request.exact:
        _refine(columns, query, survey)
    return columns


def certified_slices(query: Query, survey: Survey) -> Reduced:
    """Compute the tables of slices, and of all cases together.

    One query counts the cells of all slices, as fine as their standard errors require. If their sum over slices is too
    coarse for all cases, a separate query counts these; both use the same survey.
    """
    columns = _first_cells(query, survey)
    overall, rest = query.unsliced(), survey.unsliced()
    whole = [_added_slices(column, rest.known[i]) for i, column in enumerate(columns)]
    if max(_open(column) for column in whole) > query.request.tolerance:
        whole = certified(overall, rest)
    _refine(columns, query, survey)
    reduced = reduced_of(whole, overall, rest)
    passes = survey.passes + rest.passes - 2  # both share the survey and the first level of cells
    tables = {name: reduced.tables[name,] for name in query.request.scores}
    return replace(reduced_of(columns, query, survey), passes=passes, whole=tables)


def _open(column: Cells) -> float:
    """The bound of all cases together."""
    return float(bounds_of(column.parts, totals_of(column.parts, 1))[0])


def _refine(columns: list[Cells], query: Query, survey: Survey) -> None:
    """Split cells until the bounds are small enough."""
    while survey.passes < PASSES and _choose(columns, query, survey):
        _split(columns, query, survey)


def _added_slices(column: Cells, known: list[Known]) -> Cells:
    """Sum the first cells of a score over slices."""
    last, order = column.last, np.argsort(column.cell, kind="stable")
    cell = column.cell[order]
    fresh = np.ones(len(cell), dtype=bool)
    fresh[1:] = cell[1:] != cell[:-1]
    starts = np.flatnonzero(fresh)

    def sums(values: Array | None) -> Any:
        return None if values is None else _added(values[order], starts)

    single = first = None
    if last.single is not None and last.first is not None:
        first, most = (end.reduceat(last.first[order], starts) for end in (np.minimum, np.maximum))
        single = np.logical_and.reduceat(last.single[order], starts) & (first == most)
    entries = Entries(
        last.low[order][starts], last.depth[order][starts], sums(last.pos), sums(last.neg), None, single, first,
        sums(last.counted), sums(last.pos_squares), sums(last.neg_squares),
    )  # fmt: skip
    return Cells(column.depth, [], entries, cell[starts], known)


def cells_query(query: Query, survey: Survey, depths: Sequence[int], *, ends: bool = True) -> Any:
    """Sum by cell, class and slice, with a separate depth for every score."""
    rows = query.used().with_columns(_cell(depths, "cell"))
    return summed(rows, _keys(query, "cell"), query, survey, ends=ends)


def _keys(query: Query, *keys: str) -> list[str]:
    """The grouping keys of cells: both classes are counted together, but weights are summed by class, as a
    difference would round.
    """
    return ["m", *keys] if query.request.weight is None else ["m", "p", *keys]


def _cell(depths: Sequence[int], name: str) -> Any:
    product = nw.col("u") * _by_model([2.0**depth for depth in depths])
    return floored(product, depths, split=False).cast(nw.Int64).alias(name)


def floored(product: Any, depths: Sequence[int], *, split: bool = True) -> Any:
    """Round down to a whole number.

    The product of a small negative score underflows, but remains below 0 (see `cells_of`).

    Once cells are split, numbers of cells far from 0 exceed any integer type, which Spark rejects even if the row is
    filtered out: they are clipped. No such cell is ever split, because from 2^53 on it holds one float.
    """
    if split:
        product = product.clip(-(2.0**62), 2.0**62)
    lowest = product.floor()
    if min(depths) >= 0:
        return lowest
    return nw.when((nw.col("u") < 0) & (lowest == 0)).then(nw.lit(-1.0)).otherwise(lowest)


def _by_model(values: Sequence[float]) -> Any:
    chosen = nw.lit(values[-1])
    for i in range(len(values) - 2, -1, -1):
        if values[i] != values[-1] or len(set(values)) > 1:
            chosen = nw.when(nw.col("m") == i).then(nw.lit(values[i])).otherwise(chosen)
    return chosen


def depths_of(query: Query, survey: Survey) -> list[int]:
    """The depth of the first cells of every score, from its range and the number of slices."""
    return [
        depth_of(*_range_of(query, survey, i), cells_of_a_slice(query, survey, i)) for i in range(len(query.scores))
    ]


def _range_of(query: Query, survey: Survey, score: int) -> tuple[float, float]:
    """The range that the cells of a score divide."""
    low, high = survey.low[score], survey.high[score]
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    return (low, high) if query.request.higher_is_positive else (-high, -low)


def cells_of_a_slice(query: Query, survey: Survey, score: int) -> int:
    """The number of cells per slice in the first pass: as many as the largest slice's error requires, within the
    total limit.

    The area of a slice is certain to a share of its standard error, whose magnitude follows from the numbers of cases:
    sqrt((P + N + 1) / (12 P N)) for uninformative scores (Mann and Whitney 1947). If scores are concentrated, the
    number of cells is increased according to the sample, so that a second query is rarely needed.
    """
    cells = first_cells(query.request.tolerance)
    if not query.slices:
        return cells
    up, down = survey.counts.astype(np.float64)
    both = (up > 0) & (down > 0)
    least = float(((up + down + 1)[both] / (12 * up * down)[both]).min(initial=1.0))
    wanted = survey.crowding[score] / max(query.request.tolerance, ENGINE_SHARE * math.sqrt(least))
    enough = 1 << math.ceil(math.log2(max(wanted, 1.0)))
    many = 1 << (max(1, len(survey.slices)) - 1).bit_length()
    return max(min(cells, enough, 2 * CELLS // many), FEWEST)


def first_cells(tolerance: float) -> int:
    """The number of cells of a first pass: n evenly filled cells leave 1 / (2 n) of the AUC open, a quarter of
    the tolerance.

    >>> first_cells(1e-6), first_cells(1e-3)
    (1048576, 2048)
    """
    wanted = 2 / max(tolerance, 2 / CELLS)
    return 1 << max(10, math.ceil(math.log2(wanted)))


def _first_cells(query: Query, survey: Survey) -> list[Cells]:
    if survey.tied is None:
        _look(query, survey)
    depths = depths_of(query, survey)
    sums = collected_sums(cells_query(query, survey, depths, ends=bool(survey.tied)))
    survey.passes += 1
    model = whole_numbers(sums["m"])
    columns = []
    for i, depth in enumerate(depths):
        at = np.flatnonzero(model == i)
        part = {name: values.take(at) for name, values in sums.items()} if len(depths) > 1 else sums
        entries, cell = _entries(part, query, survey, depth)
        columns.append(Cells(depth, [], entries, cell, survey.known[i]))
    return columns


def _look(query: Query, survey: Survey) -> None:
    """Examine the first rows: whether scores repeat, and how concentrated they are.

    If scores repeat, it is useful to know which cells hold a single score.
    """
    sample = collect(query.used().head(SAMPLE * len(query.scores)).select("m", "u"))
    model, scores = whole_numbers(sample["m"]), sample["u"].values.astype(np.float64)
    parts = [scores[model == i] for i in range(len(query.scores))]
    survey.tied = any(len(np.unique(part)) < TIED * len(part) for part in parts)
    survey.crowding = [_crowding(part, *_range_of(query, survey, i)) for i, part in enumerate(parts)]


def _crowding(scores: Array, low: float, high: float) -> float:
    """How many times as often as evenly spread scores two scores share a cell; at most 16.

    >>> _crowding(np.arange(1024) / 1024, 0.0, 1.0), _crowding(np.arange(1024) / 4096, 0.0, 1.0)
    (1.0, 4.0)
    """
    if not len(scores) or not 0 < high - low < np.inf:
        return 1.0
    shares = np.bincount(((scores - low) / (high - low) * 256).astype(np.int64).clip(0, 255)) / len(scores)
    return min(16.0, max(1.0, 256 * float(shares @ shares)))


def _entries(part: Mapping[str, Column], query: Query, survey: Survey, depth: int) -> tuple[Entries, Array]:
    """The cells of a result and their numbers: rows of both classes merged, with edges."""
    positions, cell = slice_places(part, query, survey), whole_numbers(part["cell"])
    inner = whole_numbers(part["part"]) if "part" in part else np.zeros(1, dtype=np.int64)
    order = _order(positions, cell, inner)
    keys = [key_column[order] for key_column in (positions, cell, inner) if len(key_column) == len(cell)]
    fresh = np.zeros(len(cell), dtype=bool)
    fresh[:1] = True
    for key in keys:
        fresh[1:] |= key[1:] != key[:-1]
    starts = np.flatnonzero(fresh)
    pos, neg, squares = _sides(part, order, starts)
    least = single = None
    if "low" in part:
        least = np.minimum.reduceat(part["low"].values[order].astype(np.float64), starts)
        least += 0.0
        single = least == np.maximum.reduceat(part["high"].values[order].astype(np.float64), starts)
    number = keys[1][starts].astype(np.float64)
    if "part" in part:
        steps, offset = int(query_steps(part)), keys[2][starts].astype(np.float64)
        low = edges(number, depth - steps) + np.ldexp(offset, -depth)
        number = number * 2.0**steps + offset
    else:
        low = edges(number, depth)
    counted = _added(whole_numbers(part["one"])[order], starts) if "w" in part else None
    slices = keys[0][starts].astype(np.int32) if query.slices else None
    depths = np.full(len(low), depth, dtype=np.int16)
    return Entries(low, depths, pos, neg, slices, single, least, counted, *squares), number


def _sides(part: Mapping[str, Column], order: Array, starts: Array) -> tuple[Array, Array, tuple[Any, Any]]:
    """The sums of positives and negatives in each cell, and of squared weights if there are any."""
    if "w" not in part:
        up = whole_numbers(part["p"])
        return up[order], (whole_numbers(part["one"]) - up)[order], (None, None)
    positive = whole_numbers(part["p"])[order] == 1

    def sides(name: str) -> tuple[Array, Array]:
        column = values_of(part, name)
        assert column is not None
        values = column[order]
        return _added(np.where(positive, values, 0), starts), _added(np.where(positive, 0, values), starts)

    return *sides("w"), sides("ww") if "ww" in part else (None, None)


def _added(values: Array, starts: Array) -> Array:
    """Sum the rows of each cell."""
    return values if len(starts) == len(values) else np.add.reduceat(values, starts)


def _order(positions: Array, cell: Array, inner: Array) -> Array:
    """The order by slice, cell and part, using a single combined key if it fits one integer."""
    if not len(cell):
        return np.empty(0, dtype=np.int64)
    low, wide, deep = int(cell.min()), int(cell.max()) - int(cell.min()) + 1, int(inner.max()) + 1
    if deep == 1 and not positions.any():
        return np.argsort(cell)
    if (int(positions.max()) + 1) * wide * deep < 2**62:
        return np.argsort((positions * wide + (cell - low)) * deep + inner)
    return np.lexsort((inner, cell, positions) if len(inner) == len(cell) else (cell, positions))


def query_steps(part: Mapping[str, Column]) -> int:
    """The number of halvings of a split, which its result contains."""
    steps = whole_numbers(part["steps"])
    return int(steps[0]) if len(steps) else 0


def slice_places(part: Mapping[str, Column], query: Query, survey: Survey) -> Array:
    """The slice of every row of a result, as numbered in the survey."""
    keys, positions = slices_in(part, query, slice(None))
    numbers = np.array([survey.slices[key] for key in keys] or [0], dtype=np.int64)
    return numbers[positions]


def _choose(columns: list[Cells], query: Query, survey: Survey) -> bool:
    """Choose the cells to split next in every column; return False if every bound is small enough."""
    for i, column in enumerate(columns):
        totals = totals_of(column.parts, len(survey.slices))
        targets = slice_targets(column.parts, totals, survey.counts, query.request, share=ENGINE_SHARE)
        picked = worst(column.last, totals, targets, bounds_of(column.done, totals))
        column.chosen = np.unique(column.cell[picked]) if len(picked) and column.depth < DEEPEST else None
        if column.chosen is not None:
            inside, room = int(np.isin(column.cell, column.chosen).sum()), room_for_parts(column.parts, query.request)
            usual = cells_of_a_slice(query, survey, i) * len(survey.slices)
            open_ = bounds_of([column.last.take(picked)], totals)
            steps = max(halvings(inside, min(usual, room)), needed_halvings(open_, targets))
            column.steps = min(steps, halvings(inside, room), DEEPEST - column.depth)
            column.chosen = column.chosen if 2 * inside <= room else None
    return any(column.chosen is not None for column in columns)


def split_heavy(columns: list[Cells], query: Query, survey: Survey, fit: int) -> bool:
    """Split the cells with more rows than fit in memory; return False if there are none."""
    for column in columns:
        picked = heavy(column.last, fit)
        column.chosen = np.unique(column.cell[picked]) if len(picked) and column.depth < DEEPEST else None
        if column.chosen is not None:
            column.steps = min(halvings(len(picked)), DEEPEST - column.depth)
    if all(column.chosen is None for column in columns):
        return False
    _split(columns, query, survey)
    return True


def split_query(columns: list[Cells], query: Query, survey: Survey) -> Any:
    """Sum by part of the cells that are split.

    Ranges are specified in whole numbers of cells: an engine may parse a fraction in a query with an error in the last
    bit.
    """
    scale, factor = _by_model([2.0**c.depth for c in columns]), _by_model([2.0**c.steps for c in columns])
    split = [(i, column.chosen) for i, column in enumerate(columns) if column.chosen is not None]
    inside = [
        (nw.col("m") == i) & (nw.col("c") >= float(chosen[0])) & (nw.col("c") <= float(chosen[-1]))
        for i, chosen in split
    ]
    depths, parts = [c.depth for c in columns], [c.depth + c.steps for c in columns]
    rows = query.used().with_columns(floored(nw.col("u") * scale, depths).alias("c")).filter(_any(inside))
    rows = rows.with_columns(nw.col("c").cast(nw.Int64).alias("cell"))
    if any(len(chosen) <= LISTED for _, chosen in split):
        listed = [
            (nw.col("m") == i) & nw.col("cell").is_in([int(cell) for cell in chosen])
            if len(chosen) <= LISTED
            else nw.col("m") == i
            for i, chosen in split
        ]
        rows = rows.filter(_any(listed))
    part = floored(nw.col("u") * scale * factor, parts) - nw.col("c") * factor
    rows = rows.with_columns(part.cast(nw.Int64).alias("part"))
    return summed(rows, _keys(query, "cell", "part"), query, survey, ends=True)


def _any(conditions: Sequence[Any]) -> Any:
    combined = conditions[0]
    for condition in conditions[1:]:
        combined = combined | condition
    return combined


def _split(columns: list[Cells], query: Query, survey: Survey) -> None:
    sums = collected_sums(split_query(columns, query, survey))
    survey.passes += 1
    model = whole_numbers(sums["m"])
    for i, column in enumerate(columns):
        if column.chosen is None:
            continue
        at = np.flatnonzero(model == i)
        at = at[np.isin(whole_numbers(sums["cell"])[at], column.chosen)]
        steps = {"steps": Column(np.full(len(model), column.steps, dtype=np.int64))}
        part = {name: values.take(at) for name, values in {**sums, **steps}.items()}
        entries, cell = _entries(part, query, survey, column.depth + column.steps)
        column.done.append(column.last.take(~np.isin(column.cell, column.chosen)))
        column.history.append((column.depth, column.chosen, column.steps))
        column.last, column.cell, column.depth = entries, cell, column.depth + column.steps


def reduced_of(columns: list[Cells], query: Query, survey: Survey) -> Reduced:
    """Build the tables of all columns and slices."""
    request = query.request
    tables: dict[Key, ScoreTable] = {}
    whole = request.weight is None or query.whole
    counts = [(int(up), int(down)) for up, down in survey.counts.T]
    tables_by_score = [
        [
            table_of(
                entries, higher=request.higher_is_positive, labels=survey.labels, rows=counts[number],
                known=column.known[number], whole=whole,
            )
            for number, entries in enumerate(slices_of(column.parts, len(counts)))
        ]
        for column in columns
    ]  # fmt: skip
    for key, number in in_order(survey.slices):
        for name, tables_of_score in zip(request.scores, tables_by_score, strict=True):
            tables[(*key, name)] = tables_of_score[number]
    bound = max((t.bound for t in tables.values()), default=0.0)
    exact = all(t.mixed is None for t in tables.values())
    return Reduced(tables, survey.left_out, survey.rows, survey.passes, bound, exact)


def rows_between(query: Query, survey: Survey, model: int, cells: tuple[int, int, int]) -> Chunk:
    """The rows of one score that lie in the cells (depth, first, last), with oriented scores."""
    depth, first, last = cells
    rows = query.used().with_columns(floored(nw.col("u") * 2.0**depth, [depth]).alias("c"))
    rows = rows.filter((nw.col("m") == model) & (nw.col("c") >= float(first)) & (nw.col("c") <= float(last)))
    columns = collect(rows)
    mask, scores = whole_numbers(columns["p"]).astype(np.uint8), columns["u"].values.astype(np.float64)
    positions = slice_places(columns, query, survey) if query.slices else None
    return Chunk(mask, (scores + 0.0,), values_of(columns, "w"), positions)
