"""Excel sheets: read with openpyxl (an extra), cells as the values that were saved, never a formula as a number."""

from __future__ import annotations

import datetime
import io
import zipfile
from collections.abc import Iterator, Sequence
from typing import IO, Any

from rocscope.errors import RocscopeError, did_you_mean
from rocscope.sources.csv import check_names, empty, no_rows
from rocscope.sources.text_table import TextTable

LARGEST = 2**28  # bytes of unpacked parts: a sheet of a million rows and a few columns stays below
SWOLLEN = 200  # times its size: what unpacks to more is no sheet that somebody filled in


def read_sheet(file: IO[bytes], source: str, *, sheet: str | None = None) -> TextTable:
    """The columns of one sheet: its first filled row is the header, rows count as Excel shows them."""
    content = io.BytesIO(file.read(LARGEST))
    _check_size(content, source)
    book = _book(content, source, values=True)
    name = _chosen(book.sheetnames, sheet, source)
    rows = list(_rows(book[name]))
    if any(value is None for _, cells in rows for value in cells):
        _refuse_formulas(content, source, name, rows)
    return _columns(rows, f"{source}, sheet '{name}'" if sheet is None and len(book.sheetnames) > 1 else source)


def _check_size(content: io.BytesIO, source: str) -> None:
    try:
        with zipfile.ZipFile(content) as parts:
            unpacked = sum(part.file_size for part in parts.infolist())
    except (zipfile.BadZipFile, ValueError) as error:
        raise RocscopeError(f"{source} is not a complete Excel file: {error}") from None
    packed = max(1, len(content.getbuffer()))
    if unpacked > LARGEST or (unpacked > 2**24 and unpacked > SWOLLEN * packed):
        size = f"{unpacked / 2**20:,.0f} MiB"
        raise RocscopeError(f"{source} unpacks to {size}", hint="Save such a table as CSV or Parquet")


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
            warnings.simplefilter("ignore")  # of styles and validations, which are not read here
            return openpyxl.load_workbook(content, read_only=True, data_only=values)
    except Exception as error:
        raise RocscopeError(f"{source} is not a readable Excel file: {type(error).__name__}") from None


def _chosen(names: Sequence[str], asked: str | None, source: str) -> str:
    if asked is not None:
        if asked not in names:
            hint = did_you_mean(asked, names) or f"It has {', '.join(names[:12])}"
            raise RocscopeError(f"{source} has no sheet '{asked}'; it has {', '.join(names[:12])}", hint=hint)
        return asked
    if len(names) != 1:
        raise RocscopeError(
            f"{source} has {len(names)} sheets: {', '.join(names[:12])}", hint='Say which: sheet="NAME"'
        )
    return names[0]


def _rows(sheet: Any) -> Iterator[tuple[int, tuple[Any, ...]]]:
    if not hasattr(sheet, "iter_rows"):
        return  # a sheet that is a chart
    sheet.reset_dimensions()  # what the file says of its size may be wrong, and absurd
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        if any(value is not None for value in row):
            yield number, row


def _refuse_formulas(content: io.BytesIO, source: str, name: str, rows: Sequence[tuple[int, tuple[Any, ...]]]) -> None:
    """Refuse formulas whose values were never saved: to openpyxl they look like empty cells."""
    empty_at = {(number, place) for number, cells in rows for place, value in enumerate(cells) if value is None}
    sheet = _book(content, source, values=False)[name]
    for number, cells in _rows(sheet):
        for place, value in enumerate(cells):
            if isinstance(value, str) and value.startswith("=") and (number, place) in empty_at:
                from openpyxl.utils import get_column_letter

                cell = f"{get_column_letter(place + 1)}{number}"
                raise RocscopeError(
                    f"{source}, sheet '{name}', cell {cell} is a formula without a saved value",
                    hint="Open it in a spreadsheet program and save it, or save it as CSV",
                )


def _columns(rows: Sequence[tuple[int, tuple[Any, ...]]], source: str) -> TextTable:
    if not rows:
        raise empty(source)
    _, header = rows[0]
    width = max(place for place, value in enumerate(header) if value is not None) + 1
    names = tuple(_text(value) for value in header[:width])
    check_names(names, source)
    cells = []
    for number, row in rows[1:]:
        if any(value is not None for value in row[width:]):
            raise RocscopeError(f"{source}, row {number}: {len(row)} cells where the header has {width}")
        cells.append(tuple(_text(value) for value in (*row[:width], *[None] * (width - len(row)))))
    if not cells:
        raise no_rows(source)
    return TextTable(source, names, tuple(cells), tuple(number for number, _ in rows[1:]), unit="row")


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
