"""`rocscope trace`: the ROC algorithm, the k + 1 matrices or the hull, row by row, in exact fractions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any

import click

from rocscope import lessons
from rocscope.cli.options import force_option, format_option
from rocscope.cli.output import Format, emit
from rocscope.cli.shared.predictions import ColumnOptions, facts_line, prediction_options, read_predictions
from rocscope.cli.streams import say
from rocscope.errors import RocscopeError
from rocscope.lessons import HullTrace, MatrixRow, RocRow, subject
from rocscope.report import (
    Block,
    Cell,
    Field,
    Look,
    Paragraph,
    Span,
    Tabular,
    alarm,
    check_target,
    model,
    next_steps,
    quiet,
    strong,
    write_file,
)  # fmt: skip
from rocscope.table import ScoreTable
from rocscope.text import threshold_text, with_decimal

MOST = 60  # rows that people follow one by one

EPILOG = """\b
Examples:
  rocscope trace scores.csv --label y --score p
  rocscope trace --example five-points
  rocscope trace --example six-cases --what predictions
  rocscope trace --example c45-svm --what hull
  rocscope trace --html learn.html
"""


@click.command(epilog=EPILOG)
@click.argument("file", required=False, metavar="[FILE]")
@prediction_options
@click.option("--example", metavar="NAME", help="Worked example instead of a file: see rocscope examples.")
@click.option("--what", type=click.Choice(["roc", "matrices", "predictions", "hull"]), default="roc", show_default=True,
              help="Curve and area, matrices or predictions at every threshold, or the convex hull.")  # fmt: skip
@click.option("--html", metavar="OUT", help="HTML page to write, which plays the algorithm in the classroom.")
@force_option
@format_option
def command(
    file: str | None, example: str | None, what: str, html: str | None, force: bool, format: Format, **columns: Any
) -> None:
    """Work out an algorithm row by row, with every fraction. FILE holds labels and scores; - is standard input.

    --html writes a page that plays it step by step, where rows can be dragged to make another ranking; without FILE
    or example it starts with Fawcett's twenty instances.
    """
    inputs = [file] if file is not None else []
    if html is not None:
        check_target(html, force=force, inputs=inputs)
        example = example or ("fawcett" if file is None else None)
    if (file is None) == (example is None):
        raise click.UsageError("one of FILE and --example NAME is needed")
    held, remarks = _held(file, example, ColumnOptions(**columns))
    if html is not None:
        _write_page(held, html, force, inputs)
        return
    if what == "hull" or not isinstance(held, ScoreTable):
        _show_hull(held, what, remarks, format)
    elif what == "matrices":
        _show_matrices(held, remarks, format)
    elif what == "predictions":
        _show_predictions(held, remarks, format)
    else:
        _show_roc(held, remarks, format)


def _write_page(held: Any, html: str, force: bool, inputs: Sequence[str]) -> None:
    from rocscope.report import teaching

    if not isinstance(held, ScoreTable):
        raise RocscopeError("the page plays a ranking: cases with scores are needed", hint="Try --example fawcett")
    write_file(html, teaching(held, source=", ".join(inputs)), force=force, inputs=inputs)
    say(f"rocscope: {html} written")


def _held(file: str | None, example: str | None, asked: ColumnOptions) -> tuple[Any, Sequence[str]]:
    """A score table, or the points of single classifiers; and what is to be said about the file."""
    if example is None:
        found = read_predictions(str(file), asked)
        return found.first, found.remarks
    one = lessons.example(example)
    if one.kind == "points":
        return one.data["points"], ()
    if one.kind not in ("scores", "thresholds"):
        raise RocscopeError(f"the example '{example}' has no scores to rank", hint="five-points and fawcett have")
    return subject(one.kind, one.data), ()


# --- the curve and its area


def _show_roc(table: ScoreTable, remarks: Sequence[str], format: Format) -> None:
    rows = lessons.table_trace(table)
    columns = [
        *(Field("threshold", right=True), Field("FP"), Field("TP"), Field("FPR", right=True)),
        *(Field("TPR", right=True), Field("move"), Field("adds", right=True), Field("area so far")),
    ]

    def sheet(look: Look) -> list[Block]:
        says = look.width >= 120 and format == "text" and len(rows) <= 30
        shown, left_out = _few([_roc_line(row, says) for row in rows])
        named = [*columns, Field("what happens")] if says else columns
        head = Paragraph.of([strong(f"AUC {with_decimal(rows[-1].area)}")], facts_line(table), *map(alarm, remarks))
        return [head, Tabular.of(named, shown), *_left_out(left_out), *_next("roc", format)]

    emit(
        {"auc": rows[-1].area, "value": float(rows[-1].area), "rows": [asdict(row) for row in rows]},
        format=format,
        sheet=sheet,
        rows=_roc_rows(rows),
    )


def _roc_line(row: RocRow, says: bool) -> list[Cell]:
    adds = str(row.step) if row.step else ""
    area = strong(with_decimal(row.area)) if row.step else quiet(with_decimal(row.area))
    line: list[Cell] = [threshold_text(row.threshold), row.fp, row.tp, str(row.fpr), str(row.tpr)]
    what = row.says if row.move == "start" else row.says.partition(": ")[2]  # the threshold stands in its own column
    return [*line, model(row.move), adds, area, *([quiet(what)] if says else [])]


def _roc_rows(rows: Sequence[RocRow]) -> Tabular:
    names = ["threshold", "fp", "tp", "fpr", "tpr", "move", "adds", "area", "says"]
    cells: list[list[Cell]] = [[r.threshold, r.fp, r.tp, r.fpr, r.tpr, r.move, r.step, r.area, r.says] for r in rows]
    return Tabular.of([Field(name, None) for name in names], cells)


# --- a matrix for every threshold


def _show_matrices(table: ScoreTable, remarks: Sequence[str], format: Format) -> None:
    rows = [_matrix_row(table, threshold) for threshold in table.thresholds.tolist()]
    columns = [Field("threshold", right=True), *map(Field, ("TP", "FP", "FN", "TN"))]
    columns += [Field(name, right=True) for name in ("FPR", "TPR", "accuracy")]

    def sheet(look: Look) -> list[Block]:
        shown, left_out = _few([_matrix_line(row) for row in rows])
        head = Paragraph.of(
            strong(f"{len(rows)} matrices for {len(table)} different scores"), facts_line(table), *map(alarm, remarks)
        )
        return [head, Tabular.of(columns, shown), *_left_out(left_out), *_next("matrices", format)]

    names = ["threshold", "tp", "fp", "fn", "tn", "fpr", "tpr", "accuracy"]
    cells = [[getattr(row, name) for name in names] for row in rows]
    grid = Tabular.of([Field(name, None) for name in names], cells)
    emit({"rows": [asdict(row) for row in rows]}, format=format, sheet=sheet, rows=grid)


def _matrix_row(table: ScoreTable, threshold: float) -> MatrixRow:
    c = table.at(threshold)
    return MatrixRow(threshold, c.tp, c.fp, c.fn, c.tn, c.exact("fpr"), c.exact("tpr"), c.exact("accuracy"))


def _matrix_line(row: MatrixRow) -> list[Cell]:
    rates = [str(row.fpr), str(row.tpr), with_decimal(row.accuracy)]
    return [threshold_text(row.threshold), row.tp, row.fp, row.fn, row.tn, *rates]


# --- what every threshold predicts


def _show_predictions(table: ScoreTable, remarks: Sequence[str], format: Format) -> None:
    rows = lessons.predictions_trace(table)
    thresholds = [threshold_text(at) for at in rows[0].predicted]
    several = any(row.cases != 1 for row in rows)
    head = ["label", "score", *(["cases"] if several else [])]
    lines: list[list[Cell]] = [
        [row.label, threshold_text(row.score), *([row.cases] if several else []), *row.predicted.values()]
        for row in rows
    ]

    def sheet(look: Look) -> list[Block]:
        fitting = max((look.width - 24) // 7, 3) if format == "text" else len(thresholds)
        shown, left_out = _few([line[: len(head) + fitting] for line in lines])
        columns = [*(Field(name, right=True) for name in (*head, *thresholds[:fitting]))]
        said = strong(f"what each of {len(thresholds)} thresholds predicts")
        more = f"{fitting} of {len(thresholds)} thresholds; --format csv has all" if fitting < len(thresholds) else ""
        notes = [Paragraph.of(quiet(more))] if more else []
        first = Paragraph.of(said, facts_line(table), *map(alarm, remarks))
        return [first, Tabular.of(columns, shown), *notes, *_left_out(left_out), *_next("predictions", format)]

    grid = Tabular.of([Field(name, None) for name in (*head, *thresholds)], lines)
    keyed = [{**asdict(row), "predicted": dict(zip(thresholds, row.predicted.values(), strict=True))} for row in rows]
    emit({"rows": keyed}, format=format, sheet=sheet, rows=grid)


# --- the hull


def _show_hull(held: Any, what: str, remarks: Sequence[str], format: Format) -> None:
    if not isinstance(held, ScoreTable) and what in ("matrices", "predictions"):
        raise click.UsageError("single classifiers have no thresholds; --what hull is theirs")
    trace = lessons.hull_trace(_points(held) if isinstance(held, ScoreTable) else held)
    point = "threshold" if isinstance(held, ScoreTable) else "point"
    names = ("step", point, "FPR", "TPR", "slope", "why")
    columns = [Field(name, right=name in ("FPR", "TPR", "slope")) for name in names]

    def sheet(look: Look) -> list[Block]:
        shown, left_out = _few([_hull_line(step) for step in trace.steps])
        corners = ", ".join(name for name, _, _ in trace.corners)
        head = Paragraph.of([strong(f"{len(trace.corners)} corners: "), corners], *map(alarm, remarks), hang=2)
        slopes = Paragraph.of([quiet("slopes between them  "), Span(", ".join(map(_slope, trace.slopes)))], hang=2)
        return [head, Tabular.of(columns, shown), *_left_out(left_out), slopes]

    fields = ["action", "name", "fpr", "tpr", "slope", "why"]
    cells = [[getattr(step, name) for name in fields] for step in trace.steps]
    emit(_hull_document(trace), format=format, sheet=sheet, rows=Tabular.of([Field(n, None) for n in fields], cells))


def _points(table: ScoreTable) -> dict[str, tuple[Fraction, Fraction]]:
    rows = lessons.table_trace(table)
    named = {threshold_text(row.threshold): (row.fpr, row.tpr) for row in rows[1:-1]}
    return {"always negative": (Fraction(0), Fraction(0)), **named, "always positive": (Fraction(1), Fraction(1))}


def _hull_line(step: Any) -> list[Cell]:
    action = alarm("drop") if step.action == "drop" else model("add")
    return [action, step.name, str(step.fpr), str(step.tpr), _slope(step.slope), quiet(step.why)]


def _slope(value: Fraction | float) -> str:
    return "inf" if isinstance(value, float) and math.isinf(value) else str(value)


def _hull_document(trace: HullTrace) -> dict[str, Any]:
    corners = [{"name": name, "fpr": fpr, "tpr": tpr} for name, fpr, tpr in trace.corners]
    return {"corners": corners, "slopes": list(trace.slopes), "steps": [asdict(step) for step in trace.steps]}


# --- what all have in common


def _few(lines: list[list[Cell]]) -> tuple[list[list[Cell]], int]:
    """At most as many lines as people follow: the first and the last ones, with a gap between."""
    if len(lines) <= MOST:
        return lines, 0
    gap: list[Cell] = [quiet("..."), *[""] * (len(lines[0]) - 1)]
    half = MOST // 2
    numeric = [None if isinstance(cell, int | float) else cell for cell in lines[0]]
    middle = [None if cell is None else blank for cell, blank in zip(numeric, gap, strict=True)]
    return [*lines[:half], middle, *lines[-half:]], len(lines) - MOST


def _left_out(rows: int) -> list[Block]:
    if not rows:
        return []
    return [Paragraph.of(alarm(f"{rows:,} rows between are left out here; --format csv and json have them all."))]


def _next(shown: str, format: Format) -> list[Block]:
    """The other traces."""
    every = {
        "roc": "the curve and its area, row by row",
        "matrices": "a matrix for every threshold",
        "predictions": "a column of predictions for every threshold",
        "hull": "the convex hull, point by point",
    }
    steps = [(f"--what {name}", says) for name, says in every.items() if name != shown]
    return next_steps(steps) if format == "text" else []
