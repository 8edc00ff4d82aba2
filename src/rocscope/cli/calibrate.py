"""`rocscope calibrate`: turns scores into calibrated probabilities, and states the gain on unseen cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from rocscope.cli import options
from rocscope.cli.output import emit, say
from rocscope.cli.reader import read
from rocscope.errors import RocscopeError

EPILOG = """\b
Examples:
  rocscope calibrate scores.csv --label y --score p
  rocscope calibrate scores.csv --label y --score p --output calibrated.csv
  rocscope calibrate scores.csv --label y --score p --method beta
  rocscope calibrate scores.csv --label y --score p --save cal.json
  rocscope calibrate new.csv --score p --apply cal.json --output out.csv
"""


@click.command(epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--label", metavar="COLUMN", help="Column with the true labels.")
@click.option("--score", metavar="COLUMN", required=True, help="Column with scores.")
@click.option("--method", default="isotonic", show_default=True, metavar="NAME",
              help="Calibration method: isotonic, platt, logistic, beta or temperature.")  # fmt: skip
@click.option("--positive", metavar="LABEL", help="Positive label (not needed for 0/1 and -1/1).")
@click.option("--weight", metavar="COLUMN", help="Column with weights.")
@click.option("--lower-is-positive", is_flag=True, help="Low scores indicate the positive class.")
@click.option(
    "--cluster",
    metavar="COLUMN",
    help="Column with the cluster of each case, such as the patient; clusters are never split between folds.",
)
@click.option("--folds", type=click.IntRange(min=2), default=10, show_default=True, help="Number of folds.")
@options.level_option
@options.seed_option
@options.file_options
@click.option("--missing", type=click.Choice(["error", "drop"]), default="error", show_default=True,
              help="Treatment of rows without a label, score or weight: refuse or drop them.")  # fmt: skip
@click.option("--save", metavar="OUT", help="JSON file for the calibrator.")
@click.option("--apply", "applied_file", metavar="FILE", help="Saved calibrator to apply, instead of learning one.")
@click.option("--output", metavar="OUT", help="File for the rows with their probabilities (.parquet or .csv).")
@options.force_option
@options.format_option
def command(files: tuple[str, ...], format: str, **given: Any) -> None:
    """Turn scores into calibrated probabilities and measure the gain on unseen cases.

    FILE has a column of true labels and a column of scores. The calibrator is learned on all cases; the gain and the
    probabilities in --output are cross-fitted: the probability of a case comes from a calibrator learned without its
    fold. With --apply, a saved calibrator is applied to new scores, and no labels are needed.
    """
    _check(given, files)
    source = read(files)
    if given["applied_file"] is not None:
        _apply(source, given, files)
        return
    if given["label"] is None:
        raise RocscopeError(f"{source.name}: name the column with the true labels (--label COLUMN)")
    from rocscope.evaluation import recalibrate
    from rocscope.report import recalibration_sheet

    recalibrated = recalibrate(
        source, given["score"], given["method"], label=given["label"], positive=given["positive"],
        weights=given["weight"], clusters=given["cluster"], higher_is_positive=not given["lower_is_positive"],
        missing=given["missing"], folds=given["folds"], seed=given["seed"], level=given["level"],
    )  # fmt: skip
    if given["save"] is not None:
        recalibrated.calibrator.save(given["save"], force=given["force"])
        say(f"rocscope: {given['save']} written")
    if given["output"] is not None:
        _write_rows(source, recalibrated.probabilities, given, files)
    emit(recalibration_sheet(recalibrated), format)


def _check(given: Mapping[str, Any], files: Sequence[str]) -> None:
    """Raise an error for output that cannot be written and for conflicting options, before anything is read."""
    from rocscope.report import check_target
    from rocscope.sources import check_row_ending

    if given["applied_file"] is not None and given["output"] is None:
        raise RocscopeError("--apply produces probabilities and needs an output file", hint="Add --output OUT.csv")
    if given["applied_file"] is not None and given["save"] is not None:
        raise RocscopeError(
            "--apply and --save cannot be combined",
            hint="Either apply a saved calibrator or learn one, not both",
        )
    if given["output"] is not None:
        check_row_ending(given["output"])
    for path in (given["output"], given["save"]):
        if path is not None:
            check_target(path, force=given["force"], inputs=files)


def _apply(source: Any, given: Mapping[str, Any], files: Sequence[str]) -> None:
    from rocscope.evaluation import applied
    from rocscope.recalibration import Calibrator

    calibrator = Calibrator.load(given["applied_file"])
    values = applied(calibrator, source, given["score"], missing=given["missing"])
    _write_rows(source, values, given, files)


def _write_rows(source: Any, values: Any, given: Mapping[str, Any], files: Sequence[str]) -> None:
    from rocscope.report import write_file
    from rocscope.sources import all_columns, check_row_ending, write_columns

    column = f"{given['score']}_calibrated"
    if column in source.columns:
        raise RocscopeError(f"{source.name} already has a column '{column}'", hint="Rename it first")
    ending = check_row_ending(given["output"])
    columns = all_columns(source, typed=ending == ".parquet") | {column: values}
    write_file(given["output"], lambda path: write_columns(columns, path, ending), force=given["force"], inputs=files)
    say(f"rocscope: {given['output']} written, with the column {column}")
