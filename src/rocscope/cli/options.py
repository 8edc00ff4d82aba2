"""Options that several commands share, each defined once, in the order of their help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])
WEIGHTS = ("sampling", "frequency")
FORMATS = ("text", "json", "md", "csv", "latex", "dvc", "hf", "openmetrics")

_META_KEY = "rocscope.reading"  # context.meta key of the options that control how the input is read


def options(*several: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Combine several options into one decorator."""

    def decorate(command: Command) -> Command:
        for option in reversed(several):
            command = option(command)
        return command

    return decorate


def _kept(*names: str, **settings: Any) -> Callable[[Any], Any]:
    """Create an option stored in click's context rather than passed to the command, because only reading needs it."""

    def keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
        context.meta.setdefault(_META_KEY, {})[str(parameter.name)] = value

    return click.option(*names, expose_value=False, callback=keep, **settings)


def said(name: str) -> Any:
    """The value of an option about reading; None if it was not given."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(_META_KEY, {}).get(name)


# --- input options

file_options = options(
    _kept("--delimiter", metavar="CHARACTER", help="Field delimiter: , ; | or tab; detected by default."),
    _kept("--encoding", metavar="NAME", help="Encoding of text that is not UTF-8: latin-1, cp1252, ..."),
    _kept("--sheet", metavar="NAME", help="Sheet of an Excel file that has several."),
)
"""Options for files that do not state their own format."""

scan_options = options(
    _kept("--budget", metavar="SIZE", help="Memory limit for the rows, such as 500M or 4G.  [default: 1G]"),
    _kept("--tolerance", type=click.FloatRange(min=0, min_open=True), metavar="X",
          help="Maximum error of the AUC if the rows do not fit in memory.  [default: 1e-6]"),
    _kept("--exact", is_flag=True, help="Compute exact areas, one range of scores at a time, even if the rows do not "
    "fit in memory."),
)  # fmt: skip
"""Options for files that do not fit in memory."""

positive_options = options(
    click.option("--positive", metavar="LABEL", help="Positive label (not needed for 0/1 and -1/1)."),
    click.option("--weight", metavar="COLUMN", help="Column with weights."),
    click.option("--weights-are", type=click.Choice(WEIGHTS), default="sampling", show_default=True,
                 help="Kind of weights: sampling (a row also represents other cases) or frequency (a row occurred that "
                 "many times)."),
)  # fmt: skip

_label_and_scores = options(
    click.option("--label", metavar="COLUMN", help="Column with the true labels."),
    click.option("--score", "scores", multiple=True, metavar="COLUMN", help="Column with scores."),
    positive_options,
)
_lower_is_positive = click.option(
    "--lower-is-positive", is_flag=True, help="Low scores indicate the positive class: score <= threshold."
)

total_options = options(
    *(
        click.option(f"--{name}", type=click.IntRange(min=0),
                     help=f"Total number of {name}, for a threshold table with only TP and TN.")
        for name in ("positives", "negatives")
    )
)  # fmt: skip
"""For a threshold table that does not state the number of cases."""

prediction_options = options(
    _label_and_scores,
    file_options,
    _lower_is_positive,
    total_options,
)
"""Options naming the columns with labels and scores, as `predictions.ColumnOptions` takes them."""

by_options = options(
    click.option("--by", multiple=True, metavar="COLUMN",
                 help="Column whose values define slices, each with its own interval; may be repeated."),
    click.option("--crossed", is_flag=True, help="Also slice by each pair of --by columns."),
)  # fmt: skip

single_options = options(
    click.option("--cost-column", metavar="COLUMN",
                 help="Column with the cost of missing each case; needs --cost-fp or --cost-fp-column."),
    click.option("--cost-fp-column", metavar="COLUMN", help="Column with the cost of a false alarm for each case."),
    click.option("--refer", metavar="TEXT",
                 help='Requirements for referring the cases between two thresholds ("recall >= 0.95, precision >= '
                      '0.9"), or the price of a referral together with costs.'),
)  # fmt: skip
"""Options for a single score: costs of individual cases, and referral."""

class_options = options(
    click.option("--predicted", metavar="COLUMN", help="Column with predicted labels, if there are no scores."),
    click.option("--order", metavar="A,B,...", help="Order of the classes in the matrix, such as 1,0."),
    click.option("--probability", "probabilities", multiple=True, metavar="COLUMN=LABEL",
                 help="Column with the probability of a class; one for each class."),
    click.option("--choose-on", metavar="FILE", help="File with the cases used to choose the threshold."),
    click.option("--threshold-of", "thresholds", multiple=True, metavar="LABEL=T",
                 help="Threshold for one of several classes or labels; may be repeated."),
)  # fmt: skip
"""Options for a single classifier."""

# --- analysis options

prevalence_option = click.option(
    "--prevalence", type=float, metavar="P", help="Prevalence (share of positives) where the model will be used."
)
cost_options = options(
    click.option("--cost-fp", type=float, metavar="X", help="Cost of a false alarm."),
    click.option("--cost-fn", type=float, metavar="X", help="Cost of a miss."),
)
gains_option = click.option(
    "--gains",
    metavar="TEXT",
    help='Gain of each outcome instead of costs, with losses as negative numbers: "tp=100, fp=-5".',
)
threshold_options = options(
    click.option("--threshold", type=float, metavar="T", help="Threshold to use."),
    click.option("--choose", metavar="RULE",
                 help='Rule for the threshold: youden, closest, f1, "top 5 %", "recall where precision >= 0.9", ...'),
)  # fmt: skip
use_options = options(
    cost_options,
    gains_option,
    click.option(
        "--pt", type=float, metavar="P", help="Lowest probability at which you would act; an alternative to costs."
    ),
    prevalence_option,
)
level_option = click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
seed_option = click.option("--seed", type=int, default=0, show_default=True, help="Random seed.")
interval_options = options(
    level_option,
    click.option("--interval", default="newcombe", show_default=True, metavar="METHOD",
                 help="Interval method for the AUC: newcombe, delong, logit-delong, ..."),
    click.option("--bootstrap", type=int, metavar="N",
                 help="Number of bootstrap resamples for areas and the range of the threshold."),
    seed_option,
    click.option("--unit", default="case", show_default=True, metavar="NOUN", help="Noun for a single case, such as "
    "loan."),
)  # fmt: skip

# --- output options

format_option = click.option(
    "--format", type=click.Choice(["text", "json", "md", "csv", "latex"]), default="text", show_default=True,
    help="Output format.",
)  # fmt: skip
force_option = click.option("--force", is_flag=True, help="Overwrite an existing file.")
full_option = click.option(
    "--full", is_flag=True, help="Show everything: other rules, costs, top of the ranking, calibration, methods."
)
html_option = click.option(
    "--html", metavar="OUT", help="HTML report to write as well: a single file that works offline."
)
page_options = options(
    html_option,
    click.option("--embed-cases", type=click.IntRange(min=1), metavar="N",
                 help="Include the N cases nearest to the threshold in the report, for inspecting errors."),
    click.option("--id", "id_column", metavar="COLUMN",
                 help="Column that identifies a case in the report.  [default: line number]"),
)  # fmt: skip
save_table_option = click.option(
    "--save-table",
    metavar="TABLE",
    help="File for the score table (day.scoretable.parquet), which can be evaluated later without the cases.",
)
card_option = click.option(
    "--card", "cards", multiple=True, metavar="KEY=VALUE",
    help="For --format hf: model, task, dataset, dataset-type or split.",
)  # fmt: skip


def output_options(formats: Sequence[str], output: str) -> Callable[[Command], Command]:
    """`--format` with these choices, `--output` with this help, and `--force`."""
    return options(
        click.option("--format", type=click.Choice(formats), help="Output format.  [default: text]"),
        click.option("--output", metavar="OUT", help=output),
        force_option,
    )


question_options = options(
    _label_and_scores,
    _lower_is_positive,
    threshold_options,
    click.option("--cross-fit", type=click.IntRange(min=2), metavar="FOLDS",
                 help="Number of cross-fitting folds: each threshold is chosen on the other folds."),
    use_options,
    click.option("--cluster", metavar="COLUMN", help="Column with the cluster of each case, such as the patient."),
    interval_options,
    file_options,
    click.option("--missing", type=click.Choice(["error", "drop"]), default="error", show_default=True,
                 help="Treatment of rows without a label, score or weight: refuse or drop them."),
    click.option("--infinite", type=click.Choice(["error", "ends"]), default="error", show_default=True,
                 help="Treatment of infinite scores: refuse them, or rank them beyond all others."),
    scan_options,
)  # fmt: skip
"""Options of `evaluate`, `compare` and `gate` for files of cases."""

_shared_options = options(
    question_options,
    click.option(
        "--cost-matrix",
        metavar="FILE",
        help="Table of costs for several classes: a row for each actual class, a column for each predicted class.",
    ),
    click.option("--reject", type=float, metavar="X", help="Cost of leaving a case undecided, with --cost-matrix."),
    click.option(
        "--fold", metavar="COLUMN", help="Column with the fold of each row, from a cross-validation run elsewhere."
    ),
    full_option,
)
_OUTPUT = "Output file; the extension (.json, .md, .csv, .txt, .tex) determines the format."
evaluation_options = options(_shared_options, output_options(FORMATS, _OUTPUT))
comparison_options = options(
    _shared_options, output_options([format_name for format_name in FORMATS if format_name != "hf"], _OUTPUT)
)
"""Options shared by `evaluate` and `compare`; a model index (hf) describes one model."""
