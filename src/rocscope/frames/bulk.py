"""Large text files: DuckDB reads what is plain, and whatever is not plain is read again line by line.

The quick way is taken only where it agrees with `csv.py`: the bytes are looked at first (`scanning.py`), and any cell,
row or quote that the two readers could see differently sends the whole file to the slow one, which either reads it or
says which line is wrong and why.
"""

from __future__ import annotations

import io
import os
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.errors import RocscopeError
from rocscope.frames import csv, duck
from rocscope.frames.csv import MISSING, Record, Table, TextColumns, absent_column, is_number
from rocscope.frames.loaded import Part, Texts, complete
from rocscope.frames.scanning import Facts, blocks, has_odd_fields, scan

Array = NDArray[Any]
Share = Callable[[float], None]

MOST_COLUMNS = 2000  # more of them are read line by line
MOST_LABELS = 64  # so many are compared one by one inside DuckDB; more come as text
MOST_TEXT = 64 * 2**20  # bytes that are read as text whole, which takes several times their size
SAMPLE = 2**20  # bytes at the start, and rows in them, from which columns are guessed
SAMPLE_ROWS = 5000
_FINE, _MISSING, _BAD = 0, 1, 2
_UNKNOWN = 99  # the code of a label that is not among those known


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
    workshop: duck.Workshop
    memory: int = duck.MEMORY
    scanned: list[Facts] = field(default_factory=list)
    """The facts of the file, once they are known."""

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
                    blocks(file),
                    self.name,
                    delimiter=self.delimiter.encode(),
                    header=self.header_bytes,
                    progress=told,
                )
            if found.bytes != self.bytes:
                raise changed(self.name)
            self.scanned.append(found)
        return self.scanned[0]

    # --- the needed columns in memory

    def load(self, needed: Mapping[str, str], *, missing: str = "error", progress: Share | None = None) -> Part:
        """The needed columns of every row; a cell that cannot be used is refused with its line, or counted."""
        self._having(needed)
        facts = self.facts()
        found = self._quickly(facts, needed, missing, progress) if self._is_plain(facts) else None
        if found is None:
            found = self._slowly(needed, missing)
        if os.stat(self.path).st_size != self.bytes:
            raise changed(self.name)
        return found

    def _having(self, needed: Iterable[str]) -> None:
        for column in needed:
            if column not in self.names:
                raise absent_column(self.name, self.names, column)

    def _is_plain(self, facts: Facts) -> bool:
        """Whether DuckDB sees the same rows as Python's reader does."""
        if not 1 < len(self.header) <= MOST_COLUMNS or facts.odd_ends:
            return False
        return not facts.quotes or not (self._ends_with_delimiter or self._has_odd_fields(facts))

    @property
    def _ends_with_delimiter(self) -> bool:
        return len(self.header) > len(self.names)

    def _has_odd_fields(self, facts: Facts) -> bool:
        with open(self.path, "rb") as file:
            return has_odd_fields(blocks(file), self.delimiter.encode(), quotes=facts.quotes)

    def _quickly(self, facts: Facts, needed: Mapping[str, str], missing: str, progress: Share | None) -> Part | None:
        """The needed columns by DuckDB; None when anything in them is not plain."""
        import duckdb

        connection = duck.connect(self.workshop, memory=self.memory)
        try:
            for careful in (False, True):
                if not careful and facts.odd_numbers:
                    continue
                query = _Query(self, needed, careful)
                try:
                    found = query.run(connection, progress)
                except duckdb.Error as error:
                    if isinstance(error, duckdb.OutOfMemoryException):
                        raise duck.refusal(error, self.name, "CSV file") from None
                    found = None
                if found is not None:
                    return self._settled(found, needed, missing, facts)
        finally:
            connection.close()
        return None

    def _settled(
        self, found: Mapping[str, tuple[Array | Texts, Array]], needed: Mapping[str, str], missing: str, facts: Facts
    ) -> Part | None:
        rows = len(next(iter(found.values()))[1])
        flags = {name: state == _MISSING for name, (_, state) in found.items() if needed[name] != csv.BY}
        lost = any(one.any() for one in flags.values())
        if not rows or (lost and missing != "drop"):
            return None  # the slow reader knows the line
        # DuckDB refuses rows with too few fields, but not those with too many that are empty.
        full = facts.delimiters <= (rows + 1) * (len(self.header) - 1)
        if not facts.quotes and not full and (self._ends_with_delimiter or self._has_odd_fields(facts)):
            return None
        part = complete({name: column for name, (column, _) in found.items()}, needed, flags, self.name)
        blank = 0 if facts.quotes else facts.lines - 1 - rows
        return Part(part.columns, part.left_out, blank)

    def _slowly(self, needed: Mapping[str, str], missing: str) -> Part:
        """The needed columns line by line, as `csv.py` reads a small file."""
        with open(self.path, encoding="utf-8-sig", newline="") as lines:
            table = Table.of(lines, self.name, delimiter=self.delimiter)
            part = gathered(table.rows(), table.names, needed, missing=missing, source=self.name)
            return Part(part.columns, part.left_out, table.blank_lines)

    def diagnose(self, needed: Mapping[str, str], missing: str) -> None:
        """Refuse what is wrong in the needed columns, line by line, and keep nothing."""
        with open(self.path, encoding="utf-8-sig", newline="") as lines:
            table = Table.of(lines, self.name, delimiter=self.delimiter)
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
        facts = self.facts()
        if not self._is_plain(facts):
            raise RocscopeError(
                f"{self.name} is too large for the memory, and its quotes or line ends are not plain",
                hint="Write it anew as Parquet, or raise --budget",
            )
        chosen = [
            f"{_as_number(_column(i), self.name, column) if column in numbers else _column(i)} AS {duck.name(column)}"
            for i, column in enumerate(self.names)
            if column.strip()
        ]
        return connection.sql(f"SELECT {', '.join(chosen)} FROM {self.reader({})}")

    def reader(self, types: Mapping[int, str]) -> str:
        """The call of DuckDB's reader with nothing left to guess; columns are named by their place."""
        columns = ", ".join(f"'c{i}': '{types.get(i, 'VARCHAR')}'" for i in range(len(self.header)))
        return (
            f"read_csv({duck.quoted(self.workshop.link(self.path, f'link-{abs(hash(self.path))}'))}, "
            f"auto_detect=false, header=true, delim={duck.quoted(self.delimiter)}, quote='\"', escape='\"', "
            f"strict_mode=true, nullstr='', compression='none', hive_partitioning=false, "
            f"columns={{{columns}}})"
        )


def changed(name: str) -> RocscopeError:
    """The refusal of a file that is being written to."""
    return RocscopeError(f"{name} changed while it was read", hint="Wait until it is complete, or read a copy")


# --- the quick way


def _column(index: int) -> str:
    return f"c{index}"


def _as_number(column: str, source: str, name: str) -> str:
    tokens = ", ".join(map(duck.quoted, sorted(MISSING)))
    said = duck.quoted(f"{source}, column '{name}': a value is not a finite number: ")
    odd = f"contains({column}, '_') OR contains({column}, '+-')"
    sure = f"CASE WHEN {odd} THEN NULL ELSE TRY_CAST({column} AS DOUBLE) END"
    return (
        f"CASE WHEN {column} IS NULL OR lower(trim({column})) IN ({tokens}) THEN NULL "
        f"ELSE coalesce({sure}, error({said} || {column})) END"
    )


@dataclass(slots=True)
class _Query:
    """One query for the needed columns: numbers as doubles, labels as codes, and the state of each cell."""

    file: CsvFile
    needed: Mapping[str, str]
    careful: bool
    retried: bool = False

    def run(self, connection: Any, progress: Share | None) -> dict[str, tuple[Array | Texts, Array]] | None:
        """The columns with the state of their cells; None when some cell is not plain."""
        texts = [name for name, what in self.needed.items() if not is_number(what) and what != csv.ID]
        labels = {name: self._first_labels(name) for name in texts}
        for _ in range(2):
            found = duck.fetch(connection, self._sql(labels), progress=progress)
            if "beyond" in found and _plain(found["beyond"]).any():
                return None
            columns = {name: self._column(found, name, i, labels) for i, name in enumerate(self.needed)}
            unknown = [name for name in labels if columns[name] is None and labels[name] is not None]
            if not unknown:
                break
            self.retried = True
            for name in unknown:
                labels[name] = self._all_labels(connection, name)
        plain = {name: column for name, column in columns.items() if column is not None}
        bad = len(plain) < len(columns) or any((state == _BAD).any() for _, state in plain.values())
        return None if bad else plain

    def _first_labels(self, name: str) -> list[str] | None:
        found = sorted(self.file.head.labels_as_written(name))
        return found if len(found) <= MOST_LABELS else None

    def _all_labels(self, connection: Any, name: str) -> list[str] | None:
        column = _column(self.file.names.index(name))
        sql = f"SELECT DISTINCT {column} FROM {self.file.reader({})} WHERE {column} IS NOT NULL LIMIT {MOST_LABELS + 1}"
        found = sorted(value for (value,) in connection.execute(sql).fetchall())
        return found if len(found) <= MOST_LABELS else None

    def _sql(self, labels: Mapping[str, list[str] | None]) -> str:
        chosen, types = [], {}
        for i, (name, what) in enumerate(self.needed.items()):
            place = self.file.names.index(name)
            if what == csv.ID:
                chosen += hashes(_column(place), i)
            elif not is_number(what):
                chosen.append(self._label(_column(place), labels[name], i))
            elif self.careful:
                chosen += self._checked_number(_column(place), i)
            else:
                types[place] = "DOUBLE"
                chosen.append(f"{_column(place)} AS v{i}")
        if self.file._ends_with_delimiter:  # lines end with a delimiter, and nothing may stand behind it
            chosen.append(f"coalesce(trim({_column(len(self.file.names))}) <> '', false) AS beyond")
        return f"SELECT {', '.join(chosen)} FROM {self.file.reader(types)}"

    def _label(self, column: str, values: list[str] | None, i: int) -> str:
        if values is None:
            return f"{column} AS v{i}"
        cases = " ".join(f"WHEN {duck.quoted(value)} THEN {code}::TINYINT" for code, value in enumerate(values))
        known = f"CASE {column} {cases} ELSE {_UNKNOWN}::TINYINT END" if values else f"{_UNKNOWN}::TINYINT"
        if not self.retried:  # a missing label is unknown at first: one comparison less for every row
            return f"{known} AS v{i}"
        return f"CASE WHEN {column} IS NULL THEN (-1)::TINYINT ELSE {known} END AS v{i}"

    def _checked_number(self, column: str, i: int) -> list[str]:
        tokens = ", ".join(map(duck.quoted, sorted(MISSING)))
        value = f"TRY_CAST({column} AS DOUBLE)"
        state = (
            f"CASE WHEN {value} IS NOT NULL AND isfinite({value}) AND NOT contains({column}, '_') "
            f"AND NOT contains({column}, '+-') THEN {_FINE}::TINYINT "
            f"WHEN {column} IS NULL OR lower(trim({column})) IN ({tokens}) THEN {_MISSING}::TINYINT "
            f"ELSE {_BAD}::TINYINT END"
        )
        return [f"coalesce({value}, 0) AS v{i}", f"{state} AS s{i}"]

    def _column(
        self, found: Mapping[str, Any], name: str, i: int, labels: Mapping[str, list[str] | None]
    ) -> tuple[Array | Texts, Array] | None:
        values = found[f"v{i}"]
        if self.needed[name] == csv.ID:
            return id_column(found, i)
        if name in labels:
            return _texts(values, labels[name])
        if self.careful:
            return _plain(values), _plain(found[f"s{i}"])
        if np.ma.isMaskedArray(values) and np.ma.getmaskarray(values).any():
            return None
        numbers = np.asarray(values)
        return (numbers, np.zeros(len(numbers), dtype=np.int8)) if _all_finite(numbers) else None


def hashes(column: str, i: int) -> list[str]:
    """A column of ids as a hash and a length, which take less room than the ids and are quicker to sort."""
    return [f"hash({column}) AS v{i}", f"(strlen({column}) % 256)::UTINYINT AS w{i}"]


def id_column(found: Mapping[str, Any], i: int) -> tuple[Array, Array]:
    """A column of ids as hashes with their lengths, and the state of its cells."""
    first, lengths = _plain(found[f"v{i}"]), found[f"w{i}"]
    pairs = np.empty(len(first), dtype=np.dtype([("a", np.uint64), ("b", np.uint8)], align=True))
    pairs["a"], pairs["b"] = first, _plain(lengths)
    lost = np.ma.getmaskarray(lengths) if np.ma.isMaskedArray(lengths) else np.zeros(len(first), dtype=bool)
    return pairs, _states(lost)


def _states(lost: Array) -> Array:
    return np.where(lost, np.int8(_MISSING), np.int8(_FINE))


def _plain(values: Any) -> Array:
    return np.asarray(values.data if np.ma.isMaskedArray(values) else values)


def _all_finite(numbers: Array) -> bool:
    with np.errstate(all="ignore"):
        return bool(np.isfinite(np.add.reduce(numbers))) or bool(np.isfinite(numbers).all())


def _texts(values: Any, known: list[str] | None) -> tuple[Texts, Array] | None:
    if known is not None:
        codes = _plain(values)
        if (codes == _UNKNOWN).any():
            return None
        column = Texts.of(codes, known)
    else:
        column = texts_of(_objects(values))
    return column, _states(column.missing)


def _objects(values: Any) -> list[str]:
    return ["" if value is None else value for value in values.tolist()]


def texts_of(cells: Sequence[str]) -> Texts:
    """A column of text, each different cell kept once."""
    places: dict[str, int] = {}
    codes = np.fromiter((places.setdefault(cell, len(places)) for cell in cells), dtype=np.int32, count=len(cells))
    return Texts.of(codes, list(places))


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
        if lacking is not None:
            left_out[f"no {lacking.what}"] = left_out.get(f"no {lacking.what}", 0) + 1
            continue
        for one in gatherers:
            one.take(row, line)
    if not total:
        raise csv.no_rows(source)
    _refuse(gatherers, missing, source, unit)
    columns = {one.name: one.column() for one in gatherers}
    if keep and not len(Part(columns)):
        raise csv.no_row(source, needed)
    return Part(columns, left_out)


def _refuse(gatherers: Sequence[_Gatherer], missing: str, source: str, unit: str) -> None:
    for one in gatherers:
        if one.missing and missing != "drop":
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

    def take(self, row: Sequence[str], line: int) -> None:
        """The cell of a row that has all it needs."""
        cell = row[self.index]
        if not self.number:
            if not self.keep:
                return
            self.values.append(self.codes.setdefault(cell, len(self.codes)))
            return
        plain = csv.revive(cell)
        value = csv.number(plain.strip())
        if value is None:
            self.bad = self.bad or (line, plain)
            value = 0.0
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
    path: str, name: str, *, delimiter: str | None, workshop: duck.Workshop, memory: int = duck.MEMORY
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
