"""Uploaded files: opened, decompressed, and summarized for the page before anything is computed."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rocscope import sources, tally
from rocscope.errors import RocscopeError
from rocscope.serve.control_names import with_controls
from rocscope.sources import MOST_GROUPS, MOST_LABELS, Profile, Roles, Source, complete, several_labels
from rocscope.sources import read_table as read_saved
from rocscope.table import Confusion, ScoreTable

FORMATS = "CSV, TSV, JSON lines, Parquet, Arrow, Excel; .gz, .zst."
EMPTY: dict[str, Any] = {
    "label": None, "labels": [], "values": [], "positive": None, "scores": [], "predicted": None, "by": None,
    "slices": [], "ids": [], "problem": "",
}  # fmt: skip


def opened(path: Path, name: str) -> Source:
    """Open an uploaded file; `name` is used in messages instead of its path."""
    return sources.open(path, called=name)


@contextmanager
def speaking_of(names: Mapping[Path, str]) -> Iterator[None]:
    """Make errors refer to files by the user's names and not disclose their paths."""
    try:
        yield
    except RocscopeError as error:
        raise RocscopeError(_spoken(error.message, names), hint=_spoken(error.hint, names)) from None


def _spoken(text: str, names: Mapping[Path, str]) -> str:
    """Replace paths in a sentence by the names of files, and other paths in the folder by a generic term."""
    for path, name in names.items():
        text = text.replace(str(path), name).replace(path.name, name)
    first = next(iter(names.values()), "the file")
    return re.sub(rf"{re.escape(tempfile.gettempdir())}[^\s'\"]*", lambda _: first, text)


def unpacked(path: Path, name: str, limit: int) -> int:
    """Decompress an uploaded file in place, if it is compressed; return its new size."""
    with speaking_of({path: name}):
        try:
            return sources.unpack(path, name, limit=limit)
        except FileNotFoundError:  # another tab may have removed it
            raise RocscopeError(f"there is no file {name}") from None


# ---- file cards ----


def card(source: Source, columns: Sequence[Profile], roles: Roles) -> dict[str, Any]:
    """The page's summary of a file: the roles, the alternatives for them, and the rows that will be excluded."""
    if roles.several:
        return _card_of_labels(source, columns, roles)
    counted, left_out, problem = _counted(source, roles)
    looked_at = len(source.sample())
    return {
        "rows": source.rows if source.files is None else source.files.about,
        "columns": len(columns),
        "label": roles.label,
        "labels": [column.name for column in columns if 1 <= column.distinct <= MOST_LABELS],
        "values": [{"value": value, "count": count} for value, count in counted],
        "positive": roles.positive,
        "scores": [{"name": column.name, "chosen": column.name in roles.scores} for column in columns
                   if column.is_score and column.name != roles.label
                   and (not column.is_id or column.name in roles.scores)]
        or _hard(columns, roles),
        "predicted": roles.predicted,
        "by": roles.by,
        "slices": [column.name for column in columns
                   if 2 <= column.distinct <= MOST_GROUPS and column.name not in (roles.label, roles.predicted)
                   and not column.is_probability],
        "ids": [column.name for column in columns if column.is_id and column.distinct == looked_at],
        "left_out": left_out,
        "problem": problem,
    }  # fmt: skip


def _hard(columns: Sequence[Profile], roles: Roles) -> list[dict[str, Any]]:
    """Several columns of predicted labels if there are no scores: they can be compared."""
    truth = next((column.labels for column in columns if column.name == roles.label), set())
    names = [
        column.name for column in columns if column.name != roles.label and column.labels and column.labels <= truth
    ]
    chosen = (roles.predicted, *roles.scores)
    return [{"name": name, "chosen": name in chosen} for name in names] if len(names) > 1 else []


def _card_of_labels(source: Source, columns: Sequence[Profile], roles: Roles) -> dict[str, Any]:
    """The card for columns label_*, score_*, represented by their patterns as on the command line."""
    label, known = str(roles.label), several_labels(columns)
    patterns = roles.scores if known is None else known.scores
    return {
        **EMPTY, "rows": source.rows if source.files is None else source.files.about, "columns": len(columns),
        "label": label, "labels": [label, *(column.name for column in columns if 1 <= column.distinct <= MOST_LABELS)],
        "scores": [{"name": name, "chosen": name in roles.scores} for name in patterns], "left_out": {},
        "ids": [column.name for column in columns if column.is_id and column.distinct == len(source.sample())],
    }  # fmt: skip


def broken_card(problem: str) -> dict[str, Any]:
    """The page's summary of a file that is no longer readable."""
    return {**EMPTY, "rows": 0, "columns": 0, "left_out": {}, "problem": problem}


def _counted(source: Source, roles: Roles) -> tuple[list[tuple[str, int]], dict[str, int], str]:
    """How often each label occurs among the usable rows, and the number of unusable rows."""
    if roles.label is None:
        return [], {}, ""
    several = len(roles.scores) > 1
    needed = {roles.label: "label"} | {name: f"score of {name}" if several else "score" for name in roles.scores}
    if not roles.scores and roles.predicted is not None:
        needed[roles.predicted] = "predicted label"
    try:
        kept = complete(source, needed, missing="drop")
        codes, labels = tally.factorize(kept.values()[roles.label], "label", limit=len(kept) + 2)
    except RocscopeError as error:
        return [], {}, str(with_controls(error))
    counted = Counter({str(labels[code]): count for code, count in Counter(codes.tolist()).items()})
    return counted.most_common(MOST_LABELS), dict(kept.left_out), ""


def saved_card(path: Path) -> dict[str, Any]:
    """The page's summary of a saved table, which has no columns to choose."""
    saved = read_saved(path)
    table = saved.table
    if isinstance(table, ScoreTable):
        says = f"{table.positives:,} positive, {table.negatives:,} negative, {len(table):,} distinct scores"
        rows, columns = len(table), 3
    else:
        what, classes = ("a confusion matrix" if isinstance(table, Confusion) else "sums"), len(table.labels)
        says, rows, columns = f"{what} of {classes:,} classes", classes, classes
    return {**EMPTY, "rows": rows, "columns": columns, "left_out": dict(saved.left_out), "saved": says}
