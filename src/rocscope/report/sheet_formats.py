"""Blocks as aligned text, Markdown, CSV, LaTeX or JSON. Nothing in this module prints.

Text is wrapped to the width of the terminal; on a plain one (a pipe, NO_COLOR, not UTF-8), rocscope's own symbols are
ASCII, while letters from data are unchanged.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rocscope.errors import RocscopeError
from rocscope.record import record
from rocscope.report.sheet import Block, Cell, Field, Line, Paragraph, Span, Tabular, as_line, escape, letters, quiet
from rocscope.text import number

GAP = "  "  # space between columns
NARROWEST = 12  # minimum width, in characters, to which a text column is wrapped

_PLAIN = str.maketrans(
    {
        "━": "-", "─": "-", "│": "|", "┆": "|", "●": "o", "·": ".", "•": "*", "█": "#",
        "–": "-", "—": "-", "−": "-", "×": "x", "±": "+/-", "≈": "~", "≥": ">=", "≤": "<=", "≠": "!=",
        "→": "->", "∞": "inf", "…": "...", "‘": "'", "’": "'", "“": '"', "”": '"', "\u00a0": " ", "²": "^2",
    }
)  # fmt: skip


@record(slots=True)
class Look:
    """The properties of the output: `fancy` is a terminal with color and UTF-8; otherwise plain ASCII."""

    fancy: bool = False
    width: int = 80


@record(slots=True)
class Sheet:
    """An answer in every format: a document, blocks of text, a table, and next steps.

    The second argument of `blocks` states whether they are for text: Markdown has no drawings. Without `rows`, the
    first table among the blocks becomes the CSV output; only text shows the next `steps`.
    """

    document: Mapping[str, Any]
    blocks: Callable[[Look, bool], Sequence[Block]]
    rows: Callable[[], Tabular] | None = None
    steps: Sequence[tuple[str, str]] = ()

    def lines(self, look: Look) -> Iterator[Line]:
        """The lines of its text."""
        from rocscope.report.text_views.verdict import next_steps

        return as_text([*self.blocks(look, True), *(next_steps(self.steps) if self.steps else [])], look)

    def written(self, format: str) -> str:
        """The answer as text, JSON, Markdown ("md"), CSV or LaTeX.

        >>> Sheet({"n": 1}, lambda look, text: [Tabular.of(["n"], [[1]])]).written("csv")
        'n\\n1\\n'
        """
        if format == "json":
            return as_json(self.document)
        if format == "csv":
            return as_csv(self.rows() if self.rows is not None else self._first_table())
        if format == "latex":
            return as_latex(self._first_table(), "rocscope")
        if format == "md":
            return as_markdown(self.blocks(Look(width=1000), False))  # Markdown has no width limit
        return "".join(f"{letters(line)}\n" for line in self.lines(Look()))

    def _first_table(self) -> Tabular:
        for block in self.blocks(Look(), False):
            if isinstance(block, Tabular):
                return block
        raise RocscopeError("this result contains no table", hint="Choose --format json or md")


def as_text(blocks: Iterable[Block], look: Look) -> Iterator[Line]:
    """The lines of the blocks, aligned and folded to the width, with one blank line between blocks.

    >>> table = Tabular.of(["measure", "value"], [["precision", 0.5], ["recall", 0.7]])
    >>> for line in as_text([Paragraph.of("threshold ≥ 0.5"), table], Look()):
    ...     print(letters(line))
    threshold >= 0.5
    <BLANKLINE>
    measure    value
    precision  0.500
    recall     0.700
    """
    for index, block in enumerate(blocks):
        if index:
            yield ()
        if isinstance(block, Tabular):
            yield from _grid_lines(block, look)
        else:
            for line in block.lines:
                yield from _folded(_dressed(line, look), look.width, block.hang)


def fits(block: Block, look: Look) -> bool:
    """Whether a block fits the width without wrapping."""
    return all(_width(line) <= look.width for line in as_text([block], replace(look, width=100_000)))


def first_fitting(tables: Iterable[Tabular], look: Look) -> Tabular:
    """The first table that fits the width, else the last one."""
    for table in tables:
        if fits(table, look):
            break
    return table


def table_of(
    rows: Sequence[Mapping[str, Cell]], names: Sequence[str], look: Look, *, spare: Sequence[str] = (),
    right: Callable[[str], bool], heading: Mapping[str, str] = MappingProxyType({}),
) -> Tabular:  # fmt: skip
    """The named columns, dropping `spare` ones in order until the table fits the width."""
    kept = [[name for name in names if name not in spare[:dropped]] for dropped in range(len(spare) + 1)]
    return first_fitting((_columns(rows, shown, right, heading) for shown in kept), look)


def _columns(
    rows: Sequence[Mapping[str, Cell]], names: Sequence[str], right: Callable[[str], bool], heading: Mapping[str, str]
) -> Tabular:
    columns = [Field(heading.get(name, name), right=right(name)) for name in names]
    return Tabular.of(columns, [[row.get(name, "–") for name in names] for row in rows])


def as_markdown(blocks: Iterable[Block]) -> str:
    r"""The blocks as Markdown: paragraphs, and grids as tables.

    >>> print(as_markdown([Tabular.of(["measure", "value"], [["a|b", 0.5]])]), end="")
    | measure | value |
    | --- | ---: |
    | a\|b | 0.500 |
    """
    return "\n".join(
        _markdown_table(block) if isinstance(block, Tabular) else _markdown_paragraph(block) for block in blocks
    )


def as_csv(table: Tabular) -> str:
    """The grid as CSV: numbers and labels in full, and no cell that a spreadsheet would run as a formula.

    >>> as_csv(Tabular.of(["label", "n"], [["=1+1", -2], ["yes", 0.1]]))
    "label,n\\n'=1+1,-2\\nyes,0.1\\n"
    """
    kept = _kept(table)
    rows = [[_csv_cell(row[index]) for index in kept] for row in table.rows]
    return "".join(map(_csv_line, [[inert(heading) for heading in _headings(table, kept)], *rows]))


def inert(text: str) -> str:
    """Text for a CSV cell: a `'` is prepended to what would start a formula; `text_table.revive` removes it.

    >>> inert("@sum"), inert("'=x"), inert("sum")
    ("'@sum", "''=x", 'sum')
    """
    return "'" + text if _starts_formula(text) else text


def _starts_formula(text: str) -> bool:
    # Leading quotes are ignored, so that text which itself begins with '= survives the round trip.
    return text.lstrip("'").startswith(("=", "+", "-", "@", "\t", "\r"))


# --- text


def _grid_lines(table: Tabular, look: Look) -> Iterator[Line]:
    heads = [tuple((quiet(column.name),) for column in table.columns)] if any(c.name for c in table.columns) else []
    if any(table.above):
        heads.insert(0, tuple((quiet(heading),) for heading in table.above))
    rows = [tuple(map(cell_line, row, table.columns)) for row in table.rows]
    lines = [tuple(_dressed(cell, look) for cell in row) for row in [*heads, *rows]]
    right = [table.on_the_right(index) for index in range(len(table.columns))]
    words = [i for i, column in enumerate(table.columns) if not right[i] and not column.drawn]
    widths = _column_widths(lines, words, look)
    if sum(widths) + len(GAP) * (len(widths) - 1) > look.width:
        yield from _stacked(table, [tuple(_dressed(cell, look) for cell in row) for row in rows], look)
        return
    for row in lines:
        folded = [list(_folded(cell, width)) for cell, width in zip(row, widths, strict=True)]
        for level in range(max(map(len, folded))):
            yield _joined([cell[level] if level < len(cell) else () for cell in folded], widths, right)


def _stacked(table: Tabular, rows: Sequence[tuple[Line, ...]], look: Look) -> Iterator[Line]:
    """A grid that is too wide for the terminal with each cell on a separate line, after its column name."""
    names = [f"{above} {column.name}".strip() for above, column in zip(table.above, table.columns, strict=True)]
    for row in rows:
        for index, (name, cell) in enumerate(zip(names, row, strict=True)):
            if letters(cell).strip() and not table.columns[index].drawn:
                label = quiet(f"{'' if index == 0 else '  '}{name}: " if name else "")
                yield from _folded((label, *cell), look.width, hang=4)


def cell_line(cell: Cell, column: Field) -> Line:
    """A cell as a line: numbers with the decimals of their column."""
    if cell is None or isinstance(cell, int | float | Fraction):
        return (Span(number(cell, column.digits)),)
    return as_line(cell)


def _dressed(line: Line, look: Look) -> Line:
    """The line as this terminal can show it, before anything is measured because lengths change."""
    if look.fancy:
        return line
    return tuple(_plain(piece) if piece.whole is None else piece for piece in line)


def _plain(piece: Span) -> Span:
    return replace(piece, text=piece.text.translate(_PLAIN))


def _column_widths(rows: Sequence[tuple[Line, ...]], words: Sequence[int], look: Look) -> list[int]:
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    while words and (excess := sum(widths) + len(GAP) * (len(widths) - 1) - look.width) > 0:
        widest = max(words, key=lambda index: widths[index])
        if widths[widest] <= NARROWEST:
            break  # the remaining excess is due to numbers, which cannot be wrapped
        # Shrink the widest text column, but only to the width of the next widest, then repeat.
        second = max((widths[index] for index in words if widths[index] < widths[widest]), default=0)
        widths[widest] = max(NARROWEST, widths[widest] - excess, second)
    return widths


def _joined(cells: Sequence[Line], widths: Sequence[int], right: Sequence[bool]) -> Line:
    line: list[Span] = []
    for cell, width, on_the_right in zip(cells, widths, right, strict=True):
        space = Span(" " * (width - _width(cell)))
        line += [space, *cell, Span(GAP)] if on_the_right else [*cell, space, Span(GAP)]
    return _without_trailing_space(line)


def _folded(line: Line, width: int, hang: int = 0) -> Iterator[Line]:
    """Wrap the line at spaces; a word longer than the width is cut.

    The lines after the first are indented by `hang` spaces.
    """
    if _width(line) <= width:
        yield line
        return
    row: list[Span] = []
    room = width
    for word in _unbroken(line, width - hang):
        if row and _width(word) > room:
            yield _without_trailing_space(row)
            row, room = [Span(" " * hang)], width - hang
            word = (replace(word[0], text=word[0].text.lstrip()), *word[1:])
        row += word
        room -= _width(word)
    yield _without_trailing_space(row)


def _unbroken(line: Line, width: int) -> Iterator[Line]:
    """The parts of a line between spaces; pieces without a space between them stay together."""
    word: Line = ()
    for piece in line:
        for part in _parts(piece, width):
            apart = part.text.startswith(" ") or (bool(word) and word[-1].text.endswith(" "))
            if word and (apart or _width((*word, part)) > width):
                yield word
                word = ()
            word = (*word, part)
    if word:
        yield word


def _parts(piece: Span, width: int) -> Iterator[Span]:
    """The words of a piece, each with the spaces before it, none longer than the width.

    A percent sign stays with its number, and both sides of a comparison stay together: 80 %, score >= threshold.
    """
    for word in re.findall(r" *[^ ]+(?: %(?![^ ,.;:)])[,.;:)]*| [<>]= [^ ]+)?| +$", piece.text):
        for start in range(0, len(word), width):
            yield replace(piece, text=word[start : start + width])


def _without_trailing_space(line: Sequence[Span]) -> Line:
    kept = list(line)
    while kept and not kept[-1].text.strip():
        kept.pop()
    if kept:
        kept[-1] = replace(kept[-1], text=kept[-1].text.rstrip())
    return tuple(kept)


def _width(line: Line) -> int:
    """The number of terminal columns of a line: wide letters take two, combining marks none."""
    text = letters(line)
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(letter) else 1 + (east_asian_width(letter) in "WF") for letter in text)


# --- Markdown, CSV and LaTeX


def _kept(table: Tabular) -> list[int]:
    return [index for index, column in enumerate(table.columns) if not column.drawn]


def _headings(table: Tabular, kept: Iterable[int]) -> list[str]:
    return [f"{table.above[index]} {table.columns[index].name}".strip() for index in kept]


def _written(table: Tabular, written: Callable[[str], str]) -> Iterator[list[str]]:
    """Yield the headings, then each row, without drawn columns; cells are written by the format."""
    kept = _kept(table)
    yield [written(heading) for heading in _headings(table, kept)]
    for row in table.rows:
        yield [written(letters(cell_line(row[index], table.columns[index]))) for index in kept]


def _markdown_table(table: Tabular) -> str:
    head, *rows = _written(table, _markdown)
    rule = ["---:" if table.on_the_right(index) else "---" for index in _kept(table)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in [head, rule, *rows])


def _markdown_paragraph(paragraph: Paragraph) -> str:
    lines = ["".join(map(_markdown_piece, line)) for line in paragraph.lines]
    return "  \n".join(lines) + "\n"  # two trailing spaces make a line break


def _markdown_piece(piece: Span) -> str:
    if piece.style == "formula":
        return f"${piece.text}$"
    text = _markdown(piece.text)
    return f"**{text}**" if piece.style == "strong" and text and text == text.strip() else text


def _markdown(text: str) -> str:
    """Escape text so that Markdown shows it literally: no markup, HTML, link, heading or end of the cell."""
    plain = re.sub(r"([\\`*_|<>\[\]#~])", r"\\\1", text.replace("&", "&amp;"))
    plain = re.sub(r"^(\s*)([-+=]|[0-9]+[.)])(?=\s|$|=)", _not_a_list, plain)
    return re.sub(r"(?i)(www)\.|(?<=[a-z]):(?=//)|(?<=\S)@(?=\S)", _not_a_link, plain)


def _not_a_list(match: re.Match[str]) -> str:
    sign = match[2]
    return f"{match[1]}{sign[:-1]}\\{sign[-1]}"


def _not_a_link(match: re.Match[str]) -> str:
    return f"{match[1]}\\." if match[1] else f"\\{match[0]}"


def _csv_line(cells: Sequence[str]) -> str:
    # csv.writer is not used: with a bare newline as line terminator it does not quote a lone carriage return.
    quoted = ['"' + cell.replace('"', '""') + '"' if re.search('[,"\r\n]', cell) else cell for cell in cells]
    return (",".join(quoted) or '""') + "\n"


def _csv_cell(cell: Cell) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, int | Fraction):
        return str(cell)
    if isinstance(cell, float):
        return number(cell, None)
    return inert("".join(piece.text if piece.whole is None else piece.whole for piece in as_line(cell)))


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "−": "$-$", "–": "--", "∞": r"$\infty$", "`": r"\textasciigrave{}",
}  # fmt: skip


def as_latex(table: Tabular, comment: str) -> str:
    r"""The table for LaTeX with the rules of booktabs, after a comment; the preamble needs \usepackage{booktabs}."""
    align = "".join("r" if table.on_the_right(index) else "l" for index in _kept(table))
    head, *rows = (" & ".join(cells) + r" \\" for cells in _written(table, escape_latex))
    lines = [
        f"% {escape(' '.join(comment.split()))}", rf"\begin{{tabular}}{{{align}}}", r"\toprule", head, r"\midrule",
        *rows, r"\bottomrule", r"\end{tabular}", "",
    ]  # fmt: skip
    return "\n".join(lines)


def escape_latex(text: str) -> str:
    r"""Escape text so that LaTeX shows it literally.

    >>> escape_latex("a_b & 5 %")
    'a\\_b \\& 5 \\%'
    """
    return "".join(_LATEX.get(letter, letter) for letter in escape(text))


# --- JSON


def as_json(document: Mapping[str, Any]) -> str:
    """The results document as JSON in ASCII: NaN becomes null, infinity "Infinity" or "-Infinity", and a fraction text
    such as "7/12".

    >>> print(as_json({"auc": float("nan"), "threshold": float("inf")}), end="")
    {
      "auc": null,
      "threshold": "Infinity"
    }
    """
    import json

    return json.dumps(_jsonable(document), indent=2, allow_nan=False) + "\n"


def _jsonable(value: Any) -> Any:
    if hasattr(value, "tolist"):  # NumPy arrays and scalars, without importing NumPy
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        from rocscope.numbers import json_number  # imports NumPy, which is not needed to print help

        return json_number(value)
    return str(value) if isinstance(value, Fraction | Path) else value
