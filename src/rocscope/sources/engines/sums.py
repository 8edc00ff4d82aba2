"""Sums by distinct score: exact tables where they fit."""

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
from rocscope.sources.usable_rows import Asked
from rocscope.table import ScoreTable

Array = NDArray[Any]


def summed(rows: Any, keys: Sequence[str], query: Query, survey: Survey, *, ends: bool) -> Any:
    """Sums of the rows of each group: how many, their weight, its square, the range.

    Where p is not among the keys, both classes are in one group, with the number of positives: half as many groups.
    """
    asked, made = query.asked, []
    types: dict[str, Any] = {}
    if "p" not in keys:
        types["p"] = nw.Int64
    if asked.weight is not None:
        types["w"] = nw.Int64 if query.whole else nw.Float64
    if asked.sampled:
        exact = query.whole and survey.heaviest**2 * survey.used < 2**62
        weight = nw.col("w") if exact else nw.col("w").cast(nw.Float64)
        made.append((weight * weight).alias("ww"))
        types["ww"] = nw.Int64 if exact else nw.Float64
    range_ = [nw.col("u").min().alias("low"), nw.col("u").max().alias("high")] if ends else []
    keys = [key for key in keys if key != "m" or len(query.scores) > 1]
    rows = rows.with_columns(*made) if made else rows
    sums = rows.group_by(*keys, *query.slices).agg(nw.len().alias("one"), *(nw.col(n).sum() for n in types), *range_)
    return typed(sums, {"one": nw.Int64, **types})


def collected_sums(sums: Any) -> Mapping[str, Column]:
    """Sums as arrays; with one score alone its number is not among the keys."""
    found = collect(sums)
    if "m" in found:
        return found
    return {**found, "m": Column(np.zeros(len(found["one"].values), dtype=np.int64))}


def grouped_query(query: Query, survey: Survey) -> Any:
    """Sums by score, class and slice: for as many rows as may come back."""
    return summed(query.used(), ["m", "p", "s"], query, survey, ends=False)


def grouped(query: Query, survey: Survey) -> Reduced:
    """The exact tables."""
    found = collected_sums(grouped_query(query, survey))
    asked = query.asked
    model, mask = whole_numbers(found["m"]), whole_numbers(found["p"]).astype(np.uint8)
    slices, places = slices_in(found, query, slice(None))
    scores = found["s"].values.astype(np.float64) + 0.0
    sums = [values_of(found, name) for name in ("one", "w", "ww")]
    tables: dict[Key, ScoreTable] = {}
    for key, place in in_order(slices):
        for i, name in enumerate(asked.scores):
            at = np.flatnonzero((model == i) & (places == place))
            tables[(*key, name)] = _table_of_sums(
                scores[at], mask[at], [None if column is None else column[at] for column in sums], survey, asked
            )
    return Reduced(tables, survey.left_out, survey.rows, survey.passes + 1, 0.0, True)


def values_of(found: Mapping[str, Column], name: str) -> Array | None:
    """The sums of a column, None where it was not asked for."""
    if name not in found:
        return None
    values = found[name].plain()
    return np.asarray(values.astype(np.float64) if values.dtype.kind == "O" else values)


def _table_of_sums(
    scores: Array, mask: Array, sums: Sequence[Array | None], survey: Survey, asked: Asked
) -> ScoreTable:
    ones, weights, squares = sums
    assert ones is not None
    distinct, place = np.unique(scores, return_inverse=True)
    step = -1 if asked.higher_is_positive else 1

    def of_side(column: Array, side: int) -> Array:
        found = np.zeros(len(distinct), dtype=column.dtype)
        np.add.at(found, place[mask == side], column[mask == side])
        return np.ascontiguousarray(found[::step])

    main = ones if weights is None else weights
    pos, neg = of_side(main, 1), of_side(main, 0)
    up, down = (None, None) if squares is None else (of_side(squares, 1), of_side(squares, 0))
    names = np.ascontiguousarray(distinct[::step])
    kept = (pos != 0) | (neg != 0)
    rows = int(ones[mask == 1].sum()), int(ones[mask == 0].sum())
    parts = [None if column is None else column[kept] for column in (names, pos, neg, up, down)]
    return ScoreTable(parts[0], parts[1], parts[2], asked.higher_is_positive, survey.labels, parts[3], parts[4], rows)
