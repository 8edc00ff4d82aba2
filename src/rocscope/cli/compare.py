"""`rocscope compare`: several models on the same cases: which to use, how sure, which one when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

import rocscope as rs
from rocscope.cli.options import by_options, evaluation_options, page_options, said
from rocscope.cli.output import check_output, deliver, document_of, write_page
from rocscope.cli.reader import read, shown_reading
from rocscope.cli.shared.arguments import columns_of, settings_of
from rocscope.cli.shared.progress import progress_bar
from rocscope.errors import RocscopeError

if TYPE_CHECKING:
    from rocscope.evaluation import ClassComparison, Comparison

EPILOG = """\b
Examples:
  rocscope compare scores.csv --label y --score a --score b --cost-fn 5
  rocscope compare scores.csv --label y --score a --score b --measure f1
  rocscope compare scores.csv --label y --score a --score b --format md
  rocscope compare scores.csv --label y --score a --score b --by region
  rocscope compare a.parquet b.parquet --label y --score p --id case
  rocscope compare labels.csv --label y --predicted a --predicted b
  rocscope compare digits.csv --label y --score 'a_*' --score 'b_*'
"""


@click.command(epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@evaluation_options
@by_options
@click.option(
    "--predicted",
    "predicted",
    multiple=True,
    metavar="COLUMN",
    help="Column with the labels that a model predicts, where there are no scores.",
)
@click.option("--test", metavar="NAME", help="Test between two models: delong (default), rank-swap, venkatraman, ...")
@click.option(
    "--measure",
    metavar="NAME",
    help="Measure that decides without costs: auc or accuracy (the defaults), macro_f1, log_loss, ...",
)
@page_options
def command(files: tuple[str, ...], **given: Any) -> None:
    """Which of several models to use, how certain that is, and which is cheapest at which cost.

    FILE has a column of true labels and two or more of scores, of the same cases, or of predicted labels. With several
    classes a pattern names the probabilities of a model: --score 'a_*' --score 'b_*'. Formats are CSV, TSV, JSON lines,
    Parquet, Arrow or Excel, also compressed; - is standard input. With --id, several files hold one model each, and are
    brought into the order of the first by that column; without it they are read one below the other.
    """
    check_output(given, files)
    if given["weight"] and given["weights_are"] == "frequency":
        raise RocscopeError("compare takes sampling weights", hint="Repeat each row as often as it occurred")
    with progress_bar("resampling") as progress:
        found = _compared(files, given, progress)
        document = document_of(found, list(files), given)
    deliver(write_page(document, given, files), given, files)


def _compared(files: Sequence[str], given: Mapping[str, Any], progress: Any) -> Comparison | ClassComparison:
    """The comparison of columns, or with --id of a model in each file."""
    settings = settings_of(given) | {name: given[name] for name in ("test", "measure") if given[name]}
    columns = columns_of(given)
    named, what = list(dict.fromkeys(given["scores"])), "score"
    if given["predicted"]:
        if named:
            raise RocscopeError(
                "--predicted and --score cannot be combined",
                hint="Give only one of the two: predicted labels, or scores",
            )
        named, what = list(dict.fromkeys(given["predicted"])), "predicted"
    how: dict[str, Any] = {what: named, "exact": bool(said("exact")), "progress": progress, **columns, **settings}
    if given["id_column"] and len(files) > 1 and not given["fold"]:
        if given["label"] is None or not named:
            raise RocscopeError(
                f"{len(files)} files and {len(named)} score columns",
                hint="Give --label COLUMN and --score COLUMN once, or once for each file in their order",
            )
        made: rs.Comparison | rs.ClassComparison = rs.compare(
            [read(file) for file in files], id=given["id_column"], **how
        )
        return made
    held = read(files)
    if given["label"] is None or len(named) < 2:
        found = ", ".join(held.columns[:12])
        hint = "Give --label COLUMN --score A --score B; for one model: rocscope evaluate"
        if len(files) > 1:
            hint = "Give --label COLUMN --score COLUMN --id COLUMN: a model in each file, cases matched by their id"
        raise RocscopeError(f"{held.name}: a label and two scores are compared; it has {found}", hint=hint)
    with shown_reading(held) as shown:
        made = rs.compare(shown, **how)
        return made
