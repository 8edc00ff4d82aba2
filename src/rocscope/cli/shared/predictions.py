"""Score tables for `curve`, `hull` and `trace`: of labels and scores, of a table of thresholds, or saved."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from rocscope.cli.options import positive_options
from rocscope.cli.reader import file_options, read
from rocscope.errors import RocscopeError
from rocscope.evaluation import Evaluation, evaluate, is_saved
from rocscope.report import LONGEST, Line, Span, data, quiet
from rocscope.sources import Source, is_threshold_table, threshold_table
from rocscope.table import ScoreTable
from rocscope.tally import near_duplicates
from rocscope.text import PLAIN_LABELS, percent, shorten, show_count

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class ColumnOptions:
    """What the options say about the columns of a file."""

    label: str | None = None
    scores: tuple[str, ...] = ()
    positive: str | None = None
    weight: str | None = None
    weights_are: str = "sampling"
    lower_is_positive: bool = False
    positives: int | None = None
    negatives: int | None = None


@dataclass(frozen=True, slots=True)
class Predictions:
    """The score tables of a file by the name of their column, and what is to be said about the file."""

    tables: dict[str, ScoreTable]
    source: str
    remarks: tuple[str, ...] = ()

    @property
    def first(self) -> ScoreTable:
        """The first table; all of them have the same cases."""
        return next(iter(self.tables.values()))


def total_options(command: Command) -> Command:
    """`--positives` and `--negatives`, for a table of thresholds that does not say how many cases there are."""
    for name in ("negatives", "positives"):
        says = f"Number of all {name}, for a threshold table with TP and TN only."
        command = click.option(f"--{name}", type=click.IntRange(min=0), help=says)(command)
    return command


def prediction_options(command: Command) -> Command:
    """The options that say where labels and scores stand: as `ColumnOptions` takes them."""
    for option in (
        total_options,
        click.option("--lower-is-positive", is_flag=True, help="Low scores mean positive: score <= threshold."),
        file_options,
        positive_options,
        click.option("--score", "scores", multiple=True, metavar="COLUMN", help="Column with scores."),
        click.option("--label", metavar="COLUMN", help="Column with the true labels."),
    ):
        command = option(command)
    return command


def read_predictions(file: str, options: ColumnOptions) -> Predictions:
    """The score tables of a file: of its score columns, of the thresholds and counts that it lists, or saved in it."""
    return saved_predictions(file) if is_saved(file) else predictions_of(read(file, remarks=False), options)


def saved_predictions(file: str) -> Predictions:
    """The score table saved in a file; options about its cases are refused."""
    from rocscope.cli.shared.saved_tables import refuse_cases

    refuse_cases(file)
    found = evaluate(file)
    if not isinstance(found, Evaluation):
        raise RocscopeError(f"{file} holds a confusion matrix", hint="Scores are needed; rocscope evaluate reads it")
    return Predictions({found.name: found.table}, file)


def predictions_of(source: Source, options: ColumnOptions) -> Predictions:
    """`read_predictions` for files that are open."""
    if options.label is None and not options.scores and is_threshold_table(source.columns):
        return Predictions({"": thresholds_of(source, options)}, source.name, source.remarks)
    if options.label is None or not options.scores:
        missing = " and ".join(
            option for option, given in (("--label", options.label), ("--score", options.scores)) if not given
        )
        found = ", ".join(source.columns[:12]) + (", ..." if len(source.columns) > 12 else "")
        raise RocscopeError(f"{source.name} has the columns {found}", hint=f"Say which to read: {missing} COLUMN")
    made = evaluated_scores(source, options)
    near = label_remarks({str(label) for one in made.values() for label in one.labels})
    return Predictions(made, source.name, (*source.remarks, *near))


def thresholds_of(source: Source, options: ColumnOptions) -> ScoreTable:
    """The score table behind a file of thresholds and their counts."""
    return threshold_table(
        source.whole(), positives=options.positives, negatives=options.negatives,
        higher_is_positive=not options.lower_is_positive,
    )  # fmt: skip


def evaluated_scores(source: Source, options: ColumnOptions) -> dict[str, ScoreTable]:
    """The score table of each score column."""
    from rocscope.evaluation import Request, score_tables

    request = Request(
        str(options.label), options.positive, options.weight, options.weights_are, not options.lower_is_positive,
        by=(), missing="refuse",
    )  # fmt: skip
    return score_tables(source, list(dict.fromkeys(options.scores)), request)


def label_remarks(labels: Collection[str]) -> tuple[str, ...]:
    """Labels that differ by case, blanks or Unicode form alone: kept apart, but said."""
    sentences = near_duplicates(sorted(set(labels)))
    return tuple(shorten(f"{sentence[:1].upper()}{sentence[1:]}.", LONGEST) for sentence in sentences)


def facts_line(table: ScoreTable, *, unit: str = "case") -> Line:
    """How many cases, how many of them positive, and the rule."""
    total = table.positives + table.negatives
    noun = unit if total == 1 else f"{unit}s"
    cases = f"weight {show_count(total)}" if table.weighted else f"{show_count(total)} {noun}"
    share = percent(table.positives, total)
    label = table.labels[1]
    return (
        Span(f"{cases}, {show_count(table.positives)} "),
        Span("positive") if str(label) in PLAIN_LABELS else data(label, limit=24),
        Span(f" ({share})" if share else ""),
        quiet(f"   positive: {table.rule}"),
    )
