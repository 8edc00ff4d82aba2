"""Files in: one or several, of any kind that is read here, opened by content and checked before use.

`open_columns` gives what the command line works on: small text whole, anything else with its header alone until columns
are asked for. `open_files` gives a `Source` for readings that never hold all rows.
"""

from __future__ import annotations

import io
import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from rocscope.errors import RocscopeError
from rocscope.frames import formats
from rocscope.frames.csv import DELIMITERS, TextColumns, absent_column, empty, joined, label_sets, read_text
from rocscope.frames.formats import ARROW, ARROW_STREAM, EXCEL, GZIP, HEAD, PARQUET, UTF16, UTF32, ZSTD, Place

if TYPE_CHECKING:
    from rocscope.frames.duck import Workshop
    from rocscope.frames.loaded import Loaded, Part
    from rocscope.frames.source import Source

SMALL = 2**20  # bytes of text that are read whole, without DuckDB: starting it would take longer
Share = Callable[[float], None]


class Held(Protocol):
    """One large file: its header is known, its rows are on the disk."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def rows(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def sample(self) -> TextColumns: ...
    def load(self, needed: Mapping[str, str], *, missing: str = ..., progress: Share | None = ...) -> Part: ...
    def relation(self, connection: Any, numbers: Sequence[str]) -> Any: ...


@dataclass(frozen=True, slots=True)
class Options:
    """How text is written and which sheet is meant, where that is said."""

    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    memory: int = 2**31
    small: int = SMALL

    @classmethod
    def of(cls, *, delimiter: str | None, encoding: str | None, sheet: str | None, memory: int = 2**31) -> Options:
        """The options, checked."""
        from rocscope.frames.unpacking import known_encoding

        chosen = None if encoding is None else known_encoding(encoding)
        return cls(None if delimiter is None else delimiter_named(delimiter), chosen, sheet, memory, SMALL)


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


# --- the columns of large files


@dataclass(frozen=True, slots=True, eq=False)
class LargeColumns:
    """Files too large to be read before it is known what is needed of them."""

    source: str
    names: tuple[str, ...]
    files: tuple[Held | TextColumns, ...]
    progress: Share | None = None

    @property
    def blank_lines(self) -> int:
        """Not known before the rows are read."""
        return 0

    @property
    def rows(self) -> int:
        """About how many rows there are."""
        return sum(len(file) if isinstance(file, TextColumns) else file.rows for file in self.files)

    @property
    def bytes(self) -> int:
        """How large the files are."""
        return sum(0 if isinstance(file, TextColumns) else file.bytes for file in self.files)

    def sample(self) -> TextColumns:
        """The first rows, from which columns are guessed."""
        first = self.files[0]
        return first if isinstance(first, TextColumns) else first.sample()

    def labels(self, name: str) -> set[str]:
        """The labels of a column among the first rows."""
        return self.sample().labels(name)

    def complete(self, needed: Mapping[str, str], *, missing: str = "error") -> tuple[Loaded, dict[str, int]]:
        """The rows that have all that is needed, and how many were left out for which reason."""
        from rocscope.frames.loaded import Loaded, joined_parts

        for name in needed:
            if name not in self.names:
                raise absent_column(self.source, self.names, name)
        parts = [_part(file, needed, missing, self._told(i)) for i, file in enumerate(self.files)]
        part = joined_parts(parts)
        notes = tuple(note for name, what in needed.items() if what == "label" for note in self._differing(parts, name))
        return Loaded(self.source, self.names, part.columns, part.blank_lines, notes), dict(part.left_out)

    def _differing(self, parts: Sequence[Part], name: str) -> list[str]:
        found: dict[str, set[str]] = {}
        for file, part in zip(self.files, parts, strict=True):
            found[_name(file)] = set(getattr(part.columns[name], "values", ()))
        return label_sets(found)

    def _told(self, index: int) -> Share | None:
        told, files = self.progress, len(self.files)
        return None if told is None else lambda share: told((index + share) / files)

    def whole(self) -> TextColumns:
        """Every cell as text, for words that look at a small table."""
        return joined([_whole(file) for file in self.files], self.source)


def _part(file: Held | TextColumns, needed: Mapping[str, str], missing: str, progress: Share | None) -> Part:
    if not isinstance(file, TextColumns):
        return file.load(needed, missing=missing, progress=progress)
    from rocscope.frames.bulk import gathered

    rows = zip(file.lines, file.rows, strict=True)
    return gathered(rows, file.names, needed, missing=missing, source=file.source, unit=file.unit)  # type: ignore[arg-type]


def _whole(file: Held | TextColumns) -> TextColumns:
    if isinstance(file, TextColumns):
        return file
    whole = getattr(file, "whole", None)
    if whole is None:
        raise RocscopeError(f"{file.name} is too large for this", hint="Name the columns that are meant")
    found: TextColumns = whole()
    return found


Columns = TextColumns | LargeColumns


# --- opening


def open_columns(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    memory: int = 2**31,
    progress: Share | None = None,
) -> Columns:
    """The columns of one or several files; small text is read whole, of anything else the header alone.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "scores.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("y,score\\n1,0.9\\n0,0.4\\n")
    ...     columns = open_columns(path)
    >>> columns.names, len(columns)
    (('y', 'score'), 2)
    """
    options = Options.of(delimiter=delimiter, encoding=encoding, sheet=sheet, memory=memory)
    files = [open_one(place, options) for place in formats.places(paths)]
    source = _source_name(files)
    _check_same_columns(files)
    texts = [file for file in files if isinstance(file, TextColumns)]
    if len(texts) == len(files) and sum(map(len, texts)) <= 200_000:
        return joined(texts, source)
    return LargeColumns(source, files[0].names, tuple(files), progress)


def open_files(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    numbers: Sequence[str] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    memory: int = 2**31,
) -> Source:
    """The rows of one or several files as a Source: a DuckDB relation, read when it is asked.

    `numbers` names the columns of text files that are numbers; without it those are whose first rows are.
    """
    columns = open_columns(paths, delimiter=delimiter, encoding=encoding, sheet=sheet, memory=memory)
    return source_of(columns, numbers=numbers, memory=memory)


def source_of(columns: Columns, *, numbers: Sequence[str] | None = None, memory: int = 2**31) -> Source:
    """Opened files as a Source: a DuckDB relation over all of them, or the arrays of small ones."""
    from rocscope.frames.source import Source

    chosen = list(numbers) if numbers is not None else _numeric(sample_of(columns))
    if isinstance(columns, TextColumns):
        return Source(columns.source, _arrays(columns, chosen), "csv", columns.names, len(columns), lines=True)
    from rocscope.frames import duck

    workshop = duck.Workshop.new()
    connection = duck.connect(workshop, memory=memory)
    relation = None
    for index, file in enumerate(columns.files):
        one = _relation(file, connection, chosen, index)
        relation = one if relation is None else relation.union(one.select(*map(_expression, columns.names)))
    exact = all(file.kind in ("parquet", "arrow") for file in columns.files if not isinstance(file, TextColumns))
    first = columns.files[0]
    kind = "csv" if isinstance(first, TextColumns) else first.kind
    source = Source(columns.source, relation, kind, columns.names, columns.rows if exact else None, columns.bytes)
    # The folders with links and unpacked files must last as long as the relation that reads them.
    object.__setattr__(source, "held", (workshop, columns))
    return source


def sample_of(columns: Columns) -> TextColumns:
    """The first rows of opened files, as text."""
    return columns if isinstance(columns, TextColumns) else columns.sample()


def whole(columns: Columns) -> TextColumns:
    """Every cell of opened files as text, for words that look at a small table."""
    return columns if isinstance(columns, TextColumns) else columns.whole()


def _expression(name: str) -> Any:
    import duckdb

    return duckdb.ColumnExpression(name)


def _relation(file: Held | TextColumns, connection: Any, numbers: Sequence[str], index: int) -> Any:
    if not isinstance(file, TextColumns):
        return file.relation(connection, [name for name in numbers if name in file.names])
    connection.register(f"text_{index}", _arrays(file, numbers))
    return connection.sql(f"SELECT * FROM text_{index}")


def _arrays(columns: TextColumns, numbers: Sequence[str]) -> dict[str, Any]:
    import numpy as np

    found: dict[str, Any] = {}
    for name in columns.names:
        cells = columns.cells(name)
        if name in numbers:
            kept, _ = columns.complete({name: "score"}, missing="drop")
            kept.numbers(name)  # refused with its line where one is no number
            found[name] = np.array([float(c) if _is_number(c) else np.nan for c in cells])
        else:
            found[name] = np.array([cell if cell.strip() else None for cell in cells], dtype=object)
    return found


def _is_number(cell: str) -> bool:
    from rocscope.frames.csv import NUMBER

    return NUMBER.fullmatch(cell.strip()) is not None


def _numeric(sample: TextColumns) -> list[str]:
    from rocscope.frames.csv import MISSING, number

    found = []
    for name in sample.names:
        cells = [cell.strip() for cell in sample.cells(name)]
        filled = [cell for cell in cells if cell.lower() not in MISSING]
        if filled and all(number(cell) is not None for cell in filled):
            found.append(name)
    return found


def _source_name(files: Sequence[Held | TextColumns]) -> str:
    names = [_name(file) for file in files]
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def _name(file: Held | TextColumns) -> str:
    return file.source if isinstance(file, TextColumns) else file.name


def _check_same_columns(files: Sequence[Held | TextColumns]) -> None:
    first = files[0]
    for other in files[1:]:
        lacking = [name for name in first.names if name not in other.names]
        more = [name for name in other.names if name not in first.names]
        if lacking or more:
            said = f"has no column '{lacking[0]}'" if lacking else f"has a column '{more[0]}'"
            verb = "has" if lacking else "has not"
            raise RocscopeError(
                f"{_name(other)} {said}, which {_name(first)} {verb}", hint="Files of one run have the same columns"
            )


# --- one file


def open_one(place: Place, options: Options) -> Held | TextColumns:
    """One file, by its content: text whole when it is small, else what can be read when columns are asked for."""
    with formats.opened(place) as file:
        head = file.read(HEAD)
        if not head:
            raise empty(place.name)
        kind = formats.kind_of(head)
        if place.path != formats.STANDARD_INPUT:
            formats.check_kind(kind, place.name)
        else:
            formats.check_kind(kind, "standard input")
        if kind in (GZIP, ZSTD):
            return _open_packed(place, file, head, kind, options)
        if kind in (PARQUET, ARROW, ARROW_STREAM, EXCEL):
            return _open_binary(place, file, head, kind, options)
        size = None if place.once else os.fstat(file.fileno()).st_size
        pieces = itertools.chain([head], _blocks(file))
        return _open_text(place, pieces, _encoding(kind, options), options, size=size)


def _blocks(file: Any) -> Iterator[bytes]:
    while block := file.read(2**20):
        yield block


def _encoding(kind: str, options: Options) -> str:
    if options.encoding is not None:
        return options.encoding
    return {UTF16: "utf-16", UTF32: "utf-32"}.get(kind, "utf-8")


def _open_binary(place: Place, file: Any, head: bytes, kind: str, options: Options) -> Held | TextColumns:
    if kind == EXCEL:
        from rocscope.frames.excel import read_sheet

        whole = io.BytesIO(head + file.read(2**28)) if place.once else file
        whole.seek(0)
        return read_sheet(whole, place.name, sheet=options.sheet)
    from rocscope.frames import duck
    from rocscope.frames.typed import open_typed

    workshop = duck.Workshop.new()
    path = place.path
    if place.once:
        path = workshop.path("spooled")
        _copy(itertools.chain([head], _blocks(file)), path, place.name)
    formats.check_end(path, place.name, kind)
    return open_typed(path, place.name, kind, workshop=workshop, memory=options.memory)


def _copy(pieces: Iterable[bytes], path: str, name: str) -> None:
    import shutil

    with open(path, "wb") as sink:
        for number, piece in enumerate(pieces):
            sink.write(piece)
            if number % 64 == 0 and shutil.disk_usage(os.path.dirname(path)).free < 2**28:
                raise RocscopeError(f"no room in {os.path.dirname(path)} to keep {name}")


def _open_packed(place: Place, file: Any, head: bytes, kind: str, options: Options) -> Held | TextColumns:
    from rocscope.frames import duck, unpacking

    size = None if place.once else os.fstat(file.fileno()).st_size
    workshop = duck.Workshop.new()
    if kind == ZSTD and not unpacking.has_zstd() and not place.once:
        pieces = unpacking.zstd_lines(place.path, place.name, workshop)
    else:
        stream = _Rejoined(head, file)
        pieces = unpacking.unpacked(stream, kind, place.name, size=size)  # type: ignore[arg-type]
    first = next(pieces, b"")
    inner = formats.kind_of(first)
    if inner in (PARQUET, ARROW, ARROW_STREAM, EXCEL, GZIP, ZSTD):
        raise RocscopeError(f"{place.name} holds {formats.with_article(inner)}", hint="Unpack it first")
    if place.path != formats.STANDARD_INPUT:
        formats.check_kind(inner, formats.inner_name(place.name))
    return _open_text(place, itertools.chain([first], pieces), _encoding(inner, options), options, size=None)


class _Rejoined(io.RawIOBase):
    """A stream of which the beginning was read already."""

    def __init__(self, head: bytes, rest: Any) -> None:
        self.head, self.rest = head, rest

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        size = -1 if size is None else size
        if not self.head:
            found: bytes = self.rest.read(size)
            return found
        if size < 0:
            found, self.head = self.head + self.rest.read(), b""
            return found
        found, self.head = self.head[:size], self.head[size:]
        return found


def _open_text(
    place: Place, pieces: Iterator[bytes], encoding: str, options: Options, *, size: int | None
) -> Held | TextColumns:
    """Text: whole when it is small; else from the file itself, or from a copy in UTF-8."""
    if size is not None and size > options.small and encoding in ("utf-8", "utf-8-sig", "ascii"):
        return _large(place.path, place.name, options, None)
    if encoding not in ("utf-8", "utf-8-sig"):
        from rocscope.frames.unpacking import in_utf8

        pieces = in_utf8(pieces, encoding, place.name)
    start, ended = _beginning(pieces, options.small)
    if ended:
        return small_text(start, place.name, options)
    from rocscope.frames import duck
    from rocscope.frames.unpacking import spooled

    workshop = duck.Workshop.new()
    path = workshop.path("spooled")
    spooled(itertools.chain([start], pieces), path, place.name)
    return _large(path, place.name, options, workshop)


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


def _large(path: str, name: str, options: Options, workshop: Workshop | None) -> Held | TextColumns:
    from rocscope.frames import duck
    from rocscope.frames.bulk import SAMPLE, large_csv

    workshop = workshop or duck.Workshop.new()
    with open(path, "rb") as file:
        start = file.read(SAMPLE)
    _refuse_nul(start, name)
    text = start.decode("utf-8-sig", errors="ignore")
    _refuse_array(text, name)
    if _is_json(text, name):
        from rocscope.frames.jsonl import JsonLinesFile, read_json_lines

        head = read_json_lines(text[: text.rfind("\n") + 1].splitlines(keepends=True) or [text], name)
        return JsonLinesFile(name, path, head, os.stat(path).st_size, workshop)
    return large_csv(path, name, delimiter=options.delimiter, workshop=workshop, memory=options.memory)


def small_text(content: bytes, name: str, options: Options) -> TextColumns:
    """The columns of a small text in UTF-8: CSV, or JSON lines where it begins with an object."""
    if not content:
        raise empty(name)
    _refuse_nul(content, name)
    text = _decoded(content, name)
    _refuse_array(text, name)
    if _is_json(text, name):
        from rocscope.frames.jsonl import read_json_lines

        return read_json_lines(io.StringIO(text), name)
    return read_text(text, name, delimiter=options.delimiter)


def _refuse_nul(content: bytes, name: str) -> None:
    if (nul := content.find(b"\0")) >= 0:
        from rocscope.frames.scanning import not_text

        raise not_text(name, nul)


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        from rocscope.frames.scanning import not_utf8

        line = 1 + len(re.findall(rb"\r\n|\r|\n", content[: error.start]))
        raise not_utf8(name, error.start, line, content[error.start]) from None


def _is_json(text: str, name: str) -> bool:
    return formats.is_json_lines(text) and not formats.inner_name(name).lower().endswith((".csv", ".tsv"))


def _refuse_array(text: str, name: str) -> None:
    if formats.is_json_array(text) and not formats.inner_name(name).lower().endswith((".csv", ".tsv")):
        raise RocscopeError(f"{name} is one JSON list", hint="Write one object per line (JSON lines): jq -c '.[]'")


@contextmanager
def explained(columns: LargeColumns, needed: Mapping[str, str], *, missing: str) -> Iterator[None]:
    """What DuckDB refuses on the way, said with the line that is wrong: the file is read again for that."""
    import duckdb

    from rocscope.frames.duck import refusal

    try:
        yield
    except duckdb.Error as error:
        for file in columns.files:
            if hasattr(file, "diagnose"):
                file.diagnose(needed, missing)
        raise refusal(error, columns.source, "file") from None
