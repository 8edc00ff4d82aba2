"""Assignment of cases to slices: the values of a column, or of two crossed, each with its rows or its table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.record import record
from rocscope.sources import MOST_SLICES, too_many_slices
from rocscope.table import Confusion, ScoreTable
from rocscope.tally import is_frame_column, is_missing, null_flags, single_column

Array = NDArray[Any]
MANY = 50  # number of values above which a column with few repeated values is not accepted for slicing
Value = tuple[Any, ...]


@record(eq=False)
class Slicing:
    """The slices by one column, or by two crossed: the table of each, and its rows if these are in memory.

    A value is a tuple with one entry for each column; None is a missing value. `left_out` counts the rows of a slice
    without a label, score or weight; None if that is not known.
    """

    by: tuple[str, ...]
    tables: Mapping[Value, Any]
    rows: Mapping[Value, Array] | None = None
    left_out: Mapping[Value, int] | None = None


@record(eq=False)
class Partition:
    """The rows of each slice.

    >>> found = partitions({"sex": ["f", "m", None, "f"]}, rows=4)
    >>> {value: rows.tolist() for value, rows in found[0].rows.items()}
    {('f',): [0, 3], ('m',): [1], (None,): [2]}
    """

    by: tuple[str, ...]
    rows: Mapping[Value, Array]

    def tables(self, mask: Array, scores: Array, weights: Array | None, *, like: ScoreTable) -> Slicing:
        """The slices of one score column as tables of the same kind as that of all cases."""
        tables = {
            value: _table(mask[rows], scores[rows], _at(weights, rows), like) for value, rows in self.rows.items()
        }
        return Slicing(self.by, tables, self.rows, dict.fromkeys(tables, 0))

    def matrices(self, actual: Array, predicted: Array, weights: Array | None, *, like: Confusion) -> Slicing:
        """The slices of hard labels, given as codes."""
        matrices, classes = {}, len(like.labels)
        for value, rows in self.rows.items():
            heavy, squares = _at(weights, rows), None
            cells = tally.cross(actual[rows], predicted[rows], classes, heavy)
            if heavy is not None and like.squares is not None:
                squares = tally.cross(actual[rows], predicted[rows], classes, tally.squared(heavy))
            matrices[value] = Confusion(cells, like.labels, squares=squares)
        return Slicing(self.by, matrices, self.rows, dict.fromkeys(matrices, 0))


def _at(weights: Array | None, rows: Array) -> Array | None:
    return None if weights is None else weights[rows]


def _table(mask: Array, scores: Array, weights: Array | None, like: ScoreTable) -> ScoreTable:
    higher, positives = like.higher_is_positive, int(np.count_nonzero(mask))
    grouped = tally.group(scores, mask, weights, descending=higher, squares=like.weighted)
    return ScoreTable(
        grouped.scores, grouped.pos, grouped.neg, higher, like.labels, grouped.pos_squares, grouped.neg_squares,
        rows=(positives, len(mask) - positives),
    )  # fmt: skip


def panels(names: Sequence[str], *, crossed: bool) -> list[tuple[str, ...]]:
    """The columns of each panel of slices: each column, and each pair of columns if they are crossed."""
    if crossed and len(names) < 2:
        raise RocscopeError("crossed slices require two columns", hint="Name a second column in by")
    return [*((name,) for name in names), *(combinations(names, 2) if crossed else ())]


def partitions(by: Mapping[str, Any], *, rows: int, crossed: bool = False) -> tuple[Partition, ...]:
    """The slices by each column, and by each pair of columns if requested."""
    coded = {str(name): _codes(column, str(name), rows) for name, column in by.items()}
    wanted = panels(list(coded), crossed=crossed)
    return tuple(Partition(names, dict(_rows([coded[name] for name in names], names))) for names in wanted)


def summed_slices(finest: Mapping[Value, Any], by: Sequence[str], *, crossed: bool) -> tuple[Slicing, ...]:
    """The slices by each column, and by each pair if they are crossed, as sums of the finest slices."""
    return tuple(_summed(finest, names, [by.index(name) for name in names]) for names in panels(by, crossed=crossed))


def _summed(finest: Mapping[Value, Any], names: tuple[str, ...], positions: Sequence[int]) -> Slicing:
    parts: dict[Value, list[Any]] = {}
    for value, table in finest.items():
        parts.setdefault(tuple(value[position] for position in positions), []).append(table)
    if len(names) == 1:
        check_count(names[0], len(parts), sum(map(_size, finest.values())))
    return Slicing(names, {value: added(part) for value, part in parts.items()})


def _size(table: ScoreTable | Confusion) -> int:
    return sum(table.rows) if isinstance(table, ScoreTable) else round(float(table.matrix.sum()))


def added(tables: Iterable[Any]) -> Any:
    """Add tables or matrices pairwise, so that partial sums are not copied repeatedly."""
    sums = list(tables)
    while len(sums) > 1:
        odd = sums[-1:] if len(sums) % 2 else []
        sums = [first + other for first, other in zip(sums[::2], sums[1::2], strict=False)] + odd
    return sums[0]


def slicings_of_tables(by: Any) -> tuple[Slicing, ...]:
    """Slices that are already tables: {"day": {"Monday": table, ...}}."""
    if by is None:
        return ()
    are_mappings = isinstance(by, Mapping) and all(isinstance(tables, Mapping) for tables in by.values())
    if not are_mappings or not all(
        isinstance(table, ScoreTable) for tables in by.values() for table in tables.values()
    ):
        raise RocscopeError(
            "the slices of a score table must be score tables", hint='by={"day": {"Monday": table, "Tuesday": table}}'
        )
    return tuple(
        Slicing((str(name),), {(value,): table for value, table in tables.items()}) for name, tables in by.items()
    )


def _rows(columns: Sequence[tuple[Array, list[Any]]], names: tuple[str, ...]) -> Iterator[tuple[Value, Array]]:
    """Every combination that occurs, with its rows."""
    cell = columns[0][0].astype(np.int64)
    for codes, values in columns[1:]:
        cell = cell * len(values) + codes
    order = np.argsort(cell, kind="stable")
    ordered = cell[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))[: len(ordered)]
    if len(starts) > MOST_SLICES:
        check_count(" and ".join(names), len(starts), len(cell))
    for rows in np.split(order, starts[1:]):
        yield tuple(values[codes[rows[0]]] for codes, values in columns), rows


def check_count(name: str, values: int, cases: float) -> None:
    """Raise an error for a column with so many values that most slices would contain one case."""
    if values > MOST_SLICES:
        raise too_many_slices(name)
    if values > MANY and 2 * values > cases:
        hint = "The column may be an id or a score. Group numbers into ranges first"
        raise RocscopeError(
            f"{name} has {values:,} values in {cases:,} cases, so slices would contain single cases", hint=hint
        )


# ---- a column from any source ----


def _codes(values: Any, name: str, rows: int) -> tuple[Array, list[Any]]:
    """The position of each row's value among the values; missing values are last, as None."""
    column = _held(tally.column(values, name))
    if len(column) != rows:
        raise RocscopeError(
            f"{name} has {len(column)} values, but there are {rows} cases", hint="Give one for each case"
        )
    absent = missing_flags(column)
    present = column if absent is None else _taken(column, ~absent)
    if not len(present):
        return np.zeros(rows, dtype=np.int64), [None]
    codes, labels = _factorized(present, name)
    if absent is None:
        return codes.astype(np.int64), labels
    whole = np.full(rows, len(labels), dtype=np.int64)
    whole[~absent] = codes
    return whole, [*labels, None]


def _held(values: Any) -> Any:
    """The column unchanged, except that dates become text (a day is a slice) and codes become their labels."""
    if isinstance(values, tally.Dictionary):  # the column of the labels, as readers provide it
        return [None if code < 0 else values.labels[code] for code in values.codes.tolist()]
    if not is_frame_column(values) or isinstance(values, np.ndarray):
        array = values if isinstance(values, list | np.ndarray) else list(values)
        return _dated(array) if isinstance(array, np.ndarray) else array
    column = single_column(values, "by")
    kind = str(getattr(column, "dtype", getattr(column, "type", ""))).lower()
    return _dated(np.asarray(column.to_numpy())) if kind.startswith(("date", "timestamp")) else column


def _dated(array: Array) -> Array:
    if array.dtype.kind != "M":
        return array
    days = array.astype("datetime64[D]")
    shown = days if bool((days == array)[~np.isnat(array)].all()) else array.astype("datetime64[s]")
    text = shown.astype(str).astype(object)
    text[np.isnat(array)] = None
    return text


def missing_flags(column: Any) -> Array | None:
    """Which values are missing; None if no value is."""
    if is_frame_column(column) and not isinstance(column, np.ndarray):
        nulls = null_flags(column)
        return missing_flags(np.asarray(column)) if nulls is None and _of_numpy(column) else nulls
    if isinstance(column, np.ndarray) and column.dtype.kind != "O":
        flags = np.isnan(column) if column.dtype.kind == "f" else np.zeros(1, dtype=bool)
    else:
        flags = np.fromiter(map(is_missing, column), dtype=bool, count=len(column))
    return flags if flags.any() else None


def _of_numpy(column: Any) -> bool:
    kind = str(getattr(column, "dtype", getattr(column, "type", ""))).lower()
    return isinstance(getattr(column, "dtype", None), np.dtype) or kind.startswith(("float", "double"))


def _taken(column: Any, kept: Array) -> Any:
    if isinstance(column, list):
        return [value for value, keep in zip(column, kept.tolist(), strict=True) if keep]
    if isinstance(column, np.ndarray) or hasattr(column, "iloc"):
        return column[kept]
    return column.filter(kept)


def _factorized(values: Any, name: str) -> tuple[Array, list[Any]]:
    try:
        codes, distinct_values = tally.factorize(values, name, limit=MOST_SLICES)
    except RocscopeError as error:
        if "classes" in error.message:
            raise too_many_slices(name) from None
        if "continuous" in error.message or "infinite" in error.message:
            hint = "Group numbers into ranges first: a column for slices must have few distinct values"
            raise RocscopeError(error.message, hint=hint) from None
        raise
    check_count(name, len(distinct_values), len(codes))
    return codes, list(distinct_values)
