"""`rocscope matrix`: what four numbers, two columns of labels or a ready matrix say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from rocscope import measures, verdicts
from rocscope.cli.options import format_option, positive_options
from rocscope.cli.output import Format, emit
from rocscope.cli.reader import file_options, read
from rocscope.cli.shared.cells import cell_of, is_number
from rocscope.cli.shared.class_report import class_table, show_classes
from rocscope.cli.shared.correct_share import correct_line, show_share
from rocscope.cli.shared.predictions import label_remarks
from rocscope.errors import naming
from rocscope.formula import CELLS, Formula
from rocscope.report import (
    USUAL,
    Block,
    Look,
    Measured,
    Paragraph,
    Span,
    counts_blocks,
    measure_blocks,
    measure_rows,
    measured,
    next_steps,
    quiet,
    remarks,
)  # fmt: skip
from rocscope.sources import Source, complete, confusion_matrix
from rocscope.table import Confusion, Counts
from rocscope.tally import plain_positive
from rocscope.text import show_count, trimmed

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
@click.option("--tp", help="True positives: a number, or an expression such as \"x - 3\".")
@click.option("--fp", help="False positives.")
@click.option("--fn", help="False negatives.")
@click.option("--tn", help="True negatives; left out, it is unknown.")
@click.option("--found", type=click.IntRange(min=0), help="Number of cases found (flagged).")
@click.option("--exist", type=click.IntRange(min=0), help="Number of positive cases that exist.")
@click.option("--right", type=click.IntRange(min=0), help="Number of cases found that are positive.")
@click.option("--correct", type=click.IntRange(min=0), help="Number of correct predictions, with --total.")
@click.option("--total", type=click.IntRange(min=0), help="Number of all cases.")
@click.option("--actual", metavar="COLUMN", help="Column with the true labels.")
@click.option("--predicted", metavar="COLUMN", help="Column with the predicted labels.")
@positive_options
@file_options
@click.option("--rows", type=click.Choice(["actual", "predicted"]), help="Meaning of the rows, in a file and in print.")
@click.option("--order", metavar="A,B,...", help="Order of the classes in print, such as 0,1.")
@click.option("--prevalence", type=float, help="Share of positives to convert to, such as 0.02.")
@click.option("--measure", "names", multiple=True, metavar="NAME", help="Measure to show; may be repeated.")
@click.option("--all", "every", is_flag=True, help="Show every measure of the catalog.")
@click.option("--exact", "whole", is_flag=True, help="Show fractions of any length.")
@format_option
def command(what: tuple[str, ...], format: Format, **options: Any) -> None:
    """What a confusion matrix shows, from four numbers, from a file, or from the facts of a search.

    A matrix in a file has predicted or actual as the name of its first column; otherwise --rows says what its rows are.
    """
    if options["correct"] is not None:
        _show_correct(what, options, format)
        return
    subject, notes = _subject(what, options)
    names = _names(options)
    if isinstance(subject, Confusion):
        if options["prevalence"] is not None:
            raise click.UsageError("--prevalence needs two classes: say which is positive with --positive")
        subject = subject.in_order(options["order"].split(",")) if options["order"] else subject
        show_classes(subject, names if options["names"] or options["every"] else None, notes, format=format)
    else:
        _show_counts(subject, names, notes, options, format)


def _show_correct(what: tuple[str, ...], options: dict[str, Any], format: Format) -> None:
    if what or options["total"] is None:
        raise click.UsageError("--correct and --total go together, and alone")
    show_share(options["correct"], options["total"], format)


def _names(options: dict[str, Any]) -> list[str]:
    if options["every"]:
        return [measure.name for measure in measures.catalogue()]
    for name in options["names"]:
        measures.get(name)
    return list(options["names"] or USUAL)


# --- what is asked about


def _subject(what: tuple[str, ...], options: dict[str, Any]) -> tuple[Counts | Confusion, Sequence[str]]:
    """The counts or the matrix, and what is to be said about where it came from."""
    cells = {name: options[name] for name in CELLS if options[name] is not None}
    facts = {name: options[name] for name in ("found", "exist", "right", "total") if options[name] is not None}
    if sum(map(bool, (what, cells, facts))) > 1:
        raise click.UsageError("say it one way: four numbers, --tp --fp --fn --tn, --found --exist --right, or a file")
    if facts:
        return _retrieval(facts), []
    if cells:
        return Counts(**{name: cell_of(name, text) for name, text in cells.items()}), []
    if len(what) == 4:
        return Counts.of(cell_of(name, text) for name, text in zip(CELLS, what, strict=True)), []
    if len(what) == 1 and not is_number(what[0]):
        return _from_file(read(what[0], remarks=False), options)
    came = f"{len(what)} came" if what else "nothing came"
    raise click.UsageError(f"four numbers TP FP FN TN or a file are needed; {came}")


def _retrieval(facts: dict[str, int]) -> Counts:
    for name in ("found", "exist", "right"):
        if name not in facts:
            raise click.UsageError(f"--{name} is missing: found, exist and right are needed")
    return Counts.from_retrieval(**facts)


def _from_file(source: Source, options: dict[str, Any]) -> tuple[Counts | Confusion, Sequence[str]]:
    actual, predicted, positive, weight = (options[name] for name in ("actual", "predicted", "positive", "weight"))
    if actual is None and predicted is None:
        return _of_class(confusion_matrix(source.whole(), rows=options["rows"]), positive), source.remarks
    if actual is None or predicted is None:
        raise click.UsageError("--actual and --predicted go together")
    needed = {actual: "label", predicted: "predicted label"} | ({weight: "weight"} if weight else {})
    kept = complete(source, needed, missing="refuse").values()
    with naming(source.name):
        matrix = Confusion.from_labels(
            kept[actual], kept[predicted], weights=kept.get(weight), weights_are=options["weights_are"]
        )
    found = _of_class(matrix.turned(options["rows"] or "actual"), positive)
    return found, [*source.remarks, *label_remarks({str(label) for label in matrix.labels})]


def _of_class(matrix: Confusion, positive: str | None) -> Counts | Confusion:
    """One class against the rest where it is said or plain which; else the whole matrix."""
    if positive is None and len(matrix.labels) == 2:
        positive = plain_positive(matrix.labels)
    return matrix if positive is None else matrix.of(positive)


# --- four cells


def _show_counts(
    counts: Counts, names: Sequence[str], notes: Sequence[str], options: dict[str, Any], format: Format
) -> None:
    prevalence, rows = options["prevalence"], options["rows"] or "actual"
    found = measured(counts, names, prevalence=prevalence)
    before = measured(counts, names) if prevalence is not None else []
    based = counts if prevalence is None else counts.rebase(prevalence)
    caveats = [*notes, *(_caveats(based) if any(one.measure.name == "accuracy" for one in found) else [])]

    def sheet(look: Look) -> list[Block]:
        single = format == "text"
        share = "" if prevalence is None else f"{trimmed(100 * prevalence)} %"
        return [
            *counts_blocks(counts, look, rows=rows, single=single, negative_first=_negative_first(counts, options)),
            *_correct(counts),
            *_rebased(counts, prevalence),
            *measure_blocks(
                found,
                look,
                data=before,
                baseline=_baseline(based),
                whole=options["whole"],
                share=share,
                drawn=single,
                grouped=options["every"],
            ),
            *_by_class(counts),
            *remarks(caveats),
            *(next_steps(_next(counts, found, prevalence)) if single else []),
        ]

    document = _document(counts, rows, found, before, prevalence, caveats)
    emit(document, format=format, sheet=sheet, rows=measure_rows(found))


def _negative_first(counts: Counts, options: dict[str, Any]) -> bool:
    """Whether --order puts the negative class first."""
    if options["order"] is None:
        return False
    order, known = options["order"].split(","), [str(label) for label in counts.labels]
    if sorted(order) != sorted(known):
        raise click.UsageError(f"--order {options['order']}: the classes are {' and '.join(known)}")
    return bool(order[0] == known[0])


def _correct(counts: Counts) -> list[Block]:
    """Accuracy and error rate in percent, where all cells are known."""
    known = _known(counts)
    if len(known) < 4 or not sum(known):
        return []
    return [Paragraph.of([Span(correct_line(known[0] + known[3], sum(known)))])]


def _by_class(counts: Counts) -> list[Block]:
    """Precision, recall and F1 of both classes, where the classes have names of their own."""
    if len(_known(counts)) < 4 or counts.labels == Counts.of([0, 0, 0, 0]).labels or not sum(_known(counts)):
        return []
    tp, fp, fn, tn = _known(counts)
    return [class_table(Confusion.from_matrix([[tn, fp], [fn, tp]], labels=list(counts.labels)))]


def _caveats(counts: Counts) -> list[str]:
    return verdicts.misleads(counts) if sum(_known(counts)) else []


def _known(counts: Counts) -> list[Any]:
    return [cell for cell in counts.cells.values() if cell is not None and not isinstance(cell, Formula)]


def _baseline(counts: Counts) -> verdicts.Baseline | None:
    """What always predicting the larger class gets right, where all cells are known."""
    known = _known(counts)
    return verdicts.majority_baseline(counts) if len(known) == 4 and sum(known) else None


def _rebased(counts: Counts, prevalence: float | None) -> list[Block]:
    """What happens to 1,000 cases at another prevalence."""
    if prevalence is None:
        return []
    per = counts.rebase(prevalence)
    scale = 1000 / float(sum(per.cells.values()))
    tp, fp, fn, tn = (show_count(round(float(cell) * scale)) for cell in per.cells.values())
    text = f"found {tp}, missed {fn}, false alarms {fp}, not flagged {tn}"
    return [Paragraph.of([quiet(f"of 1,000 cases at {trimmed(100 * prevalence)} %  "), Span(text)], hang=2)]


def _next(counts: Counts, found: Sequence[Measured], prevalence: float | None) -> list[tuple[str, str]]:
    known = _known(counts)
    if len(known) == 4 and not sum(known):
        return []
    if len(known) < 4 or not all(isinstance(cell, int) for cell in known):
        return [("rocscope explain specificity", "what it says, and its formula")]
    numbers = " ".join(map(str, known))
    name = found[0].measure.name if len(found) == 1 else "precision"
    rarer = (f"rocscope matrix {numbers} --prevalence 0.02", "where positives are rarer")
    return [
        (f"rocscope explain {name} {numbers}", "the formula, filled in"),
        *([rarer] if prevalence is None else []),
        (f"rocscope matrix {numbers} --all", "every measure there is"),
    ]


def _document(
    counts: Counts,
    rows: str,
    found: Sequence[Measured],
    before: Sequence[Measured],
    prevalence: float | None,
    caveats: list[str],
) -> dict[str, Any]:
    document: dict[str, Any] = {
        "counts": {name: cell.text if isinstance(cell, Formula) else cell for name, cell in counts.cells.items()},
        "labels": {"negative": counts.labels[0], "positive": counts.labels[1]},
        "rows": rows,
        "measures": {one.measure.name: one.to_dict() for one in before or found},
    }
    if prevalence is not None:
        document["at_prevalence"] = {
            "prevalence": prevalence,
            "measures": {one.measure.name: one.to_dict() for one in found},
        }
    return {**document, "caveats": caveats}
