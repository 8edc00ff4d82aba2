"""The content of an answer: paragraphs and tables, written once.

`sheet_formats` converts them to text, Markdown or CSV.

Styles have meanings (`strong`, `quiet`, `model`, `alarm`), anything from data is wrapped in `data()`, and no text
enters a piece without `escape`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

from rocscope.record import record
from rocscope.text import short_name

INFINITE = ("Infinity", "-Infinity")  # spelling in the results document
LONGEST = 60  # maximum number of characters of a displayed label; JSON and CSV keep it in full
# control, bidirectional and zero-width characters, lone surrogates, line separators
_INVISIBLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def escape(text: str) -> str:
    """Text with control, bidirectional and zero-width characters made visible, so that it is harmless.

    >>> escape("abc" + chr(0x202E) + "def" + chr(10))
    'abc\\\\u202edef\\\\n'
    """
    if text.isprintable():
        return text
    from unicodedata import category

    return "".join(_visible(letter) if category(letter) in _INVISIBLE else letter for letter in text)


def _visible(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


@record(slots=True)
class Span:
    """A run of text in one style; `whole` is the unshortened, unescaped text when it came from data."""

    text: str
    style: str = ""
    whole: str | None = None


Document: TypeAlias = Mapping[str, Any]  # a results document, or a part of one
Line: TypeAlias = tuple[Span, ...]
Cell: TypeAlias = str | int | float | Fraction | Span | Line | None


@record(slots=True)
class Field:
    """A column of a table: its name, the decimals of its floats (None: unchanged), and whether it is a drawing.

    A drawn column (whiskers, bars) is shown in text only: Markdown and CSV leave it out. Numbers are right-aligned
    automatically; `right` also right-aligns text such as `7 (70 %)`.
    """

    name: str
    digits: int | None = 3
    drawn: bool = False
    right: bool = False


@record(slots=True)
class Tabular:
    """A table: columns, rows of cells, and optionally a second heading above some columns ("predicted").

    A table whose columns have no names is shown without a heading.
    """

    columns: tuple[Field, ...]
    rows: tuple[tuple[Cell, ...], ...]
    above: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, columns: Iterable[str | Field], rows: Iterable[Sequence[Cell]], *, above: Sequence[str] = ()
    ) -> Tabular:
        """A table from columns (or just their names) and rows.

        >>> Tabular.of(["measure", "value"], [["precision", 0.5]]).columns[1]
        Field(name='value', digits=3, drawn=False, right=False)
        """
        named = tuple(column if isinstance(column, Field) else Field(column) for column in columns)
        headings = (*above, *[""] * (len(named) - len(above)))
        return cls(named, tuple(tuple(map(_python_value, row)) for row in rows), headings)

    @classmethod
    def full(cls, names: Iterable[str], records: Iterable[Mapping[str, Any] | Sequence[Any]]) -> Tabular:
        """A table for CSV, with numbers and texts in full; the cells of a record are given by name or in order.

        >>> Tabular.full(["n", "low", "why"], [{"n": 2, "low": "-Infinity"}]).rows
        ((2, -inf, None),)
        """
        names = tuple(names)
        rows = ([row.get(name) for name in names] if isinstance(row, Mapping) else row for row in records)
        return cls.of([Field(name, None) for name in names], ([_in_full(cell) for cell in row] for row in rows))

    def on_the_right(self, index: int) -> bool:
        """Whether a column is right-aligned: on request, or because it holds only numbers."""
        return self.columns[index].right or self.is_numeric(index)

    def is_numeric(self, index: int) -> bool:
        """Whether a column holds numbers alone."""
        cells = [row[index] for row in self.rows if row[index] is not None]
        return bool(cells) and all(isinstance(cell, int | float | Fraction) for cell in cells)


@record(slots=True)
class Paragraph:
    """Lines that belong together; a blank line separates them from the next block.

    If a line is wrapped, the following lines are indented by `hang` spaces.
    """

    lines: tuple[Line, ...]
    hang: int = 0

    @classmethod
    def of(cls, *lines: str | Span | Sequence[str | Span], hang: int = 0) -> Paragraph:
        """A paragraph from lines, each a string, a piece or several pieces.

        >>> [letters(line) for line in Paragraph.of("one", [strong("two"), " and ", data("three")]).lines]
        ['one', 'two and three']
        """
        return cls(tuple(as_line(line) for line in lines), hang)


Block: TypeAlias = Paragraph | Tabular


def strong(text: str | Span) -> Span:
    """Emphasized text."""
    return replace(_as_piece(text), style="strong")


def quiet(text: str | Span) -> Span:
    """Text that labels other text."""
    return replace(_as_piece(text), style="quiet")


def model(text: str | Span) -> Span:
    """Text in the color of the model: its point, its interval."""
    return replace(_as_piece(text), style="model")


def alarm(text: str | Span) -> Span:
    """Text about errors of the model or in the data."""
    return replace(_as_piece(text), style="alarm")


def formula(latex: str) -> Span:
    """A formula in LaTeX, which Markdown shows as mathematics; never text that came from data."""
    return Span(latex, "formula")


def data(value: object, *, limit: int = LONGEST) -> Span:
    """A label, name or cell that came from data: escaped and shortened, but never converted to ASCII.

    >>> data("good" + chr(27) + "[31m").text
    'good\\\\x1b[31m'
    """
    whole = str(value)
    kept = whole if len(whole) <= 4 * limit else f"{whole[: 2 * limit]}{whole[-2 * limit :]}"  # both ends of a huge one
    return Span(short_name(escape(kept), limit), whole=whole)


def letters(line: Line) -> str:
    """The text of a line without its styles."""
    return "".join(piece.text for piece in line)


def as_line(line: str | Span | Sequence[str | Span]) -> Line:
    """A string, a piece or several of them as one line."""
    if isinstance(line, str | Span):
        return (_as_piece(line),)
    return tuple(_as_piece(piece) for piece in line)


def _as_piece(text: str | Span) -> Span:
    return text if isinstance(text, Span) else Span(escape(text))


def _python_value(cell: Any) -> Cell:
    value: Cell = cell.item() if hasattr(cell, "item") else cell  # NumPy scalar, without importing NumPy
    return value


def _in_full(value: Any) -> Cell:
    if isinstance(value, str):
        return float(value) if value in INFINITE else data(value)
    cell: Cell = str(value).lower() if isinstance(value, bool) else value
    return cell
