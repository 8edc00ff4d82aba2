"""One file of text rows: CSV, JSON lines, or a sheet.

Small files are held in memory; of large files, only the first rows are.

Python's reader defines the meaning of a file. In a large CSV file, plain blocks are read by pyarrow, or the whole file
by DuckDB (`plain_csv.py`); JSON lines are read line by line.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from rocscope.errors import RocscopeError
from rocscope.record import record
from rocscope.sources import column_batches, csv, formats
from rocscope.sources.column_batches import Batch
from rocscope.sources.csv import CsvRows, empty, no_rows, read_text
from rocscope.sources.text_blocks import Block, check, not_text, not_utf8
from rocscope.sources.text_table import Record, TextTable, batch_of, in_chunks

if TYPE_CHECKING:
    from rocscope.sources.database import TemporaryFolder
    from rocscope.sources.json_lines import JsonRows
    from rocscope.sources.plain_csv import PlainCsv

# maximum size in bytes of a file read entirely as text, which takes several times as much memory
MOST_TEXT = 64 * 2**20
SAMPLE = 2**20  # number of bytes at the start of a file, and number of rows in them, from which columns are guessed
SAMPLE_ROWS = 5000


@record(slots=True, eq=False)
class TextFile:
    """A text file: all its rows in memory, or the first ones and the position of the rest."""

    head: TextTable
    kind: str = "csv"
    path: str | None = None
    """The path of a large file, in UTF-8; None if `head` is the whole file."""
    bytes: int = 0
    about: int = 0
    """About how many rows there are."""
    delimiter: str = ","
    plain: PlainCsv | None = None
    folder: TemporaryFolder | None = None
    """What must be kept as long as the file: the folder that contains it."""
    blank: list[int] = field(default_factory=lambda: [0])
    refused: RocscopeError | None = None
    """Why the row after those of a small file is refused: it is said when no earlier row has a fault of its own."""

    @classmethod
    def whole_table(cls, table: TextTable, kind: str = "csv") -> TextFile:
        """Create a file that was read whole."""
        return cls(table, kind, about=len(table), blank=[table.blank_lines])

    @property
    def name(self) -> str:
        """Name shown to users."""
        return self.head.name

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns; for JSON lines, the keys found at the beginning."""
        return self.head.columns

    @property
    def rows(self) -> int | None:
        """Number of rows, if known."""
        return len(self.head) if self.path is None else None

    @property
    def blank_lines(self) -> int:
        """Number of blank lines found while the rows were read."""
        return self.blank[0]

    def sample(self) -> TextTable:
        """The first rows; for a small file, all rows."""
        return self.head

    def whole(self) -> TextTable:
        """Every cell as text."""
        if self.refused is not None:
            raise self.refused
        if self.path is None:
            return self.head
        if self.bytes > MOST_TEXT:
            hint = "Name the columns to use, or save it as Parquet"
            raise RocscopeError(
                f"{self.name} is larger than {MOST_TEXT // 2**20} MiB, which is too large to read as a small table",
                hint=hint,
            )
        check(self.path, self.name)
        with self._lines() as lines:
            if self.kind == "csv":
                return read_text(lines.read(), self.name, delimiter=self.delimiter)
            return _of_json(lines, self.name)

    def location(self, row: int) -> str:
        """The location of a row as an editor counts lines: scores.csv, line 7."""
        if self.path is None:
            return self.head.location(row)
        with self._lines() as lines:
            return f"{self.name}, line {next(islice(self._rows(lines).rows(), row, None))[0]}"

    def relation(self, connection: Any, numbers: Collection[str]) -> Any:
        """The file as a DuckDB relation, with numbers as doubles and the rest as text.

        Returns None if DuckDB would misread it.
        """
        if self.path is not None:
            return None if self.plain is None else self.plain.relation(connection, numbers)
        if self.refused is not None:
            return None
        columns = column_batches.joined(list(self.head.batches(self.columns, numbers)), self.columns)
        called = f"small_{id(self.head)}"
        connection.register(called, {name: column.objects() for name, column in columns.items()})
        return connection.sql(f"SELECT * FROM {called}")

    # --- reading in batches

    def batches(self, names: Sequence[str], numbers: Collection[str]) -> Iterator[Batch]:
        """Yield the named columns in batches; an invalid number is an error, a missing one is NaN."""
        if self.path is None:
            yield from self.head.batches(names, numbers)
            if self.refused is not None:
                raise self.refused
            return
        self.blank[0], rows = 0, 0
        quick = self.plain is not None and column_batches.has_arrow()
        for batch in self._by_arrow(names, numbers) if quick else self._by_lines(names, numbers):
            rows += len(batch[names[0]].values)
            yield batch
        if not rows:
            raise no_rows(self.name)

    def _by_arrow(self, names: Sequence[str], numbers: Collection[str]) -> Iterator[Batch]:
        """Read blocks with pyarrow.

        A block that it rejects, and everything from the first block that is not plain, is read with Python's reader.
        """
        assert self.plain is not None and self.path is not None
        for block, plain, batch in self.plain.blocks_read(names, numbers):
            if batch is not None:
                self.blank[0] += block.lines + (not block.data.endswith(b"\n")) - len(batch[names[0]].values)
                yield batch
            elif plain:
                yield from self._of_records(io.StringIO(block.data.decode(), newline=""), block, names, numbers)
            else:
                check(self.path, self.name, start=block.start, before=block.before)
                with self._lines(block.start) as lines:
                    yield from self._of_records(lines, block, names, numbers)
                return

    def _of_records(
        self, lines: Iterable[str], block: Block, names: Sequence[str], numbers: Collection[str]
    ) -> Iterator[Batch]:
        """Read rows from lines, starting at a block."""
        records = csv.records(lines, self.delimiter, self.name, block.before)
        yield from self._of_rows(CsvRows(self.name, self.columns, records), names, numbers)

    def _by_lines(self, names: Sequence[str], numbers: Collection[str]) -> Iterator[Batch]:
        assert self.path is not None
        check(self.path, self.name)
        with self._lines() as lines:
            yield from self._of_rows(self._rows(lines), names, numbers)

    def _of_rows(self, rows: CsvRows | JsonRows, names: Sequence[str], numbers: Collection[str]) -> Iterator[Batch]:
        for some in in_chunks(rows.rows()):
            yield batch_of(some, self.columns, names, numbers, self.name)
        self.blank[0] += rows.blank_lines

    def _rows(self, lines: Iterable[str]) -> CsvRows | JsonRows:
        if self.kind == "csv":
            return CsvRows.of(lines, self.name, delimiter=self.delimiter)
        from rocscope.sources.json_lines import JsonRows

        return JsonRows(lines, self.name, self.columns)

    @contextmanager
    def _lines(self, start: int = 0) -> Iterator[io.TextIOWrapper]:
        """Yield the lines from a byte offset on."""
        with open(str(self.path), "rb") as file:
            file.seek(start)
            yield io.TextIOWrapper(file, encoding="utf-8" if start else "utf-8-sig", newline="")


# --- opening a file


def small_text(content: bytes, name: str, *, delimiter: str | None = None) -> TextFile:
    """Read a small UTF-8 text: CSV, or JSON lines if it begins with an object."""
    if not content:
        raise empty(name)
    _refuse_nul(content, name)
    text = _decoded(content, name)
    _refuse_array(text, name)
    if formats.holds_json(text, name):
        return TextFile.whole_table(_of_json(io.StringIO(text), name), "jsonl")
    return _small_csv(CsvRows.of(csv.physical_lines(text), name, delimiter=delimiter or csv.delimiter_of(text)))


def _of_json(lines: Iterable[str], name: str) -> TextTable:
    from rocscope.sources.json_lines import read_json_lines  # most files are CSV

    return read_json_lines(lines, name)


def _small_csv(records: CsvRows) -> TextFile:
    """A CSV in memory; a row that is refused is named after faults of the rows before it, as in large files."""
    table, refused = _first_rows(records)
    if not len(table):
        raise refused or no_rows(records.source)
    return replace(TextFile.whole_table(table), refused=refused)


def large_text(path: str, name: str, folder: TemporaryFolder, *, delimiter: str | None = None) -> TextFile:
    """Open a UTF-8 text file, reading only its beginning."""
    from rocscope.sources.plain_csv import PlainCsv  # a small file needs neither of the fast readers

    size = os.stat(path).st_size
    with open(path, "rb") as file:
        start = file.read(SAMPLE)
    _refuse_nul(start, name)
    text = _whole_letters(start)
    _refuse_array(text, name)
    if formats.holds_json(text, name):
        head = _of_json(text[: text.rfind("\n") + 1].splitlines(keepends=True) or [text], name)
        return TextFile(head, "jsonl", path, size, max(1, round(size / (SAMPLE / max(1, len(head))))), folder=folder)
    if "\n" not in text and "\r" not in text and size > len(start):
        check(path, name)  # raises an error if the line is too long
        with open(path, encoding="utf-8-sig", newline="") as lines:
            text = lines.readline()
    chosen = delimiter or csv.delimiter_of(text)
    complete = text if size <= len(start) else text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text
    # a fault, or a quoted field cut by the end of the sample, is found again when all of it is read
    head, _ = _first_rows(CsvRows.of(csv.physical_lines(complete), name, delimiter=chosen), SAMPLE_ROWS)
    bom = 3 if start.startswith(b"\xef\xbb\xbf") else 0
    plain = PlainCsv.of(path, head, text, bom, chosen, folder)
    seen = sum(map(len, (cell for row in head.rows for cell in row))) + len(head) * len(head.columns)
    about = max(1, round(size / max(1.0, seen / max(1, len(head)))))
    return TextFile(head, "csv", path, size, about, chosen, plain, folder)


def _first_rows(records: CsvRows, most: int | None = None) -> tuple[TextTable, RocscopeError | None]:
    """The rows before one that is refused, no more than so many, and that refusal."""
    rows, refused = list[Record](), None
    try:
        for row in islice(records.rows(), most):
            rows.append(row)
    except RocscopeError as error:
        refused = error
    cells, lines = tuple(tuple(cells) for _, cells in rows), tuple(line for line, _ in rows)
    return TextTable(records.source, records.names, cells, lines, records.blank_lines), refused


def _whole_letters(start: bytes) -> str:
    for cut in range(4):
        try:
            return start[: len(start) - cut].decode("utf-8-sig")
        except UnicodeDecodeError as error:
            if error.start < len(start) - 4:
                break
    # invalid bytes are reported with their position when the whole file is read
    return start.decode("utf-8-sig", errors="replace")


def _refuse_nul(content: bytes, name: str) -> None:
    if (nul := content.find(b"\0")) >= 0:
        raise not_text(name, nul)


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = 1 + len(re.findall(rb"\r\n|\r|\n", content[: error.start]))
        raise not_utf8(name, error.start, line, content[error.start]) from None


def _refuse_array(text: str, name: str) -> None:
    if formats.is_json_array(text) and not formats.inner_name(name).lower().endswith((".csv", ".tsv")):
        raise RocscopeError(f"{name} is a single JSON list", hint="Write one object per line (JSON lines): jq -c '.[]'")
