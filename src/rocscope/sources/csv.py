"""Text in: CSV read row by row with Python's own reader, every refusal with its line.

Rules: the delimiter is a comma, a semicolon, a tab or a bar, whichever splits the header into most fields; the first
line that is not blank is the header; blank lines are left out and counted; a quoted field may hold delimiters and line
ends. Anything else is refused with its line. What reads large files quickly (`plain_csv.py`) must agree with this.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TypeVar

import numpy as np

from rocscope.errors import RocscopeError, did_you_mean
from rocscope.sources.column_batches import Array, Batch, Column

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
MISSING = {"", "na", "n/a", "nan", "none", "null"}  # how a missing number is written, in any case
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")

_COUNT = re.compile(r"\+?([0-9]{1,1000})(\.0*)?")
_WITH_COMMA = re.compile(r"[+-]?[0-9.]*,[0-9.,]*([eE][+-]?[0-9]+)?")

FILL = "Fill it in or take these rows out"
ID = "id"  # what a column is needed as that names each case
SLOW_ROWS = 50_000  # rows that are read line by line at a time
BY = "by"  # what a column is needed as when a blank cell is a value like any other

Value = TypeVar("Value")
Record = tuple[int, list[str]]


class Nested(str):
    """A cell that holds an object or a list: it is no value, and refused where one is needed."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TextColumns:
    """The columns of a small file: cells as text, the line each row begins on, and the blank lines left out."""

    source: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    delimiter: str = ","
    blank_lines: int = 0
    files: tuple[tuple[int, str], ...] = ()
    """Where several files stand one below the other: the first row of each, and its name."""
    unit: str = "line"
    notes: tuple[str, ...] = ()
    """What is to be said about the files."""

    def __len__(self) -> int:
        return len(self.rows)

    def place(self, row: int) -> str:
        """Where a row stands, as an editor counts: scores.csv, line 7."""
        name = next((name for first, name in reversed(self.files) if first <= row), self.source)
        return f"{name}, {self.unit} {self.lines[row]}"

    def batches(self, names: Sequence[str], numbers: Collection[str]) -> Iterator[Batch]:
        """The named columns; a number that is none is refused with its line, a missing one is NaN."""
        for name in names:
            if name not in self.names:
                raise absent_column(self.source, self.names, name)
        for start in range(0, len(self), SLOW_ROWS):
            end = start + SLOW_ROWS
            some = zip(self.lines[start:end], self.rows[start:end], strict=True)
            yield batch_of(list(some), self.names, names, numbers, self.source, self.unit)

    def text(self, name: str) -> list[str]:
        """The cells of a column as they stand; refused when one is blank."""
        cells = self._values(name)
        self._refuse_missing(name, [not cell.strip() for cell in cells])
        return cells

    def classes(self, name: str) -> list[str]:
        """A column of labels as `tally` takes it."""
        return self.text(name)

    def labels(self, name: str) -> set[str]:
        """The different cells of a column, blank ones left out."""
        return {cell for cell in self.cells(name) if cell.strip()}

    def labels_as_written(self, name: str) -> set[str]:
        """The different cells of a column as the file has them."""
        index = self.names.index(name)
        return {row[index] for row in self.rows if row[index]}

    def numbers(self, name: str) -> list[float]:
        """The cells of a column as finite numbers (0.5, -3, 1e-5); anything else is refused with its line."""
        return self._read(name, number, kind="a finite number")

    def counts(self, name: str) -> list[int]:
        """The cells of a column as whole numbers from 0 up, exact however large."""
        return self._read(name, _count, kind="a count (0, 1, 2, ...)")

    def cells(self, name: str) -> list[str]:
        """The cells of a column as they stand, blank ones too."""
        if name not in self.names:
            raise absent_column(self.source, self.names, name)
        index = self.names.index(name)
        return [revive(row[index]) for row in self.rows]

    def _values(self, name: str) -> list[str]:
        cells = self.cells(name)
        for row, cell in enumerate(cells):
            if isinstance(cell, Nested):
                raise nested(f"{self.place(row)}, column '{name}'", cell)
        return cells

    def complete(self, needed: Mapping[str, str], *, missing: str = "error") -> tuple[TextColumns, dict[str, int]]:
        """The rows that have all that is needed, and how many were left out for which reason.

        `needed` maps a column to what it is, "label" or "score": without "drop" the first row that lacks it is refused.
        """
        keep, left_out = [True] * len(self), dict.fromkeys((f"no {what}" for what in needed.values() if what != BY), 0)
        for name, what in needed.items():
            if what == BY:
                continue
            empty = [is_missing(cell, what) for cell in self._values(name)]
            if missing != "drop":
                self._refuse_missing(name, empty, hint=missing_hint(missing))
            left_out[f"no {what}"] += sum(lacks and held for lacks, held in zip(empty, keep, strict=True))
            keep = [held and not lacks for lacks, held in zip(empty, keep, strict=True)]
        if not any(keep):
            raise no_row(self.source, needed)
        kept = replace(self._kept(keep), notes=self._label_notes(needed)) if self.files else self._kept(keep)
        return kept, {why: count for why, count in left_out.items() if count}

    def _label_notes(self, needed: Mapping[str, str]) -> tuple[str, ...]:
        ends = [first for first, _ in self.files[1:]] + [len(self)]
        return tuple(
            note
            for name in needed
            if needed[name] == "label"
            for cells in [self.cells(name)]
            for note in label_sets(
                {file: {cell for cell in cells[first:end] if cell.strip()}
                 for (first, file), end in zip(self.files, ends, strict=True)}
            )
        )  # fmt: skip

    def _kept(self, keep: Sequence[bool]) -> TextColumns:
        if all(keep):
            return self
        kept = [index for index, held in enumerate(keep) if held]
        before = [sum(keep[:first]) for first, _ in self.files]
        return replace(
            self,
            rows=tuple(self.rows[i] for i in kept),
            lines=tuple(self.lines[i] for i in kept),
            files=tuple((first, name) for first, (_, name) in zip(before, self.files, strict=True)),
        )

    def _read(self, name: str, read: Callable[[str], Value | None], *, kind: str) -> list[Value]:
        cells = self._values(name)
        self._refuse_missing(name, [cell.strip().lower() in MISSING for cell in cells])
        values: list[Value] = []
        for row, cell in enumerate(cells):
            value = read(cell.strip())
            if value is None:
                raise not_a(kind, cell, f"{self.place(row)}, column '{name}'")
            values.append(value)
        return values

    def _refuse_missing(self, name: str, missing: Sequence[bool], *, hint: str = FILL) -> None:
        if any(missing):
            first = self.place(missing.index(True))
            raise missing_rows(self.source, name, sum(missing), first, hint=hint)


def joined(parts: Sequence[TextColumns], source: str) -> TextColumns:
    """Several files with the same columns, one below the other."""
    first = parts[0]
    if len(parts) == 1:
        return first
    rows: list[tuple[str, ...]] = []
    files = []
    for part in parts:
        files.append((len(rows), part.source))
        order = [part.names.index(name) for name in first.names]
        rows += part.rows if order == list(range(len(order))) else (tuple(row[i] for i in order) for row in part.rows)
    return TextColumns(
        source=source,
        names=first.names,
        rows=tuple(rows),
        lines=tuple(line for part in parts for line in part.lines),
        delimiter=first.delimiter,
        blank_lines=sum(part.blank_lines for part in parts),
        files=tuple(files),
        unit=first.unit,
    )


# --- refusals, in the same words whoever finds the fault


def missing_hint(policy: str) -> str:
    """What to do about missing cells: "error" is the policy where rows may be left out, else there is none."""
    return 'Leave such rows out with missing="drop"' if policy == "error" else FILL


def label_sets(found: Mapping[str, Collection[str]]) -> list[str]:
    """A remark where files of one run do not have the same labels: they are read together all the same.

    >>> label_sets({"a.csv": {"0", "1"}, "b.csv": {"1"}})
    ['the labels differ: a.csv has 0, 1; b.csv has 1']
    """
    if len(set(map(frozenset, found.values()))) < 2:
        return []
    shown = [
        f"{file} has {', '.join(sorted(labels)[:6])}{', ...' if len(labels) > 6 else ''}"
        for file, labels in found.items()
    ]
    return [f"the labels differ: {'; '.join(shown[:4])}{'; ...' if len(shown) > 4 else ''}"]


def missing_rows(source: str, name: str, count: int, first: str, *, hint: str) -> RocscopeError:
    """The refusal of rows that lack something."""
    rows = "1 row" if count == 1 else f"{count:,} rows"
    own = f"{source}, "
    place = f"on {first.removeprefix(own)}" if first.startswith(own) else f"in {first}"
    return RocscopeError(f"{source}: '{name}' is missing in {rows} (first {place})", hint=hint)


def not_a(kind: str, cell: str, place: str) -> RocscopeError:
    """The refusal of a cell that is not a number."""
    hint = ""
    if _WITH_COMMA.fullmatch(cell.strip()):
        hint = "Numbers are written with a decimal point and without thousands separators"
    return RocscopeError(f"{place}: '{_shortened(cell)}' is not {kind}", hint=hint)


def nested(place: str, cell: str) -> RocscopeError:
    """The refusal of an object or a list where a value is needed."""
    kind = "an object" if cell.startswith("{") else "a list"
    return RocscopeError(f"{place} holds {kind}", hint="A number or a text is needed")


def no_row(source: str, needed: Iterable[str]) -> RocscopeError:
    """The refusal of a file in which no row can be used."""
    return RocscopeError(f"{source}: no row has all of {', '.join(needed)}")


def absent_column(source: str, names: Sequence[str], name: str) -> RocscopeError:
    """The refusal of a column that is not there, with what is, and with the nearest name."""
    found = ", ".join(_shortened(known, 30) for known in names[:12]) + (", ..." if len(names) > 12 else "")
    near = did_you_mean(name, names)
    if all(NUMBER.fullmatch(known.strip()) for known in names):
        hint = "The first line looks like data: put a line with the names of the columns before it"
    elif near.startswith("Did you mean"):
        hint = near
    elif len(names) == 1:
        hint = f"Only one column was found: is the delimiter a {', '.join(DELIMITERS.values())}?"
    else:
        hint = ""  # the message lists the columns already
    return RocscopeError(f"{source} has no column '{name}'; it has {found}", hint=hint)


def _shortened(text: str, limit: int = 40) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."


# --- from cells to values


def number(cell: str) -> float | None:
    """The finite number that a stripped cell writes, or None: 0.5, -3, 1e-5, but not 1_000, 0x1p-2 or inf.

    >>> number("0.5"), number("1_000")
    (0.5, None)
    """
    value = float(cell) if NUMBER.fullmatch(cell) else math.inf
    return value if math.isfinite(value) else None


def _count(cell: str) -> int | None:
    match = _COUNT.fullmatch(cell)
    return int(match[1]) if match else None


def is_number(what: str) -> bool:
    """Whether a column that is needed as this ("score", "score of a", "weight") holds numbers."""
    return what.startswith(("score", "weight"))


def is_missing(cell: str, what: str) -> bool:
    """Whether a cell says that there is nothing; "NA" may be a label, so only a blank one is missing."""
    plain = cell.strip().lower()
    return plain in MISSING if is_number(what) else not plain


def revive(text: str) -> str:
    """The text that `report.views.inert` was given: without the quote that keeps a formula from starting.

    >>> revive("'=x"), revive("'x")
    ('=x', "'x")
    """
    return text[1:] if text.startswith("'") and text.lstrip("'").startswith(("=", "+", "-", "@", "\t", "\r")) else text


# --- from rows to columns


def in_chunks(rows: Iterator[Record]) -> Iterator[list[Record]]:
    """Rows some at a time; those before one that is refused come first, for they may have an earlier fault."""
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
    """The wanted columns of rows: numbers as floats, NaN where one is missing; anything else as codes of texts.

    The first cell that cannot be used is refused, in the order of the rows.
    """
    found, faults = {}, []
    for name in wanted:
        index = names.index(name)
        column, fault = _numbers(rows, index) if name in numbers else (_texts(rows, index), None)
        found[name] = column
        nested_cell = next((at for at, (_, row) in enumerate(rows) if isinstance(row[index], Nested)), None)
        faults += [(at, name, index) for at in (fault, nested_cell) if at is not None]
    if faults:
        at, name, index = min(faults)
        place = f"{source}, {unit} {rows[at][0]}, column '{name}'"
        cell = rows[at][1][index]
        raise nested(place, cell) if isinstance(cell, Nested) else not_a("a finite number", revive(cell), place)
    return found


def _numbers(rows: Sequence[tuple[int, Sequence[str]]], index: int) -> tuple[Column, int | None]:
    """The numbers, and the place of the first cell that is none."""
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
    places: dict[str, int] = {}
    codes = (places.setdefault(row[index], len(places)) for _, row in rows)
    return text_column(np.fromiter(codes, dtype=np.int32, count=len(rows)), list(places))


def text_column(codes: Array, values: Sequence[str]) -> Column:
    """A column of text as codes into its different values: blank ones are missing, and those that mean the same one.

    >>> text_column(np.array([0, 1, 2]), ["a", " ", "'=x"])
    Column(values=array([ 0, -1,  1], dtype=int32), nulls=None, categories=['a', '=x'])
    """
    plain = [revive(value) for value in values]
    kept = list(dict.fromkeys(value for value in plain if value.strip()))
    if len(kept) == len(values):
        return Column(codes, None, kept)
    place = {value: code for code, value in enumerate(kept)}
    return Column(np.array([place.get(value, -1) for value in plain], dtype=np.int32)[codes], None, kept)


# --- from text to rows


def read_text(text: str, source: str, *, delimiter: str | None = None) -> TextColumns:
    r"""The columns of a small CSV text.

    >>> columns = read_text("y;score\n1;0.9\n\n0;0.4\n", "scores.csv")
    >>> columns.text("y"), columns.numbers("score"), columns.blank_lines
    (['1', '0'], [0.9, 0.4], 1)
    """
    table = Table.of(physical_lines(text), source, delimiter=delimiter or delimiter_of(text))
    rows, lines = [], []
    for line, cells in table.rows():
        rows.append(tuple(cells))
        lines.append(line)
    if not rows:
        raise no_rows(source)
    return TextColumns(source, table.names, tuple(rows), tuple(lines), table.delimiter, table.blank_lines)


def no_rows(source: str) -> RocscopeError:
    """The refusal of a file that ends after its header."""
    return RocscopeError(f"{source} has no rows, only the line of column names")


def delimiter_of(text: str) -> str:
    """The delimiter that splits the first lines into most fields."""
    head = [line for line in physical_lines(text[:100_000]) if line.strip()][:2]

    def quality(delimiter: str) -> tuple[int, bool]:
        try:
            fields = [len(cells) for cells in csv.reader(head, delimiter=delimiter)]
        except csv.Error:  # a field too long: said when the file is read
            return (0, False)
        return (fields[0], fields[0] == fields[-1]) if fields else (0, False)

    return max(DELIMITERS, key=quality)  # the first of equals: a comma


def physical_lines(text: str) -> Iterator[str]:
    """Lines that end at \\n, \\r\\n and \\r alone, with their ends."""
    return io.StringIO(text, newline="")


@dataclass(slots=True)
class Table:
    """A CSV being read: its header is known, its rows come one by one, and blank lines are counted on the way."""

    source: str
    names: tuple[str, ...]
    delimiter: str
    records: Iterator[Record]
    header_line: int = 1
    blank_lines: int = field(default=0)

    @classmethod
    def of(cls, lines: Iterable[str], source: str, *, delimiter: str, before: int = 0) -> Table:
        """The table that begins with the first line that is not blank; so many lines stood before these."""
        found = records(lines, delimiter, source, before)
        for blank, (line, cells) in enumerate(found):
            if _is_filled(cells):
                return cls(source, _names(cells, source), delimiter, found, line, blank)
        raise empty(source)

    def rows(self) -> Iterator[Record]:
        """Each row with the line it begins on, as many cells as there are names."""
        for line, cells in self.records:
            if len(cells) == len(self.names) and (len(cells) > 1 or cells[0].strip()):
                yield line, cells
            elif _is_filled(cells):
                yield line, self._fitted(cells, line)
            else:
                self.blank_lines += 1

    def _fitted(self, cells: list[str], line: int) -> list[str]:
        if len(cells) == len(self.names) + 1 and not cells[-1].strip():
            return cells[:-1]  # the line ends with a delimiter
        if len(cells) != len(self.names):
            fields = "1 field" if len(cells) == 1 else f"{len(cells)} fields"
            raise RocscopeError(f"{self.source}, line {line}: {fields} where the header has {len(self.names)}")
        return cells


def single_record(line: str, delimiter: str) -> list[str]:
    """The fields of a line that is a record of its own; [] where it is blank or a quote goes on to the next line."""
    try:
        cells = next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []
    return cells if _is_filled(cells) else []


def empty(source: str) -> RocscopeError:
    """The refusal of a file without a header."""
    return RocscopeError(f"{source} is empty", hint="A line of column names and at least one row are needed")


def _is_filled(cells: Sequence[str]) -> bool:
    return len(cells) > 1 or any(cell.strip() for cell in cells)


def records(lines: Iterable[str], delimiter: str, source: str, before: int = 0) -> Iterator[Record]:
    """Each record with the line it begins on; blank lines are records without cells."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    begin = before + 1
    try:
        for cells in reader:
            yield begin, cells
            begin = before + reader.line_num + 1
    except csv.Error as error:
        raise _bad_record(source, begin, before + reader.line_num, str(error)) from None


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
    check_names(names, source)
    return tuple(names)


def check_names(names: Sequence[str], source: str) -> None:
    """Refuse a column name that appears twice."""
    if len(set(names)) == len(names):
        return
    for name, times in Counter(names).items():
        if times > 1 and name.strip():
            often = "twice" if times == 2 else f"{times} times"
            raise RocscopeError(f"{source}: the column '{name}' appears {often}", hint="Rename one of them")
