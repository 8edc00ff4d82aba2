"""Pipes: rows that come by once, of which the beginning is known; and as a source of batches.

What needs a second look has the pipe kept in the temporary folder (`kept`), before the first of its rows is read.
"""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Generic, TypeVar

from rocscope.errors import RocscopeError
from rocscope.sources.bulk import KEEP, gathered
from rocscope.sources.column_batches import BATCH, Batch, Column
from rocscope.sources.csv import BY, ID, TextColumns, absent_column
from rocscope.sources.loaded import Part, Texts
from rocscope.sources.source import Flow, Source

Share = Callable[[float], None]
Item = TypeVar("Item")
"""What is read at a time: the columns of a block of text, or a batch of an Arrow stream."""


class Pipe(ABC, Generic[Item]):
    """Rows that flow by: the first ones are known, the rest is read when columns are asked for, once."""

    def __init__(self, file: Any) -> None:
        self._file = file  # the beginning
        self._needed: Mapping[str, str] | None = None
        self._ahead: list[Item] = []
        self._handed_out = False
        self._kept: Any = None
        self._seen = 0

    @property
    def name(self) -> str:
        """What people see."""
        return str(self._file.name)

    @property
    def kind(self) -> str:
        """What is in it: csv, jsonl or arrow."""
        return str(self._file.kind)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        found: tuple[str, ...] = self._file.names
        return found

    @property
    def rows(self) -> int:
        """So many have been read; about how many there are once it was kept."""
        return self._seen if self._kept is None else int(self._kept.rows)

    @property
    def bytes(self) -> int:
        """How large it is: nobody knows before it was kept."""
        return 0 if self._kept is None else int(self._kept.bytes)

    @property
    def flows(self) -> bool:
        """Whether the rows come by once; False after they were kept in the temporary folder."""
        return self._kept is None

    def holding(self, held: ExitStack) -> None:
        """Close that when nobody reads the pipe any more."""
        weakref.finalize(self, held.close)

    def sample(self) -> TextColumns:
        """The first rows."""
        found: TextColumns = self._file.sample()
        return found

    # --- once

    def exceeds(self, most: int, needed: Mapping[str, str], *, progress: Share | None = None) -> bool:
        """Whether there are more rows than that: read until it is known, and held until they are asked for."""
        self._begin(needed)
        while self._seen <= most and (item := self._next()) is not None:
            self._ahead.append(item)
            if progress is not None:
                progress(self._seen)
        return self._seen > most

    def items(self, needed: Mapping[str, str]) -> Iterator[Item]:
        """The needed columns, some rows at a time."""
        self._begin(needed)
        self._handed_out = True
        while self._ahead:
            yield self._ahead.pop(0)
        while (item := self._next()) is not None:
            yield item

    def load(self, needed: Mapping[str, str], *, missing: str = "error", progress: Share | None = None) -> Part:
        """The needed columns of every row; a cell that cannot be used is refused with its place, or counted.

        `progress` is told the rows so far: nobody knows which share of all they are.
        """
        if not self.flows or ID in needed.values():  # ids are looked at twice where they do not match
            share = None if self.flows else progress
            found: Part = self.kept().load(needed, missing=missing, progress=share)
            return found
        held = []
        for item in self.items(needed):
            held.append(item)
            if progress is not None:
                progress(self._seen)
        return self._complete(held, needed, missing)

    @abstractmethod
    def batches(self, names: Sequence[str], numbers: Sequence[str]) -> Iterator[Batch]:
        """The named columns in batches, with the rows that lack something."""

    @abstractmethod
    def _next(self) -> Item | None:
        """What comes next of the needed columns, its rows counted; None at the end."""

    @abstractmethod
    def _complete(self, items: list[Item], needed: Mapping[str, str], missing: str) -> Part:
        """All of it together, without the rows that lack something."""

    def _begin(self, needed: Mapping[str, str]) -> None:
        for column in needed:
            if column not in self.names:
                raise absent_column(self.name, self.names, column)
        if self._needed is None:
            self._needed = dict(needed)
        elif self._handed_out or set(needed) - set(self._needed):
            raise once_only(self.name)

    # --- again

    def kept(self) -> Any:
        """The pipe as a file in the temporary folder, for what needs all of it or looks twice."""
        if self._kept is None:
            if self._needed is not None:
                raise once_only(self.name)
            self._kept = self._keep()
        return self._kept

    @abstractmethod
    def _keep(self) -> Any:
        """The file that it is laid into, opened."""

    def relation(self, connection: Any, numbers: Sequence[str]) -> Any:
        """The pipe as a DuckDB relation: kept for that."""
        return self.kept().relation(connection, numbers)

    def whole(self) -> TextColumns:
        """Every cell as text."""
        found: TextColumns = self.kept().whole()
        return found

    def diagnose(self, needed: Mapping[str, str], missing: str) -> None:
        """Refuse what is wrong in the needed columns of a pipe that was kept."""
        if hasattr(self._kept, "diagnose"):
            self._kept.diagnose(needed, missing)


def once_only(name: str) -> RocscopeError:
    """The refusal of a second look at what has flowed by."""
    return RocscopeError(f"{name} can be read once only", hint="Write it to a file first")


# --- as a source


class PipeRows(Flow):
    """The rows of pipes, one after the other, in batches; small texts among them stand in memory."""

    def __init__(
        self, files: Sequence[Pipe[Any] | TextColumns], numbers: Sequence[str], *, again: Callable[[], Source],
        progress: Share | None = None,
    ) -> None:  # fmt: skip
        self.files, self.numbers, self._again, self.progress = tuple(files), tuple(numbers), again, progress

    def batches(self, names: Sequence[str]) -> Iterator[Batch]:
        """The named columns, some rows at a time."""
        done = 0
        for file in self.files:
            for batch in self._batches(file, names):
                yield batch
                done += len(batch[names[0]].values)
                if self.progress is not None:
                    self.progress(done)

    def _batches(self, file: Pipe[Any] | TextColumns, names: Sequence[str]) -> Iterator[Batch]:
        if isinstance(file, Pipe):
            return file.batches(names, self.numbers)
        return batches_of(text_part(file, roles(names, self.numbers), missing=KEEP), names)

    def again(self) -> Source:
        """The same rows where they can be read again: kept in the temporary folder."""
        return self._again()


def roles(names: Sequence[str], numbers: Sequence[str]) -> dict[str, str]:
    """What columns are needed as where nobody knows more than which are numbers."""
    return {name: "score" if name in numbers else BY for name in names}


def batches_of(part: Part, names: Sequence[str]) -> Iterator[Batch]:
    """The rows of a part: numbers as floats, anything else as codes of texts."""
    for start in range(0, len(part), BATCH):
        yield {name: _column(part.columns[name], start, start + BATCH) for name in names}


def text_part(file: TextColumns, needed: Mapping[str, str], *, missing: str) -> Part:
    """The needed columns of a small text."""
    rows = zip(file.lines, file.rows, strict=True)
    return gathered(rows, file.names, needed, missing=missing, source=file.source, unit=file.unit)  # type: ignore[arg-type]


def _column(column: Any, start: int, stop: int) -> Column:
    if isinstance(column, Texts):
        return Column(column.codes[start:stop], None, list(column.values))
    return Column(column[start:stop])
