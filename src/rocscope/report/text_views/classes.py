"""Results of a multiclass classifier: matrix, every class, averages, areas if there are scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rocscope.numbers import from_json
from rocscope.report.document_reader import decision_costs, estimate_of, measured_of
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
from rocscope.report.text_views.whiskers import TICK
from rocscope.table import Confusion
from rocscope.text import p_value, trimmed

FIRST = ("accuracy", "balanced_accuracy", "mcc", "macro f1", "log_loss", "brier")
KEY = (
    "chance level: the same numbers predicted at random; for accuracy, always the largest class; for losses, the "
    "class shares"
)
NAMED = 3  # number of confusions listed without --full
MOST = 20  # maximum number of classes in the table; of more, those with the lowest recall are shown
AREAS = {
    "macro": "macro, one against the rest", "weighted": "weighted by support", "micro": "micro, all pooled",
    "hand-till": "one against one (Hand & Till)",
}  # fmt: skip


def classes_blocks(document: Document, look: Look, *, full: bool, single: bool) -> list[Block]:
    """The sheet of a classifier of several classes."""
    drawn = True

    def instead() -> list[Block]:  # replaces a matrix that is too wide, so that confusions are not listed twice
        nonlocal drawn
        drawn = False
        return confusion_lines(document, full=True)

    matrix = confusion_blocks(_matrix(document), look, single=single, instead=instead)
    return [
        verdict_block(document),
        Paragraph.of([*classes_facts(document), *left_out_pieces(document["data"])], hang=2),
        *matrix,
        *class_blocks(document, look, full=full),
        *decision_blocks(document),
        *(confusion_lines(document, full=full) if drawn else []),
        *_measures(document, look, full=full),
        *area_blocks(document),
        *calibration_blocks(document, full=full),
        *(_margin_blocks(document) if full else []),
        *slice_blocks(document, look, full=full),
        *remarks(closing_caveats(document, full=full)),
        *([Paragraph.of([quiet("methods  "), document["methods"]], hang=9)] if full else []),
        *(next_steps(_next(document, full)) if single else []),
    ]


def classes_facts(document: Document) -> list[str | Span]:
    """How many cases and classes, or labels."""
    facts = document["data"]
    noun = "labels" if document["kind"] == "labels" else "classes"
    line: list[str | Span] = [f"{cases_text(document)}, {len(facts['labels'])} {noun}"]
    if facts.get("positive") is not None:
        line += [", positive: ", data(facts["positive"], limit=24)]
    return line


def _matrix(document: Document) -> Confusion:
    return Confusion.from_matrix(document["matrix"]["cells"], labels=document["data"]["labels"], rows="actual")


def _measures(document: Document, look: Look, *, full: bool) -> list[Block]:
    measured = [measured_of(row) for row in document["measures"] if full or row["name"] in FIRST]
    known = [row for row in measured if not math.isnan(row.value)]
    grid: list[Block] = [measure_grid(known, look, with_fractions=False)] if known else []
    if known:
        grid.append(Paragraph.of(quiet(f"{TICK} {KEY}"), hang=2))
    return [*grid, *undefined_blocks([row for row in measured if math.isnan(row.value)])]


# --- per class


def class_blocks(document: Document, look: Look, *, full: bool = False) -> list[Block]:
    """Every class with precision, recall, F1 (and AUC), each with its interval.

    On a narrow terminal, the AUC has a separate table with --full, support is left to the margin of the matrix, and F1
    is dropped.
    """
    classes = document["classes"]
    support = dict(zip(document["data"]["labels"], document["data"]["support"], strict=True))
    order = list(classes)
    if len(order) > MOST:
        order = sorted(order, key=lambda name: _or_high(classes[name]["recall"]["value"]))[:MOST]
    names = list(next(iter(classes.values())))
    choices = ((names, True), (names[:3], True), (names[:3], False), (names[:2], False))
    grid = first_fitting((_class_grid(classes, order, shown, support if own else {}) for shown, own in choices), look)
    rest = len(classes) - len(order)
    more = [Paragraph.of(quiet(f"{rest} more classes, with a higher recall: --format csv lists them."))] if rest else []
    left = [name for name in names if _title(name) not in {column.name for column in grid.columns}]
    return [grid, *([_class_grid(classes, order, left, {})] if full and left else []), *more]


def _or_high(value: float | None) -> float:
    return math.inf if value is None else value


def _class_grid(classes: Document, order: Sequence[str], shown: Sequence[str], support: Mapping[str, Any]) -> Tabular:
    columns = [Field("class"), *(Field(_title(name)) for name in shown), *([Field("support", 2)] if support else [])]
    rows: list[list[Cell]] = []
    for label in order:
        cells = [value_cell(classes[label][name]) for name in shown]
        rows.append([data(label, limit=24), *cells, *([support[label]] if support else [])])
    return Tabular.of(columns, rows)


def _title(name: str) -> str:
    return {"f1": "F1", "auc": "ROC AUC"}.get(name, name)


def value_cell(row: Document) -> tuple[Span, ...]:
    """An emphasized value with its limits; a dash if it is undefined."""
    estimate = estimate_of(row)
    if math.isnan(estimate.value):
        return (quiet("–"),)
    value, bracket, limits = str(estimate).partition(" [")
    value = value.split(" (")[0]
    return (strong(value), quiet(f" [{limits}")) if bracket else (strong(value),)


def confusion_lines(document: Document, *, full: bool) -> list[Block]:
    """The most frequent confusions by name, each with its share of the actual class."""
    confusions = document.get("confusions", ())
    if len(document["data"]["labels"]) < 3 or not confusions:
        return []
    rows: list[list[Cell]] = []
    for confusion in confusions[: None if full else NAMED]:
        share = value_cell(confusion["share"])
        rows.append(
            [data(confusion["actual"], limit=24), data(confusion["predicted"], limit=24), confusion["cases"], share]
        )
    last = Field("share of the actual class")
    heads = [Field("most often confused"), Field("mistaken for"), Field("cases", right=True), last]
    return [Tabular.of(heads, rows)]


def decision_blocks(document: Document) -> list[Block]:
    """The cost of decisions by costs per 1,000 cases, beside alternatives, and the number of undecided cases."""
    decision = document.get("decision")
    if not decision:
        return []
    rows: list[list[Cell]] = []
    if decision["cost"]:
        rows += [[name, value_cell(kind)] for name, kind in decision_costs(decision).items()]
        if decision["saving"] is not None:
            rows.append(["saving over predicting the most probable class", value_cell(decision["saving"])])
    grid: list[Block] = [Tabular.of([Field("decision"), Field("cost per 1,000 cases")], rows)] if rows else []
    if decision["thresholds"]:
        each = ", ".join(f"{trimmed(value)} for {label}" for label, value in decision["thresholds"].items())
        grid.append(Paragraph.of(f"A class is predicted only if its probability reaches its threshold: {each}."))
    if any(decision["undecided"]):
        share = f"{100 * (1 - decision['coverage']['value']):.1f} %"
        labels = document["data"]["labels"]
        each = ", ".join(
            f"{count:g} of {label}" for label, count in zip(labels, decision["undecided"], strict=True) if count
        )
        grid.append(Paragraph.of(f"Left undecided: {share} of the cases ({each})."))
    return grid


# --- calibration


def calibration_blocks(document: Document, *, full: bool) -> list[Block]:
    """The calibration error: of the predicted class, and class by class."""
    section = document.get("calibration")
    if not section:
        return []
    kept = (
        section["estimates"]
        if full
        else [estimate for estimate in section["estimates"] if estimate["name"].endswith(("10", "ece"))]
    )
    rows: list[list[Cell]] = [[row["title"], value_cell(row), "0"] for row in kept]
    if full:
        rows += [
            [(Span("ECE of the probability of "), data(label, limit=24)), value_cell(estimate), "0"]
            for label, estimate in list(section["classes"].items())[:MOST]
        ]
    return [Tabular.of([Field("calibration"), Field("value"), Field("ideal", right=True)], rows)]


def _margin_blocks(document: Document) -> list[Block]:
    """Whether each class is predicted as often as it occurs."""
    margins = document.get("margins") or {}
    names = {
        "stuart_maxwell": "Test that each class is predicted as often as it occurs (Stuart-Maxwell)",
        "bowker": "Test that confusions are equally frequent in both directions (Bowker)",
    }
    lines = [f"{names[name]}: p {p_value(test['p'])}." for name, test in margins.items() if test.get("p") is not None]
    return [Paragraph.of(*lines)] if lines else []


# --- areas


def area_blocks(document: Document) -> list[Block]:
    """The mean AUCs with their limits and chance level, and the number of classes or pairs they average."""
    if document["auc"] is None:
        return []
    rows: list[list[Cell]] = []
    for how, average in document["auc"].items():
        value = from_json(average["value"])
        over = "" if average["over"] == average["of"] else f"over {average['over']} of {average['of']} {_units(how)}"
        limits = "" if math.isnan(value) else f"[{from_json(average['low']):.3f}, {from_json(average['high']):.3f}]"
        shown = strong("–" if math.isnan(value) else f"{value:.3f}")
        rows.append([AREAS.get(how, how), shown, quiet(limits), f"{average['baseline']:.3f}", quiet(over)])
    return [Tabular.of(["ROC AUC", Field("mean", right=True), "", Field("chance", right=True), ""], rows)]


def _units(how: str) -> str:
    return "pairs" if how == "hand-till" else "classes"


def _next(document: Document, full: bool) -> list[tuple[str, str]]:
    if not document["data"]["source"].get("file"):
        return []
    more = [] if full else [("--full", "every average, and a description of the methods")]
    return [REPORT_STEP, *more, ("rocscope explain macro average", "how classes are averaged")]
