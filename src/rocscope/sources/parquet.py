"""Files with typed columns: Parquet, and Arrow if pyarrow is installed."""

from __future__ import annotations

import base64
import os
import struct
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.record import record
from rocscope.sources import column_batches, database
from rocscope.sources.background import ahead
from rocscope.sources.column_batches import Batch, Column, of_array, of_arrow
from rocscope.sources.csv import check_names
from rocscope.sources.formats import ARROW, PARQUET
from rocscope.sources.partitioned_folder import Partition
from rocscope.sources.text_table import TextTable, absent_column

PIECE = 2**18
"""Rows read at a time: a column of them stays in the processor's cache until it is counted. With more columns than FEW,
fewer rows are read."""
FEW = 4
MANY = 2_000_000
"""The number of rows above which reading Parquet with pyarrow makes up for importing it."""
LARGE = 2**24  # file size in bytes from which pyarrow reads the metadata, if it is installed
SAMPLE_ROWS = 10_000
MOST_CELLS = 50_000_000  # maximum number of cells of a file that is read entirely as text
WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "BOOLEAN"}
NUMBERS = {*WHOLE, "FLOAT", "DOUBLE"}
DURATION = 18  # the number of this type in Arrow's format
OF_ARROW = {
    "int8": "TINYINT", "int16": "SMALLINT", "int32": "INTEGER", "int64": "BIGINT", "uint8": "UTINYINT",
    "uint16": "USMALLINT", "uint32": "UINTEGER", "uint64": "UBIGINT", "bool": "BOOLEAN", "float": "FLOAT",
    "double": "DOUBLE", "string": "VARCHAR", "large_string": "VARCHAR",
}  # fmt: skip
# Types accepted for labels; DuckDB converts them to text without loss.
LABELS = {*NUMBERS, "VARCHAR", "ENUM", "DATE", "UUID"}


@record(slots=True, eq=False)
class TypedFile:
    """A Parquet or Arrow file whose names, types and number of rows are known from its footer."""

    name: str
    path: str
    format: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: int
    bytes: int
    folder: database.TemporaryFolder
    partition: Partition = ()
    """Columns that are not in the file but in the name of its folder."""
    blank_lines = 0

    @property
    def kind(self) -> str:
        """Kind of the Source."""
        return "parquet" if self.format == PARQUET else "arrow"

    @property
    def about(self) -> int:
        """Number of rows."""
        return self.rows

    def sample(self) -> TextTable:
        """The first rows as text."""
        return self._as_text(f"LIMIT {SAMPLE_ROWS}")

    def whole(self) -> TextTable:
        """All rows as text, for tables that people read."""
        if self.rows * len(self.columns) > MOST_CELLS:
            raise RocscopeError(f"{self.name} has {self.rows:,} rows, which is too many to read as a small table")
        return self._as_text("")

    def _as_text(self, limit: str) -> TextTable:
        with self._connected() as (connection, source):
            result = connection.execute(f"SELECT {', '.join(map(self._text, self.columns))} FROM {source} {limit}")
            rows = tuple(tuple("" if cell is None else cell for cell in row) for row in result.fetchall())
        if not rows:
            raise RocscopeError(f"{self.name} has no rows")
        return TextTable(self.name, self.columns, rows, tuple(range(1, len(rows) + 1)), unit="row")

    def _text(self, column: str) -> str:
        quoted = database.name(column)
        if self.type_of(column) == "BOOLEAN":
            return f"CASE WHEN {quoted} THEN 'True' WHEN NOT {quoted} THEN 'False' END AS {quoted}"
        return f"CAST({quoted} AS VARCHAR) AS {quoted}"

    def type_of(self, column: str) -> str:
        """DuckDB's type name of a column, with ENUM without its values."""
        full = self.types[self.columns.index(column)]
        return "ENUM" if full.startswith("ENUM(") else full

    def location(self, row: int) -> str:
        """The location of a row: scores.parquet, row 7."""
        return f"{self.name}, row {row + 1}"

    def batches(self, names: Sequence[str], numbers: Collection[str]) -> Iterator[Batch]:
        """Yield the named columns in their own types; a column that contains neither numbers nor labels is an error."""
        self._check(names, numbers)
        if not self.rows:
            raise RocscopeError(f"{self.name} has no rows")
        if self.format == PARQUET and self.rows >= MANY and column_batches.has_arrow():
            constant = dict(self.partition)
            stored = [name for name in names if name not in constant]
            for piece in ahead(read([self.path], stored)):
                yield {
                    name: _repeated(constant[name], len(piece)) if name in constant
                    else of_arrow(piece.column(piece.schema.get_field_index(name)))
                    for name in names
                }  # fmt: skip
        else:
            yield self._fetched(names)

    def _fetched(self, names: Sequence[str]) -> dict[str, Column]:
        chosen = ", ".join(f"{self._plain(name)} AS v{i}" for i, name in enumerate(names))
        with self._connected() as (connection, source):
            fetched = database.fetch(connection, f"SELECT {chosen} FROM {source}")
        if len(fetched["v0"]) != self.rows:
            raise RocscopeError(f"{self.name} claims to have {self.rows:,} rows but has {len(fetched['v0']):,}")
        return {name: of_array(fetched[f"v{i}"]) for i, name in enumerate(names)}

    def _plain(self, name: str) -> str:
        column = database.name(name)
        return column if self.type_of(name) in NUMBERS else f"CAST({column} AS VARCHAR)"

    def _check(self, names: Sequence[str], numbers: Collection[str]) -> None:
        """Raise an error for missing columns, and for types that are neither numbers nor labels if these are
        required.
        """
        for name in names:
            if name not in self.columns:
                raise absent_column(self.name, self.columns, name)
            kind = self.type_of(name)
            if kind not in (NUMBERS if name in numbers else LABELS):
                shown = kind if len(kind) <= 60 else kind[:57] + "..."
                needed = "The column must contain numbers; cast it to DOUBLE when writing the file"
                hint = needed if name in numbers else "Labels, slices and ids must be text, numbers, booleans or dates"
                raise RocscopeError(f"{self.name}: column '{name}' is of type {shown}", hint=hint)

    # --- access through DuckDB

    @contextmanager
    def _connected(self) -> Iterator[tuple[Any, str]]:
        """Connect to the file while it is read, and return the text to put after FROM; errors name the file."""
        with database.refusals(self.name, what=f"{self.format} file"):
            connection = database.connect(self.folder)
            try:
                yield connection, self._reader(connection)
            finally:
                connection.close()

    def relation(self, connection: Any, numbers: Collection[str]) -> Any:
        """The file as a DuckDB relation with its own types."""
        self._check([name for name in numbers if name in self.columns], numbers)
        return connection.sql(f"SELECT * FROM {self._reader(connection)}")

    def _reader(self, connection: Any) -> str:
        if self.format == PARQUET:
            reader = f"read_parquet({_linked(self.path, self.folder)}, hive_partitioning=false)"
            more = "".join(f", {_literal(value)} AS {database.name(name)}" for name, value in self.partition)
            return f"(SELECT *{more} FROM {reader})" if more else reader
        called = f"arrow_{abs(hash(self.path))}"  # unique, because one connection may read several files
        connection.register(called, _arrow_table(self.path, self.name, self.format))
        return called


def _linked(path: str, folder: database.TemporaryFolder) -> str:
    """The quoted name of a link to a file, whose own name may have characters that DuckDB expands."""
    return database.quoted(folder.link(path, f"link-{abs(hash(path))}"))


def _literal(value: str | int | None) -> str:
    if isinstance(value, int):
        return f"CAST({value} AS BIGINT)"
    return "CAST(NULL AS VARCHAR)" if value is None else database.quoted(value)


def _repeated(value: str | int | None, rows: int) -> Column:
    """A column with one repeated value."""
    if isinstance(value, int):
        return Column(np.full(rows, value))
    return Column(np.full(rows, -1 if value is None else 0), None, [] if value is None else [value])


def read(paths: Sequence[str], names: Sequence[str], *, filesystem: Any = None) -> Iterator[Any]:
    """Yield record batches of the columns; a scanner would read ahead until memory reaches the size of the file.

    `pyarrow.dataset` does the same, but importing it imports pandas, which takes as long as reading 5e7 rows.
    """
    import pyarrow.parquet as pq

    for path in paths:
        with pq.ParquetFile(path, filesystem=filesystem, pre_buffer=False) as file:
            # single-threaded: two threads would wait for each other at every batch
            rows = PIECE * FEW // max(FEW, len(names))
            yield from file.iter_batches(rows, columns=list(names), use_threads=False)


# --- opening a file


def open_typed(
    path: str, name: str, format: str, *, folder: database.TemporaryFolder, partition: Partition = ()
) -> TypedFile:
    """Open a Parquet or Arrow file, reading only its metadata."""
    described = _described(path, name, format, folder)
    more = tuple((column, value) for column, value in partition if column not in described.columns)
    types = tuple("BIGINT" if isinstance(value, int) else "VARCHAR" for _, value in more)
    columns = (*described.columns, *(column for column, _ in more))
    return replace(described, columns=columns, types=(*described.types, *types), partition=more)


def _described(path: str, name: str, format: str, folder: database.TemporaryFolder) -> TypedFile:
    size = os.stat(path).st_size
    described = _described_by_arrow(path) if format == PARQUET and size >= LARGE else None
    if described is not None:
        names, types, rows = described
        return TypedFile(name, path, format, names, types, rows, size, folder)
    with TypedFile(name, path, format, (), (), 0, size, folder)._connected() as (connection, source):
        columns = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
        rows = _row_count(connection, source)
        written = _written_durations(connection, folder, path) if format == PARQUET else set()
    # A footer can claim any number of rows, but even a run-length encoded row takes a fraction of a byte.
    if rows < 0 or rows > 10_000 * max(size, 1):
        raise RocscopeError(f"{name} is not a valid {format} file: it claims {rows:,} rows in {size:,} bytes")
    names, types = tuple(row[0] for row in columns), tuple(row[1] for row in columns)
    types = tuple("DURATION" if name in written else kind for name, kind in zip(names, types, strict=True))
    return TypedFile(name, path, format, names, types, rows, size, folder)


def _row_count(connection: Any, source: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {source}").fetchone()[0])


def _written_durations(connection: Any, folder: database.TemporaryFolder, path: str) -> set[str]:
    """The columns that were durations when the file was written.

    Parquet has no such type: Arrow, pandas and Polars store integers, and their own types in the footer.
    """
    query = f"SELECT value FROM parquet_kv_metadata({_linked(path, folder)}) WHERE key = 'ARROW:schema'"
    stored = connection.execute(query).fetchone()
    try:
        return set() if stored is None else set(durations(base64.b64decode(stored[0])))
    except (struct.error, LookupError, ValueError):  # DuckDB does without, and so can we
        return set()


def durations(schema: bytes) -> Iterator[str]:
    """Yield the names of the duration columns of an Arrow schema in its serialized form (FlatBuffers).

    pyarrow could tell them, but the answer must not depend on whether it is installed.
    """

    def number(kind: str, at: int) -> int:
        return int(struct.unpack_from(f"<{kind}", schema, at)[0])

    def followed(at: int) -> int:
        return at + number("I", at)

    def slot(table: int, place: int) -> int:
        """Where a field of a table is stored; 0 if it is not."""
        directory = table - number("i", table)
        offset = number("H", directory + 4 + 2 * place) if 4 + 2 * place < number("H", directory) else 0
        return table + offset if offset else 0

    start = 8 if number("I", 0) == 0xFFFFFFFF else 4
    described = followed(slot(followed(start), 2))
    columns = followed(slot(described, 1))
    for column in range(number("I", columns)):
        field = followed(columns + 4 + 4 * column)
        if (kind := slot(field, 2)) and schema[kind] == DURATION:
            text = followed(slot(field, 0))
            yield schema[text + 4 : text + 4 + number("I", text)].decode()


def _described_by_arrow(path: str) -> tuple[tuple[str, ...], tuple[str, ...], int] | None:
    """Names, types and rows of a large Parquet file from pyarrow, which will read it.

    Returns None if DuckDB must provide them.
    """
    if not column_batches.has_arrow():
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
        reason = " ".join(str(error).split())[:120]
        raise RocscopeError(f"{name} is not a complete {ARROW} file: {reason}") from None
    check_names(table.column_names, name)
    for at, column in enumerate(table.columns):
        if column.type == pa.float16():  # not supported by DuckDB; float32 represents the same numbers
            table = table.set_column(at, table.column_names[at], column.cast(pa.float32()))
    return table
