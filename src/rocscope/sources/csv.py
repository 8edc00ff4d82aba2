"""CSV row by row, as Python's own reader parses it: the definition of a file's content, with line numbers in errors.

Rules: the delimiter is the comma, semicolon, tab or bar that splits the header into the most fields; the first nonblank
line is the header; blank lines are skipped and counted; a quoted field may contain delimiters and line ends. Anything
else is an error that gives the line. The fast reader for large files (`plain_csv.py`) must agree with this one.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rocscope.errors import RocscopeError
from rocscope.sources.text_table import DELIMITERS, NUMBER, Record, TextTable, revive


def read_text(text: str, source: str, *, delimiter: str | None = None) -> TextTable:
    r"""The columns of a small CSV text.

    >>> columns = read_text("y;score\n1;0.9\n\n0;0.4\n", "scores.csv")
    >>> columns.text("y"), columns.numbers("score"), columns.blank_lines
    (['1', '0'], [0.9, 0.4], 1)
    """
    table = CsvRows.of(physical_lines(text), source, delimiter=delimiter or delimiter_of(text))
    rows, lines = [], []
    for line, cells in table.rows():
        rows.append(tuple(cells))
        lines.append(line)
    if not rows:
        raise no_rows(source)
    return TextTable(source, table.names, tuple(rows), tuple(lines), table.blank_lines)


def no_rows(source: str) -> RocscopeError:
    """Create the error for a file without rows below its header."""
    return RocscopeError(f"{source} has no rows, only a line of column names")


def delimiter_of(text: str) -> str:
    """The delimiter that splits the first lines into the most fields."""
    head = [line for line in physical_lines(text[:100_000]) if line.strip()][:2]

    def quality(delimiter: str) -> tuple[int, bool]:
        try:
            fields = [len(cells) for cells in csv.reader(head, delimiter=delimiter)]
        except csv.Error:  # a field is too long; reported when the file is read
            return (0, False)
        return (fields[0], fields[0] == fields[-1]) if fields else (0, False)

    return max(DELIMITERS, key=quality)  # the first in case of a tie: the comma


def physical_lines(text: str) -> Iterator[str]:
    """Lines that end at \\n, \\r\\n and \\r alone, with their ends."""
    return io.StringIO(text, newline="")


@dataclass(slots=True)
class CsvRows:
    """A CSV file being read: the header is known, rows are read one by one, and blank lines are counted."""

    source: str
    names: tuple[str, ...]
    records: Iterator[Record]
    blank_lines: int = 0

    @classmethod
    def of(cls, lines: Iterable[str], source: str, *, delimiter: str) -> CsvRows:
        """Read the header from the first nonblank line; the rows below it follow."""
        rows = records(lines, delimiter, source)
        for blank, (_, cells) in enumerate(rows):
            if _is_filled(cells):
                return cls(source, _names(cells, source), rows, blank)
        raise empty(source)

    def rows(self) -> Iterator[Record]:
        """Yield each row with the line it begins on; all rows have as many cells as there are names."""
        for line, cells in self.records:
            if len(cells) == len(self.names) and (len(cells) > 1 or cells[0].strip()):
                yield line, cells
            elif _is_filled(cells):
                yield line, self._fitted(cells, line)
            else:
                self.blank_lines += 1

    def _fitted(self, cells: list[str], line: int) -> list[str]:
        if len(cells) == len(self.names) + 1 and not cells[-1].strip():
            return cells[:-1]  # trailing delimiter
        if len(cells) != len(self.names):
            fields = "1 field" if len(cells) == 1 else f"{len(cells)} fields"
            raise RocscopeError(f"{self.source}, line {line}: {fields}, but the header has {len(self.names)}")
        return cells


def single_record(line: str, delimiter: str) -> list[str]:
    """The fields of a line that is a complete record.

    Returns [] if it is blank or a quoted field continues on the next line.
    """
    try:
        cells = next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []
    return cells if _is_filled(cells) else []


def empty(source: str) -> RocscopeError:
    """Create the error for a file without a header."""
    return RocscopeError(f"{source} is empty", hint="The file must have a line of column names and at least one row")


def _is_filled(cells: Sequence[str]) -> bool:
    return len(cells) > 1 or any(cell.strip() for cell in cells)


def records(lines: Iterable[str], delimiter: str, source: str, before: int = 0) -> Iterator[Record]:
    """Yield each record with the line it begins on; blank lines are records without cells."""
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
        return RocscopeError(f"{source}: {message}", hint="Inside a quoted field, write a quote twice")
    if "limit" in problem:
        message = f"the row that begins on line {begin} has a field of more than {csv.field_size_limit():,} characters"
        return RocscopeError(f"{source}: {message}", hint="A quotation mark may be unclosed")
    return RocscopeError(f"{source}: a quote in the row that begins on line {begin} is never closed")


def _names(cells: list[str], source: str) -> tuple[str, ...]:
    names = [revive(cell) for cell in cells]
    if len(names) > 1 and not names[-1].strip():
        names.pop()  # trailing delimiter
    check_names(names, source)
    return tuple(names)


def check_names(names: Sequence[str], source: str) -> None:
    """Raise an error if a column name appears twice."""
    if len(set(names)) == len(names):
        return
    for name, times in Counter(names).items():
        if times > 1 and name.strip():
            often = "twice" if times == 2 else f"{times} times"
            if all(NUMBER.fullmatch(known.strip()) for known in names):
                hint = "Its first line contains numbers; add a line with the column names above it"
            else:
                hint = "Rename one of them"
            raise RocscopeError(f"{source}: the column '{name}' appears {often}", hint=hint)
