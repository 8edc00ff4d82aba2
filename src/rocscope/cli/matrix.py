"""`rocscope matrix`: the measures of four counts, two columns of labels, or a confusion matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

import rocscope as rs
from rocscope.cli.options import file_options, format_option, positive_options
from rocscope.cli.output import Format, emit
from rocscope.cli.reader import read
from rocscope.cli.shared.predictions import label_remarks
from rocscope.cli.shared.typed_numbers import cell_of, is_number
from rocscope.errors import naming
from rocscope.report import Sheet

if TYPE_CHECKING:
    from rocscope.sources import Source
    from rocscope.table import Confusion, Counts

EPILOG = """\b
Examples:
  rocscope matrix 7 7 3 13
  rocscope matrix --tp 5 --fp 3 --fn 7 --tn "x - 3"
  rocscope matrix --correct 22 --total 30
  rocscope matrix --found 8 --exist 12 --right 5
  rocscope matrix predictions.csv --actual y --predicted yhat --positive spam
  rocscope matrix matrix.csv --rows predicted
  rocscope matrix predictions.csv --actual y --predicted yhat --order 0,1
"""


@click.command(epilog=EPILOG)
@click.argument("what", nargs=-1, metavar="[TP FP FN TN | FILE]")
@click.option("--tp", help='True positives: a number, or an expression such as "x - 3".')
@click.option("--fp", help="False positives.")
@click.option("--fn", help="False negatives.")
@click.option("--tn", help="True negatives; unknown if omitted.")
@click.option("--found", type=click.IntRange(min=0), help="Number of cases found (flagged).")
@click.option("--exist", type=click.IntRange(min=0), help="Number of positive cases that exist.")
@click.option("--right", type=click.IntRange(min=0), help="Number of cases found that are positive.")
@click.option("--correct", type=click.IntRange(min=0), help="Number of correct predictions, with --total.")
@click.option("--total", type=click.IntRange(min=0), help="Total number of cases.")
@click.option("--actual", metavar="COLUMN", help="Column with the true labels.")
@click.option("--predicted", metavar="COLUMN", help="Column with the predicted labels.")
@positive_options
@file_options
@click.option(
    "--rows", type=click.Choice(["actual", "predicted"]), help="Meaning of the rows, in the file and the output."
)
@click.option("--order", metavar="A,B,...", help="Order of the classes in the output, such as 0,1.")
@click.option("--prevalence", type=float, help="Prevalence to convert the measures to, such as 0.02.")
@click.option("--measure", "names", multiple=True, metavar="NAME", help="Measure to show; may be repeated.")
@click.option("--all", "every", is_flag=True, help="Show every measure in the catalog.")
@click.option("--exact", "whole", is_flag=True, help="Show exact fractions, however long.")
@format_option
def command(what: tuple[str, ...], format: Format, **options: Any) -> None:
    """Compute the measures of a confusion matrix from four numbers, a file, or the results of a search.

    If the first column of a matrix file is not named predicted or actual, --rows must state what the rows are.
    """
    emit(_share(what, options) if options["correct"] is not None else _sheet(what, options), format)


def _share(what: tuple[str, ...], options: dict[str, Any]) -> Sheet:
    if what or options["total"] is None:
        raise click.UsageError("--correct and --total must be given together, without other counts")
    return rs.report.share_sheet(options["correct"], options["total"])


def _sheet(what: tuple[str, ...], options: dict[str, Any]) -> Sheet:
    subject, notes = _subject(what, options)
    names, prevalence, order = _names(options), options["prevalence"], options["order"]
    if isinstance(subject, rs.Counts):
        return rs.report.counts_sheet(
            subject, names or rs.report.USUAL, rows=options["rows"] or "actual", prevalence=prevalence,
            whole=options["whole"], grouped=options["every"],
            negative_first=order is not None and _negative_first(subject, order), notes=notes,
        )  # fmt: skip
    if prevalence is not None:
        raise click.UsageError("--prevalence needs two classes: use --positive to state which label is positive")
    return rs.report.confusion_sheet(subject.in_order(order.split(",")) if order else subject, names, notes=notes)


def _names(options: dict[str, Any]) -> list[str]:
    """The requested measures; empty for the default ones."""
    if options["every"]:
        return [measure.name for measure in rs.measures.catalog()]
    for name in options["names"]:
        rs.measures.get(name)
    return list(options["names"])


def _negative_first(counts: Counts, order: str) -> bool:
    """Whether --order puts the negative class first."""
    known = [str(label) for label in counts.labels]
    if sorted(order.split(",")) != sorted(known):
        raise click.UsageError(f"--order {order}: the classes are {' and '.join(known)}")
    return order.split(",", maxsplit=1)[0] == known[0]


# --- subject of the report


def _subject(what: tuple[str, ...], options: dict[str, Any]) -> tuple[Counts | Confusion, Sequence[str]]:
    """The counts or the matrix, and remarks about its origin."""
    cells = {name: options[name] for name in rs.formula.CELLS if options[name] is not None}
    facts = {name: options[name] for name in ("found", "exist", "right", "total") if options[name] is not None}
    if sum(map(bool, (what, cells, facts))) > 1:
        raise click.UsageError(
            "give exactly one of: four numbers; --tp --fp --fn --tn; --found --exist --right; a file"
        )
    if facts:
        return _retrieval(facts), []
    if cells:
        return rs.Counts(**{name: cell_of(name, text) for name, text in cells.items()}), []
    if len(what) == 4:
        return rs.Counts.of(cell_of(name, text) for name, text in zip(rs.formula.CELLS, what, strict=True)), []
    if len(what) == 1 and not is_number(what[0]):
        return _from_file(read(what[0], remarks=False), options)
    came = f"{len(what)} given" if what else "none given"
    also = ". If only the number of correct predictions is known, use --correct 22 --total 30" if len(what) == 2 else ""
    raise click.UsageError(f"give four numbers TP FP FN TN or a file; {came}{also}")


def _retrieval(facts: dict[str, int]) -> Counts:
    for name in ("found", "exist", "right"):
        if name not in facts:
            raise click.UsageError(f"--{name} is missing: --found, --exist and --right must be given together")
    return rs.Counts.from_retrieval(**facts)


def _from_file(source: Source, options: dict[str, Any]) -> tuple[Counts | Confusion, Sequence[str]]:
    actual, predicted, positive, weight = (options[name] for name in ("actual", "predicted", "positive", "weight"))
    if actual is None and predicted is None:
        return _of_class(rs.sources.confusion_matrix(source.whole(), rows=options["rows"]), positive), source.remarks
    if actual is None or predicted is None:
        raise click.UsageError("--actual and --predicted must be given together")
    needed = {actual: "label", predicted: "predicted label"} | ({weight: "weight"} if weight else {})
    kept = rs.sources.complete(source, needed, missing="refuse").values()
    with naming(source.name):
        matrix = rs.Confusion.from_labels(
            kept[actual], kept[predicted], weights=kept.get(weight), weights_are=options["weights_are"]
        )
    counts = _of_class(matrix.turned(options["rows"] or "actual"), positive)
    return counts, [*source.remarks, *label_remarks({str(label) for label in matrix.labels})]


def _of_class(matrix: Confusion, positive: str | None) -> Counts | Confusion:
    """One class against the rest if it is specified or unambiguous; else the whole matrix."""
    if positive is None and len(matrix.labels) == 2:
        positive = rs.tally.plain_positive(matrix.labels)
    return matrix if positive is None else matrix.of(positive)
