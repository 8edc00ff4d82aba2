"""The rows of a source in memory: the required columns of complete rows, and the number of excluded rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol, TypeVar

import numpy as np

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.record import record
from rocscope.sources.column_batches import Array, Column, batches, emptied, local, release_unused
from rocscope.sources.files import as_text, reading
from rocscope.sources.source import Rows, Source
from rocscope.sources.usable_rows import (
    FILL,
    Gaps,
    missing_values,
    policy,
    refuse_infinite,
    refuse_scale,
    refuse_text,
    usable_weights,
)

KINDS = ("number", "label", "any")
BY = "by"  # role of a column in which a missing value counts as a value of its own
PIECE = 2**16  # number of rows processed at a time when they are not kept in memory
YES, NO = frozenset({"1", "1.0", "true", "yes"}), frozenset({"0", "0.0", "false", "no"})
WHOLE = 2**53  # integers below this are exact as floats
Kept = tuple[dict[str, Column], dict[str, int], Array | None]


@record(slots=True, eq=False)
class CompleteRows:
    """The needed columns of a source, every row complete, and how many rows were left out for which reason.

    `kept` are the positions of the rows that were kept, counted from 0, or None if all were.
    """

    needed: Mapping[str, str]
    columns: Mapping[str, Column]
    left_out: Mapping[str, int] = field(default_factory=dict)
    kept: Array | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())).values)

    def values(self) -> dict[str, Any]:
        """Each column in the form its use requires: text labels as `tally` accepts them, anything else as an array."""
        return {name: _values(self.columns[name], what) for name, what in self.needed.items()}

    def take(self, rows: Array) -> CompleteRows:
        """Some of the rows."""
        kept = rows if self.kept is None else self.kept[rows]
        columns = {name: column.take(rows) for name, column in self.columns.items()}
        return CompleteRows(self.needed, columns, self.left_out, kept)


def _values(column: Column, what: str) -> Any:
    if column.categories is None:
        return _plain(column)
    if what in (BY, "cluster", "id") or not all(isinstance(category, str) for category in column.categories):
        return column.objects()
    return tally.Dictionary(column.values, column.categories)


def is_number(what: str) -> bool:
    """Whether a column in this role ("score", "score of a", "weight", "cost") must contain numbers."""
    return what.startswith(("score", "weight", "cost"))


def complete(source: Source, needed: Mapping[str, str], *, missing: str = "error") -> CompleteRows:
    """The rows that have every required value.

    `needed` maps a column to its purpose: "label", "score", "score of a", "weight", "cluster", "id"; a missing value in
    a "by" column is a value like any other. Rows that lack a value are refused, naming the first of them, or, with
    missing="drop", left out and counted. Labels of files are text, whatever their type; weights of files that are whole
    numbers stay whole, so that sums of them stay exact.

    >>> from rocscope import sources
    >>> source = sources.open({"y": ["a", None, "b"], "p": [0.9, 0.1, 0.5]})
    >>> rows = complete(source, {"y": "label", "p": "score"}, missing="drop")
    >>> rows.values()["p"], rows.left_out
    (array([0.9, 0.5]), {'no label': 1})
    """
    if missing != "refuse":  # "refuse" is for callers that cannot leave rows out
        policy(missing)
    source.having(*needed)
    kinds = {name: "number" if is_number(what) else "any" if what == BY else "label" for name, what in needed.items()}
    label = next((name for name, what in needed.items() if what == "label"), None)
    reasons = {name: f"no {what}" for name, what in needed.items() if what != BY}
    rows = reading(
        source, [name for name in kinds if kinds[name] == "number"],
        lambda opened: _kept(opened, kinds, reasons, missing, needed=needed), label=label,
    )  # fmt: skip
    if source.files is None:
        return CompleteRows(needed, *rows)
    by_name = {name: _of_file(column, needed[name]) for name, column in rows[0].items()}
    return CompleteRows(needed, by_name, *rows[1:])


class Summing(Protocol):
    """Protocol of an accumulator of batches of rows."""

    def add(self, rows: CompleteRows) -> None:
        """Add complete rows."""


Sums = TypeVar("Sums", bound=Summing)


def summed(
    source: Source, needed: Mapping[str, str], start: Callable[[], Sums], *, missing: str = "error",
    budget: int | None = None,
) -> tuple[Sums, dict[str, int]]:  # fmt: skip
    """Like `complete`, but in batches added to the object that `start` creates.

    Also returns the excluded rows by reason.

    Another reader may start a file over: `start` is then called again.
    """
    policy(missing)
    source.having(*needed)
    label = next((name for name, what in needed.items() if what == "label"), None)
    reasons = {name: f"no {what}" for name, what in needed.items() if what != BY}
    numbers = [name for name, what in needed.items() if is_number(what)]

    def read(opened: Source) -> tuple[Sums, dict[str, int]]:
        sums, gaps = start(), Gaps(reasons)
        for batch in _pieces(opened, list(needed)):
            sums.add(_piece(opened, batch, needed, gaps, of_file=source.files is not None))
        gaps.settle(missing, opened)
        return sums, gaps.left_out

    return reading(source, numbers, read, label=label, budget=budget)


def _pieces(source: Source, names: Sequence[str]) -> Iterator[Mapping[str, Column]]:
    """Yield few rows at a time, because computations on them take several times their memory."""
    if local(source):
        parts: Iterator[Mapping[str, Column]] = iter(batches(source, names, size=PIECE))
    else:
        from rocscope.sources.engines import streamed

        parts = streamed(source, names)
    for batch in parts:
        rows = len(batch[names[0]].values)
        for start in range(0, rows, PIECE):
            cut = slice(start, min(rows, start + PIECE))
            yield batch if rows <= PIECE else {name: batch[name].take(cut) for name in names}


def _piece(
    source: Source, batch: Mapping[str, Column], needed: Mapping[str, str], gaps: Gaps, *, of_file: bool
) -> CompleteRows:
    """The complete rows of a batch, checked."""
    _check_labels(batch, needed)
    for name in (name for name, what in needed.items() if is_number(what)):
        refuse_text(batch[name], name)
    before, used = gaps.rows, gaps.used(batch)
    gaps.rows += len(next(iter(batch.values())).values)
    columns = {name: batch[name] if used is None else batch[name].take(used) for name in needed}
    for name, what in needed.items():
        if is_number(what):
            refuse_infinite(columns[name].values, name, source, before, used)
        if what == "weight":
            usable_weights(columns[name].values, name, source, before, used)
            refuse_scale(float(columns[name].values.max(initial=0)), name)
    if of_file:
        columns = {name: _of_file(column, needed[name]) for name, column in columns.items()}
    return CompleteRows(needed, columns)


def _check_labels(columns: Mapping[str, Column], needed: Mapping[str, str]) -> None:
    """Raise an error for labels, observed or predicted, of a type that files do not have."""
    for name in (name for name, what in needed.items() if _is_label(what)):
        tally.check_label_types(columns[name].categories or (), name)


def _is_label(what: str) -> bool:
    return what.startswith(("label", "predicted label"))


def _refuse_amounts(source: Source, needed: Mapping[str, str], columns: Mapping[str, Column], kept: Any) -> None:
    """Raise an error for unusable weights and costs."""
    for name in (name for name, what in needed.items() if what == "weight"):
        weights = usable_weights(columns[name].values, name, source, used=kept)
        refuse_scale(float(weights.max(initial=0)), name)
    for name in (name for name, what in needed.items() if what == "cost"):
        usable_weights(columns[name].values, name, source, used=kept, what="Costs must be amounts")


def _of_file(column: Column, what: str) -> Column:
    """Harmonize types, which text does not have and which may differ between files: labels are text, whole weights
    integers.
    """
    if not is_number(what):
        return as_text(column, classes=_is_label(what))
    values = column.values
    if what != "weight" or values.dtype.kind != "f" or not len(values) or values.min() < 0 or values.max() >= WHOLE:
        return column
    return Column(values.astype(np.int64)) if (values == np.rint(values)).all() else column


def columns(
    source: Source, names: Sequence[str], *, missing: str = "error", kinds: Mapping[str, str] | None = None
) -> Rows:
    """The named columns in memory, as NumPy arrays of equal length.

    A row without a value in one of the columns is refused or, with missing="drop", left out and counted, by the reason
    "no NAME" of the first such column. `kinds` gives the purpose of a column: "number" refuses text and infinities,
    "label" (the default) accepts anything, and so does "any", which may have missing values, as None or NaN.

    >>> rows = columns(Source("s", {"y": [1, 0], "p": [0.5, 0.25]}, "arrays", ("y", "p")), ["y", "p"])
    >>> rows.arrays["p"], len(rows)
    (array([0.5 , 0.25]), 2)
    """
    policy(missing)
    source.having(*names)
    wanted = {name: (kinds or {}).get(name, "label") for name in names}
    strange = next((kind for kind in wanted.values() if kind not in KINDS), None)
    if strange is not None:
        raise RocscopeError(f"there is no kind of column '{strange}'", hint=f"Use one of {', '.join(KINDS)}")
    reasons = {name: f"no {name}" for name, kind in wanted.items() if kind != "any"}
    kept_columns, left_out, kept = reading(
        source, [name for name, kind in wanted.items() if kind == "number"],
        lambda opened: _kept(opened, wanted, reasons, missing, empty=True),
        either=[name for name, kind in wanted.items() if kind == "any"],
    )  # fmt: skip
    return Rows({name: _plain(column) for name, column in kept_columns.items()}, left_out, kept)


def _kept(
    source: Source, kinds: Mapping[str, str], reasons: Mapping[str, str], missing: str, *, empty: bool = False,
    needed: Mapping[str, str] | None = None,
) -> Kept:  # fmt: skip
    """The columns without incomplete rows; if none remain, that is an error unless `empty` allows it."""
    fetched_columns = fetched(source, list(kinds))
    _check_labels(fetched_columns, needed or {})
    for name, kind in kinds.items():
        if kind == "number":
            refuse_text(fetched_columns[name], name, source)
    gaps = Gaps(reasons)
    kept = gaps.used(fetched_columns)
    gaps.rows = len(next(iter(fetched_columns.values())).values)
    used = {name: fetched_columns[name] if kept is None else fetched_columns[name].take(kept) for name in kinds}
    for name, kind in kinds.items():
        if kind == "number":  # rows with missing values are not checked, as when reading in batches
            refuse_infinite(used[name].values, name, source, used=kept)
    _refuse_amounts(source, needed or {}, used, kept)
    if gaps.lacking and missing == "refuse":
        raise missing_values(gaps.lacking, source, gaps.first, hint=FILL)
    if not empty or (gaps.lacking and missing == "error"):
        gaps.settle(missing, source)
    return used, gaps.left_out, kept


def fetched(source: Source, names: Sequence[str]) -> Mapping[str, Column]:
    """The named columns of any source, in one piece."""
    if local(source):
        parts = [dict(part) for part in batches(source, names, size=2**62)]
        joined = parts[0] if len(parts) == 1 else emptied(parts, names)
        release_unused()
        return joined
    from rocscope.sources.engines import collected

    return collected(source, names)


def _plain(column: Column) -> Any:
    values = column.plain()
    if column.nulls is None or not column.nulls.any():
        return values
    if values.dtype.kind == "f":
        return np.where(column.nulls, np.nan, values)
    return np.where(column.nulls, np.array(None), values.astype(object))


# ---- several columns as one matrix ----


def score_columns(rows: Mapping[str, Any], columns: Sequence[str]) -> Any:
    """Columns of scores as a matrix that has one column for each class or label."""
    return np.column_stack([np.asarray(rows[column], dtype=np.float64) for column in columns])


def indicator_matrix(rows: Mapping[str, Any], columns: Sequence[str]) -> Any:
    """Columns of 0 and 1 (false and true, no and yes) as flags, with one column for each label."""
    if not columns:
        raise RocscopeError("no column of labels was named", hint="Name one for each label")
    flags = []
    for name in columns:
        codes, present = tally.factorize(rows[name], name, limit=64)
        spelled = [str(value).strip().lower() for value in present]
        strange = next((spelling for spelling in spelled if spelling not in YES | NO), None)
        if strange is not None:
            raise RocscopeError(f"column '{name}' contains '{strange}'; use 1 if a case has the label and 0 otherwise")
        flags.append(np.array([spelling in YES for spelling in spelled])[codes])
    return np.column_stack(flags)
