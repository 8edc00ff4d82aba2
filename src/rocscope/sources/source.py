"""Source: predictions that are opened but not yet read; and the results of reading them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Protocol, cast

from numpy.typing import NDArray

from rocscope.errors import RocscopeError
from rocscope.record import record
from rocscope.table import ScoreTable

if TYPE_CHECKING:
    from rocscope.sources.files import Files
    from rocscope.sources.text_table import TextTable

Array = NDArray[Any]
Key = tuple[Any, ...]
"""The values of the `by` columns, then the name of the score column: ("north", "2024", "p"); ("p",) without slices."""

BUDGET = 2**30
"""The memory, in bytes, for reading rows exactly; beyond it, certified tables on cells are used instead."""

ROW = 64
"""Bytes that one row takes at most until the last line is written: 24 while it is sorted, the rest while the report is
made (measured: 68 with costs and a page, less what every command needs)."""

ENGINE_BUDGET = 2**26
"""The same for engines that hold their rows elsewhere (Spark, dask, ibis, sqlframe): what they send back must be small.

They group by the score itself up to this many rows, and by cells beyond."""

TOLERANCE = 1e-6
"""The default tolerance for the AUC of a certified table."""


class Progress(Protocol):
    """Called after every batch: rows seen in this pass and all rows (None if unknown), and the number of the pass."""

    def __call__(self, done: int | None, of: int | None, *, step: str) -> None: ...


class Located(Protocol):
    """An object with a name that knows the locations of its rows: a source, a table of text."""

    @property
    def name(self) -> str: ...
    def first(self, row: int) -> str: ...


class Reader(ABC):
    """Rows that this process reads itself: batches of columns, and the location of each row."""

    @abstractmethod
    def batches(self, names: Sequence[str]) -> Iterator[Mapping[str, Any]]:
        """Yield the named columns in batches of rows."""

    @abstractmethod
    def location(self, row: int) -> str:
        """The location of a row for messages: scores.csv, line 7."""


@record(eq=False)
class Source:
    """Predictions that can be read, wherever they are.

    `native` is what narwhals or DuckDB understands: a frame, a DuckDB relation, a pyarrow dataset, or a pyarrow
    RecordBatchReader (then `once` is True); for files it is a `Reader`. `kind` names where it came from: "csv",
    "parquet", "arrow", "jsonl", "excel" for files; "pandas", "polars", "pyarrow", "duckdb", "dask", "pyspark", "ibis",
    "sqlframe" or "arrays" otherwise. `rows` and `bytes` are None if they are not known without reading. `once` is True
    if a second pass is not possible (an Arrow stream).

    >>> from rocscope import sources
    >>> source = sources.open({"y": [0, 1], "p": [0.2, 0.9]})
    >>> source.kind, source.columns, source.rows
    ('arrays', ('y', 'p'), 2)
    """

    name: str
    native: Any
    kind: str
    columns: tuple[str, ...]
    rows: int | None = None
    bytes: int | None = None
    once: bool = False
    held: Any = None
    """What must live as long as the source does: the reader of the files behind a relation."""

    @property
    def files(self) -> Files | None:
        """The files it consists of; None if it does not consist of files."""
        return cast(
            "Files | None", next((reader for reader in (self.native, self.held) if isinstance(reader, Reader)), None)
        )

    def batches(self, names: Sequence[str]) -> Iterator[Mapping[str, Any]]:
        """The named columns, some rows at a time: each a `Column` of values or codes."""
        from rocscope.sources.column_batches import batches

        return batches(self, names)

    def location(self, row: int) -> str:
        """The location of a row (counted from 0): scores.csv, line 7; rows of arrays are numbered as in NumPy.

        >>> from rocscope import sources
        >>> sources.open({"y": [0, 1], "p": [0.2, 0.9]}).location(1)
        'columns, row 1'
        """
        return f"{self.name}, row {row}" if self.files is None else self.files.location(row)

    def first(self, row: int) -> str:
        """The location of the first row with a fault, inside a sentence about the source.

        >>> from rocscope import sources
        >>> sources.open({"y": [0, 1], "p": [0.2, 0.9]}).first(1)
        'first at row 1'
        """
        return first_place(self.name, self.location(row))

    def having(self, *names: str) -> None:
        """Refuse column names that the source does not have, suggesting the nearest."""
        for name in names:
            if name not in self.columns:
                from rocscope.sources.text_table import absent_column

                raise absent_column(self.name, self.columns, name)

    def sample(self) -> TextTable:
        """The first rows of files as text, used to guess the roles of columns."""
        return self._files().sample()

    def whole(self) -> TextTable:
        """Every cell of the files as text, for small tables."""
        return self._files().whole()

    def _files(self) -> Files:
        if self.files is None:
            raise RocscopeError(f"{self.name} is not a file", hint="Save it first")
        return self.files

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks about files: blank lines and, once the files have been read, labels that differ."""
        return () if self.files is None else self.files.notes

    def reporting(self, progress: Callable[[float], None] | None) -> Source:
        """The same source; for files, `progress` is called with the share that has been read."""
        return self if self.files is None else replace(self, native=replace(self.files, progress=progress))


def first_place(name: str, location: str) -> str:
    """The location of the first error, for a sentence that already names the source."""
    where = location.removeprefix(f"{name}, ")
    return f"first {'on' if where.startswith('line ') else 'at' if where.startswith('row ') else 'in'} {where}"


@record(eq=False)
class Rows:
    """Columns in memory, one NumPy array each, with the rows that could not be used left out and counted by reason.

    `kept` are the positions of the rows that were kept, counted from 0, or None if all were.
    """

    arrays: Mapping[str, Array]
    left_out: Mapping[str, int] = field(default_factory=dict)
    kept: Array | None = None

    def __len__(self) -> int:
        return len(next(iter(self.arrays.values()))) if self.arrays else 0


@record(eq=False)
class Reduced:
    """A source reduced to score tables.

    `tables` maps (*by values, score name) to a ScoreTable, slices in sorted order, scores in the requested order.
    `left_out` counts rows by reason, `rows` is the number of rows seen, `passes` is how often the source was read, and
    `bound` is the largest bound of an AUC (0 when every table is exact). `exact` is True if no entry represents several
    scores, or if their order inside the cells was counted as well. `whole` holds the tables of all cases by score if
    they were made together with those of slices, on finer cells.
    """

    tables: Mapping[Key, ScoreTable]
    left_out: Mapping[str, int]
    rows: int
    passes: int
    bound: float
    exact: bool
    notes: tuple[str, ...] = ()
    whole: Mapping[str, ScoreTable] = field(default_factory=dict)


@record(eq=False)
class PairedAreas:
    """The areas of several scores on the same cases with DeLong's covariance: what a paired test needs.

    `covariance` is k x k in the order of `names`; `tables` are the marginal tables. `bound` is the largest bound of an
    AUC; `spread` is half the largest share of a class in one cell, the largest error of a placement.
    """

    names: tuple[str, ...]
    tables: tuple[ScoreTable, ...]
    covariance: Array
    left_out: Mapping[str, int]
    bound: float = 0.0
    spread: float = 0.0
