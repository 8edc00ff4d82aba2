"""A file as columns: the one place where the server reads data."""

from __future__ import annotations

import math
import os
import re
import secrets
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO

from rocscope.errors import RocscopeError
from rocscope.sources import compression
from rocscope.sources.csv import MISSING, TextColumns
from rocscope.sources.files import LargeColumns, open_columns, sample_of, whole
from rocscope.sources.formats import GZIP, ZSTD, kind_of

Columns = TextColumns | LargeColumns
FORMATS = "CSV, TSV, JSON lines, Parquet, Arrow, Excel; .gz, .zst."

__all__ = [
    "FORMATS", "Columns", "as_number", "pasted", "read_table", "rows_of", "sample_of", "speaking_of", "unpack", "whole",
]  # fmt: skip


def read_table(path: Path, name: str) -> Columns:
    """The columns of an uploaded file; `name` is what messages call it, never where it lies."""
    return replace(open_columns(path), source=name)


def unpack(path: Path, name: str, *, limit: int) -> int:
    """Replace a packed file by what it holds, and say how large that is; refused when it swells beyond the limit.

    Once here, instead of each time it is read; and a few kilobytes cannot fill the disk.
    """
    with open(path, "rb") as file:
        kind = kind_of(file.read(8))
        if kind != GZIP and not (kind == ZSTD and compression.has_zstd()):
            return path.stat().st_size
        file.seek(0)
        beside = path.with_name(secrets.token_hex(8))
        try:
            with open(beside, "xb") as sink:
                _copy(compression.unpacked(file, kind, name, size=None), sink, name, limit)
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)
    return path.stat().st_size


def _copy(pieces: Iterable[bytes], sink: IO[bytes], name: str, limit: int) -> None:
    seen = 0
    for piece in pieces:
        seen += len(piece)
        if seen > limit:
            raise RocscopeError(f"{name} unpacks to more than {limit // 2**20:,} MB", hint="Give a larger --limit")
        sink.write(piece)


def pasted(names: Sequence[str], rows: Sequence[tuple[str, ...]]) -> TextColumns:
    """Rows of text under their names, as the columns of a file would be."""
    return TextColumns("the pasted table", tuple(names), tuple(rows), tuple(range(1, len(rows) + 1)), unit="row")


def rows_of(columns: Columns) -> int:
    """How many rows there are, or about how many where the file must be read to know."""
    return len(columns) if isinstance(columns, TextColumns) else columns.rows


@contextmanager
def speaking_of(names: Mapping[Path, str]) -> Iterator[None]:
    """Let refusals name files as the user does: where they lie is nobody's business."""
    try:
        yield
    except RocscopeError as error:
        raise RocscopeError(_spoken(error.message, names), hint=_spoken(error.hint, names)) from None


def _spoken(text: str, names: Mapping[Path, str]) -> str:
    """A sentence with the names of files for their paths, and for whatever lies in the folder for passing things."""
    for path, name in names.items():
        text = text.replace(str(path), name).replace(path.name, name)
    first = next(iter(names.values()), "the file")
    return re.sub(rf"{re.escape(tempfile.gettempdir())}[^\s'\"]*", lambda _: first, text)


def as_number(cell: str) -> float | None:
    """A finite number, NaN where nothing is, None for anything else.

    >>> as_number(" 0.5 "), as_number("1e400"), as_number("1_000"), as_number("x")
    (0.5, None, None, None)
    """
    text = cell.strip()
    if text.lower() in MISSING:
        return math.nan
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in text else None
