"""`rocscope hull`: which model and which threshold is cheapest, from which cost ratio to which."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import click

from rocscope import curves, verdicts
from rocscope import hull as hulls
from rocscope.cli.options import format_option
from rocscope.cli.output import Format, emit
from rocscope.cli.reader import read
from rocscope.cli.shared.predictions import (
    ColumnOptions,
    facts_line,
    prediction_options,
    predictions_of,
    saved_predictions,
)
from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.evaluation import is_saved
from rocscope.hull import Hull
from rocscope.report import (
    Block,
    Cell,
    Field,
    Line,
    Look,
    Paragraph,
    Ratios,
    Span,
    Tabular,
    alarm,
    as_text,
    beside,
    choice_dict,
    choice_lines,
    cost_ranges,
    data,
    draw_hull,
    hull_table,
    interval_rows,
    letters,
    next_steps,
    quiet,
    strong,
)  # fmt: skip
from rocscope.report import (
    break_evens as all_break_evens,
)
from rocscope.sources import RocPoint, is_point_table, roc_points
from rocscope.table import ScoreTable
from rocscope.text import significant, trimmed

EPILOG = """\b
Examples:
  rocscope hull scores.csv --label y --score a --score b
  rocscope hull scores.csv --label y --score a --cost-fp 1 --cost-fn 5
  rocscope hull points.csv --cost-ratio 0.25       (columns name, fpr, tpr)
"""
WIDE = 112


@click.command(epilog=EPILOG)
@click.argument("file")
@prediction_options
@click.option(
    "--cost-ratio",
    callback=lambda _, __, text: _ratio(text),
    metavar="C",
    help="Slope: cost FP / cost FN x negatives / positives.",
)
@click.option("--cost-fp", type=float, metavar="X", help="Cost of a false alarm.")
@click.option("--cost-fn", type=float, metavar="X", help="Cost of a miss.")
@click.option("--prevalence", type=float, metavar="P", help="Share of positives where the model will be used.")
@format_option
def command(
    file: str,
    cost_ratio: float | None,
    cost_fp: float | None,
    cost_fn: float | None,
    prevalence: float | None,
    format: Format,
    **columns: Any,
) -> None:
    """Which model and which threshold is cheapest, from which cost ratio to which.

    FILE is a CSV of labels and several scores, or of single classifiers as points (name, fpr, tpr); - is standard
    input.
    """
    models, remarks = _models(file, ColumnOptions(**columns))
    held = hulls.hull(models)
    if held.why:
        raise RocscopeError(f"there is no hull: {held.why}")
    asked = _asked(cost_ratio, cost_fp, cost_fn, prevalence)
    ratios = Ratios.of(held, prevalence)
    if "costs" in asked and not ratios.known:
        raise RocscopeError("how many negatives there are for each positive is not known", hint="Say --prevalence P")
    document = _document(held, models, ratios, asked)
    emit(
        document,
        format=format,
        sheet=lambda look: _sheet(held, models, ratios, asked, remarks, look, format),
        rows=interval_rows(held.intervals, ratios),
    )


# --- what came


def _models(file: str, asked: ColumnOptions) -> tuple[dict[str, Any], Sequence[str]]:
    """Each model with its score table or its points, and what is to be said about the file."""
    if is_saved(file):
        return {name or "the model": table for name, table in saved_predictions(file).tables.items()}, ()
    source = read(file, remarks=False)
    if asked.label is None and not asked.scores and is_point_table(source.columns):
        return _points(roc_points(source.whole(), name="the model")), ()
    found = predictions_of(source, asked)
    return {name or "the model": table for name, table in found.tables.items()}, found.remarks


def _points(points: Sequence[RocPoint]) -> dict[str, Any]:
    """Single classifiers, or several settings of one that bear the same name."""
    found: dict[str, list[Any]] = {}
    for one in points:
        found.setdefault(one.name, []).append((one.fpr, one.tpr, one.setting))
    return {name: _one_or_all(held) for name, held in found.items()}


def _one_or_all(points: list[Any]) -> Any:
    """A single classifier as its point, a sweep as all of its points."""
    return points[0][:2] if len(points) == 1 and points[0][2] is None else points


def _ratio(text: str | None) -> float | None:
    """A slope as people write it: 0.25 or 1/4."""
    if text is None:
        return None
    try:
        return float(Fraction(text.replace(" ", "")))
    except (ValueError, ZeroDivisionError):
        raise click.BadParameter(f"'{text}' is not a number such as 0.25 or 1/4") from None


def _asked(ratio: float | None, fp: float | None, fn: float | None, prevalence: float | None) -> dict[str, Any]:
    """How the hull is asked for its best point; nothing when no costs are given."""
    if ratio is not None and (fp is not None or fn is not None):
        raise click.UsageError("say --cost-ratio or --cost-fp and --cost-fn, not both")
    if (fp is None) != (fn is None):
        raise click.UsageError("--cost-fp and --cost-fn go together")
    if ratio is not None:
        return {"cost_ratio": ratio}
    if fp is None:
        return {}
    try:
        return {"costs": Costs(fp=fp, fn=fn), "prevalence": prevalence}
    except RocscopeError as error:  # its hint speaks of Python
        raise RocscopeError(error.message) from None


# --- text


def _sheet(
    held: Hull,
    models: dict[str, Any],
    ratios: Ratios,
    asked: dict[str, Any],
    remarks: Sequence[str],
    look: Look,
    format: Format,
) -> list[Block]:
    tables = [one for one in models.values() if isinstance(one, ScoreTable)]
    facts = [facts_line(tables[0])] if tables else []
    answer = choice_lines(held, ratios, asked) if asked else _ranges(held, ratios)
    narrow = Look(look.fancy, min(look.width, 80)) if format == "text" else Look(width=1000)  # Markdown has no width
    blocks: list[Block] = [
        Paragraph.of(*answer, *facts, *map(alarm, remarks), hang=2),
        hull_table(held.intervals, ratios, narrow),
        *_notes(held, ratios),
        *_in_space(models),
        _areas(held, models),
    ]
    if format != "text":
        return blocks
    steps = next_steps(_next(asked, bool(tables)))
    left = list(as_text(blocks[1:], narrow))
    if look.width < WIDE or max(len(letters(line)) for line in left) > look.width - 42:
        return [*blocks, *steps]
    picture = draw_hull(held, models, look, asked)
    return [blocks[0], Paragraph(tuple(beside(left, picture, gap=4))), *steps]


def _ranges(held: Hull, ratios: Ratios) -> list[Line]:
    """Who is cheapest when, as one line: the answer while no costs are known."""
    found = [one for one in cost_ranges(held.intervals) if one.model is not None]
    names = list(dict.fromkeys(one.model for one in found))
    if len(names) == 1:
        says = " is the cheapest at every cost ratio at which a model pays"
        return [(strong(data(names[0], limit=24)), strong(says))]
    lines: list[Line] = [(strong("Which model is cheapest depends on what the errors cost"),)]
    for one in found:
        lines.append((Span("  "), strong(data(one.model, limit=24)), Span(f"  {ratios.span(one.low, one.high)}")))
    return lines


def _notes(held: Hull, ratios: Ratios) -> list[Block]:
    lines: list[list[str | Span]] = []
    for a, b, slope in all_break_evens(held.intervals)[:6]:
        worth = f" ({ratios.text(slope)})" if ratios.known else ""
        lines.append([quiet("break-even  "), data(a, limit=24), " and ", data(b, limit=24),
                      f" at slope {significant(slope)}{worth}"])  # fmt: skip
    for a, b in _alike(held):
        lines.append([quiet("the same    "), data(b, limit=24), " reaches what ", data(a, limit=24), " does"])
    for name in held.dominated:
        lines.append([quiet("dominated   "), data(name, limit=24), " is cheapest at no cost ratio"])
    meaning = "slope = cost FP / cost FN x negatives / positives; --prevalence P shows the costs too"
    notes: list[Block] = [Paragraph.of(*lines, hang=12)] if lines else []
    return notes if ratios.known else [*notes, Paragraph.of(quiet(meaning), hang=2)]


def _in_space(models: dict[str, Any]) -> list[Block]:
    """Single classifiers with a special place in ROC space: perfect, always positive, random, worse than guessing."""
    single = {name: one for name, one in models.items() if isinstance(one, tuple)}
    points = {name: one for name, one in single.items() if one[1] <= one[0] or one == (0, 1)}
    rows: list[list[Any]] = [[data(name, limit=24), x, y, verdicts.roc_space(x, y)] for name, (x, y) in points.items()]
    return [Tabular.of(["model", "FPR", "TPR", "in ROC space"], rows)] if rows else []


def _alike(held: Hull) -> list[tuple[Any, Any]]:
    """Models that reach the same corners as another, which the table names; the first of them stands for all."""
    by_corners: dict[tuple[int, ...], list[Any]] = {}
    for name in held.models:
        owned = [i for i, owners in enumerate(held.reached_by[1:-1]) if name in {model for model, _ in owners}]
        by_corners.setdefault(tuple(owned), []).append(name)
    return [(same[0], other) for corners, same in by_corners.items() if corners for other in same[1:]]


def _areas(held: Hull, models: dict[str, Any]) -> Tabular:
    """The area of each model, of its own hull, and of all together."""
    rows: list[list[Cell]] = []
    for name, one in models.items():
        auc = [trimmed(curves.auc(one))] if isinstance(one, ScoreTable) else []
        rows.append([data(name, limit=24), *auc, trimmed(hulls.hull(one).area)])
    scored = len(rows[0]) == 3
    if len(models) > 1:
        rows.append([quiet("all together"), *([""] if scored else []), strong(trimmed(held.area))])
    auc_column = [Field("AUC", right=True)] if scored else []
    return Tabular.of(["model", *auc_column, Field("area of its hull", right=True)], rows)


def _next(asked: dict[str, Any], tables: bool) -> list[tuple[str, str]]:
    price = ("--cost-fp 1 --cost-fn 5" + ("" if tables else " --prevalence 0.1"), "the cheapest when a miss costs 5")
    return [*([] if asked else [price]), ("rocscope explain cost ratio", "from costs to slopes")]


# --- the document


def _auc(one: Any) -> float:
    return curves.auc(one) if isinstance(one, ScoreTable) else math.nan


def _document(held: Hull, models: dict[str, Any], ratios: Ratios, asked: dict[str, Any]) -> dict[str, Any]:
    document: dict[str, Any] = {
        "area": held.area,
        "positives": held.positives,
        "negatives": held.negatives,
        "points": [point._asdict() for point in held.points],
        "intervals": [
            {"cost_low": ratios.ratio(one.low), "cost_high": ratios.ratio(one.high), **one._asdict()}
            for one in held.intervals
        ],
        "break_even": [{"between": [a, b], "slope": slope} for a, b, slope in all_break_evens(held.intervals)],
        "dominated": list(held.dominated),
        "models": {
            name: {"auc": _auc(one), "hull_area": hulls.hull(one).area} for name, one in models.items()
        },
    }
    return {**document, "best": choice_dict(held, asked)} if asked else document
