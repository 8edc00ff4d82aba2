"""What a word shows: paragraphs and grids, written once; `views` turns them into text, Markdown or CSV.

Styles are by meaning (`strong`, `quiet`, `model`, `alarm`), whatever came from data is wrapped in `data()`,
and no text gets into a piece without `escape`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

from rocscope.report.escape import escape
from rocscope.text import shorten

LONGEST = 60  # a label longer than this is shortened where people read it; JSON and CSV keep it whole


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text in one style; `whole` is the unshortened, unescaped text when it came from data."""

    text: str
    style: str = ""
    whole: str | None = None


Line: TypeAlias = tuple[Piece, ...]
Cell: TypeAlias = str | int | float | Fraction | Piece | Line | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a grid: its name, the decimals of its floats (None: as they are), whether it is a drawing.

    A drawn column (whiskers, bars) is shown in text only: Markdown and CSV leave it out. Numbers stand on the
    right by themselves; `right` puts words there too, such as `7 (70 %)`.
    """

    name: str
    digits: int | None = 3
    drawn: bool = False
    right: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: columns, rows of cells, and perhaps a second heading above some columns ("predicted").

    A grid whose columns have no names is shown without a line of headings: facts and their names.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    above: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, columns: Iterable[str | Column], rows: Iterable[Sequence[Cell]], *, above: Sequence[str] = ()
    ) -> Grid:
        """A grid from columns (or just their names) and rows.

        >>> Grid.of(["measure", "value"], [["precision", 0.5]]).columns[1]
        Column(name='value', digits=3, drawn=False, right=False)
        """
        named = tuple(column if isinstance(column, Column) else Column(column) for column in columns)
        headings = (*above, *[""] * (len(named) - len(above)))
        return cls(named, tuple(tuple(map(_python_value, row)) for row in rows), headings)

    def on_the_right(self, index: int) -> bool:
        """Whether a column stands on the right: asked for, or because it holds numbers alone."""
        return self.columns[index].right or self.is_numeric(index)

    def is_numeric(self, index: int) -> bool:
        """Whether a column holds numbers alone."""
        cells = [row[index] for row in self.rows if row[index] is not None]
        return bool(cells) and all(isinstance(cell, int | float | Fraction) for cell in cells)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines that belong together; a blank line parts them from the next block.

    Where a line is folded, its further lines are indented by `hang` spaces.
    """

    lines: tuple[Line, ...]
    hang: int = 0

    @classmethod
    def of(cls, *lines: str | Piece | Sequence[str | Piece], hang: int = 0) -> Paragraph:
        """A paragraph from lines, each a string, a piece or several pieces.

        >>> [letters(line) for line in Paragraph.of("one", [strong("two"), " and ", data("three")]).lines]
        ['one', 'two and three']
        """
        return cls(tuple(as_line(line) for line in lines), hang)


Block: TypeAlias = Paragraph | Grid


def strong(text: str | Piece) -> Piece:
    """Text to be seen first."""
    return replace(_as_piece(text), style="strong")


def quiet(text: str | Piece) -> Piece:
    """Text that labels other text."""
    return replace(_as_piece(text), style="quiet")


def model(text: str | Piece) -> Piece:
    """Text in the colour of the model: its point, its interval."""
    return replace(_as_piece(text), style="model")


def alarm(text: str | Piece) -> Piece:
    """Text about errors, of the model or in the data."""
    return replace(_as_piece(text), style="alarm")


def formula(latex: str) -> Piece:
    """A formula of ours in LaTeX, which Markdown shows as mathematics; never text that came from data."""
    return Piece(latex, "formula")


def data(value: object, *, limit: int = LONGEST) -> Piece:
    """A label, name or cell that came from data: escaped, shortened, its letters never turned to ASCII.

    >>> data("good" + chr(27) + "[31m").text
    'good\\\\x1b[31m'
    """
    whole = str(value)
    return Piece(shorten(escape(whole[: limit + 1]), limit), whole=whole)


def letters(line: Line) -> str:
    """The letters of a line without its styles."""
    return "".join(piece.text for piece in line)


def as_line(line: str | Piece | Sequence[str | Piece]) -> Line:
    """A string, a piece or several of them as one line."""
    if isinstance(line, str | Piece):
        return (_as_piece(line),)
    return tuple(_as_piece(piece) for piece in line)


def _as_piece(text: str | Piece) -> Piece:
    return text if isinstance(text, Piece) else Piece(escape(text))


def _python_value(cell: Any) -> Cell:
    value: Cell = cell.item() if hasattr(cell, "item") else cell  # a NumPy scalar, without importing NumPy
    return value
