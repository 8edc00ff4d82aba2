"""Files in: one or several, of any kind that is read here, opened by content and checked before use.

`open_columns` gives what the command line works on: small text whole, anything else with its header alone until columns
are asked for. `open_files` gives a `Source` for readings that never hold all rows.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rocscope.errors import RocscopeError
from rocscope.sources import formats
from rocscope.sources.csv import TextColumns, absent_column, joined, label_sets
from rocscope.sources.single import SMALL, Held, Options, Share, delimiter_named, open_one, small_text

if TYPE_CHECKING:
    from rocscope.sources.loaded import Loaded, Part
    from rocscope.sources.pipes import Pipe
    from rocscope.sources.source import Source

__all__ = [
    "SMALL",
    "Columns",
    "Held",
    "LargeColumns",
    "Options",
    "delimiter_named",
    "diagnose",
    "explained",
    "open_columns",
    "open_files",
    "open_one",
    "relation_of",
    "sample_of",
    "small_text",
    "source_of",
    "whole",
]

TYPED = ("parquet", "arrow")  # kinds of files that know the types of their columns, and their rows


# --- the columns of large files


@dataclass(frozen=True, slots=True, eq=False)
class LargeColumns:
    """Files too large to be read before it is known what is needed of them."""

    source: str
    names: tuple[str, ...]
    files: tuple[Held | TextColumns, ...]
    progress: Share | None = None

    @property
    def blank_lines(self) -> int:
        """Not known before the rows are read."""
        return 0

    @property
    def rows(self) -> int:
        """About how many rows there are."""
        return sum(len(file) if isinstance(file, TextColumns) else file.rows for file in self.files)

    @property
    def bytes(self) -> int:
        """How large the files are."""
        return sum(0 if isinstance(file, TextColumns) else file.bytes for file in self.files)

    def sample(self) -> TextColumns:
        """The first rows, from which columns are guessed."""
        first = self.files[0]
        return first if isinstance(first, TextColumns) else first.sample()

    def labels(self, name: str) -> set[str]:
        """The labels of a column among the first rows."""
        return self.sample().labels(name)

    def complete(self, needed: Mapping[str, str], *, missing: str = "error") -> tuple[Loaded, dict[str, int]]:
        """The rows that have all that is needed, and how many were left out for which reason."""
        from rocscope.sources.loaded import Loaded, as_numbers, joined_parts

        for name in needed:
            if name not in self.names:
                raise absent_column(self.source, self.names, name)
        parts = [_part(file, needed, missing, self._told(i)) for i, file in enumerate(self.files)]
        for name in self._numbered(needed):
            parts = [replace(one, columns={**one.columns, name: as_numbers(one.columns[name])}) for one in parts]
        part = joined_parts(parts)
        notes = tuple(note for name, what in needed.items() if what == "label" for note in self._differing(parts, name))
        return Loaded(self.source, self.names, part.columns, part.blank_lines, notes), dict(part.left_out)

    def _numbered(self, needed: Mapping[str, str]) -> list[str]:
        """Labels that are numbers or truth values of another type in each file: 1, 1.0 and True are one label."""
        from rocscope.sources.typed import NUMBERS, TypedFile

        files = [file for file in self.files if isinstance(file, TypedFile)]
        if len(files) < max(2, len(self.files)):
            return []
        kinds = {name: {file.type_of(name) for file in files} for name, what in needed.items() if what == "label"}
        return [name for name, found in kinds.items() if len(found) > 1 and found <= NUMBERS]

    def _differing(self, parts: Sequence[Part], name: str) -> list[str]:
        found: dict[str, set[str]] = {}
        for file, part in zip(self.files, parts, strict=True):
            found[_name(file)] = set(getattr(part.columns[name], "values", ()))
        return label_sets(found)

    @property
    def flows(self) -> bool:
        """Whether the rows come by once, through pipes: nobody knows how many they are before they were read."""
        return bool(self._pipes())

    def keep(self) -> None:
        """Lay what comes through pipes into the temporary folder, for what needs more than one look at it."""
        for pipe in self._pipes():
            pipe.kept()

    def exceed(self, most: int, needed: Mapping[str, str]) -> bool:
        """Whether there are more rows than that, about; of pipes so many are read that it is certain."""
        pipes = self._pipes()
        texts = [file for file in self.files if isinstance(file, TextColumns)]
        if len(pipes) + len(texts) < len(self.files):
            self.keep()  # pipes beside files: DuckDB reads them together
            return self.rows > most
        most -= sum(map(len, texts))
        for pipe in pipes:
            if most < 0 or pipe.exceeds(most, needed, progress=self.progress):
                return True
            most -= pipe.rows
        return most < 0

    def _pipes(self) -> list[Pipe[Any]]:
        from rocscope.sources.pipes import Pipe

        return [file for file in self.files if isinstance(file, Pipe) and file.flows]

    def _told(self, index: int) -> Share | None:
        if self.flows:
            return self.progress
        told, files = self.progress, len(self.files)
        return None if told is None else lambda share: told((index + share) / files)

    def whole(self) -> TextColumns:
        """Every cell as text, for words that look at a small table."""
        return joined([_whole(file) for file in self.files], self.source)


def _part(file: Held | TextColumns, needed: Mapping[str, str], missing: str, progress: Share | None) -> Part:
    if not isinstance(file, TextColumns):
        return file.load(needed, missing=missing, progress=progress)
    from rocscope.sources.pipes import text_part

    return text_part(file, needed, missing=missing)


def _whole(file: Held | TextColumns) -> TextColumns:
    if isinstance(file, TextColumns):
        return file
    whole = getattr(file, "whole", None)
    if whole is None:
        raise RocscopeError(f"{file.name} is too large for this", hint="Name the columns that are meant")
    found: TextColumns = whole()
    return found


Columns = TextColumns | LargeColumns


# --- opening


def open_columns(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    memory: int = 2**31,
    progress: Share | None = None,
) -> Columns:
    """The columns of one or several files; small text is read whole, of anything else the header alone.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "scores.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("y,score\\n1,0.9\\n0,0.4\\n")
    ...     columns = open_columns(path)
    >>> columns.names, len(columns)
    (('y', 'score'), 2)
    """
    options = Options.of(delimiter=delimiter, encoding=encoding, sheet=sheet, memory=memory, small=SMALL)
    files = [open_one(place, options) for place in formats.places(paths)]
    source = _source_name(files)
    _check_same_columns(files)
    texts = [file for file in files if isinstance(file, TextColumns)]
    if len(texts) == len(files) and sum(map(len, texts)) <= 200_000:
        return joined(texts, source)
    return LargeColumns(source, files[0].names, tuple(files), progress)


def open_files(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    numbers: Sequence[str] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    memory: int = 2**31,
) -> Source:
    """The rows of one or several files as a Source: a DuckDB relation, read when it is asked.

    `numbers` names the columns of text files that are numbers; without it those are whose first rows are.
    """
    columns = open_columns(paths, delimiter=delimiter, encoding=encoding, sheet=sheet, memory=memory)
    return source_of(columns, numbers=numbers, memory=memory)


def source_of(columns: Columns, *, numbers: Sequence[str] | None = None, memory: int = 2**31) -> Source:
    """Opened files as a Source: a DuckDB relation over all of them, or the arrays of small ones."""
    from rocscope.sources.source import Source

    chosen = list(numbers) if numbers is not None else _numeric_in(columns)
    if isinstance(columns, TextColumns):
        return Source(columns.source, _arrays(columns, chosen), "csv", columns.names, len(columns))
    if columns.flows:
        return _flowing(columns, chosen, memory)
    from rocscope.sources.outright import text_source

    def related() -> Source:
        return _related(columns, chosen, memory)

    return _parquet(columns, related) or text_source(columns, chosen, related) or related()


def _parquet(columns: LargeColumns, related: Callable[[], Source]) -> Source | None:
    """Parquet files alone, whose relation is not needed where pyarrow reads them."""
    from rocscope.sources.source import Unread
    from rocscope.sources.typed import TypedFile

    files = [file for file in columns.files if isinstance(file, TypedFile) and file.kind == "parquet"]
    if len(files) < len(columns.files):
        return None
    return Unread.until(
        related, name=columns.source, kind="parquet", columns=columns.names, rows=columns.rows, bytes=columns.bytes,
        held=columns, paths=tuple(file.path for file in files),
    )  # fmt: skip


def _numeric_in(columns: Columns) -> list[str]:
    """The columns whose first rows are numbers; files that know their types need no such guess."""
    files = () if isinstance(columns, TextColumns) else columns.files
    if files and all(not isinstance(file, TextColumns) and file.kind in TYPED for file in files):
        return []
    return _numeric(sample_of(columns))


def _related(columns: LargeColumns, chosen: Sequence[str], memory: int) -> Source:
    """The files as a DuckDB relation."""
    from rocscope.sources import database
    from rocscope.sources.source import Source

    workshop = database.Workshop.new()
    connection = database.connect(workshop, memory=memory)
    relation = relation_of(columns, connection, chosen)
    exact = all(file.kind in TYPED for file in columns.files if not isinstance(file, TextColumns))
    first = columns.files[0]
    kind = "csv" if isinstance(first, TextColumns) else first.kind
    source = Source(columns.source, relation, kind, columns.names, columns.rows if exact else None, columns.bytes)
    # The folders with links and unpacked files must last as long as the relation that reads them.
    object.__setattr__(source, "held", (workshop, columns))
    return source


def relation_of(columns: Columns, connection: Any, numbers: Sequence[str], prefix: str = "") -> Any:
    """Opened files as a relation of a connection, one below the other; what it registers there has the prefix."""
    relation = None
    for index, file in enumerate((columns,) if isinstance(columns, TextColumns) else columns.files):
        one = _relation(file, connection, numbers, f"{prefix}text_{index}")
        relation = one if relation is None else relation.union(one.select(*map(_expression, columns.names)))
    return relation


def _flowing(columns: LargeColumns, numbers: Sequence[str], memory: int) -> Source:
    """Pipes as a Source that can be read once; kept in the temporary folder where it must be read again."""
    from rocscope.sources.pipes import Pipe, PipeRows
    from rocscope.sources.source import Source

    def again() -> Source:
        columns.keep()
        return source_of(columns, numbers=numbers, memory=memory)

    files = [file for file in columns.files if isinstance(file, TextColumns | Pipe)]
    if len(files) < len(columns.files):
        return again()
    rows = PipeRows(files, numbers, again=again, progress=columns.progress)
    kind = next(file.kind for file in files if isinstance(file, Pipe))
    return Source(columns.source, rows, kind, columns.names, once=True)


def sample_of(columns: Columns) -> TextColumns:
    """The first rows of opened files, as text."""
    return columns if isinstance(columns, TextColumns) else columns.sample()


def whole(columns: Columns) -> TextColumns:
    """Every cell of opened files as text, for words that look at a small table."""
    return columns if isinstance(columns, TextColumns) else columns.whole()


def _expression(name: str) -> Any:
    import duckdb

    return duckdb.ColumnExpression(name)


def _relation(file: Held | TextColumns, connection: Any, numbers: Sequence[str], called: str) -> Any:
    from rocscope.sources.bulk import MOST_TEXT, CsvFile

    if isinstance(file, CsvFile) and file.bytes <= MOST_TEXT and not file.is_plain():
        file = file.whole()  # DuckDB would not see the same rows
    if not isinstance(file, TextColumns):
        return file.relation(connection, [name for name in numbers if name in file.names])
    connection.register(called, _arrays(file, numbers))
    return connection.sql(f"SELECT * FROM {called}")


def _arrays(columns: TextColumns, numbers: Sequence[str]) -> dict[str, Any]:
    import numpy as np

    found: dict[str, Any] = {}
    for name in columns.names:
        cells = columns.cells(name)
        if name in numbers:
            kept, _ = columns.complete({name: "score"}, missing="drop")
            kept.numbers(name)  # refused with its line where one is no number
            found[name] = np.array([float(c) if _is_number(c) else np.nan for c in cells])
        else:
            found[name] = np.array([cell if cell.strip() else None for cell in cells], dtype=object)
    return found


def _is_number(cell: str) -> bool:
    from rocscope.sources.csv import NUMBER

    return NUMBER.fullmatch(cell.strip()) is not None


def _numeric(sample: TextColumns) -> list[str]:
    from rocscope.sources.csv import MISSING, number

    found = []
    for name in sample.names:
        cells = [cell.strip() for cell in sample.cells(name)]
        filled = [cell for cell in cells if cell.lower() not in MISSING]
        if filled and all(number(cell) is not None for cell in filled):
            found.append(name)
    return found


def _source_name(files: Sequence[Held | TextColumns]) -> str:
    names = [_name(file) for file in files]
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def _name(file: Held | TextColumns) -> str:
    return file.source if isinstance(file, TextColumns) else file.name


def _check_same_columns(files: Sequence[Held | TextColumns]) -> None:
    first = files[0]
    for other in files[1:]:
        lacking = [name for name in first.names if name not in other.names]
        more = [name for name in other.names if name not in first.names]
        if lacking or more:
            said = f"has no column '{lacking[0]}'" if lacking else f"has a column '{more[0]}'"
            verb = "has" if lacking else "has not"
            raise RocscopeError(
                f"{_name(other)} {said}, which {_name(first)} {verb}", hint="Files of one run have the same columns"
            )


def diagnose(columns: Columns, needed: Mapping[str, str], *, missing: str) -> None:
    """Read text files line by line until something is wrong, which is refused with its line."""
    for file in () if isinstance(columns, TextColumns) else columns.files:
        if hasattr(file, "diagnose"):
            file.diagnose(needed, missing)


@contextmanager
def explained(columns: Columns, needed: Mapping[str, str], *, missing: str) -> Iterator[None]:
    """What DuckDB refuses on the way, said with the line that is wrong: the file is read again for that."""
    try:
        yield
    except Exception as error:
        duckdb = sys.modules.get("duckdb")
        refused = duckdb is not None and isinstance(error, duckdb.Error)
        # what DuckDB refuses comes through pyarrow as a fault of the system, but without its number
        if not refused and not (isinstance(error, OSError) and error.errno is None):
            raise
        from rocscope.sources.database import refusal

        diagnose(columns, needed, missing=missing)
        raise refusal(error, columns.source, "file") from None
