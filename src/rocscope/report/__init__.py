"""The document as people and programs read it: text, Markdown, CSV, JSON, LaTeX, HTML.

Every function takes the document, what `to_dict()` of an evaluation or comparison gives, and nothing else: one core,
many faces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rocscope.report.sheet import Block
    from rocscope.report.sheet_formats import Look

Document = Mapping[str, Any]

__all__ = ["blocks", "csv", "json", "latex", "markdown", "notebook", "page", "save", "text"]


def text(document: Document, *, width: int = 80, fancy: bool = False, full: bool = False) -> str:
    """The answer as text that fits the width: plain ASCII signs, or `fancy` ones with the curve where there is room.

    >>> from rocscope import evaluate
    >>> print(text(evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3], threshold=0.5).to_dict())[:35])
    Results at the given threshold 0.5.
    """
    from rocscope.report.sheet import letters
    from rocscope.report.sheet_formats import Look, as_text

    look = Look(fancy, width)
    return "\n".join(letters(line) for line in as_text(blocks(document, look, full=full), look))


def markdown(document: Document, *, full: bool = False) -> str:
    """The answer as Markdown."""
    from rocscope.report.sheet_formats import Look, as_markdown

    return as_markdown(blocks(document, Look(width=1000), full=full, single=False))  # a page has room


def csv(document: Document) -> str:
    """Every number as one row of CSV: model, class, measure, threshold, value, limits, method."""
    from rocscope.report.document_reader import checked
    from rocscope.report.rows import rows
    from rocscope.report.sheet_formats import as_csv
    from rocscope.report.text_views.validation import fold_rows

    # of a validation a row for each fold
    return as_csv(fold_rows(document) if checked(document)["kind"] == "validation" else rows(document))


def json(document: Document) -> str:
    """The document as JSON."""
    from rocscope.report.document_reader import checked
    from rocscope.report.sheet_formats import as_json

    return as_json(checked(document))


def page(document: Document) -> str:
    """The document, made with `to_dict(drawing=True)`, as one self-contained HTML file."""
    from rocscope.report.document_reader import checked
    from rocscope.report.html import html

    return html(checked(document))


def notebook(document: Document) -> str:
    """The document as a notebook shows it: the first screen of the page, live, in a frame of its own."""
    from rocscope.report.html.framed import framed

    return framed(document)


def latex(document: Document) -> str:
    """The measures as a table for LaTeX, with the rules of booktabs."""
    from rocscope.report.latex_table import as_latex

    return as_latex(document)


def blocks(document: Document, look: Look, *, full: bool = False, single: bool = True) -> Sequence[Block]:
    """The paragraphs and grids of the answer; `single` is text, with drawings that Markdown leaves out."""
    from rocscope.report.document_reader import checked
    from rocscope.report.text_views.classes import classes_blocks
    from rocscope.report.text_views.comparison import comparison_blocks
    from rocscope.report.text_views.evaluation import evaluation_blocks
    from rocscope.report.text_views.validation import validation_blocks

    kinds = {"evaluation": evaluation_blocks, "comparison": comparison_blocks, "classes": classes_blocks}
    kinds |= {"validation": validation_blocks}
    return kinds[checked(document)["kind"]](document, look, full=full, single=single)


def save(document: Document, path: str | Path, *, force: bool = False) -> None:
    """Write the document to a file, whole or not at all; its ending says the format."""
    from rocscope.errors import RocscopeError
    from rocscope.report.files import write_file

    formats = {
        ".json": json,
        ".md": lambda document: markdown(document, full=True),
        ".csv": csv,
        ".txt": lambda document: text(document, full=True) + "\n",
        ".tex": latex,
        ".html": page,
    }
    ending = Path(path).suffix.lower()
    if ending not in formats:
        raise RocscopeError(f"'{Path(path).name}' ends in no known format", hint=f"Endings: {', '.join(formats)}")
    write_file(path, formats[ending](document), force=force)
