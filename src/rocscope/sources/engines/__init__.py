"""Reduction inside an engine, through narwhals: one lazy query for all scores and slices that returns only sums.

Reading order: query (the columns that all passes share), survey (labels, ranges and slices), sums (by distinct score),
certified (by cell, split where needed), placements (for a paired test); collect converts results to arrays.

Pitfalls that shape this code: `when/then` inside an aggregation is silently wrong on some engines, so columns are
created first and then summed as they are; booleans cannot be summed on Spark; null == 1 is False on pandas and null
elsewhere, so rows without a label are filtered out before the comparison; -0.0 and 0.0 are different groups in Arrow;
DuckDB's sums are HUGEINT.
"""

from __future__ import annotations

from rocscope.sources.certified import ChunkBuffer, exact_in_memory
from rocscope.sources.database import name as quoted
from rocscope.sources.engines.certified import certified, certified_slices, reduced_of
from rocscope.sources.engines.collect import collect, collected, streamed
from rocscope.sources.engines.query import Query
from rocscope.sources.engines.sums import grouped
from rocscope.sources.engines.survey import surveyed
from rocscope.sources.exact_ranges import exact_in_engine
from rocscope.sources.frames import count
from rocscope.sources.source import BUDGET, ENGINE_BUDGET, ROW, Reduced, Source
from rocscope.sources.usable_rows import RowValidator, TableRequest, rows_that_fit


def reduce_in_engine(source: Source, request: TableRequest) -> Reduced:
    """Compute the tables of a source inside the engine that reads it."""
    fit = rows_here(source, request)
    if here(source) and _rows(source, request, fit) <= fit:
        validator, buffer = RowValidator(request), ChunkBuffer()
        buffer.add(validator.take(collected(source, request.names)))
        return exact_in_memory(buffer, validator, validator.settle(), request)
    query = Query.of(source, request)
    survey = surveyed(query)
    if survey.used <= fit:
        return grouped(query, survey)
    if request.by and not request.exact:
        return certified_slices(query, survey)
    columns = certified(query, survey)
    if request.exact:
        return exact_in_engine(query, survey, columns)
    return reduced_of(columns, query, survey)


def here(source: Source) -> bool:
    """Whether the engine runs in this process, so that transferring rows costs nothing."""
    return source.kind in ("duckdb", "polars", "csv", "parquet", "jsonl", "arrow", "excel")


def rows_here(source: Source, request: TableRequest) -> float:
    """The largest number of rows that an exact computation may transfer."""
    budget = request.budget if request.budget is not None else BUDGET if here(source) else ENGINE_BUDGET
    return rows_that_fit(budget, request, ROW)


def _rows(source: Source, request: TableRequest, fit: float) -> float:
    """The number of rows: known, implied by the size of a text file, or counted."""
    if source.kind == "csv" and source.bytes is not None and source.bytes / _shortest(source, request) <= fit:
        return 0
    return count(source)


def _shortest(source: Source, request: TableRequest) -> float:
    """Half the mean length of the first lines: a text file rarely has more rows than this implies for its
    size.
    """
    text = " + ".join(f"coalesce(length({quoted(name)}::varchar), 0) + 1" for name in request.names)
    mean = source.native.limit(10_000).aggregate(f"avg({text})").fetchone()[0]
    return max(2.0 * len(request.names), (mean or 0) / 2)


__all__ = ["collect", "collected", "reduce_in_engine", "rows_here", "streamed"]
