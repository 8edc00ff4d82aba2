"""The question to DuckDB for the needed columns of a plain CSV file: numbers as doubles, labels as codes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rocscope.sources import csv, database
from rocscope.sources.csv import MISSING, is_number
from rocscope.sources.loaded import Texts

if TYPE_CHECKING:
    from rocscope.sources.bulk import CsvFile

Array = NDArray[Any]
Share = Callable[[float], None]
Found = tuple[Array | Texts, Array | None]
"""A column and which of its cells are missing; None when none is."""

MOST_LABELS = 64  # so many are compared one by one inside DuckDB; more come as text
_FINE, _MISSING, _BAD = 0, 1, 2
_QUOTE = "'"
_BLANKS = "".join(letter for letter in map(chr, range(0x3001)) if letter.isspace())  # what str.strip() takes away
_UNKNOWN = 99  # the code of a label that is not among those known


def column_of(index: int) -> str:
    """What a column is called in a query: by its place."""
    return f"c{index}"


def as_number(column: str, source: str, name: str) -> str:
    """A column of text as doubles, null where missing; what is no number is an error of the query."""
    tokens = ", ".join(map(database.quoted, sorted(MISSING)))
    said = database.quoted(f"{source}, column '{name}': a value is not a finite number: ")
    # What Python's reader takes away before it looks - the quote before a sign, blanks of every kind - is taken away
    # here only where the cell as it stands is no number.
    signed = f"starts_with({column}, {database.quoted(_QUOTE)}) AND substr({column}, 2, 1) IN ('+', '-')"
    bare = f"trim(CASE WHEN {signed} THEN substr({column}, 2) ELSE {column} END, {database.quoted(_BLANKS)})"
    return (
        f"CASE WHEN {column} IS NULL OR lower(trim({column})) IN ({tokens}) THEN NULL "
        f"ELSE coalesce({_sure(column)}, {_sure(bare)}, error({said} || {column})) END"
    )


def _sure(text: str) -> str:
    """A number as DuckDB and Python both read it."""
    return f"CASE WHEN contains({text}, '_') OR contains({text}, '+-') THEN NULL ELSE TRY_CAST({text} AS DOUBLE) END"


@dataclass(slots=True)
class Query:
    """One query for the needed columns: numbers as doubles, labels as codes, and which cells are missing."""

    file: CsvFile
    needed: Mapping[str, str]
    careful: bool
    retried: bool = False

    def run(self, connection: Any, progress: Share | None) -> dict[str, Found] | None:
        """The columns, each with its missing cells; None when some cell is not plain."""
        texts = [name for name, what in self.needed.items() if not is_number(what) and what != csv.ID]
        labels = {name: self._first_labels(name) for name in texts}
        for _ in range(2):
            found = database.fetch(connection, self._sql(labels), progress=progress)
            if "beyond" in found and _plain(found["beyond"]).any():
                return None
            columns = {name: self._column(found, name, i, labels) for i, name in enumerate(self.needed)}
            unknown = [name for name in labels if columns[name] is None and labels[name] is not None]
            if not unknown:
                break
            self.retried = True
            for name in unknown:
                labels[name] = self._all_labels(connection, name)
        plain = {name: column for name, column in columns.items() if column is not None}
        return plain if len(plain) == len(columns) else None

    def _first_labels(self, name: str) -> list[str] | None:
        found = sorted(self.file.head.labels_as_written(name))
        return found if len(found) <= MOST_LABELS else None

    def _all_labels(self, connection: Any, name: str) -> list[str] | None:
        column = column_of(self.file.names.index(name))
        sql = f"SELECT DISTINCT {column} FROM {self.file.reader({})} WHERE {column} IS NOT NULL LIMIT {MOST_LABELS + 1}"
        found = sorted(value for (value,) in connection.execute(sql).fetchall())
        return found if len(found) <= MOST_LABELS else None

    def _sql(self, labels: Mapping[str, list[str] | None]) -> str:
        chosen, types = [], {}
        for i, (name, what) in enumerate(self.needed.items()):
            place = self.file.names.index(name)
            if what == csv.ID:
                chosen += hashes(column_of(place), i)
            elif not is_number(what):
                chosen.append(self._label(column_of(place), labels[name], i))
            elif self.careful:
                chosen += self._checked_number(column_of(place), i)
            else:
                types[place] = "DOUBLE"
                chosen.append(f"{column_of(place)} AS v{i}")
        if self.file.ends_with_delimiter:  # lines end with a delimiter, and nothing may stand behind it
            chosen.append(f"coalesce(trim({column_of(len(self.file.names))}) <> '', false) AS beyond")
        return f"SELECT {', '.join(chosen)} FROM {self.file.reader(types)}"

    def _label(self, column: str, values: list[str] | None, i: int) -> str:
        if values is None:
            return f"{column} AS v{i}"
        cases = " ".join(f"WHEN {database.quoted(value)} THEN {code}::TINYINT" for code, value in enumerate(values))
        known = f"CASE {column} {cases} ELSE {_UNKNOWN}::TINYINT END" if values else f"{_UNKNOWN}::TINYINT"
        if not self.retried:  # a missing label is unknown at first: one comparison less for every row
            return f"{known} AS v{i}"
        return f"CASE WHEN {column} IS NULL THEN (-1)::TINYINT ELSE {known} END AS v{i}"

    def _checked_number(self, column: str, i: int) -> list[str]:
        tokens = ", ".join(map(database.quoted, sorted(MISSING)))
        value = f"TRY_CAST({column} AS DOUBLE)"
        state = (
            f"CASE WHEN {value} IS NOT NULL AND isfinite({value}) AND NOT contains({column}, '_') "
            f"AND NOT contains({column}, '+-') THEN {_FINE}::TINYINT "
            f"WHEN {column} IS NULL OR lower(trim({column})) IN ({tokens}) THEN {_MISSING}::TINYINT "
            f"ELSE {_BAD}::TINYINT END"
        )
        return [f"coalesce({value}, 0) AS v{i}", f"{state} AS s{i}"]

    def _column(
        self, found: Mapping[str, Any], name: str, i: int, labels: Mapping[str, list[str] | None]
    ) -> Found | None:
        values = found[f"v{i}"]
        if self.needed[name] == csv.ID:
            return id_column(found, i)
        if name in labels:
            return _texts(values, labels[name])
        if self.careful:
            state = _plain(found[f"s{i}"])
            return None if (state == _BAD).any() else (_plain(values), _any(state == _MISSING))
        if np.ma.isMaskedArray(values) and np.ma.getmaskarray(values).any():
            return None
        numbers = np.asarray(values)
        return (numbers, None) if all_finite(numbers) else None


def hashes(column: str, i: int) -> list[str]:
    """A column of ids as a hash and a length, which take less room than the ids and are quicker to sort."""
    return [f"hash({column}) AS v{i}", f"(strlen({column}) % 256)::UTINYINT AS w{i}"]


def id_column(found: Mapping[str, Any], i: int) -> tuple[Array, Array | None]:
    """A column of ids as hashes with their lengths, and which of them are missing."""
    first, lengths = _plain(found[f"v{i}"]), found[f"w{i}"]
    pairs = np.empty(len(first), dtype=np.dtype([("a", np.uint64), ("b", np.uint8)], align=True))
    pairs["a"], pairs["b"] = first, _plain(lengths)
    return pairs, _any(np.ma.getmaskarray(lengths)) if np.ma.isMaskedArray(lengths) else None


def _any(flags: Array) -> Array | None:
    return flags if flags.any() else None


def _plain(values: Any) -> Array:
    return np.asarray(values.data if np.ma.isMaskedArray(values) else values)


def with_gaps(column: Array | Texts, lost: Array | None) -> Array | Texts:
    """The column with NaN where a number is missing."""
    return column if lost is None or isinstance(column, Texts) else np.where(lost, np.nan, column)


def all_finite(numbers: Array) -> bool:
    """Whether every number is finite: a finite sum says so, and takes one look."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(np.add.reduce(numbers))) or bool(np.isfinite(numbers).all())


def _texts(values: Any, known: list[str] | None) -> tuple[Texts, Array | None] | None:
    if known is not None:
        codes = _plain(values)
        if (codes == _UNKNOWN).any():
            return None
        column = Texts.of(codes, known)
    else:
        column = texts_of(_objects(values))
    return column, column.lost()


def _objects(values: Any) -> list[str]:
    return ["" if value is None else value for value in values.tolist()]


def texts_of(cells: Sequence[str]) -> Texts:
    """A column of text, each different cell kept once."""
    places: dict[str, int] = {}
    codes = np.fromiter((places.setdefault(cell, len(places)) for cell in cells), dtype=np.int32, count=len(cells))
    return Texts.of(codes, list(places))
