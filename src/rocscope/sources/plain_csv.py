"""Large CSV files: what is plain is read by pyarrow or DuckDB, and whatever is not, line by line by Python's reader.

How it works. The file comes in blocks of whole lines. A block is plain when no carriage return stands alone and quotes
enclose whole fields of one line: then every line end ends a row, and pyarrow reads the block by itself, several at
once. pyarrow may say yes and never no: where it refuses a block, or finds a number that is not finite, Python's reader
(`csv.py`) reads that block, accepts it or says which line is wrong. From the first block that is not plain on, Python's
reader reads the rest. Without pyarrow, DuckDB reads a file of plain blocks with one query, under the same rule.
"""

from __future__ import annotations

import csv as standard_csv
import io
import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.errors import RocscopeError
from rocscope.sources import column_batches, csv, database
from rocscope.sources.background import mapped
from rocscope.sources.column_batches import Batch, Column
from rocscope.sources.csv import MISSING, Record, Table, TextColumns, batch_of, text_column
from rocscope.sources.text_blocks import Block, blocks, changed, check, occurrences

Array = NDArray[Any]

MOST_COLUMNS = 2000  # more of them are read line by line
MOST_TEXT = 64 * 2**20  # bytes that are read as text whole, which takes several times their size
SAMPLE = 2**20  # bytes at the start, and rows in them, from which columns are guessed
SAMPLE_ROWS = 5000
MOST_WORKERS = 4
_QUOTE, _LINE_END, _RETURN = b'"'[0], b"\n"[0], b"\r"[0]
_ODD = re.compile(rb"[0-9]_[0-9]|\+-")  # what DuckDB takes for numbers, and Python's reader does not
_SIGNED = re.compile(rb"'[=+\-@\t\r]")  # a quote that keeps a formula from starting is taken away by Python's reader
_CONTROLS = [bytes([code]) for code in (0x09, 0x0B, 0x0C, 0x1C, 0x1D, 0x1E, 0x1F)]  # blanks of ASCII beside the space
_BLANKS = "".join(letter for letter in map(chr, range(0x3001)) if letter.isspace())  # what str.strip() takes away


def spellings(words: Collection[str]) -> list[str]:
    """Words in every mixture of small and capital letters: neither pyarrow nor DuckDB ignores case.

    >>> spellings({"na"})
    ['NA', 'Na', 'nA', 'na']
    """
    found: set[str] = set()
    for word in words:
        made = {""}
        for letter in word:
            made = {start + one for start in made for one in (letter.lower(), letter.upper())}
        found |= made
    return sorted(found)


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
    blank: list[int] = field(default_factory=lambda: [0])
    """How many lines were blank when the rows were read."""

    kind = "csv"
    rows = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.head.names

    @property
    def blank_lines(self) -> int:
        """How many lines were blank when the rows were read."""
        return self.blank[0]

    @property
    def about(self) -> int:
        """About how many rows there are."""
        seen = sum(map(len, (cell for row in self.head.rows for cell in row))) + len(self.head) * len(self.names)
        return max(1, round(self.bytes / max(1.0, seen / max(1, len(self.head)))))

    def sample(self) -> TextColumns:
        """The first rows."""
        return self.head

    def whole(self) -> TextColumns:
        """Every cell as text."""
        if self.bytes > MOST_TEXT:
            hint = "Name the columns that are meant, or write it as Parquet"
            raise RocscopeError(f"{self.name} is larger than {MOST_TEXT // 2**20} MiB, too large for this", hint=hint)
        check(self.path, self.name)
        with open(self.path, encoding="utf-8-sig", newline="") as file:
            return csv.read_text(file.read(), self.name, delimiter=self.delimiter)

    def location(self, row: int) -> str:
        """Where a row stands, as an editor counts: scores.csv, line 7."""
        with open(self.path, encoding="utf-8-sig", newline="") as lines:
            rows = Table.of(lines, self.name, delimiter=self.delimiter).rows()
            return f"{self.name}, line {next(islice(rows, row, None))[0]}"

    def batches(self, names: Sequence[str], numbers: Collection[str]) -> Iterator[Batch]:
        """The named columns, block by block; a number that is none is refused with its line, a missing one is NaN."""
        self.blank[0], rows = 0, 0
        quick = self._has_plain_header and column_batches.has_arrow()
        for batch in self._by_arrow(names, numbers) if quick else self._by_python(names, numbers):
            rows += len(batch[names[0]].values)
            yield batch
        if not rows:
            raise csv.no_rows(self.name)
        if os.stat(self.path).st_size != self.bytes:
            raise changed(self.name)

    @property
    def _has_plain_header(self) -> bool:
        plain = self.delimiter.isascii() and self.delimiter not in " \r'"
        return plain and 1 < len(self.header) <= MOST_COLUMNS

    # --- by pyarrow

    def _by_arrow(self, names: Sequence[str], numbers: Collection[str]) -> Iterator[Batch]:
        read = _Arrow(self, names, numbers).read
        for block, plain, found in mapped(read, self._blocks(), workers=_workers()):
            if not plain:
                check(self.path, self.name, start=block.start, before=block.before)
                yield from self._by_python(names, numbers, block)
                return
            if found is None:
                text = io.StringIO(block.data.decode(), newline="")
                yield from self._of_records(csv.records(text, self.delimiter, self.name, block.before), names, numbers)
            else:
                self.blank[0] += block.lines + (not block.data.endswith(b"\n")) - len(found[names[0]].values)
                yield found

    def _blocks(self) -> Iterator[Block]:
        return blocks(self.path, self.name, start=self.header_bytes, before=1)

    # --- by Python

    def _by_python(
        self, names: Sequence[str], numbers: Collection[str], block: Block | None = None
    ) -> Iterator[Batch]:
        """The columns of all rows, or of those from a block on."""
        if block is None:
            check(self.path, self.name)
        with open(self.path, "rb") as file:
            file.seek(0 if block is None else block.start)
            lines = io.TextIOWrapper(file, encoding="utf-8-sig" if block is None else "utf-8", newline="")
            if block is not None:
                records = csv.records(lines, self.delimiter, self.name, block.before)
                yield from self._of_records(records, names, numbers)
                return
            table = Table.of(lines, self.name, delimiter=self.delimiter)
            self.blank[0] = table.blank_lines
            yield from self._of_records(table.records, names, numbers)

    def _of_records(
        self, records: Iterator[Record], names: Sequence[str], numbers: Collection[str]
    ) -> Iterator[Batch]:
        table = Table(self.name, self.names, self.delimiter, records)
        for some in csv.in_chunks(table.rows()):
            yield batch_of(some, self.names, names, numbers, self.name)
        self.blank[0] += table.blank_lines

    # --- by DuckDB

    def relation(self, connection: Any, numbers: Collection[str]) -> Any:
        """The file as a DuckDB relation, numbers as doubles and the others as text; None where it is not plain."""
        shape = _Shape.of(self) if self._has_plain_header else None
        if shape is None:
            return None
        places = {name: f"c{i}" for i, name in enumerate(self.names) if name.strip()}
        chosen = [
            f"{_number(place, shape.odd) if name in numbers else _text(place, shape.blanks)} AS {database.name(name)}"
            for name, place in places.items()
        ]
        types = {i: "DOUBLE" for i, name in enumerate(self.names) if name in numbers and not shape.odd}
        texts = [place for name, place in places.items() if name not in numbers]
        beyond = f" WHERE coalesce(trim(c{len(self.names)}) = '', true) OR error('more fields')"
        ended = beyond if len(self.header) > len(self.names) else ""
        return connection.sql(f"SELECT {', '.join(chosen)} FROM {self._reader(types, texts)}{ended}")

    def _reader(self, types: dict[int, str], texts: Sequence[str]) -> str:
        """The call of DuckDB's reader with nothing left to guess; columns are named by their place."""
        columns = ", ".join(f"'c{i}': '{types.get(i, 'VARCHAR')}'" for i in range(len(self.header)))
        link = self.workshop.link(self.path, f"link-{abs(hash(self.path))}")
        missing = ", ".join(map(database.quoted, spellings(MISSING)))
        return (
            f"read_csv({database.quoted(link)}, auto_detect=false, header=true, quote='\"', escape='\"', "
            f"delim={database.quoted(self.delimiter)}, strict_mode=true, compression='none', hive_partitioning=false, "
            f"nullstr=[{missing}], force_not_null=[{', '.join(map(database.quoted, texts))}], columns={{{columns}}})"
        )


def _number(column: str, odd: bool) -> str:
    value = column
    if odd:
        strange = f"contains({column}, '_') OR contains({column}, '+-')"
        value = f"CASE WHEN {strange} THEN error('not a number') ELSE CAST({column} AS DOUBLE) END"
    return f"CASE WHEN {value} IS NULL OR isfinite({value}) THEN {value} ELSE error('not finite') END"


def _text(column: str, blanks: str) -> str:
    bare = f"trim({column})" if blanks == " " else f"trim({column}, {database.quoted(blanks)})"
    return f"CASE WHEN {bare} = '' THEN NULL ELSE {column} END"


def _workers() -> int:
    found = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(MOST_WORKERS, found))


# --- what is plain


def is_plain(block: Block, delimiter: bytes) -> bool:
    """Whether every line end of a block ends a row, as Python's reader sees it.

    >>> is_plain(Block(b'1,"a,b"\\n', 0, 0, 1), b","), is_plain(Block(b'1,"a\\n2,b"\\n', 0, 0, 2), b",")
    (True, False)
    """
    data = block.data
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        return False
    return b'"' not in data or _quoted_fields(data, delimiter) is not None


def _quoted_fields(data: bytes, delimiter: bytes) -> tuple[Array, Array] | None:
    """Where quoted fields begin and end; None when a quote stands elsewhere, or a field holds a quote or line end."""
    letters = np.frombuffer(b"\n" + data + b"\n", dtype=np.uint8)
    quotes = np.flatnonzero(letters == _QUOTE)
    first, last = quotes[::2], quotes[1::2]
    if len(first) != len(last):
        return None
    opens, closes = letters[first - 1], letters[last + 1]
    if not ((opens == delimiter[0]) | (opens == _LINE_END)).all():
        return None
    if not ((closes == delimiter[0]) | (closes == _LINE_END) | (closes == _RETURN)).all():
        return None
    ends = np.flatnonzero(letters == _LINE_END)
    return (first, last) if np.array_equal(ends.searchsorted(first), ends.searchsorted(last)) else None


def _has_long_line(data: bytes) -> bool:
    """Whether a line may be longer than a field that Python's reader takes."""
    step = standard_csv.field_size_limit() // 2
    return any(data.find(b"\n", start, start + step) < 0 for start in range(0, len(data) - step, step))


@dataclass(frozen=True, slots=True)
class _Shape:
    """What a file of plain blocks says before DuckDB reads it."""

    odd: bool = False
    """Whether 1_000 or +-1 may occur, which DuckDB takes for numbers."""
    blanks: str = " "
    """What may stand in a cell that is blank."""

    @classmethod
    def of(cls, file: CsvFile) -> _Shape | None:
        """The shape of a file; None where DuckDB and Python's reader could see different rows in it."""
        delimiter, odd, blanks, returns, rows = file.delimiter.encode(), False, " ", set(), 0
        for block in file._blocks():
            data = block.data
            if not is_plain(block, delimiter) or _has_long_line(data) or (b"'" in data and _SIGNED.search(data)):
                return None
            returns.add(b"\r" in data)
            if len(returns) > 1 or (b"\r" in data and occurrences(data, b"\r") != block.lines):
                return None
            rows += (lines := _filled_lines(data))
            if _delimiters(data, delimiter) != lines * (len(file.header) - 1):
                return None  # DuckDB refuses rows with too few fields, but not those with too many that are empty
            odd = odd or ((b"_" in data or b"+-" in data) and _ODD.search(data) is not None)
            blanks = blanks if data.isascii() and not any(one in data for one in _CONTROLS) else _BLANKS
        return cls(odd, blanks) if rows else None


def _filled_lines(data: bytes) -> int:
    """How many lines are not blank."""
    data = data if data.endswith(b"\n") else data + b"\n"
    if b"\n\n" not in data and b"\n\r" not in data and data[0] not in (_LINE_END, _RETURN):
        return occurrences(data, b"\n")
    letters = np.frombuffer(data, dtype=np.uint8)
    lengths = np.diff(np.flatnonzero(letters == _LINE_END), prepend=-1) - (2 if b"\r" in data else 1)
    return int(np.count_nonzero(lengths))


def _delimiters(data: bytes, delimiter: bytes) -> int:
    """How many delimiters part fields."""
    fields = _quoted_fields(data, delimiter) if b'"' in data else None
    if fields is None:
        return occurrences(data, delimiter)
    places = np.flatnonzero(np.frombuffer(b"\n" + data, dtype=np.uint8) == delimiter[0])
    first, last = fields
    return int(np.count_nonzero(first.searchsorted(places) == last.searchsorted(places)))


class _Arrow:
    """The needed columns of plain blocks by pyarrow."""

    def __init__(self, file: CsvFile, names: Sequence[str], numbers: Collection[str]) -> None:
        import pyarrow as pa
        import pyarrow.csv

        self.delimiter, self.names, self.numbers = file.delimiter, list(names), set(numbers)
        self.columns = [f"c{i}" for i in range(len(file.header))]
        self.places = {name: f"c{file.names.index(name)}" for name in names}
        self.beyond = self.columns[len(file.names) :]  # lines end with a delimiter, and nothing may stand behind it
        text = pa.dictionary(pa.int32(), pa.string())
        wanted = {place: pa.float64() if name in numbers else text for name, place in self.places.items()}
        self.convert = pyarrow.csv.ConvertOptions(
            column_types=wanted | dict.fromkeys(self.beyond, text), include_columns=[*wanted, *self.beyond],
            null_values=spellings(MISSING), strings_can_be_null=False,
        )  # fmt: skip
        self.parse = {
            quotes: pyarrow.csv.ParseOptions(
                delimiter=self.delimiter, quote_char='"' if quotes else False, double_quote=False
            )
            for quotes in (True, False)
        }

    def read(self, block: Block) -> tuple[Block, bool, Batch | None]:
        """A block, whether it is plain, and its columns; None where Python's reader must look at it."""
        if not is_plain(block, self.delimiter.encode()):
            return block, False, None
        return block, True, None if _has_long_line(block.data) else self._columns(block.data)

    def _columns(self, data: bytes) -> Batch | None:
        import pyarrow as pa
        import pyarrow.csv

        how = pyarrow.csv.ReadOptions(column_names=self.columns, use_threads=False, block_size=len(data) + 1)
        try:
            table = pyarrow.csv.read_csv(
                pa.BufferReader(data), read_options=how, parse_options=self.parse[b'"' in data],
                convert_options=self.convert,
            )  # fmt: skip
        except pa.ArrowInvalid:
            return None
        if any(one.strip() for name in self.beyond for one in table.column(name).chunk(0).dictionary.to_pylist()):
            return None
        found: dict[str, Column] = {}
        for name, place in self.places.items():
            chunk = table.column(place).chunk(0)
            column = _finite(chunk) if name in self.numbers else _texts(chunk)
            if column is None:
                return None
            found[name] = column
        return found


def _finite(chunk: Any) -> Column | None:
    """Numbers, NaN where one is missing; None when one is not finite."""
    import pyarrow.compute as pc

    values = np.from_dlpack(pc.fill_null(chunk, float("nan")) if chunk.null_count else chunk)
    with np.errstate(all="ignore"):
        fine = np.isfinite(np.add.reduce(values)) or np.count_nonzero(~np.isfinite(values)) == chunk.null_count
    return Column(values) if fine else None


def _texts(chunk: Any) -> Column:
    return text_column(np.from_dlpack(chunk.indices), chunk.dictionary.to_pylist())


# --- opening one


def large_csv(path: str, name: str, *, delimiter: str | None, workshop: database.Workshop) -> CsvFile:
    """A CSV file of which only the beginning has been read."""
    size = os.stat(path).st_size
    with open(path, "rb") as file:
        start = file.read(SAMPLE)
    text = _whole_letters(start)
    chosen = delimiter or csv.delimiter_of(text)
    if "\n" not in text and "\r" not in text and size > len(start):
        check(path, name)  # a line without end is refused there
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
        header=tuple(csv.single_record(first, chosen)) if first.endswith("\n") else (),
        header_bytes=bom + len(first.encode("utf-8")),
        delimiter=chosen,
        bytes=size,
        workshop=workshop,
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
        for line, cells in islice(table.rows(), SAMPLE_ROWS):
            rows.append(tuple(cells))
            lines.append(line)
    except RocscopeError:
        pass  # a fault, or a quoted field cut by the end of the sample: found again when all of it is read
    return rows, lines
