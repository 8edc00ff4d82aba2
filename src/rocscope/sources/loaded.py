"""Columns of a file in memory: numbers as arrays, labels as codes, whatever the file was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.sources.csv import absent_column, no_row, revive

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """A column of text as codes into its different values; a code below 0 is a missing cell."""

    codes: Array
    values: tuple[str, ...]

    @classmethod
    def of(cls, codes: Array, values: Sequence[str]) -> Texts:
        """The column with blank values made missing, and values that mean the same made one."""
        plain = [revive(value) for value in values]
        kept = tuple(dict.fromkeys(value for value in plain if value.strip()))
        place = {value: code for code, value in enumerate(kept)}
        moved = [place.get(value, -1) for value in plain]
        if moved == list(range(len(values))):
            return cls(codes, kept)
        table = np.array([*moved, -1], dtype=np.int32)  # the last one is what a code of -1 finds
        return cls(table[np.where(codes < 0, -1, codes)], kept)

    @property
    def missing(self) -> Array:
        """Which rows have none."""
        return self.codes < 0

    def lost(self) -> Array | None:
        """Which rows have none; None when every row has one."""
        return self.missing if len(self.codes) and self.codes.min() < 0 else None

    def take(self, keep: Array) -> Texts:
        """The rows that are kept."""
        return Texts(self.codes[keep], self.values)

    def objects(self) -> Array:
        """One text per row; rows with the same text share it."""
        return np.array([*self.values, None], dtype=object)[self.codes]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The needed columns of one file: a float array or Texts each, all of the same length, with what was left out."""

    columns: Mapping[str, Array | Texts]
    left_out: Mapping[str, int] = field(default_factory=dict)
    blank_lines: int = 0

    def __len__(self) -> int:
        first = next(iter(self.columns.values()))
        return len(first.codes if isinstance(first, Texts) else first)


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """The needed columns of one or several files, complete: what the command line works on."""

    source: str
    names: tuple[str, ...]
    columns: Mapping[str, Array | Texts]
    blank_lines: int = 0
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(Part(self.columns))

    def place(self, row: int) -> str:
        """Where a row stands among those that were kept."""
        return f"{self.source}, row {row + 1}"

    def text(self, name: str) -> Array:
        """A column of labels, one text per row."""
        column = self._column(name)
        return column.objects() if isinstance(column, Texts) else np.array([f"{x!r}" for x in column.tolist()], object)

    def classes(self, name: str) -> Any:
        """A column of labels as `tally` takes it: its codes, without a text for every row."""
        column = self._column(name)
        return tally.Dictionary(column.codes, column.values) if isinstance(column, Texts) else self.text(name)

    def labels(self, name: str) -> set[str]:
        """The different labels of a column."""
        column = self._column(name)
        return set(column.values) if isinstance(column, Texts) else set(self.text(name).tolist())

    def differing(self, name: str, other: str) -> int:
        """In how many rows two columns of labels are not the same."""
        one, two = self._column(name), self._column(other)
        if not (isinstance(one, Texts) and isinstance(two, Texts)):
            return int(np.count_nonzero(self.text(name) != self.text(other)))
        place = {value: code for code, value in enumerate(one.values)}
        codes = np.array([*(place.get(value, -2) for value in two.values), -1], dtype=np.int32)
        return int(np.count_nonzero(codes[two.codes] != one.codes))

    def numbers(self, name: str) -> Array:
        """A column of finite numbers."""
        column = self._column(name)
        if isinstance(column, Texts):
            raise RocscopeError(f"{self.source}: column '{name}' is needed as labels and as numbers")
        return column

    def is_whole(self, name: str) -> bool:
        """Whether a column of numbers holds whole ones from 0 up."""
        numbers = self.numbers(name)
        return bool(numbers.min() >= 0 and (numbers.dtype.kind in "iu" or (numbers == np.rint(numbers)).all()))

    def counts(self, name: str) -> Array:
        """A column of whole numbers from 0 up."""
        numbers = self.numbers(name)
        wrong = np.flatnonzero((numbers < 0) | (numbers != np.rint(numbers)))
        if wrong.size:
            raise RocscopeError(
                f"{self.place(int(wrong[0]))}, column '{name}': {numbers[wrong[0]]:g} is not a count (0, 1, 2, ...)"
            )
        return numbers.astype(np.int64)

    def cells(self, name: str) -> list[str]:
        """The cells of a column as text."""
        return list(map(str, self.text(name).tolist()))

    def _column(self, name: str) -> Array | Texts:
        if name not in self.columns:
            raise absent_column(self.source, self.names, name)
        return self.columns[name]


def joined_parts(parts: Sequence[Part]) -> Part:
    """The parts one below the other."""
    if len(parts) == 1:
        return parts[0]
    left_out: dict[str, int] = {}
    for part in parts:
        for why, count in part.left_out.items():
            left_out[why] = left_out.get(why, 0) + count
    columns = {name: _joined([part.columns[name] for part in parts]) for name in parts[0].columns}
    return Part(columns, left_out, sum(part.blank_lines for part in parts))


def as_numbers(column: Array | Texts) -> Array | Texts:
    """Labels written as whole numbers where they are such: 1 for 1.0 and for True."""
    if not isinstance(column, Texts):
        return column
    written = {"True": "1", "False": "0"}
    return Texts.of(column.codes, [written.get(value, value.removesuffix(".0")) for value in column.values])


def _joined(columns: Sequence[Array | Texts]) -> Array | Texts:
    arrays = [column for column in columns if not isinstance(column, Texts)]
    if len(arrays) == len(columns):
        return np.concatenate(arrays)
    texts = [column for column in columns if isinstance(column, Texts)]
    values = tuple(dict.fromkeys(value for column in texts for value in column.values))
    place = {value: code for code, value in enumerate(values)}
    moved = [
        np.array([*(place[value] for value in column.values), -1], dtype=np.int32)[column.codes] for column in texts
    ]
    return Texts(np.concatenate(moved), values)


def complete(
    columns: Mapping[str, Array | Texts], needed: Mapping[str, str], missing: Mapping[str, Array], source: str
) -> Part:
    """The rows in which nothing is missing, the others counted by the first reason."""
    keep = None
    left_out: dict[str, int] = {}
    for name, what in needed.items():
        lacks = missing.get(name)
        if lacks is None or not lacks.any():
            continue
        fresh = lacks if keep is None else lacks & keep
        count = int(np.count_nonzero(fresh))
        keep = ~lacks if keep is None else keep & ~lacks
        if count:
            left_out[f"no {what}"] = left_out.get(f"no {what}", 0) + count
    if keep is None:
        return Part(columns)
    if not keep.any():
        raise no_row(source, needed)
    kept = {n: column.take(keep) if isinstance(column, Texts) else column[keep] for n, column in columns.items()}
    return Part(kept, left_out)
