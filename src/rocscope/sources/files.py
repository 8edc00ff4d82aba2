"""File input: one or several files of any supported kind, recognized by content and checked before use.

`open_files` returns a `Source`; only the beginning of a file is read before columns are requested. Data from a pipe,
compressed or in another encoding is first stored in a temporary folder, which is deleted with the last reference.
`reading` provides the rows: from the files, from DuckDB, or line by line if DuckDB rejects the file.
"""

from __future__ import annotations

import io
import itertools
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import IO, Any, Protocol, TypeVar

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.record import record
from rocscope.sources import column_batches, formats
from rocscope.sources.column_batches import Batch, Column
from rocscope.sources.csv import empty
from rocscope.sources.formats import ARROW, ARROW_STREAM, EXCEL, GZIP, HEAD, PARQUET, UTF16, UTF32, ZSTD, Place
from rocscope.sources.source import BUDGET, Reader, Source
from rocscope.sources.text_file import TextFile, large_text, small_text
from rocscope.sources.text_table import DELIMITERS, MISSING, TextTable, joined, number, text_column
from rocscope.sources.usable_rows import MissingValues, NegativeWeight

SMALL = 2**20  # maximum size in bytes of text that is read entirely without DuckDB, which takes longer to start
MANY = 2_000_000  # maximum number of Parquet rows of a file that is fetched in one piece
TYPED = ("parquet", "arrow")  # file types that store column types and the number of rows
Share = Callable[[float], None]
Result = TypeVar("Result")


class File(Protocol):
    """One file: its header is known; its rows are on disk, or in memory if there are few."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def rows(self) -> int | None: ...
    @property
    def about(self) -> int: ...
    @property
    def path(self) -> str | None: ...
    @property
    def bytes(self) -> int: ...
    @property
    def blank_lines(self) -> int: ...
    def sample(self) -> TextTable: ...
    def whole(self) -> TextTable: ...
    def batches(self, names: Sequence[str], numbers: Collection[str]) -> Iterator[Batch]: ...
    def location(self, row: int) -> str: ...
    def relation(self, connection: Any, numbers: Collection[str]) -> Any: ...


# --- several files as one source


@dataclass(eq=False)
class Seen:
    """Information collected while files are read: rows and labels of each file, and the remarks already made."""

    rows: dict[int, int] = field(default_factory=dict)
    labels: dict[str, set[str]] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)


@record(eq=False)
class Files(Reader):
    """Files with the same columns, read one after the other; text readers are given the numeric columns."""

    name: str
    files: tuple[File, ...]
    given: tuple[str, ...] = ()
    """The names of the files, as the user wrote them."""
    numbers: frozenset[str] | None = None
    """The text columns that contain numbers; None: those whose first rows do."""
    label: str | None = None
    """The column of labels; a remark is made if files have different labels."""
    by_lines: bool = False
    """Whether text is read line by line, by Python's reader alone."""
    memory: int = 2 * BUDGET
    progress: Share | None = None
    remark: Callable[[str], None] | None = None
    """Called with remarks about the files, such as blank lines that were left out."""
    seen: Seen = field(default_factory=Seen)
    folder: Any = None
    """What must live as long as the files: the folder of an engine that reads them."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.files[0].columns

    @property
    def shown(self) -> str:
        """The file names as one text: the first three as given, then the number of remaining files."""
        return ", ".join(self.given[:3]) + (f" and {len(self.given) - 3} more" if len(self.given) > 3 else "")

    @property
    def about(self) -> int:
        """The number of rows, or an estimate if the files would have to be read to know it."""
        return sum(file.about for file in self.files)

    @property
    def bytes(self) -> int:
        """The size of the files that are still to be read."""
        return sum(file.bytes for file in self.files)

    @property
    def large(self) -> bool:
        """Whether rows are still to be read."""
        return any(file.kind in TYPED or file.rows is None for file in self.files)

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks about the files and, once they have been read, about their labels."""
        blank = sum(file.blank_lines for file in self.files)
        lines = (f"{blank} blank line{'' if blank == 1 else 's'} left out.",) if blank else ()
        return (*lines, *label_sets(self.seen.labels))

    def tell(self) -> None:
        """Report the remarks about the files, each once."""
        for note in self.notes if self.remark is not None else ():
            if note not in self.seen.told:
                self.seen.told.add(note)
                self.remark(f"{self.name}: {note}")  # type: ignore[misc]

    def sample(self) -> TextTable:
        """The first rows as text, used to guess the roles of columns; all rows of small files."""
        return self.files[0].sample() if self.large else self.whole()

    def whole(self) -> TextTable:
        """Every cell as text, for commands that read a small table."""
        return joined([file.whole() for file in self.files], self.name)

    def numeric(self, names: Iterable[str]) -> frozenset[str]:
        """The columns that contain numbers as text."""
        if self.numbers is not None:
            return self.numbers & frozenset(names)
        texts = [file for file in self.files if file.kind not in TYPED]
        return frozenset(_numeric(texts[0].sample(), names) if texts else ())

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
        """Harmonize columns whose type differs between files: 1, 1.0 and True are the same label."""
        if len(self.files) == 1:
            return {}
        if any(file.kind not in TYPED for file in self.files):
            return {} if not any(file.kind in TYPED for file in self.files) else {
                name: as_text for name in names if name not in self.numeric(names)
            }  # fmt: skip
        types = {name: {file.type_of(name) for file in self.files} for name in names}  # type: ignore[attr-defined]
        return {name: _as_number for name, type_ in types.items() if len(type_) > 1}

    def location(self, row: int) -> str:
        """The location of a row: scores.csv, line 7."""
        for index, file in enumerate(self.files):
            count = self.seen.rows.get(index)
            if count is None or row < count:
                return file.location(row)
            row -= count
        return f"{self.name}, row {row}"

    def relation(self, connection: Any) -> Any:
        """The files as one DuckDB relation; None if DuckDB would read different rows."""
        import duckdb

        relation = None
        for file in self.files:
            part = file.relation(connection, self.numeric(self.columns))
            if part is None:
                return None
            columns = [duckdb.ColumnExpression(name) for name in self.columns]
            relation = part.select(*columns) if relation is None else relation.union(part.select(*columns))
        return relation


def as_text(column: Column, *, classes: bool = False) -> Column:
    """A column as codes of texts: labels of files are text, whatever their type.

    A class given as a float is called 1 rather than 1.0, just as when the rows do not stay in memory.
    """
    if column.categories is not None:
        return Column(column.values, None, [str(value) for value in column.categories])
    values, codes = np.unique(column.values, return_inverse=True)
    shown = [str(int(value) if classes and _is_whole(value) else value) for value in values.tolist()]
    coded = text_column(codes.reshape(-1), shown)
    lost = column.missing()
    return coded if lost is None else Column(np.where(lost, -1, coded.values), None, coded.categories)


def _is_whole(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer()


def _as_number(column: Column) -> Column:
    values = column.values
    if values.dtype.kind == "b" or (values.dtype.kind == "f" and (values == np.rint(values)).all()):
        return Column(values.astype(np.int64), column.nulls)
    return column


def label_sets(labels_by_file: Mapping[str, Collection[str]]) -> list[str]:
    """A remark if the files of one run do not have the same labels; they are read together anyway.

    >>> label_sets({"a.csv": {"0", "1"}, "b.csv": {"1"}})
    ['the labels differ: a.csv has 0, 1; b.csv has 1']
    """
    if len(set(map(frozenset, labels_by_file.values()))) < 2:
        return []
    shown = [
        f"{file} has {', '.join(sorted(labels)[:6])}{', ...' if len(labels) > 6 else ''}"
        for file, labels in labels_by_file.items()
    ]
    return [f"the labels differ: {'; '.join(shown[:4])}{'; ...' if len(shown) > 4 else ''}"]


# --- reading a source of files


def reading(
    source: Source, numbers: Collection[str], read: Callable[[Source], Result], *, label: str | None = None,
    either: Collection[str] = (), budget: int | None = None,
) -> Result:  # fmt: skip
    """Call `read` with a source in which the columns `numbers` are numeric, and return its result.

    The first rows of text decide whether the columns `either` are numeric.

    Without pyarrow, large files become a DuckDB relation. An engine may accept a text file, but never reject it: a file
    that it refuses is read again line by line by Python's reader, which accepts the file or says which line is wrong.
    """
    files = source.files
    if files is None:
        return read(source)
    memory = files.memory if budget is None or budget < 0 else 2 * budget
    chosen = frozenset(numbers) | files.numeric(either)
    files = replace(files, numbers=chosen, label=label or files.label, memory=memory)
    try:
        result = _by_engine(replace(source, native=files, held=None), read)
    except BrokenPipeError:  # of the output
        raise
    except OSError as error:  # a file was removed, or its disk fails
        name = next((file.name for file in files.files if file.path == error.filename), source.name)
        raise RocscopeError(f"{name} cannot be read anymore: {error.strerror or error}") from error
    for file in files.files:
        if file.path is not None and os.path.exists(file.path) and os.stat(file.path).st_size != file.bytes:
            hint = "Wait until it is complete, or use a copy"
            raise RocscopeError(f"{file.name} changed while it was being read", hint=hint)
    files.tell()
    return result


def _by_engine(source: Source, read: Callable[[Source], Result]) -> Result:
    files: Any = source.native
    if files.by_lines or column_batches.has_arrow():
        return read(source)
    try:
        return read(_in_engine(source))
    except (MissingValues, NegativeWeight):
        pass  # read again to report the line of the first one
    except Exception as error:
        if not _of_engine(error):
            raise
        if all(file.kind in TYPED for file in files.files):
            from rocscope.sources.database import refusal

            raise refusal(error.__cause__ or error, source.name, "file") from None
    return read(replace(source, native=replace(files, by_lines=True)))


def _in_engine(source: Source) -> Source:
    """The source as a DuckDB relation if DuckDB can read it (large files), otherwise unchanged."""
    from rocscope.sources import database

    files: Any = source.native
    if all(file.rows is not None and file.rows <= MANY for file in files.files):
        return source
    folder = database.TemporaryFolder()
    relation = files.relation(database.connect(folder, memory=files.memory))
    # keeps the folder as long as the relation that reads from it
    return source if relation is None else replace(source, native=relation, held=replace(files, folder=folder))


def _of_engine(error: Exception) -> bool:
    duckdb = column_batches.loaded("duckdb")
    return duckdb is not None and isinstance(error.__cause__ or error, duckdb.Error)


def _numeric(sample: TextTable, names: Iterable[str]) -> list[str]:
    """The columns whose first rows are numbers."""
    numeric = []
    for name in names:
        cells = [cell.strip() for cell in sample.cells(name)]
        filled = [cell for cell in cells if cell.lower() not in MISSING]
        if filled and all(number(cell) is not None for cell in filled):
            numeric.append(name)
    return numeric


# --- opening files


@record(slots=True)
class Options:
    """The text format and the sheet, if specified."""

    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    small: int = SMALL

    @classmethod
    def of(cls, *, delimiter: str | None, encoding: str | None, sheet: str | None) -> Options:
        """Validate the options."""
        chosen = None
        if encoding is not None:
            from rocscope.sources.compression import known_encoding

            chosen = known_encoding(encoding)
        letter = None if delimiter is None else delimiter_named(delimiter)
        return cls(letter, chosen, sheet, SMALL)


def delimiter_named(text: str) -> str:
    r"""The delimiter for user input: a character, its name, or \t.

    >>> delimiter_named("tab"), delimiter_named(";")
    ('\t', ';')
    """
    named = {name: letter for letter, name in DELIMITERS.items()} | {"\\t": "\t", "pipe": "|", "space": " "}
    character = named.get(text.lower(), text)
    if len(character) != 1 or character in '"\r\n\0':
        raise RocscopeError(f"the delimiter must be one character, not '{text}'", hint="Give , ; | or tab")
    return character


def open_files(
    paths: str | os.PathLike[str] | IO[bytes] | Iterable[str | os.PathLike[str]],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    memory: int = 2 * BUDGET,
    called: str | None = None,
    remark: Callable[[str], None] | None = None,
) -> Source:
    """Open one or several files as a Source whose rows are read on demand.

    A path may be a folder of Parquet files; instead of paths, a file object supplies the bytes. `called` is the name to
    use in messages for a file stored elsewhere than the user knows; `remark` is called with notes about the files, such
    as the number of blank lines skipped.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "scores.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("y,score\\n1,0.9\\n0,0.4\\n")
    ...     source = open_files(path)
    >>> source.columns, source.rows, source.location(1).endswith("scores.csv, line 3")
    (('y', 'score'), 2, True)
    """
    options = Options.of(delimiter=delimiter, encoding=encoding, sheet=sheet)
    if hasattr(paths, "read"):
        locations, several = [_stream(paths)], [getattr(paths, "name", "a file object")]
    else:
        several = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        locations = formats.places(several)
    inputs = [location if called is None else replace(location, name=called) for location in locations]
    files = [open_one(position, options) for position in inputs]
    _check_same_columns(files)
    given = tuple(map(str, several)) if called is None else (called,)
    return source_of(files, given=given, memory=memory, remark=remark)


def _stream(file: Any) -> Place:
    """A file object that supplies bytes: an upload, a download, io.BytesIO."""
    name = str(getattr(file, "name", "a file object"))
    if isinstance(file, io.TextIOBase):
        raise RocscopeError(f"{name} was opened as text", hint='Open it as bytes: open(path, "rb")')
    return Place(formats.STANDARD_INPUT, name, once=True, stream=file)


def source_of(files: Sequence[File], *, given: Sequence[str] = (), name: str | None = None, **how: Any) -> Source:
    """Opened files as a Source."""
    joint = files[0].name if len(files) == 1 else f"{files[0].name} and {len(files) - 1} more"
    opened = Files(name or joint, tuple(files), tuple(given) or (joint,), **how)
    opened.tell()
    rows = [file.rows for file in files]
    known = None if any(count is None for count in rows) else sum(count or 0 for count in rows)
    return Source(opened.name, opened, files[0].kind, opened.columns, known, opened.bytes if known is None else None)


def _check_same_columns(files: Sequence[File]) -> None:
    first = files[0]
    known = set(first.columns)
    for other in files[1:]:
        there = set(other.columns)
        lacking = [name for name in first.columns if name not in there]
        more = [name for name in other.columns if name not in known]
        if lacking or more:
            problem = f"has no column '{lacking[0]}'" if lacking else f"has a column '{more[0]}'"
            verb = "has" if lacking else "has not"
            raise RocscopeError(
                f"{other.name} {problem}, which {first.name} {verb}", hint="Files of one run must have the same columns"
            )


# --- opening a single file


def open_one(location: Place, options: Options) -> File:
    """Open one file by its content: small text files are read whole, others on demand."""
    with formats.opened(location) as file:
        head = file.read(HEAD)
        if not head:
            raise empty(location.name)
        kind = formats.kind_of(head)
        formats.check_kind(kind, location.name, location.path)
        pieces = itertools.chain([head], _pieces(file))
        if kind in (GZIP, ZSTD):
            return _open_packed(location, pieces, kind, options)
        if kind == EXCEL:
            from rocscope.sources.excel import LARGEST, read_sheet

            content = io.BytesIO(head + file.read(LARGEST))
            return TextFile.whole_table(read_sheet(content, location.name, sheet=options.sheet), "excel")
        if kind in (PARQUET, ARROW, ARROW_STREAM):
            return _open_typed(location, pieces, kind)
        return _open_text(location, pieces, _encoding(kind, options), options, whole=not location.once)


def _pieces(file: Any) -> Iterator[bytes]:
    while piece := file.read(2**20):
        yield piece


def _encoding(kind: str, options: Options) -> str:
    if options.encoding is not None:
        return options.encoding
    return {UTF16: "utf-16", UTF32: "utf-32"}.get(kind, "utf-8")


def _open_typed(location: Place, pieces: Iterable[bytes], kind: str) -> File:
    from rocscope.sources import database
    from rocscope.sources.compression import spooled
    from rocscope.sources.parquet import open_typed

    folder = database.TemporaryFolder()
    path = spooled(pieces, folder, location.name) if location.once else location.path
    formats.check_end(path, location.name, kind)
    return open_typed(path, location.name, kind, folder=folder, partition=location.partition)


def _open_packed(location: Place, pieces: Iterator[bytes], kind: str, options: Options) -> File:
    from rocscope.sources import compression, database

    size = None if location.once else os.stat(location.path).st_size
    if kind == ZSTD and not column_batches.has_arrow() and not location.once:
        unpacked = compression.zstd_lines(location.path, location.name, database.TemporaryFolder())
    else:
        unpacked = compression.unpacked(pieces, kind, location.name, size=size)
    first = next(unpacked, b"")
    inner = formats.kind_of(first)
    if inner in (PARQUET, ARROW, ARROW_STREAM, EXCEL, GZIP, ZSTD):
        raise RocscopeError(f"{location.name} contains {formats.with_article(inner)}", hint="Decompress it first")
    if location.path != formats.STANDARD_INPUT:
        formats.check_kind(inner, formats.inner_name(location.name), formats.inner_name(location.path))
    text = itertools.chain([first], unpacked)
    return _open_text(location, text, _encoding(inner, options), options, whole=False)


def _open_text(location: Place, pieces: Iterator[bytes], encoding: str, options: Options, *, whole: bool) -> File:
    """Open a text file. Small ones are read at once.

    Larger ones are read from the file itself if it is `whole`, or from a copy in UTF-8.
    """
    from rocscope.sources import compression, database

    if whole and encoding in ("utf-8", "utf-8-sig", "ascii") and os.stat(location.path).st_size > options.small:
        return large_text(location.path, location.name, database.TemporaryFolder(), delimiter=options.delimiter)
    if encoding not in ("utf-8", "utf-8-sig"):
        pieces = compression.in_utf8(pieces, encoding, location.name)
    start, ended = _beginning(pieces, options.small)
    if ended:
        return small_text(start, location.name, delimiter=options.delimiter)
    folder = database.TemporaryFolder()
    path = compression.spooled(itertools.chain([start], pieces), folder, location.name)
    return large_text(path, location.name, folder, delimiter=options.delimiter)


def _beginning(pieces: Iterator[bytes], limit: int) -> tuple[bytes, bool]:
    """The bytes up to the limit, and whether that is all.

    A file that is not text is detected before more is read.
    """
    start = bytearray()
    for piece in pieces:
        start += piece
        if b"\0" in piece:
            break
        if len(start) > limit:
            return bytes(start), False
    return bytes(start), True
