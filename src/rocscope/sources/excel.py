"""Excel sheets, read with openpyxl (an extra): cells as the saved values, never a formula as a number."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from typing import IO, Any

from rocscope.errors import RocscopeError, did_you_mean
from rocscope.sources.csv import check_names, empty, no_rows
from rocscope.sources.text_table import TextTable, cell_of

# maximum size in bytes of the decompressed parts; a sheet of a million rows and a few columns is smaller
LARGEST = 2**28
SWOLLEN = 200  # expansion factor above which a file is not a genuine workbook
MOST_ROWS, MOST_COLUMNS = 2**20, 2**14  # Excel's limits for a sheet
_TAG = re.compile(rb"<(?:[A-Za-z0-9]+:)?(row|c)(?=[\s/>])([^>]*)>")
_PLACE = re.compile(rb"""\sr=["']([^"']*)["']""")
_CELL = re.compile(rb"([A-Z]{1,3})([0-9]{1,7})")

Row = tuple[int, tuple[Any, ...]]


def read_sheet(file: IO[bytes], source: str, *, sheet: str | None = None) -> TextTable:
    """The columns of one sheet: the first nonempty row is the header, and rows are numbered as in Excel."""
    content = io.BytesIO(file.read(LARGEST))
    _check_parts(content, source)
    book = _book(content, source, values=True)
    name = _chosen(book.sheetnames, sheet, source)
    rows = _rows(book[name], source)
    if any(value is None for _, cells in rows for value in cells):
        _refuse_formulas(content, source, name, rows)
    return _columns(rows, f"{source}, sheet '{name}'" if sheet is None and len(book.sheetnames) > 1 else source)


def _check_parts(content: io.BytesIO, source: str) -> None:
    """Raise an error for files that decompress to too much, and sheets whose rows or cells are out of order.

    openpyxl fills gaps up to any row number, and silently skips what is out of order.
    """
    packed = max(1, len(content.getbuffer()))
    try:
        with zipfile.ZipFile(content) as parts:
            unpacked = sum(part.file_size for part in parts.infolist())
            if unpacked > LARGEST or (unpacked > 2**24 and unpacked > SWOLLEN * packed):
                size = f"{unpacked / 2**20:,.0f} MiB"
                raise RocscopeError(f"{source} expands to {size}", hint="Save such a table as CSV or Parquet")
            for part in parts.namelist():
                if part.startswith("xl/worksheets/") and part.endswith(".xml"):
                    _check_places(parts.read(part), f"{source} ({part})")
    except RocscopeError:
        raise
    except Exception as error:  # a damaged archive: zlib, zipfile and struct each raise their own errors
        raise RocscopeError(f"{source} is not a complete Excel file: {error}") from None


def _check_places(sheet: bytes, source: str) -> None:
    if sheet.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise RocscopeError(f"{source} is not written in UTF-8", hint="Save it again in a spreadsheet program")
    number = column = 0
    for tag, attributes in _TAG.findall(sheet):
        position = _PLACE.search(attributes)
        if tag == b"row":
            stated = (
                number + 1 if position is None else int(position[1]) if re.fullmatch(rb"[0-9]{1,9}", position[1]) else 0
            )
            if not number < stated <= MOST_ROWS:
                raise _misplaced(source, "row", position, number)
            number, column = stated, 0
        else:
            cell = None if position is None else _CELL.fullmatch(position[1])
            if position is not None and (cell is None or int(cell[2]) != number):
                raise _misplaced(source, "cell", position, number)
            stated = column + 1 if cell is None else _column_number(cell[1])
            if not column < stated <= MOST_COLUMNS:
                raise _misplaced(source, "cell", position, number)
            column = stated


def _column_number(letters: bytes) -> int:
    """Convert column letters to a number.

    >>> _column_number(b"A"), _column_number(b"XFD")
    (1, 16384)
    """
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number


def _misplaced(source: str, what: str, position: re.Match[bytes] | None, after: int) -> RocscopeError:
    shown = "" if position is None else f" '{position[1][:20].decode('ascii', 'replace')}'"
    where = "at the beginning" if not after else f"after row {after}" if what == "row" else f"in row {after}"
    hint = "Open it in a spreadsheet program and save it again"
    return RocscopeError(f"{source} is not a readable Excel file: {what}{shown} misplaced {where}", hint=hint)


def _book(content: io.BytesIO, source: str, *, values: bool) -> Any:
    try:
        import openpyxl
    except ImportError:
        raise RocscopeError(
            f"{source} is an Excel file, which needs openpyxl", hint="pip install 'rocscope[excel]', or save it as CSV"
        ) from None
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about styles and validation rules, which are not used here
            return openpyxl.load_workbook(content, read_only=True, data_only=values)
    except Exception as error:
        raise RocscopeError(f"{source} is not a readable Excel file: {type(error).__name__}") from None


def _chosen(names: Sequence[str], wanted: str | None, source: str) -> str:
    if wanted is not None:
        if wanted not in names:
            hint = did_you_mean(wanted, names) or f"It has {', '.join(names[:12])}"
            raise RocscopeError(f"{source} has no sheet '{wanted}'; it has {', '.join(names[:12])}", hint=hint)
        return wanted
    if len(names) != 1:
        raise RocscopeError(
            f"{source} has {len(names)} sheets: {', '.join(names[:12])}", hint='Name one of them: sheet="NAME"'
        )
    return names[0]


def _rows(sheet: Any, source: str) -> list[Row]:
    """Yield the nonempty rows, each as wide as the header."""
    filled: list[Row] = []
    for number, cells in _filled(sheet, source):
        used = max(index for index, value in enumerate(cells) if value is not None) + 1
        width = len(filled[0][1]) if filled else used
        if used > width:
            raise RocscopeError(f"{source}, row {number}: {used} cells, but the header has {width}")
        filled.append((number, (*cells[:width], *[None] * (width - len(cells)))))
    return filled


def _filled(sheet: Any, source: str) -> Iterator[Row]:
    if not hasattr(sheet, "iter_rows"):
        return  # a chart sheet
    sheet.reset_dimensions()  # the dimensions stated in the file may be wrong or absurd
    try:
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
            if any(value is not None for value in row):
                yield number, row
    except Exception as error:  # openpyxl may raise anything for a damaged sheet
        raise RocscopeError(f"{source} is not a readable Excel file: {type(error).__name__}") from None


def _refuse_formulas(content: io.BytesIO, source: str, name: str, rows: Sequence[Row]) -> None:
    """Raise an error for formulas without saved values: to openpyxl, they look like empty cells."""
    empty_at = {(number, place) for number, cells in rows for place, value in enumerate(cells) if value is None}
    sheet = _book(content, source, values=False)[name]
    for number, cells in _filled(sheet, source):
        for index, value in enumerate(cells):
            if isinstance(value, str) and value.startswith("=") and (number, index) in empty_at:
                from openpyxl.utils import get_column_letter

                cell = f"{get_column_letter(index + 1)}{number}"
                raise RocscopeError(
                    f"{source}, sheet '{name}': cell {cell} contains a formula without a saved value",
                    hint="Open it in a spreadsheet program and save it, or save it as CSV",
                )


def _columns(rows: Sequence[Row], source: str) -> TextTable:
    if not rows:
        raise empty(source)
    names = tuple(_text(value) for value in rows[0][1])
    check_names(names, source)
    kinds: dict[str, bool] = {}
    cells = tuple(
        tuple(cell_of(_text(value), _is_number(value), kinds, name) for name, value in zip(names, row, strict=True))
        for _, row in rows[1:]
    )
    if not cells:
        raise no_rows(source)
    return TextTable(source, names, cells, tuple(number for number, _ in rows[1:]), unit="row")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    return str(value)
