"""Several files of the same cases that do not fit memory together: DuckDB matches them by id, into one Parquet file.

What compares the columns of one file goes on from there. The file lies in the temporary folder, and goes with the last
reference to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from rocscope.sources import database
from rocscope.sources.aligning import other_labels, repeated, unmatched
from rocscope.sources.csv import BY, TextColumns, absent_column, is_number
from rocscope.sources.files import Files, SmallFile, relation_of
from rocscope.sources.formats import PARQUET
from rocscope.sources.legacy import Columns, LargeColumns
from rocscope.sources.loaded import Texts
from rocscope.sources.parquet import open_typed


def joined_file(
    files: Sequence[Columns],
    needed: Sequence[Mapping[str, str]],
    names: Sequence[Mapping[str, str]],
    *,
    id: str | Sequence[str],
    memory: int = database.MEMORY,
) -> LargeColumns:
    """`aligning.aligned` for more rows than fit: the columns of all files in one file, in no order of its own."""
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
