"""JSON lines: one object per line, read line by line; numbers keep the digits they were written with."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from rocscope.errors import RocscopeError
from rocscope.sources import database
from rocscope.sources.column_batches import Batch
from rocscope.sources.csv import Nested, Record, TextColumns, batch_of, empty, in_chunks
from rocscope.sources.plain_csv import MOST_TEXT, SAMPLE
from rocscope.sources.text_blocks import changed, check

DEEPEST = 100  # levels of nesting: predictions are flat


def read_json_lines(lines: Iterable[str], source: str) -> TextColumns:
    r"""The columns of a small file of JSON lines: the keys of its objects, in the order in which they appear.

    >>> columns = read_json_lines(['{"y": 1, "p": 0.5}\n', '{"p": 0.25, "y": null}\n'], "scores.jsonl")
    >>> columns.names, columns.cells("y"), columns.numbers("p")
    (('y', 'p'), ['1', ''], [0.5, 0.25])
    """
    found = list(objects(lines, source))
    blank = found.pop()[0]
    if not found:
        raise empty(source)
    names = tuple(dict.fromkeys(key for _, row in found for key in row))
    rows = tuple(tuple(row.get(name, "") for name in names) for _, row in found)
    return TextColumns(source, names, rows, tuple(line for line, _ in found), blank_lines=blank)


def objects(lines: Iterable[str], source: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Each object with its line, values as text; after the last one the number of blank lines, with an empty object."""
    read = json.JSONDecoder(object_pairs_hook=_object, parse_float=str, parse_int=str, parse_constant=_not_json).decode
    blank = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            blank += 1
            continue
        yield number, _decoded(line, read, f"{source}, line {number}")
    yield blank, {}


def _decoded(line: str, read: Any, place: str) -> dict[str, str]:
    depth = line.count("{") + line.count("[")
    if depth > DEEPEST:
        raise RocscopeError(f"{place}: more than {DEEPEST} brackets", hint="One flat object per line is read")
    try:
        row = read(line)
    except json.JSONDecodeError as error:
        raise RocscopeError(f"{place} is not JSON: {error.msg} at letter {error.colno}") from None
    except ValueError as error:
        raise RocscopeError(f"{place}: {error}") from None
    if not isinstance(row, dict):
        raise RocscopeError(f"{place} is no object", hint='A line is one object: {"y": 1, "score": 0.9}')
    return {key: _cell(value) for key, value in row.items()}


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key '{twice[:40]}' appears twice")
    return found


def _not_json(word: str) -> Any:
    raise ValueError(f"{word} is not JSON; a missing value is null")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return Nested(json.dumps(value)[:60])
    return str(value)


@dataclass(frozen=True, slots=True, eq=False)
class JsonLinesFile:
    """A large file of JSON lines in UTF-8, of which the beginning has been read."""

    name: str
    path: str
    head: TextColumns
    bytes: int
    workshop: database.Workshop
    blank: list[int] = field(default_factory=lambda: [0])

    kind = "jsonl"
    rows = None

    @property
    def names(self) -> tuple[str, ...]:
        """The keys seen at the beginning."""
        return self.head.names

    @property
    def about(self) -> int:
        """About how many rows there are."""
        return max(1, round(self.bytes / (SAMPLE / max(1, len(self.head)))))

    @property
    def blank_lines(self) -> int:
        """How many lines were blank when the rows were read."""
        return self.blank[0]

    def sample(self) -> TextColumns:
        """The first rows."""
        return self.head

    def whole(self) -> TextColumns:
        """Every value as text."""
        if self.bytes > MOST_TEXT:
            raise RocscopeError(f"{self.name} is larger than {MOST_TEXT // 2**20} MiB, too large for this")
        with open(self.path, encoding="utf-8-sig") as lines:
            return read_json_lines(lines, self.name)

    def location(self, row: int) -> str:
        """Where a row stands: scores.jsonl, line 7."""
        with open(self.path, encoding="utf-8-sig") as lines:
            filled = (line for line, text in enumerate(lines, 1) if text.strip())
            return f"{self.name}, line {next(islice(filled, row, None))}"

    def batches(self, names: Sequence[str], numbers: Collection[str]) -> Iterator[Batch]:
        """The named columns of every row, line by line."""
        check(self.path, self.name)
        with open(self.path, encoding="utf-8-sig") as lines:
            for some in in_chunks(self._rows(lines, list(names))):
                yield batch_of(some, names, names, numbers, self.name)
        if os.stat(self.path).st_size != self.bytes:
            raise changed(self.name)

    def _rows(self, lines: Iterable[str], names: list[str]) -> Iterator[Record]:
        for line, row in objects(lines, self.name):
            if row:
                yield line, [row.get(name, "") for name in names]
            else:
                self.blank[0] = line

    def relation(self, connection: Any, numbers: Collection[str]) -> Any:
        """None: DuckDB reads as JSON what is none."""
        return None
