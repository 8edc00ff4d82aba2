"""`rocscope demo`: the main job on built-in data, the answer first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from rocscope import curves, intervals, words
from rocscope import hull as hulls
from rocscope.cli.options import format_option
from rocscope.cli.output import Format, emit
from rocscope.cli.parts.axis import TICK
from rocscope.cli.parts.closing import next_steps, remarks
from rocscope.cli.parts.drawing import Frame, Stroke, beside, draw
from rocscope.cli.parts.hulls import Ratios, break_evens, interval_rows, ranges, who
from rocscope.cli.parts.loans import LABEL, MODELS, NEGATIVE, POSITIVE, loans
from rocscope.cli.parts.matrices import counts_blocks
from rocscope.cli.parts.measuring import Measured, measure_grid, measured
from rocscope.cli.parts.numbers import significant, threshold_text, trimmed
from rocscope.cli.parts.predictions import facts_line
from rocscope.cli.sheet import Block, Cell, Column, Grid, Line, Paragraph, Piece, data, quiet, strong
from rocscope.cli.views import Look, as_text
from rocscope.decisions import Costs, OperatingPoint, best
from rocscope.estimate import Estimate
from rocscope.hull import Hull
from rocscope.table import ScoreTable
from rocscope.table.grid import shown_number

MEASURES = ("recall", "specificity", "precision", "F1", "MCC", "accuracy")
RANKING = ("auc", "average_precision")
COSTS = Costs(fp=1, fn=5)
WIDE = 112

EPILOG = """\b
Examples:
  rocscope demo
  rocscope demo --data > loans.csv
"""


@click.command(epilog=EPILOG)
@click.option("--data", "cases", is_flag=True, help="Print the cases of the example as CSV, to play with.")
@format_option
def command(cases: bool, format: Format) -> None:
    """Which of three models to use for 1,000 loans, at which threshold, and how good that is."""
    rows = loans()
    if cases:
        grid = Grid.of([LABEL, *(Column(name, None) for name in MODELS)], rows)
        listed = [dict(zip((LABEL, *MODELS), row, strict=True)) for row in rows]
        form: Format = "csv" if format == "text" else format
        emit({"cases": listed}, format=form, sheet=lambda look: [grid], rows=grid)
        return
    answer = _answer({name: _table(rows, place) for place, name in enumerate(MODELS, 1)})
    emit(
        _document(answer),
        format=format,
        sheet=lambda look: _sheet(answer, look, format),
        rows=interval_rows(answer.hull, Ratios.of(answer.hull, None)),
    )


def _table(rows: list[tuple[str, float, float, float]], place: int) -> ScoreTable:
    return ScoreTable.from_scores([row[0] for row in rows], [row[place] for row in rows], positive=POSITIVE)


@dataclass(frozen=True, slots=True)
class _Answer:
    tables: dict[str, ScoreTable]
    cheapest: dict[str, OperatingPoint]
    use: str
    hull: Hull
    measures: list[Measured]

    @property
    def table(self) -> ScoreTable:
        """That of the model to use."""
        return self.tables[self.use]

    @property
    def point(self) -> OperatingPoint:
        """The threshold to use."""
        return self.cheapest[self.use]


def _answer(tables: dict[str, ScoreTable]) -> _Answer:
    cheapest = {name: best(table, "cost", costs=COSTS)[0] for name, table in tables.items()}
    use = min(cheapest, key=lambda name: cheapest[name].value)
    at_threshold = measured(cheapest[use].counts, MEASURES)
    ranking = [_ranking(tables[use], name) for name in RANKING]
    return _Answer(tables, cheapest, use, hulls.hull(tables), [*at_threshold, *ranking])


def _ranking(table: ScoreTable, name: str) -> Measured:
    """A measure over all thresholds, with what chance gives."""
    reading = curves.get(name)
    share = float(table.positives) / float(table.positives + table.negatives)
    found = intervals.of(table, name)
    return Measured(reading.title, reading, found.value, None, found, 0.5 if name == "auc" else share)


# --- text


def _sheet(answer: _Answer, look: Look, format: Format) -> list[Block]:
    single = format == "text"
    head = Paragraph.of(*_verdict(answer))
    facts = Paragraph.of(facts_line(answer.table, unit="loan"))
    narrow = look if look.width < WIDE or not single else Look(look.fancy, look.width - 42)
    baseline = words.majority_baseline(answer.table)
    key = Paragraph.of(
        quiet(f"{TICK} as many flagged blindly; for accuracy always {NEGATIVE}, {trimmed(baseline.accuracy)}")
    )
    heading = {0: f"{answer.use} at {threshold_text(answer.point.threshold)}", len(MEASURES): "over all thresholds"}
    middle: list[Block] = [
        *counts_blocks(answer.point.counts, narrow, single=single),
        measure_grid(answer.measures, narrow, headings=heading, with_fractions=False),
        *([key] if single else []),
    ]
    if narrow is not look:
        middle = [Paragraph(tuple(beside(list(as_text(middle, narrow)), _picture(answer, look), gap=4)))]
    return [
        head,
        facts,
        *middle,
        _costs(answer),
        *remarks(_caveats(answer)),
        *(next_steps(_next(answer)) if single else []),
    ]


def _verdict(answer: _Answer) -> list[Line]:
    second = min((name for name in answer.cheapest if name != answer.use), key=lambda name: answer.cheapest[name].value)
    nobody, habit = (COSTS.expected(answer.table.at(threshold)) for threshold in (float("inf"), 0.5))
    use = f" at threshold {threshold_text(answer.point.threshold)}"
    return [
        (strong("Use "), strong(data(answer.use)), strong(use), quiet("   least cost")),
        (
            Piece("If a miss costs 5 false alarms, it costs "),
            strong(_with_limits(intervals.expected_cost(answer.point.counts, COSTS))),
            Piece(" per 1,000 loans."),
        ),
        (
            Piece(f"Flagging nobody costs {_per_thousand(nobody)}, threshold 0.5 costs {_per_thousand(habit)}, "),
            data(second),
            Piece(f" at its best {_per_thousand(answer.cheapest[second].value)}."),
        ),
    ]


def _per_thousand(cost: float) -> str:
    return shown_number(round(1000 * cost))


def _with_limits(cost: Estimate) -> str:
    return f"{_per_thousand(cost.value)} [{_per_thousand(cost.low)}, {_per_thousand(cost.high)}]"


def _costs(answer: _Answer) -> Grid:
    """Which model at which cost of errors."""
    ratios = Ratios.of(answer.hull, None)
    rows: list[list[Cell]] = []
    for one in ranges(answer.hull):
        first, last = one.rows[0], one.rows[-1]
        ends = [threshold_text(first.threshold), threshold_text(last.threshold)]
        threshold = "" if one.model is None else ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
        rows.append([ratios.text(one.high), ratios.text(one.low), strong(who(one.model, first.tpr)), threshold])
    names = ("alarm : miss from", "to", "cheapest", "thresholds")
    return Grid.of([Column(name, right=index < 2) for index, name in enumerate(names)], rows)


def _caveats(answer: _Answer) -> list[str]:
    ratios = Ratios.of(answer.hull, None)
    areas = {name: curves.auc(table) for name, table in answer.tables.items()}
    higher = max(areas, key=lambda name: areas[name])
    found = words.misleads(answer.point.counts)
    if higher != answer.use:
        turn = next((slope for a, b, slope in break_evens(answer.hull) if {a, b} == {higher, answer.use}), None)
        where = "" if turn is None else f": it leads only from {ratios.text(turn)} on"
        pair = f"{significant(areas[higher])}, {significant(areas[answer.use])}"
        found.append(f"{higher} has the higher AUC ({pair}), yet costs more here{where}.")
    found += [f"{name} is cheapest at no cost of errors." for name in answer.hull.dominated]
    return [*found, "The threshold was chosen on these same loans: new ones will cost a little more."]


def _picture(answer: _Answer, look: Look) -> list[Line]:
    roc = {name: curves.roc(table) for name, table in answer.tables.items()}
    chosen = roc.pop(answer.use)
    counts = answer.point.counts
    styles = {answer.use: "model", **dict(zip(roc, ("", *["quiet"] * len(roc)), strict=False))}
    strokes = [Stroke(chosen.fpr.tolist(), chosen.tpr.tolist(), "model")]
    strokes += [Stroke(one.fpr.tolist(), one.tpr.tolist(), styles[name]) for name, one in roc.items()]
    strokes.append(Stroke([0.0, 1.0], [0.0, 1.0], "quiet", every=6))
    areas = {name: curves.auc(table) for name, table in answer.tables.items()}
    key = [Piece(f"{name} {areas[name]:.3f}", styles[name]) for name in sorted(areas, key=lambda name: -areas[name])]
    frame = Frame(34, 16, x_name="false positive rate", y_name="true positive rate")
    mark = (float(counts.fpr), float(counts.tpr))
    return draw(strokes, frame, look, mark=mark, title=(Piece("ROC"),), key=[quiet("AUC"), *key])


def _next(answer: _Answer) -> list[tuple[str, str]]:
    counts = answer.point.counts
    cells = f"{counts.tp} {counts.fp} {counts.fn} {counts.tn}"
    scores = " ".join(f"--score {name}" for name in MODELS[:2])
    return [
        ("rocscope demo --data > loans.csv", "these loans, to play with"),
        (f"rocscope hull loans.csv --label {LABEL} --positive {POSITIVE} {scores}",
         "which model when"),
        (f"rocscope explain precision {cells}", "the formula, filled in"),
    ]


# --- the document


def _document(answer: _Answer) -> dict[str, Any]:
    ratios = Ratios.of(answer.hull, None)
    return {
        "costs": {"fp": COSTS.fp, "fn": COSTS.fn},
        "use": {
            "model": answer.use,
            "threshold": answer.point.threshold,
            "cost": intervals.expected_cost(answer.point.counts, COSTS).to_dict(),
        },
        "positives": answer.table.positives,
        "negatives": answer.table.negatives,
        "counts": answer.point.counts.cells,
        "measures": {one.measure.name: one.to_dict() for one in answer.measures},
        "models": {
            name: {"auc": curves.auc(table), "threshold": answer.cheapest[name].threshold,
                   "cost": answer.cheapest[name].value}
            for name, table in answer.tables.items()
        },
        "intervals": [
            {"cost_low": ratios.ratio(one.low), "cost_high": ratios.ratio(one.high), **one._asdict()}
            for one in answer.hull.intervals
        ],
        "dominated": list(answer.hull.dominated),
        "caveats": _caveats(answer),
    }  # fmt: skip


