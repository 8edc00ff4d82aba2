"""Which frame is it: anything that holds columns becomes a Source."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.sources import column_batches
from rocscope.sources.checks import Gaps, infinite, policy
from rocscope.sources.column_batches import Column, batches, joined, local
from rocscope.sources.files import in_engine, with_lines, with_numbers
from rocscope.sources.source import Rows, Source

KINDS = ("number", "label", "any")


def open(anything: Any, **options: Any) -> Source:
    """The source behind a frame, a relation, a stream, a dict of columns, or one or several paths.

    Frames: pandas, Polars (eager or lazy), pyarrow (Table, Dataset, RecordBatchReader), DuckDB relations, dask, PySpark
    (classic or connect), ibis, sqlframe, and anything else that narwhals knows or that streams Arrow data. Paths, globs
    and "-" are files; `options` are those of `open_files`. Nothing is read before it is needed.

    >>> open({"y": [0, 1], "p": [0.2, 0.9]}).columns
    ('y', 'p')
    """
    if isinstance(anything, Source):
        return anything
    if isinstance(anything, str | os.PathLike) or _paths(anything):
        from rocscope.sources.files import open_files

        paths = [anything] if isinstance(anything, str | os.PathLike) else list(anything)
        source: Source = open_files(paths, **options)
        return source
    if options:
        raise RocscopeError(f"{', '.join(options)}: for files only, not for a {type(anything).__name__}")
    if isinstance(anything, Mapping):
        return _of_arrays(anything)
    return _of_frame(anything)


def _paths(anything: Any) -> bool:
    several = isinstance(anything, list | tuple) and len(anything) > 0
    return several and all(isinstance(one, str | os.PathLike) for one in anything)


def _of_arrays(columns: Mapping[str, Any]) -> Source:
    if not columns:
        raise RocscopeError("a dict without columns", hint="{'y': labels, 'p': scores}, for example")
    kept = {str(name): list(column) if hasattr(column, "__next__") else column for name, column in columns.items()}
    return Source("columns", kept, "arrays", tuple(kept), len(next(iter(kept.values()))))


def _of_frame(frame: Any) -> Source:
    arrow, dataset = sys.modules.get("pyarrow"), sys.modules.get("pyarrow.dataset")
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
        f"a {type(frame).__name__} holds no columns that can be read",
        hint="Give a data frame, a relation, a dict of columns, or the path of a file",
    )


def _dataset_rows(dataset: Any) -> int | None:
    """The number of rows where the files say it themselves: Parquet does."""
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
    """Whatever streams Arrow data: pyarrow reads it where it is installed, DuckDB otherwise."""
    if column_batches.has_arrow():
        import pyarrow as pa

        reader = pa.RecordBatchReader.from_stream(frame)
        return Source("an Arrow stream", reader, "pyarrow", tuple(reader.schema.names), once=True)
    import duckdb

    relation = duckdb.from_arrow(frame).execute()  # a stream flows once: DuckDB keeps what it gave
    return Source("an Arrow stream", relation, "duckdb", tuple(relation.columns), len(relation))


def again(source: Source, *, why: str = "") -> Source:
    """The same source where it can be read more than once; refused where it cannot.

    >>> source = open({"y": [0, 1], "p": [0.2, 0.9]})
    >>> again(source) is source
    True
    """
    if not source.once:
        return source
    said = f"{source.name} can be read once only" + (f"; {why}" if why else "")
    raise RocscopeError(said, hint="Write it to a file first")


# ---- columns in memory ----


def columns(
    source: Source, names: Sequence[str], *, missing: str = "error", kinds: Mapping[str, str] | None = None
) -> Rows:
    """The named columns in memory, as NumPy arrays of equal length.

    A row without a value in one of the columns is refused or, with missing="drop", left out and counted, by the reason
    "no NAME" of the first such column. `kinds` says what a column is for: "number" refuses text and infinities, "label"
    and "any" (the default) take what comes; columns of kind "any" may have missing values, as None or NaN.

    >>> rows = columns(Source("s", {"y": [1, 0], "p": [0.5, 0.25]}, "arrays", ("y", "p")), ["y", "p"])
    >>> rows.arrays["p"], len(rows)
    (array([0.5 , 0.25]), 2)
    """
    policy(missing)
    source.having(*names)
    kinds = {name: (kinds or {}).get(name, "label") for name in names}
    numbers = [name for name, kind in kinds.items() if kind == "number"]
    source = with_numbers(source, numbers, either=[name for name, kind in kinds.items() if kind == "any"])
    return with_lines(source, lambda held: _columns(held, kinds, missing))


def _columns(source: Source, kinds: Mapping[str, str], missing: str) -> Rows:
    found = fetched(source, list(kinds))
    gaps = Gaps({name: f"no {name}" for name, kind in kinds.items() if kind != "any"})
    for name, kind in kinds.items():
        _check(found[name], name, kind, source)
    kept = gaps.used(found)
    if gaps.lacking and missing == "error":
        gaps.settle(missing, source)
    arrays = {name: _plain(found[name] if kept is None else found[name].take(kept)) for name in kinds}
    return Rows(arrays, gaps.left_out, kept)


def fetched(source: Source, names: Sequence[str]) -> Mapping[str, Column]:
    """The named columns of any source, in one piece."""
    source = in_engine(source)
    if local(source):
        parts = list(batches(source, names, size=2**62))
        return parts[0] if len(parts) == 1 else joined(parts, names)
    from rocscope.sources.engines import collected

    return collected(source, names)


def _check(column: Column, name: str, kind: str, source: Source) -> None:
    if kind not in KINDS:
        raise RocscopeError(f"no kind of column '{kind}'", hint=f"One of {', '.join(KINDS)}")
    if kind != "number":
        return
    if column.categories:
        raise RocscopeError(f"{name} holds text, such as {str(column.categories[0])[:40]!r}; numbers are needed")
    if column.categories is None and column.values.dtype.kind == "f":
        wide = np.isinf(column.values)
        if wide.any():
            row = int(wide.argmax())
            raise infinite(name, int(np.count_nonzero(wide)), source, row, column.values[row])


def _plain(column: Column) -> Any:
    values = column.plain()
    if column.nulls is None or not column.nulls.any():
        return values
    if values.dtype.kind == "f":
        return np.where(column.nulls, np.nan, values)
    return np.where(column.nulls, np.array(None), values.astype(object))
