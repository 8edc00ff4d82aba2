"""`rocscope trace`: the ROC algorithm, the k + 1 matrices or the hull, row by row, in exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

import rocscope as rs
from rocscope.cli.options import force_option, format_option, prediction_options
from rocscope.cli.output import Format, emit, write_named
from rocscope.cli.shared.predictions import ColumnOptions, read_predictions
from rocscope.errors import RocscopeError
from rocscope.report import check_target

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
              help="What to work out: the curve and its area, the matrices or predictions at every threshold, or "
              "the convex hull.")  # fmt: skip
@click.option("--html", metavar="OUT", help="HTML page to write, which animates the algorithm for the classroom.")
@force_option
@format_option
def command(
    file: str | None, example: str | None, what: str, html: str | None, force: bool, format: Format, **columns: Any
) -> None:
    """Trace an algorithm row by row, showing every fraction. FILE contains labels and scores; - stands for standard
    input.

    --html writes a page that animates the algorithm step by step and lets you drag rows to change the ranking; without
    FILE or --example, it starts with Fawcett's twenty instances.
    """
    inputs = [file] if file is not None else []
    if html is not None:
        check_target(html, force=force, inputs=inputs)
        example = example or ("fawcett" if file is None else None)
    if (file is None) == (example is None):
        raise click.UsageError("give either FILE or --example NAME")
    subject, notes = _held(file, example, ColumnOptions(**columns))
    if html is not None:
        write_named(html, _page(subject, inputs), {"force": force}, inputs)
    elif not isinstance(subject, rs.ScoreTable) and what in ("matrices", "predictions"):
        raise click.UsageError("single classifiers have no thresholds; use --what hull")
    elif what == "hull" or not isinstance(subject, rs.ScoreTable):
        emit(rs.report.hull_trace_sheet(subject, notes), format)
    else:
        sheets = {"matrices": rs.report.matrices_sheet, "predictions": rs.report.predictions_sheet}
        sheet_of = sheets.get(what, rs.report.roc_trace_sheet)
        emit(sheet_of(subject, notes), format)


def _page(subject: Any, inputs: Sequence[str]) -> str:
    from rocscope.report import teaching

    if not isinstance(subject, rs.ScoreTable):
        raise RocscopeError(
            "--html needs cases with scores, because the page animates a ranking", hint="Try --example fawcett"
        )
    return teaching(subject, source=", ".join(inputs))


def _held(file: str | None, example: str | None, options: ColumnOptions) -> tuple[Any, Sequence[str]]:
    """A score table, or the points of single classifiers; and remarks about the file."""
    if example is None:
        predictions = read_predictions(str(file), options)
        return predictions.first, predictions.remarks
    chosen = rs.lessons.example(example)
    if chosen.kind == "points":
        return chosen.data["points"], ()
    if chosen.kind not in ("scores", "thresholds"):
        raise RocscopeError(f"the example '{example}' has no scores to rank", hint="Use five-points or fawcett")
    return rs.lessons.subject(chosen.kind, chosen.data), ()
