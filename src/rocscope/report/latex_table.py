"""The document as a LaTeX table with the rules of booktabs."""

from __future__ import annotations

from collections.abc import Sequence

from rocscope.report.document_reader import Document, checked
from rocscope.report.escape import escape
from rocscope.report.sheet import Block, Grid, letters
from rocscope.report.sheet_formats import Look, cell_line
from rocscope.report.text_views.classes import class_blocks
from rocscope.report.text_views.comparison import models_blocks
from rocscope.report.text_views.evaluation import measure_rows

ROOMY = Look(fancy=True, width=400)
_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "−": "$-$", "–": "--", "∞": r"$\infty$", "`": r"\textasciigrave{}",
}  # fmt: skip


def as_latex(document: Document) -> str:
    r"""The main table of the document; put \usepackage{booktabs} into the preamble."""
    grid = next(block for block in _tables(checked(document)) if isinstance(block, Grid))
    kept = [index for index, column in enumerate(grid.columns) if not column.drawn]
    align = "".join("r" if grid.on_the_right(index) else "l" for index in kept)
    head = _line([escape_latex(grid.columns[index].name) for index in kept])
    rows = [
        _line([escape_latex(letters(cell_line(row[index], grid.columns[index]))) for index in kept])
        for row in grid.rows
    ]
    return "\n".join(
        [
            f"% {_comment(document['methods'])}",
            rf"\begin{{tabular}}{{{align}}}",
            r"\toprule",
            head,
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def escape_latex(text: str) -> str:
    r"""Text that LaTeX shows as it is.

    >>> escape_latex("a_b & 5 %")
    'a\\_b \\& 5 \\%'
    """
    return "".join(_SPECIAL.get(letter, letter) for letter in escape(text))


def _tables(document: Document) -> Sequence[Block]:
    if document["kind"] == "comparison":
        return models_blocks(document, ROOMY)
    if document["kind"] == "classes":
        return class_blocks(document, ROOMY)
    return [*measure_rows(document, ROOMY, full=True, single=False), Grid.of(["measure"], [])]


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _comment(text: str) -> str:
    return escape(" ".join(text.split()))
