"""`rocscope curve`: a curve of scores drawn in the terminal, its areas, and its points."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

import rocscope as rs
from rocscope.cli.options import cost_options, force_option, format_option, gains_option, prediction_options
from rocscope.cli.output import Format, emit, say, write_named
from rocscope.cli.shared.arguments import costs_of
from rocscope.cli.shared.predictions import ColumnOptions, Predictions, drawn_points, read_predictions
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.report import check_target

if TYPE_CHECKING:
    from rocscope.curves import Curve
    from rocscope.decisions import Costs
    from rocscope.table import ScoreTable

EPILOG = """\b
Examples:
  rocscope curve scores.csv --label y --score p
  rocscope curve scores.csv --label y --score p --kind pr --at 0.5
  rocscope curve thresholds.csv --lower-is-positive --format csv
  rocscope curve drawn.csv                     (columns fpr, tpr: its area)
  rocscope curve --shape poor                  (a ranking to learn from)
  rocscope curve scores.csv --label y --score p --kind "precision against fpr"
  rocscope curve s.csv --label y --score p --kind expected-cost --cost-fn 5
  rocscope curve scores.csv --label y --score a --score b --plot roc.svg

Kinds: roc, pr, pr-gain, det, ks, gain, lift, calibration, cost, brier-curve, net-benefit, risk-coverage,
binormal-roc, expected-cost, any measure against the threshold (f1, mcc ...), or against another measure
("recall against npv").
"""


@click.command(epilog=EPILOG)
@click.argument("file", required=False)
@prediction_options
@click.option("--kind", default="roc", show_default=True, metavar="KIND", help="Kind of curve, or a measure.")
@click.option("--at", "at", type=float, multiple=True, metavar="T", help="Threshold to print; may be repeated.")
@click.option(
    "--points", type=click.IntRange(min=2), metavar="N", help="Approximate number of points in CSV and JSON output."
)
@click.option("--plot", metavar="OUT", help="Image file (.svg, .pdf or .png); several --score options share one plot.")
@click.option("--shape", metavar="NAME", help="Example ranking instead of a file: good, poor, ...")
@cost_options
@gains_option
@force_option
@format_option
def command(
    file: str | None, kind: str, at: tuple[float, ...], points: int | None, plot: str | None, shape: str | None,
    force: bool, format: Format, **columns: Any,
) -> None:  # fmt: skip
    """Draw a curve and print its areas and points.

    FILE contains labels and scores, or thresholds with tp, fp, fn, tn (tp and tn with --positives and --negatives), or
    the points of a drawn curve (fpr, tpr), whose area is computed by the trapezoidal rule; - stands for standard input.
    """
    priced = _costs({name: columns.pop(name) for name in ("cost_fp", "cost_fn", "gains")}, kind)
    options = ColumnOptions(**columns)
    if (file is None) == (shape is None):
        raise click.UsageError("give a FILE or --shape NAME")
    source = file or str(shape)
    if len(options.scores) > 1 and plot is None:
        raise click.UsageError("give only one --score; rocscope hull compares several, and --plot draws them")
    if plot is not None:
        _check_picture(plot, force, source)
    if file is not None and (drawn := drawn_points(file, options)) is not None:
        emit(rs.report.drawn_sheet(drawn), format)
        return
    predictions = read_predictions(file, options) if file is not None else _of_shape(source)
    if plot is not None:
        write_named(plot, _picture(predictions, kind, plot, priced), {"force": force}, [source])
    if len(options.scores) <= 1:
        curve = _curve(kind, predictions.first, priced)
        prices = options_of(curve.kind, priced) if priced is not None else None
        emit(
            rs.report.curve_sheet(
                curve, predictions.first, at=at, points=points, notes=predictions.remarks, options=prices
            ),
            format,
        )


def _of_shape(name: str) -> Predictions:
    """The score tables of an example ranking."""
    from rocscope import lessons

    ranking = lessons.shape(name)
    return Predictions(
        {model: ranking.table(model) for model in ranking.models}, name, (f"{ranking.title}. {ranking.says}",)
    )


def _check_picture(plot: str, force: bool, file: str) -> None:
    """Raise an error for what cannot be drawn or written, before the file is read."""
    from rocscope import plots

    plots.check_ending(plot)
    check_target(plot, force=force, inputs=[file])


def _picture(predictions: Predictions, kind: str, plot: str, costs: Costs | None) -> bytes:
    """Draw the curve of each score in one picture, the first one thick and with its band."""
    from rocscope import plots

    ax = None
    for index, (name, table) in enumerate(predictions.tables.items()):
        label = name if len(predictions.tables) > 1 else ""
        ax = plots.curve(_curve(kind, table, costs), ax, label=label, model=index + 1, chosen=index == 0)
    assert ax is not None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        image = plots.picture(ax, plots.check_ending(plot))
    if any("missing from font" in str(warning.message) for warning in caught):
        say("rocscope: the font of the figure has no glyphs for some names; they appear as boxes")
    return image


def _costs(given: dict[str, Any], kind: str) -> Costs | None:
    """The given costs; those from a configuration file apply only to the curve that needs them."""
    context = click.get_current_context()
    typed = any(context.get_parameter_source(name) is ParameterSource.COMMANDLINE for name in given)
    if not typed and kind.strip().lower().replace("_", "-").replace(" ", "-") != "expected-cost":
        return None
    return costs_of(given["cost_fp"], given["cost_fn"], None, None, gains=given["gains"])


def options_of(name: str, costs: Costs | None) -> dict[str, Any]:
    """The costs for the curve that needs them; for other curves, costs are an error."""
    if name != "expected_cost":
        if costs is not None:
            raise RocscopeError("costs apply only to --kind expected-cost", hint="Leave them out")
        return {}
    if costs is None:
        hint = 'Add --cost-fp 1 --cost-fn 5, or --gains "tp=100, fp=-5"'
        raise RocscopeError("the expected cost needs the costs of both kinds of error", hint=hint)
    return {cell: float(getattr(costs, cell)) for cell in ("fp", "fn", "tp", "tn")}


def _curve(kind: str, table: ScoreTable, costs: Costs | None = None) -> Curve:
    """The curve of that name, a measure at every threshold, or one measure against another."""
    if kind.strip().lower().replace("_", "-").replace(" ", "-") in ("net-benefit", "decision-curve", "dca"):
        options_of("net_benefit", costs)
        return rs.intervals.decision_curve(table)
    first, against, second = kind.partition(" against ")
    if against:
        return rs.curves.trade(table, rs.measures.get(second.strip()).name, rs.measures.get(first.strip()).name)
    name = kind.strip().lower().replace("-", "_").replace(" ", "_")
    known = {alias: reading for alias, reading in rs.curves.names().items() if reading.kind == "curve"}
    if name in known:
        curve: Curve = known[name](table, **options_of(known[name].name, costs))
        return curve
    try:
        return rs.curves.sweep(table, rs.measures.get(kind).name)
    except RocscopeError:
        curves = f"Known: {', '.join(sorted(rs.report.AREAS))}"
        if name in rs.curves.names():
            raise RocscopeError(f"{kind} is a single number, not a curve", hint=curves) from None
        if name in rs.decisions.rules():
            way = f"To choose by it: rocscope evaluate FILE --choose {name}"
            raise RocscopeError(f"{kind} is a rule for choosing a threshold, not a curve", hint=way) from None
        hint = did_you_mean(name, {*known, *rs.measures.names()}) or curves
        raise RocscopeError(f"there is no curve '{kind}'", hint=hint) from None
