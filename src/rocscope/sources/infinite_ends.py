"""Infinite scores as the ends of the ranking: each is replaced by a number beyond all other scores of its column.

Files are read once for the range of their scores, and afterwards as usual, a batch at a time; text that is neither a
number nor infinite stays, so that the refusal names its line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.errors import RocscopeError
from rocscope.record import record
from rocscope.sources.column_batches import Batch, Column, local
from rocscope.sources.files import File, Files
from rocscope.sources.frames import again
from rocscope.sources.source import Source
from rocscope.sources.text_table import MISSING, number

Array = NDArray[Any]
INFINITE = {"inf": np.inf, "infinity": np.inf}


@record(slots=True)
class Ends:
    """The numbers that replace infinite scores: the lowest and the highest."""

    low: float
    high: float

    @classmethod
    def of(cls, lowest: float, highest: float) -> Ends:
        """Numbers beyond the finite scores from `lowest` to `highest`."""
        lowest, highest = (lowest, highest) if lowest <= highest else (0.0, 0.0)
        beyond = (highest - lowest) / 2 or 1.0
        return cls(lowest - beyond, highest + 2 * beyond)

    def in_place_of_infinite(self, values: Array) -> Array:
        """The values with finite ends."""
        return np.where(np.isposinf(values), self.high, np.where(np.isneginf(values), self.low, values))


def ended(scores: Any) -> Any:
    """Replace infinite scores by numbers just beyond all others, which preserves the ranking.

    >>> ended([1.0, float("inf"), 3.0, float("-inf")])
    array([1., 5., 3., 0.])
    """
    values = np.asarray(scores)
    if values.dtype.kind != "f" or not np.isinf(values).any():
        return scores
    finite = values[np.isfinite(values)]
    return Ends.of(finite.min(initial=np.inf), finite.max(initial=-np.inf)).in_place_of_infinite(values)


def with_finite_ends(source: Source, names: Collection[str]) -> Source:
    """The source with infinite scores in the named columns replaced by numbers beyond all others.

    >>> from rocscope import sources
    >>> source = sources.open({"y": [0, 1, 1], "p": [0.25, 0.75, np.inf]})
    >>> with_finite_ends(source, ["p"]).native["p"]
    array([0.25, 0.75, 1.25])
    """
    source.having(*names)
    files = source.files
    if files is not None:
        return _of_files(again(source, why="infinite scores need a second pass"), files, names)
    if isinstance(source.native, Mapping):
        changed = {name: ended(column) if name in names else column for name, column in source.native.items()}
        return replace(source, native=changed)
    if source.once or not local(source):
        raise RocscopeError(
            f"infinite scores can be ranked in arrays, files and data frames in memory, but this is {source.name}",
            hint="Replace them by numbers beyond all other scores",
        )
    import narwhals.stable.v2 as nw

    frame = nw.from_native(source.native, eager_only=True)
    columns = [nw.new_series(name, ended(frame[name].to_numpy()), backend=frame.implementation) for name in names]
    return replace(source, native=frame.with_columns(*columns).to_native())


def _of_files(source: Source, files: Files, names: Collection[str]) -> Source:
    numbers = files.numeric([name for name in source.columns if name not in names])
    lowest, highest = dict.fromkeys(names, np.inf), dict.fromkeys(names, -np.inf)
    infinite = set()
    for file in files.files:
        for batch in file.batches(list(names), numbers):
            for name in names:
                values = _values(batch[name])
                finite = values[np.isfinite(values)]
                lowest[name] = min(lowest[name], finite.min(initial=np.inf))
                highest[name] = max(highest[name], finite.max(initial=-np.inf))
                infinite |= {name} if np.isinf(values).any() else set()
    ends = {name: Ends.of(lowest[name], highest[name]) for name in infinite}
    if not ends:
        return source
    parts: Any = tuple(EndedFile(file, ends) for file in files.files)
    return replace(source, native=replace(files, files=parts), held=None)


@record(slots=True)
class EndedFile:
    """A file whose infinite scores are finite; everything else is as in the file."""

    file: File
    ends: Mapping[str, Ends]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def batches(self, names: Sequence[str], numbers: Collection[str]) -> Iterator[Batch]:
        """The named columns, some rows at a time."""
        for batch in self.file.batches(names, frozenset(numbers) - self.ends.keys()):
            yield {name: self._finite(name, column) for name, column in batch.items()}

    def relation(self, connection: Any, numbers: Collection[str]) -> None:
        """None: DuckDB would read the infinite scores themselves."""

    def _finite(self, name: str, column: Column) -> Column:
        if name not in self.ends:
            return column
        values, ends = _values(column), self.ends[name]
        if column.categories is None:
            return Column(ends.in_place_of_infinite(values), column.nulls)
        if _odd(column.categories):  # to be refused with its line, which is not that of an infinite score
            finite = [repr(float(ends.high)) if np.isinf(_number(text)) else text for text in column.categories]
            return Column(column.values, None, finite)
        return Column(ends.in_place_of_infinite(values))


def _values(column: Column) -> Array:
    """The numbers of a column; NaN where it has none."""
    if column.categories is None:
        return np.asarray(column.values, dtype=np.float64)
    numbers = np.array([*(_number(text) for text in column.categories), np.nan])
    return numbers[column.values]


def _number(text: Any) -> float:
    """A number, infinite or not; NaN for anything else."""
    cell = str(text).strip()
    sign = -1 if cell.startswith("-") else 1
    infinite = INFINITE.get(cell.lstrip("+-").lower()) if len(cell) - len(cell.lstrip("+-")) < 2 else None
    known = number(cell) if infinite is None else sign * infinite
    return np.nan if known is None else known


def _odd(categories: Sequence[Any]) -> bool:
    return any(np.isnan(_number(text)) and str(text).strip().lower() not in MISSING for text in categories)
