"""The answer on a classifier of several classes: matrix, every class, averages, areas where there are scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rocscope.numbers import from_json
from rocscope.report.document_reader import estimate_of, measured_of
from rocscope.report.sheet import Block, Cell, Document, Field, Paragraph, Span, Tabular, data, quiet, strong
from rocscope.report.sheet_formats import Look, first_fitting
from rocscope.report.text_views.matrix import confusion_blocks
from rocscope.report.text_views.measures import measure_grid, undefined_blocks
from rocscope.report.text_views.slices import slice_blocks
from rocscope.report.text_views.verdict import (
    REPORT_STEP,
    cases_text,
    closing_caveats,
    left_out_pieces,
    next_steps,
    remarks,
    verdict_block,
)
from rocscope.table import Confusion

FIRST = ("accuracy", "balanced_accuracy", "mcc", "macro f1")
MOST = 20  # classes in the table; beyond that those found least
AREAS = {
    "macro": "macro, one against the rest", "weighted": "weighted by support", "micro": "micro, all pooled",
    "hand-till": "one against one (Hand & Till)",
}  # fmt: skip


def classes_blocks(document: Document, look: Look, *, full: bool, single: bool) -> list[Block]:
    """The sheet of a classifier of several classes."""
    return [
        verdict_block(document),
        Paragraph.of([*_facts(document), *left_out_pieces(document["data"])], hang=2),
        *confusion_blocks(_matrix(document), look, single=single),
        *class_blocks(document, look),
        *_measures(document, look, full=full),
        *area_blocks(document),
        *slice_blocks(document, look, full=full),
        *remarks(closing_caveats(document, full=full)),
        *([Paragraph.of([quiet("methods  "), document["methods"]], hang=9)] if full else []),
        *(next_steps(_next(document, full)) if single else []),
    ]


def _facts(document: Document) -> list[str | Span]:
    told = document["data"]
    line: list[str | Span] = [f"{cases_text(document)}, {len(told['labels'])} classes"]
    if told["positive"] is not None:
        line += [", positive: ", data(told["positive"], limit=24)]
    return line


def _matrix(document: Document) -> Confusion:
    return Confusion.from_matrix(document["matrix"]["cells"], labels=document["data"]["labels"], rows="actual")


def _measures(document: Document, look: Look, *, full: bool) -> list[Block]:
    found = [measured_of(row) for row in document["measures"] if full or row["name"] in FIRST]
    known = [one for one in found if not math.isnan(one.value)]
    grid = [measure_grid(known, look, with_fractions=False)] if known else []
    return [*grid, *undefined_blocks([one for one in found if math.isnan(one.value)])]


# --- every class


def class_blocks(document: Document, look: Look) -> list[Block]:
    """Every class with precision, recall, F1 (and AUC), each with its interval where there is room."""
    classes = document["classes"]
    support = dict(zip(document["data"]["labels"], document["data"]["support"], strict=True))
    order = list(classes)
    if len(order) > MOST:
        order = sorted(order, key=lambda name: _or_high(classes[name]["recall"]["value"]))[:MOST]
    names = list(next(iter(classes.values())))
    choices: list[tuple[Sequence[str], bool]] = [(names, True), (names[:3], True), (names, False)]
    grid = first_fitting(
        (_class_grid(classes, order, shown, support, with_limits=limits) for shown, limits in choices), look
    )
    rest = len(classes) - len(order)
    more = [Paragraph.of(quiet(f"{rest} more classes, found more often: --format csv has them."))] if rest else []
    return [grid, *more]


def _or_high(value: float | None) -> float:
    return math.inf if value is None else value


def _class_grid(
    classes: Document, order: Sequence[str], shown: Sequence[str], support: Any, *, with_limits: bool
) -> Tabular:
    columns = [Field("class"), *(Field(_title(name), right=not with_limits) for name in shown), Field("support", 2)]
    rows: list[list[Cell]] = []
    for label in order:
        row = classes[label]
        cells = [_cell(row[name], with_limits=with_limits) for name in shown]
        rows.append([data(label, limit=24), *cells, support[label]])
    return Tabular.of(columns, rows)


def _title(name: str) -> str:
    return {"f1": "F1", "auc": "ROC AUC"}.get(name, name)


def _cell(row: Document, *, with_limits: bool) -> tuple[Span, ...]:
    """A value to be seen first, its limits behind it; a dash where it is undefined."""
    found = estimate_of(row)
    if math.isnan(found.value):
        return (quiet("–"),)
    value, bracket, limits = str(found).partition(" [")
    value = value.split(" (")[0]
    return (strong(value), quiet(f" [{limits}")) if with_limits and bracket else (strong(value),)


# --- areas


def area_blocks(document: Document) -> list[Block]:
    """The mean AUCs, and over how many classes or pairs they run."""
    if document["auc"] is None:
        return []
    rows: list[list[Cell]] = []
    for how, found in document["auc"].items():
        value = from_json(found["value"])
        over = "" if found["over"] == found["of"] else f"over {found['over']} of {found['of']} {_units(how)}"
        limits = "" if math.isnan(value) else f"[{from_json(found['low']):.3f}, {from_json(found['high']):.3f}]"
        shown = strong("–" if math.isnan(value) else f"{value:.3f}")
        rows.append([AREAS.get(how, how), shown, quiet(limits), quiet(over)])
    return [Tabular.of(["ROC AUC", Field("mean", right=True), "", ""], rows)]


def _units(how: str) -> str:
    return "pairs" if how == "hand-till" else "classes"


def _next(document: Document, full: bool) -> list[tuple[str, str]]:
    if not document["data"]["source"].get("file"):
        return []
    more = [] if full else [("--full", "every average, and the methods in words")]
    return [REPORT_STEP, *more, ("rocscope explain macro average", "how classes are averaged")]
