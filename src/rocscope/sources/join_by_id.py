"""Several files of the same cases matched by a column of ids: in memory, or beyond it by DuckDB.

In memory the columns of all files come in the order of the first. Files that do not fit together are joined by DuckDB
into one Parquet file of the temporary folder, which goes with the last reference to it; what compares the columns of
one file goes on from there. Both refuse ids that repeat or have no match in the same words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.errors import RocscopeError
from rocscope.sources import database
from rocscope.sources.csv import BY, ID, TextColumns, absent_column, is_number
from rocscope.sources.files import Files, SmallFile, relation_of
from rocscope.sources.formats import PARQUET
from rocscope.sources.legacy import Columns, LargeColumns
from rocscope.sources.loaded import Loaded, Part, Texts
from rocscope.sources.parquet import open_typed

Array = NDArray[Any]


def aligned(
    files: Sequence[Columns],
    needed: Sequence[Mapping[str, str]],
    names: Sequence[Mapping[str, str]],
    *,
    id: str | Sequence[str],
) -> Loaded:
    """The needed columns of all files in the order of the first; ids that repeat or do not match are refused.

    `needed` says what each file's columns are needed as, `names` what they are called afterwards, `id` which column
    names the cases: one in all files, or one for each.
    """
    ids = [id] * len(files) if isinstance(id, str) else list(id)
    parts = [_part(file, {one: ID, **columns}) for file, columns, one in zip(files, needed, ids, strict=True)]
    cells = [_texts(part.columns[one]) for part, one in zip(parts, ids, strict=True)]
    orders = _orders(cells, [file.source for file in files], ids[0])
    found: dict[str, Array | Texts] = {}
    for part, order, called in zip(parts, orders, names, strict=True):
        for column, name in called.items():
            found.setdefault(name, _taken(part.columns[column], order))
    first = files[0]
    return Loaded(first.source, first.names, found)


def _part(file: Columns, needed: Mapping[str, str]) -> Part:
    kept, _ = file.complete(needed, missing="refuse")
    if isinstance(kept, Loaded):
        return Part(kept.columns)
    small = LargeColumns(kept.source, kept.names, (SmallFile(kept),))
    return Part(small.complete(needed, missing="refuse")[0].columns)


def _texts(ids: Array | Texts) -> list[str]:
    found: list[str] = (ids.objects() if isinstance(ids, Texts) else ids.astype(str)).tolist()
    return found


def _taken(column: Array | Texts, order: Array | None) -> Array | Texts:
    if order is None:
        return column
    return column.take(order) if isinstance(column, Texts) else column[order]


def _orders(ids: Sequence[list[str]], sources: Sequence[str], name: str) -> list[Array | None]:
    for cells, source in zip(ids, sources, strict=True):
        _refuse_repeated(cells, source, name)
    first = {cell: row for row, cell in enumerate(ids[0])}
    orders: list[Array | None] = [None]
    for cells, source in zip(ids[1:], sources[1:], strict=True):
        place = {cell: row for row, cell in enumerate(cells)}
        _refuse_unmatched(first, place, sources[0], source, name)
        orders.append(np.fromiter((place[cell] for cell in ids[0]), dtype=np.int64, count=len(ids[0])))
    return orders


def _refuse_repeated(cells: Sequence[str], source: str, name: str) -> None:
    if len(set(cells)) == len(cells):
        return
    from collections import Counter

    twice = [cell for cell, times in Counter(cells).items() if times > 1]
    raise repeated(len(twice), twice[0], source, name)


def repeated(count: int, first: str, source: str, name: str) -> RocscopeError:
    """The refusal of ids that stand in a file more than once."""
    ids = f"1 id ('{first[:40]}') stands" if count == 1 else f"{count:,} ids stand"
    example = "" if count == 1 else f" (first '{first[:40]}')"
    return RocscopeError(
        f"{source}: {ids} more than once in '{name}'{example}", hint="Every case needs an id of its own"
    )


def other_labels(label: str, count: int, source: str, first: str) -> RocscopeError:
    """The refusal of files that do not agree about the truth."""
    cases = "1 case" if count == 1 else f"{count:,} cases"
    return RocscopeError(f"'{label}' of {source} is not that of {first} in {cases}")


def _refuse_unmatched(
    first: Mapping[str, int], other: Mapping[str, int], source: str, other_source: str, name: str
) -> None:
    lacking = [cell for cell in first if cell not in other]
    more = [cell for cell in other if cell not in first]
    sides = [(len(cells), cells[0], where) for cells, where in ((lacking, source), (more, other_source)) if cells]
    if sides:
        raise unmatched(sides, name)


def unmatched(sides: Sequence[tuple[int, str, str]], name: str) -> RocscopeError:
    """The refusal of ids that not every file has: how many, the first, and where they are."""
    parts = [f"{count:,} of {where} (first '{first[:40]}')" for count, first, where in sides]
    return RocscopeError(
        f"ids in '{name}' without a match: {' and '.join(parts)}", hint="Models are compared on the same cases"
    )


# --- beyond memory


def joined_file(
    files: Sequence[Columns],
    needed: Sequence[Mapping[str, str]],
    names: Sequence[Mapping[str, str]],
    *,
    id: str | Sequence[str],
    memory: int = database.MEMORY,
) -> LargeColumns:
    """`aligned` for more rows than fit: the columns of all files in one file, in no order of its own."""
    ids = [id] * len(files) if isinstance(id, str) else list(id)
    workshop = database.Workshop.new()
    connection = database.connect(workshop, memory=memory)
    sides = [
        _Side(connection, place, file, columns, called, one)
        for place, (file, columns, called, one) in enumerate(zip(files, needed, names, ids, strict=True))
    ]
    rows = [side.checked() for side in sides]
    path = workshop.path("joined.parquet")
    matched = " ".join(f"JOIN {side.name} USING (id)" for side in sides[1:])
    chosen = ", ".join(column for side in sides for column in side.chosen())
    connection.execute(
        f"COPY (SELECT {chosen} FROM {sides[0].name} {matched}) TO {database.quoted(path)} (FORMAT parquet)"
    )
    found = open_typed(path, files[0].source, PARQUET, workshop=workshop)
    for side, count in zip(sides[1:], rows[1:], strict=True):
        if found.rows != rows[0] or count != rows[0]:
            sides[0].refuse_unmatched(side)
        sides[0].refuse_other_labels(side)
    connection.close()
    return LargeColumns(files[0].source, found.names, (found,))


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the files, as a view of DuckDB with its ids as text."""

    connection: Any
    place: int
    file: Columns
    needed: Mapping[str, str]
    called: Mapping[str, str]
    id: str

    @property
    def name(self) -> str:
        return f"side_{self.place}"

    def checked(self) -> int:
        """The number of rows, when every one has an id of its own and all that is needed."""
        columns = [self.id, *self.needed]
        self._make_view(columns)
        counted = ", ".join(f"count(*) FILTER (WHERE {self._lacks(column)})" for column in columns)
        import duckdb

        try:
            rows, *lacking = self._one(f"SELECT count(*), {counted} FROM {self.name}")
        except duckdb.Error:
            self._by_lines(columns)  # which says what is wrong, and where; or takes what DuckDB does not
            rows, *lacking = self._one(f"SELECT count(*), {counted} FROM {self.name}")
        if any(lacking):
            self._by_lines(columns)
        twice = f"SELECT id FROM {self.name} GROUP BY id HAVING count(*) > 1"
        count, first = self._one(f"SELECT count(*), min(id) FROM ({twice})")
        if count:
            raise repeated(count, first, self.file.source, self.id)
        return int(rows)

    def _make_view(self, columns: Sequence[str]) -> None:
        for column in columns:
            if column not in self.file.names:
                raise absent_column(self.file.source, self.file.names, column)
        relation = relation_of(self._files, self.connection)
        if relation is None:
            self._by_lines(columns)
        else:
            self._select(relation)

    @property
    def _files(self) -> Files:
        numbers = frozenset(column for column, what in self.needed.items() if is_number(what))
        files = (SmallFile(self.file),) if isinstance(self.file, TextColumns) else self.file.files
        return Files(self.file.source, files, numbers)

    def _by_lines(self, columns: Sequence[str]) -> None:
        """The rows by Python's reader; what is missing is refused."""
        needed = {self.id: "label", **self.needed}
        files = self._files
        held = LargeColumns(files.name, files.names, files.files).complete(needed, missing="refuse")[0].columns
        arrays = {name: column.objects() if isinstance(column, Texts) else column for name, column in held.items()}
        self.connection.register(f"rows_{self.place}", arrays)
        self._select(self.connection.sql(f"SELECT * FROM rows_{self.place}"))

    def _select(self, relation: Any) -> None:
        chosen = [f"CAST({database.name(self.id)} AS VARCHAR) AS id"]
        chosen += [f"{database.name(column)} AS {database.name(f'{self.place} {column}')}" for column in self.needed]
        relation.select(", ".join(chosen)).create_view(self.name, replace=True)

    def _lacks(self, column: str) -> str:
        if column == self.id:
            return "id IS NULL OR trim(id) = ''"
        what, held = self.needed[column], database.name(f"{self.place} {column}")
        if what == BY:
            return "false"
        return f"{held} IS NULL" + (f" OR isnan(CAST({held} AS DOUBLE))" if is_number(what) else "")

    def chosen(self) -> list[str]:
        """The columns under the names they have afterwards."""
        return [f"{database.name(f'{self.place} {one}')} AS {database.name(self.called[one])}" for one in self.needed]

    def refuse_unmatched(self, other: _Side) -> None:
        """Say how many ids of each have none in the other."""
        found = []
        for one, two in ((self, other), (other, self)):
            count, first = self._one(f"SELECT count(*), min(id) FROM {one.name} ANTI JOIN {two.name} USING (id)")
            found.append((count, first, one.file.source))
        lacking = [side for side in found if side[0]]
        if lacking:
            raise unmatched(lacking, self.id)

    def refuse_other_labels(self, other: _Side) -> None:
        """Where both have a column of labels, it says the same of every case."""
        for label in (column for column, what in other.needed.items() if what == "label"):
            mine, theirs = (f"CAST({database.name(f'{side.place} {label}')} AS VARCHAR)" for side in (self, other))
            differ = f"count(*) FILTER (WHERE {mine} IS DISTINCT FROM {theirs})"
            count = self._one(f"SELECT {differ} FROM {self.name} JOIN {other.name} USING (id)")[0]
            if count:
                raise other_labels(label, count, other.file.source, self.file.source)

    def _one(self, sql: str) -> tuple[Any, ...]:
        found: tuple[Any, ...] = self.connection.execute(sql).fetchone()
        return found
