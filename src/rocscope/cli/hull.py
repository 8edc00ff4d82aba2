"""`rocscope hull`: which model and threshold is cheapest in which range of cost ratios."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

import rocscope as rs
from rocscope.cli.options import cost_options, format_option, prediction_options, prevalence_option
from rocscope.cli.output import Format, emit
from rocscope.cli.reader import read
from rocscope.cli.shared.predictions import ColumnOptions, predictions_of, saved_predictions
from rocscope.errors import RocscopeError

if TYPE_CHECKING:
    from rocscope.sources import RocPoint

EPILOG = """\b
Examples:
  rocscope hull scores.csv --label y --score a --score b
  rocscope hull scores.csv --label y --score a --cost-fp 1 --cost-fn 5
  rocscope hull points.csv --cost-ratio 0.25       (columns name, fpr, tpr)
"""


def _ratio(context: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """Parse a slope such as 0.25 or 1/4."""
    if text is None:
        return None
    try:
        return float(Fraction(text.replace(" ", "")))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise click.BadParameter(f"'{text}' is not a number such as 0.25 or 1/4") from None


@click.command(epilog=EPILOG)
@click.argument("file")
@prediction_options
@click.option("--cost-ratio", callback=_ratio, metavar="C",
              help="Slope: cost FP / cost FN x negatives / positives.")  # fmt: skip
@cost_options
@prevalence_option
@format_option
def command(
    file: str, cost_ratio: float | None, cost_fp: float | None, cost_fn: float | None, prevalence: float | None,
    format: Format, **columns: Any,
) -> None:  # fmt: skip
    """Find the model and threshold that are cheapest over each range of cost ratios.

    FILE contains labels and several scores, or single classifiers as points (name, fpr, tpr); - stands for standard
    input.
    """
    models, notes, compared = _models(file, ColumnOptions(**columns))
    hull = rs.hull.hull(models)
    if hull.why:
        raise RocscopeError(f"there is no hull: {hull.why}")
    priced = _asked(cost_ratio, cost_fp, cost_fn, prevalence)
    if "costs" in priced and prevalence is None and not (hull.positives is not None and hull.negatives):
        raise RocscopeError("the ratio of negatives to positives is unknown", hint="Give --prevalence P")
    certain = None if compared is None else compared.break_evens
    sheet = rs.report.hull_sheet(hull, models, priced, prevalence=prevalence, notes=notes, certain=certain)
    emit(sheet, format)


def _models(file: str, options: ColumnOptions) -> tuple[dict[str, Any], Sequence[str], rs.Comparison | None]:
    """Each model with its score table or points, remarks about the file, and scores case by case."""
    if rs.evaluation.is_saved(file):
        return {name or "the model": table for name, table in saved_predictions(file).tables.items()}, (), None
    source = read(file, remarks=False)
    if options.label is None and not options.scores and rs.sources.is_point_table(source.columns):
        return _points(rs.sources.roc_points(source.whole(), name="the model")), (), None
    predictions = predictions_of(source, options)
    return (
        {name or "the model": table for name, table in predictions.tables.items()},
        predictions.remarks,
        predictions.compared,
    )


def _points(points: Sequence[RocPoint]) -> dict[str, Any]:
    """Single classifiers, or several settings of one that have the same name."""
    settings: dict[str, list[Any]] = {}
    for point in points:
        settings.setdefault(point.name, []).append((point.fpr, point.tpr, point.setting))
    return {name: _one_or_all(operating_points) for name, operating_points in settings.items()}


def _one_or_all(points: list[Any]) -> Any:
    """A single classifier as its point, a sweep as all of its points."""
    return points[0][:2] if len(points) == 1 and points[0][2] is None else points


def _asked(ratio: float | None, fp: float | None, fn: float | None, prevalence: float | None) -> dict[str, Any]:
    """The arguments for the hull's best point; empty if no costs are given."""
    if ratio is not None and (fp is not None or fn is not None):
        raise click.UsageError("give --cost-ratio or --cost-fp and --cost-fn, not both")
    if (fp is None) != (fn is None):
        raise click.UsageError("--cost-fp and --cost-fn must be given together")
    if ratio is not None:
        return {"cost_ratio": ratio}
    if fp is None:
        return {}
    try:
        return {"costs": rs.Costs(fp=fp, fn=fn), "prevalence": prevalence}
    except RocscopeError as error:  # its hint uses the Python spelling
        raise RocscopeError(error.message) from None
