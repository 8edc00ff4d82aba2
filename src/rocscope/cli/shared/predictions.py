"""Score tables for `curve`, `hull` and `trace`: from labels and scores, from a table of thresholds, or saved."""

from __future__ import annotations

import math
import os
from collections.abc import Collection
from typing import TYPE_CHECKING

import rocscope as rs
from rocscope.cli.reader import read
from rocscope.errors import RocscopeError
from rocscope.record import record
from rocscope.text import shorten

if TYPE_CHECKING:
    from rocscope.sources import Source
    from rocscope.table import ScoreTable


@record(slots=True)
class ColumnOptions:
    """The options about the columns of a file."""

    label: str | None = None
    scores: tuple[str, ...] = ()
    positive: str | None = None
    weight: str | None = None
    weights_are: str = "sampling"
    lower_is_positive: bool = False
    positives: int | None = None
    negatives: int | None = None


@record(slots=True)
class Predictions:
    """The score tables of a file by the name of their column, and remarks about the file."""

    tables: dict[str, ScoreTable]
    source: str
    remarks: tuple[str, ...] = ()
    compared: rs.Comparison | None = None  # available only when the scores of each case are known

    @property
    def first(self) -> ScoreTable:
        """The first table; all of them have the same cases."""
        return next(iter(self.tables.values()))


def read_predictions(file: str, options: ColumnOptions) -> Predictions:
    """The score tables of a file: of its score columns, of its thresholds and counts, or saved in it."""
    if rs.evaluation.is_saved(file):
        return saved_predictions(file)
    return predictions_of(read(file, remarks=False), options)


def drawn_points(file: str, options: ColumnOptions) -> list[tuple[float, float]] | None:
    """The points of a file with columns FPR and TPR, a curve without scores; None for other files."""
    if options.label is not None or options.scores or not os.path.isfile(file) or rs.evaluation.is_saved(file):
        return None
    source = read(file, remarks=False)
    if not rs.sources.is_point_table(source.columns) or rs.sources.is_threshold_table(source.columns):
        return None
    return [(roc_point.fpr, roc_point.tpr) for roc_point in rs.sources.roc_points(source.whole(), name="curve")]


def saved_predictions(file: str) -> Predictions:
    """The score table saved in a file; options about its cases are an error."""
    from rocscope.cli.shared.saved_tables import refuse_cases

    refuse_cases(file)
    evaluation = rs.evaluate(file)
    if not isinstance(evaluation, rs.Evaluation):
        raise RocscopeError(
            f"{file} contains a confusion matrix, but this command needs scores",
            hint="Use rocscope evaluate for a matrix",
        )
    return Predictions({evaluation.name: evaluation.table}, file)


def predictions_of(source: Source, options: ColumnOptions) -> Predictions:
    """Like `read_predictions`, for files that are open."""
    if options.label is None and not options.scores and rs.sources.is_threshold_table(source.columns):
        table = thresholds_of(source, options)
        return Predictions({"": table}, source.name, (*source.remarks, *_unlisted(source, table)))
    if options.label is None or not options.scores:
        missing = " and ".join(
            option for option, given in (("--label", options.label), ("--score", options.scores)) if not given
        )
        column_names = ", ".join(source.columns[:12]) + (", ..." if len(source.columns) > 12 else "")
        raise RocscopeError(f"{source.name} has the columns {column_names}", hint=f"Name them: {missing} COLUMN")
    comparison = evaluated_scores(source, options)
    tables = {name: evaluation.table for name, evaluation in comparison.evaluations.items()}
    near = label_remarks({str(label) for table in tables.values() for label in table.labels})
    return Predictions(tables, source.name, (*source.remarks, *near), comparison)


def thresholds_of(source: Source, options: ColumnOptions) -> ScoreTable:
    """The score table implied by a file of thresholds and their counts."""
    return rs.sources.threshold_table(
        source.whole(), positives=options.positives, negatives=options.negatives,
        higher_is_positive=not options.lower_is_positive,
    )  # fmt: skip


def _unlisted(source: Source, table: ScoreTable) -> list[str]:
    """A remark on the thresholds of a file that its table lacks because they flag no further case."""
    column = rs.sources.threshold_column(source.columns)
    written = [text.strip() for text in source.whole().text(column)] if column else []
    absent = [text for text in written if math.isfinite(float(text)) and float(text) not in table.scores]
    if not absent:
        return []
    named = ", ".join(absent)
    if len(absent) == 1:
        return [f"Threshold {named} flags no further cases and is not listed."]
    return [f"Thresholds {named} flag no further cases and are not listed."]


def evaluated_scores(source: Source, options: ColumnOptions) -> rs.Comparison:
    """The score columns side by side."""
    from rocscope.evaluation import Request, scored_columns

    request = Request(
        str(options.label), options.positive, options.weight, options.weights_are, not options.lower_is_positive,
        by=(), missing="refuse",
    )  # fmt: skip
    return scored_columns(source, list(dict.fromkeys(options.scores)), request)


def label_remarks(labels: Collection[str]) -> tuple[str, ...]:
    """Remarks on labels that differ only in case, blanks or Unicode form, which are kept distinct."""
    sentences = rs.tally.near_duplicates(sorted(set(labels)))
    return tuple(shorten(f"{sentence[:1].upper()}{sentence[1:]}.", rs.report.LONGEST) for sentence in sentences)
