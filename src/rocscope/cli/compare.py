"""`rocscope compare`: several models on the same cases: which to use, how certain that is, and which is cheapest at
which costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

import rocscope as rs
from rocscope.cli.options import by_options, comparison_options, page_options, said, save_table_option
from rocscope.cli.output import check_output, deliver, document_of, write_page
from rocscope.cli.reader import read, shown_reading
from rocscope.cli.shared.arguments import choose_on_of, columns_of, same_positive, settings_of
from rocscope.cli.shared.guessed_columns import unclear, with_models
from rocscope.cli.shared.progress import progress_bar
from rocscope.cli.shared.saved_tables import keep_table
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
  rocscope compare pets.csv --label y --probability a:a_cat=cat ...
  rocscope compare digits.csv --label y --score 'a_*' --score 'b_*'
"""


@click.command(epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@comparison_options
@by_options
@click.option(
    "--predicted",
    "predicted",
    multiple=True,
    metavar="COLUMN",
    help="Column with the labels that a model predicts, if there are no scores.",
)
@click.option(
    "--test",
    metavar="NAME",
    help="Test for comparing two models: delong (default), rank-swap, venkatraman, ...; with --fold, one that fits the "
    "plan: corrected-t, bayesian-t, ...",
)
@click.option(
    "--measure",
    metavar="NAME",
    help="Measure that decides if no costs are given: auc or accuracy (the defaults), macro_f1, log_loss, ...",
)
@click.option("--margin", type=float, metavar="X", help="Margin within which models count as equivalent.")
@click.option(
    "--probability",
    "probabilities",
    multiple=True,
    metavar="MODEL:COLUMN=LABEL",
    help="Column with the probability that a model assigns to a class; one for each model and class.",
)
@click.option(
    "--lower-is-positive-for",
    "lower_for",
    multiple=True,
    metavar="COLUMN",
    help="Score for which low values indicate the positive class, unlike the other scores; may be repeated.",
)
@click.option("--choose-on", metavar="FILE", help="File with the cases used to choose the thresholds.")
@save_table_option
@page_options
def command(files: tuple[str, ...], **given: Any) -> None:
    """Compare several models: which one to use, how certain that is, and which is cheapest at each cost ratio.

    FILE has a column of true labels and two or more columns of scores or predicted labels for the same cases. With
    several classes, a pattern names the probabilities of a model: --score 'a_*' --score 'b_*'. Accepted formats are
    CSV, TSV, JSON lines, Parquet, Arrow and Excel, compressed or not; - stands for standard input. With --id, each file
    holds one model, and the cases are matched by that column; without it, the files are read as one table. Columns that
    you do not name are detected if they are unambiguous.
    """
    inputs = [*files, *([given["choose_on"]] if given["choose_on"] else [])]
    check_output(given, inputs)
    with progress_bar("resampling") as progress:
        comparison = _compared(files, given, progress)
        document = document_of(comparison, list(files), given)
    keep_table(comparison, given["save_table"], given, inputs)
    deliver(write_page(document, given, inputs), given, inputs)


def _directions(given: Mapping[str, Any], named: Sequence[str]) -> dict[str, Any]:
    """The direction of each model, if they differ."""
    if not given["lower_for"]:
        return {}
    if given["lower_is_positive"]:
        raise RocscopeError(
            "--lower-is-positive and --lower-is-positive-for cannot be combined", hint="Give only one of the two"
        )
    strange = next((score for score in given["lower_for"] if score not in named), None)
    if strange is not None:
        raise RocscopeError(f"--lower-is-positive-for must name one of the scores ({', '.join(named)}), not {strange}")
    return {"higher_is_positive": {score: score not in given["lower_for"] for score in named}}


def _probabilities(several: Sequence[str], named: Sequence[str]) -> tuple[dict[str, list[str]], list[str]]:
    """The columns of each model in the order of the classes, from MODEL:COLUMN=LABEL."""
    if named:
        raise RocscopeError("--score and --probability cannot be combined", hint="Give only one of the two")
    model_columns: dict[str, dict[str, str]] = {}
    for text in several:
        model, colon, rest = text.partition(":")
        column, sign, label = rest.rpartition("=")
        if not (colon and sign and model and column and label):
            raise RocscopeError(
                f"--probability must name a model, a column and a class, not {text}",
                hint="Write, for example, --probability a:a_cat=cat",
            )
        model_columns.setdefault(model, {})[label] = column
    labels = list(next(iter(model_columns.values())))
    for model, columns in model_columns.items():
        if set(columns) != set(labels):
            raise RocscopeError(f"--probability: {model} must have the same classes as the first model")
    return {model: [columns[label] for label in labels] for model, columns in model_columns.items()}, labels


def _compared(files: Sequence[str], given: Mapping[str, Any], progress: Any) -> Comparison | ClassComparison:
    """Compare columns or, with --id, one model per file."""
    about = ("test", "measure", "margin")
    settings = settings_of(given) | {name: given[name] for name in about if given[name] is not None}
    by_id = given["id_column"] is not None and len(files) > 1 and not given["fold"]
    opened = [read(file) for file in files] if by_id else [read(files)]
    if not (given["scores"] or given["predicted"] or given["probabilities"]):
        given = with_models(opened, files, given)
    columns = columns_of(given)
    named, what = list(dict.fromkeys(given["scores"])), "score"
    if given["predicted"]:
        if named:
            raise RocscopeError(
                "--predicted and --score cannot be combined",
                hint="Give only one of the two: predicted labels or scores",
            )
        named, what = list(dict.fromkeys(given["predicted"])), "predicted"
    columns |= _directions(given, named) | {"weights_are": given["weights_are"]}
    columns |= {} if given["choose_on"] is None else {"choose_on": choose_on_of(given)}
    if given["probabilities"]:
        models, labels = _probabilities(given["probabilities"], named)
        named = list(models)
        if len(labels) == 1:  # the probability of one class of two: a score
            own = {model: column for model, (column,) in models.items()}
            columns |= {"scores": own, "positive": same_positive(given["positive"], labels[0])}
        else:
            columns |= {"labels": labels, "scores": models}
    how: dict[str, Any] = {what: named, "exact": bool(said("exact")), "progress": progress, **columns, **settings}
    if "scores" in how:
        del how[what]
    if given["label"] is None or len(named) < (1 if by_id else 2):
        raise unclear(opened, files, by_id=by_id)
    if by_id:
        comparison: rs.Comparison | rs.ClassComparison = rs.compare(opened, id=given["id_column"], **how)
        return comparison
    with shown_reading(opened[0]) as shown:
        comparison = rs.compare(shown, **how)
        return comparison
