"""`rocscope curve`: a curve of scores drawn in the terminal, its areas, and its points."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from rocscope import curves, intervals, measures, verdicts
from rocscope.cli.options import force_option, format_option
from rocscope.cli.output import Format, emit
from rocscope.cli.shared.drawn_curve import drawn_points, show_drawn
from rocscope.cli.shared.predictions import ColumnOptions, Predictions, facts_line, prediction_options, read_predictions
from rocscope.cli.streams import say
from rocscope.curves import Curve
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.estimate import Estimate
from rocscope.report import (
    Block,
    Cell,
    Field,
    Line,
    Look,
    Paragraph,
    Stroke,
    Tabular,
    TextAxes,
    alarm,
    as_text,
    beside,
    draw,
    interval_text,
    letters,
    next_steps,
    quiet,
    remarks,
    strong,
)  # fmt: skip
from rocscope.table import ScoreTable
from rocscope.text import threshold_text, trimmed

# which statistics belong to a curve: the first is the answer, the others stand beside it
AREAS: dict[str, tuple[str, ...]] = {
    "roc": ("auc", "hull_area"),
    "binormal_roc": ("binormal_auc", "auc"),
    "det": ("equal_error_rate", "auc"),
    "ks": ("ks_statistic",),
    "pr": ("average_precision", "pr_area"),
    "pr_points": ("pr_area", "average_precision"),
    "pr_gain": ("pr_gain_area",),
    "gain": ("gini", "auc"),
    "lift": ("lift_at",),
    "calibration": ("brier", "calibration_slope", "smooth_ece"),
    "cost": ("h_measure",),
    "brier_curve": ("brier",),
    "risk_coverage": ("aurc",),
    "net_benefit": ("net_benefit_at",),
}
TABLE_ROWS = 12
HEIGHT, NARROW = 15, 28  # lines of a drawing, and columns of a note beside it

EPILOG = """\b
Examples:
  rocscope curve scores.csv --label y --score p
  rocscope curve scores.csv --label y --score p --kind pr --at 0.5
  rocscope curve thresholds.csv --lower-is-positive --format csv
  rocscope curve drawn.csv                     (columns fpr, tpr: its area)
  rocscope curve --shape poor                  (a ranking to learn from)
  rocscope curve scores.csv --label y --score a --score b --plot roc.svg

Kinds: roc, pr, pr-gain, det, ks, gain, lift, calibration, cost, brier-curve, net-benefit, risk-coverage,
binormal-roc, expected-cost, or any measure against the threshold (f1, mcc ...).
"""


@click.command(epilog=EPILOG)
@click.argument("file", required=False)
@prediction_options
@click.option("--kind", default="roc", show_default=True, metavar="KIND", help="Kind of curve, or a measure.")
@click.option("--at", "at", type=float, multiple=True, metavar="T", help="Threshold of a row; may be repeated.")
@click.option("--points", type=click.IntRange(min=2), metavar="N", help="Approximate number of points in csv and json.")
@click.option("--plot", metavar="OUT", help="Picture file: .svg, .pdf or .png; several --score in one picture.")
@click.option("--shape", metavar="NAME", help="Example ranking instead of a file: good, poor, ...")
@force_option
@format_option
def command(
    file: str | None, kind: str, at: tuple[float, ...], points: int | None, plot: str | None, shape: str | None,
    force: bool, format: Format, **columns: Any,
) -> None:  # fmt: skip
    """Draw a curve and print its areas and points.

    FILE holds labels and scores, or thresholds with tp, fp, fn, tn (tp and tn with --positives and --negatives), or
    the points of a drawn curve (fpr, tpr), whose area is computed by trapezoids; - is standard input.
    """
    asked = ColumnOptions(**columns)
    if len(asked.scores) > 1 and plot is None:
        raise click.UsageError("one --score at a time; rocscope hull compares several, and --plot draws them")
    if (file is None) == (shape is None):
        raise click.UsageError("a FILE is needed, or --shape NAME")
    source = file or str(shape)
    if plot is not None:
        _check_picture(plot, force, source)
    if file is not None and (drawn := drawn_points(file, asked)) is not None:
        show_drawn(drawn, format)
        return
    found = read_predictions(file, asked) if file is not None else _of_shape(source)
    if plot is not None:
        _draw(found, kind, plot, force, source)
    if len(asked.scores) > 1:
        return
    curve = _curve(kind, found.first)
    answer = _Answer(found, curve, _statistics(curve, found.first), [{"at": one, **curve.at(one)} for one in at])
    shown = curve.thin(points) if points is not None else curve
    emit(_document(answer, shown), format=format, sheet=lambda look: _sheet(answer, look, format),
         rows=_rows(answer.at or shown.to_rows()))  # fmt: skip


def _of_shape(name: str) -> Predictions:
    """The score tables of an example ranking."""
    from rocscope import lessons

    one = lessons.shape(name)
    return Predictions({model: one.table(model) for model in one.models}, name, (f"{one.title}. {one.says}",))


@dataclass(frozen=True, slots=True)
class _Answer:
    found: Predictions
    curve: Curve
    statistics: dict[str, tuple[str, Estimate]]
    at: list[dict[str, float]]


def _check_picture(plot: str, force: bool, file: str) -> None:
    """Refuse what cannot be drawn or written before the file is read."""
    from rocscope import plots
    from rocscope.report import check_target

    plots.check_ending(plot)
    check_target(plot, force=force, inputs=[file])


def _draw(found: Predictions, kind: str, plot: str, force: bool, file: str) -> None:
    """The curve of each score in one picture, the first one thick and with its band."""
    from rocscope import plots
    from rocscope.report import write_file

    ax = None
    for place, (name, table) in enumerate(found.tables.items()):
        label = name if len(found.tables) > 1 else ""
        ax = plots.curve(_curve(kind, table), ax, label=label, model=place + 1, chosen=place == 0)
    assert ax is not None
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        made = plots.picture(ax, plots.check_ending(plot))
    if any("missing from font" in str(one.message) for one in said):
        say("rocscope: the font of the figure lacks letters of some names; they are drawn as boxes")
    write_file(plot, made, force=force, inputs=[file])
    say(f"rocscope: {plot} written")


def _curve(kind: str, table: ScoreTable) -> Curve:
    """The curve of that name, or that measure at every threshold."""
    name = kind.strip().lower().replace("-", "_").replace(" ", "_")
    known = {alias: reading for alias, reading in curves.names().items() if reading.kind == "curve"}
    if name in known:
        curve: Curve = known[name](table)
        return curve
    try:
        return curves.sweep(table, measures.get(kind).name)
    except RocscopeError:
        if name in curves.names():
            raise RocscopeError(f"{kind} is a number, not a curve", hint=f"Known: {', '.join(sorted(AREAS))}") from None
        hint = did_you_mean(name, {*known, *measures.names()}) or f"Known: {', '.join(sorted(AREAS))}"
        raise RocscopeError(f"no curve '{kind}'", hint=hint) from None


def _statistics(curve: Curve, table: ScoreTable) -> dict[str, tuple[str, Estimate]]:
    """Name -> title and value of the numbers that belong to a curve, with their closed-form intervals."""
    found = {}
    for name in AREAS.get(curve.kind, ()):
        reading = curves.get(name)
        title = f"{reading.title} ({reading.typical})" if reading.typical else reading.title
        found[name] = (title, intervals.of(table, name))
    return found


# --- text


def _sheet(answer: _Answer, look: Look, format: Format) -> list[Block]:
    head = Paragraph.of(_answer_line(answer), facts_line(answer.found.first), *map(alarm, answer.found.remarks), hang=2)
    caveats = [
        *_undefined(answer.curve),
        *(verdicts.misleads(answer.found.first) if answer.curve.kind == "roc" else []),
    ]
    blocks: list[Block] = [head]
    if answer.at:
        blocks.append(_grid(answer.at))
    elif format == "text":
        blocks += _drawn(answer, look)
    else:
        blocks.append(_grid(_some_rows(answer.curve)[0]))
    return [*blocks, *remarks(caveats), *(_next(answer) if format == "text" else [])]


def _undefined(curve: Curve) -> list[str]:
    """Why rows are undefined, unless it is only those that predict nothing or everything."""
    lost = sum(1 for value in curve.xy[1].tolist() if math.isnan(value))
    return [f"{curve.why}."] if lost > 2 and curve.why else []


def _answer_line(answer: _Answer) -> Line:
    """The areas, the first one to be seen first and with its interval."""
    found = list(answer.statistics.values())
    if not found:
        return (strong(_title(answer.curve)),)
    title, first = found[0]
    if math.isnan(first.value):
        return (strong(f"{title} undefined"), quiet(f"   {first.why}"))
    limits = f" {interval_text(first)}" if interval_text(first) else ""
    others = [quiet(f"   {name} {trimmed(one.value)}") for name, one in found[1:] if not math.isnan(one.value)]
    return (strong(f"{title} {trimmed(first.value)}{limits}"), *others)


def _title(curve: Curve) -> str:
    if curve.kind == "sweep":
        return f"{measures.get(curve.y).title} against the threshold"
    reading = curves.get(curve.kind)
    return f"{reading.title} ({reading.typical})" if reading.typical else reading.title


def _drawn(answer: _Answer, look: Look) -> list[Block]:
    """The drawing, and the table beside it or, where that is too wide, below."""
    rows, left_out = _some_rows(answer.curve)
    if not any(math.isfinite(x) and math.isfinite(y) for x, y in zip(*answer.curve.xy, strict=True)):
        return [_grid(rows)]
    blocks: list[Block] = [_grid(rows), *([Paragraph.of(quiet(left_out))] if left_out else [])]
    width = max(len(letters(line)) for line in as_text(blocks[:1], look))
    table = list(as_text(blocks, Look(look.fancy, max(width, NARROW))))
    height = max(HEIGHT, len(table) - 3)
    picture = _picture(answer, look, 2 * height + 2, height)  # a letter is twice as high as wide: a square
    both = beside(picture, table, gap=4)
    if max(len(letters(line)) for line in both) <= look.width:
        return [Paragraph(tuple(both))]
    return [Paragraph(tuple(_picture(answer, look, min(look.width - 12, 2 * HEIGHT + 2), HEIGHT))), *blocks]


def _picture(answer: _Answer, look: Look, width: int, height: int) -> list[Line]:
    curve = answer.curve
    x, y = (list(map(float, column)) for column in _exact_shape(curve).xy)
    facts = None if curve.kind == "sweep" else curves.get(curve.kind)
    frame = TextAxes(
        width,
        height,
        x=_range(x, *((0.0, 1.0) if curve.x != "threshold" else (math.nan, math.nan))),
        y=_range(y, *((facts.low, facts.high) if facts else _bounds(curve.y))),
        x_name=_axis_name(curve.x),
        y_name=_axis_name(curve.y),
    )
    strokes = [Stroke(x, y, steps=curve.x == "threshold"), *_chance(answer, frame)]
    return draw(strokes, frame, look)


def _exact_shape(curve: Curve) -> Curve:
    """The curve as it is drawn: precision and recall are not straight between two points."""
    return curves.pr_points(curve.table) if curve.kind == "pr" and curve.table is not None else curve


def _bounds(measure: str) -> tuple[float, float]:
    found = measures.get(measure)
    return found.low, found.high


def _range(values: Sequence[float], low: float, high: float) -> tuple[float, float]:
    """The range to draw: 0 to 1 where that is the range, else what the curve covers."""
    finite = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    least, most = min(finite), max(finite)
    return (min(least, 0.0) if least < 1 else least), (max(most, least + 1e-9))


def _axis_name(column: str) -> str:
    names = {"fpr": "false positive rate", "tpr": "true positive rate", "fnr": "false negative rate"}
    return names.get(column, column.replace("_", " "))


def _chance(answer: _Answer, frame: TextAxes) -> list[Stroke]:
    """What scores without meaning would draw."""
    kind, table = answer.curve.kind, answer.found.first
    ends = {"roc": (0.0, 1.0), "binormal_roc": (0.0, 1.0), "gain": (0.0, 1.0), "calibration": (0.0, 1.0),
            "det": (1.0, 0.0)}.get(kind)  # fmt: skip
    if kind in ("pr", "pr_points") and table.positives + table.negatives:
        share = float(table.positives) / float(table.positives + table.negatives)
        ends = (share, share)
    if kind == "lift":
        ends = (1.0, 1.0)
    return [Stroke(list(frame.x), list(ends), "quiet", every=6)] if ends else []


def _some_rows(curve: Curve) -> tuple[list[dict[str, float]], str]:
    """Rows that fit on a screen, and what was left out."""
    total = len(curve)
    if total <= TABLE_ROWS + 4:
        return curve.to_rows(), ""
    kept = curve.thin(TABLE_ROWS).to_rows()
    step = max(1, math.ceil((len(kept) - 1) / (TABLE_ROWS - 1)))
    rows = [row for index, row in enumerate(kept) if index % step == 0 or index == len(kept) - 1]
    return rows, f"{len(rows)} of {total:,} rows; --format csv and json have all"


def _grid(rows: Sequence[dict[str, float]]) -> Tabular:
    names = list(rows[0]) if rows else ["threshold"]
    columns = [Field(name.replace("_", " "), 4, right=True) for name in names]
    return Tabular.of(columns, [[_shown(name, row[name]) for name in names] for row in rows])


def _shown(name: str, value: float) -> Cell:
    return threshold_text(value) if name in ("at", "threshold", "count") else value


def _rows(rows: Sequence[dict[str, float]]) -> Tabular:
    names = list(rows[0]) if rows else ["threshold"]
    return Tabular.of([Field(name, None) for name in names], [[row[name] for name in names] for row in rows])


def _next(answer: _Answer) -> list[Block]:
    other = "roc" if answer.curve.kind == "pr" else "pr"
    return next_steps([
        (f"--kind {other}", "the other side of the same scores"),
        *([] if answer.at or not answer.curve.steps else [("--at 0.5", "the row of one threshold")]),
        (f"rocscope explain {answer.curve.kind if answer.curve.kind != 'sweep' else answer.curve.y}", "what it says"),
    ])  # fmt: skip


# --- the document


def _document(answer: _Answer, shown: Curve) -> dict[str, Any]:
    table = answer.found.first
    document: dict[str, Any] = {
        "kind": answer.curve.kind,
        "x": answer.curve.x,
        "y": answer.curve.y,
        "positives": table.positives,
        "negatives": table.negatives,
        "labels": {"negative": table.labels[0], "positive": table.labels[1]},
        "rule": table.rule,
        "options": {} if answer.curve.kind == "sweep" else dict(curves.get(answer.curve.kind).options),
        "statistics": {name: found.to_dict() for name, (_, found) in answer.statistics.items()},
        "why": answer.curve.why,
        "points": shown.to_rows(),
    }
    return {**document, "at": answer.at} if answer.at else document
