"""Uploaded files: opened, unpacked, and what the page shows of each before anything is computed."""

from __future__ import annotations

import os
import re
import secrets
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.sources import compression
from rocscope.sources.column_guess import MOST_CLASSES, MOST_SLICES, Profile, Roles
from rocscope.sources.formats import GZIP, ZSTD, kind_of
from rocscope.sources.opened_files import OpenedFiles
from rocscope.sources.table_files import read
from rocscope.table import ScoreTable

FORMATS = "CSV, TSV, JSON lines, Parquet, Arrow, Excel; .gz, .zst."
EMPTY: dict[str, Any] = {
    "label": None, "labels": [], "values": [], "positive": None, "scores": [], "predicted": None, "by": None,
    "slices": [], "ids": [], "problem": "",
}  # fmt: skip


def read_table(path: Path, name: str) -> OpenedFiles:
    """An uploaded file, opened; `name` is what messages call it, never where it lies."""
    return OpenedFiles.open(path).called(name)


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
                packed = iter(lambda: file.read(2**20), b"")
                _copy(compression.unpacked(packed, kind, name, size=None), sink, name, limit)
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


# ---- cards ----


def card(files: OpenedFiles, columns: Sequence[Profile], roles: Roles) -> dict[str, Any]:
    """What the page shows of a file: the roles, what else could play them, and what will be left out."""
    counted, left_out, problem = _counted(files, roles)
    looked_at = len(files.sample())
    return {
        "rows": files.about_rows,
        "columns": len(columns),
        "label": roles.label,
        "labels": [one.name for one in columns if 1 <= one.distinct <= MOST_CLASSES],
        "values": [{"value": value, "count": count} for value, count in counted],
        "positive": roles.positive,
        "scores": [{"name": one.name, "chosen": one.name in roles.scores} for one in columns
                   if one.is_score and one.name != roles.label and (not one.is_id or one.name in roles.scores)],
        "predicted": roles.predicted,
        "by": roles.by,
        "slices": [one.name for one in columns
                   if 2 <= one.distinct <= MOST_SLICES and one.name not in (roles.label, roles.predicted)
                   and not one.is_probability],
        "ids": [one.name for one in columns if one.is_id and one.distinct == looked_at],
        "left_out": left_out,
        "problem": problem,
    }  # fmt: skip


def _counted(files: OpenedFiles, roles: Roles) -> tuple[list[tuple[str, int]], dict[str, int], str]:
    """How often each label occurs among the rows that can be used, and how many rows cannot."""
    if roles.label is None:
        return [], {}, ""
    several = len(roles.scores) > 1
    needed = {roles.label: "label"} | {name: f"score of {name}" if several else "score" for name in roles.scores}
    if not roles.scores and roles.predicted is not None:
        needed[roles.predicted] = "predicted label"
    try:
        kept = files.rows(needed, missing="drop")
        codes, labels = tally.factorize(kept.columns[roles.label], "label", limit=len(kept) + 2)
    except RocscopeError as error:
        return [], {}, str(error)
    counted = Counter({str(labels[code]): count for code, count in Counter(codes.tolist()).items()})
    return counted.most_common(MOST_CLASSES), dict(kept.left_out), ""


def saved_card(path: Path) -> dict[str, Any]:
    """What the page shows of a saved table: there is no column to choose."""
    held = read(path)
    table = held.table
    if isinstance(table, ScoreTable):
        says = f"{table.positives:,} positive, {table.negatives:,} negative, {len(table):,} distinct scores"
        rows, columns = len(table), 3
    else:
        says, rows, columns = f"a confusion matrix of {len(table):,} classes", len(table), len(table)
    return {**EMPTY, "rows": rows, "columns": columns, "left_out": dict(held.left_out), "saved": says}
