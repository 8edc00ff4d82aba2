"""Row output: all columns of a source with additional ones, as Parquet or CSV."""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.sources import database
from rocscope.sources.column_batches import Array
from rocscope.sources.rows import columns
from rocscope.sources.source import Source
from rocscope.sources.text_table import MISSING

ROW_ENDINGS = (".parquet", ".csv")
TYPED = ("parquet", "arrow")
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
WHOLE = re.compile(r"-?(0|[1-9][0-9]*)")
MOST_DIGITS = 15  # maximum length of a whole number that is stored as a number: a float holds that many digits


def all_columns(source: Source, *, typed: bool = False) -> dict[str, Array]:
    """Every column of a source, in text files exactly as written, so that an id such as 007 is preserved.

    Columns of other sources keep their types. With `typed`, columns of a text file that contain only numbers become
    numbers, for a format with types.

    >>> from rocscope import sources
    >>> all_columns(sources.open({"id": ["a", None], "p": [0.5, 0.25]}))
    {'id': array(['a', None], dtype=object), 'p': array([0.5 , 0.25])}
    """
    if source.files is not None and source.kind not in TYPED:
        table = source.whole()
        cells = {name: np.array(table.cells(name), dtype=object) for name in table.columns}
        return {name: _typed(column) for name, column in cells.items()} if typed else cells
    arrays = columns(source, source.columns, kinds=dict.fromkeys(source.columns, "any")).arrays
    return {name: column.astype(object) if column.dtype.kind == "T" else column for name, column in arrays.items()}


def _typed(cells: Array) -> Array:
    """Text as numbers if every cell is one, without leading zeros or so many digits that any would be lost."""
    stripped = [cell.strip() for cell in cells.tolist()]
    known = [cell for cell in stripped if cell.lower() not in MISSING]
    if not known or not all(NUMBER.fullmatch(cell) for cell in known):
        return cells
    whole = all(WHOLE.fullmatch(cell) for cell in known)
    if whole and max(map(len, known)) > MOST_DIGITS:
        return cells
    if whole and len(known) == len(stripped):
        return np.array([int(cell) for cell in known], dtype=np.int64)
    return np.array([math.nan if cell.lower() in MISSING else float(cell) for cell in stripped])


def check_row_ending(path: str | os.PathLike[str]) -> str:
    """The extension of a file of rows; an unsupported one is refused."""
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending not in ROW_ENDINGS:
        raise RocscopeError(
            f"cannot determine a row format from the extension of '{os.fspath(path)}'",
            hint=f"Use {' or '.join(ROW_ENDINGS)}",
        )
    return ending


def write_columns(held: Mapping[str, Array], path: str | os.PathLike[str], ending: str) -> None:
    """Write columns to a path, replacing any existing file; a missing number becomes an empty cell."""
    if ending == ".csv":
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(held)
            writer.writerows(zip(*map(_cells, held.values()), strict=True))
        return
    import duckdb

    try:
        with database.connect() as engine:
            engine.register("held", dict(held))
            chosen = ", ".join(_nullable(name, column) for name, column in held.items())
            database.copy_to(engine, f"SELECT {chosen} FROM held", os.fspath(path))
    except duckdb.Error as error:
        raise RocscopeError(f"cannot write {path}: {str(error).splitlines()[0]}") from None


def _cells(column: Array) -> list[Any]:
    return ["" if value is None or value != value else value for value in column.tolist()]


def _nullable(name: str, column: Array) -> str:
    spelled = database.name(name)
    if column.dtype.kind != "f":
        return spelled
    return f"CASE WHEN isnan({spelled}) THEN NULL ELSE {spelled} END AS {spelled}"
