"""Files in: one or several, of any kind that is read here, opened by content and checked before use.

`open_files` gives a `Source`; nothing but the beginning of a file is read before columns are asked for. What comes
through a pipe, packed or in another encoding is laid into a temporary folder first, which goes with the last reference.
"""

from __future__ import annotations

import io
import itertools
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.sources import column_batches, formats
from rocscope.sources.checks import MissingValues
from rocscope.sources.column_batches import Batch, Column
from rocscope.sources.csv import DELIMITERS, MISSING, TextColumns, empty, label_sets, number, read_text, text_column
from rocscope.sources.formats import ARROW, ARROW_STREAM, EXCEL, GZIP, HEAD, PARQUET, UTF16, UTF32, ZSTD, Place
from rocscope.sources.source import Reader, Source

if TYPE_CHECKING:
    from rocscope.sources.database import Workshop

SMALL = 2**20  # bytes of text that are read whole, without DuckDB: starting it would take longer
MANY = 2_000_000  # rows of Parquet that one query hands over in one piece
TYPED = ("parquet", "arrow")  # kinds of files that know the types of their columns, and their rows
Share = Callable[[float], None]
Result = TypeVar("Result")


class File(Protocol):
    """One file: its header is known, its rows are on the disk, or in memory where they are few."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def rows(self) -> int | None: ...
    @property
    def about(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def blank_lines(self) -> int: ...
    def sample(self) -> TextColumns: ...
    def whole(self) -> TextColumns: ...
    def batches(self, names: Sequence[str], numbers: Collection[str]) -> Iterator[Batch]: ...
    def location(self, row: int) -> str: ...
    def relation(self, connection: Any, numbers: Collection[str]) -> Any: ...


@dataclass(frozen=True, slots=True)
class SmallFile:
    """A file that was read whole: its cells are in memory, as text."""

    table: TextColumns
    kind: str = "csv"

    @property
    def name(self) -> str:
        """What people see."""
        return self.table.source

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.table.names

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self.table)

    about = rows
    bytes = 0

    @property
    def blank_lines(self) -> int:
        """How many lines were blank."""
        return self.table.blank_lines

    def sample(self) -> TextColumns:
        """All rows."""
        return self.table

    whole = sample

    def batches(self, names: Sequence[str], numbers: Collection[str]) -> Iterator[Batch]:
        """The named columns."""
        return self.table.batches(names, numbers)

    def location(self, row: int) -> str:
        """Where a row stands."""
        return self.table.place(row)

    def relation(self, connection: Any, numbers: Collection[str]) -> Any:
        """The cells as a DuckDB relation, numbers as doubles and the others as text."""
        called = f"small_{id(self.table)}"
        arrays = {name: column.plain() for name, column in _whole(self.table.batches(self.names, numbers)).items()}
        connection.register(called, {name: _objects(array) for name, array in arrays.items()})
        return connection.sql(f"SELECT * FROM {called}")


def _whole(parts: Iterable[Batch]) -> Batch:
    from rocscope.sources.column_batches import joined as chained

    held = list(parts)
    return held[0] if len(held) == 1 else chained(held, list(held[0]))


def _objects(array: Any) -> Any:
    return array if array.dtype.kind == "f" else array.astype(object)


# --- several files as one source


@dataclass(eq=False)
class Seen:
    """What was learned while files were read: rows of each, its labels, and lines that were blank."""

    rows: dict[int, int] = field(default_factory=dict)
    labels: dict[str, set[str]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Files(Reader):
    """Files with the same columns, one below the other; a reader of text is given the columns that are numbers."""

    name: str
    files: tuple[File, ...]
    numbers: frozenset[str] | None = None
    """The columns of text that are numbers; None: those are whose first rows are."""
    label: str | None = None
    """The column of labels: a remark is made where files have different ones."""
    by_lines: bool = False
    """Whether text is read line by line, by Python's reader alone."""
    memory: int = 2**31
    progress: Share | None = None
    seen: Seen = field(default_factory=Seen)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.files[0].names

    def numeric(self, names: Iterable[str]) -> frozenset[str]:
        """Those of the columns that are numbers in text."""
        if self.numbers is not None:
            return self.numbers & frozenset(names)
        texts = [file for file in self.files if file.kind not in TYPED]
        return frozenset(_numeric(texts[0].sample())) & frozenset(names) if texts else frozenset()

    def batches(self, names: Sequence[str]) -> Iterator[Batch]:
        """The named columns, some rows at a time."""
        numbers, alike = self.numeric(names), self._made_alike(names)
        for index, file in enumerate(self.files):
            rows, done = 0, 0.0
            for batch in file.batches(names, numbers):
                rows += len(batch[names[0]].values)
                if self.label in batch and len(self.files) > 1:
                    labels = batch[self.label].categories or ()  # type: ignore[index]
                    self.seen.labels.setdefault(file.name, set()).update(map(str, labels))
                if self.progress is not None:
                    done = rows / max(rows, file.about)
                    self.progress((index + done) / len(self.files))
                yield {name: alike[name](column) if name in alike else column for name, column in batch.items()}
            self.seen.rows[index] = rows

    def _made_alike(self, names: Iterable[str]) -> dict[str, Callable[[Column], Column]]:
        """What is done with columns that have another type in each file: 1, 1.0 and True are one label."""
        if len(self.files) == 1:
            return {}
        if any(file.kind not in TYPED for file in self.files):
            return {} if not any(file.kind in TYPED for file in self.files) else {
                name: _as_text for name in names if name not in self.numeric(names)
            }  # fmt: skip
        types = {name: {file.type_of(name) for file in self.files} for name in names}  # type: ignore[attr-defined]
        return {name: _as_number for name, found in types.items() if len(found) > 1}

    def location(self, row: int) -> str:
        """Where a row stands: scores.csv, line 7."""
        for index, file in enumerate(self.files):
            count = self.seen.rows.get(index)
            if count is None or row < count:
                return file.location(row)
            row -= count
        return f"{self.name}, row {row}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said about the files once they were read."""
        return (*blank_lines(sum(file.blank_lines for file in self.files)), *label_sets(self.seen.labels))

    def relation(self) -> Any:
        """The files as a DuckDB relation, which keeps what it reads alive; None where DuckDB would see other rows."""
        from rocscope.sources import database

        workshop = database.Workshop.new()
        connection = database.connect(workshop, memory=self.memory)
        relation = relation_of(self, connection)
        return None if relation is None else (relation, workshop)


def _as_text(column: Column) -> Column:
    if column.categories is not None:
        return Column(column.values, None, [str(value) for value in column.categories])
    values, codes = np.unique(column.values, return_inverse=True)
    shown = [str(value) for value in values.tolist()]
    made = text_column(codes.reshape(-1), shown)
    lost = column.missing()
    return made if lost is None else Column(np.where(lost, -1, made.values), None, made.categories)


def _as_number(column: Column) -> Column:
    values = column.values
    if values.dtype.kind == "b" or (values.dtype.kind == "f" and (values == np.rint(values)).all()):
        return Column(values.astype(np.int64), column.nulls)
    return column


def blank_lines(count: int) -> tuple[str, ...]:
    """The remark about blank lines that were left out; none where there were none."""
    return (f"{count} blank line{'' if count == 1 else 's'} left out.",) if count else ()


def relation_of(files: Files, connection: Any) -> Any:
    """Files as a relation of a connection, one below the other; None where DuckDB would see other rows."""
    import duckdb

    relation = None
    for file in files.files:
        one = file.relation(connection, files.numeric(files.names))
        if one is None:
            return None
        columns = [duckdb.ColumnExpression(name) for name in files.names]
        relation = one.select(*columns) if relation is None else relation.union(one.select(*columns))
    return relation


# --- how a source of files is read


def with_numbers(source: Source, numbers: Collection[str], label: str | None = None,
                 either: Collection[str] = ()) -> Source:  # fmt: skip
    """The source with text columns read as numbers or as text; `either` are those of which the first rows decide."""
    files = source.native
    if not isinstance(files, Files):
        return source
    chosen = frozenset(numbers) | files.numeric(either)
    return replace(source, native=replace(files, numbers=chosen, label=label or files.label))


def in_engine(source: Source) -> Source:
    """The source as a relation of DuckDB where that reads it: large files without pyarrow; else as it is."""
    files = source.native
    if not isinstance(files, Files) or files.by_lines or column_batches.has_arrow():
        return source
    if all(file.rows is not None and file.rows <= MANY for file in files.files):
        return source
    found = files.relation()
    if found is None:
        return source
    relation, workshop = found
    object.__setattr__(files, "workshop", workshop)  # it lasts as long as the relation that reads from it
    return replace(source, native=relation, held=files)


def with_lines(source: Source, read: Callable[[Source], Result]) -> Result:
    """What `read` makes of a source; what an engine refuses of text is read again line by line.

    An engine may say yes and never no: Python's reader accepts the file, or says which line is wrong.
    """
    files = source.native
    if not isinstance(files, Files) or files.by_lines or column_batches.has_arrow():
        return read(source)
    try:
        return read(source)
    except MissingValues:
        pass
    except Exception as error:
        if not _of_engine(error):
            raise
        if all(file.kind in TYPED for file in files.files):
            from rocscope.sources.database import refusal

            raise refusal(error, source.name, "file") from None
    return read(replace(source, native=replace(files, by_lines=True)))


def _of_engine(error: Exception) -> bool:
    duckdb = sys.modules.get("duckdb")
    return duckdb is not None and isinstance(error, duckdb.Error)


def _numeric(sample: TextColumns) -> list[str]:
    """The columns whose first rows are numbers."""
    found = []
    for name in sample.names:
        cells = [cell.strip() for cell in sample.cells(name)]
        filled = [cell for cell in cells if cell.lower() not in MISSING]
        if filled and all(number(cell) is not None for cell in filled):
            found.append(name)
    return found


# --- opening


@dataclass(frozen=True, slots=True)
class Options:
    """How text is written and which sheet is meant, where that is said."""

    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    memory: int = 2**31
    small: int = SMALL

    @classmethod
    def of(
        cls, *, delimiter: str | None, encoding: str | None, sheet: str | None, memory: int = 2**31, small: int = SMALL
    ) -> Options:
        """The options, checked."""
        from rocscope.sources.compression import known_encoding

        chosen = None if encoding is None else known_encoding(encoding)
        letter = None if delimiter is None else delimiter_named(delimiter)
        return cls(letter, chosen, sheet, memory, small)


def delimiter_named(text: str) -> str:
    r"""The delimiter that somebody wrote: a letter, its name, or \t.

    >>> delimiter_named("tab"), delimiter_named(";")
    ('\t', ';')
    """
    named = {name: letter for letter, name in DELIMITERS.items()} | {"\\t": "\t", "pipe": "|", "space": " "}
    found = named.get(text.lower(), text)
    if len(found) != 1 or found in '"\r\n\0':
        raise RocscopeError(f"the delimiter '{text}' is not one letter", hint="Say , ; | or tab")
    return found


def open_files(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    numbers: Sequence[str] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    memory: int = 2**31,
    progress: Share | None = None,
) -> Source:
    """The rows of one or several files as a Source, read when they are asked for.

    `numbers` names the columns of text files that are numbers; without it those are whose first rows are. `progress` is
    called with the share that was read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "scores.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("y,score\\n1,0.9\\n0,0.4\\n")
    ...     source = open_files(path)
    >>> source.columns, source.rows, source.location(1).endswith("scores.csv, line 3")
    (('y', 'score'), 2, True)
    """
    options = Options.of(delimiter=delimiter, encoding=encoding, sheet=sheet, memory=memory, small=SMALL)
    files = [open_one(place, options) for place in formats.places(paths)]
    _check_same_columns(files)
    chosen = None if numbers is None else frozenset(numbers)
    return _source(Files(_joint_name(files), tuple(files), chosen, memory=memory, progress=progress))


def _source(files: Files) -> Source:
    """Opened files as a Source."""
    rows = [file.rows for file in files.files]
    known = None if any(count is None for count in rows) else sum(count or 0 for count in rows)
    kind = files.files[0].kind
    size = sum(file.bytes for file in files.files)
    return Source(files.name, files, kind, files.names, known, size if known is None else None)


def _joint_name(files: Sequence[File]) -> str:
    return files[0].name if len(files) == 1 else f"{files[0].name} and {len(files) - 1} more"


def _check_same_columns(files: Sequence[File]) -> None:
    first = files[0]
    for other in files[1:]:
        lacking = [name for name in first.names if name not in other.names]
        more = [name for name in other.names if name not in first.names]
        if lacking or more:
            said = f"has no column '{lacking[0]}'" if lacking else f"has a column '{more[0]}'"
            verb = "has" if lacking else "has not"
            raise RocscopeError(
                f"{other.name} {said}, which {first.name} {verb}", hint="Files of one run have the same columns"
            )


# --- one file


def open_one(place: Place, options: Options) -> File:
    """One file, by its content: text whole when it is small, else what can be read when columns are asked for."""
    with formats.opened(place) as file:
        head = file.read(HEAD)
        if not head:
            raise empty(place.name)
        kind = formats.kind_of(head)
        formats.check_kind(kind, place.name)
        pieces = itertools.chain([head], _pieces(file))
        if kind in (GZIP, ZSTD):
            return _open_packed(place, pieces, kind, options)
        if kind == EXCEL:
            from rocscope.sources.excel import LARGEST, read_sheet

            held = io.BytesIO(head + file.read(LARGEST))
            return SmallFile(read_sheet(held, place.name, sheet=options.sheet), "excel")
        if kind in (PARQUET, ARROW, ARROW_STREAM):
            return _open_typed(place, pieces, kind)
        return _open_text(place, pieces, _encoding(kind, options), options, whole=not place.once)


def _pieces(file: Any) -> Iterator[bytes]:
    while piece := file.read(2**20):
        yield piece


def _encoding(kind: str, options: Options) -> str:
    if options.encoding is not None:
        return options.encoding
    return {UTF16: "utf-16", UTF32: "utf-32"}.get(kind, "utf-8")


def _open_typed(place: Place, pieces: Iterable[bytes], kind: str) -> File:
    from rocscope.sources import database
    from rocscope.sources.compression import spooled
    from rocscope.sources.parquet import open_typed

    workshop = database.Workshop.new()
    path = spooled(pieces, workshop, place.name) if place.once else place.path
    formats.check_end(path, place.name, kind)
    return open_typed(path, place.name, kind, workshop=workshop)


def _open_packed(place: Place, pieces: Iterator[bytes], kind: str, options: Options) -> File:
    from rocscope.sources import compression, database

    size = None if place.once else os.stat(place.path).st_size
    if kind == ZSTD and not compression.has_zstd() and not place.once:
        unpacked = compression.zstd_lines(place.path, place.name, database.Workshop.new())
    else:
        unpacked = compression.unpacked(pieces, kind, place.name, size=size)
    first = next(unpacked, b"")
    inner = formats.kind_of(first)
    if inner in (PARQUET, ARROW, ARROW_STREAM, EXCEL, GZIP, ZSTD):
        raise RocscopeError(f"{place.name} holds {formats.with_article(inner)}", hint="Unpack it first")
    if place.path != formats.STANDARD_INPUT:
        formats.check_kind(inner, formats.inner_name(place.name))
    text = itertools.chain([first], unpacked)
    return _open_text(place, text, _encoding(inner, options), options, whole=False)


def _open_text(place: Place, pieces: Iterator[bytes], encoding: str, options: Options, *, whole: bool) -> File:
    """Text: read at once when it is small; else from the file itself where that is `whole`, or from a copy in UTF-8."""
    if whole and encoding in ("utf-8", "utf-8-sig", "ascii") and os.stat(place.path).st_size > options.small:
        return _large(place.path, place.name, options, None)
    if encoding not in ("utf-8", "utf-8-sig"):
        from rocscope.sources.compression import in_utf8

        pieces = in_utf8(pieces, encoding, place.name)
    start, ended = _beginning(pieces, options.small)
    if ended:
        return small_text(start, place.name, options)
    from rocscope.sources import database
    from rocscope.sources.compression import spooled

    workshop = database.Workshop.new()
    return _large(spooled(itertools.chain([start], pieces), workshop, place.name), place.name, options, workshop)


def _beginning(pieces: Iterator[bytes], limit: int) -> tuple[bytes, bool]:
    """The bytes up to the limit, and whether that is all; what is no text is seen before more is read."""
    start = bytearray()
    for piece in pieces:
        start += piece
        if b"\0" in piece:
            break
        if len(start) > limit:
            return bytes(start), False
    return bytes(start), True


def _large(path: str, name: str, options: Options, workshop: Workshop | None) -> File:
    from rocscope.sources import database
    from rocscope.sources.plain_csv import SAMPLE, large_csv

    workshop = workshop or database.Workshop.new()
    with open(path, "rb") as file:
        start = file.read(SAMPLE)
    _refuse_nul(start, name)
    text = start.decode("utf-8-sig", errors="ignore")
    _refuse_array(text, name)
    if formats.holds_json(text, name):
        from rocscope.sources.json_lines import JsonLinesFile, read_json_lines

        head = read_json_lines(text[: text.rfind("\n") + 1].splitlines(keepends=True) or [text], name)
        return JsonLinesFile(name, path, head, os.stat(path).st_size, workshop)
    return large_csv(path, name, delimiter=options.delimiter, workshop=workshop)


def small_text(content: bytes, name: str, options: Options) -> SmallFile:
    """The columns of a small text in UTF-8: CSV, or JSON lines where it begins with an object."""
    if not content:
        raise empty(name)
    _refuse_nul(content, name)
    text = _decoded(content, name)
    _refuse_array(text, name)
    if formats.holds_json(text, name):
        from rocscope.sources.json_lines import read_json_lines

        return SmallFile(read_json_lines(io.StringIO(text), name), "jsonl")
    return SmallFile(read_text(text, name, delimiter=options.delimiter))


def _refuse_nul(content: bytes, name: str) -> None:
    if (nul := content.find(b"\0")) >= 0:
        from rocscope.sources.text_blocks import not_text

        raise not_text(name, nul)


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        from rocscope.sources.text_blocks import not_utf8

        line = 1 + len(re.findall(rb"\r\n|\r|\n", content[: error.start]))
        raise not_utf8(name, error.start, line, content[error.start]) from None


def _refuse_array(text: str, name: str) -> None:
    if formats.is_json_array(text) and not formats.inner_name(name).lower().endswith((".csv", ".tsv")):
        raise RocscopeError(f"{name} is one JSON list", hint="Write one object per line (JSON lines): jq -c '.[]'")

