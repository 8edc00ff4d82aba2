"""Opened files: what the user called them, their columns, and rows read with every refusal naming its line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rocscope.errors import RocscopeError
from rocscope.sources.csv import BY, TextColumns, absent_column, is_number
from rocscope.sources.legacy import Columns, LargeColumns, explained, open_columns, sample_of, source_of, whole
from rocscope.sources.source import BUDGET, ROW, Source

if TYPE_CHECKING:
    from rocscope.sources.loaded import Loaded

Path = str | os.PathLike[str]


@dataclass(frozen=True, slots=True, eq=False)
class CompleteRows:
    """The needed columns of files, every row complete, and how many rows were left out for which reason.

    `columns` maps a name to labels as `tally` takes them, to numbers, or (slices, clusters, ids) to one value per row;
    `lines` are the lines the rows begin on, where the file was small text.
    """

    columns: Mapping[str, Any]
    left_out: Mapping[str, int]
    lines: Sequence[int] | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))


@dataclass(frozen=True, slots=True, eq=False)
class OpenedFiles:
    """One or several files of which at least the header has been read.

    `given` are their names as the user wrote them; `remark` is called with what is to be said about the files, such as
    blank lines that were left out.
    """

    given: tuple[str, ...]
    columns: Columns
    remark: Callable[[str], None] | None = None

    @classmethod
    def open(
        cls, paths: Path | Iterable[Path], *, remark: Callable[[str], None] | None = None, **options: Any
    ) -> OpenedFiles:
        """Files opened by their content; `options` are delimiter, encoding, sheet and memory.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "scores.csv")
        ...     with open(path, "w") as file:
        ...         _ = file.write("y,score\\n1,0.9\\n0,0.4\\n")
        ...     files = OpenedFiles.open(path)
        >>> files.names, files.rows({"y": "label", "score": "score"}).columns["score"]
        (('y', 'score'), [0.9, 0.4])
        """
        several = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        return cls(tuple(map(str, several)), open_columns(several, **options), remark)

    @property
    def name(self) -> str:
        """What messages call the files."""
        return self.columns.source

    @property
    def shown(self) -> str:
        """The files in one text: their names as given, and how many more."""
        return ", ".join(self.given[:3]) + (f" and {len(self.given) - 3} more" if len(self.given) > 3 else "")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.columns.names

    @property
    def bytes(self) -> int:
        """How large the files are that are still to be read."""
        return self.columns.bytes if isinstance(self.columns, LargeColumns) else 0

    @property
    def about_rows(self) -> int:
        """How many rows there are, or about how many where the files must be read to know."""
        return self.columns.rows if isinstance(self.columns, LargeColumns) else len(self.columns)

    @property
    def flows(self) -> bool:
        """Whether rows come through a pipe."""
        return isinstance(self.columns, LargeColumns) and self.columns.flows

    @property
    def large(self) -> bool:
        """Whether the rows are still to be read."""
        return isinstance(self.columns, LargeColumns)

    def called(self, name: str) -> OpenedFiles:
        """The same files under another name: that of an upload, not where it lies."""
        return replace(self, given=(name,), columns=replace(self.columns, source=name))

    def reporting(self, progress: Callable[[float], None] | None) -> OpenedFiles:
        """The same files, telling how far reading is, as a share of 1."""
        if not isinstance(self.columns, LargeColumns):
            return self
        return replace(self, columns=replace(self.columns, progress=progress))

    def having(self, *names: str) -> None:
        """Refuse column names that the files have not."""
        for name in names:
            if name not in self.names:
                raise absent_column(self.name, self.names, name)

    def sample(self) -> TextColumns:
        """The first rows as text, from which columns are guessed."""
        return sample_of(self.columns)

    def whole(self) -> TextColumns:
        """Every cell as text, of a small table."""
        return whole(self.columns)

    def labels(self, name: str) -> set[str]:
        """The different labels of a column; of large files among the first rows."""
        return self.columns.labels(name)

    def rows(self, needed: Mapping[str, str], *, missing: str = "error") -> CompleteRows:
        """The rows that have all that is needed.

        `needed` maps a column to what it is for: "label", "score", "weight", "cluster"; a blank cell of one needed as
        "by" is a value like any other. Without missing="drop" a row that lacks something is refused with its line.
        """
        kept, left_out = self.columns.complete(needed, missing=missing)
        blank = 0 if self.columns.blank_lines else kept.blank_lines  # those of small text were told when it was opened
        self._tell((*blank_lines(blank), *kept.notes))
        found = {name: column_values(kept, name, what) for name, what in needed.items()}
        return CompleteRows(found, left_out, kept.lines if isinstance(kept, TextColumns) else None)

    def told(self) -> OpenedFiles:
        """The same files, after saying what is to be said about them as soon as they are open."""
        self._tell(blank_lines(self.columns.blank_lines))
        return self

    def _tell(self, remarks: Iterable[str]) -> None:
        for remark in remarks if self.remark is not None else ():
            self.remark(f"{self.name}: {remark}")  # type: ignore[misc]

    def exceed(self, budget: int | None, needed: Mapping[str, str], *, twice: bool = False) -> bool:
        """Whether the rows do not fit into so many bytes; what looks at a pipe `twice` has it kept first.

        Each of several scores takes as much as one alone, and their comparison as much again (measured: 195 bytes for
        two).
        """
        scores = sum(what.startswith("score") for what in needed.values())
        row = ROW * (scores + 1 if scores > 1 else 1)
        if budget is not None and budget < 0:
            return False
        if not isinstance(self.columns, LargeColumns):  # in memory already, as text
            return budget is not None and len(self.columns) * row > budget
        if twice:
            self.columns.keep()
        return self.columns.exceed((BUDGET if budget is None else budget) // row, needed)

    def source(self, numbers: Sequence[str], *, budget: int | None = None) -> Source:
        """The rows as a source that is read in batches; `numbers` names the columns of numbers."""
        memory = 2 * (BUDGET if budget is None or budget < 0 else budget)
        return source_of(self.columns, numbers=numbers, memory=memory)

    @contextmanager
    def explained(self, needed: Mapping[str, str], *, missing: str) -> Iterator[None]:
        """Let what DuckDB refuses be said with the line that is wrong."""
        with explained(self.columns, needed, missing=missing):
            yield


def blank_lines(count: int) -> tuple[str, ...]:
    """The remark about blank lines that were left out; none where there were none."""
    return (f"{count} blank line{'' if count == 1 else 's'} left out.",) if count else ()


@contextmanager
def naming(source: str) -> Iterator[None]:
    """Let whatever is refused begin with the name of the file."""
    try:
        yield
    except RocscopeError as error:
        if error.message.startswith(source):
            raise
        raise RocscopeError(f"{source}: {error.message}", hint=error.hint) from None


def column_values(kept: TextColumns | Loaded, name: str, what: str) -> Any:
    """A column in the form that its use needs."""
    if what == "weight":
        return _weights(kept, name)
    if is_number(what):
        return kept.numbers(name)
    if what == BY:
        return _cells(kept, name)
    return kept.text(name) if what in ("cluster", "id") else kept.classes(name)


def _cells(kept: TextColumns | Loaded, name: str) -> Any:
    """The values of a column, None where a cell is blank."""
    if isinstance(kept, TextColumns):
        return [cell if cell.strip() else None for cell in kept.cells(name)]
    column = kept.columns[name]
    return column.objects() if hasattr(column, "objects") else column


def _weights(kept: TextColumns | Loaded, name: str) -> Any:
    """A column of weights: whole numbers stay whole, so that sums of them stay exact."""
    numbers = kept.numbers(name)
    if isinstance(kept, TextColumns):
        return kept.counts(name) if all(one >= 0 and one.is_integer() for one in numbers) else numbers
    return kept.counts(name) if kept.is_whole(name) else numbers
