"""Conversion of any object with columns to a Source: files, frames, relations, streams, arrays, tables of text."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from typing import Any

from rocscope.errors import RocscopeError
from rocscope.sources import column_batches
from rocscope.sources.source import Source
from rocscope.sources.text_table import TextTable


def open(anything: Any, **options: Any) -> Source:
    """The source behind a frame, a relation, a stream, a dict of columns, or one or several paths.

    Frames: pandas, Polars (eager or lazy), pyarrow (Table, Dataset, RecordBatchReader), DuckDB relations, dask, PySpark
    (classic or connect), ibis, sqlframe, Hugging Face datasets, and anything else that narwhals knows or that streams
    Arrow data. Paths, globs, folders of Parquet files, "-" and file objects are files; `options` are those of
    `open_files`. A list of dicts has one row for each dict. Nothing is read before it is needed.

    >>> open({"y": [0, 1], "p": [0.2, 0.9]}).columns
    ('y', 'p')
    """
    if isinstance(anything, Source):
        return anything
    if isinstance(anything, str | os.PathLike) or _paths(anything) or _is_file_object(anything):
        from rocscope.sources.files import open_files

        return open_files(anything, **options)
    if options:
        raise RocscopeError(f"{', '.join(options)} can be given only for files, not for a {type(anything).__name__}")
    if isinstance(anything, TextTable):
        from rocscope.sources.files import source_of
        from rocscope.sources.text_file import TextFile

        return source_of([TextFile.whole_table(anything)])
    if _is_records(anything):
        return _of_arrays(_columns_of(anything))
    if isinstance(anything, Mapping) and not _is_splits(anything):
        return _of_arrays(_variables(anything))
    return _of_frame(_arrow_of(anything))


def _paths(anything: Any) -> bool:
    several = isinstance(anything, list | tuple) and len(anything) > 0
    return several and all(isinstance(item, str | os.PathLike) for item in anything)


def _is_file_object(anything: Any) -> bool:
    kind = type(anything)  # looked up on the class: a data frame may resolve any attribute name as a column
    return callable(getattr(kind, "read", None)) and callable(getattr(kind, "close", None))


def _is_records(anything: Any) -> bool:
    several = isinstance(anything, list | tuple) and len(anything) > 0
    return several and all(isinstance(item, Mapping) for item in anything)


def _columns_of(records: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Convert a list of dicts, one per row, to columns; a missing key is a missing value."""
    names = dict.fromkeys(str(name) for record in records for name in record)
    return {name: [record.get(name) for record in records] for name in names}


def _variables(columns: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The columns; for an xarray Dataset, its one-dimensional variables including coordinates."""
    xarray = column_batches.loaded("xarray")
    if xarray is None or not isinstance(columns, xarray.Dataset):
        return columns
    flat = {name: variable for name, variable in columns.variables.items() if variable.ndim == 1}
    sizes = {variable.dims[0] for name, variable in flat.items() if name in columns.data_vars}
    if len(sizes) != 1:
        raise RocscopeError(
            "the xarray Dataset has no single dimension for the cases",
            hint="Stack the dimensions into one, or give {'y': ds.y.values, 'p': ds.p.values}",
        )
    return {name: variable.values for name, variable in flat.items() if set(variable.dims) == sizes}


def _is_splits(anything: Any) -> bool:
    datasets = column_batches.loaded("datasets")
    return datasets is not None and isinstance(anything, datasets.DatasetDict | datasets.IterableDatasetDict)


def _arrow_of(frame: Any) -> Any:
    """A Hugging Face Dataset as Arrow data: a table, or a stream if it can be read only once."""
    datasets = column_batches.loaded("datasets")
    if datasets is None:
        return frame
    if _is_splits(frame):
        raise RocscopeError(
            f"a {type(frame).__name__} holds splits: {', '.join(map(str, frame))}", hint='Choose one: data["test"]'
        )
    if isinstance(frame, datasets.Dataset):
        return frame.with_format("arrow")[:]
    if isinstance(frame, datasets.IterableDataset):
        import pyarrow as pa

        parts = iter(frame.with_format("arrow").iter(batch_size=2**16))
        first = next(parts, None)
        if first is None:
            raise RocscopeError("the IterableDataset has no rows")
        batches = (batch for part in itertools.chain([first], parts) for batch in part.to_batches())
        return pa.RecordBatchReader.from_batches(first.schema, batches)
    return frame


def _of_arrays(columns: Mapping[str, Any]) -> Source:
    if not columns:
        raise RocscopeError("the dict has no columns", hint="{'y': labels, 'p': scores}, for example")
    kept = {str(name): list(column) if hasattr(column, "__next__") else column for name, column in columns.items()}
    return Source("columns", kept, "arrays", tuple(kept), len(next(iter(kept.values()))))


def _of_frame(frame: Any) -> Source:
    arrow, dataset = column_batches.loaded("pyarrow"), column_batches.loaded("pyarrow.dataset")
    if arrow is not None and isinstance(frame, arrow.RecordBatchReader):
        return Source("an Arrow stream", frame, "pyarrow", tuple(frame.schema.names), once=True)
    if dataset is not None and isinstance(frame, dataset.Dataset):
        return Source("a dataset", frame, "pyarrow", tuple(frame.schema.names), _dataset_rows(frame))
    known = _through_narwhals(frame)
    if known is not None:
        return known
    if hasattr(frame, "__arrow_c_stream__"):
        return _of_stream(frame)
    raise RocscopeError(
        f"a {type(frame).__name__} contains no columns that can be read",
        hint="Give a data frame, a relation, a dict of columns, or the path of a file",
    )


def _dataset_rows(dataset: Any) -> int | None:
    """The number of rows if the files record it, as Parquet does."""
    if getattr(getattr(dataset, "format", None), "default_extname", "") != "parquet":
        return None
    return int(dataset.count_rows())


def _through_narwhals(frame: Any) -> Source | None:
    import narwhals.stable.v2 as nw

    known = nw.from_native(frame, pass_through=True)
    if not isinstance(known, nw.DataFrame | nw.LazyFrame):
        return None
    implementation = known.implementation
    kind = str(implementation.value).removesuffix("[connect]")
    rows = len(known) if isinstance(known, nw.DataFrame) else None
    names = tuple(known.collect_schema().names())
    double = next((name for name in names if names.count(name) > 1), None)
    if double is not None:
        raise RocscopeError(f"the {kind} frame has two columns '{double}'", hint="Rename one of them")
    return Source(f"a {kind} frame", frame if not isinstance(frame, nw.DataFrame | nw.LazyFrame) else known.to_native(),
                  kind, names, rows)  # fmt: skip


def _of_stream(frame: Any) -> Source:
    """Read an Arrow stream with pyarrow if it is installed, otherwise with DuckDB."""
    if column_batches.has_arrow():
        import pyarrow as pa

        reader = pa.RecordBatchReader.from_stream(frame)
        return Source("an Arrow stream", reader, "pyarrow", tuple(reader.schema.names), once=True)
    import duckdb

    relation = duckdb.from_arrow(frame).execute()  # a stream can be read only once, so DuckDB stores its contents
    return Source("an Arrow stream", relation, "duckdb", tuple(relation.columns), len(relation))


def again(source: Source, *, why: str = "") -> Source:
    """The same source if it can be read more than once; otherwise it is refused.

    >>> source = open({"y": [0, 1], "p": [0.2, 0.9]})
    >>> again(source) is source
    True
    """
    if not source.once:
        return source
    problem = f"{source.name} can be read only once" + (f"; {why}" if why else "")
    raise RocscopeError(problem, hint="Write it to a file first")


def count(source: Source) -> int:
    """The number of rows, queried from the engine if the source does not know it.

    >>> count(open({"y": [0, 1], "p": [0.2, 0.9]}))
    2
    """
    if source.rows is not None:
        return source.rows
    if hasattr(type(source.native), "count_rows"):  # a pyarrow dataset
        return int(source.native.count_rows())
    import narwhals.stable.v2 as nw

    from rocscope.sources.engines.collect import collect

    counted = collect(nw.from_native(source.native).lazy().select(nw.len().cast(nw.Int64).alias("n")))
    return int(counted["n"].values[0])
