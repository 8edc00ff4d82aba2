"""Files that know the types of their columns: Parquet, and Arrow where pyarrow is installed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.sources import database
from rocscope.sources.bulk import Share, changed
from rocscope.sources.column_batches import has_arrow
from rocscope.sources.csv import BY, ID, TextColumns, absent_column, check_names, is_number, missing_hint, missing_rows
from rocscope.sources.formats import ARROW, PARQUET
from rocscope.sources.loaded import Part, Texts, complete
from rocscope.sources.querying import MOST_LABELS, Found, hashes, id_column, texts_of

Array = NDArray[Any]

SAMPLE_ROWS = 10_000
MOST_CELLS = 50_000_000  # of a whole file that is asked for as text
WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "BOOLEAN"}
NUMBERS = {*WHOLE, "FLOAT", "DOUBLE"}
OF_ARROW = {
    "int8": "TINYINT", "int16": "SMALLINT", "int32": "INTEGER", "int64": "BIGINT", "uint8": "UTINYINT",
    "uint16": "USMALLINT", "uint32": "UINTEGER", "uint64": "UBIGINT", "bool": "BOOLEAN", "float": "FLOAT",
    "double": "DOUBLE", "string": "VARCHAR", "large_string": "VARCHAR",
}  # fmt: skip
LARGE = 2**24  # bytes of Parquet from which on pyarrow reads it, where it is installed
# What labels may be; DuckDB writes these as text without loss.
LABELS = {*NUMBERS, "VARCHAR", "ENUM", "DATE", "UUID"}


@dataclass(frozen=True, slots=True, eq=False)
class TypedFile:
    """A Parquet or Arrow file: names, types and the number of rows are known from its footer."""

    name: str
    path: str
    format: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    rows: int
    bytes: int
    workshop: database.Workshop
    memory: int = database.MEMORY

    @property
    def kind(self) -> str:
        """What a Source calls it."""
        return "parquet" if self.format == PARQUET else "arrow"

    def sample(self) -> TextColumns:
        """The first rows, as text."""
        return self._as_text(f"LIMIT {SAMPLE_ROWS}")

    def whole(self) -> TextColumns:
        """All rows as text, for tables that people look at."""
        if self.rows * len(self.names) > MOST_CELLS:
            raise RocscopeError(f"{self.name} has {self.rows:,} rows, too many for this")
        return self._as_text("")

    def _as_text(self, limit: str) -> TextColumns:
        with self._connected() as (connection, source):
            found = connection.execute(f"SELECT {', '.join(map(self._text, self.names))} FROM {source} {limit}")
            rows = tuple(tuple("" if cell is None else cell for cell in row) for row in found.fetchall())
        if not rows:
            raise RocscopeError(f"{self.name} has no rows")
        return TextColumns(self.name, self.names, rows, tuple(range(1, len(rows) + 1)), unit="row")

    def _text(self, column: str) -> str:
        quoted = database.name(column)
        if self.type_of(column) == "BOOLEAN":
            return f"CASE WHEN {quoted} THEN 'True' WHEN NOT {quoted} THEN 'False' END AS {quoted}"
        return f"CAST({quoted} AS VARCHAR) AS {quoted}"

    def type_of(self, column: str) -> str:
        """The type of a column as DuckDB names it, ENUM without its values."""
        full = self.types[self.names.index(column)]
        return "ENUM" if full.startswith("ENUM(") else full

    # --- the needed columns in memory

    def load(self, needed: Mapping[str, str], *, missing: str = "error", progress: Share | None = None) -> Part:
        """The needed columns of every row; a type that does not fit is refused by its name."""
        check_types(self, needed)
        if not self.rows:
            raise RocscopeError(f"{self.name} has no rows")
        with self._connected() as (connection, source):
            labels = {name: self._labels(connection, source, name, what) for name, what in needed.items()}
            fetched = self._fetched(connection, source, needed, labels, progress)
        found: dict[str, Found] = {}
        for name, values in fetched.items():
            if needed[name] == ID:
                found[name] = values
            elif is_number(needed[name]):
                found[name] = _number_column(values)
            else:
                texts = _text_column(values, labels[name])
                found[name] = texts, texts.lost()
        if os.path.exists(self.path) and os.stat(self.path).st_size != self.bytes:
            raise changed(self.name)
        flags = {name: lost for name, (_, lost) in found.items() if lost is not None and needed[name] != BY}
        if missing != "drop":
            self._refuse_missing(flags, missing_hint(missing))
        part = complete({name: column for name, (column, _) in found.items()}, needed, flags, self.name)
        for name, column in part.columns.items():
            if not isinstance(column, Texts) and column.dtype.kind == "f":
                self._refuse_infinite(name, column)
        return part

    def _refuse_missing(self, flags: Mapping[str, Array], hint: str) -> None:
        for name, lost in flags.items():
            if lost.any():
                first = f"{self.name}, row {int(lost.argmax()) + 1}"
                raise missing_rows(self.name, name, int(np.count_nonzero(lost)), first, hint=hint)

    def _labels(self, connection: Any, source: str, name: str, what: str) -> list[str] | None:
        """The different values of a column of text, where they are few: they are compared inside DuckDB then."""
        if is_number(what) or what == ID or self.type_of(name) not in ("VARCHAR", "ENUM"):
            return None
        column = f"CAST({database.name(name)} AS VARCHAR)"
        sql = f"SELECT DISTINCT {column} FROM {source} WHERE {column} IS NOT NULL LIMIT {MOST_LABELS + 1}"
        found = sorted(value for (value,) in connection.execute(sql).fetchall())
        return found if len(found) <= MOST_LABELS else None

    def _fetched(
        self,
        connection: Any,
        source: str,
        needed: Mapping[str, str],
        labels: Mapping[str, list[str] | None],
        progress: Share | None,
    ) -> dict[str, Any]:
        chosen: list[str] = []
        for i, (name, what) in enumerate(needed.items()):
            text = f"CAST({database.name(name)} AS VARCHAR)"
            chosen += hashes(text, i) if what == ID else [f"{self._selected(name, labels[name])} AS v{i}"]
        found = database.fetch(connection, f"SELECT {', '.join(chosen)} FROM {source}", progress=progress)
        if len(found["v0"]) != self.rows:
            raise RocscopeError(f"{self.name} says that it has {self.rows:,} rows and has {len(found['v0']):,}")
        return {
            name: id_column(found, i) if what == ID else found[f"v{i}"] for i, (name, what) in enumerate(needed.items())
        }

    def _selected(self, name: str, labels: list[str] | None) -> str:
        plain = database.name(name)
        if labels:
            cases = " ".join(f"WHEN {database.quoted(one)} THEN {code}::TINYINT" for code, one in enumerate(labels))
            return f"CASE CAST({plain} AS VARCHAR) {cases} ELSE (-1)::TINYINT END"
        return plain if self.type_of(name) in NUMBERS else f"CAST({plain} AS VARCHAR)"

    def _refuse_infinite(self, name: str, column: Array) -> None:
        with np.errstate(all="ignore"):
            if np.isfinite(np.add.reduce(column)):
                return
        wide = np.flatnonzero(~np.isfinite(column))
        if wide.size:
            place = f"{self.name}, column '{name}'"
            times = "1 value" if wide.size == 1 else f"{wide.size:,} values"
            raise RocscopeError(f"{place}: {times} not finite (first {column[wide[0]]})", hint="Give finite numbers")

    # --- DuckDB

    def _connected(self) -> Any:
        return _Connected(self)

    def relation(self, connection: Any, numbers: Sequence[str]) -> Any:
        """The file as a DuckDB relation with the types it has."""
        check_types(self, dict.fromkeys(numbers, "score"))
        return connection.sql(f"SELECT * FROM {self.reader(connection)}")

    def reader(self, connection: Any) -> str:
        """What stands after FROM."""
        if self.format == PARQUET:
            link = self.workshop.link(self.path, f"link-{abs(hash(self.path))}")
            return f"read_parquet({database.quoted(link)}, hive_partitioning=false)"
        called = f"arrow_{abs(hash(self.path))}"  # several files may be read by one connection
        connection.register(called, _arrow_table(self.path, self.name, self.format))
        return called


class _Connected:
    """A connection to the file while it is read; what DuckDB refuses names the file."""

    def __init__(self, file: TypedFile) -> None:
        self.file = file

    def __enter__(self) -> tuple[Any, str]:
        self.connection = database.connect(self.file.workshop, memory=self.file.memory)
        return self.connection, self.file.reader(self.connection)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.connection.close()
        import duckdb

        if isinstance(error, duckdb.Error):
            raise database.refusal(error, self.file.name, f"{self.file.format} file") from None


def check_types(file: TypedFile, needed: Mapping[str, str]) -> None:
    """Refuse columns that are absent, and types that are neither numbers nor labels where these are needed."""
    for name, what in needed.items():
        if name not in file.names:
            raise absent_column(file.name, file.names, name)
        kind = file.type_of(name)
        if is_number(what) and kind not in NUMBERS:
            hint = "Numbers are needed: cast it to DOUBLE where the file is made"
            raise RocscopeError(f"{file.name}: column '{name}' is of type {_shown(kind)}", hint=hint)
        if not is_number(what) and kind not in LABELS:
            hint = "Labels are text, whole numbers or booleans"
            raise RocscopeError(f"{file.name}: column '{name}' is of type {_shown(kind)}", hint=hint)


def _shown(kind: str) -> str:
    return kind if len(kind) <= 60 else kind[:57] + "..."


def _number_column(values: Any) -> Found:
    """The numbers, and which of them are missing: null, or NaN."""
    masked = np.ma.isMaskedArray(values)
    plain = np.asarray(values.data if masked else values)
    if plain.dtype.kind == "b":
        plain = plain.astype(np.uint8)
    lost = np.ma.getmaskarray(values) if masked else None
    if plain.dtype.kind == "f" and len(plain) and np.isnan(plain.min()):  # NaN where there is one
        lost = np.isnan(plain) if lost is None else lost | np.isnan(plain)
    return plain, lost


def _text_column(values: Any, labels: list[str] | None) -> Texts:
    """Labels of any type as text: 1 as 1, True as True."""
    masked = np.ma.isMaskedArray(values)
    lost = np.ma.getmaskarray(values) if masked else None
    plain = np.asarray(values.data if masked else values)
    if labels:
        return Texts.of(plain, labels)
    if plain.dtype.kind in "biu":
        return _of_numbers(plain, lost)
    if plain.dtype.kind == "f":
        return _of_floats(plain, np.isnan(plain) if lost is None else lost | np.isnan(plain))
    return texts_of([_cell(value) for value in values.tolist()])


def _cell(value: Any) -> str:
    return "" if value is None else str(value)


def _of_numbers(plain: Array, lost: Array | None) -> Texts:
    kept = plain if lost is None or not lost.any() else np.where(lost, plain[~lost][0] if (~lost).any() else 0, plain)
    codes, labels = tally.factorize(kept, limit=max(2, len(kept)))
    codes = codes.astype(np.int32)
    if lost is not None:
        codes[lost] = -1
    return Texts(codes, tuple(str(label) for label in labels))


def _of_floats(plain: Array, lost: Array) -> Texts:
    distinct, codes = np.unique(np.where(lost, 0.0, plain), return_inverse=True)
    codes = codes.astype(np.int32)
    codes[lost] = -1
    return Texts(codes, tuple(repr(float(value)) for value in distinct))


# --- opening one


def open_typed(
    path: str, name: str, format: str, *, workshop: database.Workshop, memory: int = database.MEMORY
) -> TypedFile:
    """A Parquet or Arrow file, of which only the description has been read."""
    size = os.stat(path).st_size
    described = described_by_arrow(path) if format == PARQUET and size >= LARGE else None
    if described is not None:
        names, types, rows = described
        return TypedFile(name, path, format, names, types, rows, size, workshop, memory)
    unknown = TypedFile(name, path, format, (), (), 0, size, workshop, memory)
    with unknown._connected() as (connection, source):
        columns = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
        rows = _row_count(connection, unknown, source)
    _check_rows(rows, size, name, format)
    names, types = tuple(row[0] for row in columns), tuple(row[1] for row in columns)
    return TypedFile(name, path, format, names, types, rows, size, workshop, memory)


def described_by_arrow(path: str) -> tuple[tuple[str, ...], tuple[str, ...], int] | None:
    """Names, types and rows of a large Parquet file by pyarrow, which will read it; None where DuckDB must say them."""
    if not has_arrow():
        return None
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            schema, rows = file.schema_arrow, file.metadata.num_rows
    except (pa.ArrowException, OSError):
        return None
    types = tuple(OF_ARROW.get(str(kind), "") for kind in schema.types)
    plain = all(types) and len(set(schema.names)) == len(schema.names)
    return (tuple(schema.names), types, rows) if plain else None


def _row_count(connection: Any, file: TypedFile, source: str) -> int:
    found = connection.execute(f"SELECT count(*) FROM {source}").fetchone()
    return int(found[0])


def _check_rows(rows: int, size: int, name: str, format: str) -> None:
    # A footer can claim anything; a run-length encoded row still takes some part of a byte in pages that are there.
    if rows < 0 or rows > 10_000 * max(size, 1):
        raise RocscopeError(f"{name} is not a sound {format} file: it claims {rows:,} rows in {size:,} bytes")


def _arrow_table(path: str, name: str, format: str) -> Any:
    try:
        import pyarrow as pa
        import pyarrow.ipc as ipc
    except ImportError:
        raise RocscopeError(
            f"{name} is an Arrow file, which needs pyarrow", hint="pip install pyarrow, or save it as Parquet"
        ) from None
    try:
        mapped = pa.memory_map(path)
        reader = ipc.open_file(mapped) if format == ARROW else ipc.open_stream(mapped)
        table = reader.read_all()
        table.validate()
    except (pa.ArrowException, OSError, ValueError) as error:
        said = " ".join(str(error).split())[:120]
        raise RocscopeError(f"{name} is not a complete {ARROW} file: {said}") from None
    check_names(table.column_names, name)
    return table
