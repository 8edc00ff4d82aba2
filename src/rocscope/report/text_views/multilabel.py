"""Results for several labels per case: averages over labels and over cases, and every label."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rocscope.numbers import from_json
from rocscope.report.document_reader import estimate_of
from rocscope.report.sheet import Block, Cell, Document, Field, Paragraph, Span, Tabular, data, quiet
from rocscope.report.sheet_formats import Look, first_fitting
from rocscope.report.text_views.classes import value_cell
from rocscope.report.text_views.verdict import (
    REPORT_STEP,
    cases_text,
    closing_caveats,
    left_out_pieces,
    next_steps,
    remarks,
    verdict_block,
)
from rocscope.text import threshold_text

FIRST = ("subset_accuracy", "hamming_loss", "macro_f1", "micro_f1", "samples_f1", "auc", "average_precision")
MOST = 20  # maximum number of labels in the table; of more, those with the lowest F1 are shown
TITLES = {"f1": "F1", "auc": "ROC AUC", "average_precision": "AP"}


def labels_blocks(document: Document, look: Look, *, full: bool, single: bool) -> list[Block]:
    """The sheet of a classifier that predicts several labels."""
    more = [] if full else [("--full", "every average and ranking measure, and a description of the methods")]
    file = document["data"]["source"].get("file")
    return [
        verdict_block(document),
        Paragraph.of([*_facts(document), *left_out_pieces(document["data"])], hang=2),
        *each_label_blocks(document, look, full=full),
        measures_grid(document, full=full),
        *remarks(closing_caveats(document, full=full)),
        *([Paragraph.of([quiet("methods  "), document["methods"]], hang=9)] if full else []),
        *(next_steps([REPORT_STEP, *more]) if single and file else []),
    ]


def _facts(document: Document) -> list[str | Span]:
    facts = document["data"]
    line: list[str | Span] = [f"{cases_text(document)}, {len(facts['labels'])} labels"]
    line.append(quiet(f"   {from_json(facts['labels_per_case']):.2f} labels per case"))
    return [*line, quiet(f"   threshold {one} for every label")] if (one := _common_threshold(document)) else line


def _common_threshold(document: Document) -> str:
    """The threshold that all labels share; empty if they differ."""
    found = {_threshold(one) for one in document["thresholds"].values()} if document["thresholds"] else set()
    return found.pop() if len(found) == 1 else ""


def each_label_blocks(document: Document, look: Look, *, full: bool = False) -> list[Block]:
    """Every label with its threshold, precision, recall, F1 and areas, each with its interval.

    On a narrow terminal, the columns dropped have a separate table with --full; F1 is dropped last.
    """
    labels = document["labels"]
    order = list(labels)
    if len(order) > MOST:
        order = sorted(order, key=lambda name: _or_high(labels[name]["measures"]["f1"]["value"]))[:MOST]
    names = list(next(iter(labels.values()))["measures"])
    choices = ((names, True), (names[:3], True), (names[:3], False), (names[:2], True), (names[:2], False))
    grid = first_fitting((_grid(document, order, shown, cases=cases) for shown, cases in choices), look)
    rest = len(labels) - len(order)
    more = [Paragraph.of(quiet(f"{rest} more labels, with a higher F1: --format csv lists them."))] if rest else []
    left = [name for name in names if TITLES.get(name, name) not in {column.name for column in grid.columns}]
    return [grid, *([_grid(document, order, left, cases=False)] if full and left else []), *more]


def _or_high(value: float | None) -> float:
    return math.inf if value is None else value


def _grid(document: Document, order: Sequence[str], shown: Sequence[str], *, cases: bool) -> Tabular:
    support = dict(zip(document["data"]["labels"], document["data"]["support"], strict=True)) if cases else {}
    thresholds = {} if _common_threshold(document) or not document["thresholds"] else document["thresholds"]
    at_threshold = [Field("threshold", right=True)] if thresholds else []
    titles = [Field(TITLES.get(name, name)) for name in shown]
    columns = [Field("label"), *at_threshold, *titles, *([Field("cases", 2)] if cases else [])]
    rows: list[list[Cell]] = []
    for label in order:
        row = document["labels"][label]["measures"]
        at: list[Cell] = [_threshold(thresholds[label])] if thresholds else []
        cells = [value_cell(row[name]) for name in shown]
        rows.append([data(label, limit=24), *at, *cells, *([support[label]] if cases else [])])
    return Tabular.of(columns, rows)


def _threshold(chosen: Document) -> str:
    return threshold_text(from_json(chosen["threshold"]))


def measures_grid(document: Document, *, full: bool) -> Tabular:
    """Measures of all labels together, with their chance levels."""
    rows: list[list[Cell]] = []
    for row in document["measures"]:
        if not full and row["name"] not in FIRST:
            continue
        estimate, chance = estimate_of(row), from_json(row["baseline"])
        shown = value_cell(row) if not math.isnan(estimate.value) else (quiet(f"– {row['why']}"),)
        rows.append([row["title"], shown, quiet("" if math.isnan(chance) else f"{chance:.3f}")])
    level = f"{100 * document['settings']['level']:g} % interval"
    return Tabular.of([Field("measure"), Field(f"value, {level}"), Field("baseline", right=True)], rows)
