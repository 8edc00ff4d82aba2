"""Large CSV files: plain blocks are read by pyarrow or DuckDB, all others line by line with Python's reader.

The file is read in blocks of whole lines. A block is plain if it has no lone carriage return and quotes enclose whole
fields on one line: every line end then ends a row, and pyarrow parses the block independently, several at once. pyarrow
may accept a block but never reject one: if it refuses a block, or finds a number that is not finite, Python's reader
(`csv.py`) reads that block and either accepts it or reports the faulty line. From the first block that is not plain,
Python's reader reads the rest. Without pyarrow, DuckDB reads a file of plain blocks with one query, under the same
rule.
"""

from __future__ import annotations

import codecs
import csv as standard_csv
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope import tally
from rocscope.record import record
from rocscope.sources import csv, database
from rocscope.sources.column_batches import Batch, Column
from rocscope.sources.database import TemporaryFolder
from rocscope.sources.text_blocks import Block, blocks, occurrences
from rocscope.sources.text_table import MISSING, TextTable, text_column

Array = NDArray[Any]

MOST_COLUMNS = 2000  # maximum number of columns; wider files are read line by line
MOST_WORKERS = 4
_QUOTE, _LINE_END, _RETURN = b'"'[0], b"\n"[0], b"\r"[0]
_BEYOND_ASCII = 128
_ODD = re.compile(rb"[0-9]_[0-9]|\+-")  # parsed as numbers by DuckDB but not by Python's reader
# spellings of a missing number as a whole field; as a text, each is a value
_MISSING_WORD = re.compile(rb"(?i)(?<![^\W_])(?:%s)(?![^\W_])" % b"|".join(word.encode() for word in MISSING if word))
# Python's reader removes a quote that prevents a cell from being read as a formula
_SIGNED = re.compile(rb"'[=+\-@\t\r]")
# ASCII whitespace other than the space
_CONTROLS = [bytes([code]) for code in (0x09, 0x0B, 0x0C, 0x1C, 0x1D, 0x1E, 0x1F)]
_BLANKS = "".join(letter for letter in map(chr, range(0x3001)) if letter.isspace())  # characters removed by str.strip()


def spellings(words: Collection[str]) -> list[str]:
    """All combinations of upper and lower case: neither pyarrow nor DuckDB ignores case.

    >>> spellings({"na"})
    ['NA', 'Na', 'nA', 'na']
    """
    spelled: set[str] = set()
    for word in words:
        variants = {""}
        for letter in word:
            variants = {start + spelling for start in variants for spelling in (letter.lower(), letter.upper())}
        spelled |= variants
    return sorted(spelled)


@record(slots=True, eq=False)
class PlainCsv:
    """A large CSV file in UTF-8 whose first line is its header, which pyarrow or DuckDB may read."""

    name: str
    path: str
    columns: tuple[str, ...]
    header: tuple[str, ...]
    """The number of fields in the first line: one more than there are columns if lines end with a delimiter."""
    start: int
    """Where the second line begins."""
    delimiter: str
    folder: TemporaryFolder

    @classmethod
    def of(
        cls, path: str, head: TextTable, text: str, bom: int, delimiter: str, folder: TemporaryFolder
    ) -> PlainCsv | None:
        """Create the file from its first text, after a byte order mark of the given length.

        Returns None if its header is not plain.
        """
        first = next(csv.physical_lines(text), "")
        header = csv.single_record(first, delimiter) if first.endswith("\n") else []
        if not (delimiter.isascii() and delimiter not in " \r'" and 1 < len(header) <= MOST_COLUMNS):
            return None
        start = bom + len(first.encode("utf-8"))
        return cls(head.name, path, head.columns, tuple(header), start, delimiter, folder)

    def blocks(self) -> Iterator[Block]:
        """Yield the lines below the header."""
        return blocks(self.path, self.name, start=self.start, before=1)

    def blocks_read(self, names: Sequence[str], numbers: Collection[str]) -> Iterator[tuple[Block, bool, Batch | None]]:
        """Yield each block, whether it is plain, and its columns from pyarrow.

        The columns are None if Python's reader must check the block.
        """
        read, workers = _Arrow(self, names, numbers).read, min(MOST_WORKERS, tally.cores())
        return tally.mapped(read, self.blocks(), workers=workers)

    # --- reading with DuckDB

    def relation(self, connection: Any, numbers: Collection[str]) -> Any:
        """The file as a DuckDB relation, with numbers as doubles and the rest as text.

        Returns None if it is not plain.
        """
        shape = _Shape.of(self)
        if shape is None:
            return None
        fields = {name: f"c{i}" for i, name in enumerate(self.columns) if name.strip()}
        chosen = [
            f"{_number(field, shape) if name in numbers else _text(field, shape.blanks)} AS {database.name(name)}"
            for name, field in fields.items()
        ]
        as_text = shape.odd or shape.missing
        types = {i: "DOUBLE" for i, name in enumerate(self.columns) if name in numbers and not as_text}
        texts = [field for name, field in fields.items() if name not in numbers]
        beyond = f" WHERE coalesce(trim(c{len(self.columns)}) = '', true) OR error('more fields')"
        ended = beyond if len(self.header) > len(self.columns) else ""
        return connection.sql(f"SELECT {', '.join(chosen)} FROM {self._reader(types, texts, shape)}{ended}")

    def _reader(self, types: dict[int, str], texts: Sequence[str], shape: _Shape) -> str:
        """The call of DuckDB's reader with all options explicit; columns are named by position."""
        columns = ", ".join(f"'c{i}': '{types.get(i, 'VARCHAR')}'" for i in range(len(self.header)))
        link = self.folder.link(self.path, f"link-{abs(hash(self.path))}")
        missing = "''" if shape.missing else _missing()  # DuckDB would empty texts, too, that equal one of these
        return (
            f"read_csv({database.quoted(link)}, auto_detect=false, header=true, quote='\"', escape='\"', "
            f"delim={database.quoted(self.delimiter)}, strict_mode=true, compression='none', hive_partitioning=false, "
            f"nullstr=[{missing}], force_not_null=[{', '.join(map(database.quoted, texts))}], columns={{{columns}}})"
        )


def _missing() -> str:
    return ", ".join(map(database.quoted, spellings(MISSING)))


def _number(column: str, shape: _Shape) -> str:
    value = column
    if shape.odd or shape.missing:
        strange = f"contains({column}, '_') OR contains({column}, '+-')"
        value = (
            f"CASE WHEN {column} IN ({_missing()}) THEN NULL WHEN {strange} THEN error('not a number') "
            f"ELSE CAST({column} AS DOUBLE) END"
        )
    return f"CASE WHEN {value} IS NULL OR isfinite({value}) THEN {value} ELSE error('not finite') END"


def _text(column: str, blanks: str) -> str:
    bare = f"trim({column})" if blanks == " " else f"trim({column}, {database.quoted(blanks)})"
    return f"CASE WHEN {bare} = '' THEN NULL ELSE {column} END"


# --- detection of plain CSV


def is_plain(block: Block, delimiter: bytes) -> bool:
    """Whether every line end of a block ends a row, as in Python's reader.

    >>> is_plain(Block(b'1,"a,b"\\n', 0, 0, 1), b","), is_plain(Block(b'1,"a\\n2,b"\\n', 0, 0, 2), b",")
    (True, False)
    """
    data = block.data
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        return False
    return b'"' not in data or _quoted_fields(data, delimiter) is not None


def _quoted_fields(data: bytes, delimiter: bytes) -> tuple[Array, Array] | None:
    """The starts and ends of quoted fields.

    Returns None if a quote occurs elsewhere, or a field contains a quote or line end.
    """
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
    """Whether a line may exceed the maximum field length of Python's reader."""
    step = standard_csv.field_size_limit() // 2
    return any(data.find(b"\n", start, start + step) < 0 for start in range(0, len(data) - step, step))


@record(slots=True)
class _Shape:
    """Properties of a file of plain blocks, determined before DuckDB reads it."""

    odd: bool = False
    """Whether 1_000 or +-1 may occur, which DuckDB takes for numbers."""
    missing: bool = False
    """Whether the spelling of a missing number may occur, which is a value in a column of texts."""
    blanks: str = " "
    """The characters that a blank cell may contain."""

    @classmethod
    def of(cls, file: PlainCsv) -> _Shape | None:
        """The shape of a file; None if DuckDB and Python's reader could parse different rows from it."""
        delimiter, odd, missing, blanks, returns, rows = file.delimiter.encode(), False, False, " ", set(), 0
        for block in file.blocks():
            data = block.data
            if not is_plain(block, delimiter) or _has_long_line(data) or (b"'" in data and _SIGNED.search(data)):
                return None
            returns.add(b"\r" in data)
            if len(returns) > 1 or (b"\r" in data and occurrences(data, b"\r") != block.lines):
                return None
            rows += (lines := _filled_lines(data))
            if _delimiters(data, delimiter) != lines * (len(file.header) - 1):
                return None  # DuckDB rejects rows with too few fields, but not rows with additional empty fields
            odd = odd or ((b"_" in data or b"+-" in data) and _ODD.search(data) is not None)
            missing = missing or ((b"n" in data or b"N" in data) and _MISSING_WORD.search(data) is not None)
            blanks = blanks if data.isascii() and not any(control in data for control in _CONTROLS) else _BLANKS
        return cls(odd, missing, blanks) if rows else None


def _filled_lines(data: bytes) -> int:
    """Count the nonblank lines."""
    data = data if data.endswith(b"\n") else data + b"\n"
    if b"\n\n" not in data and b"\n\r" not in data and data[0] not in (_LINE_END, _RETURN):
        return occurrences(data, b"\n")
    letters = np.frombuffer(data, dtype=np.uint8)
    lengths = np.diff(np.flatnonzero(letters == _LINE_END), prepend=-1) - (2 if b"\r" in data else 1)
    return int(np.count_nonzero(lengths))


def _delimiters(data: bytes, delimiter: bytes) -> int:
    """Count the delimiters that separate fields."""
    fields = _quoted_fields(data, delimiter) if b'"' in data else None
    if fields is None:
        return occurrences(data, delimiter)
    positions = np.flatnonzero(np.frombuffer(b"\n" + data, dtype=np.uint8) == delimiter[0])
    first, last = fields
    return int(np.count_nonzero(first.searchsorted(positions) == last.searchsorted(positions)))


class _Arrow:
    """Reads the required columns of plain blocks with pyarrow."""

    def __init__(self, file: PlainCsv, names: Sequence[str], numbers: Collection[str]) -> None:
        import pyarrow as pa
        import pyarrow.csv

        self.delimiter, self.numbers = file.delimiter, set(numbers)
        self.columns = [f"c{i}" for i in range(len(file.header))]
        self.places = {name: f"c{file.columns.index(name)}" for name in names}
        self.beyond = self.columns[len(file.columns) :]  # empty columns caused by a trailing delimiter
        text = pa.string()
        wanted = {position: pa.float64() if name in numbers else text for name, position in self.places.items()}
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
        """A block, whether it is plain, and its columns; None if Python's reader must check it."""
        if not is_plain(block, self.delimiter.encode()):
            return block, False, None
        marked = block.data.startswith(codecs.BOM_UTF8)  # pyarrow drops a mark at the start of what it reads
        return block, True, None if marked or _has_long_line(block.data) else self._columns(block.data)

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
        if any(one.strip() for name in self.beyond for one in table.column(name).unique().to_pylist()):
            return None
        columns: dict[str, Column] = {}
        for name, field_name in self.places.items():
            chunk = table.column(field_name).chunk(0)
            column = _finite(chunk) if name in self.numbers else _texts(chunk)
            if column is None:
                return None
            columns[name] = column
        return columns


def _finite(chunk: Any) -> Column | None:
    """Numbers, with NaN for missing ones; None if one is not finite."""
    import pyarrow.compute as pc

    values = np.from_dlpack(pc.fill_null(chunk, float("nan")) if chunk.null_count else chunk)
    with np.errstate(all="ignore"):
        fine = np.isfinite(np.add.reduce(values)) or np.count_nonzero(~np.isfinite(values)) == chunk.null_count
    return Column(values) if fine else None


def _texts(chunk: Any) -> Column:
    """Encode texts by codes, in order of appearance."""
    letters = _single_letters(chunk)
    if letters is None:
        coded = chunk.dictionary_encode()
        return text_column(np.from_dlpack(coded.indices), coded.dictionary.to_pylist())
    found = sorted(np.flatnonzero(np.bincount(letters)).tolist(), key=lambda one: int(np.argmax(letters == one)))
    codes = np.zeros(_BEYOND_ASCII, dtype=np.int8)
    codes[found] = np.arange(len(found))
    return text_column(codes[letters], [chr(one) for one in found])


def _single_letters(chunk: Any) -> Array | None:
    """The letters if all texts have one letter, as most labels do; otherwise None.

    Encoding these with a lookup table reduces the time of reading a label and a score by a sixth.
    """
    _, ends, letters = chunk.buffers()
    if not len(chunk) or letters is None:
        return None
    bounds = np.frombuffer(ends, np.int32, len(chunk) + 1)
    if bounds[-1] != len(chunk) or (np.diff(bounds) != 1).any():
        return None
    found = np.frombuffer(letters, np.uint8, len(chunk))
    return found if found.max() < _BEYOND_ASCII else None
