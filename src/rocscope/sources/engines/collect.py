"""What an engine sends back, as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import narwhals.stable.v2 as nw

from rocscope.sources.column_batches import Column, has_arrow, of_array
from rocscope.sources.source import Source


def collect(frame: Any) -> Mapping[str, Column]:
    """The columns of a lazy result, as arrays, without asking for packages that the engine does not need itself."""
    implementation = frame.implementation
    native = frame.to_native()
    if implementation.is_duckdb():
        return {name: of_array(values) for name, values in native.fetchnumpy().items()}
    if implementation.is_polars():
        eager = native.collect() if hasattr(native, "collect") else native
        return {name: of_array(eager.get_column(name)) for name in eager.columns}
    if implementation.is_pyspark() or implementation.is_pyspark_connect():
        return _of_spark(native)
    if implementation.is_dask():
        found = native.compute()
        return {name: of_array(found[name]) for name in found.columns}
    eager = frame.collect()
    return {name: of_array(eager.get_column(name).to_native()) for name in eager.columns}


def _of_spark(frame: Any) -> Mapping[str, Column]:
    if has_arrow():
        found = frame.toArrow()
        return {name: of_array(found.column(name)) for name in frame.columns}
    rows = frame.collect()
    return {name: of_array([row[name] for row in rows]) for name in frame.columns}


def collected(source: Source, names: Sequence[str]) -> Mapping[str, Column]:
    """The named columns, every row, in this process."""
    return collect(nw.from_native(source.native).lazy().select(*dict.fromkeys(names)))


PIECE = 2**16  # rows of Spark that are fetched at a time


def streamed(source: Source, names: Sequence[str]) -> Iterator[Mapping[str, Column]]:
    """The named columns in this process, some rows at a time where the engine sends them so, else in one piece."""
    wanted = list(dict.fromkeys(names))
    frame = nw.from_native(source.native).lazy().select(*wanted)
    native, implementation = frame.to_native(), frame.implementation
    if implementation.is_dask():
        for part in native.partitions:
            found = part.compute()
            yield {name: of_array(found[name]) for name in wanted}
    elif implementation.is_polars():
        for batch in native.collect_batches(chunk_size=PIECE):
            yield {name: of_array(batch.get_column(name)) for name in wanted}
    elif implementation.is_pyspark() or implementation.is_pyspark_connect():
        rows = native.toLocalIterator(prefetchPartitions=True)
        while piece := list(islice(rows, PIECE)):
            yield {name: of_array([row[name] for row in piece]) for name in wanted}
    elif implementation.is_ibis() and has_arrow():
        for batch in native.to_pyarrow_batches(chunk_size=PIECE):
            yield {name: of_array(batch.column(batch.schema.get_field_index(name))) for name in wanted}
    else:
        yield collect(frame)
