"""Conversion of engine results to arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

import narwhals.stable.v2 as nw

from rocscope.errors import RocscopeError
from rocscope.sources.column_batches import Column, has_arrow, of_array
from rocscope.sources.source import Source

NAMES = {"pyspark": "Spark", "pyspark[connect]": "Spark", "duckdb": "DuckDB", "polars": "Polars", "ibis": "Ibis"}
PIECE = 2**16  # number of rows fetched at a time


class EngineFailure(RocscopeError):
    """A task or worker of an engine failed; the engine's error is the cause of this one."""


@contextmanager
def failures(implementation: nw.Implementation) -> Iterator[None]:
    """Convert an error inside an engine to a one-line error that names the engine; there are no partial results."""
    try:
        yield
    except (RocscopeError, MemoryError):
        raise
    except Exception as error:
        engine = NAMES.get(implementation.value, implementation.value)
        hint = "No result is computed from only some of the rows; the engine's own error is the cause of this one"
        raise EngineFailure(f"{engine} could not compute this: {_informative_line(error)}", hint=hint) from error


def _informative_line(error: Exception) -> str:
    """The most informative line of an engine's error: the end of a task's traceback, Java's last cause, or the
    first line.
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ") and " " in line[11:]]
    if any("Traceback (most recent call last)" in line for line in lines):
        said = [line for line in lines if not line.startswith(("at ", "...", "Caused by: "))][-1]
    else:
        said = causes[-1] if causes else lines[0]
    return (said if len(said) <= 200 else said[:197] + "...").rstrip(".")


def collect(frame: Any) -> Mapping[str, Column]:
    """The columns of a lazy result as arrays, without requiring packages that the engine itself does not need."""
    with failures(frame.implementation):
        computed = _fetched(frame)
    return _columns(computed)


def _columns(found: Mapping[str, Any]) -> Mapping[str, Column]:
    return {name: of_array(values) for name, values in found.items()}


def _fetched(frame: Any) -> Mapping[str, Any]:
    implementation = frame.implementation
    native = frame.to_native()
    if implementation.is_duckdb():
        fetched: Mapping[str, Any] = native.fetchnumpy()
        return fetched
    if implementation.is_polars():
        eager = native.collect() if hasattr(native, "collect") else native
        return {name: eager.get_column(name) for name in eager.columns}
    if implementation.is_pyspark() or implementation.is_pyspark_connect():
        return _of_spark(native)
    if implementation.is_dask():
        found = native.compute()
        return {name: found[name] for name in found.columns}
    eager = frame.collect()
    return {name: eager.get_column(name).to_native() for name in eager.columns}


def _of_spark(frame: Any) -> Mapping[str, Any]:
    if has_arrow():
        arrow = frame.toArrow()
        return {name: arrow.column(name) for name in frame.columns}
    rows = frame.collect()
    return {name: [row[name] for row in rows] for name in frame.columns}


def collected(source: Source, names: Sequence[str]) -> Mapping[str, Column]:
    """All rows of the named columns in this process."""
    return collect(nw.from_native(source.native).lazy().select(*dict.fromkeys(names)))


def streamed(source: Source, names: Sequence[str]) -> Iterator[Mapping[str, Column]]:
    """Yield the named columns in this process, in batches if the engine sends them that way, otherwise in one piece."""
    wanted = list(dict.fromkeys(names))
    frame = nw.from_native(source.native).lazy().select(*wanted)
    pieces = _pieces(frame, wanted)
    while True:
        with failures(frame.implementation):
            piece = next(pieces, None)
        if piece is None:
            return
        yield _columns(piece)


def _pieces(frame: Any, wanted: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    native, implementation = frame.to_native(), frame.implementation
    if implementation.is_dask():
        for part in native.partitions:
            found = part.compute()
            yield {name: found[name] for name in wanted}
    elif implementation.is_polars():
        for batch in native.collect_batches(chunk_size=PIECE):
            yield {name: batch.get_column(name) for name in wanted}
    elif implementation.is_pyspark() or implementation.is_pyspark_connect():
        rows = native.toLocalIterator(prefetchPartitions=True)
        while piece := list(islice(rows, PIECE)):
            yield {name: [row[name] for row in piece] for name in wanted}
    elif implementation.is_ibis() and has_arrow():
        for batch in native.to_pyarrow_batches(chunk_size=PIECE):
            yield {name: batch.column(batch.schema.get_field_index(name)) for name in wanted}
    else:
        yield _fetched(frame)
