"""A curve of scores, or one given by its points: its areas, a text drawing, and its points."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from rocscope import curves, intervals, measures, verdicts
from rocscope.curves import Curve
from rocscope.estimate import Estimate
from rocscope.hull import hull
from rocscope.report.sheet import Block, Cell, Field, Line, Paragraph, Tabular, alarm, letters, quiet, strong
from rocscope.report.sheet_formats import Look, Sheet, as_text
from rocscope.report.text_views.braille import Stroke, TextAxes, beside, draw
from rocscope.report.text_views.measures import interval_text
from rocscope.report.text_views.verdict import facts_line, remarks
from rocscope.table import ScoreTable
from rocscope.text import threshold_text, trimmed

# statistics of each curve: the main one first
AREAS: dict[str, tuple[str, ...]] = {
    "roc": ("auc", "hull_area"),
    "binormal_roc": ("binormal_auc", "auc"),
    "det": ("equal_error_rate", "auc"),
    "ks": ("ks_statistic",),
    "pr": ("average_precision", "pr_area", "pr_trapezoid"),
    "pr_points": ("pr_area", "average_precision", "pr_trapezoid"),
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
HEIGHT, NARROW = 15, 28  # lines of a plot, and minimum width in columns of the text next to it
DIAGONAL = (0.0, 1.0)
CHANCE = {  # y values at both ends of the line expected for random scores
    "roc": DIAGONAL, "binormal_roc": DIAGONAL, "gain": DIAGONAL, "calibration": DIAGONAL, "det": (1.0, 0.0),
    "lift": (1.0, 1.0),
}  # fmt: skip

DECISIONS = "net_benefit"  # kind of the curve whose threshold is a trade-off as well
MEASURED = ("sweep", "trade")  # kinds of curves whose axes are measures of counts


def curve_sheet(
    curve: Curve, table: ScoreTable, *, at: Sequence[float] = (), points: int | None = None, notes: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
) -> Sheet:  # fmt: skip
    """The curve of a table: its areas, its rows at some thresholds, about the requested number of points, and notes
    about the file.

    `options` are those used to compute it, such as costs; by default, those of a typical call.
    """
    # the titles of these areas name the range, share or price of a typical call
    areas = {name: intervals.of(table, name, **curves.get(name).options) for name in AREAS.get(curve.kind, ())}
    chosen = _rows_at(curve, table, at)
    shown = (curve.thin(points) if points is not None else curve).to_rows()
    name = curve.y if curve.kind in MEASURED else curve.kind
    one_row = not chosen and (curve.steps or curve.kind == DECISIONS)
    steps = [
        (f"--kind {'roc' if curve.kind == 'pr' else 'pr'}", "another view of the same scores"),
        *([("--at 0.5", "the row of one threshold")] if one_row else []),
        (f"rocscope explain {name}", "what it says"),
    ]

    def blocks(look: Look, single: bool) -> list[Block]:
        head = Paragraph.of(_areas_line(curve, areas, options), facts_line(table), *map(alarm, notes), hang=2)
        caveats = [*_undefined(curve), *(verdicts.misleads(table) if curve.kind == "roc" else [])]
        drawn = single and not chosen
        body = _drawn(curve, table, look) if drawn else [_grid(chosen or _some_rows(curve)[0])]
        return [head, *body, *remarks(caveats)]

    rows = chosen or shown
    return Sheet(
        _document(curve, table, areas, shown, options) | ({"at": chosen} if chosen else {}), blocks,
        lambda: Tabular.full(rows[0] if rows else ["threshold"], rows), steps,
    )  # fmt: skip


def _rows_at(curve: Curve, table: ScoreTable, at: Sequence[float]) -> list[dict[str, float]]:
    """The rows that apply at some thresholds.

    A decision curve is computed anew: its threshold is also the trade-off, so that it changes between scores too.
    """
    if curve.kind == DECISIONS and at:
        return [{"at": row["threshold"], **row} for row in intervals.decision_curve(table, pt=at)]
    return [{"at": threshold, **curve.at(threshold)} for threshold in at]


def _document(
    curve: Curve, table: ScoreTable, areas: dict[str, Estimate], points: list[dict[str, float]],
    options: Mapping[str, Any] | None,
) -> dict[str, Any]:  # fmt: skip
    usual = {} if curve.kind in MEASURED else dict(curves.get(curve.kind).options)
    return {
        "kind": curve.kind,
        "x": curve.x,
        "y": curve.y,
        "positives": table.positives,
        "negatives": table.negatives,
        "labels": {"negative": table.labels[0], "positive": table.labels[1]},
        "rule": table.rule,
        "options": usual if options is None else dict(options),
        "statistics": {name: area.to_dict() for name, area in areas.items()},
        "why": curve.why,
        "points": points,
    }


def _undefined(curve: Curve) -> list[str]:
    """Why rows are undefined, except for those that predict nothing or everything."""
    lost = sum(1 for value in curve.xy[1].tolist() if math.isnan(value))
    return [f"{curve.why}."] if lost > 2 and curve.why else []


def _areas_line(curve: Curve, areas: dict[str, Estimate], options: Mapping[str, Any] | None) -> Line:
    """The areas, with the first one emphasized and with its interval."""
    if not areas:
        return (strong(_against(curve) if curve.kind in MEASURED else _title(curve.kind, options)),)
    (name, first), *rest = areas.items()
    if math.isnan(first.value):
        return (strong(f"{_title(name)} undefined"), quiet(f"   {first.why}"))
    further = [quiet(f"   {_title(other)} {trimmed(area.value)}") for other, area in rest if not math.isnan(area.value)]
    return (strong(f"{_title(name)} {trimmed(first.value)} {interval_text(first)}".rstrip()), *further)


def _against(curve: Curve) -> str:
    """A measure against the threshold, or against another measure."""
    other = "the threshold" if curve.kind == "sweep" else measures.get(curve.x).title
    return f"{measures.get(curve.y).title} against {other}"


def _title(name: str, options: Mapping[str, Any] | None = None) -> str:
    reading = curves.get(name)
    if options is not None:
        return f"{reading.title} ({', '.join(f'{key} {value:g}' for key, value in options.items() if value)})"
    return f"{reading.title} ({reading.typical})" if reading.typical else reading.title


# --- plot


def _drawn(curve: Curve, table: ScoreTable, look: Look) -> list[Block]:
    """The drawing, with the table beside it or, if that is too wide, below."""
    rows, left_out = _some_rows(curve)
    if not any(math.isfinite(x) and math.isfinite(y) for x, y in zip(*curve.xy, strict=True)):
        return [_grid(rows)]
    blocks: list[Block] = [_grid(rows), *([Paragraph.of(quiet(left_out))] if left_out else [])]
    width = max(len(letters(line)) for line in as_text(blocks[:1], look))
    points = list(as_text(blocks, Look(look.fancy, max(width, NARROW))))
    height = max(HEIGHT, len(points) - 3)
    # characters are twice as tall as wide, so this is a square
    picture = _picture(curve, table, look, 2 * height + 2, height)
    both = beside(picture, points, gap=4)
    if max(len(letters(line)) for line in both) <= look.width:
        return [Paragraph(tuple(both))]
    below = _picture(curve, table, look, min(look.width - 12, 2 * HEIGHT + 2), HEIGHT)
    return [Paragraph(tuple(below)), *blocks]


def _picture(curve: Curve, table: ScoreTable, look: Look, width: int, height: int) -> list[Line]:
    # precision is not linear in recall between two points
    shape = curves.pr_points(curve.table) if curve.kind == "pr" and curve.table is not None else curve
    x, y = (list(map(float, column)) for column in shape.xy)
    facts = measures.get(curve.y) if curve.kind in MEASURED else curves.get(curve.kind)
    frame = TextAxes(
        width,
        height,
        x=_range(x, *(DIAGONAL if curve.x != "threshold" else (math.nan, math.nan))),
        y=_range(y, facts.low, facts.high),
        x_name=_axis_name(curve.x),
        y_name=_axis_name(curve.y),
    )
    return draw([Stroke(x, y, steps=curve.x == "threshold"), *_chance(curve, table, frame)], frame, look)


def _range(values: Sequence[float], low: float, high: float) -> tuple[float, float]:
    """The range to draw: 0 to 1 for proportions, else that of the curve."""
    finite = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    least, most = min(finite), max(finite)
    return (min(least, 0.0) if least < 1 else least), (max(most, least + 1e-9))


def _axis_name(column: str) -> str:
    names = {"fpr": "false positive rate", "tpr": "true positive rate", "fnr": "false negative rate"}
    return names.get(column, column.replace("_", " "))


def _chance(curve: Curve, table: ScoreTable, frame: TextAxes) -> list[Stroke]:
    """The curve of random scores."""
    ends = CHANCE.get(curve.kind)
    if curve.kind in ("pr", "pr_points") and table.positives + table.negatives:
        ends = (float(table.positives) / float(table.positives + table.negatives),) * 2
    return [Stroke(list(frame.x), list(ends), "quiet", every=6)] if ends else []


# --- table of points


def _some_rows(curve: Curve) -> tuple[list[dict[str, float]], str]:
    """Rows that fit on a screen, and a note on those omitted."""
    total = len(curve)
    if total <= TABLE_ROWS + 4:
        return curve.to_rows(), ""
    kept = curve.thin(TABLE_ROWS).to_rows()
    step = max(1, math.ceil((len(kept) - 1) / (TABLE_ROWS - 1)))
    rows = [row for index, row in enumerate(kept) if index % step == 0 or index == len(kept) - 1]
    return rows, f"{len(rows)} of {total:,} rows; --format csv and json list them all"


LIMITS = {"net_benefit": ("low", "high"), "avoided": ("avoided_low", "avoided_high")}


def _grid(rows: Sequence[dict[str, float]]) -> Tabular:
    """Rows of a curve as a table: limits stand in brackets after their value."""
    names = list(rows[0]) if rows else ["threshold"]
    if DECISIONS in names and LIMITS[DECISIONS][0] in names:
        return _decisions_grid(rows)
    columns = [Field(name.replace("_", " "), 4, right=True) for name in names]
    return Tabular.of(columns, [[_shown(name, row[name]) for name in names] for row in rows])


def _decisions_grid(rows: Sequence[dict[str, float]]) -> Tabular:
    """Rows of a decision curve, narrow enough for a terminal; the other columns are in CSV and JSON."""
    names = ("threshold", "net_benefit", "treat_all", "avoided")
    columns = [
        Field(name.replace("_", " ") + (", 95 % CI" if name in LIMITS else ""), 4, right=True) for name in names
    ]
    cells: list[list[Cell]] = [
        [_with_limits(row, name) if name in LIMITS else _shown(name, row[name]) for name in names] for row in rows
    ]
    return Tabular.of(columns, cells)


def _with_limits(row: Mapping[str, float], name: str) -> Cell:
    low, high = (row[limit] for limit in LIMITS[name])
    if math.isnan(row[name]):
        return row[name]
    limits = "" if math.isnan(low) else f" [{low:.4f}, {high:.4f}]"
    return f"{row[name]:.4f}{limits}"


def _shown(name: str, value: float) -> Cell:
    return threshold_text(value) if name in ("at", "threshold", "latent", "count") else value


# --- curve given by its points alone


def drawn_sheet(points: Sequence[tuple[float, float]]) -> Sheet:
    """A curve known only by its points: the area under the line through them, each trapezoid, and the picture."""
    area = curves.polyline_area(points)
    added = [curves.polyline_area(both) for both in pairwise([points[0], *points])]
    rows = [[x, y, part] for (x, y), part in zip(points, added, strict=True)]
    table = Tabular.of(["FPR", "TPR", Field("area added", right=True)], rows)

    def blocks(look: Look, single: bool) -> list[Block]:
        outline = hull({"curve": [(x, y, None) for x, y in points]})
        head = [
            strong(f"area under the drawn curve {trimmed(area)}"),
            quiet(f"   under its hull {trimmed(outline.area)}"),
        ]
        note = (
            "These areas are computed by the trapezoidal rule between the given points; without counts, they have no "
            "confidence intervals."
        )
        axes = TextAxes(2 * HEIGHT + 2, HEIGHT, x_name=_axis_name("fpr"), y_name=_axis_name("tpr"))
        x, y = zip(*points, strict=True)
        strokes = [Stroke(x, y), Stroke(DIAGONAL, DIAGONAL, "quiet", every=6)]
        picture = [Paragraph(tuple(draw(strokes, axes, look)))] if single else []
        return [Paragraph.of(head, [quiet(note)], hang=2), *picture, table]

    document = {"area": area, "points": [{"fpr": x, "tpr": y} for x, y in points], "trapezoids": added[1:]}
    steps = [("rocscope hull FILE", "the same points as operating points of a classifier, with costs")]
    return Sheet(document, blocks, lambda: table, steps)
