"""A source as batches of NumPy columns, for data that this process can read by itself."""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.sources.background import ahead
from rocscope.sources.source import Reader as RowReader
from rocscope.sources.source import Source

Array = NDArray[Any]
BATCH = 2**20
"""The maximum number of rows processed at a time."""


class Column(NamedTuple):
    """One column of a batch: values with a mask of missing ones, or codes into categories (-1 means missing)."""

    values: Array
    nulls: Array | None = None
    categories: Sequence[Any] | None = None

    def missing(self) -> Array | None:
        """The mask of missing values (null, None or NaN), or None if no value is missing."""
        if self.categories is not None:
            lost = self.values < 0
            blank = [code for code, value in enumerate(self.categories) if is_blank(value)]
            lost = lost if not blank else lost | np.isin(self.values, blank)
        elif self.values.dtype.kind == "f":
            if self.nulls is None and self.extent() is not None:
                return None
            lost = np.isnan(self.values)
            lost = lost if self.nulls is None else lost | self.nulls
        elif self.nulls is None:
            return None
        else:
            lost = self.nulls
        return lost if lost.any() else None

    def extent(self) -> tuple[float, float] | None:
        """The minimum and maximum; None if a value is not finite or there are no rows."""
        if self.categories is not None or not len(self.values) or (self.nulls is not None and self.nulls.any()):
            return None
        with np.errstate(invalid="ignore"):
            low, high = float(self.values.min()), float(self.values.max())  # NaN if any value is NaN
        return (low, high) if math.isfinite(low) and math.isfinite(high) else None

    def take(self, rows: Any) -> Column:
        """Select rows."""
        return Column(self.values[rows], None if self.nulls is None else self.nulls[rows], self.categories)

    def plain(self) -> Array:
        """The values as one array; for codes, the categories themselves."""
        texts = self.categories is not None and {type(label) for label in self.categories} == {str}
        if texts and not (self.values < 0).any():
            return np.array(self.categories, dtype=np.dtypes.StringDType())[self.values]
        return self.objects()

    def objects(self) -> Array:
        """The values as one array; for codes, the objects they encode, with None for missing ones."""
        if self.categories is None:
            return self.values
        return np.array([*self.categories, None], dtype=object)[self.values]


Batch = Mapping[str, Column]


def is_blank(value: Any) -> bool:
    """Whether a value is blank text, which counts as missing regardless of its source."""
    return isinstance(value, str) and not value.strip()


def local(source: Source) -> bool:
    """Whether this process can read the rows in batches itself; otherwise, the engine reduces them."""
    if isinstance(source.native, Mapping):  # columns read from any kind of file
        return True
    if source.kind in ("arrays", "pandas", "polars", "pyarrow", "narwhals"):
        return not _is_lazy(source.native)
    return _reader_of(source.native) is not None


def batches(source: Source, names: Sequence[str], *, size: int = BATCH) -> Iterator[Batch]:
    """Yield the named columns in batches of rows, in the order of the source."""
    native, wanted = source.native, list(dict.fromkeys(names))
    reader = _reader_of(native)
    if reader is not None:
        yield from reader(native, wanted, size)
    elif isinstance(native, Mapping):
        yield from _of_arrays(native, wanted, size)
    else:
        yield from _of_frame(native, wanted, size)


def joined(parts: Sequence[Batch], names: Sequence[str]) -> Batch:
    """Concatenate batches."""
    return {name: _chained([part[name] for part in parts]) for name in names}


def emptied(parts: Sequence[dict[str, Column]], names: Sequence[str]) -> Batch:
    """Like `joined` for batches that are not needed otherwise: each column is released once it is concatenated, to save
    memory.
    """
    return {name: _chained([part.pop(name) for part in parts]) for name in names}


def _chained(parts: Sequence[Column]) -> Column:
    if not parts:
        return Column(np.empty(0))
    if any(part.categories is not None for part in parts):
        return _recoded(parts)
    nulls = None
    if any(part.nulls is not None for part in parts):
        nulls = np.concatenate([_flags(part) for part in parts])
    return Column(np.concatenate([part.values for part in parts]), nulls)


def _flags(part: Column) -> Array:
    return np.zeros(len(part.values), dtype=bool) if part.nulls is None else part.nulls


def _recoded(parts: Sequence[Column]) -> Column:
    """Recode labels of several parts to common codes of the narrowest sufficient type: codes take up most of the memory
    of labels.
    """
    codes_of: dict[Any, int] = {}
    for part in parts:
        for label in part.categories or ():
            codes_of.setdefault(label, len(codes_of))
    narrow = next(kind for kind in (np.int8, np.int16, np.int32, np.int64) if len(codes_of) <= np.iinfo(kind).max)
    codes = []
    for part in parts:
        if part.categories is None:  # all values are missing
            codes.append(np.full(len(part.values), -1, dtype=narrow))
            continue
        positions = np.array([codes_of[label] for label in part.categories] + [-1], dtype=narrow)
        codes.append(positions[part.values])
    return Column(np.concatenate(codes), None, list(codes_of))


# ---- streaming readers: relations, datasets, streams ----

Reader = Callable[[Any, list[str], int], Iterator[Batch]]


def _reader_of(native: Any) -> Reader | None:
    """A reader for data that is not a frame in memory.

    Returns None for frames and for data that only its engine can read.
    """
    if isinstance(native, RowReader):
        return _of_reader
    arrow = loaded("pyarrow")
    if arrow is not None:
        if isinstance(native, arrow.RecordBatchReader):
            return _of_stream
        dataset = loaded("pyarrow.dataset")
        if dataset is not None and isinstance(native, dataset.Dataset):
            return _of_dataset
    duckdb = loaded("duckdb")
    if duckdb is not None and isinstance(native, duckdb.DuckDBPyRelation):
        return _of_relation if has_arrow() else None
    return None


def has_arrow() -> bool:
    """Whether pyarrow is installed: it reads faster, but is optional."""
    return importlib.util.find_spec("pyarrow") is not None


def loaded(name: str) -> Any:
    """A module if it has been fully imported, else None (also while another thread imports it)."""
    module = sys.modules.get(name)
    return None if getattr(getattr(module, "__spec__", None), "_initializing", False) else module


def release_unused() -> None:
    """Make pyarrow, if it is in use, return unused memory."""
    arrow = loaded("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()


def _of_reader(reader: RowReader, names: list[str], size: int) -> Iterator[Batch]:
    yield from reader.batches(names)


def _of_stream(reader: Any, names: list[str], size: int) -> Iterator[Batch]:
    for batch in reader:
        yield {name: of_arrow(batch.column(batch.schema.get_field_index(name))) for name in names}


def _of_dataset(dataset: Any, names: list[str], size: int) -> Iterator[Batch]:
    if getattr(getattr(dataset, "format", None), "default_extname", "") == "parquet":
        from rocscope.sources import parquet

        fragments = list(dataset.get_fragments())
        if all(set(names) <= set(fragment.physical_schema.names) for fragment in fragments):
            paths = [fragment.path for fragment in fragments]
            pieces = parquet.read(paths, names, filesystem=dataset.filesystem)
            yield from _of_stream(ahead(pieces), names, size)
            return
    scanner = dataset.scanner(columns=names, batch_size=min(size, BATCH), batch_readahead=2, fragment_readahead=1)
    yield from _of_stream(scanner.to_reader(), names, size)


def _of_relation(relation: Any, names: list[str], size: int) -> Iterator[Batch]:
    from rocscope.sources import database

    chosen = relation.project(", ".join(map(database.name, names)))
    yield from _of_stream(chosen.to_arrow_reader(min(size, BATCH)), names, size)


# ---- data frames in memory ----


def _is_lazy(native: Any) -> bool:
    polars = loaded("polars")
    return polars is not None and isinstance(native, polars.LazyFrame)


def _of_arrays(columns: Mapping[str, Any], names: list[str], size: int) -> Iterator[Batch]:
    columns_by_name = {name: of_array(columns[name]) for name in names}
    rows = {name: len(column.values) for name, column in columns_by_name.items()}
    if len(set(rows.values())) > 1:
        raise RocscopeError(f"columns must have the same length, not {', '.join(f'{k} {v}' for k, v in rows.items())}")
    for start in range(0, max(1, next(iter(rows.values()))), size):
        yield {name: column.take(np.s_[start : start + size]) for name, column in columns_by_name.items()}


def _of_frame(frame: Any, names: list[str], size: int) -> Iterator[Batch]:
    import narwhals.stable.v2 as nw

    table = nw.from_native(frame, eager_only=True).select(*(nw.col(name) for name in names))
    convert = _converter(table.implementation)
    for start in range(0, max(1, len(table)), size):
        part = table if len(table) <= size else table[start : start + size]
        yield {name: convert(part.get_column(name)) for name in names}


def _converter(implementation: Any) -> Callable[[Any], Column]:
    if implementation.is_pyarrow():
        return lambda column: of_arrow(column.to_native())
    if implementation.is_pandas_like():
        return lambda column: _of_pandas(column.to_native())
    if implementation.is_polars():
        return lambda column: _of_polars(column.to_native())
    return lambda column: of_array(column.to_list())


def of_arrow(column: Any) -> Column:
    """Convert a pyarrow array; text, categories and dates become codes."""
    import pyarrow as pa

    kind = column.type
    plain = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    if plain and not column.null_count and isinstance(column, pa.Array):
        return Column(np.from_dlpack(column))  # pyarrow's own conversion imports pandas, which takes half a second
    import pyarrow.compute as pc

    if pa.types.is_null(kind):
        return Column(np.zeros(len(column)), np.ones(len(column), dtype=bool))
    nulls = None
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        if column.null_count:
            nulls = (
                pc.is_null(column).to_numpy(zero_copy_only=False)
                if not isinstance(column, pa.ChunkedArray)
                else (pc.is_null(column).to_numpy())
            )
            column = pc.fill_null(column, pa.scalar(0).cast(kind) if not pa.types.is_boolean(kind) else False)
        values = column.to_numpy() if isinstance(column, pa.ChunkedArray) else column.to_numpy(zero_copy_only=False)
        return Column(values, nulls)
    if pa.types.is_nested(kind):
        raise nested(kind)
    coded = column if pa.types.is_dictionary(kind) else column.dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
        coded = coded.unify_dictionaries() if isinstance(coded, pa.ChunkedArray) else coded
    parts = coded.chunks if isinstance(coded, pa.ChunkedArray) else [coded]
    coded_parts = [
        Column(
            pc.fill_null(part.indices.cast(pa.int64()), -1).to_numpy(zero_copy_only=False),
            None,
            part.dictionary.to_pylist(),
        )
        for part in parts
    ]
    return coded_parts[0] if len(coded_parts) == 1 else _chained(coded_parts) if coded_parts else Column(np.empty(0))


def _of_pandas(series: Any) -> Column:
    import pandas as pd

    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "biuf":
        return Column(series.to_numpy())
    kind = getattr(series.dtype, "kind", "O")
    if kind in "biuf":  # nullable or Arrow-backed numbers
        lost = series.isna().to_numpy(dtype=bool)
        plain = np.dtype(f"{kind}{getattr(series.dtype, 'itemsize', 8)}") if kind != "b" else np.dtype(bool)
        values = series.fillna(0 if kind != "b" else False).to_numpy(dtype=plain)
        return Column(values, lost if lost.any() else None)
    try:
        codes, categories = pd.factorize(series, use_na_sentinel=True)
    except TypeError:  # unhashable values, which pandas does not describe further
        raise _no_value(series) from None
    return Column(codes.astype(np.int64), None, list(categories))


def _no_value(series: Any) -> RocscopeError:
    """Create the error for a column of lists, arrays or dicts."""
    row, value = next(
        ((row, item) for row, item in enumerate(series) if isinstance(item, list | dict | set | np.ndarray)), (0, None)
    )
    kind = "an object" if isinstance(value, dict) else "a list"
    return RocscopeError(f"column '{series.name}' contains {kind} (row {row})", hint="A cell must be a number or text")


def _of_polars(series: Any) -> Column:
    if (series.dtype.is_numeric() and not series.dtype.is_decimal()) or str(series.dtype) == "Boolean":
        lost = series.is_null().to_numpy() if series.null_count() else None
        filled = series if lost is None else series.fill_null(False if str(series.dtype) == "Boolean" else 0)
        return Column(filled.to_numpy(), lost)
    if str(series.dtype) == "Null":
        return Column(np.zeros(len(series)), np.ones(len(series), dtype=bool))
    if series.dtype.is_nested():
        raise nested(series.dtype, series.name)
    if str(series.dtype).startswith(("Categorical", "Enum")):
        series = series.cast(str)
    categories = series.drop_nulls().unique().sort()
    codes = (series.rank("dense").cast(int) - 1).fill_null(-1).to_numpy()
    return Column(codes, None, categories.to_list())


def of_array(values: Any) -> Column:
    """Convert any object with one value per row: arrays with or without a mask, lists, columns of frames."""
    if isinstance(values, np.ma.MaskedArray):
        lost = np.ma.getmaskarray(values)
        column = of_array(np.where(lost, np.array(None), values.data) if values.dtype.kind == "O" else values.data)
        if column.categories is not None:
            return Column(np.where(lost, -1, column.values), None, column.categories)
        return Column(column.values, lost if lost.any() else None)
    if type(values) is not np.ndarray:
        known = _of_known_column(values)
        if known is not None:
            return known
        values = tally.tensor_array(values) if tally.is_tensor(values) else values
        values = values if hasattr(values, "__array__") else _from_list(values)
    array = np.asarray(values)
    if array.ndim == 2 and 1 in array.shape:
        array = array.ravel()
    if array.ndim != 1:
        raise RocscopeError(f"a column must have one value per row; this one has shape {array.shape}")
    if array.dtype.kind in "biuf":
        return Column(array if array.dtype != np.float16 else array.astype(np.float32))
    return _numbered(array.tolist())


def _from_list(values: Any) -> Array:
    items = list(values)
    kinds = {type(value) for value in items}
    if kinds and all(issubclass(kind, bool | np.bool_) for kind in kinds):
        return np.array(items, dtype=bool)
    if kinds and all(issubclass(kind, int | float | np.number) and kind is not bool for kind in kinds):
        return np.array(items)
    if kinds - {type(None)} and all(issubclass(kind, int | float | np.number | None.__class__) and kind is not bool
                                    for kind in kinds):  # fmt: skip
        return np.array([np.nan if value is None else value for value in items], dtype=np.float64)
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def _of_known_column(values: Any) -> Column | None:
    """Convert a column of a frame library that is already imported."""
    for module, name, convert in (
        ("pandas", "Series", _of_pandas),
        ("polars", "Series", _of_polars),
        ("pyarrow", "Array", of_arrow),
        ("pyarrow", "ChunkedArray", of_arrow),
    ):
        kind = getattr(loaded(module), name, None)
        if kind is not None and isinstance(values, kind):
            return convert(values)
    return None


def _numbered(values: list[Any]) -> Column:
    """Encode objects by codes in order of appearance; None and NaN are missing."""
    codes_of: dict[Any, int] = {}
    try:
        codes = np.fromiter(
            (-1 if value is None or value != value else codes_of.setdefault(value, len(codes_of)) for value in values),
            dtype=np.int64,
            count=len(values),
        )
    except TypeError:
        kinds = {type(value).__name__ for value in values if getattr(value, "__hash__", None) is None}
        raise nested(", ".join(sorted(kinds)) or "nested values") from None
    return Column(codes, None, list(codes_of))


def nested(kind: Any, name: str = "") -> RocscopeError:
    """The error for a column whose cells hold several values each, such as lists."""
    column = f"column '{name}'" if name else "a column"
    return RocscopeError(
        f"{column} must contain numbers or text, not values of type {kind}", hint="A cell must be a number or text"
    )
