"""Products of placements inside an engine: the placements of cells are joined to the rows, and only sums are
returned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from rocscope.errors import RocscopeError
from rocscope.sources.cells import Entries
from rocscope.sources.engines import rows_here
from rocscope.sources.engines.certified import LISTED, Cells, certified, floored, reduced_of
from rocscope.sources.engines.collect import collect
from rocscope.sources.engines.query import USED, Query
from rocscope.sources.engines.survey import surveyed, whole_numbers
from rocscope.sources.paired_areas import area_of, covariance_of, share_of
from rocscope.sources.source import PairedAreas, Source
from rocscope.sources.usable_rows import TableRequest

Array = NDArray[Any]


def placed_in_engine(source: Source, request: TableRequest) -> PairedAreas | None:
    """Compute the areas and their covariance, with all sums in the engine; None if the rows are few enough to transfer.

    Rows of sqlframe are always transferred: it writes every value of a table into its query, and thousands take
    minutes. So are those of SQLite and similar engines: the query is nested too deeply for their parsers.
    """
    query = Query.of(source, request)
    if query.rows.implementation.is_sqlframe() or not query.has_nan:
        return None
    survey = surveyed(query)
    if survey.used <= rows_here(source, request):
        return None
    columns = certified(query, survey)
    reduced = reduced_of(columns, query, survey)
    marginal = tuple(reduced.tables[name,] for name in request.scores)
    areas = [area_of(t) for t in marginal]
    rows = _joined(source, query, columns, areas)
    sums = _sums(collect(_products(rows, query)), len(query.scores))
    covariance = covariance_of(sums, survey.counts.sum(axis=1), marginal[0], request)
    return PairedAreas(
        request.scores, marginal, covariance, reduced.left_out, reduced.bound, max(share_of(t) for t in marginal)
    )


def _joined(source: Source, query: Query, columns: list[Cells], areas: Sequence[float]) -> Any:
    """The rows with columns d0, d1 ...: each placement minus its mean, the area."""
    rows = query.rows.filter(nw.col("r") == USED)
    rows = rows.with_columns(query.side)
    for i, column in enumerate(columns):
        score = nw.col(f"s{i}") + 0.0
        turned = score if query.request.higher_is_positive else 0.0 - score
        rows = _with_cell(rows.with_columns(turned.alias("u")), column, i)
        lookup = nw.from_native(like(source, _lookup(column, i, areas[i]))).lazy()
        rows = rows.join(lookup, on=[f"l{i}", f"c{i}"], how="inner")
        own = nw.when(nw.col("p") == 1).then(nw.col(f"v{i}")).otherwise(nw.col(f"w{i}"))
        rows = rows.with_columns(own.alias(f"d{i}"))
    return rows


def _with_cell(rows: Any, column: Cells, i: int) -> Any:
    """Add the cell of every row at the depth to which it was split: its level and its number there."""
    start = column.history[0][0] if column.history else column.depth
    rows = rows.with_columns(
        floored(nw.col("u") * 2.0**start, [start], split=False).alias("c"),
        (nw.col("p") * 0).cast(nw.Int64).alias(f"l{i}"),
    )
    for level, (depth, chosen, steps) in enumerate(column.history):
        inside = (nw.col(f"l{i}") == level) & (nw.col("c") >= float(chosen[0])) & (nw.col("c") <= float(chosen[-1]))
        rows = rows.with_columns(nw.when(inside).then(nw.col("c")).otherwise(nw.lit(0.0)).cast(nw.Int64).alias("k"))
        if len(chosen) <= LISTED:
            inside = inside & nw.col("k").is_in([int(cell) for cell in chosen])
        deeper = floored(nw.col("u") * 2.0 ** (depth + steps), [depth + steps])
        rows = rows.with_columns(
            nw.when(inside).then(nw.lit(level + 1)).otherwise(nw.col(f"l{i}")).cast(nw.Int64).alias(f"l{i}"),
            nw.when(inside).then(deeper).otherwise(nw.col("c")).alias("c"),
        )
    return rows.with_columns(nw.col("c").cast(nw.Int64).alias(f"c{i}"))


def _lookup(column: Cells, i: int, area: float) -> dict[str, Array]:
    """The level and number of every cell with its placements, minus the area."""
    depths = [depth for depth, _, _ in column.history] + [column.depth]
    parts = [*column.done, column.last]
    level = np.concatenate([np.full(len(part), at) for at, part in enumerate(parts)])
    cell = np.concatenate([np.ldexp(part.low, depth) for part, depth in zip(parts, depths, strict=True)])
    v, w = _placements(column.entries())
    return {
        f"l{i}": level.astype(np.int64), f"c{i}": cell.astype(np.int64), f"v{i}": v - area, f"w{i}": w - area
    }  # fmt: skip


def _placements(entries: Entries) -> tuple[Array, Array]:
    order = np.argsort(-entries.low, kind="stable")
    pos, neg = entries.pos[order].astype(np.float64), entries.neg[order].astype(np.float64)
    v, w = np.empty(len(order)), np.empty(len(order))
    v[order] = (neg.sum() - np.cumsum(neg) + neg / 2) / neg.sum()
    w[order] = (np.cumsum(pos) - pos / 2) / pos.sum()
    return v, w


def _products(rows: Any, query: Query) -> Any:
    pairs = [(i, j) for i in range(len(query.scores)) for j in range(i, len(query.scores))]
    weight = nw.lit(1.0)
    if query.request.weight is not None:
        own = nw.col("w").cast(nw.Float64)
        weight = own * own if query.request.sampled else own
    products = [(nw.col(f"d{i}") * nw.col(f"d{j}") * weight).alias(f"x{i}_{j}") for i, j in pairs]
    return rows.with_columns(*products).group_by("p").agg(*(nw.col(f"x{i}_{j}").sum() for i, j in pairs))


def _sums(columns: Mapping[str, Any], size: int) -> Array:
    """The products summed by the engine: those of positives and of negatives, score x score."""
    sums = np.zeros((2, size, size))
    for row, positive in enumerate(whole_numbers(columns["p"]).tolist()):
        for i in range(size):
            for j in range(i, size):
                sums[1 - positive, i, j] = sums[1 - positive, j, i] = float(columns[f"x{i}_{j}"].values[row])
    return sums


# ---- small table in the library of the source ----


def like(source: Source, columns: Mapping[str, Array]) -> Any:
    """The columns as a lazy frame that can be joined to the source."""
    native = source.native
    implementation = nw.from_native(native).implementation
    if implementation.is_polars():
        import polars as pl

        return pl.LazyFrame(dict(columns))
    if implementation.is_duckdb():
        return _relation(native, columns)
    if implementation.is_dask():
        import dask.dataframe as dd
        import pandas as pd

        return dd.from_pandas(pd.DataFrame(dict(columns)), npartitions=1)  # type: ignore[no-untyped-call]
    if implementation.is_ibis():
        import ibis  # type: ignore[import-untyped]
        import pyarrow as pa

        return ibis.memtable(pa.table(dict(columns)))
    if implementation.is_pyspark() or implementation.is_pyspark_connect():
        import pandas as pd

        return native.sparkSession.createDataFrame(pd.DataFrame(dict(columns)))
    raise RocscopeError(f"a table cannot be sent to a {source.kind} frame")


def _relation(relation: Any, columns: Mapping[str, Array]) -> Any:
    """Create a table in the connection of a relation, which is not accessible otherwise: only the relation's own
    queries run there.
    """
    lists = ", ".join(f"unnest({column.tolist()}) as {name}" for name, column in columns.items())
    table = f"rocscope_{'_'.join(columns)}"
    relation.query("rows", f"create or replace temp table {table} as select {lists}")
    return relation.query("rows", f"select * from {table}")
