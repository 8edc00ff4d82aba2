"""The hull of several models: cost-ratio intervals, the cheapest model, the line of equal cost, the results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

from rocscope import curves, verdicts
from rocscope.estimate import Estimate
from rocscope.hull import Hull, HullPoint, SlopeInterval, hull
from rocscope.intervals import BreakEven
from rocscope.record import record
from rocscope.report.sheet import (
    Block,
    Cell,
    Field,
    Line,
    Paragraph,
    Span,
    Tabular,
    alarm,
    data,
    letters,
    quiet,
    strong,
)
from rocscope.report.sheet_formats import Look, Sheet, as_text
from rocscope.report.text_views.braille import Stroke, TextAxes, beside, draw
from rocscope.report.text_views.verdict import facts_line
from rocscope.table import ScoreTable, as_prevalence
from rocscope.text import cost_ratio, percentage, significant, threshold_text, trimmed

MOST_BREAK_EVENS = 6
MOST = 14  # maximum number of rows of a cost-ratio table; in a longer one the thresholds of a model share a row
WIDE = 112  # terminal width, in columns, from which the hull is shown next to its table
NOBODY, EVERYONE = "flag nobody", "flag everyone"


@record(slots=True)
class Ratios:
    """Slopes as costs: cost FP / cost FN = slope x positives / negatives, if the prevalence is known."""

    odds: float | None

    @classmethod
    def of(cls, held: Hull, prevalence: float | None) -> Ratios:
        """Use the given prevalence, or else the prevalence in the cases."""
        if prevalence is not None:
            share = as_prevalence(prevalence)
            return cls(float(share / (1 - share)))
        if held.positives is None or not held.negatives:
            return cls(None)
        return cls(float(held.positives) / float(held.negatives))

    @property
    def known(self) -> bool:
        """Whether slopes can be interpreted as costs."""
        return self.odds is not None

    def ratio(self, slope: float) -> float:
        """The cost of a false alarm divided by that of a miss; NaN if it is unknown."""
        return math.nan if self.odds is None else slope * self.odds

    def text(self, slope: float) -> str:
        """The slope as costs, such as `1 : 5`, or unchanged."""
        return cost_ratio(self.ratio(slope)) if self.known else significant(slope)

    def span(self, low: float, high: float) -> str:
        """The range from one slope down to another in words."""
        noun = "" if self.known else "slope "
        if math.isinf(high):
            return f"from {noun}{self.text(low)} up, where false alarms are more costly"
        if low == 0:
            return f"below {noun}{self.text(high)}, where misses are more costly"
        return f"from {noun}{self.text(high)} to {self.text(low)}"


@record(slots=True)
class CostRange:
    """Adjacent rows of the cost-ratio table that belong to one model."""

    model: Any
    rows: tuple[SlopeInterval, ...]

    @property
    def low(self) -> float:
        """The lowest slope."""
        return self.rows[-1].low

    @property
    def high(self) -> float:
        """The highest slope."""
        return self.rows[0].high


def who(model: Any, tpr: float) -> Span:
    """The model of a corner, or the action of the trivial ends."""
    return quiet(_name(model, tpr)) if model is None else data(model, limit=24)


def _name(model: Any, tpr: float) -> str:
    return str(model) if model is not None else EVERYONE if tpr else NOBODY


def cost_ranges(intervals: Sequence[SlopeInterval]) -> list[CostRange]:
    """The cost-ratio table with one entry for each range of a model."""
    grouped = groupby(intervals, key=lambda row: row.model if row.model is not None else (None, row.tpr))
    groups = [tuple(rows) for _, rows in grouped]
    return [CostRange(rows[0].model, rows) for rows in groups]


def break_evens(intervals: Sequence[SlopeInterval]) -> list[tuple[Any, Any, Estimate]]:
    """Where the cheapest model changes, with the slope; single points have no interval."""
    both = pairwise(cost_ranges(intervals))
    return [(a.model, b.model, Estimate(a.low)) for a, b in both if a.model is not None and b.model is not None]


def break_even_lines(crossings: Sequence[tuple[Any, Any, Estimate]], ratios: Ratios) -> list[list[str | Span]]:
    """Two models, the slope or costs at which they cost the same, and the limits if they are known."""
    lines: list[list[str | Span]] = []
    for a, b, slope in crossings[:MOST_BREAK_EVENS]:
        noun, limits = "" if ratios.known else "slope ", break_even_limits(slope, ratios)
        lines.append([quiet("break-even  "), data(a, limit=24), " and ", data(b, limit=24),
                      f" at {noun}{ratios.text(slope.value)}{limits and ', '}{limits}"])  # fmt: skip
    return lines


def break_even_limits(slope: Estimate, ratios: Ratios) -> str:
    """The limits of a slope, as costs if the classes are known; empty if there are none."""
    if math.isnan(slope.low):
        return ""
    head = f"{percentage(slope.level)} CI"
    high = math.inf if math.isnan(slope.high) else slope.high  # a results document has null for an infinite limit
    if slope.low <= 0 and math.isinf(high):
        return f"{head}: any cost ratio is possible"
    ends = (high, slope.low) if ratios.known else (slope.low, high)  # a smaller slope means costlier misses
    return f"{head} {ratios.text(ends[0])} to {ratios.text(ends[1])}"


def hull_table(intervals: Sequence[SlopeInterval], ratios: Ratios, look: Look) -> Tabular:
    """The cost-ratio table with one row for each threshold, or for each model if there are too many.

    On a narrow terminal, slopes are shown only as costs, and then the rates are dropped.
    """
    merged = len(intervals) > MOST
    stretches = cost_ranges(intervals) if merged else [CostRange(row.model, (row,)) for row in intervals]
    rows = [_cells(stretch, ratios) for stretch in stretches]
    slopes, costs, rates = ("slope from", "slope to"), ("FP : FN from", "FP : FN to"), ("FPR", "TPR")
    threshold = ("threshold",) if any(row["threshold"] for row in rows) else ()
    ends = costs if ratios.known else slopes
    choices = [((*slopes, *costs) if ratios.known else slopes, rates), (ends, rates), (ends, ())]
    for first, last in choices:
        grid = _picked(rows, (*first, "model", *threshold, *last))
        if all(len(letters(line)) <= look.width for line in as_text([grid], look)):  # names may be wrapped
            break
    return grid


def _cells(stretch: CostRange, ratios: Ratios) -> dict[str, Cell]:
    """One row of the table, with every cell by its name."""
    threshold, fpr, tpr = _places(stretch.rows)
    return {
        "slope from": significant(stretch.high),
        "slope to": significant(stretch.low),
        "FP : FN from": ratios.text(stretch.high),
        "FP : FN to": ratios.text(stretch.low),
        "model": who(stretch.model, stretch.rows[0].tpr),
        "threshold": "" if stretch.model is None else threshold,
        "FPR": fpr,
        "TPR": tpr,
    }


def _picked(rows: Sequence[dict[str, Cell]], names: Sequence[str]) -> Tabular:
    columns = [Field("to" if name.endswith(" to") else name, right=name != "model") for name in names]
    return Tabular.of(columns, [[row[name] for name in names] for row in rows])


def _places(rows: Sequence[SlopeInterval]) -> list[str]:
    """Threshold and rates of a range: of its one row, or from its first to its last."""
    first, last = rows[0], rows[-1]
    names = [[threshold_text(row.threshold), trimmed(row.fpr), trimmed(row.tpr)] for row in (first, last)]
    return [a if a == b else f"{a} to {b}" for a, b in zip(*names, strict=True)]


def interval_rows(intervals: Sequence[SlopeInterval], ratios: Ratios) -> Tabular:
    """Every row of the cost-ratio table in full, for CSV."""
    names = ["slope_from", "slope_to", "cost_from", "cost_to", "model", "threshold", "fpr", "tpr"]
    return Tabular.full(names, (
        (row.high, row.low, ratios.ratio(row.high), ratios.ratio(row.low), _name(row.model, row.tpr), row.threshold,
         row.fpr, row.tpr)
        for row in intervals
    ))  # fmt: skip


# --- at given costs


def choice_lines(outline: Hull, ratios: Ratios, priced: Mapping[str, Any]) -> list[Line]:
    """The cheapest corner at given costs, and the line of equal cost in words."""
    best = outline.best_all(**priced)
    slope = _slope(outline, priced)
    if math.isnan(slope):
        return [(strong("Every model and threshold has the same cost, because the costs are 0"),)]
    lines = [_use(best), _where(outline, ratios, best[0], slope)]
    if math.isfinite(slope):
        line = outline.iso_line(**priced)
        equation = f"tpr = {significant(line.slope)} fpr + {trimmed(line.intercept)}"
        worth = f"0.1 more FPR is worth {significant(line.slope / 10)} more TPR"
        lines.append((quiet(f"It touches the best line of equal cost, {equation}; along this line, {worth}."),))
    return lines


def _slope(outline: Hull, priced: Mapping[str, Any]) -> float:
    if "costs" in priced:
        return float(priced["costs"].slope(outline.positives, outline.negatives, prevalence=priced["prevalence"]))
    return float(priced["cost_ratio"])


def _use(best: Sequence[HullPoint]) -> Line:
    """The model to use; all of them if they tie."""
    pieces: list[Span] = []
    for index, point in enumerate(best[:3]):
        start = "" if point.model is None else "Use "
        pieces += [strong(" or " if index else start), *_named(point)]
    if len(best) > 1:
        pieces.append(Span(f": {'both' if len(best) == 2 else 'all'} cost the same here"))
    if best[0].model is None and len(best) == 1:
        pieces.append(Span(": at these costs no model beats it"))
    return tuple(pieces)


def _named(point: HullPoint) -> list[Span]:
    if point.model is None:
        return [strong(EVERYONE.capitalize() if point.tpr else NOBODY.capitalize())]
    at = f" at threshold {threshold_text(point.threshold)}" if point.threshold is not None else ""
    rates = quiet(f"   FPR {trimmed(point.fpr)}, TPR {trimmed(point.tpr)}")
    return [strong(data(point.model, limit=24)), strong(at), rates]


def _where(outline: Hull, ratios: Ratios, point: HullPoint, slope: float) -> Line:
    """The range of cost ratios in which that holds."""
    row = next(
        (interval for interval in outline.intervals if (interval.fpr, interval.tpr) == (point.fpr, point.tpr)), None
    )
    at = f"At costs {ratios.text(slope)} the slope is" if ratios.known else "The slope is"
    at = f"{at} {significant(slope)}"
    return (Span(f"{at}; it is cheapest {ratios.span(row.low, row.high)}." if row else f"{at}."),)


def choice_dict(outline: Hull, priced: Mapping[str, Any]) -> dict[str, Any]:
    """The cheapest corner for the results document."""
    best = outline.best_all(**priced)
    slope = _slope(outline, priced)
    line = outline.iso_line(**priced)._asdict() if math.isfinite(slope) else None
    return {"slope": slope, "points": [point._asdict() for point in best], "iso_line": line}


# --- sheet and results document


def hull_sheet(
    held: Hull, models: Mapping[str, Any], asked: Mapping[str, Any], *, prevalence: float | None = None,
    notes: Sequence[str] = (), certain: Sequence[BreakEven] | None = None,
) -> Sheet:  # fmt: skip
    """Which model is cheapest at which costs; `asked` are the costs of the best point, empty when none are known.

    `certain` holds the break-evens with their intervals, if the cases are known.
    """
    ratios = Ratios.of(held, prevalence)
    evens = break_evens(held.intervals)
    if certain is not None:
        evens = [(crossing.first.model, crossing.second.model, crossing.slope) for crossing in certain]
    tables = [model for model in models.values() if isinstance(model, ScoreTable)]

    def blocks(look: Look, single: bool) -> list[Block]:
        facts = [facts_line(tables[0])] if tables else []
        lead = choice_lines(held, ratios, asked) if asked else _ranges(held, ratios)
        head = Paragraph.of(*lead, *facts, *map(alarm, notes), hang=2)
        narrow = Look(look.fancy, min(look.width, 80)) if single else look
        body: list[Block] = [hull_table(held.intervals, ratios, narrow), *_notes(held, ratios, evens)]
        body += [*_in_space(models), _areas(held, models)]
        left = list(as_text(body, narrow))
        if not single or look.width < WIDE or max(len(letters(line)) for line in left) > look.width - 42:
            return [head, *body]
        return [head, Paragraph(tuple(beside(left, draw_hull(held, models, look, asked), gap=4)))]

    costs = "--cost-fp 1 --cost-fn 5" if tables else "--cost-fp 1 --cost-fn 5 --prevalence 0.1"
    steps = [
        *([] if asked else [(costs, "the cheapest model when a miss costs 5 false alarms")]),
        ("rocscope explain cost ratio", "from costs to slopes"),
    ]
    document = _document(held, models, ratios, asked, evens)
    return Sheet(document, blocks, lambda: interval_rows(held.intervals, ratios), steps)


def _document(
    outline: Hull, models: Mapping[str, Any], ratios: Ratios, priced: Mapping[str, Any],
    evens: Sequence[tuple[Any, Any, Estimate]],
) -> dict[str, Any]:  # fmt: skip
    return {
        "area": outline.area,
        "positives": outline.positives,
        "negatives": outline.negatives,
        "points": [point._asdict() for point in outline.points],
        "intervals": [
            {"cost_low": ratios.ratio(interval.low), "cost_high": ratios.ratio(interval.high), **interval._asdict()}
            for interval in outline.intervals
        ],
        "break_even": [
            {
                "between": [a, b],
                "slope": slope.value,
                "low": slope.low,
                "high": slope.high,
                **{f"cost_{name}": ratios.ratio(getattr(slope, name)) for name in ("value", "low", "high")},
                "why": slope.why,
            }
            for a, b, slope in evens
        ],
        "dominated": list(outline.dominated),
        "models": {
            name: {
                "auc": curves.auc(model) if isinstance(model, ScoreTable) else math.nan,
                "hull_area": hull(model).area,
            }
            for name, model in models.items()
        },
        **({"best": choice_dict(outline, priced)} if priced else {}),
    }


def _ranges(outline: Hull, ratios: Ratios) -> list[Line]:
    """Which model is cheapest when, as one line: the answer if no costs are given."""
    ranges = [cost_range_ for cost_range_ in cost_ranges(outline.intervals) if cost_range_.model is not None]
    names = list(dict.fromkeys(one.model for one in ranges))
    if len(names) == 1:
        says = " is the cheapest wherever using a model pays off"
        return [(strong(data(names[0], limit=24)), strong(says))]
    lines: list[Line] = [(strong("Which model is cheapest depends on what the errors cost"),)]
    for stretch in ranges:
        lines.append(
            (Span("  "), strong(data(stretch.model, limit=24)), Span(f"  {ratios.span(stretch.low, stretch.high)}"))
        )
    return lines


def _notes(outline: Hull, ratios: Ratios, evens: Sequence[tuple[Any, Any, Estimate]]) -> list[Block]:
    lines = break_even_lines(evens, ratios)
    for a, b in _alike(outline):
        lines.append([quiet("the same    "), data(b, limit=24), " reaches the same points as ", data(a, limit=24)])
    for name in outline.dominated:
        lines.append([quiet("dominated   "), data(name, limit=24), " is not the cheapest at any cost ratio"])
    meaning = "slope = cost FP / cost FN x negatives / positives; --prevalence P shows the costs too"
    notes: list[Block] = [Paragraph.of(*lines, hang=12)] if lines else []
    return notes if ratios.known else [*notes, Paragraph.of(quiet(meaning), hang=2)]


def _alike(outline: Hull) -> list[tuple[Any, Any]]:
    """Models that reach the same corners as another, which the table names.

    It shows the first for all of them.
    """
    by_corners: dict[tuple[int, ...], list[Any]] = {}
    for name in outline.models:
        owned = [i for i, owners in enumerate(outline.reached_by[1:-1]) if name in {model for model, _ in owners}]
        by_corners.setdefault(tuple(owned), []).append(name)
    return [(same[0], other) for corners, same in by_corners.items() if corners for other in same[1:]]


def _in_space(models: Mapping[str, Any]) -> list[Block]:
    """Single classifiers at special points of ROC space: perfect, always positive, random, worse than chance."""
    single = {name: model for name, model in models.items() if isinstance(model, tuple)}
    points = {name: point for name, point in single.items() if point[1] <= point[0] or point == (0, 1)}
    rows: list[list[Cell]] = [[data(name, limit=24), x, y, verdicts.roc_space(x, y)] for name, (x, y) in points.items()]
    return [Tabular.of(["model", "FPR", "TPR", "in ROC space"], rows)] if rows else []


def _areas(outline: Hull, models: Mapping[str, Any]) -> Tabular:
    """The area of each model, of its own hull, and of all together."""
    rows: list[list[Cell]] = []
    for name, model in models.items():
        auc = [trimmed(curves.auc(model))] if isinstance(model, ScoreTable) else []
        rows.append([data(name, limit=24), *auc, trimmed(hull(model).area)])
    scored = len(rows[0]) == 3
    if len(models) > 1:
        rows.append([quiet("all together"), *([""] if scored else []), strong(trimmed(outline.area))])
    auc_column = [Field("AUC", right=True)] if scored else []
    return Tabular.of(["model", *auc_column, Field("area of its hull", right=True)], rows)


# --- plot


def draw_hull(outline: Hull, models: Mapping[str, Any], look: Look, priced: Mapping[str, Any]) -> list[Line]:
    """The curves, or points, with the hull above them."""
    frame = TextAxes(34, 16, x_name="false positive rate", y_name="true positive rate")
    around = Stroke([point.fpr for point in outline.points], [point.tpr for point in outline.points], "model")
    strokes = [Stroke(*_xy(model), style="quiet") for model in models.values() if isinstance(model, ScoreTable)]
    chance = Stroke([0.0, 1.0], [0.0, 1.0], "quiet", every=6)
    best = outline.best(**priced) if priced else None
    return draw([around, *strokes, chance], frame, look, mark=None if best is None else (best.fpr, best.tpr))


def _xy(table: ScoreTable) -> tuple[list[float], list[float]]:
    roc = curves.roc(table)
    return roc.fpr.tolist(), roc.tpr.tolist()
