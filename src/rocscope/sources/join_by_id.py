"""Several files of the same cases, matched by an id column: in memory, or with DuckDB if they do not fit.

In memory, the columns of all files are in the order of the first file. Files that do not fit in memory are joined by
DuckDB into one Parquet file in the temporary folder, which is deleted with the last reference to it and is then read
like any other file. In both cases, repeated ids, ids without a match and differing labels are errors with the same
messages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.record import record
from rocscope.sources import column_batches, database
from rocscope.sources.files import source_of
from rocscope.sources.formats import PARQUET
from rocscope.sources.parquet import open_typed
from rocscope.sources.rows import BY, CompleteRows, complete, is_number
from rocscope.sources.source import Source

ID = "id"


@record(slots=True)
class ModelColumns:
    """The columns used from one of several files: its ids, and the purpose and new name of each other column."""

    source: Source
    id: str
    needed: Mapping[str, str]
    called: Mapping[str, str]

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is read."""
        return (self.id, *self.needed)

    @property
    def label(self) -> str | None:
        """The column of labels, if it has one."""
        return next((column for column, what in self.needed.items() if what == "label"), None)

    @property
    def indicators(self) -> tuple[str, ...]:
        """The columns that say whether a case has each of several labels."""
        return tuple(column for column, what in self.needed.items() if what.startswith("label "))


def aligned(files: Sequence[ModelColumns], *, missing: str = "refuse") -> CompleteRows:
    """The needed columns of all files in memory, in the order of the first file.

    With missing="drop", a case that lacks a value in one file is left out of all; its id must be in every file.
    """
    read = [complete(file.source, {file.id: ID, **file.needed}, missing=missing) for file in files]
    ids = [_every_id(file, rows) for file, rows in zip(files, read, strict=True)]
    for file, cells in zip(files, ids, strict=True):
        _refuse_repeated(cells, file.source.name, files[0].id)
        _refuse_unmatched(ids[0], cells, files[0].source.name, file.source.name, files[0].id)
    rows_of_ids = [_row_of(rows, cells) for rows, cells in zip(read, ids, strict=True)]
    cases = [cell for cell in ids[0] if all(cell in row_of for row_of in rows_of_ids)]
    columns, needed = dict[str, Any](), dict[str, str]()
    for file, rows, row_of in zip(files, read, rows_of_ids, strict=True):
        order = np.fromiter((row_of[cell] for cell in cases), dtype=np.int64, count=len(cases))
        for column, name in file.called.items():
            if name not in columns:
                columns[name], needed[name] = rows.columns[column].take(order), file.needed[column]
    for file in files[1:]:
        if file.label is not None and files[0].label is not None:
            both = [columns[model.called[str(model.label)]] for model in (files[0], file)]
            codes = column_batches.joined([{"": labels} for labels in both], [""])[""].values
            refuse_other_labels(file, files[0], int(np.count_nonzero(np.not_equal(*np.split(codes, 2)))))
    return CompleteRows(needed, columns, left_out_by_file([file.source for file in files], read))


def left_out_by_file(files: Sequence[Source], read: Sequence[CompleteRows]) -> dict[str, int]:
    """How many rows of each file were left out for which reason."""
    pairs = zip(files, read, strict=True)
    return {f"{why} in {file.name}": count for file, rows in pairs for why, count in rows.left_out.items()}


def refuse_other_labels(file: ModelColumns, first: ModelColumns, count: int, column: str | None = None) -> None:
    """Raise an error if files contain different labels for the same case."""
    if count:
        cases, label = "1 case" if count == 1 else f"{count:,} cases", column or file.label
        raise RocscopeError(f"'{label}' differs between {file.source.name} and {first.source.name} in {cases}")


def _every_id(file: ModelColumns, rows: CompleteRows) -> list[str]:
    """The ids of a file, including those of the rows that were left out."""
    whole = rows if rows.kept is None else complete(file.source, {file.id: ID}, missing="refuse")
    return whole.columns[file.id].objects().tolist()  # type: ignore[no-any-return]


def _row_of(rows: CompleteRows, ids: Sequence[str]) -> dict[str, int]:
    """The position of each id among the complete rows."""
    kept = ids if rows.kept is None else [ids[row] for row in rows.kept.tolist()]
    return {cell: row for row, cell in enumerate(kept)}


def _refuse_repeated(cells: Sequence[str], source: str, name: str) -> None:
    if len(set(cells)) == len(cells):
        return
    twice = [cell for cell, times in Counter(cells).items() if times > 1]
    raise repeated(len(twice), twice[0], source, name)


def repeated(count: int, first: str, source: str, name: str) -> RocscopeError:
    """Create the error for ids that occur more than once in a file."""
    ids = f"1 id ('{first[:40]}') appears" if count == 1 else f"{count:,} ids appear"
    example = "" if count == 1 else f" (first '{first[:40]}')"
    return RocscopeError(f"{source}: {ids} more than once in '{name}'{example}", hint="Every case needs a unique id")


def _refuse_unmatched(
    first: Sequence[str], other: Sequence[str], source: str, other_source: str, name: str
) -> None:
    known, known_there = set(first), set(other)
    lacking = [cell for cell in first if cell not in known_there]
    more = [cell for cell in other if cell not in known]
    sides = [(len(cells), cells[0], where) for cells, where in ((lacking, source), (more, other_source)) if cells]
    if sides:
        raise unmatched(sides, name)


def unmatched(sides: Sequence[tuple[int, str, str]], name: str) -> RocscopeError:
    """Create the error for ids that are missing from a file: how many, the first one, and where they are."""
    parts = [f"{count:,} of {where} (first '{first[:40]}')" for count, first, where in sides]
    return RocscopeError(
        f"some ids in '{name}' have no match: {' and '.join(parts)}", hint="Models must be compared on the same cases"
    )


# --- data larger than memory


def joined_source(files: Sequence[ModelColumns], *, memory: int = database.MEMORY) -> Source:
    """Join more rows than fit in memory: the columns of all files in one file, with rows in no particular order."""
    folder = database.TemporaryFolder()
    connection = database.connect(folder, memory=memory)
    sides = [_Side(connection, index, file) for index, file in enumerate(files)]
    rows = [side.checked() for side in sides]
    path = folder.path("joined.parquet")
    matched = " ".join(f"JOIN {side.name} USING (id)" for side in sides[1:])
    chosen = ", ".join(column for side in sides for column in side.chosen())
    connection.execute(
        f"COPY (SELECT {chosen} FROM {sides[0].name} {matched}) TO {database.quoted(path)} (FORMAT parquet)"
    )
    first = files[0].source
    joined = open_typed(path, first.name, PARQUET, folder=folder)
    for side, count in zip(sides[1:], rows[1:], strict=True):
        if joined.rows != rows[0] or count != rows[0]:
            sides[0].refuse_unmatched(side)
        sides[0].refuse_other_labels(side)
    connection.close()
    return source_of([joined], given=() if first.files is None else first.files.given)


@record(slots=True)
class _Side:
    """One of the files, as a DuckDB view with ids as text."""

    connection: Any
    place: int
    file: ModelColumns

    @property
    def name(self) -> str:
        return f"side_{self.place}"

    def checked(self) -> int:
        """The number of rows after checking that ids are unique and no required value is missing."""
        self._make_view()
        counted = ", ".join(f"count(*) FILTER (WHERE {self._lacks(column)})" for column in self.file.columns)
        import duckdb

        try:
            rows, *lacking = self._one(f"SELECT count(*), {counted} FROM {self.name}")
        except duckdb.Error:
            self._by_lines()  # reports what is wrong and where, or reads what DuckDB cannot
            rows, *lacking = self._one(f"SELECT count(*), {counted} FROM {self.name}")
        if any(lacking):
            self._by_lines()
        twice = f"SELECT id FROM {self.name} GROUP BY id HAVING count(*) > 1"
        count, first = self._one(f"SELECT count(*), min(id) FROM ({twice})")
        if count:
            raise repeated(count, first, self.file.source.name, self.file.id)
        return int(rows)

    def _make_view(self) -> None:
        self.file.source.having(*self.file.columns)
        files = self.file.source.files
        numbers = frozenset(column for column, what in self.file.needed.items() if is_number(what))
        relation = None if files is None else replace(files, numbers=numbers).relation(self.connection)
        if relation is None:
            self._by_lines()
        else:
            self._select(relation)

    def _by_lines(self) -> None:
        """Read the rows with Python's reader; missing values are an error."""
        source = self.file.source
        if source.files is not None:
            source = replace(source, native=replace(source.files, by_lines=True))
        columns = complete(source, {self.file.id: ID, **self.file.needed}, missing="refuse").columns
        self.connection.register(f"rows_{self.place}", {name: column.objects() for name, column in columns.items()})
        self._select(self.connection.sql(f"SELECT * FROM rows_{self.place}"))

    def _select(self, relation: Any) -> None:
        chosen = [f"CAST({database.name(self.file.id)} AS VARCHAR) AS id"]
        chosen += [f"{database.name(column)} AS {self._held(column)}" for column in self.file.needed]
        relation.select(", ".join(chosen)).create_view(self.name, replace=True)

    def _held(self, column: str) -> str:
        return database.name(f"{self.place} {column}")

    def _lacks(self, column: str) -> str:
        if column == self.file.id:
            return "id IS NULL OR trim(id) = ''"
        what, expression = self.file.needed[column], self._held(column)
        if what == BY:
            return "false"
        return f"{expression} IS NULL" + (f" OR isnan(CAST({expression} AS DOUBLE))" if is_number(what) else "")

    def chosen(self) -> list[str]:
        """The columns with their new names."""
        return [f"{self._held(column)} AS {database.name(self.file.called[column])}" for column in self.file.needed]

    def refuse_unmatched(self, other: _Side) -> None:
        """Raise an error with the number of ids in each file that the other lacks."""
        unmatched_ids = []
        for first_side, two in ((self, other), (other, self)):
            count, first = self._one(f"SELECT count(*), min(id) FROM {first_side.name} ANTI JOIN {two.name} USING (id)")
            unmatched_ids.append((count, first, first_side.file.source.name))
        lacking = [side for side in unmatched_ids if side[0]]
        if lacking:
            raise unmatched(lacking, self.file.id)

    def refuse_other_labels(self, other: _Side) -> None:
        """Raise an error if both files have label columns and the labels differ."""
        pairs = list(zip(self.file.indicators, other.file.indicators, strict=True))
        if self.file.label is not None and other.file.label is not None:
            pairs.append((self.file.label, other.file.label))
        for own, column in pairs:
            mine, theirs = self._as_text(own), other._as_text(column)
            differ = f"count(*) FILTER (WHERE {mine} IS DISTINCT FROM {theirs})"
            count = self._one(f"SELECT {differ} FROM {self.name} JOIN {other.name} USING (id)")[0]
            refuse_other_labels(other.file, self.file, count, column)

    def _as_text(self, column: str) -> str:
        """A label as text; 1, 1.0 and true are the same answer to whether a case has a label."""
        text = f"CAST({self._held(column)} AS VARCHAR)"
        if column not in self.file.indicators:
            return text
        return f"coalesce(CAST(TRY_CAST(TRY_CAST({text} AS DOUBLE) AS BOOLEAN) AS VARCHAR), lower({text}))"

    def _one(self, sql: str) -> tuple[Any, ...]:
        row: tuple[Any, ...] = self.connection.execute(sql).fetchone()
        return row
