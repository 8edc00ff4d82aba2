"""Text through a pipe: read once, in blocks, each laid into one small file that is overwritten by the next.

A block is read by the same readers as a file, with lines counted from the beginning of the pipe.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.sources import csv, formats, scanning
from rocscope.sources.bulk import KEEP, SAMPLE, CsvFile
from rocscope.sources.column_batches import Batch
from rocscope.sources.compression import with_room
from rocscope.sources.csv import BY, Table
from rocscope.sources.cutting import Blocks, line_ends
from rocscope.sources.database import Workshop
from rocscope.sources.json_lines import JsonLinesFile, objects
from rocscope.sources.loaded import Part, Texts, complete, joined_parts
from rocscope.sources.pipes import Pipe, batches_of, roles


class TextPipe(Pipe[Part]):
    """CSV or JSON lines that flow by; parts of them hold the rows that lack something: NaN, and codes below 0."""

    def __init__(self, file: CsvFile | JsonLinesFile, blocks: Blocks, reopened: Callable[[str], Any]) -> None:
        super().__init__(file)
        self._blocks, self._reopened = blocks, reopened
        self._first: CsvFile | JsonLinesFile | None = file
        self._header = b"" if isinstance(file, JsonLinesFile) else _header(file)
        self._missing: dict[str, int] = {}  # the line of the first one of each column

    def batches(self, names: Sequence[str], numbers: Sequence[str]) -> Iterator[Batch]:
        """The named columns in batches."""
        for part in self.items(roles(names, numbers)):
            yield from batches_of(part, names)

    def _complete(self, items: list[Part], needed: Mapping[str, str], missing: str) -> Part:
        if not self._seen:
            raise csv.no_rows(self.name)
        part = joined_parts(items)
        items.clear()  # all of it is held twice no longer than needed
        gaps = {name: _gaps(column) for name, column in part.columns.items() if needed[name] != BY}
        lacking = [name for name in needed if name in gaps and gaps[name].any()]
        if lacking and missing != "drop":
            name = lacking[0]
            first, count = f"{self.name}, line {self._missing[name]}", int(np.count_nonzero(gaps[name]))
            raise csv.missing_rows(self.name, name, count, first, hint=csv.missing_hint(missing))
        found = complete(part.columns, needed, gaps, self.name)
        return Part(found.columns, found.left_out, part.blank_lines)

    def _next(self) -> Part | None:
        assert self._needed is not None
        file, self._first = self._first or self._following(), None
        if file is None:
            return None
        part = file.load(self._needed, missing=KEEP)
        for name, what in self._needed.items():
            if what != BY and name not in self._missing and (gaps := _gaps(part.columns[name])).any():
                self._missing[name] = next(itertools.islice(_lines(file), int(gaps.argmax()), None))
        self._seen += len(part)
        return part

    def _following(self) -> CsvFile | JsonLinesFile | None:
        """The next block in the place of the last one."""
        try:
            block = self._blocks.take()
        except OSError as error:
            raise RocscopeError(f"cannot read {self.name}: {error.strerror or error}") from error
        if not block:
            return None
        with open(self._file.path, "wb") as sink:
            sink.write(self._header)
            sink.write(block)
        size, before = len(self._header) + len(block), self._blocks.before - line_ends(self._header)
        file: CsvFile | JsonLinesFile = self._file
        if isinstance(file, JsonLinesFile):
            return replace(file, bytes=size, before=before)
        return replace(file, bytes=size, before=before, scanned=[])

    def _keep(self) -> Any:
        path = self._file.workshop.path("kept")
        with open(self._file.path, "rb") as first, open(path, "wb") as sink:
            pieces = itertools.chain(scanning.blocks(first), self._blocks.remaining())
            for piece in with_room(pieces, path, self.name):
                sink.write(piece)
        os.unlink(self._file.path)
        return self._reopened(path)


def _header(file: CsvFile) -> bytes:
    """The lines of the column names: they stand above every block."""
    taken: list[str] = []
    with open(file.path, encoding="utf-8", newline="") as lines:
        Table.of((line for line in lines if not taken.append(line)), file.name, delimiter=file.delimiter)  # type: ignore[func-returns-value]
    first = next(i for i, line in enumerate(taken) if line.strip())
    return "".join(taken[first:]).encode()


def _lines(file: CsvFile | JsonLinesFile) -> Iterator[int]:
    """The line of each row of a block."""
    with open(file.path, encoding="utf-8", newline="") as lines:
        if isinstance(file, JsonLinesFile):
            yield from (line for line, row in objects(lines, file.name, file.before) if row)
        else:
            table = Table.of(lines, file.name, delimiter=file.delimiter, before=file.before)
            yield from (line for line, _ in table.rows())


def _gaps(column: Any) -> Any:
    return column.missing if isinstance(column, Texts) else np.isnan(column)


# --- opening one


def text_pipe(
    pieces: Iterable[bytes], name: str, reopened: Callable[[str], Any], *, workshop: Workshop,
    size: int = formats.BLOCK, delimiter: str | None = None,
) -> Any:  # fmt: skip
    """A text that flows by, or the file that it is laid into where it is no longer than one block.

    `reopened` opens a text that was laid into a file.
    """
    blocks, path = Blocks(pieces, name, size=size), workshop.path("spooled")
    start = blocks.peek()
    sample = start[:SAMPLE].decode("utf-8", errors="ignore")
    if not formats.holds_json(sample, name):
        blocks.delimiter = delimiter or csv.delimiter_of(sample)
    with open(path, "wb") as sink:
        sink.write(blocks.take())
    file = reopened(path)
    if not isinstance(file, CsvFile | JsonLinesFile):
        return file
    return file if blocks.ended and not blocks.waiting else TextPipe(file, blocks, reopened)
