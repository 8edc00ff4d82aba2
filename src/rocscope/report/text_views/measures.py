"""Measures of four cells as rows: value, fraction, interval, chance level, and why one is undefined."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from rocscope import estimate, measures
from rocscope.curves import Reading
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.formula import Formula
from rocscope.measures import Measure
from rocscope.record import record
from rocscope.report.sheet import Block, Cell, Field, Paragraph, Span, Tabular, alarm, quiet, strong
from rocscope.report.sheet import data as data_piece
from rocscope.report.sheet_formats import Look
from rocscope.report.text_views.whiskers import TICK, Axis, fitting
from rocscope.table import Counts
from rocscope.text import short_fraction, trimmed
from rocscope.verdicts import Baseline

USUAL = ("accuracy", "recall", "specificity", "precision", "NPV", "F1", "balanced accuracy", "MCC", "kappa")
CHANCE = "chance level (same number flagged at random)"
MAJORITY = "no_information_rate"
NO_HEADINGS: Mapping[int, str] = MappingProxyType({})


@record(slots=True)
class Measured:
    """One measure of one matrix, under the name by which it was requested."""

    name: str
    measure: Measure | Reading
    value: float
    fraction: Fraction | None = None
    estimate: Estimate | None = None
    chance: float = math.nan
    why: str = ""
    expression: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The row for the results document."""
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


NONE: Mapping[str, Measured] = MappingProxyType({})


def measured(counts: Counts, names: Iterable[str], *, prevalence: float | None = None) -> list[Measured]:
    """The measures of these names, at another prevalence if one is given."""
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
        estimate.of(measure, counts, prevalence=prevalence),
        _chance(measure, independent),
        based.why(name),
    )


def _is_expression(measure: Measure, counts: Counts) -> bool:
    needed = measure.formula.names if measure.formula is not None else counts.cells
    cells = [counts.cells[cell] for cell in needed]
    return None not in cells and any(isinstance(cell, Formula) for cell in cells)


def _expression(measure: Measure, counts: Counts) -> str:
    return counts.expression(measure.name) if measure.formula is not None else "of the whole matrix: needs numbers"


def exact(measure: Measure, counts: Counts) -> Fraction | None:
    """The value as a fraction; None if it is not rational."""
    needed = measure.formula.names if measure.formula is not None else counts.cells
    if not all(isinstance(counts.cells[name], int | Fraction) for name in needed):
        return None
    try:
        return measure.exact(counts.cells)
    except RocscopeError:
        return None


def _by_chance(counts: Counts) -> Counts | None:
    """The matrix with the same margins in which predictions are independent of the truth."""
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
    # the baseline of accuracy is always predicting the majority class, which is better than chance
    name = MAJORITY if measure.name == "accuracy" else measure.name
    return float(independent.value(name))


# --- text blocks


def measure_blocks(
    rows: Sequence[Measured],
    look: Look,
    *,
    data: Sequence[Measured] = (),
    baseline: Baseline | None = None,
    whole: bool = False,
    share: str = "",
    drawn: bool = True,
    grouped: bool = False,
) -> list[Block]:
    """The table of measures with its key, then measures that depend on an unknown, need one, or are undefined.

    `data` are the values at the data's own prevalence, beside those at the prevalence `share`; `whole` shows every
    fraction in full; `baseline` is that of accuracy; without `drawn`, no key is needed.
    """
    known = [row for row in rows if not math.isnan(row.value)]
    before = {row.name: row for row in data}
    headings = _groups(known) if grouped else {}
    blocks: list[Block] = []
    if known:
        blocks.append(measure_grid(known, look, data=before, whole=whole, share=share, headings=headings))
    if keys := _keys(known, baseline, drawn):
        blocks.append(Paragraph.of(*keys, hang=2))
    return [*blocks, *undefined_blocks(rows)]


def _groups(known: Sequence[Measured]) -> dict[int, str]:
    """The rows that begin a group of the catalog, with its name."""
    groups = [row.measure.group if isinstance(row.measure, Measure) else "" for row in known]
    return {i: group for i, group in enumerate(groups) if i == 0 or group != groups[i - 1]}


def _keys(known: Sequence[Measured], baseline: Baseline | None, drawn: bool) -> list[list[Span]]:
    """The meaning of the tick, and the baseline of accuracy as a number."""
    keys = []
    if drawn and any(not math.isnan(row.chance) for row in known):
        keys.append([quiet(f"{TICK} {CHANCE}; for accuracy: the larger class")])
    if baseline is not None and any(row.measure.name == "accuracy" for row in known):
        name, share = data_piece(baseline.predicts, limit=24), f"{100 * baseline.accuracy:.1f} %"
        keys.append([Span("Always predicting "), name, Span(f" is correct for {share} of the cases.")])
    return keys


def measure_grid(
    known: Sequence[Measured],
    look: Look,
    *,
    data: Mapping[str, Measured] = NONE,
    whole: bool = False,
    share: str = "",
    headings: Mapping[int, str] = NO_HEADINGS,
    with_fractions: bool = True,
) -> Tabular:
    """The table of defined measures: name, fraction, value, interval, and the line from 0 to 1.

    `headings` appear above the rows of these numbers.
    """
    fractions = [short_fraction(row.fraction, whole=whole) if with_fractions else "" for row in known]
    intervals = [interval_text(row.estimate) for row in known]
    columns = [Field("measure")]
    cells: list[Sequence[Cell]] = [[row.name for row in known]]
    if data:
        columns.append(Field("in the data", right=True))
        cells.append([value_text(data[row.name].value) for row in known])
    if any(fractions):
        columns.append(Field("fraction", right=True))
        cells.append(fractions)
    columns.append(Field(f"at {share}" if share else "value", right=True))
    cells.append([strong(_value(row, with_fractions)) for row in known])
    if any(intervals):
        level = next(row.estimate.level for row, text in zip(known, intervals, strict=True) if text and row.estimate)
        columns.append(Field(f"{100 * level:g} % interval"))
        cells.append([quiet(text or "–") for text in intervals])
    used = sum(max(len(column.name), *map(_length, cell)) + 2 for column, cell in zip(columns, cells, strict=True))
    used += max(0, *(len(heading) - max(map(_length, cells[0])) for heading in headings.values()), 0)
    if (axis := fitting(look.width - used)) is not None:
        columns.append(Field(axis.heading, drawn=True))
        cells.append([_drawn(row, axis) or (_off_the_line(row) if not with_fractions else "") for row in known])
    return Tabular.of(columns, _with_headings(list(zip(*cells, strict=True)), headings))


def _with_headings(rows: list[tuple[Cell, ...]], headings: Mapping[int, str]) -> list[tuple[Cell, ...]]:
    lines: list[tuple[Cell, ...]] = []
    for index, row in enumerate(rows):
        if index in headings:
            lines.append((quiet(headings[index]), *[""] * (len(row) - 1)))
        lines.append(row)
    return lines


def _value(row: Measured, in_full: bool) -> str:
    """A count unchanged, a measure with four decimals, or with as many as its interval."""
    if isinstance(row.measure, Measure) and row.measure.group == "counts":
        return trimmed(row.value)
    if in_full:
        return value_text(row.value)
    return str(row.estimate).split(" [")[0] if interval_text(row.estimate) else f"{row.value:.3f}"


def _drawn(row: Measured, axis: Axis) -> Cell:
    if not (row.measure.low >= -1 and row.measure.high <= 1):
        return ""
    limits = row.estimate or Estimate(row.value)
    if max(row.value, limits.high) > 1:  # the multiclass Brier score can reach 2
        return ""
    return axis.draw(row.value, low=limits.low, high=limits.high, tick=row.chance)


def _off_the_line(one: Measured) -> Cell:
    """The chance level as a number, for a measure that may exceed 1."""
    return "" if math.isnan(one.chance) else quiet(f"{TICK} {value_text(one.chance)}")


def _length(cell: Cell) -> int:
    return len(cell.text if isinstance(cell, Span) else str(cell))


def value_text(value: float) -> str:
    """A value with four decimals; large values and infinity in a shorter form."""
    if not math.isfinite(value):
        return "undefined" if math.isnan(value) else trimmed(value)
    return f"{value:.4f}" if abs(value) < 100 else trimmed(value, 2)


def interval_text(interval: Estimate | None) -> str:
    """The limits of an estimate in brackets; '' if there are none."""
    text = "" if interval is None else str(interval)
    return text[text.index("[") :] if "[" in text else ""


def undefined_blocks(entries: Sequence[Measured]) -> list[Block]:
    """Measures that depend on an unknown cell, and undefined ones with their reasons."""
    blocks: list[Block] = []
    with_x = [entry for entry in entries if entry.expression]
    if with_x:
        rows: list[list[Cell]] = [[entry.name, strong(entry.expression)] for entry in with_x]
        blocks.append(Tabular.of(["measure", "with the unknown"], rows))
    missing = [entry for entry in entries if math.isnan(entry.value) and not entry.expression]
    reasons: dict[str, list[str]] = {}
    for row in missing:
        reasons.setdefault(row.why, []).append(row.name)
    lines: list[list[str | Span]] = [
        [quiet("undefined  "), ", ".join(names), alarm(f": {why}")] for why, names in reasons.items()
    ]
    return [*blocks, Paragraph.of(*lines, hang=11)] if lines else blocks


def measure_rows(rows: Sequence[Measured], counts: Counts | None = None) -> Tabular:
    """The four cells, if given, and every number of the table in full, for CSV."""
    names = ["measure", "value", "fraction", "low", "high", "level", "method", "chance", "why", "expression"]
    known = {} if counts is None else {name: cell for name, cell in counts.cells.items() if cell is not None}
    cells = [
        {"measure": name, "expression": cell.text} if isinstance(cell, Formula) else {"measure": name, "value": cell}
        for name, cell in known.items()
    ]
    measured_rows = [{"measure": row.measure.name, "expression": "", **row.to_dict()} for row in rows]
    return Tabular.full(names, [*cells, *measured_rows])
