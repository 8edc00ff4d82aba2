"""Results in formats for people and programs: text, Markdown, CSV, JSON, LaTeX, JUnit and a single HTML file.

The functions `text` to `save` take only the results document that `to_dict()` returns. Answers without a results
document (a matrix, a hull, an example) consist of the same `Block`s: a `Paragraph` of `Line`s, or a `Tabular`.

- `sheet.py`: paragraphs and tables; `sheet_formats.py`: as text, Markdown, CSV, LaTeX, JSON; `files.py`: into files
- `document_reader.py`: the results document read back; `tidy.py`: numbers as rows; `trackers.py`: DVC, Hugging Face
- `text_views/`: the parts of an answer in text; `html/`: the report as one HTML file
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rocscope.report.files import check_target, save_table, write_file
from rocscope.report.sheet import (
    Block,
    Cell,
    Document,
    Field,
    Line,
    Paragraph,
    Span,
    Tabular,
    alarm,
    data,
    escape,
    formula,
    letters,
    model,
    quiet,
    strong,
)  # fmt: skip
from rocscope.report.sheet_formats import Look, Sheet, as_csv, as_json, as_latex, as_markdown, as_text, cell_line

_COMPUTING = {
    "tidy": ("rows",),
    "document_reader": ("document_in",),
    "html": ("notebook", "page"),
    "html.views.lesson": ("teaching",),
    "html.markup": ("Markup", "tag"),
    "html.axes": ("SvgAxes",),
    "text_views.curve": ("AREAS", "curve_sheet", "drawn_sheet"),
    "text_views.gates": ("gate_headline",),
    "text_views.hull": ("hull_sheet",),
    "text_views.lesson_data": ("data_blocks",),
    "text_views.matrix": ("counts_blocks",),
    "text_views.matrix_report": ("confusion_sheet", "counts_sheet", "share_sheet"),
    "text_views.measures": ("USUAL",),
    "text_views.recalibration": ("recalibration_sheet",),
    "text_views.traces": ("hull_trace_sheet", "matrices_sheet", "predictions_sheet", "roc_trace_sheet"),
    "text_views.verdict": ("LONGEST", "next_steps", "remarks"),
}

if TYPE_CHECKING:
    from rocscope.report.document_reader import document_in
    from rocscope.report.html import notebook, page
    from rocscope.report.html.axes import SvgAxes
    from rocscope.report.html.markup import Markup, tag
    from rocscope.report.html.views.lesson import teaching
    from rocscope.report.text_views.curve import AREAS, curve_sheet, drawn_sheet
    from rocscope.report.text_views.gates import gate_headline
    from rocscope.report.text_views.hull import hull_sheet
    from rocscope.report.text_views.lesson_data import data_blocks
    from rocscope.report.text_views.matrix import counts_blocks
    from rocscope.report.text_views.matrix_report import confusion_sheet, counts_sheet, share_sheet
    from rocscope.report.text_views.measures import USUAL
    from rocscope.report.text_views.recalibration import recalibration_sheet
    from rocscope.report.text_views.traces import hull_trace_sheet, matrices_sheet, predictions_sheet, roc_trace_sheet
    from rocscope.report.text_views.verdict import LONGEST, next_steps, remarks
    from rocscope.report.tidy import rows
else:

    def __getattr__(name: str) -> Any:
        """Import a computing name on first access (PEP 562): printing help needs none of them."""
        for module, names in _COMPUTING.items():
            if name in names:
                return getattr(import_module(f"rocscope.report.{module}"), name)
        raise AttributeError(f"module 'rocscope.report' has no attribute '{name}'")


__all__ = [
    "AREAS", "LONGEST", "USUAL", "Block", "Cell", "Document", "Field", "Line", "Look", "Markup", "Paragraph",
    "Sheet", "Span", "SvgAxes", "Tabular", "alarm", "answer", "as_csv", "as_json", "as_latex", "as_markdown",
    "as_text", "blocks", "cell_line", "check_target", "confusion_sheet", "counts_blocks", "counts_sheet", "csv",
    "curve_sheet", "data", "data_blocks", "document_in", "drawn_sheet", "escape", "formula", "gate_headline",
    "hull_sheet", "hull_trace_sheet", "json", "latex", "letters", "markdown", "matrices_sheet", "model", "next_steps",
    "notebook", "page", "predictions_sheet", "quiet", "recalibration_sheet", "remarks", "roc_trace_sheet", "rows",
    "save", "save_table", "share_sheet", "strong", "tag", "teaching", "text", "write_file", "written",
]  # fmt: skip


# kind of results document -> (module of its text view, loaded on first use; function in it)
BLOCKS = {
    "evaluation": ("evaluation", "evaluation_blocks"), "comparison": ("comparison", "comparison_blocks"),
    "classes": ("classes", "classes_blocks"), "labels": ("multilabel", "labels_blocks"),
    "class_comparison": ("class_comparison", "class_comparison_blocks"),
    "validation": ("validation", "validation_blocks"), "merge": ("trends", "trend_blocks"),
}  # fmt: skip


def answer(document: Document, *, full: bool = False) -> Sheet:
    """The results document as a sheet, for any of its formats."""
    from rocscope.report.document_reader import checked
    from rocscope.report.tidy import rows

    checked(document)
    return Sheet(
        document, lambda look, single: blocks(document, look, full=full, single=single), lambda: rows(document)
    )


def text(document: Document, *, width: int = 80, fancy: bool = False, full: bool = False) -> str:
    """The results as text that fits the width: in plain ASCII or, if `fancy`, with color, finer symbols and the curve.

    >>> from rocscope import evaluate
    >>> print(text(evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3], threshold=0.5).to_dict())[:35])
    Results at the given threshold 0.5.
    """
    return "\n".join(letters(line) for line in answer(document, full=full).lines(Look(fancy, width)))


def markdown(document: Document, *, full: bool = False) -> str:
    """The results as Markdown."""
    return answer(document, full=full).written("md")


def csv(document: Document) -> str:
    """The results as CSV, one row for each number: model, class, measure, threshold, value, limits and method."""
    return answer(document).written("csv")


def json(document: Document) -> str:
    """The results document as JSON."""
    return answer(document).written("json")


def latex(document: Document) -> str:
    """The measures as a LaTeX table in booktabs style."""
    look = Look(fancy=True, width=400)
    tables = [block for block in _main_blocks(document, look) if isinstance(block, Tabular)]
    return as_latex(tables[0] if tables else Tabular.of(["measure"], []), str(document.get("methods", "")))


def _main_blocks(document: Document, look: Look) -> Sequence[Block]:
    from rocscope.report.text_views.class_comparison import compared_blocks
    from rocscope.report.text_views.classes import class_blocks
    from rocscope.report.text_views.comparison import models_blocks
    from rocscope.report.text_views.evaluation import point_measures
    from rocscope.report.text_views.multilabel import each_label_blocks

    kind = document["kind"]
    if kind == "evaluation":
        return point_measures(document, look, full=True, single=False)
    if kind == "comparison":
        return models_blocks(document, look)
    if kind == "class_comparison":
        return compared_blocks(document, look)
    if kind == "labels":
        return each_label_blocks(document, look)
    return class_blocks(document, look) if kind == "classes" else blocks(document, look, single=False)


def blocks(document: Document, look: Look, *, full: bool = False, single: bool = True) -> Sequence[Block]:
    """The paragraphs and tables of the answer; `single` is text, with drawings that Markdown leaves out."""
    from rocscope.report.document_reader import checked

    kind = checked(document)["kind"]
    if kind == "gate":
        from rocscope.report.text_views.gates import gate_blocks

        return gate_blocks(document)
    module, name = BLOCKS[kind]
    builder: Callable[..., Sequence[Block]] = getattr(import_module(f"rocscope.report.text_views.{module}"), name)
    return builder(document, look, full=full, single=single)


def written(
    document: Document, format: str, *, full: bool = False, card: Mapping[str, str] = MappingProxyType({})
) -> str:
    """The results document in one of the formats text, json, md, csv, latex, html, junit, dvc, hf or
    openmetrics.

    `card` holds the fields that a Hugging Face model card needs besides the numbers.
    """
    from rocscope.report.html import page
    from rocscope.report.junit import as_junit
    from rocscope.report.trackers import as_dvc, as_model_index, as_openmetrics

    makers: dict[str, Callable[[], str]] = {
        "latex": lambda: latex(document), "html": lambda: page(document), "junit": lambda: as_junit(document),
        "dvc": lambda: as_dvc(document), "hf": lambda: as_model_index(document, card),
        "openmetrics": lambda: as_openmetrics(document),
    }  # fmt: skip
    return makers[format]() if format in makers else answer(document, full=full).written(format)


def save(document: Document, path: str | Path, *, force: bool = False) -> None:
    """Write the results document to a file, completely or not at all; the file extension determines the format."""
    from rocscope.errors import RocscopeError

    formats = {".json": "json", ".md": "md", ".csv": "csv", ".txt": "text", ".tex": "latex", ".html": "html"}
    ending = Path(path).suffix.lower()
    if ending not in formats:
        raise RocscopeError(
            f"cannot determine a format from the extension of '{Path(path).name}'",
            hint=f"Use one of the extensions {', '.join(formats)}",
        )
    write_file(path, written(document, formats[ending], full=True), force=force)
