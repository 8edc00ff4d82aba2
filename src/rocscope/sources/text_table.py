"""Tables of text: conversion of cells to numbers, counts and labels, with the line in every error."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

import numpy as np

from rocscope import tally
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.record import record
from rocscope.sources.column_batches import Array, Batch, Column
from rocscope.sources.source import first_place
from rocscope.sources.usable_rows import FILL, missing_values

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
MISSING = {"", "na", "n/a", "nan", "none", "null"}  # spellings of a missing number, case-insensitive
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")

_COUNT = re.compile(r"\+?([0-9]{1,1000})(\.0*)?")
_WITH_COMMA = re.compile(r"[+-]?[0-9.]*,[0-9.,]*([eE][+-]?[0-9]+)?")

SLOW_ROWS = 50_000  # number of rows per batch when reading line by line

Value = TypeVar("Value")
Record = tuple[int, list[str]]


class NestedValue(str):
    """A cell that contains an object or a list: not a value, and an error if a value is needed."""

    __slots__ = ()


class MixedValue(str):
    """A number in a column of texts that look like numbers, or the reverse: 1 and "1" are not the same label."""

    __slots__ = ()


def cell_of(value: str, is_number: bool, kinds: dict[str, bool], name: str) -> str:
    """The cell for a file format that distinguishes numbers from text.

    `kinds` holds the first type seen in each column.
    """
    if not (is_number or NUMBER.fullmatch(value)) or kinds.setdefault(name, is_number) == is_number:
        return value
    return MixedValue(value)


@record(slots=True)
class TextTable:
    """A table of cells as text: a small file, or the first rows of a large one, with the line each row begins on."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    blank_lines: int = 0
    files: tuple[tuple[int, str], ...] = ()
    """For several files read one after the other: the first row and the name of each."""
    unit: str = "line"

    def __len__(self) -> int:
        return len(self.rows)

    def location(self, row: int) -> str:
        """The location of a row, as an editor counts: scores.csv, line 7."""
        name = next((name for first, name in reversed(self.files) if first <= row), self.name)
        return f"{name}, {self.unit} {self.lines[row]}"

    def first(self, row: int) -> str:
        """The location of the first row with a fault, inside a sentence about the table."""
        return first_place(self.name, self.location(row))

    def batches(self, names: Sequence[str], numbers: Collection[str]) -> Iterator[Batch]:
        """The named columns, in batches. An invalid number is refused with its line; a missing number becomes NaN."""
        for name in names:
            self._index(name)
        for start in range(0, len(self), SLOW_ROWS):
            end = start + SLOW_ROWS
            some = zip(self.lines[start:end], self.rows[start:end], strict=True)
            yield batch_of(list(some), self.columns, names, numbers, self.name, self.unit)

    def cells(self, name: str) -> list[str]:
        """The cells of a column unchanged, including blank ones."""
        index = self._index(name)
        return [revive(row[index]) for row in self.rows]

    def text(self, name: str) -> list[str]:
        """The cells of a column unchanged; refused if one is blank."""
        cells = self._values(name)
        self._refuse_missing(name, [not cell.strip() for cell in cells])
        return cells

    def labels(self, name: str) -> set[str]:
        """The distinct cells of a column, without blank ones."""
        return {cell for cell in self.cells(name) if cell.strip()}

    def numbers(self, name: str) -> list[float]:
        """The cells of a column as finite numbers (0.5, -3, 1e-5); anything else is refused with its line."""
        return self._read(name, number, kind="a finite number")

    def counts(self, name: str) -> list[int]:
        """The cells of a column as nonnegative integers of any size."""
        return self._read(name, _count, kind="a count (0, 1, 2, ...)")

    def all_cells(self) -> Iterator[tuple[str, list[str]]]:
        """Every column with its cells unchanged, in one pass however many columns there are."""
        for index, name in enumerate(self.columns):
            yield name, [revive(row[index]) for row in self.rows]

    def _index(self, name: str) -> int:
        if name not in self.columns:
            raise absent_column(self.name, self.columns, name)
        return self.columns.index(name)

    def _values(self, name: str) -> list[str]:
        cells = self.cells(name)
        for row, cell in enumerate(cells):
            if isinstance(cell, NestedValue):
                raise nested(f"{self.location(row)}, column '{name}'", cell)
        return cells

    def _read(self, name: str, read: Callable[[str], Value | None], *, kind: str) -> list[Value]:
        cells = self._values(name)
        self._refuse_missing(name, [cell.strip().lower() in MISSING for cell in cells])
        values: list[Value] = []
        for row, cell in enumerate(cells):
            value = read(cell.strip())
            if value is None:
                raise not_a(kind, cell, f"{self.location(row)}, column '{name}'")
            values.append(value)
        return values

    def _refuse_missing(self, name: str, missing: Sequence[bool]) -> None:
        if any(missing):
            raise missing_values({name: sum(missing)}, self, {name: missing.index(True)}, hint=FILL)


def joined(parts: Sequence[TextTable], name: str) -> TextTable:
    """Concatenate several tables with the same columns."""
    first = parts[0]
    if len(parts) == 1:
        return first
    rows: list[tuple[str, ...]] = []
    files = []
    for part in parts:
        files.append((len(rows), part.name))
        position = {column: at for at, column in enumerate(part.columns)}
        order = [position[column] for column in first.columns]
        rows += part.rows if order == list(range(len(order))) else (tuple(row[i] for i in order) for row in part.rows)
    lines = tuple(line for part in parts for line in part.lines)
    blank = sum(part.blank_lines for part in parts)
    return TextTable(name, first.columns, tuple(rows), lines, blank, tuple(files), first.unit)


# --- error messages shared by all readers


def not_a(kind: str, cell: str, where: str) -> RocscopeError:
    """Create the error for a cell that is not a number."""
    hint = ""
    if _WITH_COMMA.fullmatch(cell.strip()):
        hint = "Write numbers with a decimal point and without thousands separators"
    elif cell.strip().lower().lstrip("+-") in ("inf", "infinity"):
        hint = tally.INFINITE
    return RocscopeError(f"{where}: '{_shortened(cell)}' is not {kind}", hint=hint)


def nested(where: str, cell: str) -> RocscopeError:
    """Create the error for an object or a list where a value is needed."""
    kind = "an object" if cell.startswith("{") else "a list"
    return RocscopeError(f"{where} contains {kind}", hint="A cell must be a number or text")


def mixed(where: str, cell: str) -> RocscopeError:
    """Create the error for labels of two types that look alike."""
    problem = f"{where} mixes types: numbers, and text that looks like a number ('{_shortened(cell)}')"
    return RocscopeError(problem, hint="Use a single type for all labels")


def absent_column(source: str, names: Sequence[str], name: str) -> RocscopeError:
    """The error for a column that does not exist, with the existing ones and the nearest name."""
    shown = ", ".join(_shortened(known, 30) for known in names[:12]) + (", ..." if len(names) > 12 else "")
    near = did_you_mean(name, names)
    if all(NUMBER.fullmatch(known.strip()) for known in names):
        hint = "The first line looks like data; add a line with the column names before it"
    elif near.startswith("Did you mean"):
        hint = near
    elif len(names) == 1:
        hint = f"Only one column was found; check whether the delimiter is a {', '.join(DELIMITERS.values())}"
    else:
        hint = ""  # the message already lists the columns
    return RocscopeError(f"{source} has no column '{name}'; it has {shown}", hint=hint)


def _shortened(text: str, limit: int = 40) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."


# --- parsing cells


def number(cell: str) -> float | None:
    """Parse a stripped cell as a finite number, or return None: 0.5, -3, 1e-5, but not 1_000, 0x1p-2 or inf.

    >>> number("0.5"), number("1_000")
    (0.5, None)
    """
    value = float(cell) if NUMBER.fullmatch(cell) else math.inf
    return value if math.isfinite(value) else None


def _count(cell: str) -> int | None:
    match = _COUNT.fullmatch(cell)
    return int(match[1]) if match else None


def revive(text: str) -> str:
    """Undo `report.sheet_formats.inert`: remove the quote that prevents a formula from being evaluated.

    >>> revive("'=x"), revive("'x")
    ('=x', "'x")
    """
    return text[1:] if text.startswith("'") and text.lstrip("'").startswith(("=", "+", "-", "@", "\t", "\r")) else text


# --- converting rows to columns


def in_chunks(rows: Iterator[Record]) -> Iterator[list[Record]]:
    """Yield rows in chunks; the rows before an invalid one come first, as they may contain an earlier error."""
    refused = None
    while refused is None:
        some = []
        try:
            for row in islice(rows, SLOW_ROWS):
                some.append(row)
        except RocscopeError as error:
            refused = error
        if some:
            yield some
        elif refused is None:
            return
    raise refused


def batch_of(
    rows: Sequence[tuple[int, Sequence[str]]], names: Sequence[str], wanted: Iterable[str], numbers: Collection[str],
    source: str, unit: str = "line",
) -> Batch:  # fmt: skip
    """Convert the required columns of rows: numbers to floats (NaN if missing), all others to codes of texts.

    The first unusable cell in the order of the rows is reported.
    """
    columns, faults = {}, []
    for name in wanted:
        index = names.index(name)
        column, fault = _numbers(rows, index) if name in numbers else (_texts(rows, index), None)
        columns[name] = column
        refused = NestedValue if name in numbers else (NestedValue, MixedValue)
        odd = next((at for at, (_, row) in enumerate(rows) if isinstance(row[index], refused)), None)
        faults += [(at, name, index) for at in (fault, odd) if at is not None]
    if faults:
        at, name, index = min(faults)
        where = f"{source}, {unit} {rows[at][0]}, column '{name}'"
        cell = rows[at][1][index]
        if isinstance(cell, MixedValue):
            raise mixed(where, cell)
        raise nested(where, cell) if isinstance(cell, NestedValue) else not_a("a finite number", revive(cell), where)
    return columns


def _numbers(rows: Sequence[tuple[int, Sequence[str]]], index: int) -> tuple[Column, int | None]:
    """The numbers, and the position of the first cell that is not one."""
    values = np.empty(len(rows))
    for at, (_, row) in enumerate(rows):
        cell = revive(row[index]).strip()
        value = number(cell)
        if value is None:
            if cell.lower() not in MISSING:
                return Column(values), at
            value = math.nan
        values[at] = value
    return Column(values), None


def _texts(rows: Sequence[tuple[int, Sequence[str]]], index: int) -> Column:
    codes_of_text: dict[str, int] = {}
    codes = (codes_of_text.setdefault(row[index], len(codes_of_text)) for _, row in rows)
    return text_column(np.fromiter(codes, dtype=np.int32, count=len(rows)), list(codes_of_text))


def text_column(codes: Array, values: Sequence[str]) -> Column:
    """Encode a text column by its distinct values: blank ones are missing, and equivalent spellings share a code.

    >>> text_column(np.array([0, 1, 2]), ["a", " ", "'=x"])
    Column(values=array([ 0, -1,  1], dtype=int32), nulls=None, categories=['a', '=x'])
    """
    plain = [revive(value) for value in values]
    kept = list(dict.fromkeys(value for value in plain if value.strip()))
    if len(kept) == len(values):
        return Column(codes, None, kept)
    code_of = {value: code for code, value in enumerate(kept)}
    return Column(np.array([code_of.get(value, -1) for value in plain], dtype=np.int32)[codes], None, kept)
