"""The small reader: a CSV of a few columns, from a file or standard input, whole and checked before use.

Rules: UTF-8, with or without a byte order mark; the delimiter is a comma, a semicolon or a tab, whichever
splits the header into most fields; the first line that is not blank is the header; blank lines are left out
and counted; a quoted field may hold delimiters and line ends. Anything else is refused with its line.
"""

from __future__ import annotations

import csv
import io
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from rocscope.errors import RocscopeError, did_you_mean
from rocscope.report.sheet import shorten
from rocscope.report.views import revive

LARGEST = 64 * 2**20  # bytes: the whole file is held as text, which takes several times its size
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab"}
MISSING = {"", "na", "n/a", "nan", "none", "null"}  # how a missing number is written, in any case

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_COUNT = re.compile(r"\+?([0-9]{1,1000})(\.0*)?")
_WITH_COMMA = re.compile(r"[+-]?[0-9.]*,[0-9.,]*([eE][+-]?[0-9]+)?")
_KINDS = {
    b"\x1f\x8b": "gzip", b"PAR1": "Parquet", b"PK\x03\x04": "zip or Excel", b"\x28\xb5\x2f\xfd": "zstd",
    b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"\x80": "pickle",
}  # fmt: skip

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a small file: cells as text, the line each row begins on, and the blank lines left out."""

    source: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    delimiter: str
    blank_lines: int

    def __len__(self) -> int:
        return len(self.rows)

    def text(self, name: str) -> list[str]:
        """The cells of a column as they stand; refused when one is blank."""
        cells = self.cells(name)
        self._refuse_missing(name, [not cell.strip() for cell in cells])
        return cells

    def numbers(self, name: str) -> list[float]:
        """The cells of a column as finite numbers (0.5, -3, 1e-5); anything else is refused with its line."""
        return self._read(name, _number, kind="a finite number")

    def counts(self, name: str) -> list[int]:
        """The cells of a column as whole numbers from 0 up, exact however large."""
        return self._read(name, _count, kind="a count (0, 1, 2, ...)")

    def cells(self, name: str) -> list[str]:
        """The cells of a column as they stand, blank ones too."""
        if name not in self.names:
            raise _absent_column(self.source, self.names, name)
        index = self.names.index(name)
        return [revive(row[index]) for row in self.rows]

    def _read(self, name: str, read: Callable[[str], Value | None], *, kind: str) -> list[Value]:
        cells = self.cells(name)
        self._refuse_missing(name, [cell.strip().lower() in MISSING for cell in cells])
        values: list[Value] = []
        for cell, line in zip(cells, self.lines, strict=True):
            value = read(cell.strip())
            if value is None:
                place = f"{self.source}, line {line}, column '{name}'"
                raise RocscopeError(f"{place}: '{shorten(cell, 40)}' is not {kind}", hint=_number_hint(cell))
            values.append(value)
        return values

    def _refuse_missing(self, name: str, missing: Sequence[bool]) -> None:
        lines = [line for line, is_missing in zip(self.lines, missing, strict=True) if is_missing]
        if lines:
            rows = "1 row" if len(lines) == 1 else f"{len(lines)} rows"
            raise RocscopeError(
                f"{self.source}: '{name}' is missing in {rows} (first on line {lines[0]})",
                hint="Fill it in or take these rows out",
            )


def read(path: str | Path) -> Columns:
    r"""The columns of a small CSV file; `-` is standard input.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "scores.csv")
    ...     _ = file.write_text("y;score\n1;0.9\n\n0;0.4\n")
    ...     columns = read(file)
    >>> columns.text("y"), columns.numbers("score"), columns.blank_lines
    (['1', '0'], [0.9, 0.4], 1)
    """
    source = "standard input" if str(path) == "-" else str(path)
    text = _text(_bytes(path, source), source)
    delimiter = _delimiter(text)
    records = list(_records(text, delimiter, source))
    filled = [(line, cells) for line, cells in records if any(cell.strip() for cell in cells) or len(cells) > 1]
    if not filled:
        raise RocscopeError(f"{source} is empty", hint="A line of column names and at least one row are needed")
    names = _names(filled[0][1], source)
    rows = tuple(_row(cells, names, line, source) for line, cells in filled[1:])
    if not rows:
        raise RocscopeError(f"{source} has no rows, only the line of column names")
    return Columns(
        source=source,
        names=names,
        rows=rows,
        lines=tuple(line for line, _ in filled[1:]),
        delimiter=delimiter,
        blank_lines=len(records) - len(filled),
    )


# --- from bytes to text


def _bytes(path: str | Path, source: str) -> bytes:
    try:
        if str(path) == "-":
            content = sys.stdin.buffer.read(LARGEST + 1) if sys.stdin is not None else b""
        else:
            with open(path, "rb") as file:
                content = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise RocscopeError(f"there is no file {source}") from None
    except IsADirectoryError:
        raise RocscopeError(f"{source} is a directory", hint="Name a file in it") from None
    except OSError as error:
        raise RocscopeError(f"cannot read {source}: {error.strerror or error}") from error
    if len(content) > LARGEST:
        raise RocscopeError(f"{source} is larger than {LARGEST // 2**20} MiB, too large for this reader")
    return content


def _text(content: bytes, source: str) -> str:
    kind = next((name for start, name in _KINDS.items() if content.startswith(start)), "")
    hint = f"It looks like a {kind} file; CSV in UTF-8 is read here" if kind else "Save it as CSV in UTF-8"
    if (nul := content.find(b"\0")) >= 0:
        raise RocscopeError(f"{source} is not text: byte {nul} is NUL", hint=hint)
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = 1 + len(re.findall(rb"\r\n|\r|\n", content[: error.start]))
        found = f"byte {error.start}, on line {line}, is 0x{content[error.start]:02x}"
        raise RocscopeError(f"{source} is not UTF-8: {found}", hint=hint) from None


# --- from text to rows


def _delimiter(text: str) -> str:
    head = [line for line in _physical_lines(text[:100_000]) if line.strip()][:2]

    def quality(delimiter: str) -> tuple[int, bool]:
        fields = [len(cells) for cells in csv.reader(head, delimiter=delimiter)]
        return (fields[0], fields[0] == fields[-1]) if fields else (0, False)

    return max(DELIMITERS, key=quality)  # the first of equals: a comma


def _physical_lines(text: str) -> Iterator[str]:
    return io.StringIO(text, newline="")  # ends lines at \n, \r\n and \r alone, and keeps the ends


def _records(text: str, delimiter: str, source: str) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line it begins on; blank lines are records without cells."""
    reader = csv.reader(_physical_lines(text), delimiter=delimiter, strict=True)
    begin = 1
    try:
        for cells in reader:
            yield begin, cells
            begin = reader.line_num + 1
    except csv.Error as error:
        raise _bad_record(source, begin, reader.line_num, str(error)) from None


def _bad_record(source: str, begin: int, end: int, problem: str) -> RocscopeError:
    if "expected after" in problem:
        message = f"a closing quote on line {end} is followed by more text (the row begins on line {begin})"
        return RocscopeError(f"{source}: {message}", hint="Inside a quoted field a quote is written twice")
    if "limit" in problem:
        message = f"the row that begins on line {begin} has a field of more than {csv.field_size_limit():,} letters"
        return RocscopeError(f"{source}: {message}", hint="Is a quote not closed?")
    return RocscopeError(f"{source}: a quote in the row that begins on line {begin} is never closed")


def _names(cells: list[str], source: str) -> tuple[str, ...]:
    names = [revive(cell) for cell in cells]
    if len(names) > 1 and not names[-1].strip():
        names.pop()  # the line ends with a delimiter
    for name, times in Counter(names).items():
        if times > 1 and name.strip():
            often = "twice" if times == 2 else f"{times} times"
            raise RocscopeError(f"{source}: the column '{name}' appears {often}", hint="Rename one of them")
    return tuple(names)


def _row(cells: list[str], names: tuple[str, ...], line: int, source: str) -> tuple[str, ...]:
    if len(cells) == len(names) + 1 and not cells[-1].strip():
        cells = cells[:-1]  # the line ends with a delimiter
    if len(cells) != len(names):
        fields = "1 field" if len(cells) == 1 else f"{len(cells)} fields"
        raise RocscopeError(f"{source}, line {line}: {fields} where the header has {len(names)}")
    return tuple(cells)


def _absent_column(source: str, names: Sequence[str], name: str) -> RocscopeError:
    found = ", ".join(shorten(known, 30) for known in names[:12]) + (", ..." if len(names) > 12 else "")
    near = did_you_mean(name, names)
    if all(_NUMBER.fullmatch(known.strip()) for known in names):
        hint = "The first line looks like data: put a line with the names of the columns before it"
    elif near.startswith("Did you mean"):
        hint = near
    elif len(names) == 1:
        hint = f"Only one column was found: is the delimiter a {', '.join(DELIMITERS.values())}?"
    else:
        hint = ""  # the message lists the columns already
    return RocscopeError(f"{source} has no column '{name}'; it has {found}", hint=hint)


# --- from cells to numbers


def _number(cell: str) -> float | None:
    value = float(cell) if _NUMBER.fullmatch(cell) else math.inf
    return value if math.isfinite(value) else None


def _count(cell: str) -> int | None:
    match = _COUNT.fullmatch(cell)
    return int(match[1]) if match else None


def _number_hint(cell: str) -> str:
    if _WITH_COMMA.fullmatch(cell.strip()):
        return "Numbers are written with a decimal point and without thousands separators"
    return ""
