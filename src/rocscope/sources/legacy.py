"""Columns of files as the command line asks for them: kept until nothing outside this package does."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rocscope.sources import files as files_module
from rocscope.sources import formats
from rocscope.sources.checks import Gaps, missing_values
from rocscope.sources.column_batches import Column
from rocscope.sources.column_batches import joined as chained
from rocscope.sources.csv import BY, FILL, TextColumns, absent_column, is_number, joined, no_row
from rocscope.sources.files import (
    File,
    Files,
    Options,
    Share,
    SmallFile,
    _as_text,
    _check_same_columns,
    _joint_name,
    _source,
    open_one,
)
from rocscope.sources.loaded import Loaded, Texts
from rocscope.sources.source import Source


@dataclass(frozen=True, slots=True, eq=False)
class LargeColumns:
    """Files too large to be read before it is known what is needed of them."""

    source: str
    names: tuple[str, ...]
    files: tuple[File, ...]
    progress: Share | None = None
    flows = False
    blank_lines = 0

    @property
    def rows(self) -> int:
        """About how many rows there are."""
        return sum(file.about for file in self.files)

    @property
    def bytes(self) -> int:
        """How large the files are."""
        return sum(file.bytes for file in self.files)

    def sample(self) -> TextColumns:
        """The first rows, from which columns are guessed."""
        return self.files[0].sample()

    def labels(self, name: str) -> set[str]:
        """The labels of a column among the first rows."""
        return self.sample().labels(name)

    def complete(self, needed: Mapping[str, str], *, missing: str = "error") -> tuple[Loaded, dict[str, int]]:
        """The rows that have all that is needed, and how many were left out for which reason."""
        for name in needed:
            if name not in self.names:
                raise absent_column(self.source, self.names, name)
        numbers = frozenset(name for name, what in needed.items() if is_number(what))
        label = next((name for name, what in needed.items() if what == "label"), None)
        files = Files(self.source, self.files, numbers, label, progress=self.progress)
        held = list(files.batches(list(needed)))
        batch = chained(held, list(needed)) if held else {}
        gaps = Gaps({name: f"no {what}" for name, what in needed.items() if what != BY})
        used = gaps.used(batch)
        gaps.rows = len(batch[next(iter(needed))].values)
        if missing != "drop" and gaps.lacking:
            more = {} if missing == "error" else {"hint": FILL}
            raise missing_values(gaps.lacking, _source(files), gaps.first, **more)
        if gaps.rows == sum(gaps.left_out.values()):
            raise no_row(self.source, needed)
        columns = {name: column if used is None else column.take(used) for name, column in batch.items()}
        made = {name: _made(column, number=name in numbers) for name, column in columns.items()}
        blank = sum(file.blank_lines for file in self.files)
        notes = files.notes[bool(blank) :]
        return Loaded(self.source, self.names, made, blank, notes), gaps.left_out

    def keep(self) -> None:
        """Nothing: what comes through pipes lies in the temporary folder."""

    def exceed(self, most: int, needed: Mapping[str, str]) -> bool:
        """Whether there are more rows than that, about."""
        return self.rows > most

    def whole(self) -> TextColumns:
        """Every cell as text, for words that look at a small table."""
        return joined([file.whole() for file in self.files], self.source)


def _made(column: Column, *, number: bool) -> Any:
    if number:
        return column.values
    text = _as_text(column)
    return Texts(text.values, tuple(text.categories or ()))


Columns = TextColumns | LargeColumns


def open_columns(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    memory: int = 2**31,
    progress: Share | None = None,
) -> Columns:
    """The columns of one or several files; small text is read whole, of anything else the header alone."""
    options = Options.of(delimiter=delimiter, encoding=encoding, sheet=sheet, memory=memory, small=files_module.SMALL)
    files = [open_one(place, options) for place in formats.places(paths)]
    _check_same_columns(files)
    texts = [file.table for file in files if isinstance(file, SmallFile)]
    if len(texts) == len(files) and sum(map(len, texts)) <= 200_000:
        return joined(texts, _joint_name(files))
    return LargeColumns(_joint_name(files), files[0].names, tuple(files), progress)


def source_of(columns: Columns, *, numbers: Sequence[str] | None = None, memory: int = 2**31) -> Source:
    """Opened files as a Source."""
    files = (SmallFile(columns),) if isinstance(columns, TextColumns) else columns.files
    progress = None if isinstance(columns, TextColumns) else columns.progress
    chosen = None if numbers is None else frozenset(numbers)
    return _source(Files(columns.source, files, chosen, memory=memory, progress=progress))


def sample_of(columns: Columns) -> TextColumns:
    """The first rows of opened files, as text."""
    return columns if isinstance(columns, TextColumns) else columns.sample()


def whole(columns: Columns) -> TextColumns:
    """Every cell of opened files as text, for words that look at a small table."""
    return columns if isinstance(columns, TextColumns) else columns.whole()


@contextmanager
def explained(columns: Columns, needed: Mapping[str, str], *, missing: str) -> Iterator[None]:
    """Nothing: a source says what is wrong, and where."""
    yield
