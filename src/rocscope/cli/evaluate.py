"""`rocscope evaluate`: performance, its uncertainty, and the threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

import rocscope as rs
from rocscope.cli import options
from rocscope.cli.options import said
from rocscope.cli.output import check_output, deliver, document_of, say, write_page
from rocscope.cli.reader import read, shown_reading
from rocscope.cli.shared.arguments import choose_on_of, columns_of, same_positive, settings_of
from rocscope.cli.shared.guessed_columns import with_columns
from rocscope.cli.shared.predictions import ColumnOptions, thresholds_of
from rocscope.cli.shared.progress import progress_bar
from rocscope.cli.shared.saved_tables import keep_table, refuse_cases, saved_evaluation
from rocscope.errors import RocscopeError

if TYPE_CHECKING:
    from rocscope.evaluation import ClassEvaluation, Evaluation, LabelEvaluation
    from rocscope.sources import Source

ONE_SCORE = ("cost_column", "refer")
EPILOG = """\b
Examples:
  rocscope evaluate scores.csv --label y --score p --cost-fn 5
  rocscope evaluate scores.csv --label y --score p --choose f1 --cross-fit 5
  rocscope evaluate scores.csv --label y --score p --by region --by sex
  rocscope evaluate scores.csv --label y --score p --cost-column c --cost-fp 5
  rocscope evaluate s.csv --label y --score p --refer "npv >= 0.9, ppv >= 0.9"
  rocscope evaluate labels.csv --label y --predicted yhat
  rocscope evaluate digits.csv --label y --score 'p_*'
  rocscope evaluate scenes.csv --label 'label_*' --score 'score_*'
  rocscope evaluate thresholds.csv --choose closest
"""


@click.command(epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@options.evaluation_options
@options.by_options
@options.class_options
@options.single_options
@options.total_options
@options.save_table_option
@options.card_option
@options.page_options
def command(files: tuple[str, ...], **given: Any) -> None:
    """Evaluate a classifier: how good it is, how certain that is, and which threshold to use.

    FILE has a column of true labels and a column of scores, of predicted labels, or of probabilities for each class
    (--score 'p_*' names all that begin with p_). If cases can have several labels, it has a column of 0s and 1s for
    each label. Accepted formats are CSV, TSV, JSON lines, Parquet, Arrow and Excel, compressed or not; - stands for
    standard input. Several files, or a pattern, are read as one table. Columns that you do not name are detected if
    they are unambiguous. A file of thresholds with tp, fp, fn, tn, or a score table saved with --save-table, can be
    evaluated without the cases.
    """
    inputs = [*files, *([given["choose_on"]] if given["choose_on"] else [])]
    check_output(given, inputs)
    with progress_bar("resampling") as progress:
        evaluation = evaluation_of(files, given, progress)
        document = document_of(evaluation, list(files), given)
    keep_table(evaluation, given["save_table"], given, inputs)
    deliver(write_page(document, given, inputs), given, inputs)


def evaluation_of(files: Sequence[str], given: Mapping[str, Any], progress: Any = None) -> Any:
    """Run the evaluation that the options request, for `evaluate` and `gate`; a saved table is used directly."""
    settings = settings_of(given)
    if rs.evaluation.is_saved(list(files)):
        return saved_evaluation(files, given, settings)
    opened = read(files)
    if _is_thresholds(opened, given):
        return _of_thresholds(opened, given, settings)
    given = _one_probability(opened, with_columns(opened, files, given))
    labels, columns = _probabilities(opened, given)
    with shown_reading(opened) as shown:
        if given.get("models"):
            how = columns_of(given) | {name: setting for name, setting in settings.items() if name not in ONE_SCORE}
            if len(how) < len(columns_of(given) | settings):
                raise RocscopeError("--cost-column and --refer need a single score", hint="Name it: --score COLUMN")
            models = {"predicted": list(given["predicted"])} if given["predicted"] else {"score": columns}
            return rs.compare(shown, **models, exact=bool(said("exact")), progress=progress, **how)
        evaluation = rs.evaluate(
            shown,
            columns[0] if len(columns) == 1 and labels is None else columns or None,
            predicted=given["predicted"],
            labels=labels,
            weights_are=given["weights_are"],
            choose_on=choose_on_of(given),
            exact=bool(said("exact")),
            progress=progress,
            **columns_of(given),
            **settings,
        )
    if isinstance(evaluation, rs.Evaluation):
        return _ordered(evaluation, given.get("order"))
    if isinstance(evaluation, rs.ClassEvaluation) and evaluation.scores is not None and labels is None:
        _say_classes(evaluation)
    return _ordered(evaluation, given.get("order"))


def _ordered(evaluation: Any, order: str | None) -> Any:
    """The evaluation with its classes in the order of --order."""
    if order is None:
        return evaluation
    if not isinstance(evaluation, rs.ClassEvaluation):
        raise RocscopeError(
            "--order applies only to predicted labels or several classes",
            hint="With scores, the positive class comes first",
        )
    return replace(evaluation, matrix=evaluation.matrix.in_order(order.split(",")))


# --- table of thresholds


def _is_thresholds(opened: Source, given: Mapping[str, Any]) -> bool:
    named = given["label"] or given["scores"] or given["predicted"] or given["probabilities"]
    return not named and rs.sources.is_threshold_table(opened.columns)


def _of_thresholds(
    opened: Source, given: Mapping[str, Any], settings: Mapping[str, Any]
) -> Evaluation | ClassEvaluation | LabelEvaluation:
    """Evaluate the score table implied by thresholds and their counts."""
    refuse_cases(opened.name, but=("lower_is_positive", "delimiter", "encoding", "sheet"))
    column_options = ColumnOptions(
        lower_is_positive=bool(given["lower_is_positive"]), positives=given.get("positives"),
        negatives=given.get("negatives"),
    )  # fmt: skip
    about = {name: value for name, value in settings.items() if name != "cross_fit"}
    evaluation: Evaluation | ClassEvaluation = rs.evaluate(
        thresholds_of(opened, column_options), choose_on=choose_on_of(given), **about
    )
    return evaluation


def _say_classes(evaluation: ClassEvaluation) -> None:
    """Report which column was taken for the probability of which class."""
    columns = evaluation.source.get("scores", ())
    pairs = list(zip(columns, evaluation.matrix.labels, strict=False))
    taken = ", ".join(f"{column} for {label}" for column, label in pairs[:6])
    say(f"rocscope: interpreted as class probabilities: {taken}{', ...' if len(pairs) > 6 else ''}")


def _one_probability(opened: Source, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options, with one --probability COLUMN=LABEL as the score of that positive class."""
    if len(given["probabilities"]) != 1 or given["scores"]:
        return dict(given)
    column, label = _column_and_label(opened, given["probabilities"][0])
    return {**given, "probabilities": (), "scores": (column,), "positive": same_positive(given["positive"], label)}


def _probabilities(opened: Source, given: Mapping[str, Any]) -> tuple[list[str] | None, list[str]]:
    """The labels and columns of --probability; without it, the score columns without labels."""
    if not given["probabilities"]:
        return None, list(given["scores"])
    if given["scores"]:
        raise RocscopeError("--score and --probability cannot be combined", hint="Give only one of the two")
    pairs = [_column_and_label(opened, probability) for probability in given["probabilities"]]
    return [label for _, label in pairs], [column for column, _ in pairs]


def _column_and_label(opened: Source, text: str) -> tuple[str, str]:
    """Split COLUMN=LABEL, where either may contain a =: the longest existing column is used."""
    cuts = [index for index, letter in enumerate(text) if letter == "="]
    for cut in reversed(cuts):
        if text[:cut] in opened.columns:
            return text[:cut], text[cut + 1 :]
    if not cuts:
        raise RocscopeError(
            f"--probability {text}: the class label is missing", hint=f"Write --probability {text}=LABEL"
        )
    raise rs.sources.absent_column(opened.name, opened.columns, text[: cuts[-1]])
