"""One file in, by its content: small text whole, anything else with its header alone until columns are asked for."""

from __future__ import annotations

import importlib.util
import io
import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from rocscope.errors import RocscopeError
from rocscope.sources import formats
from rocscope.sources.csv import DELIMITERS, TextColumns, empty, read_text
from rocscope.sources.formats import ARROW, ARROW_STREAM, EXCEL, GZIP, HEAD, PARQUET, UTF16, UTF32, ZSTD, Place

if TYPE_CHECKING:
    from rocscope.sources.database import Workshop
    from rocscope.sources.loaded import Part

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
    block: int = formats.BLOCK

    @classmethod
    def of(
        cls, *, delimiter: str | None, encoding: str | None, sheet: str | None, memory: int = 2**31, small: int = SMALL
    ) -> Options:
        """The options, checked."""
        from rocscope.sources.compression import known_encoding

        chosen = None if encoding is None else known_encoding(encoding)
        letter = None if delimiter is None else delimiter_named(delimiter)
        return cls(letter, chosen, sheet, memory, small, formats.BLOCK)


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


# --- one file


def open_one(place: Place, options: Options) -> Held | TextColumns:
    """One file, by its content: text whole when it is small, else what can be read when columns are asked for."""
    with ExitStack() as held:
        found = _opened(place, held.enter_context(formats.opened(place)), options)
        holding = getattr(found, "holding", None)
        if holding is not None:  # a pipe that goes on: it is closed when it has been read
            holding(held.pop_all())
        return found


def _opened(place: Place, file: Any, options: Options) -> Held | TextColumns:
    head = file.read(HEAD)
    if not head:
        raise empty(place.name)
    kind = formats.kind_of(head)
    formats.check_kind(kind, place.name)
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
        from rocscope.sources.excel import read_sheet

        whole = io.BytesIO(head + file.read(2**28)) if place.once else file
        whole.seek(0)
        return read_sheet(whole, place.name, sheet=options.sheet)
    from rocscope.sources import database
    from rocscope.sources.typed import open_typed

    workshop = database.Workshop.new()
    path = place.path
    if place.once and kind == ARROW_STREAM and importlib.util.find_spec("pyarrow") is not None:
        head += file.read(options.block)
        if len(head) > options.block:
            from rocscope.sources.arrow_pipes import ArrowPipe

            return ArrowPipe.of(io.BufferedReader(_Rejoined(head, file)), place.name, workshop, options.memory)
    if place.once:
        path = workshop.path("spooled")
        _copy(itertools.chain([head], _blocks(file)), path, place.name)
    formats.check_end(path, place.name, kind)
    return open_typed(path, place.name, kind, workshop=workshop, memory=options.memory)


def _copy(pieces: Iterable[bytes], path: str, name: str) -> None:
    from rocscope.sources.compression import with_room

    with open(path, "wb") as sink:
        for piece in with_room(pieces, path, name):
            sink.write(piece)


def _open_packed(place: Place, file: Any, head: bytes, kind: str, options: Options) -> Held | TextColumns:
    from rocscope.sources import compression, database

    size = None if place.once else os.fstat(file.fileno()).st_size
    workshop = database.Workshop.new()
    if kind == ZSTD and not compression.has_zstd() and not place.once:
        pieces = compression.zstd_lines(place.path, place.name, workshop)
    else:
        stream = _Rejoined(head, file)
        pieces = compression.unpacked(stream, kind, place.name, size=size)  # type: ignore[arg-type]
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

    def readinto(self, buffer: Any) -> int:
        found = self.read(len(buffer))
        buffer[: len(found)] = found
        return len(found)

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
    """Text: whole when it is small; else from the file itself, from a copy in UTF-8, or as it flows by."""
    if size is not None and size > options.small and encoding in ("utf-8", "utf-8-sig", "ascii"):
        return _large(place.path, place.name, options, None)
    if encoding not in ("utf-8", "utf-8-sig"):
        from rocscope.sources.compression import in_utf8

        pieces = in_utf8(pieces, encoding, place.name)
    start, ended = _beginning(pieces, options.small)
    if ended:
        return small_text(start, place.name, options)
    from rocscope.sources import database
    from rocscope.sources.compression import spooled

    workshop, pieces = database.Workshop.new(), itertools.chain([start], pieces)
    if place.once:
        return _open_pipe(place, pieces, options, workshop)
    path = workshop.path("spooled")
    spooled(pieces, path, place.name)
    return _large(path, place.name, options, workshop)


def _open_pipe(place: Place, pieces: Iterator[bytes], options: Options, workshop: Workshop) -> Held | TextColumns:
    from rocscope.sources.text_pipes import text_pipe

    found: Held | TextColumns = text_pipe(
        pieces, place.name, lambda path: _large(path, place.name, options, workshop), workshop=workshop,
        size=options.block, delimiter=options.delimiter,
    )  # fmt: skip
    return found


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
    from rocscope.sources import database
    from rocscope.sources.bulk import SAMPLE, large_csv

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
    return large_csv(path, name, delimiter=options.delimiter, workshop=workshop, memory=options.memory)


def small_text(content: bytes, name: str, options: Options) -> TextColumns:
    """The columns of a small text in UTF-8: CSV, or JSON lines where it begins with an object."""
    if not content:
        raise empty(name)
    _refuse_nul(content, name)
    text = _decoded(content, name)
    _refuse_array(text, name)
    if formats.holds_json(text, name):
        from rocscope.sources.json_lines import read_json_lines

        return read_json_lines(io.StringIO(text), name)
    return read_text(text, name, delimiter=options.delimiter)


def _refuse_nul(content: bytes, name: str) -> None:
    if (nul := content.find(b"\0")) >= 0:
        from rocscope.sources.scanning import not_text

        raise not_text(name, nul)


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        from rocscope.sources.scanning import not_utf8

        line = 1 + len(re.findall(rb"\r\n|\r|\n", content[: error.start]))
        raise not_utf8(name, error.start, line, content[error.start]) from None


def _refuse_array(text: str, name: str) -> None:
    if formats.is_json_array(text) and not formats.inner_name(name).lower().endswith((".csv", ".tsv")):
        raise RocscopeError(f"{name} is one JSON list", hint="Write one object per line (JSON lines): jq -c '.[]'")
