"""What an engine sends back, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
