"""Measures of four cells as rows: value, fraction, interval, what chance gives, and why one is undefined."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rocscope import estimate, measures
from rocscope.cli.parts.axis import TICK, Axis, fitting
from rocscope.cli.parts.numbers import short_fraction, trimmed
from rocscope.cli.sheet import Block, Cell, Column, Grid, Paragraph, Piece, quiet, strong
from rocscope.cli.sheet import data as data_piece
from rocscope.cli.views import Look
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.formula import Formula
from rocscope.measures import Measure
from rocscope.table import Counts
from rocscope.words import Baseline

USUAL = ("accuracy", "recall", "specificity", "precision", "NPV", "F1", "balanced accuracy", "MCC", "kappa")
MAJORITY = "no_information_rate"


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure of one matrix, under the name it was asked by."""

    name: str
    measure: Measure
    value: float
    fraction: Fraction | None = None
    estimate: Estimate | None = None
    chance: float = math.nan
    why: str = ""
    expression: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The row for a document."""
        limits = self.estimate or Estimate(self.value)
        return {
            "value": self.value,
            "fraction": self.fraction,
            "low": limits.low,
            "high": limits.high,
            "level": limits.level,
            "method": limits.method,
            "chance": self.chance,
            "why": self.why,
            **({"expression": self.expression} if self.expression else {}),
        }


def measured(counts: Counts, names: Iterable[str], *, prevalence: float | None = None) -> list[Measured]:
    """The measures of these names, at another prevalence where one is given."""
    based = counts if prevalence is None else counts.rebase(prevalence)
    independent = _by_chance(based)
    return [_one(name, counts, based, independent, prevalence) for name in names]


def _one(name: str, counts: Counts, based: Counts, independent: Counts | None, prevalence: float | None) -> Measured:
    measure = measures.get(name)
    if _is_expression(measure, counts):
        return Measured(name, measure, math.nan, why=counts.why(name), expression=_expression(measure, counts))
    return Measured(
        name,
        measure,
        float(based.value(name)),
        exact(measure, based),
        _estimate(measure, counts, prevalence),
        _chance(measure, independent),
        based.why(name),
    )


def _estimate(measure: Measure, counts: Counts, prevalence: float | None) -> Estimate | None:
    of = getattr(estimate, "of", None)
    found: Estimate | None = None if of is None else of(measure, counts, prevalence=prevalence)
    return found


def _is_expression(measure: Measure, counts: Counts) -> bool:
    needed = measure.formula.names if measure.formula is not None else counts.cells
    cells = [counts.cells[cell] for cell in needed]
    return None not in cells and any(isinstance(cell, Formula) for cell in cells)


def _expression(measure: Measure, counts: Counts) -> str:
    return counts.expression(measure.name) if measure.formula is not None else "of the whole matrix: needs numbers"


def exact(measure: Measure, counts: Counts) -> Fraction | None:
    """The value as a fraction, None where it has none."""
    needed = measure.formula.names if measure.formula is not None else counts.cells
    if not all(isinstance(counts.cells[name], int | Fraction) for name in needed):
        return None
    try:
        return measure.exact(counts.cells)
    except RocscopeError:
        return None


def _by_chance(counts: Counts) -> Counts | None:
    """The matrix with the same margins in which the prediction says nothing about the truth."""
    cells = counts.cells.values()
    if any(cell is None or isinstance(cell, Formula) for cell in cells) or not sum(cells):
        return None
    tp, fp, fn, tn = (Fraction(cell) for cell in cells)
    total, flagged, positives = tp + fp + fn + tn, tp + fp, tp + fn
    rest, negatives = total - flagged, total - positives
    products = (flagged * positives, flagged * negatives, rest * positives, rest * negatives)
    return Counts.of([product / total for product in products])


def _chance(measure: Measure, independent: Counts | None) -> float:
    if independent is None:
        return math.nan
    # accuracy has a better opponent than chance: always predicting the larger class
    name = MAJORITY if measure.name == "accuracy" else measure.name
    return float(independent.value(name))


# --- as blocks


def measure_blocks(
    found: Sequence[Measured],
    look: Look,
    *,
    data: Sequence[Measured] = (),
    baseline: Baseline | None = None,
    whole: bool = False,
    share: str = "",
    drawn: bool = True,
    grouped: bool = False,
) -> list[Block]:
    """The table of measures with its key, then what depends on an unknown, what needs one, what is undefined.

    `data` are the values at the data's own prevalence, beside those at the prevalence `share`; `whole` shows every
    fraction however long; `baseline` is that of accuracy; what is not `drawn` needs no key.
    """
    known = [one for one in found if not math.isnan(one.value)]
    before = {one.name: one for one in data}
    table = _table(known, before, look, whole, share) if known else None
    blocks: list[Block] = [] if table is None else [_with_groups(table, known) if grouped else table]
    if keys := _keys(known, baseline, drawn):
        blocks.append(Paragraph.of(*keys, hang=2))
    return [*blocks, *_unknown(found)]


def _keys(known: Sequence[Measured], baseline: Baseline | None, drawn: bool) -> list[list[Piece]]:
    """What the tick stands for, and the baseline of accuracy as a number."""
    keys = []
    if drawn and any(not math.isnan(one.chance) for one in known):
        keys.append([quiet(f"{TICK} as many flagged blindly; for accuracy always the larger class")])
    if baseline is not None and any(one.measure.name == "accuracy" for one in known):
        name, share = data_piece(baseline.predicts, limit=24), f" is right in {trimmed(baseline.accuracy)} of the cases"
        keys.append([Piece("Always predicting "), name, Piece(share)])
    return keys


def _table(
    known: Sequence[Measured], before: dict[str, Measured], look: Look, whole: bool, share: str
) -> Grid:
    fractions = [short_fraction(one.fraction, whole=whole) for one in known]
    intervals = [interval_text(one.estimate) for one in known]
    values = [trimmed(one.value) if one.measure.group == "counts" else value_text(one.value) for one in known]
    columns = [Column("measure")]
    cells: list[Sequence[Cell]] = [[one.name for one in known]]
    if before:
        columns.append(Column("in the data", right=True))
        cells.append([value_text(before[one.name].value) for one in known])
    if any(fractions):
        columns.append(Column("fraction", right=True))
        cells.append(fractions)
    columns.append(Column(f"at {share}" if share else "value", right=True))
    cells.append([strong(text) for text in values])
    if any(intervals):
        columns.append(Column("95 % interval"))
        cells.append([quiet(text) for text in intervals])
    used = sum(max(len(column.name), *map(_length, cell)) + 2 for column, cell in zip(columns, cells, strict=True))
    if (axis := fitting(look.width - used)) is not None:
        columns.append(Column(axis.heading, drawn=True))
        cells.append([_drawn(one, axis) for one in known])
    return Grid.of(columns, list(zip(*cells, strict=True)))


def _with_groups(table: Grid, known: Sequence[Measured]) -> Grid:
    """The table with the name of each group above its measures."""
    rows: list[tuple[Cell, ...]] = []
    for index, (row, one) in enumerate(zip(table.rows, known, strict=True)):
        if index == 0 or one.measure.group != known[index - 1].measure.group:
            rows.append((quiet(one.measure.group), *[""] * (len(row) - 1)))
        rows.append(row)
    return Grid.of(table.columns, rows)


def _drawn(one: Measured, axis: Axis) -> Cell:
    if not (one.measure.low >= -1 and one.measure.high <= 1):
        return ""
    limits = one.estimate or Estimate(one.value)
    return axis.draw(one.value, low=limits.low, high=limits.high, tick=one.chance)


def _length(cell: Cell) -> int:
    return len(cell.text if isinstance(cell, Piece) else str(cell))


def value_text(value: float) -> str:
    """A value with four decimals; large ones and infinity shorter."""
    if not math.isfinite(value):
        return "undefined" if math.isnan(value) else trimmed(value)
    return f"{value:.4f}" if abs(value) < 100 else trimmed(value, 2)


def interval_text(found: Estimate | None) -> str:
    """The limits of an estimate in brackets, '' without."""
    text = "" if found is None else str(found)
    return text[text.index("[") :] if "[" in text else ""


def _unknown(found: Sequence[Measured]) -> list[Block]:
    blocks: list[Block] = []
    with_x = [one for one in found if one.expression]
    if with_x:
        blocks.append(Grid.of(["measure", "with the unknown"], [[one.name, strong(one.expression)] for one in with_x]))
    missing = [one for one in found if math.isnan(one.value) and not one.expression]
    reasons: dict[str, list[str]] = {}
    for one in missing:
        reasons.setdefault(one.why, []).append(one.name)
    lines = [[quiet("undefined  "), ", ".join(names), quiet(f": {why}")] for why, names in reasons.items()]
    return [*blocks, Paragraph.of(*lines, hang=11)] if lines else blocks


def measure_rows(found: Sequence[Measured]) -> Grid:
    """Every number of the table in full, for CSV."""
    names = ["measure", "value", "fraction", "low", "high", "level", "method", "chance", "why", "expression"]
    rows = [[one.measure.name, *({"expression": "", **one.to_dict()}[name] for name in names[1:])] for one in found]
    return Grid.of([Column(name, None) for name in names], rows)
