"""Results of a confusion matrix alone: its cells, its measures, a report of every class, caveats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rocscope import estimate, measures, verdicts
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.formula import Formula
from rocscope.measures import AVERAGES, Measure
from rocscope.numbers import plain
from rocscope.report.sheet import Block, Cell, Field, Paragraph, Span, Tabular, data, quiet, strong
from rocscope.report.sheet_formats import Look, Sheet
from rocscope.report.text_views.matrix import confusion_blocks, counts_blocks
from rocscope.report.text_views.measures import Measured, measure_blocks, measure_rows, measured, value_text
from rocscope.report.text_views.verdict import remarks
from rocscope.table import Confusion, Counts
from rocscope.text import show_count, trimmed

PER_CLASS = ("precision", "recall", "f1")
OF_MATRIX = ("accuracy", "balanced accuracy", "MCC", "kappa")


# --- two classes


def counts_sheet(
    counts: Counts, names: Sequence[str], *, rows: str = "actual", prevalence: float | None = None, whole: bool = False,
    grouped: bool = False, negative_first: bool = False, notes: Sequence[str] = (),
) -> Sheet:  # fmt: skip
    """The measures with these names for four cells, at another prevalence if one is given.

    `whole` shows every fraction, `grouped` the groups of the catalog; `notes` are about the file.
    """
    measured_rows = measured(counts, names, prevalence=prevalence)
    before = measured(counts, names) if prevalence is not None else []
    based = counts if prevalence is None else counts.rebase(prevalence)
    known = _known(based)
    judged = any(row.measure.name == "accuracy" for row in measured_rows) and sum(known)
    caveats = [*notes, *(verdicts.misleads(based) if judged else [])]
    baseline = verdicts.majority_baseline(based) if len(known) == 4 and sum(known) else None

    def blocks(look: Look, single: bool) -> list[Block]:
        share = "" if prevalence is None else f"{trimmed(100 * prevalence)} %"
        return [
            *counts_blocks(counts, look, rows=rows, single=single, negative_first=negative_first),
            *_correct(_known(counts)),
            *([] if prevalence is None else [_per_thousand(based, share)]),
            *measure_blocks(measured_rows, look, data=before, baseline=baseline, whole=whole, share=share, drawn=single,
                            grouped=grouped),
            *_both_classes(counts, negative_first=negative_first),
            *remarks(caveats),
        ]  # fmt: skip

    document: dict[str, Any] = {
        "counts": {name: cell.text if isinstance(cell, Formula) else cell for name, cell in counts.cells.items()},
        "labels": {"negative": counts.labels[0], "positive": counts.labels[1]},
        "rows": rows,
        "measures": {row.measure.name: row.to_dict() for row in before or measured_rows},
    }
    if prevalence is not None:
        at_prevalence = {row.measure.name: row.to_dict() for row in measured_rows}
        document["at_prevalence"] = {"prevalence": prevalence, "measures": at_prevalence}
    steps = _next(_known(counts), measured_rows, prevalence)
    return Sheet({**document, "caveats": caveats}, blocks, lambda: measure_rows(measured_rows, counts), steps)


def _known(counts: Counts) -> list[Any]:
    return [cell for cell in counts.cells.values() if cell is not None and not isinstance(cell, Formula)]


def _correct(known: Sequence[Any]) -> list[Block]:
    """Accuracy and error rate in percent, if all cells are known."""
    if len(known) < 4 or not sum(known):
        return []
    return [Paragraph.of([Span(correct_line(known[0] + known[3], sum(known)))])]


def _both_classes(counts: Counts, *, negative_first: bool) -> list[Block]:
    """Precision, recall and F1 of both classes in the order of the matrix, if they have names."""
    known = _known(counts)
    if len(known) < 4 or counts.labels == Counts.of([0, 0, 0, 0]).labels or not sum(known):
        return []
    tp, fp, fn, tn = known
    matrix = Confusion.from_matrix([[tn, fp], [fn, tp]], labels=list(counts.labels))
    if not negative_first:
        matrix = matrix.in_order([str(label) for label in reversed(counts.labels)])
    return [_class_table(_class_rows(matrix, PER_CLASS), PER_CLASS)]


def _per_thousand(based: Counts, share: str) -> Block:
    """The outcomes of 1,000 cases at another prevalence."""
    scale = 1000 / float(sum(based.cells.values()))
    tp, fp, fn, tn = (show_count(round(float(cell) * scale)) for cell in based.cells.values())
    text = f"found {tp}, missed {fn}, false alarms {fp}, not flagged {tn}"
    return Paragraph.of([quiet(f"of 1,000 cases at {share}  "), Span(text)], hang=2)


def _next(known: Sequence[Any], measured_rows: Sequence[Measured], prevalence: float | None) -> list[tuple[str, str]]:
    if len(known) == 4 and not sum(known):
        return []
    if len(known) < 4 or not all(isinstance(cell, int) for cell in known):
        return [("rocscope explain specificity", "what it means, and its formula")]
    numbers = " ".join(map(str, known))
    name = measured_rows[0].measure.name if len(measured_rows) == 1 else "precision"
    tp, _, fn, _ = known
    rarer = (f"rocscope matrix {numbers} --prevalence 0.02", "where positives are rarer")
    return [
        (f"rocscope explain {name} {numbers}", "the formula with your numbers"),
        *([rarer] if prevalence is None and tp + fn > 0.02 * sum(known) else []),
        (f"rocscope matrix {numbers} --all", "every measure in the catalog"),
    ]


# --- number of correct predictions only


def share_sheet(correct: Any, total: Any) -> Sheet:
    """Accuracy and error rate of `correct` of `total` cases, in percent and with intervals."""
    if not isinstance(correct, int) or not isinstance(total, int) or not 0 <= correct <= total or total < 1:
        raise RocscopeError(
            f"{correct} correct of {total}",
            hint="Both must be integers, with CORRECT from 0 to TOTAL and TOTAL at least 1",
        )
    shares = [
        Measured(name, measures.get(name), hits / total, Fraction(hits, total), estimate.proportion(hits, total))
        for name, hits in (("accuracy", correct), ("error rate", total - correct))
    ]

    def blocks(look: Look, single: bool) -> list[Block]:
        return [Paragraph.of([strong(correct_line(correct, total))]), *measure_blocks(shares, look, drawn=single)]

    document = {"correct": correct, "total": total, "measures": {row.measure.name: row.to_dict() for row in shares}}
    steps = [("rocscope matrix TP FP FN TN", "which errors these are, and every other measure")]
    return Sheet(document, blocks, lambda: measure_rows(shares), steps)


def correct_line(correct: Any, total: Any) -> str:
    """How many cases are predicted correctly, with accuracy and error rate in percent.

    >>> correct_line(22, 30)
    '22 of 30 cases are predicted correctly: accuracy 73.3 %, error rate 26.7 %.'
    """
    share = 100 * Fraction(correct) / Fraction(total)
    shares = f"accuracy {float(share):.1f} %, error rate {float(100 - share):.1f} %"
    return f"{show_count(correct)} of {show_count(total)} cases are predicted correctly: {shares}."


# --- multiclass


def confusion_sheet(matrix: Confusion, names: Sequence[str], *, notes: Sequence[str] = ()) -> Sheet:
    """A k x k matrix: the measures of the whole among these names (or the usual ones), every class, the averages."""
    whole = [name for name in names or OF_MATRIX if measures.get(name).matrix is not None]
    measured_rows = [_of_matrix(matrix, name) for name in whole]
    columns = [name for name in names if name not in whole] or list(PER_CLASS)
    baseline = verdicts.majority_baseline(matrix)
    reasons = {name: matrix.why(name, average="macro") for name in columns}
    left_out = [f"The macro average of {name} excludes {why}." for name, why in reasons.items() if why]
    caveats = [*notes, *verdicts.misleads(matrix), *left_out]
    rows = _class_rows(matrix, columns)
    right, total = (plain(cells.sum()) for cells in (matrix.matrix.diagonal(), matrix.matrix))

    def blocks(look: Look, single: bool) -> list[Block]:
        return [
            *confusion_blocks(matrix, look, single=single),
            *([Paragraph.of([Span(correct_line(right, total))])] if total else []),
            *measure_blocks(measured_rows, look, baseline=baseline, drawn=single),
            _class_table(rows, columns),
            *remarks(caveats),
        ]

    of_classes = rows[: len(matrix.labels)]
    averages = dict(zip(AVERAGES, rows[len(matrix.labels) :], strict=True))
    named = [measures.get(name).name for name in columns]
    document = {
        "labels": [str(label) for label in matrix.labels],
        "rows": matrix.rows,
        "matrix": matrix.to_array(rows=matrix.rows),
        "measures": {row.measure.name: row.to_dict() for row in measured_rows},
        "baseline": baseline.accuracy,
        "classes": {str(label): dict(zip((*named, "support"), row, strict=True)) for label, *row in of_classes},
        "averages": {how: dict(zip(named, row[1:], strict=False)) for how, row in averages.items()},
        "caveats": caveats,
    }
    steps = [
        ("rocscope explain macro average", "how classes are averaged"),
        ("--positive LABEL", "one class against the rest, with every measure"),
    ]
    return Sheet(document, blocks, lambda: _class_sheet(matrix, columns), steps)


def _class_sheet(matrix: Confusion, columns: Sequence[str]) -> Tabular:
    """A row for every class: its measures with limits, its support, and its row of the matrix; then averages."""
    rows: list[list[Any]] = []
    turned = "predicted" if matrix.rows == "actual" else "actual"
    cells = matrix.to_array(rows=matrix.rows).tolist()
    for label, support, own in zip(matrix.labels, matrix.support.tolist(), cells, strict=True):
        estimates = [matrix.of(label).estimate(name) for name in columns]
        rows.append([label, *(part for interval in estimates for part in _limits(interval)), support, *own])
    for how in AVERAGES:
        estimates = [matrix.estimate(name, average=how) for name in columns]
        total = plain(matrix.matrix.sum())
        rows.append(
            [
                f"{how} average",
                *(part for interval in estimates for part in _limits(interval)),
                total,
                *[None] * len(cells),
            ]
        )
    named = [f"{name}{end}" for name in columns for end in ("", "_low", "_high")]
    return Tabular.full(["class", *named, "support", *(f"{turned} {label}" for label in matrix.labels)], rows)


def _limits(interval: Estimate) -> tuple[float | None, ...]:
    return tuple(None if math.isnan(part) else float(part) for part in (interval.value, interval.low, interval.high))


def _class_rows(matrix: Confusion, columns: Sequence[str]) -> list[list[Any]]:
    """Every class with its measures and its support, then the averages."""
    classes = [
        [label, *(float(matrix.of(label).value(name)) for name in columns), support]
        for label, support in zip(matrix.labels, matrix.support.tolist(), strict=True)
    ]
    total = plain(matrix.matrix.sum())
    means = {how: [matrix.average(name, how).value for name in columns] for how in AVERAGES}
    return classes + [[f"{how} average", *values, total] for how, values in means.items()]


def _class_table(rows: Sequence[Sequence[Any]], columns: Sequence[str]) -> Tabular:
    classes = len(rows) - len(AVERAGES)
    lines: list[list[Cell]] = []
    for index, (name, *values, support) in enumerate(rows):
        shown = [value_text(value) for value in values]
        of_class = index < classes
        head = data(name, limit=24) if of_class else quiet(name)
        lines.append([head, *(shown if of_class else map(strong, shown)), support])
    return Tabular.of(["class", *(Field(name, right=True) for name in columns), Field("support", 2)], lines)


def _of_matrix(matrix: Confusion, name: str) -> Measured:
    measure = measures.get(name)
    try:
        fraction: Fraction | None = measure.exact_of_matrix(matrix.cells)
    except RocscopeError:
        fraction = None
    value = float(matrix.value(name))
    tick = verdicts.majority_baseline(matrix).accuracy if measure.name == "accuracy" else _chance(measure, matrix)
    return Measured(name, measure, value, fraction, estimate.of_matrix(measure, matrix), tick, matrix.why(name))


def _chance(measure: Measure, matrix: Confusion) -> float:
    """The measure for the matrix with the same margins in which predictions are independent of the truth."""
    cells = matrix.matrix.astype(object)
    total = cells.sum()
    blind = [[Fraction(row) * Fraction(column) for column in cells.sum(0)] for row in cells.sum(1)]
    return measure.of_matrix([[cell / Fraction(total) for cell in row] for row in blind]) if total else math.nan
