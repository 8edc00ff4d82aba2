"""Large text files: DuckDB reads what is plain, and whatever is not plain is read again line by line.

The quick way is taken only where it agrees with `csv.py`: the bytes are looked at first (`scanning.py`), and any cell,
row or quote that the two readers could see differently sends the whole file to the slow one, which either reads it or
says which line is wrong and why.
"""

from __future__ import annotations

import io
import math
import os
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.errors import RocscopeError
from rocscope.sources import csv, database, swift
from rocscope.sources.csv import Record, Table, TextColumns, absent_column, is_number
from rocscope.sources.loaded import Part, Texts, complete
from rocscope.sources.querying import Found, Query, as_number, column_of, with_gaps
from rocscope.sources.scanning import Facts, blocks, has_odd_fields, scan

Array = NDArray[Any]
Share = Callable[[float], None]

MOST_COLUMNS = 2000  # more of them are read line by line
MOST_TEXT = 64 * 2**20  # bytes that are read as text whole, which takes several times their size
SAMPLE = 2**20  # bytes at the start, and rows in them, from which columns are guessed
SAMPLE_ROWS = 5000
KEEP = "keep"  # the policy that leaves rows in that lack something, as NaN and codes below 0: of a part of a file


@dataclass(frozen=True, slots=True, eq=False)
class CsvFile:
    """A large CSV file in UTF-8: its header and first rows are known, the rest is on the disk."""

    name: str
    path: str
    head: TextColumns
    header: tuple[str, ...]
    """The fields of the first line, () where the header is not one line: the first."""
    header_bytes: int
    delimiter: str
    bytes: int
    workshop: database.Workshop
    memory: int = database.MEMORY
    scanned: list[Facts] = field(default_factory=list)
    """The facts of the file, once they are known."""
    before: int = 0
    """Lines that stood before these, where the file is a part of a pipe."""

    kind = "csv"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.head.names

    @property
    def rows(self) -> int:
        """About how many rows there are: exact once the file was looked at, and only where no field holds a line."""
        if self.scanned:
            return max(self.scanned[0].lines - 1, 1)
        seen = sum(map(len, (cell for row in self.head.rows for cell in row))) + len(self.head) * len(self.names)
        return max(1, round(self.bytes / max(1.0, seen / max(1, len(self.head)))))

    def sample(self) -> TextColumns:
        """The first rows."""
        return self.head

    def facts(self, progress: Share | None = None) -> Facts:
        """What the bytes say, looked at once."""
        if not self.scanned:
            told = None if progress is None else lambda done: progress(done / max(1, self.bytes))
            with open(self.path, "rb") as file:
                found = scan(
                    blocks(file), self.name, delimiter=self.delimiter.encode(), header=self.header_bytes, progress=told
                )
            if found.bytes != self.bytes:
                raise changed(self.name)
            self.scanned.append(found)
        return self.scanned[0]

    # --- the needed columns in memory

    def load(self, needed: Mapping[str, str], *, missing: str = "error", progress: Share | None = None) -> Part:
        """The needed columns of every row; a cell that cannot be used is refused with its line, or counted."""
        self._having(needed)
        found = self._swiftly(needed, missing, progress)
        if found is None and self.is_plain():
            found = self._quickly(self.facts(), needed, missing, progress)
        if found is None:
            found = self._slowly(needed, missing)
        if os.stat(self.path).st_size != self.bytes:
            raise changed(self.name)
        return found

    def _having(self, needed: Iterable[str]) -> None:
        for column in needed:
            if column not in self.names:
                raise absent_column(self.name, self.names, column)

    def is_plain(self) -> bool:
        """Whether DuckDB sees the same rows as Python's reader does."""
        facts = self.facts()
        if not 1 < len(self.header) <= MOST_COLUMNS or facts.odd_ends:
            return False
        return not facts.quotes or not (self.ends_with_delimiter or self._has_odd_fields(facts))

    @property
    def ends_with_delimiter(self) -> bool:
        """Whether lines do."""
        return len(self.header) > len(self.names)

    def _has_odd_fields(self, facts: Facts) -> bool:
        with open(self.path, "rb") as file:
            return has_odd_fields(blocks(file), self.delimiter.encode(), quotes=facts.quotes)

    def _swiftly(self, needed: Mapping[str, str], missing: str, progress: Share | None) -> Part | None:
        """The needed columns by pyarrow; None when it is not installed, or anything in them is not plain."""
        found = swift.read(self, needed, progress)
        if found is None:
            return None
        lost = {name: column.lost() if isinstance(column, Texts) else None for name, column in found.items()}
        return self._settled({name: (column, lost[name]) for name, column in found.items()}, needed, missing)

    def _quickly(self, facts: Facts, needed: Mapping[str, str], missing: str, progress: Share | None) -> Part | None:
        """The needed columns by DuckDB; None when anything in them is not plain."""
        import duckdb

        connection = database.connect(self.workshop, memory=self.memory)
        try:
            for careful in (False, True):
                if not careful and facts.odd_numbers:
                    continue
                query = Query(self, needed, careful)
                try:
                    found = query.run(connection, progress)
                except duckdb.Error as error:
                    if isinstance(error, duckdb.OutOfMemoryException):
                        raise database.refusal(error, self.name, "CSV file") from None
                    found = None
                if found is not None:
                    return self._settled(found, needed, missing, facts)
        finally:
            connection.close()
        return None

    def _settled(
        self, found: Mapping[str, Found], needed: Mapping[str, str], missing: str, facts: Facts | None = None
    ) -> Part | None:
        """What was found, complete; without facts it is known that every line has its fields, and none is blank."""
        columns = {name: column for name, (column, _) in found.items()}
        rows = len(Part(columns))
        flags = {name: lost for name, (_, lost) in found.items() if lost is not None and needed[name] != csv.BY}
        if not rows or (flags and missing not in ("drop", KEEP)):
            return None  # the slow reader knows the line
        if facts is not None and not facts.quotes:
            # DuckDB refuses rows with too few fields, but not those with too many that are empty.
            full = facts.delimiters <= (rows + 1) * (len(self.header) - 1)
            if not full and (self.ends_with_delimiter or self._has_odd_fields(facts)):
                return None
        blank = 0 if facts is None or facts.quotes else facts.lines - 1 - rows
        if missing == KEEP:
            return Part({name: with_gaps(*column) for name, column in found.items()}, {}, blank)
        part = complete(columns, needed, flags, self.name)
        return Part(part.columns, part.left_out, blank)

    def _slowly(self, needed: Mapping[str, str], missing: str) -> Part:
        """The needed columns line by line, as `csv.py` reads a small file."""
        with open(self.path, encoding="utf-8-sig", newline="") as lines:
            table = Table.of(lines, self.name, delimiter=self.delimiter, before=self.before)
            part = gathered(table.rows(), table.names, needed, missing=missing, source=self.name)
            return Part(part.columns, part.left_out, table.blank_lines)

    def diagnose(self, needed: Mapping[str, str], missing: str) -> None:
        """Refuse what is wrong in the needed columns, line by line, and keep nothing."""
        with open(self.path, encoding="utf-8-sig", newline="") as lines:
            table = Table.of(lines, self.name, delimiter=self.delimiter, before=self.before)
            gathered(table.rows(), table.names, needed, missing=missing, source=self.name, keep=False)

    def whole(self) -> TextColumns:
        """Every cell as text."""
        if self.bytes > MOST_TEXT:
            hint = "Name the columns that are meant, or write it as Parquet"
            raise RocscopeError(f"{self.name} is larger than {MOST_TEXT // 2**20} MiB, too large for this", hint=hint)
        self.facts()
        with open(self.path, encoding="utf-8-sig", newline="") as file:
            return csv.read_text(file.read(), self.name, delimiter=self.delimiter)

    # --- for readings that never hold all rows

    def relation(self, connection: Any, numbers: Sequence[str]) -> Any:
        """The file as a DuckDB relation: the columns of numbers as doubles, null where missing; the others as text."""
        self._having(numbers)
        if not self.is_plain():
            raise RocscopeError(
                f"{self.name} is too large for the memory, and its quotes or line ends are not plain",
                hint="Write it anew as Parquet, or raise --budget",
            )
        named = {column_of(i): column for i, column in enumerate(self.names) if column.strip()}
        chosen = [
            f"{as_number(place, self.name, column) if column in numbers else place} AS {database.name(column)}"
            for place, column in named.items()
        ]
        return connection.sql(f"SELECT {', '.join(chosen)} FROM {self.reader({})}")

    def reader(self, types: Mapping[int, str]) -> str:
        """The call of DuckDB's reader with nothing left to guess; columns are named by their place."""
        columns = ", ".join(f"'c{i}': '{types.get(i, 'VARCHAR')}'" for i in range(len(self.header)))
        return (
            f"read_csv({database.quoted(self.workshop.link(self.path, f'link-{abs(hash(self.path))}'))}, "
            f"auto_detect=false, header=true, delim={database.quoted(self.delimiter)}, quote='\"', escape='\"', "
            f"strict_mode=true, nullstr='', compression='none', hive_partitioning=false, "
            f"columns={{{columns}}})"
        )


def changed(name: str) -> RocscopeError:
    """The refusal of a file that is being written to."""
    return RocscopeError(f"{name} changed while it was read", hint="Wait until it is complete, or read a copy")


# --- the slow way


def gathered(
    rows: Iterable[Record], names: Sequence[str], needed: Mapping[str, str], *, missing: str, source: str,
    unit: str = "line", keep: bool = True,
) -> Part:  # fmt: skip
    """The needed columns of rows that come one by one; the first fault is refused as a small file's would be."""
    gatherers = [_Gatherer(name, what, names.index(name), keep) for name, what in needed.items()]
    left_out: dict[str, int] = {}
    total = 0
    for line, row in rows:
        total += 1
        lacking = None
        for one in gatherers:
            if one.lacks(row, line) and lacking is None:
                lacking = one
        if lacking is not None and missing != KEEP:
            left_out[f"no {lacking.what}"] = left_out.get(f"no {lacking.what}", 0) + 1
            continue
        for one in gatherers:
            one.take(row, line, lacking=lacking is not None)
    if not total and missing != KEEP:
        raise csv.no_rows(source)
    _refuse(gatherers, missing, source, unit)
    columns = {one.name: one.column() for one in gatherers}
    if keep and not len(Part(columns)) and missing != KEEP:
        raise csv.no_row(source, needed)
    return Part(columns, left_out)


def _refuse(gatherers: Sequence[_Gatherer], missing: str, source: str, unit: str) -> None:
    for one in gatherers:
        if one.missing and missing not in ("drop", KEEP):
            first = f"{source}, {unit} {one.first_missing}"
            raise csv.missing_rows(source, one.name, one.missing, first, hint=csv.missing_hint(missing))
    for one in gatherers:
        if one.bad is not None:
            line, cell = one.bad
            raise csv.not_a("a finite number", cell, f"{source}, {unit} {line}, column '{one.name}'")


class _Gatherer:
    """One column being read: its values so far, and the first faults."""

    def __init__(self, name: str, what: str, index: int, keep: bool) -> None:
        self.name, self.what, self.index, self.number, self.keep = name, what, index, is_number(what), keep
        self.values: array[Any] = array("d") if self.number else array("i")
        self.codes: dict[str, int] = {}
        self.missing, self.first_missing = 0, 0
        self.bad: tuple[int, str] | None = None

    def lacks(self, row: Sequence[str], line: int) -> bool:
        """Whether the row has nothing here."""
        if self.what == csv.BY or not csv.is_missing(csv.revive(row[self.index]), self.what):
            return False
        self.missing += 1
        self.first_missing = self.first_missing or line
        return True

    def take(self, row: Sequence[str], line: int, *, lacking: bool = False) -> None:
        """The cell of a row that has all it needs, or of one that is kept though it lacks something."""
        cell = row[self.index]
        if not self.number:
            if not self.keep:
                return
            self.values.append(self.codes.setdefault(cell, len(self.codes)))
            return
        plain = csv.revive(cell)
        value = csv.number(plain.strip())
        if value is None:
            self.bad = self.bad if lacking else self.bad or (line, plain)
            value = math.nan
        if self.keep:
            self.values.append(value)

    def column(self) -> Array | Texts:
        """The values so far."""
        if self.number:
            return np.frombuffer(self.values, dtype=np.float64) if self.values else np.empty(0)
        codes = np.frombuffer(self.values, dtype=np.int32) if self.values else np.empty(0, np.int32)
        return Texts.of(codes, list(self.codes))


# --- opening one


def large_csv(
    path: str, name: str, *, delimiter: str | None, workshop: database.Workshop, memory: int = database.MEMORY
) -> CsvFile:
    """A CSV file of which only the beginning has been read."""
    size = os.stat(path).st_size
    with open(path, "rb") as file:
        start = file.read(SAMPLE)
    text = _whole_letters(start)
    chosen = delimiter or csv.delimiter_of(text)
    if "\n" not in text and "\r" not in text and size > len(start):
        with open(path, "rb") as file:
            scan(blocks(file), name)  # a line without end is refused there
        with open(path, encoding="utf-8-sig", newline="") as lines:
            text = lines.readline()
    complete_lines = text if size <= len(start) else text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text
    table = Table.of(io.StringIO(complete_lines, newline=""), name, delimiter=chosen)
    rows, lines_seen = _first_rows(table)
    first = next(iter(io.StringIO(text, newline="")), "")
    bom = 3 if start.startswith(b"\xef\xbb\xbf") else 0
    return CsvFile(
        name=name,
        path=path,
        head=TextColumns(name, table.names, tuple(rows), tuple(lines_seen), chosen),
        header=tuple(csv.single_record(first, chosen)),
        header_bytes=bom + len(first.encode("utf-8")),
        delimiter=chosen,
        bytes=size,
        workshop=workshop,
        memory=memory,
    )


def _whole_letters(start: bytes) -> str:
    for cut in range(4):
        try:
            return start[: len(start) - cut].decode("utf-8-sig")
        except UnicodeDecodeError as error:
            if error.start < len(start) - 4:
                break
    return start.decode("utf-8-sig", errors="replace")  # refused with its place when every byte is looked at


def _first_rows(table: Table) -> tuple[list[tuple[str, ...]], list[int]]:
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    try:
        for line, cells in table.rows():
            rows.append(tuple(cells))
            lines.append(line)
            if len(rows) == SAMPLE_ROWS:
                break
    except RocscopeError:
        pass  # a fault, or a quoted field cut by the end of the sample: found again when all of it is read
    return rows, lines
