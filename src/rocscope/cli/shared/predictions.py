"""Predictions from a small file: labels and scores, or a table of thresholds with their counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from rocscope.cli.reader import Kept, Loaded, Opened, TextColumns, file_options, read, whole
from rocscope.errors import RocscopeError
from rocscope.formula import CELLS
from rocscope.report.sheet import Line, Piece, data, quiet, shorten
from rocscope.report.text_views.next_steps import LONGEST
from rocscope.table import ScoreTable
from rocscope.tally import near_duplicates
from rocscope.text import PLAIN_LABELS, percent, show_count

Command = TypeVar("Command", bound=Callable[..., Any])
WEIGHTS = ("sampling", "frequency")


@dataclass(frozen=True, slots=True)
class Asked:
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


def positive_options(command: Command) -> Command:
    """`--positive`, `--weight` and `--weights-are`."""
    for option in (
        click.option("--weights-are", type=click.Choice(WEIGHTS), default="sampling", show_default=True,
                     help="sampling: a row stands for others; frequency: it occurred that often."),
        click.option("--weight", metavar="COLUMN", help="Column of weights."),
        click.option("--positive", metavar="LABEL", help="The positive label (0/1 and -1/1 need none)."),
    ):  # fmt: skip
        command = option(command)
    return command


def prediction_options(command: Command) -> Command:
    """The options that say where labels and scores stand: as `Asked` takes them."""
    for option in (
        click.option("--negatives", type=click.IntRange(min=0), help="All negatives, when the table has tp, tn alone."),
        click.option("--positives", type=click.IntRange(min=0), help="All positives, for a table of thresholds."),
        click.option("--lower-is-positive", is_flag=True, help="Low scores mean positive: score <= threshold."),
        file_options,
        positive_options,
        click.option("--score", "scores", multiple=True, metavar="COLUMN", help="Column of scores."),
        click.option("--label", metavar="COLUMN", help="Column of the true labels."),
    ):
        command = option(command)
    return command


def read_predictions(file: str, asked: Asked) -> Predictions:
    """The score tables of a file: of its score columns, of the thresholds and counts that it lists, or saved in it."""
    return saved_predictions(file) if file.lower().endswith(".rst") else predictions_of(read(file), asked)


def saved_predictions(file: str) -> Predictions:
    """The score table saved in a file; options about its cases are refused."""
    from rocscope.cli.shared.saved_tables import refuse_cases
    from rocscope.sources.table_files import read

    refuse_cases(file)
    found = read(file)
    if not isinstance(found.table, ScoreTable):
        raise RocscopeError(f"{file} holds a confusion matrix", hint="Scores are needed; rocscope evaluate reads it")
    if not len(found.table):
        raise RocscopeError(f"{file} holds no cases")
    return Predictions({found.name: found.table}, file)


def predictions_of(columns: Opened, asked: Asked) -> Predictions:
    """`read_predictions` for columns that have been read."""
    if asked.label is None and not asked.scores and is_threshold_table(columns):
        table = _from_thresholds(whole(columns), asked)
        return Predictions({"": table}, columns.source, blank_remarks(columns))
    if asked.label is None or not asked.scores:
        missing = " and ".join(
            option for option, given in (("--label", asked.label), ("--score", asked.scores)) if not given
        )
        found = ", ".join(columns.names[:12]) + (", ..." if len(columns.names) > 12 else "")
        raise RocscopeError(f"{columns.source} has the columns {found}", hint=f"Say which to read: {missing} COLUMN")
    needed = {asked.label: "label"} | {score: f"score of {score}" for score in asked.scores}
    kept, _ = columns.complete(needed | ({asked.weight: "weight"} if asked.weight else {}), missing="refuse")
    labels, different = kept.classes(asked.label), kept.labels(asked.label)
    positive = asked.positive
    tables = {score: _from_scores(kept, labels, score, asked, positive) for score in dict.fromkeys(asked.scores)}
    return Predictions(tables, columns.source, (*blank_remarks(kept), *label_remarks(different)))


def _from_scores(
    columns: Kept, labels: Any, score: str, asked: Asked, positive: str | None
) -> ScoreTable:
    weights = None if asked.weight is None else weights_of(columns, asked.weight)
    scores = columns.numbers(score)
    with in_file(columns.source):
        return ScoreTable.from_scores(
            labels,
            scores,
            positive=positive,
            weights=weights,
            weights_are=asked.weights_are,
            higher_is_positive=not asked.lower_is_positive,
        )


@contextmanager
def in_file(source: str) -> Iterator[None]:
    """Let what a room refuses name the file and the option of the command line."""
    try:
        yield
    except RocscopeError as error:
        hint = error.hint
        if hint.startswith("positive="):
            label = hint.removeprefix("positive=").removesuffix(", for example")
            hint = f"Add --positive {label}, for example"
        hint = hint.replace("Say folds=...", "Say --cross-fit FOLDS")
        message = error.message if error.message.startswith(source) else f"{source}: {error.message}"
        raise RocscopeError(message, hint=hint) from None


def weights_of(columns: Kept, name: str) -> Any:
    """A column of weights: whole numbers stay whole, so that sums of them stay exact."""
    numbers = columns.numbers(name)
    if isinstance(columns, Loaded):
        return columns.counts(name) if columns.is_whole(name) else numbers
    return columns.counts(name) if all(one >= 0 and one.is_integer() for one in numbers) else numbers


def label_remarks(labels: Collection[str]) -> tuple[str, ...]:
    """Labels that differ by case, blanks or Unicode form alone: kept apart, but said."""
    sentences = near_duplicates(sorted(set(labels)))
    return tuple(shorten(f"{sentence[:1].upper()}{sentence[1:]}.", LONGEST) for sentence in sentences)


def blank_remarks(columns: Opened | Kept) -> tuple[str, ...]:
    """How many blank lines of the file were left out, when any were."""
    blank = columns.blank_lines
    return (f"{blank} blank line{'' if blank == 1 else 's'} left out.",) if blank else ()


# --- a table of thresholds


def is_threshold_table(columns: Opened) -> bool:
    """Whether the columns are a threshold and counts at it."""
    names = {name.strip().lower() for name in columns.names}
    return "threshold" in names and len(names & set(CELLS)) >= 2


def named(columns: Opened, name: str) -> str | None:
    """The column of that name, whatever its case."""
    return next((known for known in columns.names if known.strip().lower() == name), None)


def _from_thresholds(columns: TextColumns, asked: Asked) -> ScoreTable:
    thresholds = thresholds_of(columns, named(columns, "threshold") or "threshold")
    cells = {cell: columns.counts(column) for cell in CELLS if (column := named(columns, cell)) is not None}
    rows = [
        {"threshold": threshold, **{cell: counts[i] for cell, counts in cells.items()}}
        for i, threshold in enumerate(thresholds)
    ]
    try:
        return ScoreTable.from_points(
            rows,
            positives=asked.positives,
            negatives=asked.negatives,
            higher_is_positive=not asked.lower_is_positive,
        )
    except RocscopeError as error:
        hint = error.hint.replace("positives=...", "--positives N").replace("negatives=...", "--negatives N")
        hint = hint.replace("(higher_is_positive)", "(--lower-is-positive)").replace("hull()", "rocscope hull")
        raise RocscopeError(f"{columns.source}: {error.message}", hint=hint) from None


def thresholds_of(columns: TextColumns, name: str) -> list[float]:
    """A column of thresholds: numbers, and inf or -inf for the ends of a curve."""
    ends = {"inf": math.inf, "infinity": math.inf, "-inf": -math.inf, "-infinity": -math.inf}
    found = []
    for row, text in enumerate(columns.text(name)):
        plain = text.strip().lower().lstrip("+")
        try:
            value = ends[plain] if plain in ends else float(plain)
        except ValueError:
            value = math.nan
        if math.isnan(value) or (math.isinf(value) and plain not in ends) or "_" in plain:
            raise RocscopeError(f"{columns.place(row)}, column '{name}': '{text[:40]}' is not a threshold")
        found.append(value)
    return found


# --- in words


def facts_line(table: ScoreTable, *, unit: str = "case") -> Line:
    """How many cases, how many of them positive, and the rule."""
    total = table.positives + table.negatives
    noun = unit if total == 1 else f"{unit}s"
    cases = f"weight {show_count(total)}" if table.weighted else f"{show_count(total)} {noun}"
    share = percent(table.positives, total)
    label = table.labels[1]
    return (
        Piece(f"{cases}, {show_count(table.positives)} "),
        Piece("positive") if str(label) in PLAIN_LABELS else data(label, limit=24),
        Piece(f" ({share})" if share else ""),
        quiet(f"   positive: {table.rule}"),
    )
