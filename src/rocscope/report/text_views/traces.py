"""An algorithm row by row, in exact fractions: the ROC curve and its area, a matrix for every threshold, the hull."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from rocscope import lessons
from rocscope.lessons import HullStep, RocRow
from rocscope.report.sheet import Block, Cell, Field, Paragraph, Span, Tabular, alarm, model, quiet, strong
from rocscope.report.sheet_formats import Look, Sheet
from rocscope.report.text_views.verdict import facts_line
from rocscope.table import ScoreTable
from rocscope.text import threshold_text, with_decimal

MOST = 60  # maximum number of rows shown step by step
# minimum terminal width in columns, and maximum number of rows, for an explanation of each step
WIDE, EXPLAINED = 120, 30
STEPS = {
    "roc": ("--what roc", "the curve and its area, row by row"),
    "matrices": ("--what matrices", "a matrix for every threshold"),
    "predictions": ("--what predictions", "a column of predictions for every threshold"),
    "hull": ("--what hull", "the convex hull, point by point"),
}
Points = Mapping[str, tuple[Fraction, Fraction]]


def roc_trace_sheet(table: ScoreTable, notes: Sequence[str] = ()) -> Sheet:
    """The ROC curve and its area."""
    rows = lessons.table_trace(table)
    names = ("threshold", "FP", "TP", "FPR", "TPR", "move", "adds", "area so far")
    columns = [Field(name, right=name in ("threshold", "FPR", "TPR", "adds")) for name in names]

    def blocks(look: Look, single: bool) -> list[Block]:
        says = look.width >= WIDE and single and len(rows) <= EXPLAINED
        head = Paragraph.of([strong(f"AUC {with_decimal(rows[-1].area)}")], facts_line(table), *map(alarm, notes))
        shown = [*columns, Field("what happens")] if says else columns
        return [head, *_table(shown, [_roc_line(row, says) for row in rows])]

    records = [asdict(row) for row in rows]
    document = {"auc": rows[-1].area, "value": float(rows[-1].area), "rows": records}
    fields = ("threshold", "fp", "tp", "fpr", "tpr", "move", "adds", "area", "says")
    return Sheet(
        document, blocks, lambda: Tabular.full(fields, ({**row, "adds": row["step"]} for row in records)),
        _others("roc"),
    )  # fmt: skip


def _roc_line(row: RocRow, says: bool) -> list[Cell]:
    adds = str(row.step) if row.step else ""
    area = strong(with_decimal(row.area)) if row.step else quiet(with_decimal(row.area))
    line: list[Cell] = [threshold_text(row.threshold), row.fp, row.tp, str(row.fpr), str(row.tpr)]
    what = row.says if row.move == "start" else row.says.partition(": ")[2]  # the threshold has its own column
    return [*line, model(row.move), adds, area, *([quiet(what)] if says else [])]


def matrices_sheet(table: ScoreTable, notes: Sequence[str] = ()) -> Sheet:
    """A matrix for every threshold."""
    rows = lessons.table_matrices(table)
    columns = [Field("threshold", right=True), *map(Field, ("TP", "FP", "FN", "TN"))]
    columns += [Field(name, right=True) for name in ("FPR", "TPR", "accuracy")]

    def blocks(look: Look, single: bool) -> list[Block]:
        lines: list[list[Cell]] = [
            [threshold_text(row.threshold), row.tp, row.fp, row.fn, row.tn, str(row.fpr), str(row.tpr),
             with_decimal(row.accuracy)]
            for row in rows
        ]  # fmt: skip
        says = strong(f"{len(rows)} matrices for {len(table)} different scores")
        return [Paragraph.of(says, facts_line(table), *map(alarm, notes)), *_table(columns, lines)]

    records = [asdict(row) for row in rows]
    return Sheet({"rows": records}, blocks, lambda: Tabular.full(records[0], records), _others("matrices"))


def predictions_sheet(table: ScoreTable, notes: Sequence[str] = ()) -> Sheet:
    """What every threshold predicts for every score."""
    rows = lessons.predictions_trace(table)
    thresholds = [threshold_text(at) for at in rows[0].predicted]
    several = any(row.cases != 1 for row in rows)
    head = ["label", "score", *(["cases"] if several else [])]
    lines: list[list[Cell]] = [
        [row.label, threshold_text(row.score), *([row.cases] if several else []), *row.predicted.values()]
        for row in rows
    ]

    def blocks(look: Look, single: bool) -> list[Block]:
        shown = max((look.width - 24) // 7, 3) if single else len(thresholds)
        columns = [Field(name, right=True) for name in (*head, *thresholds[:shown])]
        headline = strong(f"what each of {len(thresholds)} thresholds predicts")
        first = Paragraph.of(headline, facts_line(table), *map(alarm, notes))
        grid, *left_out = _table(columns, [line[: len(head) + shown] for line in lines])
        more = f"{shown} of {len(thresholds)} thresholds; --format csv lists them all"
        return [first, grid, *([Paragraph.of(quiet(more))] if shown < len(thresholds) else []), *left_out]

    keyed = [{**asdict(row), "predicted": dict(zip(thresholds, row.predicted.values(), strict=True))} for row in rows]
    return Sheet({"rows": keyed}, blocks, lambda: Tabular.full((*head, *thresholds), lines), _others("predictions"))


def _others(shown: str) -> list[tuple[str, str]]:
    """The other traces, as suggestions."""
    return [step for name, step in STEPS.items() if name != shown]


def hull_trace_sheet(held: ScoreTable | Points, notes: Sequence[str] = ()) -> Sheet:
    """The convex hull of a table's thresholds, or of single classifiers."""
    points, what = (_points(held), "threshold") if isinstance(held, ScoreTable) else (held, "point")
    trace = lessons.hull_trace(points)
    names = ("step", what, "FPR", "TPR", "slope", "why")
    columns = [Field(name, right=name in ("FPR", "TPR", "slope")) for name in names]

    def blocks(look: Look, single: bool) -> list[Block]:
        corners = ", ".join(name for name, _, _ in trace.corners)
        head = Paragraph.of([strong(f"{len(trace.corners)} corners: "), corners], *map(alarm, notes), hang=2)
        slopes = Paragraph.of([quiet("slopes between them  "), Span(", ".join(map(_slope, trace.slopes)))], hang=2)
        return [head, *_table(columns, [_hull_line(step) for step in trace.steps]), slopes]

    records = [asdict(step) for step in trace.steps]
    document: dict[str, Any] = {
        "corners": [{"name": name, "fpr": fpr, "tpr": tpr} for name, fpr, tpr in trace.corners],
        "slopes": list(trace.slopes),
        "steps": records,
    }
    return Sheet(document, blocks, lambda: Tabular.full(records[0], records))


def _points(table: ScoreTable) -> Points:
    rows = lessons.table_trace(table)
    named = {threshold_text(row.threshold): (row.fpr, row.tpr) for row in rows[1:-1]}
    return {"always negative": (Fraction(0), Fraction(0)), **named, "always positive": (Fraction(1), Fraction(1))}


def _hull_line(step: HullStep) -> list[Cell]:
    action = alarm("drop") if step.action == "drop" else model("add")
    return [action, step.name, str(step.fpr), str(step.tpr), _slope(step.slope), quiet(step.why)]


def _slope(value: Fraction | float) -> str:
    return "inf" if isinstance(value, float) and math.isinf(value) else str(value)


def _table(columns: Sequence[Field], lines: Sequence[list[Cell]]) -> list[Block]:
    """A limited number of lines: the first and the last ones, with a gap between."""
    rest = len(lines) - MOST
    if rest <= 0:
        return [Tabular.of(columns, lines)]
    # None keeps the column numeric
    gap: list[Cell] = [None if isinstance(cell, int | float) else "" for cell in lines[0]]
    gap[0] = gap[0] if gap[0] is None else quiet("...")
    shown: list[list[Cell]] = [*lines[: MOST // 2], gap, *lines[-(MOST // 2) :]]
    left_out = alarm(f"{rest:,} rows in between are left out here; --format csv and json list them all.")
    return [Tabular.of(columns, shown), Paragraph.of(left_out)]
