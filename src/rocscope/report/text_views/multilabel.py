"""The answer on several labels for each case: averages over labels and over cases, and every label."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rocscope.numbers import from_json
from rocscope.report.document_reader import estimate_of
from rocscope.report.sheet import Block, Cell, Document, Field, Paragraph, Span, Tabular, data, quiet
from rocscope.report.sheet_formats import Look, first_fitting
from rocscope.report.text_views.classes import value_cell
from rocscope.report.text_views.verdict import (
    cases_text,
    closing_caveats,
    left_out_pieces,
    next_steps,
    remarks,
    verdict_block,
)
from rocscope.text import threshold_text

FIRST = ("subset_accuracy", "hamming_loss", "macro_f1", "micro_f1", "samples_f1", "auc", "average_precision")
MOST = 20  # labels in the table; beyond that those with the lowest F1
TITLES = {"f1": "F1", "auc": "ROC AUC", "average_precision": "AP"}


def labels_blocks(document: Document, look: Look, *, full: bool, single: bool) -> list[Block]:
    """The sheet of a classifier that predicts several labels."""
    more = [] if full else [("--full", "every average and ranking measure, and a description of the methods")]
    file = document["data"]["source"].get("file")
    return [
        verdict_block(document),
        Paragraph.of([*_facts(document), *left_out_pieces(document["data"])], hang=2),
        *each_label_blocks(document, look),
        measures_grid(document, full=full),
        *remarks(closing_caveats(document, full=full)),
        *([Paragraph.of([quiet("methods  "), document["methods"]], hang=9)] if full else []),
        *(next_steps(more) if single and file else []),
    ]


def _facts(document: Document) -> list[str | Span]:
    told = document["data"]
    line: list[str | Span] = [f"{cases_text(document)}, {len(told['labels'])} labels"]
    return [*line, quiet(f"   {from_json(told['labels_per_case']):.2f} labels per case")]


def each_label_blocks(document: Document, look: Look) -> list[Block]:
    """Every label with its threshold, precision, recall, F1 and areas, each with its interval where there is room."""
    labels = document["labels"]
    order = list(labels)
    if len(order) > MOST:
        order = sorted(order, key=lambda name: _or_high(labels[name]["measures"]["f1"]["value"]))[:MOST]
    names = list(next(iter(labels.values()))["measures"])
    choices: list[tuple[Sequence[str], bool]] = [(names, True), (names[:3], True), (names, False)]
    grid = first_fitting((_grid(document, order, shown, with_limits=limits) for shown, limits in choices), look)
    rest = len(labels) - len(order)
    more = [Paragraph.of(quiet(f"{rest} more labels, with a higher F1: --format csv has them."))] if rest else []
    return [grid, *more]


def _or_high(value: float | None) -> float:
    return math.inf if value is None else value


def _grid(document: Document, order: Sequence[str], shown: Sequence[str], *, with_limits: bool) -> Tabular:
    support = dict(zip(document["data"]["labels"], document["data"]["support"], strict=True))
    thresholds = document["thresholds"]
    at_threshold = [Field("threshold", right=True)] if thresholds else []
    titles = [Field(TITLES.get(name, name), right=not with_limits) for name in shown]
    columns = [Field("label"), *at_threshold, *titles, Field("cases", 2)]
    rows: list[list[Cell]] = []
    for label in order:
        row = document["labels"][label]["measures"]
        at: list[Cell] = [_threshold(thresholds[label])] if thresholds else []
        cells = [value_cell(row[name], with_limits=with_limits) for name in shown]
        rows.append([data(label, limit=24), *at, *cells, support[label]])
    return Tabular.of(columns, rows)


def _threshold(one: Document) -> str:
    return threshold_text(from_json(one["threshold"]))


def measures_grid(document: Document, *, full: bool) -> Tabular:
    """Measures of all labels together, with what predictions that know nothing would have."""
    rows: list[list[Cell]] = []
    for row in document["measures"]:
        if not full and row["name"] not in FIRST:
            continue
        found, chance = estimate_of(row), from_json(row["baseline"])
        shown = value_cell(row, with_limits=True) if not math.isnan(found.value) else (quiet(f"– {row['why']}"),)
        rows.append([row["title"], shown, quiet("" if math.isnan(chance) else f"{chance:.3f}")])
    level = f"{100 * document['settings']['level']:g} % interval"
    return Tabular.of([Field("measure"), Field(f"value, {level}"), Field("baseline", right=True)], rows)


