"""Sums by distinct score: exact tables, if they fit in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from rocscope.sources.certified import in_order
from rocscope.sources.column_batches import Column
from rocscope.sources.engines.collect import collect
from rocscope.sources.engines.query import Query
from rocscope.sources.engines.survey import Survey, slices_in, typed, whole_numbers
from rocscope.sources.source import Key, Reduced
from rocscope.sources.usable_rows import TableRequest
from rocscope.table import ScoreTable

Array = NDArray[Any]


def summed(rows: Any, keys: Sequence[str], query: Query, survey: Survey, *, ends: bool) -> Any:
    """Sum the rows of each group: their number, weight, squared weight and range.

    If p is not among the keys, both classes are in one group, with the number of positives: half as many groups.
    """
    request, squares = query.request, []
    types: dict[str, Any] = {}
    if "p" not in keys:
        types["p"] = nw.Int64
    if request.weight is not None:
        types["w"] = nw.Int64 if query.whole else nw.Float64
    if request.sampled:
        exact = query.whole and survey.heaviest**2 * survey.used < 2**62
        weight = nw.col("w") if exact else nw.col("w").cast(nw.Float64)
        squares.append((weight * weight).alias("ww"))
        types["ww"] = nw.Int64 if exact else nw.Float64
    range_ = [nw.col("u").min().alias("low"), nw.col("u").max().alias("high")] if ends else []
    keys = [key for key in keys if key != "m" or len(query.scores) > 1]
    rows = rows.with_columns(*squares) if squares else rows
    sums = rows.group_by(*keys, *query.slices).agg(nw.len().alias("one"), *(nw.col(n).sum() for n in types), *range_)
    return typed(sums, {"one": nw.Int64, **types})


def collected_sums(sums: Any) -> Mapping[str, Column]:
    """Sums as arrays; with a single score, its index is not among the keys."""
    columns = collect(sums)
    if "m" in columns:
        return columns
    return {**columns, "m": Column(np.zeros(len(columns["one"].values), dtype=np.int64))}


def grouped_query(query: Query, survey: Survey) -> Any:
    """Sum by score, class and slice, for as many rows as may be returned."""
    return summed(query.used(), ["m", "p", "s"], query, survey, ends=False)


def grouped(query: Query, survey: Survey) -> Reduced:
    """Build the exact tables."""
    columns = collected_sums(grouped_query(query, survey))
    request = query.request
    model, mask = whole_numbers(columns["m"]), whole_numbers(columns["p"]).astype(np.uint8)
    slices, positions = slices_in(columns, query, slice(None))
    scores = columns["s"].values.astype(np.float64) + 0.0
    sums = [values_of(columns, name) for name in ("one", "w", "ww")]
    tables: dict[Key, ScoreTable] = {}
    for key, number in in_order(slices):
        for i, name in enumerate(request.scores):
            at = np.flatnonzero((model == i) & (positions == number))
            tables[(*key, name)] = _table_of_sums(
                scores[at], mask[at], [None if column is None else column[at] for column in sums], survey, request
            )
    return Reduced(tables, survey.left_out, survey.rows, survey.passes + 1, 0.0, True)


def values_of(columns: Mapping[str, Column], name: str) -> Array | None:
    """The sums of a column, or None if it was not requested."""
    if name not in columns:
        return None
    values = columns[name].plain()
    return np.asarray(values.astype(np.float64) if values.dtype.kind == "O" else values)


def _table_of_sums(
    scores: Array, mask: Array, sums: Sequence[Array | None], survey: Survey, request: TableRequest
) -> ScoreTable:
    counts, weights, squares = sums
    assert counts is not None
    distinct, position = np.unique(scores, return_inverse=True)
    step = -1 if request.higher_is_positive else 1

    def of_side(column: Array, side: int) -> Array:
        totals = np.zeros(len(distinct), dtype=column.dtype)
        np.add.at(totals, position[mask == side], column[mask == side])
        return np.ascontiguousarray(totals[::step])

    main = counts if weights is None else weights
    pos, neg = of_side(main, 1), of_side(main, 0)
    up, down = (None, None) if squares is None else (of_side(squares, 1), of_side(squares, 0))
    names = np.ascontiguousarray(distinct[::step])
    kept = (pos != 0) | (neg != 0)
    rows = int(counts[mask == 1].sum()), int(counts[mask == 0].sum())
    parts = [None if column is None else column[kept] for column in (names, pos, neg, up, down)]
    return ScoreTable(parts[0], parts[1], parts[2], request.higher_is_positive, survey.labels, parts[3], parts[4], rows)
