"""A k x k matrix shown with its measures and a report of every class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rocscope import estimate, measures, verdicts
from rocscope.cli.output import Format, emit
from rocscope.cli.shared.correct_share import correct_line
from rocscope.errors import RocscopeError
from rocscope.measures import AVERAGES, Measure
from rocscope.numbers import plain
from rocscope.report import (
    Block,
    Field,
    Look,
    Measured,
    Paragraph,
    Span,
    Tabular,
    confusion_blocks,
    data,
    measure_blocks,
    next_steps,
    quiet,
    remarks,
    strong,
    value_text,
)  # fmt: skip
from rocscope.table import Confusion

PER_CLASS = ("precision", "recall", "f1")
USUAL = ("accuracy", "balanced accuracy", "MCC", "kappa")


def show_classes(matrix: Confusion, names: Sequence[str] | None, notes: Sequence[str], *, format: Format) -> None:
    """Print a k x k matrix: the matrix, its measures, every class, the averages."""
    found = [_of_matrix(matrix, name) for name in names or USUAL if _fits(matrix, name)]
    columns = [name for name in names or () if not _fits(matrix, name)] or list(PER_CLASS)
    caveats = [*notes, *verdicts.misleads(matrix), *_left_out(matrix, columns)]

    right, total = (plain(cells.sum()) for cells in (matrix.matrix.diagonal(), matrix.matrix))

    def sheet(look: Look) -> list[Block]:
        single = format == "text"
        return [
            *confusion_blocks(matrix, look, single=single),
            *([Paragraph.of([Span(correct_line(right, total))])] if total else []),
            *measure_blocks(found, look, baseline=verdicts.majority_baseline(matrix), drawn=single),
            class_table(matrix, columns),
            *remarks(caveats),
            *(next_steps(_next(matrix)) if single else []),
        ]

    emit(_document(matrix, found, columns, caveats), format=format, sheet=sheet, rows=_rows(matrix, columns))


def _fits(matrix: Confusion, name: str) -> bool:
    """Whether the measure is one of the whole matrix."""
    return measures.get(name).matrix is not None


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
    """The measure of the matrix with the same margins in which the prediction says nothing about the truth."""
    cells = matrix.matrix.astype(object)
    total = cells.sum()
    blind = [[Fraction(row) * Fraction(column) for column in cells.sum(0)] for row in cells.sum(1)]
    return measure.of_matrix([[cell / Fraction(total) for cell in row] for row in blind]) if total else math.nan


def class_table(matrix: Confusion, columns: Sequence[str] = PER_CLASS) -> Tabular:
    """Every class with its measures and its support, then the averages."""
    total = plain(matrix.matrix.sum())
    rows: list[list[Any]] = []
    for label, support in zip(matrix.labels, matrix.support.tolist(), strict=True):
        one = matrix.of(label)
        rows.append([data(label, limit=24), *(value_text(float(one.value(name))) for name in columns), plain(support)])
    for how in AVERAGES:
        values = [value_text(matrix.average(name, how).value) for name in columns]
        rows.append([quiet(f"{how} average"), *(strong(value) for value in values), total])
    return Tabular.of(["class", *(Field(name, right=True) for name in columns), Field("support", 2)], rows)


def _left_out(matrix: Confusion, columns: Sequence[str]) -> list[str]:
    """The classes that an average leaves out, and why."""
    found = {name: matrix.why(name, average="macro") for name in columns}
    return [f"The macro average of {name} leaves out {why}." for name, why in found.items() if why]


def _next(matrix: Confusion) -> list[tuple[str, str]]:
    return [
        ("rocscope explain macro average", "how classes are averaged"),
        ("--positive LABEL", "one class against the rest, with every measure"),
    ]


def _rows(matrix: Confusion, columns: Sequence[str]) -> Tabular:
    """Every class and average in full, for CSV."""
    classes = [
        [data(label), *(float(matrix.of(label).value(name)) for name in columns), plain(support)]
        for label, support in zip(matrix.labels, matrix.support.tolist(), strict=True)
    ]
    total = plain(matrix.matrix.sum())
    averages = [
        [Span(f"{how} average"), *(matrix.average(name, how).value for name in columns), total] for how in AVERAGES
    ]
    return Tabular.of([Field(name, None) for name in ("class", *columns, "support")], [*classes, *averages])


def _document(
    matrix: Confusion, found: Sequence[Measured], columns: Sequence[str], caveats: Sequence[str]
) -> dict[str, Any]:
    return {
        "labels": [str(label) for label in matrix.labels],
        "rows": matrix.rows,
        "matrix": matrix.to_array(rows=matrix.rows),
        "measures": {one.measure.name: one.to_dict() for one in found},
        "baseline": verdicts.majority_baseline(matrix).accuracy,
        "classes": {
            str(label): {
                **{measures.get(name).name: float(matrix.of(label).value(name)) for name in columns},
                "support": plain(support),
            }
            for label, support in zip(matrix.labels, matrix.support.tolist(), strict=True)
        },
        "averages": {
            how: {measures.get(name).name: matrix.average(name, how).value for name in columns} for how in AVERAGES
        },
        "caveats": list(caveats),
    }
